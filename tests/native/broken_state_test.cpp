// Damaged states of every release: each gives an error or a working turn, never a crash.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "../fuzz/turn_properties.h"
#include "changed_value.h"
#include "script_runner.h"

using namespace sluice_test;

namespace {

struct Saved {
  std::string engine, state, rest;
};

std::vector<Saved> saved_states() {
  std::vector<Saved> out;
  const std::filesystem::path folder = std::string(SLUICE_SOURCE_DIR) + "/tests/golden";
  for (const auto &release : std::filesystem::directory_iterator(folder)) {
    if (!release.is_directory()) continue;
    for (const auto &entry : std::filesystem::directory_iterator(release.path())) {
      if (entry.path().extension() != ".json") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      // Half a character becomes a lone surrogate, which some readers of JSON refuse.
      const Json golden = Json::parse(std::regex_replace(text.str(), std::regex(R"(\\udc[0-9a-f]{2})"), "?"));
      out.push_back({golden["engine"].dump(), golden["state"], golden["rest"]});
    }
  }
  return out;
}

// The state as this version writes it.
std::string saved_again(const Saved &saved) {
  const EngineHandle engine(saved.engine);
  const TurnHandle turn(sluice_turn_restore(engine.p, saved.state.data(), saved.state.size()));
  const char *state = sluice_turn_get(turn.p, SLUICE_GET_STATE, nullptr);
  return state != nullptr ? state : saved.state;
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
    for (const std::string &state : {one.state, saved_again(one)})
      for (unsigned seed = 1; seed <= 100U && faults < 5; ++seed) {
        Random random(seed);
        const std::string bytes = broken(state, random);
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
  CHECK(path_of("/cards/0/rewritten", "{}") == "json cards[0].rewritten");
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
  CHECK(path_of("/answer/watcher", {{"kept", {{"base64", "//79"}}}}) == "json answer.watcher.kept");
  CHECK(path_of("/answer/thoughts", {{"scanner", {{"kept", 5}}}}) == "json answer.thoughts.scanner.kept");
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
    std::string state = saved_again(one);
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
