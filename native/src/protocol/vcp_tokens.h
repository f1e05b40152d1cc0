// The words of vcp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"

namespace sluice::vcp {

inline constexpr std::string_view kOpen = "「始」", kClose = "「末」";
inline constexpr std::string_view kOpenEscape = "「始ESCAPE」", kCloseEscape = "「末ESCAPE」";
inline constexpr std::string_view kStart = "[TOOL_REQUEST]", kEnd = "[END_TOOL_REQUEST]";
inline constexpr std::string_view kColon = "：", kComma = "，";
// What no key holds besides white space and ASCII colons and commas.
inline constexpr std::string_view kDelimiters[] = {kColon, kComma, "「", "」"};

enum class Fit : uint8_t { no, partial, yes };

// Does `text` begin with `token`? partial: it ends before that is known.
inline Fit fit(std::string_view text, std::string_view token, bool fold) {
  const size_t n = std::min(text.size(), token.size());
  for (size_t i = 0; i < n; ++i)
    if (fold ? lower(text[i]) != lower(token[i]) : text[i] != token[i]) return Fit::no;
  return n == token.size() ? Fit::yes : Fit::partial;
}

}  // namespace sluice::vcp
