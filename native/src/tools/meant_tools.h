// The tools as protocols ask for them: also by a name that rules take for that of a tool.
#pragma once

#include "tools/discovery.h"

namespace sluice {

class MeantTools final : public ToolView {
 public:
  // What is passed outlives it.
  MeantTools(const Registry &registry, const Exposure &exposure, const NameRules &rules)
      : registry_(registry), exposure_(exposure), rules_(rules) {}

  bool known(std::string_view tool) const override { return find(tool) != nullptr; }
  bool declares(std::string_view tool, std::string_view parameter) const override {
    return registry_.declares(own(tool), parameter);
  }
  std::string text_parameter(std::string_view tool) const override { return registry_.text_parameter(own(tool)); }
  std::string only_text(std::string_view tool) const override { return registry_.only_text(own(tool)); }
  List takes_list(std::string_view tool, std::string_view parameter) const override {
    return registry_.takes_list(own(tool), parameter);
  }
  std::string spelled(std::string_view tool, std::string_view parameter, std::string_view value) const override {
    return registry_.spelled(own(tool), parameter, value);
  }
  std::vector<std::string_view> names() const override { return registry_.names(); }

 private:
  const Tool *find(std::string_view asked) const {
    const Tool *const tool = registry_.find(asked);
    return tool != nullptr ? tool : find_loosely(registry_, exposure_, rules_, asked);
  }
  // The tool's own name; of a tool that there is not, the name as asked.
  std::string_view own(std::string_view asked) const {
    const Tool *const tool = find(asked);
    return tool != nullptr ? std::string_view(tool->name) : asked;
  }

  const Registry &registry_;
  const Exposure &exposure_;
  const NameRules &rules_;
};

}  // namespace sluice
