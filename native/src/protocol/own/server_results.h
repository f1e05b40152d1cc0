// Results that a server writes into the answer, which ran the calls itself (observeOnly): a block of entries, each with
// the name of a tool, a status and what the tool returned. To the scanner it is a protocol: each entry comes as a call
// of that name, its arguments {"status":"success"|"error","output":"..."}.
#pragma once

#include "protocol/block.h"

namespace sluice {

inline constexpr std::string_view kServerResults = "server_results";

// How such a block is written; the members' defaults are those of VCP servers.
struct ResultFormat {
  std::string open = "[[VCP调用结果信息汇总:";
  std::string close = "VCP调用结果结束]]";
  // What a line of an entry begins with. A name begins an entry; what was returned goes on to the next name.
  std::string name = "- 工具名称:";
  std::string status = "- 执行状态:";
  std::string body = "- 返回内容:";
  std::string success = "SUCCESS";  // in a status that is no error; an entry without a status is none
  // What may stand around the block, and is not shown. Empty: nothing.
  std::string before = "<<<[ROLE_DIVIDE_USER]>>>";
  std::string behind = "<<<[END_ROLE_DIVIDE_USER]>>>";
};

std::shared_ptr<const Protocol> make_server_results(ResultFormat format);

}  // namespace sluice
