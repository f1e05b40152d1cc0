#include "protocol/scan/reasoning.h"

#include <algorithm>

#include "protocol/scan/saved_machine.h"

namespace sluice {

Reasoning::Reasoning(const ScanRules &rules, bool on) : on_(on) {
  if (on) closer_ = Closer::owed;
  if (!rules.inside_reasoning && !rules.calls_in_reasoning && !rules.active.empty())
    thoughts_ = std::make_unique<ThoughtCalls>(rules.active, rules.tools, rules.limits);
}

void Reasoning::begin_tag(const ScanRules &rules, int marker, Offset at) {
  tag_.start(rules.markers.kind(marker) == Markers::Kind::think_end);
  tag_marker_ = marker;
  tag_at_ = at;
  tag_read_ = at + rules.markers.length(marker);
}

Reasoning::Tag Reasoning::read_tag(const ScanRules &rules, const KeptText &kept, bool ended) {
  TagReader::State state = TagReader::State::open;
  const Offset most = tag_at_ + ScanRules::kProse;
  while (state == TagReader::State::open && tag_read_ < kept.end() && tag_read_ < most)
    state = tag_.step(kept[tag_read_++]);
  if (state == TagReader::State::open)
    return tag_read_ == kept.end() && tag_read_ < most && !ended ? Tag::more : Tag::none;
  if (state == TagReader::State::none) return Tag::none;
  return rules.markers.kind(tag_marker_) == Markers::Kind::think_end ? Tag::closes : Tag::opens;
}

void Reasoning::save(std::string &out, const ScanRules &rules, bool in_tag) const {
  ObjectWriter object(out);
  each_field(*this, SaveFields{object});
  if (thoughts_ && (on_ || thoughts_->any())) thoughts_->save(object.value("thoughts"));
  if (in_tag) {
    rules.markers.save(tag_marker_, object.value("tag"));
    object.number("tagAt", static_cast<int64_t>(tag_at_)).number("tagRead", static_cast<int64_t>(tag_read_));
  }
  object.close();
}

bool Reasoning::load(std::string_view saved, const ScanRules &rules, const KeptText &kept, bool in_tag) {
  const SavedReader reader(saved);
  each_field(*this, LoadFields{reader});
  closer_ = std::min(closer_, Closer::text);
  if (const std::string_view thoughts = reader.nested("thoughts"); thoughts_ && (on_ || !thoughts.empty()))
    thoughts_->load(thoughts);
  if (!in_tag) return false;
  Offset at = kNowhere, read = kNowhere;
  reader.get("tagAt", at);
  reader.get("tagRead", read);
  const int marker = rules.markers.load(reader.nested("tag"), {Markers::Kind::think, Markers::Kind::think_end});
  if (marker < 0 || !kept.holds(at) || !kept.holds(read)) return false;
  begin_tag(rules, marker, at);
  tag_read_ = std::min(tag_read_, kept.end());
  while (tag_read_ < read) tag_.step(kept[tag_read_++]);
  return true;
}

}  // namespace sluice
