// The words of vcp.
#pragma once

#include <string_view>

namespace sluice::vcp {

inline constexpr std::string_view kOpen = "「始」", kClose = "「末」";
inline constexpr std::string_view kOpenEscape = "「始ESCAPE」", kCloseEscape = "「末ESCAPE」";
inline constexpr std::string_view kStart = "[TOOL_REQUEST]", kEnd = "[END_TOOL_REQUEST]";
inline constexpr std::string_view kColon = "：", kComma = "，";
// What no key holds besides white space and ASCII colons and commas.
inline constexpr std::string_view kDelimiters[] = {kColon, kComma, "「", "」"};

}  // namespace sluice::vcp
