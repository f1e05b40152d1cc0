// The simdjson implementation for this processor, chosen without a look at the environment.
#pragma once

#include <simdjson.h>

namespace sluice {

// The first call chooses; every user of simdjson calls it before anything else of the library.
const simdjson::implementation &simd();

}  // namespace sluice
