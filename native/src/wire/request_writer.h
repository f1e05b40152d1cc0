// The body of a request in OpenAI's shape: the host's, byte for byte, but for the few members the engine answers for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "wire/wire.h"

namespace sluice {

Status check_request(std::string_view body, const std::vector<ToolOffer> &tools);
std::string write_request(const RequestParts &parts);

// The array of these behind those of `host`: the host's own array, or empty.
void append_tools(std::string &out, std::string_view host, const std::vector<ToolOffer> &tools);

}  // namespace sluice
