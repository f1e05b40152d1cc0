// The calls of a round that are not settled, by what they wait for. No step walks over those that are, and none over
// thousands that wait for the one that runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include "turn/card.h"

namespace sluice {

class OpenCards {
 public:
  using Calls = std::set<uint32_t>;  // in order

  const Calls &all() const { return all_; }
  const Calls &running() const { return running_; }
  const Calls &asking() const { return asking_; }

  void add(uint32_t call, CardState state) {
    all_.insert(call);
    place(call, state);
  }
  void moved(uint32_t call, CardState to) {
    running_.erase(call);
    asking_.erase(call);
    place(call, to);
    if (!is_final(to)) return;
    all_.erase(call);
    if (!all_.empty()) stir(*all_.begin());  // its turn may have come
  }
  void clear() { *this = {}; }

  // Something of it changed since the gate looked at it.
  void stir(uint32_t call) { stirred_.insert(call); }
  // The next one behind `call` that the gate has to look at; 0: none. `room`: one that only waits for room is one.
  uint32_t next(uint32_t call, bool room) const {
    const auto stirred = stirred_.upper_bound(call), waiting = room ? waiting_.upper_bound(call) : waiting_.end();
    if (stirred == stirred_.end()) return waiting == waiting_.end() ? 0 : *waiting;
    return waiting == waiting_.end() ? *stirred : std::min(*stirred, *waiting);
  }
  // The gate has looked at it.
  void looked_at(uint32_t call, bool waits_for_room) {
    stirred_.erase(call);
    if (waits_for_room)
      waiting_.insert(call);
    else
      waiting_.erase(call);
  }

 private:
  void place(uint32_t call, CardState state) {
    if (state == CardState::executing) running_.insert(call);
    if (state == CardState::awaiting_approval || state == CardState::awaiting_result_approval) asking_.insert(call);
    stir(call);
  }

  Calls all_, running_, asking_;
  Calls stirred_;
  Calls waiting_;  // approved, and for room only
};

}  // namespace sluice
