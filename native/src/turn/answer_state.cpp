#include "turn/answer_state.h"

#include <array>

#include "base/state_table.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 8> kAnswerStates = {"waiting", "responded", "streaming", "ended",
                                                           "cut_off", "ended_cut", "finishing", "closed"};
constexpr std::array<std::string_view, 6> kAnswerTriggers = {"respond", "receive", "end", "cut", "finish", "close"};
constexpr Transitions<AnswerState, AnswerTrigger, kAnswerStates.size(), kAnswerTriggers.size()> kAnswerSteps(
    kAnswerTransitions);

}  // namespace

std::string_view to_text(AnswerState state) { return kAnswerStates[static_cast<size_t>(state)]; }
std::string_view to_text(AnswerTrigger trigger) { return kAnswerTriggers[static_cast<size_t>(trigger)]; }

std::optional<AnswerState> next_state(AnswerState state, AnswerTrigger trigger) { return kAnswerSteps(state, trigger); }

std::string answer_diagram() {
  return draw_table(
      kAnswerTransitions, [](AnswerState state) { return to_text(state); },
      [](AnswerTrigger trigger) { return to_text(trigger); });
}

}  // namespace sluice
