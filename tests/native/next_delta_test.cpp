// Pieces of text as plain bytes: sluice_turn_next_delta. That both ways of polling tell the same, scripts_test asks.
#include <sluice/sluice.h>

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "script_runner.h"

using namespace sluice_test;

namespace {

constexpr std::string_view kEngine =
    R"({"tools":[{"name":"look","agentCallable":true,"permission":"public","parameters":{"type":"object"}}]})";
constexpr std::string_view kTurn =
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})";

void feed(sluice_turn *turn, std::string_view delta) {
  const std::string event = R"(data: {"choices":[{"index":0,"delta":)" + std::string(delta) + "}]}\n\n";
  REQUIRE(sluice_turn_feed(turn, event.data(), event.size()) == SLUICE_OK);
}

// A turn whose call 1 runs, with every event polled.
struct Running {
  EngineHandle engine{kEngine};
  TurnHandle turn{engine.p, kTurn};
  Running() {
    poll_all(turn.p);
    feed(turn.p, R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{\"n\":1}"}}]})");
    sluice_turn_feed(turn.p, "data: [DONE]\n\n", 14);
    sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
    poll_all(turn.p);
  }
};

struct Delta {
  int32_t kind = -1;
  uint32_t index = 77;
  std::string text;
  explicit Delta(sluice_turn *turn) {
    size_t len = 77;
    const char *const bytes = sluice_turn_next_delta(turn, &kind, &index, &len);
    if (bytes != nullptr) text.assign(bytes, len + 1);  // with the NUL behind it
    CHECK((bytes != nullptr || (index == 0 && len == 0)));
  }
  bool operator==(const Delta &) const = default;
};

std::string with_nul(std::string_view text) { return std::string(text) + '\0'; }

}  // namespace

TEST_CASE("a piece of text is the very bytes, with what they belong to") {
  EngineHandle engine("{}");
  TurnHandle turn(engine.p, R"({"wire":"openai-chat"})");
  feed(turn.p, R"({"reasoning_content":"\"so\"\n"})");
  feed(turn.p, R"({"content":"a\u0000b \u4f60 \"\\ \ud83d"})");
  feed(turn.p, R"({"content":"\ude00"})");
  const Delta thought(turn.p);
  CHECK(thought.kind == SLUICE_DELTA_REASONING);
  CHECK(thought.index == 0);
  CHECK(thought.text == with_nul("\"so\"\n"));
  const Delta said(turn.p);
  CHECK(said.kind == SLUICE_DELTA_TEXT);
  CHECK(said.index == 1);
  CHECK(said.text == with_nul(std::string_view("a\0b \xe4\xbd\xa0 \"\\ \xf0\x9f\x98\x80", 15)));
  CHECK(Delta(turn.p).kind == SLUICE_DELTA_NONE);
}

TEST_CASE("every pointer of sluice_turn_next_delta may be NULL") {
  EngineHandle engine("{}");
  TurnHandle turn(engine.p, R"({"wire":"text"})");
  sluice_turn_feed(turn.p, "hello", 5);
  CHECK(std::string(sluice_turn_next_delta(turn.p, nullptr, nullptr, nullptr)) == "hello");
  CHECK(sluice_turn_next_delta(turn.p, nullptr, nullptr, nullptr) == nullptr);
}

TEST_CASE("text with a mark is told by sluice_turn_next_event only, and keeps its place") {
  EngineHandle engine("{}");
  TurnHandle turn(engine.p, R"({"wire":"openai-chat"})");
  feed(turn.p, R"({"content":"a"})");
  feed(turn.p, R"({"refusal":"no"})");
  feed(turn.p, R"({"content":"b"})");
  CHECK(Delta(turn.p).text == with_nul("a"));
  CHECK(Delta(turn.p).kind == SLUICE_DELTA_EVENT);
  CHECK(Delta(turn.p).kind == SLUICE_DELTA_EVENT);  // asking again changes nothing
  const std::string refusal = sluice_turn_next_event(turn.p, nullptr);
  CHECK(refusal == R"({"type":"text","block":1,"text":"no","refusal":true,"seq":2})");
  CHECK(Delta(turn.p).text == with_nul("b"));
}

TEST_CASE("an event by which the host acts waits, and is taken back, until it is polled") {
  EngineHandle engine(kEngine);
  TurnHandle turn(engine.p, kTurn);
  CHECK(Delta(turn.p).kind == SLUICE_DELTA_TASK);
  CHECK(sluice_turn_cancel(turn.p, 0, nullptr, 0) == SLUICE_OK);
  CHECK(Delta(turn.p).kind == SLUICE_DELTA_EVENT);
  CHECK(std::string(sluice_turn_next_event(turn.p, nullptr)).starts_with(R"({"type":"done")"));
  CHECK(Delta(turn.p).kind == SLUICE_DELTA_NONE);
}

TEST_CASE("a question counts as seen only when sluice_turn_next_event told it") {
  EngineHandle engine(R"({"tools":[{"name":"look","agentCallable":true,"permission":"moderate"}]})");
  TurnHandle turn(engine.p, kTurn);
  poll_all(turn.p);
  feed(turn.p, R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{\"n\":1}"}}]})");
  sluice_turn_feed(turn.p, "data: [DONE]\n\n", 14);
  sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
  Delta next(turn.p);
  for (; next.kind != SLUICE_DELTA_TASK; next = Delta(turn.p))
    if (next.kind == SLUICE_DELTA_EVENT) REQUIRE(sluice_turn_next_event(turn.p, nullptr) != nullptr);
  CHECK(sluice_turn_approve(turn.p, 1, SLUICE_ONCE, nullptr, 0) == SLUICE_E_STATE);
  CHECK(std::string(sluice_turn_next_event(turn.p, nullptr)).find(R"("type":"approval")") != std::string::npos);
  CHECK(sluice_turn_approve(turn.p, 1, SLUICE_ONCE, nullptr, 0) == SLUICE_OK);
}

TEST_CASE("progress is plain text, replaces what waits of its call, and outlives a restore") {
  Running run;
  for (const std::string_view text : {"10 %", "\"90\" %"})
    REQUIRE(sluice_turn_submit(run.turn.p, 1, SLUICE_PROGRESS, text.data(), text.size()) == SLUICE_OK);
  size_t len = 0;
  const char *const saved = sluice_turn_get(run.turn.p, SLUICE_GET_STATE, &len);
  TurnHandle later(sluice_turn_restore(run.engine.p, saved, len));
  for (sluice_turn *turn : {run.turn.p, later.p}) {
    const Delta told(turn);
    CHECK(told.kind == SLUICE_DELTA_PROGRESS);
    CHECK(told.index == 1);
    CHECK(told.text == with_nul("\"90\" %"));
  }
  TurnHandle again(sluice_turn_restore(run.engine.p, saved, len));
  CHECK(std::string(sluice_turn_next_event(again.p, nullptr))
            .starts_with(R"({"type":"progress","call":1,"text":"\"90\" %")"));
}

TEST_CASE("a host that never polls all of them gets every event, in order") {
  EngineHandle engine(kEngine);
  TurnHandle turn(engine.p, R"({"wire":"openai-chat"})");
  const auto piece = [](int i) { return "p" + std::to_string(i); };
  int fed = 0, told = 0;
  for (int round = 0; round < 5; ++round) {
    for (; fed < 200 * (round + 1); ++fed)  // neighbours of one kind would be joined
      feed(turn.p, std::string(fed % 2 == 0 ? R"({"content":")" : R"({"reasoning_content":")") + piece(fed) + "\"}");
    for (; told < fed - 20; ++told) {
      const Delta next(turn.p);
      REQUIRE(next.kind == (told % 2 == 0 ? SLUICE_DELTA_TEXT : SLUICE_DELTA_REASONING));
      REQUIRE(next.text == with_nul(piece(told)));
    }
  }
}

TEST_CASE("a piece of text outlives every call but the next poll") {
  EngineHandle engine("{}");
  TurnHandle turn(engine.p, R"({"wire":"text"})");
  sluice_turn_feed(turn.p, "one", 3);
  const char *const piece = sluice_turn_next_delta(turn.p, nullptr, nullptr, nullptr);
  sluice_turn_feed(turn.p, "two", 3);
  sluice_turn_tick(turn.p, 1000);
  sluice_turn_get(turn.p, SLUICE_GET_MESSAGE, nullptr);
  sluice_turn_get(turn.p, SLUICE_GET_STATE, nullptr);
  sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
  CHECK(std::string(piece) == "one");
}

TEST_CASE("events that wait keep their order while others are polled and new ones come") {
  EngineHandle engine(kEngine);
  TurnHandle turn(engine.p, kTurn);
  poll_all(turn.p);
  const auto feed_pairs = [&](int pairs) {
    for (int i = 0; i < pairs; ++i) {
      feed(turn.p, R"({"reasoning_content":"r"})");
      feed(turn.p, R"({"content":"t"})");
    }
  };
  size_t polled = 0;
  const auto poll_one = [&] {
    size_t len = 0;
    const char *const event = sluice_turn_next_event(turn.p, &len);
    if (event == nullptr) return false;
    const std::string_view kind = polled++ % 2 == 0 ? R"("type":"reasoning")" : R"("type":"text")";
    CHECK(std::string_view(event, len).find(kind) != std::string_view::npos);
    return true;
  };
  feed_pairs(100);
  for (int i = 0; i < 70; ++i) CHECK(poll_one());
  feed_pairs(10);
  while (poll_one()) {
  }
  CHECK(polled == 220);
}
