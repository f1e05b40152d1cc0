// Chooses simdjson's implementation for this processor without reading the environment.
#pragma once

#include <simdjson.h>

namespace sluice {

// Chooses on the first call. Every user of simdjson must call it before anything else of the library.
const simdjson::implementation &simd();

}  // namespace sluice
