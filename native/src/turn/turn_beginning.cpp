// Diagnostics about the configuration at the beginning of a turn: tools that no model sees, names that no tool has.
#include <algorithm>
#include <set>

#include "turn/turn.h"

namespace sluice {

// Tools are hidden unless they are agentCallable: a diagnostic helps a developer who forgot that.
void Turn::warn_of_hidden_tools() {
  const auto &tools = setup_->registry().tools();
  const bool forgotten =
      !tools.empty() && std::none_of(tools.begin(), tools.end(), [](const auto &tool) { return tool.callable; });
  if (!setup_->parser && forgotten)
    log_.diagnostic("no_callable_tool",
                    (tools.size() == 1 ? "1 tool, and no model sees it"
                                       : std::to_string(tools.size()) + " tools, and no model sees one") +
                        std::string(": agentCallable is false by default"));
}

// Reports toggles and rules that name no tool, and so protect nothing. A remembered approval may outlive its tool.
void Turn::tell_unknown_names() {
  const std::vector<Tool> &tools = setup_->registry().tools();
  std::set<std::string_view> unknown;
  for (const auto &toggle : setup_->config.exposure.toggles) unknown.insert(toggle.first);
  for (const Tool &tool : tools)
    has_name(tool, [&](std::string_view name) {
      unknown.erase(name);
      return false;  // look at all of them
    });
  for (const std::string_view name : unknown)
    log_.diagnostic("unknown_toggle", "no tool is called \"" + std::string(name) + "\", so its toggle does nothing");
  for (const Rule &rule : setup_->config.rules)
    if (rule.definition.empty() &&
        std::none_of(tools.begin(), tools.end(), [&](const Tool &tool) { return names(rule, tool); }))
      log_.diagnostic("unknown_rule", "no tool is called \"" + rule.tool + "\", so its rule does nothing");
}

// What the server does not take of the tools, or may refuse.
void Turn::tell_unsent_tools() {
  if (setup_->parser || !setup_->config.exposure.enabled || setup_->text_mode() || setup_->observes()) return;
  for (const auto &[name, form] : setup_->changed_tools) {
    if (!form.unsendable.empty())
      log_.tool_diagnostic("tool_left_out", name, std::string(name) + ": " + form.unsendable);
    if (form.keeps_refs) log_.tool_diagnostic("schema_changed", name, std::string(name) + ": " + form.changes.back());
  }
  size_t count = setup_->offers.size();
  for (JsonSlices own(json_member(setup_->body, "tools").value_or("[]")); own.next();) ++count;
  if (const size_t most = setup_->dialect->tools.most_tools; most != 0 && count > most)
    log_.diagnostic("too_many_tools", std::to_string(count) + " tools; this server takes " + std::to_string(most));
}

void Turn::tell_unknown_model() {
  if (setup_->config.unknown_model.empty() || !setup_->text_mode()) return;
  log_.diagnostic("unknown_model", "no profile for \"" + setup_->config.unknown_model + "\": calls are written as " +
                                       std::string(kProtocolOfUnknownModels));
}

}  // namespace sluice
