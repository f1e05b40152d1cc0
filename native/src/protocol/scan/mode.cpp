#include "protocol/scan/mode.h"

#include <algorithm>
#include <array>

#include "base/state_table.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 6> kModes = {"text", "tag", "block", "tail", "skip", "ends"};
constexpr std::array<std::string_view, 9> kScanTriggers = {"tag",  "opener", "outgrow",   "read",   "hold",
                                                           "wait", "close",  "interrupt", "restart"};
constexpr Transitions<ScanMode, ScanTrigger, kModes.size(), kScanTriggers.size()> kNextModes(kScanSteps);

}  // namespace

std::string_view to_text(ScanMode mode) { return kModes[static_cast<size_t>(mode)]; }
std::string_view to_text(ScanTrigger trigger) { return kScanTriggers[static_cast<size_t>(trigger)]; }

std::optional<ScanMode> mode_of(std::string_view text) {
  const auto found = std::find(kModes.begin(), kModes.end(), text);
  if (found == kModes.end()) return std::nullopt;
  return static_cast<ScanMode>(found - kModes.begin());
}

std::optional<ScanMode> next_mode(ScanMode mode, ScanTrigger trigger) { return kNextModes(mode, trigger); }

std::string mode_diagram() {
  return draw_table(
      kScanSteps, [](ScanMode mode) { return to_text(mode); }, [](ScanTrigger trigger) { return to_text(trigger); });
}

}  // namespace sluice
