// Tick, feed and many events in one call: for JavaScript, where crossing into the engine costs more than a piece of
// text. Made of sluice.h alone.
#pragma once

#include <sluice/sluice.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace sluice_step {

constexpr size_t kHead = 4;    // numbers in front of the records: how many, what waits, the deadline's two halves
constexpr size_t kRecord = 3;  // kind, index, length in UTF-16 units
constexpr size_t kKeptBytes = 1 << 16;  // of the buffers between two steps

inline uint32_t utf16_units(const char *text, size_t len) {
  uint32_t units = 0;
  for (const char *const end = text + len; text != end; ++text) {
    const auto byte = static_cast<unsigned char>(*text);
    units += static_cast<uint32_t>((byte & 0xC0) != 0x80) + static_cast<uint32_t>(byte >= 0xF0);
  }
  return units;
}

// The text of all pieces, and the other events as a JSON array; empty: none.
struct Buffers {
  std::string text, events;

  void reset() {
    for (std::string *const buffer : {&text, &events}) {
      buffer->clear();
      if (buffer->capacity() > kKeptBytes) buffer->shrink_to_fit();
    }
  }
};

struct Polled {
  uint32_t *records;
  size_t room;
  Buffers &into;
  size_t count = 0;
  int32_t waits = SLUICE_DELTA_NONE;

  // Polls while there is room, up to the first event by which the host acts.
  void drain(sluice_turn *turn) {
    while (count < room) {
      uint32_t index = 0;
      size_t len = 0;
      if (const char *const piece = sluice_turn_next_delta(turn, &waits, &index, &len)) {
        into.text.append(piece, len);
        add(index, utf16_units(piece, len));
        continue;
      }
      if (waits != SLUICE_DELTA_EVENT) return;
      const char *const event = sluice_turn_next_event(turn, &len);
      if (event == nullptr) return;
      into.events += into.events.empty() ? '[' : ',';
      into.events.append(event, len);
      add(0, 0);
    }
    waits = SLUICE_DELTA_EVENT;  // there may be more
  }

 private:
  void add(uint32_t index, uint32_t units) {
    uint32_t *const record = records + kRecord * count++;
    record[0] = static_cast<uint32_t>(waits);
    record[1] = index;
    record[2] = units;
  }
};

struct Bytes {
  const void *data;
  size_t len;
};

// Tick and feed; every event up to the first by which the host acts; and tick again, for the deadline. Without `now`:
// no tick; without `bytes`: no feed, and no tick before it; `size` below kHead: nothing is polled. Returns the return
// code of a tick or feed that failed, and polls nothing; else SLUICE_OK. `out` gets: the number of records; what waits,
// SLUICE_DELTA_*; the deadline, high and low half; the records: kind, index and length of a piece, or
// SLUICE_DELTA_EVENT for the next of the other events. What finds no room there waits.
inline int64_t step(sluice_turn *turn, std::optional<int64_t> now, std::optional<Bytes> bytes, uint32_t *out,
                    size_t size, Buffers &into) {
  if (bytes) {
    int64_t code = now ? sluice_turn_tick(turn, *now) : int64_t{SLUICE_OK};
    if (code >= 0) code = sluice_turn_feed(turn, bytes->data, bytes->len);
    if (code < 0) return code;
  }
  if (size < kHead) return SLUICE_OK;
  Polled polled{out + kHead, (size - kHead) / kRecord, into};
  polled.drain(turn);
  int64_t deadline = INT64_MAX;
  if (now && polled.waits == SLUICE_DELTA_NONE) {  // what was fed may have moved the deadline
    deadline = sluice_turn_tick(turn, *now);
    if (deadline < 0) deadline = INT64_MAX;
    polled.drain(turn);
  }
  if (!into.events.empty()) into.events += ']';
  out[0] = static_cast<uint32_t>(polled.count);
  out[1] = static_cast<uint32_t>(polled.waits);
  out[2] = static_cast<uint32_t>(deadline >> 32);
  out[3] = static_cast<uint32_t>(deadline);
  return SLUICE_OK;
}

}  // namespace sluice_step
