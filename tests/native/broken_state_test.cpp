// States that were changed: an error or a turn comes of them, never a crash, and nothing runs that was not shown.
#include <sluice/sluice.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include "sanitized.h"
#include "script_runner.h"

using namespace sluice_test;

namespace {

using Random = std::minstd_rand;

struct Saved {
  std::string engine, state, rest;
};

std::vector<Saved> saved_states() {
  std::vector<Saved> out;
  const std::filesystem::path folder = std::string(SLUICE_SOURCE_DIR) + "/tests/golden";
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    // Half a character is written as a lone surrogate, which is no JSON for everybody.
    const Json golden = Json::parse(std::regex_replace(text.str(), std::regex(R"(\\udc[0-9a-f]{2})"), "?"));
    out.push_back({golden["engine"].dump(), golden["state"], golden["rest"]});
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

size_t count_values(const Json &value) {
  size_t count = 1;
  if (value.is_structured())
    for (const Json &inner : value) count += count_values(inner);
  return count;
}

// Changes the value number `at`, depth first.
bool change(Json &value, size_t &at, Random &random) {
  static const std::vector<Json> kOthers = {0,
                                            1,
                                            2,
                                            -1,
                                            7,
                                            4294967295U,
                                            9007199254740993,
                                            -9007199254740993,
                                            9.5,
                                            "",
                                            "{",
                                            "[]",
                                            "{}",
                                            "{\"a\":",
                                            "unknown",
                                            nullptr,
                                            true,
                                            false,
                                            Json::array(),
                                            Json::object(),
                                            Json::array({1}),
                                            {{"a", 1}}};
  if (at-- == 0) {
    if (value.is_number_integer() && random() % 2 == 0)
      value = value.get<int64_t>() + static_cast<int64_t>(random() % 5) - 2;
    else if (value.is_string() && random() % 2 == 0)
      value = value.get<std::string>().substr(0, random() % (value.get<std::string>().size() + 1));
    else
      value = kOthers[random() % kOthers.size()];
    return true;
  }
  if (!value.is_structured()) return false;
  for (auto inner = value.begin(); inner != value.end(); ++inner) {
    if (at == 0 && random() % 3 == 0) {
      value.erase(inner);
      return true;
    }
    if (change(*inner, at, random)) return true;
  }
  return false;
}

std::string broken(const std::string &state, Random &random) {
  if (random() % 10 == 0) return state.substr(0, random() % state.size());
  Json value = Json::parse(state);
  for (size_t times = 1 + random() % 3; times > 0; --times) {
    size_t at = random() % count_values(value);
    change(value, at, random);
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void drain(sluice_turn *turn) {
  for (int most = 200; most > 0; --most) {
    const char *text = sluice_turn_next_event(turn, nullptr);
    if (text == nullptr) return;
    const Json event = Json::parse(text);
    if (!event.contains("call") || !event["call"].is_number_unsigned()) continue;
    const uint32_t call = event["call"];
    if (event["type"] == "approval")
      sluice_turn_approve(turn, call, event["stage"] == "result" ? SLUICE_RELEASE : SLUICE_TURN, nullptr, 0);
    if (event["type"] == "execute") sluice_turn_submit(turn, call, SLUICE_RESULT, "done", 4);
  }
}

// Everything that a host could do with it.
void live(sluice_turn *turn, const std::string &rest) {
  for (uint32_t call = 0; call < 4; ++call) {
    sluice_turn_approve(turn, call, SLUICE_ONCE, nullptr, 0);
    sluice_turn_submit(turn, call, SLUICE_FAILURE, "no", 2);
  }
  drain(turn);
  sluice_turn_tick(turn, 1700000000000);
  sluice_turn_feed(turn, rest.data(), rest.size());
  drain(turn);
  for (int32_t what = SLUICE_GET_REQUEST; what <= SLUICE_GET_ERROR; ++what) {
    const char *document = sluice_turn_get(turn, what, nullptr);
    if (document != nullptr) CHECK(Json::accept(document));
  }
  for (int round = 0; round < 3; ++round) {
    sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0);
    drain(turn);
  }
  sluice_turn_cancel(turn, 1, nullptr, 0);
  sluice_turn_cancel(turn, 0, nullptr, 0);
  drain(turn);
}

}  // namespace

TEST_CASE("a state whose bytes were changed gives an error or a turn") {
  const std::vector<Saved> saved = saved_states();
  REQUIRE(saved.size() > 5);
  size_t restored = 0, refused = 0;
  for (const Saved &one : saved)
    for (const std::string &state : {one.state, saved_again(one)}) {
      const EngineHandle engine(one.engine);
      for (unsigned seed = 1; seed <= (kSanitized ? 100U : 400U); ++seed) {
        Random random(seed);
        const std::string bytes = broken(state, random);
        INFO(bytes);
        const TurnHandle turn(sluice_turn_restore(engine.p, bytes.data(), bytes.size()));
        REQUIRE(turn.p != nullptr);
        const char *error = sluice_turn_get(turn.p, SLUICE_GET_ERROR, nullptr);
        ++(error == nullptr ? restored : refused);
        if (error != nullptr) CHECK(Json::parse(error)["name"] != "internal");
        live(turn.p, one.rest);
      }
    }
  CHECK(restored > 100);
  CHECK(refused > 100);
}
