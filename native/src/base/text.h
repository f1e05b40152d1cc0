// Helpers for texts: trim, cut, lower case, compare, read a number.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>

#include "base/ascii.h"
#include "base/utf8.h"

namespace sluice {

// `text` without the bytes of a class, white space by default, at both ends.
inline constexpr std::string_view trim(std::string_view text, bool (*is)(char) = is_white) {
  while (!text.empty() && is(text.front())) text.remove_prefix(1);
  while (!text.empty() && is(text.back())) text.remove_suffix(1);
  return text;
}

// A count for people: 12,345.
inline std::string with_commas(size_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

// As a message quotes a word.
inline std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

// A to Z as a to z, all other bytes as they are.
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = lower(c);
  return out;
}

// The longest beginning of at most `most` bytes that ends between code points. Bytes that are no UTF-8 may be cut
// anywhere.
inline constexpr std::string_view first_bytes(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && most - end < 3 && continues_code_point(text[end])) --end;
  return text.substr(0, continues_code_point(text[end]) ? most : end);
}

// Where the last code point of a text that is not empty begins.
inline constexpr size_t last_code_point(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && continues_code_point(text[at])) --at;
  return at;
}

// The longest end of at most `most` bytes that begins between code points.
inline constexpr std::string_view last_bytes(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  text.remove_prefix(text.size() - most);
  while (!text.empty() && continues_code_point(text.front())) text.remove_prefix(1);
  return text;
}

// `text`, or its first_bytes() and an ellipsis if it is longer than `most`.
inline std::string shortened(std::string_view text, size_t most) {
  std::string out(first_bytes(text, most));
  if (out.size() < text.size()) out += "…";
  return out;
}

// The same of any bytes: what is no UTF-8 becomes U+FFFD.
inline std::string bounded_text(std::string_view bytes, size_t most) { return repair_utf8(shortened(bytes, most)); }

// Does a text that may still grow begin with a token? `partial`: it agrees so far, but ends before the token does.
enum class Fit : uint8_t { no, partial, yes };

// `fold`: ASCII letters match in any case.
inline constexpr Fit fit(std::string_view text, std::string_view token, bool fold = false) {
  const size_t size = std::min(text.size(), token.size());
  if (!fold) {
    if (text.substr(0, size) != token.substr(0, size)) return Fit::no;
  } else {
    for (size_t i = 0; i < size; ++i)
      if (lower(text[i]) != lower(token[i])) return Fit::no;
  }
  return size == token.size() ? Fit::yes : Fit::partial;
}

inline constexpr bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

// Reads all of `text` as a whole number. Returns false and leaves `out` alone if it is none, or does not fit into
// `out`.
template <class Integer>
bool read_integer(std::string_view text, Integer &out, int base = 10) {
  Integer value = 0;
  const char *const end = text.data() + text.size();
  const auto [behind, fault] = std::from_chars(text.data(), end, value, base);
  if (fault != std::errc() || behind != end) return false;
  out = value;
  return true;
}

// Nothing but white space?
inline bool blank(std::string_view text) { return text.find_first_not_of(" \t\n\v\f\r") == text.npos; }

}  // namespace sluice
