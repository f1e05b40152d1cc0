// What a scanner is set up with. Nothing of it changes, but that the markers learn states, and openers of a saved
// block.
#pragma once

#include "protocol/protocol.h"
#include "protocol/scan/active_markers.h"

namespace sluice {

struct ScanRules {
  // An opener whose first field does not come within so many bytes was prose. A candidate up to this length is scanned
  // again behind its opener, a longer one is not: so every byte is looked at a bounded number of times.
  static constexpr size_t kProse = 1024;

  ScanRules(const Protocols &protocols, const ToolView &tool_view, const ScanLimits &scan_limits,
            const ScanOptions &options);

  const Protocol &protocol_of(int marker) const { return *active[markers.owner(marker)]; }
  // Is it a marker of this protocol, or has one the same bytes?
  bool belongs_to(int marker, size_t protocol) const;
  // The protocol's blocks are read in reasoning: calls, or headers that may end it.
  bool reads_reasoning(size_t protocol) const {
    return calls_in_reasoning || (!inside_reasoning && active[protocol]->has_channels());
  }
  // Does the text hold an opener of any protocol? `certain`: one that ordinary text does not hold.
  bool holds_opener(std::string_view text, bool certain = false);

  const Protocols active;
  const ToolView &tools;
  const ScanLimits limits;
  ActiveMarkers markers;
  ByteFinder interesting;  // bytes that may mean something in the words of a line
  const bool calls_in_reasoning;
  const bool inside_reasoning;
  bool thinks = false;  // the models of an active protocol open reasoning in mid-line, too
  bool lone_closer_is_text = false;
  bool any_whole = false;            // a fence may be a call
  bool plain_quotes = false;         // no marker begins with a quote: a quote only opens and closes strings
  bool any_reads_reasoning = false;  // reads_reasoning() of one of them
};

}  // namespace sluice
