// How far one answer is. One table holds all states, triggers and transitions; Answer looks up every step in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

enum class AnswerState : uint8_t {
  waiting,    // for the response
  responded,  // the status came, but no byte of the body
  streaming,
  ended,      // the answer is complete; only usage and opaque members are still read
  cut_off,    // the turn stopped reading it: further bytes are dropped
  ended_cut,  // complete, and further bytes are dropped
  finishing,  // the host finished it: the readers flush what they hold
  closed,
};

enum class AnswerTrigger : uint8_t {
  respond,  // the host reports the status
  receive,  // bytes
  end,      // the answer says that it is over, or the readers have flushed what they held
  cut,      // abortRequest
  finish,   // the host says that its body has ended or broke off
  close,
};

struct AnswerTransition {
  AnswerState from;
  AnswerTrigger trigger;
  AnswerState to;
};

inline constexpr AnswerTransition kAnswerTransitions[] = {
    {AnswerState::waiting, AnswerTrigger::respond, AnswerState::responded},
    {AnswerState::waiting, AnswerTrigger::receive, AnswerState::streaming},
    {AnswerState::waiting, AnswerTrigger::end, AnswerState::ended},
    {AnswerState::waiting, AnswerTrigger::cut, AnswerState::cut_off},
    {AnswerState::waiting, AnswerTrigger::finish, AnswerState::finishing},
    {AnswerState::waiting, AnswerTrigger::close, AnswerState::closed},

    {AnswerState::responded, AnswerTrigger::receive, AnswerState::streaming},
    {AnswerState::responded, AnswerTrigger::end, AnswerState::ended},
    {AnswerState::responded, AnswerTrigger::cut, AnswerState::cut_off},
    {AnswerState::responded, AnswerTrigger::finish, AnswerState::finishing},
    {AnswerState::responded, AnswerTrigger::close, AnswerState::closed},

    {AnswerState::streaming, AnswerTrigger::receive, AnswerState::streaming},
    {AnswerState::streaming, AnswerTrigger::end, AnswerState::ended},
    {AnswerState::streaming, AnswerTrigger::cut, AnswerState::cut_off},
    {AnswerState::streaming, AnswerTrigger::finish, AnswerState::finishing},
    {AnswerState::streaming, AnswerTrigger::close, AnswerState::closed},

    {AnswerState::ended, AnswerTrigger::receive, AnswerState::ended},
    {AnswerState::ended, AnswerTrigger::cut, AnswerState::ended_cut},
    {AnswerState::ended, AnswerTrigger::finish, AnswerState::ended},
    {AnswerState::ended, AnswerTrigger::close, AnswerState::closed},

    {AnswerState::cut_off, AnswerTrigger::receive, AnswerState::cut_off},
    {AnswerState::cut_off, AnswerTrigger::end, AnswerState::ended_cut},
    {AnswerState::cut_off, AnswerTrigger::finish, AnswerState::cut_off},
    {AnswerState::cut_off, AnswerTrigger::close, AnswerState::closed},

    {AnswerState::ended_cut, AnswerTrigger::receive, AnswerState::ended_cut},
    {AnswerState::ended_cut, AnswerTrigger::finish, AnswerState::ended_cut},
    {AnswerState::ended_cut, AnswerTrigger::close, AnswerState::closed},

    {AnswerState::finishing, AnswerTrigger::end, AnswerState::ended},
    {AnswerState::finishing, AnswerTrigger::cut, AnswerState::cut_off},
    {AnswerState::finishing, AnswerTrigger::close, AnswerState::closed},
};

std::string_view to_text(AnswerState state);
std::string_view to_text(AnswerTrigger trigger);
std::optional<AnswerState> next_state(AnswerState state, AnswerTrigger trigger);  // nullopt: no such row

// Draws the table as the diagram in native/src/README.md.
std::string answer_diagram();

}  // namespace sluice
