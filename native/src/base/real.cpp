#include "base/real.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

// A natural number of any size.
class Natural {
 public:
  explicit Natural(uint32_t value) : words_{value} {}

  void multiply_add(uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (uint32_t &word : words_) {
      carry += static_cast<uint64_t>(word) * factor;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry > 0) words_.push_back(static_cast<uint32_t>(carry));
  }
  void shift(int bits) {
    for (; bits > 0; bits -= 31) multiply_add(1U << std::min(bits, 31), 0);
  }
  void times_ten_to(int exponent) {
    for (; exponent > 0; --exponent) multiply_add(10, 0);
  }
  int bits() const {
    int count = static_cast<int>(words_.size() - 1) * 32;
    for (uint32_t word = words_.back(); word > 0; word >>= 1) ++count;
    return count;
  }
  bool zero() const {
    return std::all_of(words_.begin(), words_.end(), [](uint32_t word) { return word == 0; });
  }
  // Subtracts `other` if it is not more than this.
  bool take(const Natural &other) {
    const auto word = [](const Natural &number, size_t i) { return i < number.words_.size() ? number.words_[i] : 0; };
    for (size_t i = std::max(words_.size(), other.words_.size()); i-- > 0;) {
      if (word(*this, i) > word(other, i)) break;
      if (word(*this, i) < word(other, i)) return false;
    }
    int64_t borrow = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      borrow += static_cast<int64_t>(words_[i]) - word(other, i);
      words_[i] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
    return true;
  }

 private:
  std::vector<uint32_t> words_;  // the lowest first; never empty
};

// The double that is nearest to `digits` * 10^exponent, of two the even one.
double nearest(const std::string &digits, int exponent) {
  Natural above(0), below(1);
  for (const char digit : digits) above.multiply_add(10, static_cast<uint32_t>(digit - '0'));
  above.times_ten_to(exponent);
  below.times_ten_to(-exponent);
  // The quotient times 2^shift has 63 or 64 bits.
  const int shift = 63 - (above.bits() - below.bits());
  above.shift(shift);
  below.shift(-shift);
  below.shift(63);
  uint64_t quotient = 0;
  for (int i = 0; i < 64; ++i) {
    quotient = quotient << 1 | (above.take(below) ? 1 : 0);
    above.shift(1);
  }
  if (!above.zero()) quotient |= 1;
  int dropped = std::max(quotient >> 63 != 0 ? 11 : 10, shift - 1074);  // bits; the smallest double is 2^-1074
  const int scale = dropped - shift;
  for (; dropped > 60; --dropped) quotient = quotient >> 1 | (quotient & 1);
  const uint64_t half = uint64_t{1} << (dropped - 1), rest = quotient & (2 * half - 1);
  quotient >>= dropped;
  if (rest > half || (rest == half && quotient % 2 == 1)) ++quotient;
  return std::ldexp(static_cast<double>(quotient), scale);
}

}  // namespace

std::from_chars_result read_real(const char *first, const char *last, double &value) {
  constexpr size_t kMostDigits = 800;  // what follows changes the nearest double only if the rest lies on a half
  const char *at = first;
  const bool negative = at < last && *at == '-';
  if (negative) ++at;
  std::string digits;
  int64_t exponent = 0;
  bool any = false, point = false;
  for (; at < last && (is_digit(*at) || (*at == '.' && !point)); ++at) {
    if (*at == '.') {
      point = true;
      continue;
    }
    any = true;
    if (point) --exponent;
    if (digits.size() > kMostDigits) {
      ++exponent;
      if (*at != '0') digits.back() = '1';
    } else if (!digits.empty() || *at != '0') {
      digits += digits.size() == kMostDigits && *at != '0' ? '1' : *at;
    }
  }
  if (!any) return {first, std::errc::invalid_argument};
  if (at < last && (*at == 'e' || *at == 'E')) {
    const char *next = at + 1;
    const bool less = next < last && *next == '-';
    if (next < last && (*next == '-' || *next == '+')) ++next;
    if (next < last && is_digit(*next)) {
      int64_t written = 0;
      for (; next < last && is_digit(*next); ++next) written = std::min<int64_t>(10 * written + (*next - '0'), 1 << 30);
      exponent += less ? -written : written;
      at = next;
    }
  }
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  double read = 0;
  const int64_t size = static_cast<int64_t>(digits.size()) + exponent;  // digits before the point
  if (!digits.empty() && size > 310) return {at, std::errc::result_out_of_range};
  if (!digits.empty() && size > -330) read = nearest(digits, static_cast<int>(exponent));
  if (!std::isfinite(read)) return {at, std::errc::result_out_of_range};
  value = negative ? -read : read;
  return {at, {}};
}

}  // namespace sluice
