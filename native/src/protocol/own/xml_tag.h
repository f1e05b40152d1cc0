// The xml_tag protocol.
#pragma once

#include "protocol/family/family.h"

namespace sluice {

std::shared_ptr<const Protocol> make_xml_tag(const ProtocolOptions &options);

}  // namespace sluice
