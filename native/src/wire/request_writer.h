// Writes the body of a request in OpenAI's shape: the host's own, byte for byte, except for the few members that the
// engine sets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "wire/wire.h"

namespace sluice {

// `name_path`: where a tool of the host's body has its name.
Status check_request(std::string_view body, const std::vector<ToolOffer> &tools,
                     std::string_view name_path = "function.name");
std::string write_request(const RequestParts &parts);

// Appends an array of tools: the host's own first, then these. `host`: the host's array, or empty.
void append_tools(std::string &out, std::string_view host, const std::vector<ToolOffer> &tools);

}  // namespace sluice
