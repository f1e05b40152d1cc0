// UTF-8: checks, repairs, and joins pieces that are cut inside a code point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

// What stands for bytes that are no code point: U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_utf8(std::string_view bytes);

// `bytes`, with U+FFFD for every part that is not UTF-8.
std::string repair_utf8(std::string_view bytes);

// Joins pieces that may be cut inside a code point, or between two surrogates that make one (three bytes each, as
// append_json_text keeps them). Bytes that can never become a code point come out as U+FFFD.
class Utf8Joiner {
 public:
  // Returns the whole code points so far. The view lives until the next call and may point into `bytes`.
  std::string_view feed(std::string_view bytes);
  // Returns what is left: U+FFFD for an incomplete code point.
  std::string_view finish();
  // Where in what was returned last U+FFFD stands for bytes that are none.
  const std::vector<size_t> &replaced() const { return replaced_; }
  bool empty() const { return held_.empty(); }
  // The incomplete code point, to be saved: any bytes.
  std::string_view held() const { return held_; }
  void restore(std::string held) { held_ = std::move(held); }

 private:
  // -- position in the stream (saved with the turn)
  std::string held_;  // at most five bytes that may still become a code point
  // -- reused
  std::string out_;
  std::vector<size_t> replaced_;
};

// A whole text whose surrogates are three bytes each, as UTF-8.
std::string join_surrogates(std::string_view text);

// Appends one code point as UTF-8; a surrogate as the three bytes that Utf8Joiner pairs.
void append_code_point(std::string &out, uint32_t point);

// Is `c` a later byte of a code point, not its first?
inline constexpr bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the code point that begins with `first`.
inline constexpr size_t code_point_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Number of code points.
size_t utf8_length(std::string_view utf8);
// Number of UTF-16 units.
size_t utf16_length(std::string_view utf8);

}  // namespace sluice
