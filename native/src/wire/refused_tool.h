// Which tool does a provider refuse? Providers say it in prose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

struct RefusedTool {
  std::optional<size_t> at;           // "tools[14]": its place among the tools of the request
  std::optional<size_t> function_at;  // "function_declarations[14]": its place among these
  std::string name;                   // that it is called by in the words; empty: they name none
  size_t most_description = 0;        // characters that the server takes of its description; 0: it is not about that
};

// `is_tool`: does the request have a tool of this name? nullopt: the words are about no tool.
std::optional<RefusedTool> refused_tool(std::string_view words,
                                        const std::function<bool(std::string_view name)> &is_tool);

// Does the server want tools because the conversation has calls? "doesn't support tool calling without `tools=`".
bool wants_tools_for_calls(std::string_view words);

}  // namespace sluice
