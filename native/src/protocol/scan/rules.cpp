#include "protocol/scan/rules.h"

namespace sluice {

ScanRules::ScanRules(const Protocols &protocols, const ToolView &tool_view, const ScanLimits &scan_limits,
                     const ScanOptions &options)
    : active(protocols),
      tools(tool_view),
      limits(scan_limits),
      markers(active, tools, options),
      calls_in_reasoning(options.calls_in_reasoning),
      inside_reasoning(options.inside_reasoning),
      any_whole(markers.any_fence()) {
  for (size_t i = 0; i < active.size(); ++i) {
    any_whole = any_whole || active[i]->code() == CodeMode::whole;
    any_reads_reasoning = any_reads_reasoning || reads_reasoning(i);
    thinks = thinks || (!inside_reasoning && active[i]->thinks());
  }
  lone_closer_is_text = thinks || options.lone_closer_is_text;
  markers.add_first_bytes(interesting);
  plain_quotes = markers.any_common() && markers.step(0, '"') == 0 && markers.step(0, '\'') == 0;
  for (const char c : {'`', '\n', '\r'}) interesting.add(c);
  if (markers.any_common())
    for (const char c : {'"', '\''}) interesting.add(c);
}

bool ScanRules::belongs_to(int marker, size_t protocol) const {
  while (marker >= 0 && markers.owner(marker) != protocol) marker = markers.same(marker);
  return marker >= 0;
}

bool ScanRules::holds_opener(std::string_view text, bool certain) {
  Markers::State state = 0;
  for (const char c : text) {
    state = markers.step(state, c);
    const int marker = markers.complete(state);
    if (marker >= 0 && markers.is_opener(marker) && !(certain && markers.common(marker))) return true;
  }
  return false;
}

}  // namespace sluice
