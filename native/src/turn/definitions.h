// The definitions of tools as text, for models that write their calls as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "protocol/protocol.h"
#include "tools/discovery.h"

namespace sluice {

// What {{tools}} stands for: the exposed tools, those with `tag` where it is not empty. The first active protocol
// writes them; no other active protocol reads a call in them. Empty where nothing is exposed.
std::string render_tools(const Registry &registry, const Exposure &exposure, const Protocols &active,
                         std::string_view tag = {});

// Expands {{tools}} and {{tools::tag}}; anything else in braces stays. Sets `found` where there was one.
using RenderTools = std::function<std::string(std::string_view tag)>;
std::string expand_macros(std::string_view text, const RenderTools &render, bool &found);

}  // namespace sluice
