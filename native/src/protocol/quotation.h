// The parts of a rejected block that are not searched: a quotation is never a call.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "protocol/value_end.h"

namespace sluice {

// A value that was open where its block was rejected. The scan passes over it.
class Quotation {
 public:
  // Ends behind the first of these words. `fold`: ASCII letters in any case.
  static Quotation until(std::vector<std::string> words, bool fold = false);
  // Brackets and all that stands in them, or a string; begins with its first byte.
  static Quotation value(bool triple = false);

  bool open() const { return kind_ != Kind::none; }
  // Moves `at` on. Returns true if it stands behind the end of the value, false if more text is needed.
  bool pass(std::string_view text, size_t &at);

  // As JSON, and back.
  void save(std::string &out) const;
  void load(std::string_view saved);

 private:
  enum class Kind : uint8_t { none, words, value };
  Kind kind_ = Kind::none;
  std::vector<std::string> words_;
  bool fold_ = false;
  ValueEnd value_;
};

// The last bytes of a text that comes in pieces.
class LastBytes {
 public:
  static constexpr size_t kMost = 256;
  void add(std::string_view piece) {
    if (piece.size() > kMost) piece.remove_prefix(piece.size() - kMost);
    if (size_ + piece.size() > bytes_.size()) {
      std::copy_n(bytes_.data() + size_ - kMost, kMost, bytes_.data());
      size_ = kMost;
    }
    std::copy(piece.begin(), piece.end(), bytes_.begin() + static_cast<ptrdiff_t>(size_));
    size_ += piece.size();
  }
  void clear() { size_ = 0; }
  std::string_view get() const {
    const size_t most = std::min(size_, kMost);
    return {bytes_.data() + size_ - most, most};
  }

 private:
  std::array<char, 4 * kMost> bytes_;
  size_t size_ = 0;
};

// Returns whether a quotation that began on the last line of the text is open at its end.
bool ends_in_quotation(std::string_view text);

// Follows strings in ordinary text: they begin with a quote that stands behind no word, and end with the same quote.
class StringTracker {
 public:
  // Goes to the byte behind a candidate's opener, where a value may begin, or goes on in a tag, behind which another
  // one or a value may: strings are strings up to their end, on however many lines. Else a string ends with its line.
  void enter_value() { enter(Place::expected); }
  void enter_tag() { enter(Place::tag); }
  // One byte; `before`: the one in front of it.
  void step(char before, char c);
  // The same for a quote in ordinary text, faster.
  void quote(char before, char c) {
    if (quote_ == 0 ? !is_word(before) : c == quote_ && !escaped_) quote_ = quote_ == 0 ? c : 0;
    escaped_ = false;
  }
  // The byte that comes next stands in a string.
  bool inside() const { return quote_ != 0; }
  // In a value or a tag: no opener counts in a string; else only a bracket does not.
  bool bound() const { return place_ != Place::line; }

  void save(std::vector<int64_t> &out) const;
  void load(const std::vector<int64_t> &saved);

 private:
  enum class Place : uint8_t {
    line,
    expected,  // white space before a value or a tag
    value,
    tag,
  };

  void enter(Place place) {
    *this = {};
    place_ = place;
  }

  Place place_ = Place::line;
  char quote_ = 0;
  bool escaped_ = false;
  size_t depth_ = 0;
  bool prefix_ = false;  // in a value: a word that may stand before a string's quote
};

}  // namespace sluice
