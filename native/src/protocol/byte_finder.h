// Finds the next of a few bytes in a text.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#if defined(__SSE2__) || defined(_M_X64)
#  include <emmintrin.h>
#endif

namespace sluice {

class ByteFinder {
 public:
  void add(char c) {
    bool &there = table_[static_cast<unsigned char>(c)];
    if (there) return;
    there = true;
    if (count_ < needles_.size()) {  // the unused ones repeat the first: comparing with it twice changes nothing
      if (count_ == 0) needles_.fill(c);
      needles_[count_] = c;
    }
    ++count_;
  }

  // Index of the first one at or behind `from`, or of the first that `pass` says no to; the size where there is none.
  size_t find(std::string_view text, size_t from) const {
    return find(text, from, [](size_t) { return false; });
  }
  template <class Pass>
  size_t find(std::string_view text, size_t from, Pass pass) const {
    const char *const data = text.data();
    size_t i = from;
#if defined(__SSE2__) || defined(_M_X64)
    if (count_ != 0 && count_ <= needles_.size()) {
      __m128i wanted[8];
      for (size_t n = 0; n < 8; ++n) wanted[n] = _mm_set1_epi8(needles_[n]);
      for (; i + 16 <= text.size(); i += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(data + i));
        __m128i hit = _mm_cmpeq_epi8(bytes, wanted[0]);
        for (size_t n = 1; n < 8; ++n) hit = _mm_or_si128(hit, _mm_cmpeq_epi8(bytes, wanted[n]));
        for (auto hits = static_cast<unsigned>(_mm_movemask_epi8(hit)); hits != 0; hits &= hits - 1)
          if (const size_t at = i + static_cast<size_t>(std::countr_zero(hits)); !pass(at)) return at;
      }
    }
#endif
    while (i < text.size() && (!table_[static_cast<unsigned char>(data[i])] || pass(i))) ++i;
    return i;
  }

 private:
  std::array<char, 8> needles_{};
  std::array<bool, 256> table_{};
  size_t count_ = 0;
};

}  // namespace sluice
