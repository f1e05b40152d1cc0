// Reads an answer of Anthropic: blocks, each with a start, deltas and a stop.
#pragma once

#include <memory>

#include "wire/wire.h"

namespace sluice {

std::unique_ptr<WireReader> read_anthropic(WireSink &sink, const WireLimits &limits);

}  // namespace sluice
