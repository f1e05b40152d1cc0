// The calls of a round that are not settled, grouped by what they wait for. The gate finds the next call to look at
// without walking over settled calls, or over thousands that wait for the running one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include "turn/card.h"

namespace sluice {

class OpenCards {
 public:
  using Calls = std::set<uint32_t>;  // numbers of calls, in order

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
    if (!all_.empty())
      mark_changed(*all_.begin());  // with "questionOrder": "one_by_one" it is the first one's turn now
  }
  void clear() { *this = {}; }

  // The call changed: the gate has to look at it again.
  void mark_changed(uint32_t call) { changed_.insert(call); }
  // The next call after `call` that the gate has to look at; 0: none. `room`: another call may run, so that includes
  // calls that only wait for room.
  uint32_t next(uint32_t call, bool room) const {
    const auto changed = changed_.upper_bound(call), waiting = room ? waiting_.upper_bound(call) : waiting_.end();
    if (changed == changed_.end()) return waiting == waiting_.end() ? 0 : *waiting;
    return waiting == waiting_.end() ? *changed : std::min(*changed, *waiting);
  }
  // The gate looked at the call. `waits_for_room`: it is approved, and too many others run.
  void checked(uint32_t call, bool waits_for_room) {
    changed_.erase(call);
    if (waits_for_room)
      waiting_.insert(call);
    else
      waiting_.erase(call);
  }

 private:
  void place(uint32_t call, CardState state) {
    if (state == CardState::executing) running_.insert(call);
    if (state == CardState::awaiting_approval || state == CardState::awaiting_result_approval) asking_.insert(call);
    mark_changed(call);
  }

  Calls all_, running_, asking_;
  Calls changed_;  // changed since the gate looked at them
  Calls waiting_;  // approved: they wait for room only
};

}  // namespace sluice
