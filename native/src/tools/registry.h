// The tools of an engine. Finds a tool by any name that a model may write.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tool_offer.h"
#include "base/tool_view.h"
#include "tools/tool.h"

namespace sluice {

// Each name that a model may write → the own name of the tool that it means.
using ToolNames = std::map<std::string, std::string, std::less<>>;

// What Registry::find would find; nullptr: nothing.
const std::string *find_tool_name(const ToolNames &names, std::string_view asked);

class Registry final : public ToolView {
 public:
  // `tools`: the array of the engine's configuration, as checked JSON. Errors carry a path such as [3].parameters.
  static Status compile(std::string_view tools, size_t max_depth, Registry &out);

  const std::vector<Tool> &tools() const { return tools_; }         // sorted by name
  const std::vector<ToolOffer> &offers() const { return offers_; }  // of every tool, in the same order

  // By name, alias, wire name or vcpCommand, also without what some models put around it (functions., default_api:,
  // back-ticks), and without the number of the call behind functions.NAME. nullptr: unknown.
  const Tool *find(std::string_view asked) const;
  const Tool *named(std::string_view own) const;  // by its own name alone
  ToolNames tool_names() const;                   // all that `find` knows

  bool known(std::string_view tool) const override { return find(tool) != nullptr; }
  std::vector<std::string_view> names() const override;
  bool declares(std::string_view tool, std::string_view parameter) const override;
  std::string text_parameter(std::string_view tool) const override;
  std::string only_text(std::string_view tool) const override;
  List takes_list(std::string_view tool, std::string_view parameter) const override;
  std::string spelled(std::string_view tool, std::string_view parameter, std::string_view value) const override;

 private:
  std::vector<Tool> tools_;
  std::vector<ToolOffer> offers_;
  std::map<std::string, size_t, std::less<>> by_name_;
};

}  // namespace sluice
