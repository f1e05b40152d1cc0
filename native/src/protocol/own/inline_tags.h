// The inline_tags protocol: a tag in the text is a call with one argument, [表情:开心].
#pragma once

#include "protocol/family/family.h"

namespace sluice {

struct TagRule {
  std::string open, close;
  std::string tool, argument;
};

// Without rules the tags are those of a Live2D pet: [表情:name] and [动作:group].
std::shared_ptr<const Protocol> make_inline_tags(std::vector<TagRule> rules, const ProtocolOptions &options);

}  // namespace sluice
