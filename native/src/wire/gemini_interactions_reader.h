// Reads an answer of Gemini's Interactions API: events of steps, or the whole interaction.
#pragma once

#include <memory>

#include "wire/wire.h"

namespace sluice {

std::unique_ptr<WireReader> read_gemini_interactions(WireSink &sink, const WireLimits &limits);

}  // namespace sluice
