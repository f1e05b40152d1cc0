#include "turn/engine.h"

#include "base/json.h"
#include "wire/tool_schema.h"

namespace sluice {

Status Engine::compile(std::string_view document, Engine &out) {
  const size_t depth = document_depth(document, out.defaults.limits.depth);
  if (Status status = check_json(document, depth); !status.ok()) return status;
  if (json_kind(document) != '{') return error(Code::json, "expected an object");
  if (const auto declared = json_member(document, "protocols"))
    if (Status status = read_declarations(*declared, out.defaults.declared); !status.ok())
      return std::move(status).inside("protocols");
  if (Status status = read_config(document, {"tools", "protocols"}, out.defaults); !status.ok()) return status;
  if (const auto tools = json_member(document, "tools")) {
    if (json_kind(*tools) != '[') return error(Code::json, "expected an array of tools", "tools");
    if (Status status = Registry::compile(*tools, depth, out.registry); !status.ok())
      return std::move(status).inside("tools");
  }
  for (const ToolOffer &offer : out.registry.offers()) out.plain_tools.push_back(is_plain(offer));
  if (Status status = join_parsed_tags(out.defaults); !status.ok()) return std::move(status).inside("alsoParse");
  return check_protocols(out.defaults, out.registry);
}

}  // namespace sluice
