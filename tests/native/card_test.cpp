#include "turn/card.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
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
  CHECK(card.changes() == 0);
  CHECK(card.apply(Trigger::complete));
  CHECK(card.state() == CardState::pending);
  CHECK(card.changes() == (field::status | field::raw_arguments));
}

TEST_CASE("outside, a call is pending from its last byte until it runs or asks") {
  Card card;
  for (const Trigger trigger : {Trigger::complete, Trigger::dispatch, Trigger::pass}) {
    REQUIRE(card.apply(trigger));
    CHECK(card.is_pending());
    CHECK(status_text(card.state()) == "pending");
  }
  card.forget_changes();
  CHECK(card.state() == CardState::approved);
  CHECK(card.apply(Trigger::recall));
  CHECK(card.changes() == 0);  // nothing that a host could see
  CHECK(card.apply(Trigger::ask));
  CHECK(card.changes() == field::status);
}

TEST_CASE("whoever sets a field of a card marks it for the next event") {
  const std::pair<uint32_t, std::function<void(Card &)>> setters[] = {
      {field::head | field::status, [](Card &card) { card.open_as("find", nullptr); }},
      {field::head, [](Card &card) { card.rename("find", nullptr); }},
      {field::head, [](Card &card) { card.set_wire_id("a"); }},
      {field::arguments, [](Card &card) { card.set_arguments(SharedText("{}")); }},
      {field::edited, [](Card &card) { card.set_edited("{}"); }},
      {field::reserved, [](Card &card) { card.set_reserved("{}"); }},
      {field::raw, [](Card &card) { card.set_raw(SharedText("x"), 0, 1, 0); }},
      {field::reason, [](Card &card) { card.set_reason("tool"); }},
      {field::output, [](Card &card) { card.set_output("x", 1, false); }},
      {field::model_text, [](Card &card) { card.set_model_text("x"); }},
      {field::error, [](Card &card) { card.set_error("x"); }},
      {field::error, [](Card &card) { card.set_near({"x"}); }},
      {field::started, [](Card &card) { card.set_started(1); }},
      {field::ended, [](Card &card) { card.set_ended(1); }},
      {field::approvals,
       [](Card &card) {
         card.add_approval({"execution", "approved", "user"});
       }},
      {field::progress, [](Card &card) { card.set_progress("x"); }},
  };
  uint32_t all = 0;
  for (const auto &[mark, set] : setters) {
    Card card;
    set(card);
    CHECK(card.changes() == mark);
    std::string event;
    card.write(mark, event);
    CHECK_FALSE(event.empty());
    card.forget_changes();
    CHECK(card.changes() == 0);
    all |= mark;
  }
  CHECK((all | field::raw_arguments) == (field::progress << 1) - 1);  // each field has a setter
}

TEST_CASE("the diagram in the README is the table") {
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/native/src/README.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK_THAT(text.str(), Catch::Contains("```\n" + transition_diagram() + "```"));
}
