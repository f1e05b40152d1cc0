// A model that writes its calls in another format than the one it was asked for: which one was it?
#pragma once

#include <string_view>

#include "protocol/protocol.h"

namespace sluice {

// The id of a protocol, none of `read`, as which `text` holds a call of a known tool; empty: none. Only the beginning
// of a long text is looked at.
std::string_view find_other_format(std::string_view text, const Protocols &read, const ToolView &tools,
                                   const ScanLimits &limits);

}  // namespace sluice
