// The json_strict protocol.
#pragma once

#include "protocol/family/family.h"

namespace sluice {

std::shared_ptr<const Protocol> make_json_strict(const ProtocolOptions &options);

}  // namespace sluice
