// sluice.hpp: a turn with a call and an approval by it, and what becomes of mistakes and of what was moved from.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sluice/sluice.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using Json = nlohmann::json;

constexpr std::string_view kTools =
    R"({"tools":[{"name":"note","agentCallable":true,"permission":"moderate","parameters":{"type":"object",)"
    R"("properties":{"text":{"type":"string"}}}}]})";
constexpr std::string_view kTurn =
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})";
constexpr std::string_view kCall =
    R"(data: {"choices":[{"delta":{"content":"Noted: ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note",)"
    R"("arguments":"{\"text\":\"milk\"}"}}]},"finish_reason":"tool_calls"}]})"
    "\n\n";
constexpr std::string_view kRest = R"(data: {"choices":[{"delta":{"content":"milk."},"finish_reason":"stop"}]})"
                                   "\n\n";

std::vector<Json> polled(sluice::Turn &turn) {
  std::vector<Json> out;
  while (const auto event = turn.next_event()) out.push_back(Json::parse(*event));
  return out;
}

std::vector<std::string> types(sluice::Turn &turn) {
  std::vector<std::string> out;
  for (const Json &event : polled(turn)) out.push_back(event["type"]);
  return out;
}

bool has(const std::vector<std::string> &all, const char *one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class Act>
int32_t code_of(Act &&act) {
  try {
    act();
  } catch (const sluice::Error &error) {
    CHECK(Json::parse(error.what())["code"] == error.code());
    return error.code();
  }
  return SLUICE_OK;
}

sluice::Turn waiting(const sluice::Engine &engine) {
  sluice::Turn turn(engine, kTurn);
  CHECK(types(turn) == std::vector<std::string>{"request"});
  turn.feed(kCall);
  turn.finish();
  return turn;
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<sluice::Turn> && !std::is_copy_constructible_v<sluice::Turn>);
static_assert(std::is_nothrow_move_assignable_v<sluice::Engine> && !std::is_copy_assignable_v<sluice::Engine>);
static_assert(!std::is_convertible_v<std::string_view, sluice::Engine>);

TEST_CASE("sluice.hpp drives a turn with a call that a person allows") {
  sluice::Turn turn = [] {
    const sluice::Engine engine(kTools);
    return waiting(engine);
  }();  // the engine is gone
  CHECK(turn.tick(1000) > 1000);
  CHECK(has(types(turn), "approval"));
  turn.approve(1, SLUICE_ONCE, R"({"text":"bread"})");
  const std::vector<Json> events = polled(turn);
  REQUIRE(events.back()["type"] == "execute");
  CHECK(events.back()["arguments"] == Json{{"text", "bread"}});
  CHECK(turn.judge(1, "[]") == SLUICE_GATE_RUN);
  turn.submit(1, "still writing", SLUICE_PROGRESS);
  turn.resolve(1, R"({"text":"rye bread"})");
  turn.submit(1, R"({"kept":true})", SLUICE_RESULT_JSON);
  CHECK(has(types(turn), "request"));
  CHECK(turn.document(SLUICE_GET_REQUEST).value().find("kept") != std::string_view::npos);
  turn.response(200, R"({"x-request-id":"r"})");
  turn.feed(kRest);
  turn.finish();
  CHECK(types(turn).back() == "done");
  CHECK(!turn.next_event());
  const Json message = Json::parse(turn.document(SLUICE_GET_MESSAGE).value());
  CHECK(message["outcome"] == "completed");
  CHECK(message["blocks"][1]["output"] == R"({"kept":true})");
}

TEST_CASE("sluice.hpp gives pieces of text as plain bytes, in their place among the events") {
  const sluice::Engine engine(kTools);
  sluice::Turn turn = waiting(engine);
  const auto text = turn.next_delta();
  REQUIRE(text);
  CHECK(text->kind == SLUICE_DELTA_TEXT);
  CHECK(text->index == 0);
  CHECK(text->text == "Noted: ");
  CHECK(!turn.next_delta());
  CHECK(Json::parse(turn.next_event().value())["type"] == "card");
  const auto arguments = turn.next_delta();
  REQUIRE(arguments);
  CHECK(arguments->kind == SLUICE_DELTA_ARGS);
  CHECK(arguments->index == 1);
  CHECK(arguments->text == R"({"text":"milk"})");
}

TEST_CASE("sluice.hpp tells what is left out from what is empty") {
  const sluice::Engine engine(kTools);
  sluice::Turn turn = waiting(engine);
  (void)types(turn);
  CHECK(code_of([&] { turn.approve(1, SLUICE_ONCE, ""); }) == SLUICE_E_JSON);
  turn.deny(1);
  CHECK(code_of([&] { turn.deny(1, "again"); }) == SLUICE_E_STATE);
  turn.finish(SLUICE_END_NETWORK, "the line is dead");
  CHECK(has(types(turn), "error"));
}

TEST_CASE("sluice.hpp throws what the library refuses, with its code and its document") {
  CHECK(code_of([] { sluice::Engine("{"); }) == SLUICE_E_JSON);
  const sluice::Engine engine(kTools);
  CHECK(code_of([&] { sluice::Turn(engine, R"({"wire":"smoke"})"); }) == SLUICE_E_JSON);
  CHECK(code_of([&] { sluice::Turn::restore(engine, "{}"); }) < 0);
  sluice::Turn turn(engine, kTurn);
  CHECK(code_of([&] { turn.response(7); }) == SLUICE_E_ARGUMENT);
  CHECK(code_of([&] { turn.submit(9, "x"); }) == SLUICE_E_NOT_FOUND);
  CHECK(code_of([&] { turn.conclude(); }) == SLUICE_E_STATE);
  CHECK(turn.find_tool("nott").value() == R"({"suggestions":["note"]})");
  CHECK(!turn.document(99));
}

TEST_CASE("sluice.hpp saves, restores and moves turns") {
  sluice::Engine engine(kTools);
  sluice::Turn turn = waiting(engine);
  const std::string state(turn.document(SLUICE_GET_STATE).value());
  sluice::Turn restored = sluice::Turn::restore(engine, state);
  CHECK(has(types(restored), "approval"));
  turn = std::move(restored);
  turn.refuse(1, "nobody is there");
  try {
    restored.cancel();
    FAIL("a turn that was moved from was used");
  } catch (const sluice::Error &error) {
    CHECK(error.code() == SLUICE_E_ARGUMENT);
    CHECK(std::string_view(error.what()).empty());
  }
  CHECK(!restored.next_event());
  turn.cancel(0, "enough");
  CHECK(types(turn).back() == "done");
}
