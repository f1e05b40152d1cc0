// The inline_tags protocol: a tag in the text is a call with one argument, [表情:开心].
#pragma once

#include "protocol/family/family.h"
#include "protocol/own/tag_rules.h"

namespace sluice {

// Without rules the tags are those of a Live2D pet.
std::shared_ptr<const Protocol> make_inline_tags(std::vector<TagRule> rules, const ProtocolOptions &options);

}  // namespace sluice
