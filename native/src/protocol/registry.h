// What the list of protocols shares with the protocols that a host declares: how options are read.
#pragma once

#include "protocol/family/family.h"
#include "protocol/own/vcp.h"

namespace sluice {

// The options that stand beside a protocol's id. `id`: for errors.
Status read_own_options(std::string_view id, std::string_view config, ProtocolOptions &out);
Status read_vcp_options(std::string_view id, std::string_view config, VcpOptions &out);

}  // namespace sluice
