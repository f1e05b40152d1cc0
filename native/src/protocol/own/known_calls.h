// Calls of a protocol under names that somebody knows; a call of any other name is text.
#pragma once

#include <functional>

#include "protocol/block.h"

namespace sluice {

// Reads what `protocol` reads, but for a block none of whose calls has a name that `known` takes: this is no call.
std::shared_ptr<const Protocol> known_calls(std::shared_ptr<const Protocol> protocol,
                                            std::function<bool(std::string_view)> known);

}  // namespace sluice
