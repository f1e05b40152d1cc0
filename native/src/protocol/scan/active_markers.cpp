#include "protocol/scan/active_markers.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/saved.h"
#include "protocol/marker_text.h"

namespace sluice {

ActiveMarkers::ActiveMarkers(const Protocols &active, const ToolView &tools, const ScanOptions &options)
    : active_(active) {
  // Not forged where a server writes the results.
  const auto begins_opener = [this](std::string_view text) {
    for (size_t i = 0; i < uses_.size(); ++i)
      if (kind(static_cast<int>(i)) == Kind::opener && bytes(static_cast<int>(i)).starts_with(text)) return true;
    return false;
  };
  const auto add_all = [this](const std::vector<Marker> &markers, Kind kind, size_t owner) {
    for (const Marker &marker : markers) add(marker, kind, owner);
  };
  for (const Kind kind : {Kind::code_opener, Kind::opener})  // protocols that read code as well come first
    for (size_t i = 0; i < active.size(); ++i)
      if ((active[i]->code() == CodeMode::parse) == (kind == Kind::code_opener))
        add_all(active[i]->openers(tools), kind, i);
  for (size_t i = 0; i < uses_.size(); ++i)
    if (!uses_[i].next.empty()) uses_[i].next += longer(static_cast<int>(i));
  // Before trailers: a marker that is both ends reasoning wherever it stands.
  for (size_t i = 0; i < active.size() && !options.inside_reasoning; ++i)
    add_all(active[i]->reasoning_closers(), Kind::reasoning_end, i);
  for (size_t i = 0; i < active.size(); ++i) add_all(active[i]->trailers(), Kind::trailer, i);
  for (size_t i = 0; i < active.size(); ++i) add_all(active[i]->turn_ends(), Kind::turn_end, i);
  add_all(options.turn_ends, Kind::turn_end, kNobody);
  if (!options.inside_reasoning) {
    add({.bytes = "<think", .fold = true}, Kind::think);
    add({.bytes = "</think", .fold = true}, Kind::think_end);
  }
  if (!active.empty() && !options.inside_reasoning)
    for (const std::string_view forged : kForgedResults)
      if (!begins_opener(forged)) add({.bytes = std::string(forged)}, Kind::forged);
  for (size_t i = 0; i < active.size(); ++i)
    for (const Marker &marker : active[i]->result_markers()) {
      add(marker, marker.end.empty() ? Kind::forged : Kind::result, i);
      if (!marker.end.empty()) add({.bytes = marker.end}, Kind::result_end, i);
    }
  const std::vector<int> same = same_bytes();
  const std::vector<bool> ends = like(Kind::turn_end);
  for (size_t i = 0; i < uses_.size(); ++i) {
    uses_[i].same = same[i];
    uses_[i].ends_turn = ends[i];
  }
  std::vector<int> openers;
  for (int i = 0; i < static_cast<int>(uses_.size()); ++i)
    if (is_opener(i)) openers.push_back(i);
  std::stable_sort(openers.begin(), openers.end(), [this](int a, int b) { return length(a) < length(b); });
  for (const int opener : openers)
    for (const int other : openers)
      if (length(other) > length(opener) && bytes(other).starts_with(bytes(opener)))
        uses_[static_cast<size_t>(opener)].grown.push_back(other);
}

bool ActiveMarkers::may_grow(int marker, std::string_view text) const {
  const std::vector<int> &grown = uses_[static_cast<size_t>(marker)].grown;
  return !grown.empty() && text.size() < length(grown.back()) && std::any_of(grown.begin(), grown.end(), [&](int one) {
    return text.size() < length(one) && bytes(one).starts_with(text);
  });
}

int ActiveMarkers::grown(int marker, std::string_view text) const {
  for (const int one : uses_[static_cast<size_t>(marker)].grown)
    if (text.starts_with(bytes(one))) return one;
  return -1;
}

int ActiveMarkers::add(const Marker &marker, Kind kind, size_t owner) {
  uses_.push_back({.owner = owner,
                   .common = marker.common,
                   .first = marker.first,
                   .fence = marker.fence,
                   .next = marker.next,
                   .result_end = marker.end,
                   .grown = {}});
  any_common_ = any_common_ || marker.common;
  any_first_ = any_first_ || marker.first;
  any_fence_ = any_fence_ || marker.fence;
  return Markers::add(marker, kind, kind == Kind::trailer || marker.first);
}

// ---- saved ----

void ActiveMarkers::save(int marker, std::string &out) const {
  ObjectWriter object(out);
  append_saved_bytes(object.value("marker"), bytes(marker));
  if (owner(marker) != kNobody) object.text("protocol", active_[owner(marker)]->id());
  object.close();
}

bool ActiveMarkers::read(std::string_view saved, Saved &out) const {
  if (saved.empty()) return false;
  const SavedReader reader(saved);
  std::string id;
  reader.get("marker", out.bytes);
  reader.text("protocol", id);
  if (!id.empty()) out.owner = protocol(id);
  return !out.bytes.empty() && (id.empty() || out.owner != kNobody);
}

int ActiveMarkers::find(const Saved &saved, std::initializer_list<Kind> kinds) const {
  for (size_t i = 0; i < uses_.size(); ++i) {
    const int marker = static_cast<int>(i);
    if (uses_[i].owner == saved.owner && bytes(marker) == saved.bytes &&
        std::find(kinds.begin(), kinds.end(), kind(marker)) != kinds.end())
      return marker;
  }
  return -1;
}

int ActiveMarkers::load(std::string_view saved, std::initializer_list<Kind> kinds) const {
  Saved one;
  return read(saved, one) ? find(one, kinds) : -1;
}

int ActiveMarkers::load_opener(std::string_view saved) {
  Saved one;
  if (!read(saved, one) || one.owner == kNobody) return -1;
  const int known = find(one, {Kind::opener, Kind::code_opener});
  if (known >= 0) return known;
  const bool code = active_[one.owner]->code() == CodeMode::parse;
  uses_.emplace_back().owner = one.owner;
  return add_unsearched({.bytes = one.bytes}, code ? Kind::code_opener : Kind::opener);
}

size_t ActiveMarkers::protocol(std::string_view id) const {
  const auto found = std::find_if(active_.begin(), active_.end(), [id](const auto &one) { return one->id() == id; });
  return found == active_.end() ? kNobody : static_cast<size_t>(found - active_.begin());
}

}  // namespace sluice
