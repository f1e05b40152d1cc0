// Counts how work grows with the input, instead of timing it: SLUICE_GROWTH builds the core with a call in each basic
// block, so that the same input takes the same number of steps on every machine. Of the C library, what it copies and
// searches counts: a step per 16 bytes.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "sluice/sluice.h"

namespace sluice_test {

using sluice::json_string;

// The steps that `work` takes.
double counted(const std::function<void()> &work);

// `work` tells the steps of an input of that size. Twice the size is tried twice, because a buffer that grows by
// doubling may take its last step just before or behind a size. Where that is too much, it is asked once more from the
// larger size on: from some size on a text takes one more pass, and only there twice the bytes take more.
inline void takes_at_most_twice(const std::string &what, size_t size, const std::function<double(size_t)> &work,
                                double most = 2.1) {
  double once = work(size), four = work(4 * size);
  if (four > most * most * once) once = std::exchange(four, work(16 * size));
  INFO(what << ": " << once << " steps for " << size << " or four times as much, " << four
            << " for four times of that: " << std::sqrt(four / once) << " for twice");
  CHECK(four <= most * most * once);
}

inline constexpr const char *kTool =
    R"({"name":"t","permission":"public","agentCallable":true,"parameters":{"type":"object"})";
inline constexpr const char *kMuch =
    R"(,"limits":{"callsPerRound":4096,"argumentBytes":100000000,"textBytes":100000000,"blocks":1000000},"maxCalls":1000000,"repeatLimit":1000000,"maxRounds":1000000})";

class Host {
 public:
  explicit Host(const std::string &engine, const std::string &turn_members = R"("wire":"openai-chat")",
                const std::string &messages = R"([{"role":"user","content":"x"}])") {
    engine_ = sluice_engine_new(engine.data(), engine.size());
    REQUIRE(sluice_engine_error(engine_, nullptr) == nullptr);
    const std::string turn = "{" + turn_members + R"(,"request":{"model":"m","messages":)" + messages + "}}";
    turn_ = sluice_turn_new(engine_, turn.data(), turn.size());
    REQUIRE(sluice_turn_get(turn_, SLUICE_GET_ERROR, nullptr) == nullptr);
    poll();
  }
  ~Host() {
    sluice_turn_free(turn_);
    sluice_engine_free(engine_);
  }
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;

  void feed(std::string_view bytes) {
    // Not by REQUIRE, which copies texts.
    if (sluice_turn_feed(turn_, bytes.data(), bytes.size()) != SLUICE_OK) FAIL("the bytes were not taken");
  }
  void end() {
    feed(R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})"
         "\n\ndata: [DONE]\n\n");
    REQUIRE(sluice_turn_finish(turn_, SLUICE_END_COMPLETE, nullptr, 0) == SLUICE_OK);
  }
  // The calls whose execute event was polled.
  std::vector<uint32_t> poll() {
    constexpr std::string_view kExecute = R"({"type":"execute","call":)";
    std::vector<uint32_t> out;
    size_t size = 0;
    while (const char *event = sluice_turn_next_event(turn_, &size))
      if (std::string_view(event, size).starts_with(kExecute))
        out.push_back(static_cast<uint32_t>(std::stoul(event + kExecute.size())));
    return out;
  }
  // Runs calls until none is left to run; returns how many ran.
  size_t run(bool ticks = true) {
    size_t count = 0;
    for (std::vector<uint32_t> calls; !(calls = poll()).empty(); count += calls.size())
      for (const uint32_t call : calls) {
        if (ticks) sluice_turn_tick(turn_, ++now_);
        if (sluice_turn_submit(turn_, call, SLUICE_RESULT, "ok", 2) != SLUICE_OK) FAIL("the result was not taken");
      }
    return count;
  }
  void tick() { sluice_turn_tick(turn_, ++now_); }
  std::string get(int32_t what) {
    size_t size = 0;
    const char *const text = sluice_turn_get(turn_, what, &size);
    return text == nullptr ? std::string() : std::string(text, size);
  }
  sluice_turn *turn() const { return turn_; }
  sluice_engine *engine() const { return engine_; }

 private:
  sluice_engine *engine_ = nullptr;
  sluice_turn *turn_ = nullptr;
  int64_t now_ = 1000;
};

inline std::string engine_of(const std::string &tool_members = "") {
  return R"({"tools":[)" + (kTool + tool_members) + "}]" + kMuch;
}

inline std::string delta(const std::string &members) {
  return R"(data: {"choices":[{"index":0,"delta":{)" + members + "}}]}\n\n";
}

inline std::string call_delta(size_t index, const std::string &arguments, bool head = true) {
  const std::string number = std::to_string(index);
  return delta(R"("tool_calls":[{"index":)" + number + (head ? R"(,"id":"c)" + number + "\"" : "") +
               R"(,"function":{)" + (head ? R"("name":"t",)" : "") + R"("arguments":)" + json_string(arguments) +
               "}}]");
}

}  // namespace sluice_test
