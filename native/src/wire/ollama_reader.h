// Reads an answer of Ollama: JSON lines, each with a piece of the message.
#pragma once

#include <memory>

#include "wire/wire.h"

namespace sluice {

std::unique_ptr<WireReader> read_ollama(WireSink &sink, const WireLimits &limits);

}  // namespace sluice
