// An event that differs from the one before in its text alone is not parsed: it must say what it says when it is.
#include "wire/event_shape.h"

#include <sluice/sluice.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "script_runner.h"

using namespace sluice;
using namespace sluice_test;

namespace {

constexpr std::string_view kEngine =
    R"({"tools":[{"name":"look","agentCallable":true,"permission":"public","parameters":{"type":"object"}}]})";

struct Told {
  std::string events, message;
  bool operator==(const Told &) const = default;
};

// What a turn tells of these events. `numbered`: each has a number of its own, so that none is like the one before.
Told told(std::string_view wire, const std::vector<std::string> &events, bool numbered) {
  EngineHandle engine(kEngine);
  TurnHandle turn(engine.p,
                  R"({"wire":")" + std::string(wire) +
                      R"(","request":{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}]}})");
  for (size_t i = 0; i < events.size(); ++i) {
    std::string line = "data: " + events[i] + "\n\n";
    if (numbered) line.insert(7, "\"x-number\":" + std::to_string(i) + ",");
    sluice_turn_feed(turn.p, line.data(), line.size());
  }
  sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
  Told out;
  size_t len = 0;
  while (const char *const event = sluice_turn_next_event(turn.p, &len)) {
    const std::string_view text(event, len);
    if (text.find(R"("code":"broken_event")") == text.npos) out.events.append(text).append("\n");  // quotes the number
  }
  out.message = sluice_turn_get(turn.p, SLUICE_GET_MESSAGE, &len);
  return out;
}

// Without their `seq`, which counts the diagnostics that are left out.
std::string unnumbered(std::string events) {
  for (size_t at = 0; (at = events.find(R"(,"seq":)", at)) != events.npos;) events.erase(at, events.find('}', at) - at);
  return events;
}

}  // namespace

TEST_CASE("the shape of an event is all but its one text") {
  EventShape shape;
  CHECK_FALSE(shape.text_of(R"({"a":"x"})"));
  shape.learn(R"({"a":"x","b":"y"})", "x");
  CHECK(shape.text_of(R"({"a":"other","b":"y"})") == "other");
  CHECK(shape.text_of("{\"a\":\"\\n\\\"\\\\\\/ \xe7\x8c\xab\",\"b\":\"y\"}") == "\n\"\\/ \xe7\x8c\xab");
  for (const char *const event :
       {R"({"a":"x","b":"z"})", R"({"a":"","b":"y"})", R"({"a":"x","c":"q","b":"y"})", R"({"a":"\u0041","b":"y"})",
        R"({"a":"x\","b":"y"})", R"({"a":"\x","b":"y"})", "{\"a\":\"\n\",\"b\":\"y\"}", "{\"a\":\"\xff\",\"b\":\"y\"}",
        R"({"a":"x","b":"y"} )"})
    CHECK_FALSE(shape.text_of(event));
  shape.learn(R"({"a":"y","b":"y"})", "y");  // which of the two is it?
  CHECK_FALSE(shape.text_of(R"({"a":"z","b":"y"})"));
  shape.learn(R"({"a":"b","b":"y"})", "b");  // a key that reads the same
  CHECK_FALSE(shape.text_of(R"({"a":"c","b":"y"})"));
  shape.learn(R"({"a":"\u0062","b":"y"})", "b");
  CHECK_FALSE(shape.text_of(R"({"a":"c","b":"y"})"));
  shape.learn(R"({"a":"\u0062 \"","b":"y"})", "b \"");
  CHECK(shape.text_of(R"({"a":"c","b":"y"})") == "c");
}

TEST_CASE("events that differ everywhere are not learned for ever") {
  EventShape shape;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    CHECK_FALSE(shape.text_of(R"({"n":)" + number + R"(,"a":"x"})"));
    shape.learn(R"({"n":)" + number + R"(,"a":"x"})", "x");
  }
  CHECK_FALSE(shape.text_of(R"({"n":99,"a":"y"})"));
}

TEST_CASE("an answer says the same whether or not its events are alike") {
  const std::vector<std::string> pieces = {"a",
                                           " b",
                                           "m",
                                           "content",
                                           "index",
                                           "delta",
                                           R"(\")",
                                           R"(\\)",
                                           R"(\n)",
                                           R"(\u0041)",
                                           R"(\ud83d)",
                                           R"(\ude00)",
                                           "\xf0\x9f\x98\x80",
                                           "\xe7\x8c\xab",
                                           "\xff",
                                           "",
                                           R"(\/)",
                                           R"({)",
                                           R"(})",
                                           R"({\"q\":)",
                                           "1",
                                           "<think>",
                                           R"(\x)",
                                           R"(","role":")"};
  const std::vector<std::string> chat = {
      R"({"model":"m","choices":[{"index":0,"delta":{"content":"$"}}]})",
      R"({"choices":[{"index":0,"delta":{"role":"assistant","content":"$"},"finish_reason":null}]})",
      R"({"choices":[{"index":0,"delta":{"reasoning_content":"$"}}]})",
      R"({"choices":[{"index":0,"delta":{"reasoning":"$","reasoning_content":"$"}}]})",
      R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c$","function":{"name":"look","arguments":""}}]}}]})",
      R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"$"}}]}}]})",
      R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"name":"look","arguments":"$"}}]}}]})",
      R"({"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"$"}]}}],"usage":{"prompt_tokens":3}})",
      R"({"choices":[{"index":0,"delta":{"content":"$"}},{"index":1,"delta":{"content":"a"}}]})",
      R"({"choices":[{"index":0,"delta":{"content":"a","content":"$"}}]})",
      R"({"choices":[{"index":0,"delta":{"refusal":"$"}}]})",
  };
  const std::vector<std::string> anthropic = {
      R"({"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":3}}})",
      R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"$"}})",
      R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"look","input":{}}})",
      R"({"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":""}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"$"}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"$"}})",
      R"({"type":"content_block_delta","index":2,"delta":{"type":"thinking_delta","thinking":"$"}})",
      R"({"type":"content_block_delta","index":2,"delta":{"type":"signature_delta","signature":"$"}})",
      R"({"type":"content_block_stop","index":1})",
      R"({"type":"ping"})",
  };
  std::mt19937 random(20251125);
  const auto one_of = [&](const std::vector<std::string> &list) { return list[random() % list.size()]; };
  for (int i = 0; i < 4000; ++i) {
    const auto &[wire, shapes] = i % 2 ? std::pair("openai-chat", chat) : std::pair("anthropic", anthropic);
    std::vector<std::string> events(shapes.begin(), shapes.begin() + (i % 2 ? 0 : 4));
    std::string shape = one_of(shapes);
    for (int left = 12; left > 0; --left) {
      if (random() % 4 == 0) shape = one_of(shapes);
      std::string event = shape, text;
      for (size_t parts = random() % 3 + 1; parts > 0; --parts) text += one_of(pieces);
      for (size_t at = 0; (at = event.find('$', at)) != event.npos; at += text.size()) event.replace(at, 1, text);
      events.push_back(event);
    }
    const Told alike = told(wire, events, false), numbered = told(wire, events, true);
    INFO(i << ": " << events.front());
    CHECK(alike.message == numbered.message);
    REQUIRE(unnumbered(alike.events) == unnumbered(numbered.events));
  }
}
