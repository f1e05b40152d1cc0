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
  TurnHandle turn(engine.p, R"({"wire":")" + std::string(wire) + R"(","request":{"model":"m",)" +
                                (wire == "anthropic" ? R"("max_tokens":9,)" : "") +
                                R"("messages":[{"role":"user","content":"go"}]}})");
  size_t len = 0;
  const char *const refused = sluice_turn_get(turn.p, SLUICE_GET_ERROR, &len);
  INFO((refused == nullptr ? "" : refused));
  REQUIRE(refused == nullptr);
  for (size_t i = 0; i < events.size(); ++i) {
    std::string line = "data: " + events[i] + "\n\n";
    if (numbered) line.insert(7, "\"x-number\":" + std::to_string(i) + ",");
    sluice_turn_feed(turn.p, line.data(), line.size());
  }
  sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
  Told out;
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
  EventShape shape({});
  CHECK_FALSE(shape.text_of("", R"({"a":"x"})"));
  shape.learn("", R"({"a":"x","b":"y"})", "x");
  CHECK(shape.text_of("", R"({"a":"other","b":"y"})") == "other");
  CHECK(shape.text_of("", "{\"a\":\"\\n\\\"\\\\\\/ \xe7\x8c\xab\",\"b\":\"y\"}") == "\n\"\\/ \xe7\x8c\xab");
  for (const char *const event :
       {R"({"a":"x","b":"z"})", R"({"a":"","b":"y"})", R"({"a":"x","c":"q","b":"y"})", R"({"a":"\u0041","b":"y"})",
        R"({"a":"x\","b":"y"})", R"({"a":"\x","b":"y"})", "{\"a\":\"\n\",\"b\":\"y\"}", "{\"a\":\"\xff\",\"b\":\"y\"}",
        R"({"a":"x","b":"y"} )"})
    CHECK_FALSE(shape.text_of("", event));
  CHECK_FALSE(shape.text_of("error", R"({"a":"other","b":"y"})"));
  shape.learn("", R"({"a":"y","b":"y"})", "y");  // which of the two is it?
  CHECK_FALSE(shape.text_of("", R"({"a":"z","b":"y"})"));
  shape.learn("", R"({"a":"b","b":"y"})", "b");  // a key that reads the same
  CHECK_FALSE(shape.text_of("", R"({"a":"c","b":"y"})"));
  shape.learn("", R"({"a":"\u0062","b":"y"})", "b");
  CHECK_FALSE(shape.text_of("", R"({"a":"c","b":"y"})"));
  shape.learn("", R"({"a":"\u0062 \"","b":"y"})", "b \"");
  CHECK(shape.text_of("", R"({"a":"c","b":"y"})") == "c");
}

TEST_CASE("events may differ in loose members besides") {
  static constexpr LooseMember kLoose[] = {{{}, "n"}, {{}, "pad"}, {"use", "in"}, {"use", "out"}};
  EventShape shape(kLoose);
  const auto learns = [&](std::string_view event, std::string_view again) {
    shape.learn("", event, "x");
    return shape.text_of("", again) == "y";
  };
  const auto numbers = [&] {
    std::string out;
    for (const auto &[member, value] : shape.numbers())
      out += std::to_string(member) + "=" + std::to_string(value) + " ";
    return out;
  };
  CHECK(learns(R"({"n":7,"a":"x","pad":"x","use":{"in":3,"out":{"in":1}}})",
               R"({"n":9007199254740991,"a":"y","pad":"\"abc","use":{"in":-40,"out":{"in":1}}})"));
  CHECK(numbers() == "0=9007199254740991 2=-40 ");
  for (const char *const event : {R"({"n":9007199254740992,"a":"y","pad":"","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":12345678901234567,"a":"y","pad":"","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":01,"a":"y","pad":"","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":-,"a":"y","pad":"","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":,"a":"y","pad":"","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":1.5,"a":"y","pad":"","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":"1","a":"y","pad":"","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":1,"a":"y","pad":"\u0041","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":1,"a":"y","pad":"","a":"z","use":{"in":3,"out":{"in":1}}})",
                                  R"({"n":1,"a":"y","pad":"","use":{"in":3,"out":{"in":2}}})",
                                  "{\"n\":1,\"a\":\"y\",\"pad\":\"\xff\",\"use\":{\"in\":3,\"out\":{\"in\":1}}}"}) {
    INFO(event);
    CHECK_FALSE(shape.text_of("", event));
  }
  CHECK(learns(R"({"n" : 7 , "a":"x" ,"pad": "" })", R"({"n" : 0 , "a":"y" ,"pad": "q" })"));
  CHECK(learns(R"({"n":1e5,"a":"x","use":{"in":1.5}})", R"({"n":1e5,"a":"y","use":{"in":1.5}})"));
  CHECK_FALSE(learns(R"({"n":1e5,"a":"x"})", R"({"n":1e6,"a":"y"})"));
  CHECK_FALSE(learns(R"({"n":null,"a":"x"})", R"({"n":true,"a":"y"})"));
  // in another place, the same names are no loose members
  CHECK_FALSE(learns(R"({"b":{"n":1},"a":"x"})", R"({"b":{"n":2},"a":"y"})"));
  CHECK_FALSE(learns(R"({"b":"n","a":"x","c":["n",1]})", R"({"b":"n","a":"y","c":["n",2]})"));
  CHECK_FALSE(learns(R"([{"n":1,"a":"x"}])", R"([{"n":2,"a":"y"}])"));
  CHECK_FALSE(learns(R"({"":{"n":1},"a":"x"})", R"({"":{"n":2},"a":"y"})"));
  CHECK_FALSE(learns(R"({"in":1,"a":"x"})", R"({"in":2,"a":"y"})"));
  CHECK_FALSE(learns(R"({"use":[{"in":1}],"a":"x"})", R"({"use":[{"in":2}],"a":"y"})"));
  CHECK_FALSE(learns(R"({"b":"}{","c":{"n":1},"a":"x"})", R"({"b":"}{","c":{"n":2},"a":"y"})"));
  // which of two counts is not certain
  CHECK_FALSE(learns(R"({"n":1,"n":2,"a":"x"})", R"({"n":1,"n":2,"a":"y"})"));
  CHECK_FALSE(learns(R"({"use":{"in":1},"use":{},"a":"x"})", R"({"use":{"in":2},"use":{},"a":"y"})"));
  CHECK_FALSE(learns(R"({"use":{"in":1},"us\u0065":{},"a":"x"})", R"({"use":{"in":2},"us\u0065":{},"a":"y"})"));
}

TEST_CASE("events that differ everywhere are not learned for ever") {
  EventShape shape({});
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    CHECK_FALSE(shape.text_of("", R"({"n":)" + number + R"(,"a":"x"})"));
    shape.learn("", R"({"n":)" + number + R"(,"a":"x"})", "x");
  }
  CHECK_FALSE(shape.text_of("", R"({"n":99,"a":"y"})"));
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
      R"({"choices":[{"index":0,"delta":{"content":"$"}}],"obfuscation":"#$"})",
      R"({"obfuscation":"a","choices":[{"index":0,"delta":{"content":"$"}}],"obfuscation":"#"})",
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
  const std::vector<std::string> responses = {
      R"({"type":"response.created","response":{"id":"r","model":"m"},"sequence_number":#})",
      R"({"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m0","content":[]}})",
      R"({"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"i","call_id":"c","name":"look","arguments":""}})",
      R"({"type":"response.output_item.added","output_index":2,"item":{"type":"reasoning","id":"r","summary":[]}})",
      R"({"type":"response.output_text.delta","sequence_number":#,"item_id":"m0","output_index":0,"content_index":0,"delta":"$","logprobs":[],"obfuscation":"x#"})",
      R"({"type":"response.output_text.delta","sequence_number":#,"output_index":0,"content_index":#,"delta":"$"})",
      R"({"type":"response.output_text.delta","sequence_number":-#e2,"output_index":0,"delta":"a","delta":"$"})",
      R"({"type":"response.function_call_arguments.delta","sequence_number":#,"item_id":"i","output_index":1,"delta":"$","obfuscation":"$"})",
      R"({"type":"response.custom_tool_call_input.delta","sequence_number":#,"output_index":3,"delta":"$"})",
      R"({"type":"response.reasoning_summary_text.delta","sequence_number":#,"output_index":2,"summary_index":1,"delta":"$"})",
      R"({"type":"response.reasoning_text.delta","sequence_number":#,"output_index":2,"content_index":0,"delta":"$"})",
      R"({"type":"response.refusal.delta","sequence_number":#,"output_index":0,"content_index":1,"delta":"$"})",
      R"({"type":"response.output_text.done","sequence_number":#,"output_index":0,"content_index":0,"text":"$"})",
      R"({"type":"keepalive","sequence_number":#})",
  };
  const std::vector<std::string> gemini = {
      R"({"candidates":[{"content":{"parts":[{"text":"$"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":#,"totalTokenCount":#},"modelVersion":"m"})",
      R"({"candidates":[{"content":{"parts":[{"text":"$","thought":true}]}}],"usageMetadata":{"thoughtsTokenCount":#,"promptTokenCount":#}})",
      R"({"candidates":[{"content":{"parts":[{"text":"$"},{"text":"b"}]}}],"usageMetadata":{"candidatesTokenCount":#}})",
      R"({"candidates":[{"content":{"parts":[{"text":"$"}]}}],"usageMetadata":{"candidatesTokenCount":#},"usageMetadata":{"promptTokenCount":#}})",
      R"({"candidates":[{"content":{"parts":[{"text":"$"}]}}],"usageMetadata":{"candidatesTokenCount":#,"candidatesTokenCount":"$"}})",
      R"({"candidates":[{"content":{"parts":[{"text":"$"}]}},{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":[{"promptTokenCount":#}]})",
      R"({"candidates":[{"content":{"parts":[{"text":"$","thoughtSignature":"s"}]}}],"usageMetadata":{"cachedContentTokenCount":#}})",
      R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"look","args":{"a":"$"}}}]}}],"usageMetadata":{"candidatesTokenCount":#}})",
      R"({"usageMetadata":{"promptTokenCount":#}})",
  };
  const std::vector<std::string> interactions = {
      R"({"event_type":"interaction.created","interaction":{"id":"","status":"in_progress","model":"m"}})",
      R"({"event_type":"step.start","index":0,"step":{"type":"model_output"}})",
      R"({"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c","name":"look","arguments":{}}})",
      R"({"event_type":"step.start","index":2,"step":{"type":"thought"}})",
      R"({"event_type":"step.delta","index":0,"delta":{"type":"text","text":"$"}})",
      R"({"event_type":"step.delta","index":0,"delta":{"text":"a","type":"text","text":"$"},"event_id":"#"})",
      R"({"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"$"}})",
      R"({"event_type":"step.delta","index":2,"delta":{"type":"thought_summary","content":{"type":"text","text":"$"}}})",
      R"({"event_type":"step.delta","index":2,"delta":{"type":"thought_signature","signature":"$"}})",
      R"({"event_type":"step.delta","index":0,"delta":{"type":"text","text":"$"},"metadata":{"total_usage":{"total_output_tokens":#}}})",
      R"({"event_type":"step.delta","index":5,"delta":{"type":"text","text":"$"}})",
      R"({"event_type":"step.stop","index":1})",
  };
  const std::vector<std::string> ollama = {
      R"({"model":"m","created_at":"2025-01-01T00:00:0#Z","message":{"role":"assistant","content":"$"},"done":false})",
      R"({"model":"m","created_at":"2025-01-01T00:00:0#Z","message":{"role":"assistant","content":"","thinking":"$"},"done":false})",
      R"({"model":"m","created_at":"#","message":{"role":"assistant","content":"$","thinking":"a"},"done":false})",
      R"({"model":"m","created_at":#,"message":{"content":"$","tool_calls":[{"function":{"name":"look","arguments":{}}}]},"done":false})",
      R"({"model":"m","created_at":"#","message":{"content":"a"},"message":{"content":"$"}})",
  };
  struct Dialect {
    std::string_view wire;
    const std::vector<std::string> &shapes;
    size_t begins;  // so many come first
  };
  const Dialect dialects[] = {{"openai-chat", chat, 0},
                              {"anthropic", anthropic, 4},
                              {"openai-responses", responses, 4},
                              {"gemini", gemini, 0},
                              {"gemini-interactions", interactions, 4},
                              {"ollama", ollama, 0}};
  std::mt19937 random(20251125);
  const auto one_of = [&](const std::vector<std::string> &list) { return list[random() % list.size()]; };
  for (int i = 0; i < 10000; ++i) {
    const auto &[wire, shapes, begins] = dialects[i % std::size(dialects)];
    std::vector<std::string> events(shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(begins));
    std::string shape = one_of(shapes);
    for (int left = 12; left > 0; --left) {
      if (random() % 4 == 0) shape = one_of(shapes);
      std::string event = shape, text;
      for (size_t parts = random() % 3 + 1; parts > 0; --parts) text += one_of(pieces);
      for (size_t at = 0; (at = event.find('$', at)) != event.npos; at += text.size()) event.replace(at, 1, text);
      for (size_t at = 0; (at = event.find('#', at)) != event.npos;)
        event.replace(at, 1, std::to_string(random() % 30));
      events.push_back(event);
    }
    const Told alike = told(wire, events, false), numbered = told(wire, events, true);
    INFO(i << ", " << wire << ": " << events.front());
    CHECK(alike.message == numbered.message);
    REQUIRE(unnumbered(alike.events) == unnumbered(numbered.events));
  }
}
