// Reads the members of a host's documents. Errors say what was found and what was expected. All values are checked JSON
// text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace sluice {

// The largest whole number that every reader of JSON keeps. The sum of two such times in milliseconds cannot overflow.
inline constexpr int64_t kMostWhole = 9007199254740991;

// A value as messages show it: compact, one line, cut at 80 bytes.
std::string shown(std::string_view value);
std::string shown_text(std::string_view utf8);  // the same for plain text, in quotes

// Code::json, "found <value>, expected <expected>".
Status unexpected(std::string_view value, std::string_view expected, std::string path = {});

Status read_bool(std::string_view value, bool &out);
Status read_text(std::string_view value, std::string &out);
Status read_texts(std::string_view value, std::vector<std::string> &out);
// Reads a whole number: 3, 3.0 and 3e2 are whole.
Status read_whole(std::string_view value, int64_t least, int64_t most, int64_t &out);

// The same for any integer type: accepts what it holds, and at most kMostWhole. A size of more than 32 bits is accepted
// on every platform, so that a document means the same on all: where a size_t has 32 bits, the most it holds is no
// limit either.
template <class T>
Status read_whole_into(std::string_view value, int64_t least, T &out) {
  constexpr uint64_t kHolds = static_cast<uint64_t>(std::numeric_limits<T>::max());
  constexpr int64_t kMost = static_cast<int64_t>(std::min(kHolds, static_cast<uint64_t>(kMostWhole)));
  int64_t number = 0;
  Status status = read_whole(value, least, std::is_same_v<T, size_t> ? kMostWhole : kMost, number);
  if (status.ok()) out = static_cast<T>(std::min(number, kMost));
  return status;
}

template <class T>
struct Choice {
  std::string_view text;
  T value;
};

template <class T, size_t N>
Status read_choice(std::string_view value, const Choice<T> (&choices)[N], T &out) {
  std::string expected;
  const std::string text = json_kind(value) == '"' ? json_text(value) : std::string();
  for (const Choice<T> &choice : choices) {
    if (json_kind(value) == '"' && text == choice.text) {
      out = choice.value;
      return {};
    }
    expected.append(expected.empty() ? "" : " | ").append(choice.text);
  }
  return unexpected(value, expected);
}

// The error for an unknown member. Suggests the nearest of `known`, if one is near.
Status unknown_member(std::string_view name, const std::vector<std::string_view> &known);

}  // namespace sluice
