// Damaged states: each gives an error or a working turn, never a crash.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "../fuzz/turn_properties.h"
#include "changed_value.h"
#include "script_runner.h"

using namespace sluice_test;

namespace {

struct Saved {
  std::string engine, state, rest;
};

// A turn that was saved at a place where a machine holds something: `fed` came before, `rest` follows.
Saved saved_at(const std::string &tools, const std::string &turn, const std::string &fed, const std::string &rest) {
  const std::string engine = "{" + tools + "}";
  Session session(engine, turn);
  session.drain();
  session.feed(fed);
  session.drain();
  return {engine, session.get(SLUICE_GET_STATE), rest};
}

std::vector<Saved> saved_states() {
  const std::string body = R"("request":{"model":"m","messages":[{"role":"user","content":"go"}]})";
  const auto text = [&](const std::string &protocol, const std::string &fed, const std::string &rest) {
    return saved_at(kOpenTools, R"({"wire":"text","protocol":")" + protocol + "\"," + body + "}", fed, rest);
  };
  const std::string chat = R"({"wire":"openai-chat",)" + body + "}";
  const std::string call = chunk(native_calls({"note"}));
  const std::string said = chunk({{"content", "Let me \xE7\x9C\x8B "}});
  const size_t character = said.find('\xE7') + 1;
  std::vector<Saved> out = {
      text("vcp",
           "<think>so</think>\nI `look` <<<[TOOL_REQUEST]>>>tool_name:「始」note「末」,text:「始ESCAPE」a「末」.t",
           "xt「末ESCAPE」\n<<<[END_TOOL_REQUEST]>>> and wait"),
      text("vcp", "I <<<[TOOL_",
           "REQUEST]>>>tool_name:「始」note「末」,text:「始」a「末」<<<[END_TOOL_REQUEST]>>> and wait"),
      text("qwen3-coder",
           "<think>so</think>\n<tool_call>\n<function=note>\n<parameter=text>\na\n</parameter>\n</functi",
           "on>\n</tool_call> and wait"),
      text("hermes", "Let me `see <tool_call>{\"name\": \"note\", ",
           "\"arguments\": {\"text\": \"a\"}}</tool_call>\nthere"),
      text("hermes", "<th", "ink>so</think>\n<tool_call>{\"name\":\"note\",\"arguments\":{}}</tool_call> and wait"),
      text("hermes", "```json\n<tool_call>{\"name\":", "\"note\"}</tool_call>\n``` that is how"),
      saved_at(kOpenTools, chat, said.substr(0, character), said.substr(character) + call),
      saved_at(kOpenTools, chat, call.substr(0, call.size() / 2), call.substr(call.size() / 2)),
      saved_at(kOpenTools, chat, call + ends("tool_calls"), ""),
      saved_at(open_tools("sensitive"), chat, call + ends("tool_calls"), ""),
  };
  for (const Saved &one : out) REQUIRE(!one.state.empty());
  return out;
}

std::string broken(const std::string &state, Random &random) {
  if (random() % 10 == 0) return state.substr(0, random() % state.size());
  Json value = Json::parse(state);
  for (size_t times = 1 + random() % 3; times > 0; --times) change_one(value, random);
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

TEST_CASE("a state whose values were changed gives an error that says where, or a turn that ends once") {
  const std::vector<Saved> saved = saved_states();
  REQUIRE(saved.size() > 5);
  size_t restored = 0, refused = 0, faults = 0;
  for (const Saved &one : saved)
    for (unsigned seed = 1; seed <= 200U && faults < 5; ++seed) {
      Random random(seed);
      const std::string bytes = broken(one.state, random);
      std::string drawn(8, '\0');
      for (char &c : drawn) c = static_cast<char>(random());
      Choices choices(drawn);
      try {
        check_any_state(bytes, one.engine, false, one.rest, choices) ? ++restored : ++refused;
      } catch (const Broken &fault) {
        ++faults;
        FAIL_CHECK(fault.what());
      }
    }
  CHECK(restored > 100);
  CHECK(refused > 100);
}

TEST_CASE("a state of another format is refused, lower or higher") {
  const std::vector<Saved> saved = saved_states();
  for (const int format : {1, 3, 1000, -1}) {
    Json state = Json::parse(saved.front().state);
    state["format"] = format;
    Session session(saved.front().engine);
    session.restore(state.dump());
    const Json error = read_json(session.error());
    CHECK(text_of(error, "name") + " " + text_of(error, "path") == "unsupported format");
    CHECK(text_of(error, "message") ==
          "found format " + std::to_string(format) + ", expected 2: another version saved the turn");
  }
}

TEST_CASE("a member of a state that cannot be is told by its path") {
  const std::string engine = "{" + kOpenTools + "}";
  Session saved(engine,
                R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})");
  saved.drain();
  saved.feed(chunk(native_calls({"note", "rm"})));
  REQUIRE(saved.error() == "");
  const Json whole = Json::parse(saved.get(SLUICE_GET_STATE));
  const auto path_of = [&](const char *pointer, const Json &value) {
    Json state = whole;
    state[Json::json_pointer(pointer)] = value;
    Session session(engine);
    session.restore(state.dump());
    const Json error = read_json(session.error());
    return text_of(error, "name") + " " + text_of(error, "path");
  };
  CHECK(path_of("/repeats", Json::array({Json::array()})) == "json repeats");
  CHECK(path_of("/repeatsNow", {{"a\b", 1}}) == "json repeatsNow");
  CHECK(path_of("/repeatsNow", {{"ab", "1"}}) == "json repeatsNow.ab");
  CHECK(path_of("/done", "pending") == "json done");
  CHECK(path_of("/done", true) == "json outcome");
  CHECK(path_of("/firstCard", 0.5) == "json firstCard");
  CHECK(path_of("/rounds/0", 1) == "json rounds[0]");
  CHECK(path_of("/rounds/0/native", "[{\"a\":") == "json rounds[0].native");
  CHECK(path_of("/rounds/0/beside", "[]") == "json rounds[0].beside");
  CHECK(path_of("/blocks/1/round", 7) == "json blocks[1].round");
  CHECK(path_of("/cards/0/arguments", "{\"a\":") == "json cards[0].arguments");
  CHECK(path_of("/cards/0/parts", R"([{"type":"image"}])") == "json cards[0].parts");
  CHECK(path_of("/cards/0/hostOutput", "{}") == "json cards[0].hostOutput");
  CHECK(path_of("/cards/0/asked", {{"base64", "//79"}}) == "json cards[0].asked");
  CHECK(path_of("/cards/0/historyId", "") == "json cards[0].historyId");
  CHECK(path_of("/cards/1/historyId", "call_0") == "json cards[1].historyId");
  CHECK(path_of("/cards/1/approved", true) == "json cards[1].approved");
  CHECK(path_of("/cards/1/round", 0) == "json cards[1].round");
  CHECK(path_of("/answer/openCalls", Json::array()) == "json cards[0].state");
  CHECK(path_of("/answer/slots", {1, 99}) == "json answer.slots[1]");
  CHECK(path_of("/answer", nullptr) == "json answer");
  CHECK(path_of("/events/waiting/0/text", "{") == "json events.waiting[0].text");
  CHECK(path_of("/events/waiting/0/text", R"({"type":"execute","call":1)") == "json events.waiting[0].text");
  CHECK(path_of("/events/waiting/0/text", R"({"type":"done","outcome":"completed")") == "json events.waiting[0].text");
  CHECK(path_of("/events/waiting/0/key", 99) == "json events.waiting[0].text");
  CHECK(path_of("/events/waiting/0/kind", "x") == "json events.waiting[0].kind");
  CHECK(path_of("/answer/scanner", {{"kept", 5}}) == "json answer.scanner.kept");
  CHECK(path_of("/answer/scanner", {{"kept", {{"text", 5}}}}) == "json answer.scanner.kept.text");
  CHECK(path_of("/answer/watcher", {{"kept", {{"text", {{"base64", "//79"}}}}}}) == "json answer.watcher.kept.text");
  CHECK(path_of("/answer/thoughts", {{"scanner", {{"kept", 5}}}}) == "json answer.thoughts.scanner.kept");
  CHECK(path_of("/answer/scanner", {{"reasoning", {{"thoughts", {{"scanner", {{"kept", 5}}}}}}}}) ==
        "json answer.scanner.reasoning.thoughts.scanner.kept");
}

TEST_CASE("calls without a seal, in a state of a turn that seals nothing, are passed over") {
  const std::string engine = "{" + kOpenTools + "}";
  Session saved(engine,
                R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})");
  saved.drain();
  saved.feed(chunk({{"content", "so"}}));
  Json state = Json::parse(saved.get(SLUICE_GET_STATE));
  state["answer"]["unsealed"] = Json::array({{{"at", 0}, {"name", "note"}}});
  Session session(engine);
  session.restore(state.dump());
  session.drain();
  session.feed(ends("stop"));
  session.finish();
  session.drain();
  CHECK(text_of(read_json(session.get(SLUICE_GET_MESSAGE)), "outcome") == "completed");
}

TEST_CASE("what waits to run is held back as well where a state does not say whose it is") {
  Session saved("{" + kOpenTools + "}",
                R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})");
  saved.drain();
  saved.feed(chunk(native_calls({"face", "note"})) + ends("tool_calls"));
  saved.finish();
  Json state = Json::parse(saved.get(SLUICE_GET_STATE));
  size_t messages = 0, tools = 0;
  for (Json &event : state["events"]["waiting"]) {
    const std::string text = event["text"];
    const bool message = text.starts_with(R"({"type":"ipc")"), tool = text.starts_with(R"({"type":"execute")");
    if (message) event["kind"] = 7;
    if (message || tool) event["key"] = 0;
    messages += message;
    tools += tool;
  }
  REQUIRE((messages == 1 && tools == 1));
  for (const bool stricter : {false, true}) {
    Session session("{" + kOpenTools + (stricter ? R"(,"rules":[{"tool":"*","effect":"deny"}]})" : "}"));
    session.restore(state.dump());
    CHECK(session.error() == "");
    session.drain();
    CHECK(session.ran.size() == (stricter ? 0 : 2));
  }
}

namespace {

void list_values(Json &value, std::vector<Json *> &out) {
  out.push_back(&value);
  if (value.is_structured())
    for (Json &inner : value) list_values(inner, out);
}

}  // namespace

TEST_CASE("a state of which one text was changed tells nothing that is not UTF-8") {
  size_t changed = 0, faults = 0;
  for (const Saved &one : saved_states()) {
    const Json whole = Json::parse(one.state);
    const size_t count = count_values(whole);
    for (size_t i = 0; i < count && faults < 5; i += kSanitized ? 5 : 1) {
      Json state = whole;
      std::vector<Json *> values;
      list_values(state, values);
      if (!values[i]->is_string()) continue;
      *values[i] = {{"base64", "aP8="}};  // h and a byte that never occurs in UTF-8
      ++changed;
      Choices choices("");
      try {
        check_any_state(state.dump(), one.engine, false, one.rest, choices);
      } catch (const Broken &fault) {
        ++faults;
        FAIL_CHECK(fault.what());
      }
    }
  }
  CHECK(changed > (kSanitized ? 20 : 100));
}

TEST_CASE("a state that tells of a call without its seal where no protocol is sealed ends once") {
  size_t changed = 0;
  for (const Saved &one : saved_states()) {
    std::string state = one.state;
    const std::string none = "\"unsealed\":[]";
    const size_t at = state.find(none);
    if (at == std::string::npos) continue;
    state.replace(at, none.size(), "\"unsealed\":[{\"at\":0,\"name\":\"vcp\"}]");
    ++changed;
    Choices choices("");
    CHECK_NOTHROW(check_any_state(state, one.engine, false, one.rest, choices));
  }
  CHECK(changed > 0);
}
