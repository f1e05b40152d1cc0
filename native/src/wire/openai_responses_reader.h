// Reads answers of OpenAI's Responses.
#pragma once

#include <memory>

#include "wire/wire.h"

namespace sluice {

std::unique_ptr<WireReader> read_openai_responses(WireSink &sink, const WireLimits &limits);

}  // namespace sluice
