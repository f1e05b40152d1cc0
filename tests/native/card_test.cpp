#include "turn/card.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace sluice;

namespace {

constexpr int kStateCount = static_cast<int>(CardState::unknown) + 1;
constexpr int kTriggerCount = static_cast<int>(Trigger::recall) + 1;

}  // namespace

TEST_CASE("every state and trigger is in the table once, or changes nothing") {
  for (int s = 0; s < kStateCount; ++s)
    for (int t = 0; t < kTriggerCount; ++t) {
      const auto state = static_cast<CardState>(s);
      const auto trigger = static_cast<Trigger>(t);
      int rows = 0;
      for (const Transition &row : kTransitions) rows += row.from == state && row.trigger == trigger;
      INFO(to_text(state) << " on " << to_text(trigger));
      CHECK(rows <= 1);
      CHECK(next_state(state, trigger).has_value() == (rows == 1));
      if (is_final(state)) CHECK(rows == 0);
    }
}

TEST_CASE(
    "every state that is not final can be cancelled, lost or rejected, and every state but the first is reached") {
  for (int s = 0; s < kStateCount; ++s) {
    const auto state = static_cast<CardState>(s);
    bool reached = state == CardState::streaming, left = is_final(state);
    for (const Transition &row : kTransitions) {
      reached = reached || row.to == state;
      if (row.from == state && is_final(row.to)) left = true;
    }
    INFO(to_text(state));
    CHECK(reached);
    CHECK(left);
  }
}

TEST_CASE("a card that is asked to do what is not in the table stays as it is") {
  Card card;
  CHECK_FALSE(card.apply(Trigger::succeed));
  CHECK(card.state() == CardState::streaming);
  CHECK(card.dirty == 0);
  CHECK(card.apply(Trigger::complete));
  CHECK(card.state() == CardState::pending);
  CHECK(card.dirty == field::status);
}

TEST_CASE("the diagram in the README is the table") {
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/native/src/README.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK_THAT(text.str(), Catch::Contains("```\n" + transition_diagram() + "```"));
}
