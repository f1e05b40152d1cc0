#include "turn/answer_state.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace sluice;

namespace {

constexpr int kStateCount = static_cast<int>(AnswerState::closed) + 1;
constexpr int kTriggerCount = static_cast<int>(AnswerTrigger::close) + 1;

}  // namespace

TEST_CASE("every state of an answer takes a trigger once, or not at all") {
  for (int s = 0; s < kStateCount; ++s)
    for (int t = 0; t < kTriggerCount; ++t) {
      const auto state = static_cast<AnswerState>(s);
      const auto trigger = static_cast<AnswerTrigger>(t);
      int rows = 0;
      for (const AnswerTransition &row : kAnswerTransitions) rows += row.from == state && row.trigger == trigger;
      INFO(to_text(state) << " on " << to_text(trigger));
      CHECK(rows <= 1);
      CHECK(next_state(state, trigger).has_value() == (rows == 1));
      if (state == AnswerState::closed) CHECK(rows == 0);
    }
}

TEST_CASE("an answer can be closed in every state, and reaches every state") {
  for (int s = 0; s < kStateCount; ++s) {
    const auto state = static_cast<AnswerState>(s);
    bool reached = state == AnswerState::waiting;
    for (const AnswerTransition &row : kAnswerTransitions) reached = reached || (row.to == state && row.from != state);
    INFO(to_text(state));
    CHECK(reached);
    if (state != AnswerState::closed) CHECK(next_state(state, AnswerTrigger::close) == AnswerState::closed);
  }
}

TEST_CASE("bytes never bring an answer back that was cut off or has ended") {
  for (const AnswerState state : {AnswerState::ended, AnswerState::cut_off, AnswerState::ended_cut}) {
    INFO(to_text(state));
    CHECK(next_state(state, AnswerTrigger::receive) == state);
    CHECK(next_state(state, AnswerTrigger::finish) == state);
    CHECK_FALSE(next_state(state, AnswerTrigger::respond));
  }
}

TEST_CASE("the diagram of an answer in the README is the table") {
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/native/src/README.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK_THAT(text.str(), Catch::Contains("```\n" + answer_diagram() + "```"));
}
