// How fast a saved turn is restored, by what its state holds mostly: at least 100 MB of state a second.
#include <benchmark/benchmark.h>
#include <sluice/sluice.h>

#include <string>
#include <string_view>

namespace {

constexpr std::string_view kEngine =
    R"({"tools":[{"name":"note","agentCallable":true,"permission":"moderate","parameters":{"type":"object"}}],)"
    R"("limits":{"argumentBytes":1073741824,"textBytes":1073741824,"callsPerRound":4096},"maxCalls":100000})";

std::string event(const std::string &delta) { return R"(data: {"choices":[{"index":0,"delta":)" + delta + "}]}\n\n"; }
std::string opens(size_t index) {
  return event(R"({"tool_calls":[{"index":)" + std::to_string(index) + R"(,"id":"call_)" + std::to_string(index) +
               R"(","function":{"name":"note","arguments":""}}]})");
}
std::string writes(size_t index, const std::string &text) {
  return event(R"({"tool_calls":[{"index":)" + std::to_string(index) + R"(,"function":{"arguments":")" + text +
               R"("}}]})");
}

// So many bytes as a model writes them, within JSON.
std::string words(size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += R"(some \"words\" of 你好, and so on\n)";
  return out;
}

class Saved {
 public:
  Saved(const std::string &turn_members, const std::string &answer, bool ended)
      : engine_(sluice_engine_new(kEngine.data(), kEngine.size())) {
    const std::string document =
        "{" + turn_members + R"(,"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})";
    sluice_turn *const turn = sluice_turn_new(engine_, document.data(), document.size());
    const auto poll = [&] {
      while (sluice_turn_next_event(turn, nullptr) != nullptr) {
      }
    };
    poll();
    sluice_turn_feed(turn, answer.data(), answer.size());
    if (ended) sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0);
    poll();
    size_t size = 0;
    const char *const state = sluice_turn_get(turn, SLUICE_GET_STATE, &size);
    state_.assign(state, size);
    sluice_turn_free(turn);
  }
  ~Saved() { sluice_engine_free(engine_); }
  Saved(const Saved &) = delete;
  Saved &operator=(const Saved &) = delete;

  void restore(benchmark::State &state) const {
    for (auto _ : state) {
      sluice_turn *const turn = sluice_turn_restore(engine_, state_.data(), state_.size());
      if (sluice_turn_get(turn, SLUICE_GET_ERROR, nullptr) != nullptr) state.SkipWithError("it was not restored");
      sluice_turn_free(turn);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(state_.size()));
    state.counters["MB"] = static_cast<double>(state_.size()) / 1e6;
  }

 private:
  sluice_engine *engine_;
  std::string state_;
};

constexpr const char *kNative = R"("wire":"openai-chat")";
constexpr size_t kBytes = size_t{8} << 20;

void restore_text(benchmark::State &state) {
  Saved(kNative, event(R"({"content":")" + words(kBytes) + "\"}"), false).restore(state);
}
void restore_waiting_call(benchmark::State &state) {
  std::string value = words(kBytes / 2), escaped;
  for (const char c : value) escaped += c == '\\' ? "\\\\" : c == '"' ? "\\\"" : std::string(1, c);
  Saved(kNative, opens(0) + writes(0, R"({\"a\":\")" + escaped + R"(\"})") + "data: [DONE]\n\n", true).restore(state);
}
void restore_calls(benchmark::State &state) {
  std::string answer;
  for (size_t i = 0; i < 4000; ++i) answer += opens(i) + writes(i, R"({\"a\":)" + std::to_string(i) + "}");
  Saved(kNative, answer + "data: [DONE]\n\n", true).restore(state);
}
void restore_text_of_a_protocol(benchmark::State &state) {
  Saved(R"("wire":"openai-chat","mode":"text","protocol":"hermes")",
        event(R"({"content":")" + words(kBytes) + R"(<tool_call>\n{\"name\":\"note\",\"arguments\":{\"a\":\")" + "\"}"),
        false)
      .restore(state);
}
BENCHMARK(restore_text)->Unit(benchmark::kMillisecond);
BENCHMARK(restore_waiting_call)->Unit(benchmark::kMillisecond);
BENCHMARK(restore_calls)->Unit(benchmark::kMillisecond);
BENCHMARK(restore_text_of_a_protocol)->Unit(benchmark::kMillisecond);

}  // namespace
