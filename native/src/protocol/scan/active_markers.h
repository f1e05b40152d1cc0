// The markers of all active protocols, and what the scanner knows about each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/scan/markers.h"

namespace sluice {

class ActiveMarkers final : public Markers {
 public:
  static constexpr size_t kNobody = SIZE_MAX;

  // `active` outlives it.
  ActiveMarkers(const Protocols &active, const ToolView &tools, const ScanOptions &options);

  // Index of its protocol; kNobody: none.
  size_t owner(int marker) const { return uses_[static_cast<size_t>(marker)].owner; }
  bool is_opener(int marker) const { return kind(marker) == Kind::opener || kind(marker) == Kind::code_opener; }
  // As in Marker.
  bool common(int marker) const { return uses_[static_cast<size_t>(marker)].common; }
  bool first(int marker) const { return uses_[static_cast<size_t>(marker)].first; }
  bool fence(int marker) const { return uses_[static_cast<size_t>(marker)].fence; }
  // A marker with the same bytes ends a turn.
  bool ends_turn(int marker) const { return uses_[static_cast<size_t>(marker)].ends_turn; }
  // The end of a result that begins with this marker; empty: it has none.
  const std::string &result_end(int marker) const { return uses_[static_cast<size_t>(marker)].result_end; }
  // The marker of the next protocol that has the same bytes and may stand for the same; -1: none.
  int same(int marker) const { return uses_[static_cast<size_t>(marker)].same; }
  // A common opener is mostly none: where the byte behind it already tells, no reader is made.
  bool may_follow(int marker, char c) const {
    const std::string &next = uses_[static_cast<size_t>(marker)].next;
    return next.empty() || is_white(c) || next.find(c) != next.npos;
  }
  // `text` begins with this opener. May it still become a longer one that begins with the same bytes?
  bool may_grow(int marker, std::string_view text) const;
  // The shortest of the longer ones that the text begins with; -1: none.
  int grown(int marker, std::string_view text) const;
  bool any_may_follow(int marker) const { return uses_[static_cast<size_t>(marker)].next.empty(); }

  bool any_common() const { return any_common_; }
  bool any_first() const { return any_first_; }
  bool any_fence() const { return any_fence_; }

  // A marker is saved as its bytes and the id of its protocol: its number depends on the order of all of them.
  void save(int marker, std::string &out) const;
  // The first such marker of one of `kinds`; -1: none.
  int load(std::string_view saved, std::initializer_list<Kind> kinds) const;
  // The opener of a saved block. One that nobody looks for any more (its tool is gone) is added, and found in no text.
  int load_opener(std::string_view saved);
  // Index of the active protocol with this id; kNobody: none.
  size_t protocol(std::string_view id) const;

 private:
  struct Use {
    size_t owner = kNobody;
    bool common = false, first = false, fence = false, ends_turn = false;
    std::string next;  // Marker::next, and what may follow in a longer marker
    std::string result_end;
    int same = -1;
    std::vector<int> grown;  // longer openers that begin with its bytes, the shortest first
  };
  struct Saved {
    std::string bytes;
    size_t owner = kNobody;
  };
  int add(const Marker &marker, Kind kind, size_t owner = kNobody);
  bool read(std::string_view saved, Saved &out) const;
  int find(const Saved &saved, std::initializer_list<Kind> kinds) const;

  const Protocols &active_;
  std::vector<Use> uses_;  // by marker
  bool any_common_ = false, any_first_ = false, any_fence_ = false;
};

}  // namespace sluice
