// Many turns through the C ABI: 1,000 at once, then 10,000 one after another, with every way to end one; what is live
// in the allocator is counted. A program of its own, because it replaces the allocator. Tells a line per part, and ends
// with 1 where memory is left.
#include <sluice/sluice.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../native/live_memory.h"

using sluice_test::live;

namespace {

constexpr std::string_view kEngine =
    R"({"tools":[{"name":"look","agentCallable":true,"permission":"public","parameters":{"type":"object"}},)"
    R"({"name":"remove","agentCallable":true,"permission":"sensitive","parameters":{"type":"object"}}]})";
constexpr std::string_view kTurns[] = {
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","mode":"text","protocol":"hermes","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
};
constexpr std::string_view kEnd =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

std::string content(const std::string &text) {
  return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
}

std::string call(const std::string &name) {
  return "data: "
         "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"" +
         name + "\",\"arguments\":\"{\\\"at\\\":1}\"}}]}}]}\n\n";
}

class Turn {
 public:
  Turn(sluice_engine *engine, size_t number)
      : engine_(engine),
        turn_(sluice_turn_new(engine, kTurns[number % 2].data(), kTurns[number % 2].size())),
        number_(number) {}
  Turn(Turn &&other) noexcept
      : engine_(other.engine_), turn_(std::exchange(other.turn_, nullptr)), number_(other.number_) {}
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;
  ~Turn() { sluice_turn_free(turn_); }

  // The first half of an answer: text, and a call that runs or asks.
  void begin() {
    poll();
    feed(content("Let me see. " + std::string(2000, 'x')));
    feed(call(number_ % 3 == 0 ? "remove" : "look"));
    poll();
  }
  // Every seventh is left where it is.
  void end() {
    switch (number_ % 7) {
      case 0: return;
      case 1: sluice_turn_cancel(turn_, 0, nullptr, 0); break;
      case 2: sluice_turn_finish(turn_, SLUICE_END_NETWORK, "broken", 6); break;
      case 3: restore(); [[fallthrough]];
      default:
        feed(std::string(kEnd));
        sluice_turn_finish(turn_, SLUICE_END_COMPLETE, nullptr, 0);
        poll();
        sluice_turn_approve(turn_, 1, SLUICE_TURN, nullptr, 0);
        poll();
        sluice_turn_submit(turn_, 1, SLUICE_RESULT, "ok", 2);
        poll();
        feed(content("That is it.") + std::string(kEnd));
        sluice_turn_finish(turn_, SLUICE_END_COMPLETE, nullptr, 0);
    }
    poll();
    for (int32_t what = SLUICE_GET_REQUEST; what <= SLUICE_GET_ERROR; ++what) sluice_turn_get(turn_, what, nullptr);
  }

 private:
  void feed(const std::string &bytes) { sluice_turn_feed(turn_, bytes.data(), bytes.size()); }
  void poll() {
    while (sluice_turn_next_event(turn_, nullptr) != nullptr) ++events;
  }
  void restore() {
    size_t size = 0;
    const char *const state = sluice_turn_get(turn_, SLUICE_GET_STATE, &size);
    sluice_turn *const other = sluice_turn_restore(engine_, state, size);
    sluice_turn_free(turn_);
    turn_ = other;
  }

  sluice_engine *engine_;
  sluice_turn *turn_;
  size_t number_;

 public:
  static inline std::atomic<size_t> events = 0;
};

bool told(const char *what, size_t before, size_t turns) {
  const auto left = static_cast<long>(live - before);
  std::printf("%s: %zu turns, %zu events so far, %ld bytes left\n", what, turns, Turn::events.load(), left);
  return left == 0;
}

}  // namespace

int main() {
  bool flat = true;
  sluice_engine *const engine = sluice_engine_new(kEngine.data(), kEngine.size());
  if (sluice_engine_error(engine, nullptr) != nullptr) return 1;
  const auto one = [&](size_t number) {
    Turn turn(engine, number);
    turn.begin();
    turn.end();
  };
  for (size_t number = 0; number < 42; ++number) one(number);  // what is made once per process is made

  size_t before = live;
  {
    std::vector<Turn> turns;
    for (size_t number = 0; number < 1000; ++number) turns.emplace_back(engine, number).begin();
    for (Turn &turn : turns) turn.end();
    turns.clear();
  }
  flat &= told("at once", before, 1000);

  before = live;
  for (size_t number = 0; number < 10000; ++number) one(number);
  flat &= told("one after another", before, 10000);

  before = live;
  for (size_t round = 0; round < 50; ++round) {
    std::vector<std::thread> threads;
    for (size_t number = 0; number < 4; ++number)
      threads.emplace_back([&, number] {
        for (size_t i = 0; i < 20; ++i) one(number + 4 * i);
      });
    for (std::thread &thread : threads) thread.join();
  }
  flat &= told("on threads that end", before, size_t{50} * 4 * 20);

  sluice_engine_free(engine);
  return flat ? 0 : 1;
}
