// The part of YAML that models write arguments in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/protocol.h"

namespace sluice {

enum class YamlFault : uint8_t { none, malformed, duplicate };

// Reads a mapping as a JSON object: block mappings and lists by indentation, flow collections, plain, quoted, literal
// and folded scalars, comments. Anything else (anchors, tags, …) is malformed: nothing is guessed. A plain scalar gets
// its YAML type; if `tool` declares its member, it stays a string, and the tool's schema decides the type of `7`.
// `text`: UTF-8.
YamlFault json_from_yaml(std::string_view text, size_t depth, const ToolView &tools, std::string_view tool,
                         std::string &out);

}  // namespace sluice
