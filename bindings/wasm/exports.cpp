// What the WebAssembly build exports beside the functions of sluice.h: what would cost JavaScript a BigInt for an
// int64_t, or many crossings.
#include <sluice/sluice.h>

#include <cstdint>
#include <limits>
#include <new>
#include <optional>

#include "../step.h"

namespace {

sluice_step::Buffers buffers;  // of the step that runs

}  // namespace

extern "C" {

// sluice_turn_tick. INT64_MAX, "never", becomes Infinity: no double holds it exactly.
double sluice_wasm_tick(sluice_turn *turn, double now) {
  const int64_t next = sluice_turn_tick(turn, static_cast<int64_t>(now));
  return next == INT64_MAX ? std::numeric_limits<double>::infinity() : static_cast<double>(next);
}

// sluice_step::step. `now` NaN: none; `bytes` NULL: none. sluice_wasm_given tells what it gave.
int32_t sluice_wasm_step(sluice_turn *turn, double now, const void *bytes, size_t len, uint32_t *out, size_t size) {
  buffers.reset();
  std::optional<int64_t> time;
  if (now == now) time = static_cast<int64_t>(now);
  std::optional<sluice_step::Bytes> data;
  if (bytes != nullptr) data = sluice_step::Bytes{bytes, len};
  try {
    return static_cast<int32_t>(sluice_step::step(turn, time, data, out, size, buffers));
  } catch (const std::bad_alloc &) {
    return SLUICE_E_MEMORY;
  }
}

// Of the last step: the text of all pieces (0), the other events as a JSON array (1).
const char *sluice_wasm_given(int32_t which, size_t *len) {
  const std::string &given = which == 0 ? buffers.text : buffers.events;
  *len = given.size();
  return given.data();
}

}  // extern "C"
