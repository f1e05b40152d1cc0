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

// What stands around a value.
struct VcpPair {
  std::string open, close;
};

struct VcpWords {
  // What begins and ends a call. In angle brackets: these words stand in three of them (lenient: two to four), and a
  // value may hold one with _ESCAPE at its end.
  std::string start{vcp::kStart}, end{vcp::kEnd};
  bool in_angles = true;
  // Around a value, which its own pair closes; the first pair is written. `loose`: those that `lenient` reads besides.
  std::vector<VcpPair> values = {{"「始」", "「末」"}}, loose = {{"{始}", "{末}"}};
  // Around a value that may hold the words of a pair.
  std::string open_escape = "「始ESCAPE」", close_escape = "「末ESCAPE」";
  std::string name = "tool_name";  // the field with the tool's name
  // Fields that are no arguments.
  std::vector<std::string> reserved = {"archery",        "ink",           "river", "vref",
                                       "timely_contact", "tool_password", "maid",  "valet"};

  const std::string &open() const { return values.front().open; }
  const std::string &close() const { return values.front().close; }
};

// The code points that begin and end a pair: no key holds one.
inline std::string_view bracket_of(const VcpPair &pair) {
  return std::string_view(pair.open).substr(0, code_point_length(pair.open.front()));
}
inline std::string_view last_bracket_of(const VcpPair &pair) {
  return std::string_view(pair.close).substr(last_code_point(pair.close));
}

}  // namespace sluice
