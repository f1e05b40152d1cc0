// Finds any of a set of markers in a stream, and always knows how much of the end may still become one.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/sort.h"
#include "protocol/block.h"
#include "protocol/byte_finder.h"

namespace sluice {

// A deterministic automaton whose states are made when they are first needed: a state is the set of (marker, bytes
// matched) that the text so far ends in.
class Markers {
 public:
  enum class Kind : uint8_t {
    opener,
    code_opener,  // an opener that counts in code as well
    think,
    think_end,
    reasoning_end,  // ends reasoning as </think> does, and has no bracket to wait for
    trailer,
    turn_end,  // a trailer, too
    forged,    // begins a made-up result
    result,    // the same, and result_end ends it
    result_end,
  };
  static constexpr size_t kKinds = 10;
  using State = int;

  Markers() { states_.emplace_back(); }

  // Returns its number. Where several markers end at the same byte, the longest counts, then the first. `placed`: it
  // stands only where every byte is stepped, so that nobody need search for it.
  int add(const Marker &marker, Kind kind, bool placed = false) {
    markers_.push_back({.bytes = marker.bytes, .fold = marker.fold, .kind = kind, .placed = placed});
    return static_cast<int>(markers_.size()) - 1;
  }
  // Adds a marker that is found in no text.
  int add_unsearched(const Marker &marker, Kind kind) {
    markers_.push_back({.bytes = marker.bytes, .fold = marker.fold, .kind = kind, .placed = true, .searched = false});
    return static_cast<int>(markers_.size()) - 1;
  }

  void add_first_bytes(ByteFinder &finder) const {
    for (const Entry &entry : markers_) {
      if (entry.placed) continue;
      finder.add(entry.bytes[0]);
      if (entry.fold) {
        finder.add(lower(entry.bytes[0]));
        finder.add(upper(entry.bytes[0]));
      }
    }
  }

  State step(State state, char c) {
    const int next = states_[static_cast<size_t>(state)].next[static_cast<unsigned char>(c)];
    return next >= 0 ? next : make(state, c);
  }

  // Returns how many of the last bytes may become a marker of this kind.
  size_t alive(State state, Kind kind) const {
    return states_[static_cast<size_t>(state)].alive[static_cast<size_t>(kind)];
  }
  // The marker that ends here; -1: none.
  int complete(State state) const { return states_[static_cast<size_t>(state)].complete; }
  Kind kind(int marker) const { return markers_[static_cast<size_t>(marker)].kind; }
  // For each marker the next one that has the same bytes and may stand for the same; -1: none.
  std::vector<int> same_bytes() const {
    std::vector<int> out(markers_.size(), -1);
    std::map<std::tuple<std::string_view, bool, Kind>, int> last;
    for (size_t i = markers_.size(); i-- != 0;) {
      const Entry &entry = markers_[i];
      const Kind kind = entry.kind == Kind::code_opener ? Kind::opener : entry.kind;
      const auto [known, is_new] = last.try_emplace({entry.bytes, entry.fold, kind}, static_cast<int>(i));
      if (is_new) continue;
      out[i] = known->second;
      known->second = static_cast<int>(i);
    }
    return out;
  }
  // For each marker: whether one of this kind has the same bytes.
  std::vector<bool> like(Kind kind) const {
    std::set<std::string_view> known;
    for (const Entry &entry : markers_)
      if (entry.kind == kind) known.insert(entry.bytes);
    std::vector<bool> out;
    for (const Entry &entry : markers_) out.push_back(known.contains(entry.bytes));
    return out;
  }
  // The bytes that may follow it in longer markers.
  std::string longer(int marker) const {
    const std::string &bytes = markers_[static_cast<size_t>(marker)].bytes;
    std::string out;
    for (const Entry &entry : markers_)
      if (entry.bytes.size() > bytes.size() && entry.bytes.starts_with(bytes)) out += entry.bytes[bytes.size()];
    return out;
  }
  std::string_view bytes(int marker) const { return markers_[static_cast<size_t>(marker)].bytes; }
  size_t length(int marker) const { return markers_[static_cast<size_t>(marker)].bytes.size(); }
  // The length of the marker of this kind that the text begins with; 0: none, npos: more of the text would tell.
  size_t begins(std::string_view text, Kind kind) const {
    size_t out = 0;
    for (const Entry &entry : markers_) {
      if (entry.kind != kind) continue;
      if (text.starts_with(entry.bytes)) return entry.bytes.size();
      if (entry.bytes.starts_with(text)) out = text.npos;
    }
    return out;
  }

  // The state behind a marker that did not count: longer markers may begin with it.
  State behind(int marker) {
    behind_.resize(markers_.size(), -1);
    State &known = behind_[static_cast<size_t>(marker)];
    if (known < 0) known = find_behind(marker);
    return known;
  }

  // What a state stands for: the beginnings of markers that the text ends in.
  struct Prefix {
    std::string bytes;
    bool fold;
    bool operator==(const Prefix &) const = default;
  };
  std::vector<Prefix> prefixes(State state) const {
    std::vector<Prefix> out;
    for (const auto &[marker, matched] : states_[static_cast<size_t>(state)].parts) {
      const Entry &entry = markers_[marker];
      Prefix one{entry.bytes.substr(0, matched), entry.fold};
      if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
    }
    return out;
  }
  // The state that stands for them, whatever markers there were when they were saved.
  State state_with(const std::vector<Prefix> &prefixes) {
    Parts parts;
    for (const Prefix &prefix : prefixes)
      for (size_t i = 0; i < markers_.size() && !prefix.bytes.empty(); ++i)
        if (const Entry &entry = markers_[i];
            entry.searched && entry.fold == prefix.fold && entry.bytes.starts_with(prefix.bytes))
          parts.emplace_back(static_cast<uint32_t>(i), static_cast<uint32_t>(prefix.bytes.size()));
    const auto order = [](const auto &a, const auto &b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    };
    sort_all(parts, order);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return state_of(std::move(parts));
  }

 private:
  struct Entry {
    std::string bytes;
    bool fold;
    Kind kind;
    bool placed;
    bool searched = true;
  };
  // (marker, bytes of it matched), the most bytes first, then by marker
  using Parts = std::vector<std::pair<uint32_t, uint32_t>>;
  struct Node {
    Node() { next.fill(-1); }
    std::array<int32_t, 256> next;
    std::array<uint32_t, kKinds> alive{};
    int complete = -1;
    Parts parts;
  };

  State find_behind(int marker) {
    const Entry &entry = markers_[static_cast<size_t>(marker)];
    Parts parts;
    for (size_t i = 0; i < markers_.size(); ++i)
      if (markers_[i].searched && markers_[i].bytes.size() > entry.bytes.size() &&
          markers_[i].bytes.starts_with(entry.bytes))
        parts.emplace_back(static_cast<uint32_t>(i), static_cast<uint32_t>(entry.bytes.size()));
    return state_of(std::move(parts));
  }

  static bool fits(const Entry &entry, size_t at, char c) {
    return entry.fold ? lower(entry.bytes[at]) == lower(c) : entry.bytes[at] == c;
  }

  State make(State from, char c) {
    Parts parts;
    for (const auto &[marker, matched] : states_[static_cast<size_t>(from)].parts)
      if (matched < markers_[marker].bytes.size() && fits(markers_[marker], matched, c))
        parts.emplace_back(marker, static_cast<uint32_t>(matched + 1));
    for (size_t i = 0; i < markers_.size(); ++i)
      if (markers_[i].searched && fits(markers_[i], 0, c)) parts.emplace_back(static_cast<uint32_t>(i), uint32_t{1});
    const State to = state_of(std::move(parts));
    states_[static_cast<size_t>(from)].next[static_cast<unsigned char>(c)] = static_cast<int32_t>(to);
    return to;
  }

  State state_of(Parts parts) {
    if (parts.empty()) return 0;
    const auto [known, is_new] = numbers_.try_emplace(parts, static_cast<int>(states_.size()));
    if (!is_new) return known->second;
    Node &node = states_.emplace_back();
    size_t longest = 0;
    for (const auto &[marker, matched] : parts) {
      const Entry &entry = markers_[marker];
      if (matched < entry.bytes.size()) {
        uint32_t &alive = node.alive[static_cast<size_t>(entry.kind)];
        alive = std::max(alive, matched);
      } else if (matched > longest) {
        longest = matched;
        node.complete = marker;
      }
    }
    node.parts = std::move(parts);
    return known->second;
  }

  // -- set once
  std::vector<Entry> markers_;
  // -- made when needed
  std::vector<Node> states_;
  std::map<Parts, int> numbers_;
  std::vector<State> behind_;
};

}  // namespace sluice
