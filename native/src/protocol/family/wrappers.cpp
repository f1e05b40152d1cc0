// Tags of other formats around the calls of a family, which models learned from their answers.
#include <algorithm>

#include "protocol/family/family.h"

namespace sluice {

// Of families whose calls begin with tags of their own; tags with bars or suffixes have readers of their own for that.
Wrappers wrappers_of(const Family &family) {
  Wrappers out;
  const auto *const attributes = std::get_if<AttributeElements>(&family.grammar);
  const bool elements = attributes != nullptr || std::holds_alternative<AssignedElements>(family.grammar) ||
                        std::holds_alternative<PairElements>(family.grammar);
  if (family.suffixed || family.bare || (attributes != nullptr && attributes->form.bars)) return out;
  if (!elements && !std::holds_alternative<JsonCalls>(family.grammar)) return out;
  const auto begins_tag = [](std::string_view word) { return word.starts_with('<') && !word.starts_with("<|"); };
  if (!std::any_of(family.openers.begin(), family.openers.end(), begins_tag)) return out;
  for (const Family &other : families())
    for (const std::string_view tag : other.sections) {
      const auto closes = [tag](std::string_view word) {
        return word.starts_with("</") && word.substr(2) == tag.substr(1);
      };
      const auto end = std::find_if(other.section_ends.begin(), other.section_ends.end(), closes);
      if (!begins_tag(tag) || end == other.section_ends.end() || holds(out.begin, tag)) continue;
      if (holds(family.sections, tag) || holds(family.openers, tag) || holds(family.dropped, tag)) continue;
      out.begin.push_back(tag);
      out.end.push_back(*end);
    }
  return out;
}

}  // namespace sluice
