#include "protocol/scan/skip.h"

#include "protocol/scan/saved_machine.h"

namespace sluice {

void Skip::begin(const Protocol &protocol, const ToolView &tools) {
  markers_ = Markers();
  match_ = 0;
  for (const Marker &closer : protocol.closers(tools)) markers_.add(closer, Markers::Kind::think_end);
  for (const Marker &opener : protocol.openers(tools))
    if (!opener.common) markers_.add(opener, Markers::Kind::opener);  // a bracket belongs to the block
}

Skip::Read Skip::read(const KeptText &kept, Offset at) {
  while (at < kept.end()) {
    match_ = markers_.step(match_, kept[at++]);
    const int marker = markers_.complete(match_);
    if (marker < 0) continue;
    if (markers_.kind(marker) == Markers::Kind::opener) at -= markers_.length(marker);
    return {true, at, at};
  }
  return {false, at, at - markers_.alive(match_, Markers::Kind::opener)};
}

void Skip::save(std::string &out) const { save_match(markers_, match_, out); }

void Skip::load(std::string_view saved) { match_ = load_match(markers_, saved); }

}  // namespace sluice
