// What only a direct user of the C ABI can do: pass NULL handles and strings, keep borrowed strings, pass bytes that
// are no UTF-8.
#include <sluice/sluice.h>

#include <catch2/catch.hpp>
#include <string>

TEST_CASE("every function takes NULL handles") {
  size_t len = 77;
  CHECK(sluice_version() > 0);
  CHECK(sluice_engine_error(nullptr, &len) == nullptr);
  CHECK(sluice_engine_error(nullptr, nullptr) == nullptr);
  sluice_engine_free(nullptr);
  sluice_turn_free(nullptr);
  CHECK(sluice_turn_response(nullptr, 200, nullptr, 0) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_feed(nullptr, "x", 1) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_finish(nullptr, SLUICE_END_COMPLETE, nullptr, 0) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_approve(nullptr, 1, SLUICE_ONCE, nullptr, 0) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_deny(nullptr, 1, nullptr, 0) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_judge(nullptr, 1, "[]", 2) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_conclude(nullptr, SLUICE_FINAL_ACCEPT, nullptr, 0) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_resolve(nullptr, 1, "{}", 2) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_call(nullptr, 1, "{}", 2) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_find_tool(nullptr, "x", 1, &len) == nullptr);
  CHECK(sluice_turn_cancel(nullptr, 0, nullptr, 0) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_submit(nullptr, 1, SLUICE_RESULT, "x", 1) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_tick(nullptr, 1) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_next_event(nullptr, &len) == nullptr);
  CHECK(sluice_turn_next_event(nullptr, nullptr) == nullptr);
  int32_t kind = 77;
  uint32_t index = 77;
  len = 77;
  CHECK(sluice_turn_next_delta(nullptr, &kind, &index, &len) == nullptr);
  CHECK(kind == SLUICE_DELTA_NONE);
  CHECK(index == 0);
  CHECK(len == 0);
  CHECK(sluice_turn_next_delta(nullptr, nullptr, nullptr, nullptr) == nullptr);
  for (int32_t what = -1; what < 9; ++what) CHECK(sluice_turn_get(nullptr, what, &len) == nullptr);
}

TEST_CASE("a turn of no engine exists and answers its error") {
  for (sluice_turn *turn : {sluice_turn_new(nullptr, "{}", 2), sluice_turn_restore(nullptr, "{}", 2)}) {
    REQUIRE(turn != nullptr);
    CHECK(sluice_turn_feed(turn, "x", 1) == SLUICE_E_ARGUMENT);
    CHECK(sluice_turn_tick(turn, 1) == SLUICE_E_ARGUMENT);
    CHECK(sluice_turn_next_delta(turn, nullptr, nullptr, nullptr) == nullptr);
    CHECK(std::string(sluice_turn_get(turn, SLUICE_GET_ERROR, nullptr)).find("\"code\":-1") != std::string::npos);
    sluice_turn_free(turn);
  }
}

TEST_CASE("NULL documents and NULL bytes are told, not read") {
  sluice_engine *none = sluice_engine_new(nullptr, 0);
  REQUIRE(none != nullptr);
  CHECK(sluice_engine_error(none, nullptr) != nullptr);
  sluice_turn *of_none = sluice_turn_new(none, "{\"wire\":\"text\"}", 15);
  REQUIRE(of_none != nullptr);
  CHECK(sluice_turn_feed(of_none, "x", 1) < 0);
  sluice_turn_free(of_none);
  sluice_engine_free(none);

  sluice_engine *engine = sluice_engine_new("{}", 2);
  CHECK(sluice_engine_error(engine, nullptr) == nullptr);
  sluice_turn *turn = sluice_turn_new(engine, nullptr, 0);
  REQUIRE(turn != nullptr);
  CHECK(sluice_turn_feed(turn, "x", 1) < 0);
  sluice_turn_free(turn);

  turn = sluice_turn_new(engine, "{\"wire\":\"text\"}", 15);
  sluice_engine_free(engine);  // the turn keeps what it needs of its engine
  CHECK(sluice_turn_feed(turn, nullptr, 0) == SLUICE_OK);
  CHECK(sluice_turn_feed(turn, nullptr, 1) == SLUICE_E_ARGUMENT);
  CHECK(sluice_turn_feed(turn, "hello", 5) == SLUICE_OK);
  CHECK(sluice_turn_next_event(turn, nullptr) != nullptr);
  for (int32_t what : {-1, 0, 8, 1000}) CHECK(sluice_turn_get(turn, what, nullptr) == nullptr);
  CHECK(sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0) == SLUICE_OK);
  sluice_turn_free(turn);
}

TEST_CASE("no verb reads a NULL pointer with a length, or takes a number that means nothing") {
  sluice_engine *engine = sluice_engine_new("{}", 2);
  const std::string config =
      R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"q"}]}})";
  sluice_turn *turn = sluice_turn_new(engine, config.data(), config.size());
  const auto refuses = [&](int32_t code, const std::string &why) {
    CHECK(code == SLUICE_E_ARGUMENT);
    const std::string error = sluice_turn_get(turn, SLUICE_GET_ERROR, nullptr);
    INFO(error);
    CHECK(error.find(why) != std::string::npos);
  };
  constexpr const char *kNull = "a NULL pointer with a length above 0";
  refuses(sluice_turn_response(turn, 200, nullptr, 1), kNull);
  refuses(sluice_turn_finish(turn, SLUICE_END_NETWORK, nullptr, 1), kNull);
  refuses(sluice_turn_approve(turn, 1, SLUICE_ONCE, nullptr, 1), kNull);
  refuses(sluice_turn_deny(turn, 1, nullptr, 1), kNull);
  refuses(sluice_turn_refuse(turn, 1, nullptr, 1), kNull);
  refuses(sluice_turn_judge(turn, 1, nullptr, 1), kNull);
  refuses(sluice_turn_conclude(turn, SLUICE_FINAL_RETRY, nullptr, 1), kNull);
  refuses(sluice_turn_cancel(turn, 0, nullptr, 1), kNull);
  refuses(sluice_turn_submit(turn, 1, SLUICE_RESULT, nullptr, 1), kNull);
  refuses(sluice_turn_resolve(turn, 1, nullptr, 1), kNull);
  CHECK(sluice_turn_find_tool(turn, nullptr, 1, nullptr) == nullptr);
  for (const int32_t status : {-1, 0, 99, 1000})
    refuses(sluice_turn_response(turn, status, nullptr, 0), "expected an HTTP status");
  for (const int32_t how : {-1, 6}) refuses(sluice_turn_finish(turn, how, nullptr, 0), "0 to 5");
  for (const int32_t decision : {-1, 5, 256, 260})
    refuses(sluice_turn_approve(turn, 1, decision, nullptr, 0), "0 to 4");
  for (const int32_t how : {-1, 3}) refuses(sluice_turn_conclude(turn, how, "x", 1), "0 to 2");
  for (const int32_t kind : {-1, 6}) refuses(sluice_turn_submit(turn, 1, kind, "x", 1), "0 to 5");
  CHECK(sluice_turn_get(turn, 99, nullptr) == nullptr);
  CHECK(std::string(sluice_turn_get(turn, SLUICE_GET_ERROR, nullptr)).find("1 to 7, found 99") != std::string::npos);
  CHECK(std::string(sluice_turn_next_event(turn, nullptr)).starts_with(R"({"type":"request")"));  // nothing changed
  sluice_turn_free(turn);
  sluice_engine_free(engine);
}

TEST_CASE("a borrowed string outlives calls of other functions") {
  sluice_engine *engine = sluice_engine_new("{}", 2);
  sluice_turn *turn = sluice_turn_new(engine, "{\"wire\":\"text\"}", 15);
  sluice_turn_feed(turn, "one", 3);
  size_t len = 0;
  const char *event = sluice_turn_next_event(turn, &len);
  REQUIRE(event != nullptr);
  const std::string copy(event, len);
  sluice_turn_feed(turn, "two", 3);
  sluice_turn_tick(turn, 1000);
  const char *message = sluice_turn_get(turn, SLUICE_GET_MESSAGE, nullptr);
  const std::string message_copy(message);
  sluice_turn_get(turn, SLUICE_GET_HISTORY, nullptr);
  sluice_turn_get(turn, SLUICE_GET_TOOLS, nullptr);
  sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0);
  CHECK(copy == event);
  CHECK(message_copy == message);
  sluice_turn_free(turn);
  sluice_engine_free(engine);
}

TEST_CASE("plain text that is not UTF-8 is repaired, a document that is not is refused") {
  const std::string tools = R"({"tools":[{"name":"t","description":"d","agentCallable":true,"permission":"public"}]})";
  sluice_engine *engine = sluice_engine_new(tools.data(), tools.size());
  REQUIRE(sluice_engine_error(engine, nullptr) == nullptr);
  const std::string config =
      R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"q"}]}})";
  sluice_turn *turn = sluice_turn_new(engine, config.data(), config.size());
  const std::string answer =
      R"(data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"{}"}}]},"finish_reason":"stop"}]})"
      "\n\n";
  sluice_turn_feed(turn, answer.data(), answer.size());
  sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0);
  while (sluice_turn_next_event(turn, nullptr) != nullptr) {
  }
  CHECK(sluice_turn_submit(turn, 1, SLUICE_RESULT_JSON, "\"\xff\"", 3) == SLUICE_E_JSON);
  CHECK(sluice_turn_submit(turn, 1, SLUICE_PROGRESS, "\xe4\xbd", 2) == SLUICE_OK);
  CHECK(sluice_turn_submit(turn, 1, SLUICE_RESULT, "a\xff z", 4) == SLUICE_OK);
  CHECK(std::string(sluice_turn_get(turn, SLUICE_GET_MESSAGE, nullptr)).find("a\xef\xbf\xbd z") != std::string::npos);
  CHECK(sluice_turn_cancel(turn, 0, "\xc0", 1) == SLUICE_OK);
  sluice_turn_free(turn);

  const std::string broken = "{\"wire\":\"text\",\"x-a\":\"\xff\"}";
  turn = sluice_turn_new(engine, broken.data(), broken.size());
  CHECK(sluice_turn_feed(turn, "x", 1) == SLUICE_E_JSON);
  sluice_turn_free(turn);
  sluice_engine_free(engine);
}
