// The words of vcp, which a declared protocol may replace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace sluice {

namespace vcp {

inline constexpr std::string_view kColon = "：", kComma = "，";
inline constexpr std::string_view kStart = "[TOOL_REQUEST]", kEnd = "[END_TOOL_REQUEST]";

}  // namespace vcp

struct VcpWords {
  // What begins and ends a call. In angle brackets: these words stand in three of them (lenient: two to four), and a
  // value may hold one with _ESCAPE at its end.
  std::string start{vcp::kStart}, end{vcp::kEnd};
  bool in_angles = true;
  // Around a value, and around one that may hold these words themselves.
  std::string open = "「始」", close = "「末」";
  std::string open_escape = "「始ESCAPE」", close_escape = "「末ESCAPE」";
  std::string name = "tool_name";  // the field with the tool's name
  // Fields that are no arguments.
  std::vector<std::string> reserved = {"archery",        "ink",           "river", "vref",
                                       "timely_contact", "tool_password", "maid",  "valet"};

  // The code points that begin and end the words around values: no key holds one.
  std::string_view bracket() const { return std::string_view(open).substr(0, code_point_length(open.front())); }
  std::string_view last_bracket() const { return std::string_view(close).substr(last_code_point(close)); }
};

}  // namespace sluice
