// The calls of a round that are not settled, grouped by what they wait for. The gate finds the next call to look at
// without walking over settled calls, or over thousands that wait for the running one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "turn/card.h"

namespace sluice {

class OpenCards {
 public:
  using Calls = std::set<uint32_t>;  // numbers of calls, in order

  const Calls &all() const { return all_; }
  const Calls &running() const { return running_; }
  const Calls &asking() const { return asking_; }
  // Those that the tool of this call asked for.
  const Calls &nested_in(uint32_t caller) const { return of(nested_, caller); }

  void add(const Card &card) {
    all_.insert(card.call);
    if (card.is_nested()) nested_[card.caller].insert(card.call);
    place(card);
  }
  void moved(const Card &card) {
    const uint32_t call = card.call;
    if (running_.erase(call) != 0 && card.is_nested()) give_back(card);
    asking_.erase(call);
    place(card);
    if (!card.final()) return;
    all_.erase(call);
    if (card.is_nested()) remove(nested_, card);
    // With "questionOrder": "one_by_one" it is the next one's turn now.
    const Calls &next = card.is_nested() ? nested_in(card.caller) : all_;
    if (!next.empty()) mark_changed(*next.begin());
  }
  void clear() { *this = {}; }

  // The call changed: the gate has to look at it again.
  void mark_changed(uint32_t call) { changed_.insert(call); }
  // How many places are taken. A call that runs for another one has its caller's place, and further ones their own.
  size_t taken() const {
    size_t count = running_.size();
    for (const auto &[caller, calls] : lent_) count -= running_.contains(caller) ? 1 : 0;
    return count;
  }
  bool has_room(const Card &card, size_t most) const {
    return taken() < most || (card.is_nested() && running_.contains(card.caller) && !lent_.contains(card.caller));
  }
  // The next call after `call` that the gate has to look at; 0: none. `room`: another call may run, so that includes
  // calls that only wait for room.
  uint32_t next(uint32_t call, bool room) const {
    const auto changed = changed_.upper_bound(call), waiting = room ? waiting_.upper_bound(call) : waiting_.end();
    if (changed == changed_.end()) return waiting == waiting_.end() ? 0 : *waiting;
    return waiting == waiting_.end() ? *changed : std::min(*changed, *waiting);
  }
  // The gate looked at the call. `waits_for_room`: it is approved, and too many others run.
  void checked(const Card &card, bool waits_for_room) {
    changed_.erase(card.call);
    if (waits_for_room) {
      waiting_.insert(card.call);
      if (card.is_nested()) nested_waiting_[card.caller].insert(card.call);
    } else {
      waiting_.erase(card.call);
      if (card.is_nested()) remove(nested_waiting_, card);
    }
  }

 private:
  using Groups = std::map<uint32_t, Calls>;  // by caller

  static const Calls &of(const Groups &groups, uint32_t caller) {
    static const Calls kNone;
    const auto found = groups.find(caller);
    return found == groups.end() ? kNone : found->second;
  }
  static void remove(Groups &groups, const Card &card) {
    const auto found = groups.find(card.caller);
    if (found == groups.end()) return;
    found->second.erase(card.call);
    if (found->second.empty()) groups.erase(found);
  }
  // The call ran in its caller's place: the next one may have it.
  void give_back(const Card &card) {
    remove(lent_, card);
    const Calls &waiting = of(nested_waiting_, card.caller);
    if (!lent_.contains(card.caller) && !waiting.empty()) mark_changed(*waiting.begin());
  }
  void place(const Card &card) {
    const CardState state = card.state();
    if (state == CardState::executing) running_.insert(card.call);
    if (state == CardState::executing && card.is_nested()) lent_[card.caller].insert(card.call);
    if (asks_person(state)) asking_.insert(card.call);
    mark_changed(card.call);
  }

  Calls all_, running_, asking_;
  Calls changed_;          // changed since the gate looked at them
  Calls waiting_;          // approved: they wait for room only
  Groups nested_;          // by the call that asked for them
  Groups nested_waiting_;  // those of them that wait for room only
  Groups lent_;            // those of them that run
};

}  // namespace sluice
