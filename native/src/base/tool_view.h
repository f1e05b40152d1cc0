// What a protocol may ask about the tools while it reads calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class ToolView {
 public:
  virtual ~ToolView() = default;
  virtual bool known(std::string_view tool) const = 0;
  virtual bool declares(std::string_view tool, std::string_view parameter) const = 0;
  // The tool's only required parameter, or its only parameter, where that takes text. Empty: there is none, or more.
  virtual std::string text_parameter(std::string_view tool) const = 0;
  // The tool's only required parameter that is a string, or else its only one at all. Empty: there is none, or more.
  virtual std::string only_text(std::string_view tool) const { return text_parameter(tool); }
  // Does the tool's schema take a list for the parameter? `only`: nothing else; `of_texts`: only a list of strings.
  enum class List : uint8_t { no, maybe, only, of_texts };
  virtual List takes_list(std::string_view tool, std::string_view parameter) const = 0;
  // A value as the enum of a parameter spells it, where it differs from one of the enum's values in the case of ASCII
  // letters only; else as it is.
  virtual std::string spelled(std::string_view, std::string_view, std::string_view value) const {
    return std::string(value);
  }
  // The names of all tools, sorted. Empty: the host registered none, so any name may be a tool's.
  virtual std::vector<std::string_view> names() const = 0;
};

}  // namespace sluice
