// What the WebAssembly build exports beside the functions of sluice.h: where JavaScript would pay for an int64_t with a BigInt.
#include <sluice/sluice.h>

#include <cstdint>
#include <limits>

extern "C" {

// sluice_turn_tick. INT64_MAX, "never", becomes Infinity: no double holds it exactly.
double sluice_wasm_tick(sluice_turn *turn, double now) {
  const int64_t next = sluice_turn_tick(turn, static_cast<int64_t>(now));
  return next == INT64_MAX ? std::numeric_limits<double>::infinity() : static_cast<double>(next);
}

}  // extern "C"
