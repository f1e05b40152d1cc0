// Reads an answer of Gemini: events that hold candidates, each with parts of the answer.
#pragma once

#include <memory>

#include "wire/wire.h"

namespace sluice {

std::unique_ptr<WireReader> read_gemini(WireSink &sink, const WireLimits &limits);

}  // namespace sluice
