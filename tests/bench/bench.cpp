// What a delta costs, through the C ABI: time and allocations, and whether twice the bytes take twice the time.
#include <benchmark/benchmark.h>
#include <sluice/sluice.h>

#if defined(__GLIBC__)
#  include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench.h"

// -- allocations of the whole process
// ---------------------------------------------------------------------------------------

namespace {
std::atomic<size_t> allocations = 0;
}

#if defined(__GLIBC__)
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
}
#endif

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char *kNative = R"({"wire":"openai-chat"})";
constexpr const char *kVcp = R"({"wire":"openai-chat","mode":"text","protocol":"vcp"})";
// No limit that a benchmark could reach.
constexpr const char *kText =
    R"({"wire":"text","protocol":"vcp","limits":{"textBytes":1073741824,"argumentBytes":1073741824}})";
constexpr const char *kBigNative =
    R"({"wire":"openai-chat","limits":{"argumentBytes":1073741824,"textBytes":1073741824}})";

class Parser {  // a turn that only parses
 public:
  explicit Parser(std::string_view config)
      : engine_(sluice_engine_new("{}", 2)), turn_(sluice_turn_new(engine_, config.data(), config.size())) {}
  ~Parser() {
    sluice_turn_free(turn_);
    sluice_engine_free(engine_);
  }
  Parser(const Parser &) = delete;
  Parser &operator=(const Parser &) = delete;

  void feed(std::string_view bytes) {
    if (sluice_turn_feed(turn_, bytes.data(), bytes.size()) != SLUICE_OK) {
      std::fprintf(stderr, "feed failed: %s\n", sluice_turn_get(turn_, SLUICE_GET_ERROR, nullptr));
      std::abort();
    }
  }
  size_t poll() {
    size_t events = 0, len = 0;
    while (const char *event = sluice_turn_next_event(turn_, &len)) {
      benchmark::DoNotOptimize(event);
      ++events;
    }
    return events;
  }
  void finish() { sluice_turn_finish(turn_, SLUICE_END_COMPLETE, nullptr, 0); }

 private:
  sluice_engine *engine_;
  sluice_turn *turn_;
};

std::string event(const std::string &delta) {
  return R"(data: {"id":"chatcmpl-B1x9pQ2cS7","object":"chat.completion.chunk","created":1727346169,"model":"gpt-4o-mini",)"
         R"("system_fingerprint":"fp_f85bea6784","choices":[{"index":0,"delta":)" +
         delta + R"(,"logprobs":null,"finish_reason":null}]})" + "\n\n";
}
std::string text_event(const std::string &text) { return event(R"({"content":")" + text + R"("})"); }
std::string argument_event(const std::string &json_escaped) {
  return event(R"({"tool_calls":[{"index":0,"function":{"arguments":")" + json_escaped + R"("}}]})");
}
const std::string kCallOpens = event(
    R"({"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"note","arguments":"{\"text\":\""}}]})");
const std::string kBlockOpens = text_event("<<<[TOOL_REQUEST]>>>\\ntool_name:「始」note「末」,\\ntext:「始」");

constexpr int kDeltas = 8192, kWarm = 1024;

// `first`, then the same delta again and again, polled after each: what a token costs.
void deltas(benchmark::State &state, const char *config, const std::string &first, const std::string &delta) {
  size_t counted = 0, events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    {
      Parser parser(config);
      if (!first.empty()) parser.feed(first);
      for (int i = 0; i < kWarm; ++i) {
        parser.feed(delta);
        parser.poll();
      }
      const size_t before = allocations;
      state.ResumeTiming();
      for (int i = 0; i < kDeltas; ++i) {
        parser.feed(delta);
        events += parser.poll();
      }
      state.PauseTiming();
      counted += allocations - before;
    }
    state.ResumeTiming();
  }
  const double count = static_cast<double>(state.iterations()) * kDeltas;
  state.SetBytesProcessed(static_cast<int64_t>(count * static_cast<double>(delta.size())));
  state.counters["ns/delta"] =
      benchmark::Counter(count * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["allocs/event"] = events == 0 ? 0 : static_cast<double>(counted) / static_cast<double>(events);
  state.counters["events/delta"] = static_cast<double>(events) / count;
}

void text_native(benchmark::State &state) { deltas(state, kNative, "", text_event(" token")); }
void text_vcp(benchmark::State &state) { deltas(state, kVcp, "", text_event(" token")); }
void arguments_native(benchmark::State &state) { deltas(state, kNative, kCallOpens, argument_event(" token")); }
void arguments_vcp(benchmark::State &state) { deltas(state, kVcp, kBlockOpens, text_event(" token")); }
BENCHMARK(text_native);
BENCHMARK(text_vcp);
BENCHMARK(arguments_native);
BENCHMARK(arguments_vcp);

// The same on the other wires: at most half as much again.
std::string anthropic_event(const std::string &type, const std::string &members) {
  return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + members + "}\n\n";
}
const std::string kAnthropicOpens =
    anthropic_event("message_start", R"("message":{"id":"msg_1","type":"message","model":"claude-x","content":[]})");
std::string anthropic_block(const std::string &block) {
  return anthropic_event("content_block_start", R"("index":0,"content_block":)" + block);
}
std::string anthropic_delta(const std::string &delta) {
  return anthropic_event("content_block_delta", R"("index":0,"delta":)" + delta);
}
void text_anthropic(benchmark::State &state) {
  deltas(state, R"({"wire":"anthropic"})", kAnthropicOpens + anthropic_block(R"({"type":"text","text":""})"),
         anthropic_delta(R"({"type":"text_delta","text":" token"})"));
}
void arguments_anthropic(benchmark::State &state) {
  deltas(state, R"({"wire":"anthropic"})",
         kAnthropicOpens + anthropic_block(R"({"type":"tool_use","id":"toolu_1","name":"note","input":{}})") +
             anthropic_delta(R"({"type":"input_json_delta","partial_json":"{\"text\":\""})"),
         anthropic_delta(R"({"type":"input_json_delta","partial_json":" token"})"));
}
// Gemini counts tokens in every event, and streams arguments as values with paths.
std::string gemini_event(const std::string &part) {
  return R"(data: {"candidates": [{"content": {"parts": [)" + part +
         R"(],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 34,"candidatesTokenCount": 17,"totalTokenCount": 51},"modelVersion": "gemini-3-pro","responseId": "bH6LaZW8Fp"})"
         "\r\n\r\n";
}
std::string gemini_arguments(const std::string &piece) {
  return gemini_event(R"({"functionCall": {"partialArgs": [{"jsonPath": "$.text","stringValue": ")" + piece +
                      R"(","willContinue": true}],"willContinue": true}})");
}
void text_gemini(benchmark::State &state) {
  deltas(state, R"({"wire":"gemini"})", "", gemini_event(R"({"text": " token"})"));
}
void arguments_gemini(benchmark::State &state) {
  deltas(state, R"({"wire":"gemini"})", gemini_event(R"({"functionCall": {"name": "note","willContinue": true}})"),
         gemini_arguments(" token"));
}
std::string interactions_event(const std::string &type, const std::string &members) {
  return "event: " + type + "\ndata: {\"index\":0," + members + ",\"event_type\":\"" + type + "\"}\n\n";
}
void text_gemini_interactions(benchmark::State &state) {
  deltas(state, R"({"wire":"gemini-interactions"})",
         interactions_event("step.start", R"("step":{"type":"model_output"})"),
         interactions_event("step.delta", R"("delta":{"text":" token","type":"text"})"));
}
void arguments_gemini_interactions(benchmark::State &state) {
  const std::string call = R"("step":{"type":"function_call","id":"call_1","name":"note","arguments":{}})";
  const std::string begins = R"("delta":{"arguments":"{\"text\":\"","type":"arguments_delta"})";
  deltas(state, R"({"wire":"gemini-interactions"})",
         interactions_event("step.start", call) + interactions_event("step.delta", begins),
         interactions_event("step.delta", R"("delta":{"arguments":" token","type":"arguments_delta"})"));
}
void text_ollama(benchmark::State &state) {
  deltas(
      state, R"({"wire":"ollama"})", "",
      R"({"model":"qwen3","created_at":"2026-08-19T14:34:32.371088Z","message":{"role":"assistant","content":" token"},"done":false})"
      "\n");
}
BENCHMARK(text_gemini);
BENCHMARK(arguments_gemini);
BENCHMARK(text_gemini_interactions);
BENCHMARK(arguments_gemini_interactions);
BENCHMARK(text_ollama);
BENCHMARK(text_anthropic);
BENCHMARK(arguments_anthropic);

std::string responses_event(const std::string &type, const std::string &members) {
  return "event: response." + type + "\ndata: {\"type\":\"response." + type + "\",\"sequence_number\":7," + members +
         "}\n\n";
}
void text_openai_responses(benchmark::State &state) {
  deltas(
      state, R"({"wire":"openai-responses"})",
      responses_event("output_item.added", R"("output_index":0,"item":{"type":"message","id":"msg_1","content":[]})"),
      responses_event("output_text.delta",
                      R"("item_id":"msg_1","output_index":0,"content_index":0,"delta":" token","logprobs":[])"));
}
void arguments_openai_responses(benchmark::State &state) {
  const std::string call = R"("item":{"type":"function_call","id":"fc_1","call_id":"c","name":"note","arguments":""})";
  const std::string of_call = R"("item_id":"fc_1","output_index":0,"delta":)";
  deltas(state, R"({"wire":"openai-responses"})",
         responses_event("output_item.added", R"("output_index":0,)" + call) +
             responses_event("function_call_arguments.delta", of_call + R"("{\"text\":\"")"),
         responses_event("function_call_arguments.delta", of_call + R"(" token")"));
}
BENCHMARK(text_openai_responses);
BENCHMARK(arguments_openai_responses);

// Plain prose on wire text: how fast the scanner passes what holds no call.
void prose(benchmark::State &state) {
  const size_t chunk = static_cast<size_t>(state.range(0));
  std::string text;
  while (text.size() < (size_t{1} << 20))
    text +=
        "The quick brown fox jumps over the lazy dog, and nobody minds; it has done so for years (since 1885, they "
        "say). ";
  for (auto _ : state) {
    state.PauseTiming();
    {
      Parser parser(kText);
      state.ResumeTiming();
      for (size_t at = 0; at < text.size(); at += chunk) {
        parser.feed(std::string_view(text).substr(at, chunk));
        parser.poll();
      }
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(prose)->Arg(16)->Arg(64)->Arg(1024)->Arg(65536)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);

// -- twice the bytes, twice the time
// ------------------------------------------------------------------------------------------

struct Doubling {
  const char *what;
  size_t bytes;  // of the smaller one
  std::function<void(size_t)> run;
};

void in_pieces(Parser &parser, std::string_view bytes, size_t piece) {
  for (size_t at = 0; at < bytes.size(); at += piece) {
    parser.feed(bytes.substr(at, piece));
    parser.poll();
  }
}

std::string repeat(std::string_view what, size_t bytes) {
  std::string out;
  out.reserve(bytes + what.size());
  while (out.size() < bytes) out += what;
  return out;
}

std::vector<Doubling> doublings() {
  static const std::string one_byte_delta = argument_event("x");
  auto on_text = [](std::string_view what, size_t piece) {
    return [=](size_t bytes) {
      const std::string text = repeat(what, bytes);
      Parser parser(kText);
      in_pieces(parser, text, piece);
      parser.finish();
    };
  };
  const std::string value = "<<<[TOOL_REQUEST]>>>tool_name:「始」note「末」,text:「始」";
  return {
      {"1 MB of arguments, one byte per delta, through SSE", size_t{1} << 19,
       [](size_t bytes) {
         Parser parser(kBigNative);
         parser.feed(kCallOpens);
         for (size_t i = 0; i < bytes; ++i) {
           parser.feed(one_byte_delta);
           parser.poll();
         }
         parser.feed(argument_event("\\\"}"));
         parser.finish();
       }},
      {"1 MB of arguments in one delta, fed byte by byte", size_t{1} << 19,
       [](size_t bytes) {
         const std::string delta = argument_event(std::string(bytes, 'x'));
         Parser parser(kBigNative);
         parser.feed(kCallOpens);
         for (char c : delta) parser.feed({&c, 1});
         parser.feed(argument_event("\\\"}"));
         parser.finish();
       }},
      {"a vcp value, one byte per feed", size_t{1} << 19,
       [value](size_t bytes) {
         Parser parser(kText);
         parser.feed(value);
         for (size_t i = 0; i < bytes; ++i) {
           parser.feed("x");
           parser.poll();
         }
         parser.feed("「末」<<<[END_TOOL_REQUEST]>>>");
         parser.finish();
       }},
      {"prose, one byte per feed", size_t{1} << 19, on_text("words and more words. ", 1)},
      {"<<< again and again", size_t{1} << 22, on_text("<<<", 4096)},
      {"openers in a row", size_t{1} << 21, on_text("<<<[TOOL_REQUEST]>>>", 4096)},
      {"openers with a field but no name", size_t{1} << 21, on_text("<<<[TOOL_REQUEST]>>>a:「始」b「末」", 4096)},
      {"back-ticks in runs of all lengths", size_t{1} << 21, on_text("` `` ``` ```` a ````` b ", 4096)},
      {"fences", size_t{1} << 21, on_text("```\nx\n```\n> ~~~\n> y\n> ~~~\n", 4096)},
      {"reasoning tags", size_t{1} << 21, on_text("<think>a</think>\n<thin <thinking", 4096)},
      {"complete calls", size_t{1} << 19,
       on_text("<<<[TOOL_REQUEST]>>>tool_name:「始」n「末」<<<[END_TOOL_REQUEST]>>> and ", 4096)},
  };
}

double milliseconds(const std::function<void(size_t)> &run, size_t bytes) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    run(bytes);
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char **argv) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // what a turn gives back stays mapped: page faults are no engine's work
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  std::printf("\n%-55s %10s %10s %7s\n", "twice the bytes (aim: at most 2.1 times the time)", "n ms", "2n ms", "ratio");
  for (const Doubling &doubling : doublings()) {
    const double once = milliseconds(doubling.run, doubling.bytes),
                 twice = milliseconds(doubling.run, 2 * doubling.bytes);
    std::printf("%-55s %10.1f %10.1f %7.2f\n", doubling.what, once, twice, twice / once);
  }
  print_protocols();
  return 0;
}
