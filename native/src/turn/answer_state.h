// How far one answer is. All states, triggers and transitions stand in one table; Answer looks up every step in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

enum class AnswerState : uint8_t {
  waiting,    // the request is out
  responded,  // the response has begun; no byte of its body came yet
  streaming,
  ended,      // all of it is there; what still comes is heard for usage and opaque members only
  cut_off,    // this turn stopped reading it: what still comes is dropped
  ended_cut,  // both
  finishing,  // the host finished it: what the readers still hold is read
  closed,
};

enum class AnswerTrigger : uint8_t {
  respond,  // the host told the status
  receive,  // bytes
  end,      // the answer says that it is over, or nothing more can be held back
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

// The table as the diagram of native/src/README.md.
std::string answer_diagram();

}  // namespace sluice
