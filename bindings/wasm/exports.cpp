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

struct Given {
  const char *text;
  size_t text_len;
  const char *events;
  size_t events_len;
};

}  // namespace

extern "C" {

// sluice_turn_tick. INT64_MAX, "never", becomes Infinity: no double holds it exactly.
double sluice_wasm_tick(sluice_turn *turn, double now) {
  const int64_t next = sluice_turn_tick(turn, static_cast<int64_t>(now));
  return next == INT64_MAX ? std::numeric_limits<double>::infinity() : static_cast<double>(next);
}

// sluice_step::step. `now` NaN: none; `bytes` NULL: none. `given` gets where the text of all pieces stands, its length,
// and the same of the other events; they stay until the next step.
int32_t sluice_wasm_step(sluice_turn *turn, double now, const void *bytes, size_t len, uint32_t *out, size_t size,
                         Given *given) {
  buffers.reset();
  std::optional<int64_t> time;
  if (now == now) time = static_cast<int64_t>(now);
  std::optional<sluice_step::Bytes> data;
  if (bytes != nullptr) data = sluice_step::Bytes{bytes, len};
  try {
    const auto code = static_cast<int32_t>(sluice_step::step(turn, time, data, out, size, buffers));
    *given = {buffers.text.data(), buffers.text.size(), buffers.events.data(), buffers.events.size()};
    return code;
  } catch (const std::bad_alloc &) {
    return SLUICE_E_MEMORY;
  }
}

}  // extern "C"
