// Which tools a turn exposes to the model, and what a host is told about them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "tools/registry.h"

namespace sluice {

struct Exposure {  // of the configuration
  bool enabled = true;
  std::map<std::string, bool, std::less<>> toggles;  // by tool name, else by toolId
  bool default_enabled = true;
};

// Why a tool is hidden: "not_callable", "disabled"; empty: it is exposed.
std::string_view hidden_reason(const Tool &tool, const Exposure &exposure);

// Exposed tools, sorted by name; with `tag`, those that carry it.
std::vector<const Tool *> exposed_tools(const Registry &registry, const Exposure &exposure, std::string_view tag = {});

// The (at most) three exposed names nearest to one that was not found. `commands`: tools are told by their vcpCommand.
std::vector<std::string> nearest_names(const Registry &registry, const Exposure &exposure, std::string_view asked,
                                       bool commands = false);

// Rough number of tokens of a text: one per four bytes of ASCII, one per other code point.
size_t estimate_tokens(std::string_view text);

// What SLUICE_GET_TOOLS says about tools: "hash": ..., "tools": [ { name, wireName, exposed, reason, unchecked,
// estimatedTokens } ]
void list_tools(const Registry &registry, const Exposure &exposure, ObjectWriter &out);

}  // namespace sluice
