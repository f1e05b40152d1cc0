// A text of a host with places in it, which values fill: {name}.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sluice {

class Template {
 public:
  // `places`: what may stand in braces; static. A brace that no lower-case word follows stands for itself.
  static Status read(std::string_view value, const std::vector<std::string_view> &places, Template &out);

  bool given() const { return !parts_.empty(); }
  bool has(std::string_view place) const;
  // What stands before the first place, and behind the last one. Both are all of a text without places.
  std::string_view head() const { return parts_.empty() ? std::string_view() : parts_.front().text; }
  std::string_view tail() const { return parts_.empty() ? std::string_view() : parts_.back().text; }

  // Appends the text. `value`: what a place stands for. Blanks stand around all values if `defuse` would change the
  // whole text where it leaves the parts alone.
  using Value = std::function<std::string(std::string_view place)>;
  using Change = std::function<void(std::string &text)>;
  void write(const Value &value, std::string &out, const Change &defuse = {}) const;

 private:
  struct Part {
    std::string text;
    std::string_view place = {};  // behind the text; only the last part has none
  };
  std::vector<Part> parts_;
};

}  // namespace sluice
