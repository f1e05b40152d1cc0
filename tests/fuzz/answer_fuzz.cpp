// An answer of a provider, any bytes: whatever it holds, the events are the same however it is cut, and the same with
// and without JSON around their text; the turn ends, and nothing is poisoned. The first byte chooses the configuration,
// the second the cuts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sluice/sluice.h"

namespace {

constexpr const char *kEngine = R"({"tools":[
  {"name":"weather.now","agentCallable":true,"permission":"public","parameters":{"type":"object",
   "properties":{"city":{"type":"string"},"days":{"type":"integer"},"deep":{"type":"object"}},"required":["city"]}},
  {"name":"live2d.expression","agentCallable":true,"permission":"public","immediate":true,
   "parameters":{"type":"object","properties":{"name":{"enum":["smile"]}},"required":["name"]},
   "ipc":{"channel":"live2d:expression","payload":[{"arg":"name"}]}},
  {"name":"f","agentCallable":true,"permission":"moderate"}]})";

constexpr const char *kTurns[] = {
    R"({"wire":"text","protocol":"vcp"})",
    R"({"wire":"text","protocol":{"id":"vcp","lenient":true,"serial":"split"}})",
    R"({"wire":"text","protocol":{"id":"vcp","code":"parse","trim":false,"duplicates":"first"}})",
    R"({"wire":"openai-chat"})",
    R"({"wire":"openai-chat","mode":"text"})",
    R"({"wire":"text","protocol":"vcp","limits":{"candidateBytes":64,"argumentBytes":256,"textBytes":4096,"callsPerRound":4}})",
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]},"dispatch":"block","limits":{"lineBytes":2048}})",
    R"({"wire":"text","request":{"messages":[{"role":"user","content":"go"}]},"startsInReasoning":true,"stopAfterCall":true})",
};

struct Trace {
  std::string polled;  // every event as it came
  std::string events;  // without seq, neighbouring deltas joined
  std::string message;
};

[[noreturn]] void fail(const char *what, const std::string &a, const std::string &b = {}) {
  std::fprintf(stderr, "%s\n--- one\n%s\n--- other\n%s\n", what, a.c_str(), b.c_str());
  std::abort();
}

void check(int32_t code) {
  if (code == SLUICE_E_INTERNAL || code == SLUICE_E_MEMORY) fail("the turn is poisoned", std::to_string(code));
}

// One turn that reads the body. `cuts`: seed of the pieces; 0: one piece. `plain`: text is polled as bytes.
class Play {
 public:
  Play(sluice_engine *engine, const char *config, bool plain)
      : turn_(sluice_turn_new(engine, config, std::char_traits<char>::length(config))), plain_(plain) {
    if (const char *error = sluice_turn_get(turn_, SLUICE_GET_ERROR, nullptr)) fail("the turn cannot be made", error);
  }
  Play(const Play &) = delete;
  Play &operator=(const Play &) = delete;
  ~Play() { sluice_turn_free(turn_); }

  Trace run(std::string_view body, uint32_t cuts) {
    drain();
    while (!body.empty()) {
      size_t piece = body.size();
      if (cuts != 0) {
        cuts = cuts * 1664525U + 1013904223U;
        piece = std::min<size_t>(body.size(), cuts % 4 == 0 ? 1 : (cuts >> 8) % 23 + 1);
      }
      check(sluice_turn_feed(turn_, body.data(), piece));
      drain();
      body.remove_prefix(piece);
    }
    check(sluice_turn_finish(turn_, SLUICE_END_COMPLETE, nullptr, 0));
    drain();
    check(sluice_turn_cancel(turn_, 0, nullptr, 0));
    drain();
    if (const char *message = sluice_turn_get(turn_, SLUICE_GET_MESSAGE, nullptr)) trace_.message = message;
    if (sluice_turn_get(turn_, SLUICE_GET_HISTORY, nullptr) == nullptr) fail("there is no history", trace_.events);
    return trace_;
  }

 private:
  void drain() {
    for (;;) {
      std::string event;
      size_t len = 0;
      if (plain_ && poll_piece(event)) {
        event += ",\"seq\":" + std::to_string(++seq_) + "}";
      } else if (const char *const text = sluice_turn_next_event(turn_, &len)) {
        event.assign(text, len);
        seq_ = std::strtoul(event.c_str() + event.rfind(':') + 1, nullptr, 10);
      } else {
        return;
      }
      trace_.polled += event + "\n";
      event.resize(event.rfind(",\"seq\":"));
      join(event);
    }
  }

  // The event of a piece as JSON, up to its seq.
  bool poll_piece(std::string &event) {
    static constexpr const char *kHeads[] = {"", R"("text","block":)", R"("reasoning","block":)", R"("args","call":)",
                                             R"("progress","call":)"};
    int32_t kind = 0;
    uint32_t index = 0;
    size_t len = 0;
    const char *const text = sluice_turn_next_delta(turn_, &kind, &index, &len);
    if (text == nullptr) return false;
    if (kind < SLUICE_DELTA_TEXT || kind > SLUICE_DELTA_PROGRESS) fail("a piece without a kind", std::to_string(kind));
    event = "{\"type\":" + std::string(kHeads[kind]) + std::to_string(index) +
            ",\"text\":" + sluice::json_string({text, len});
    return true;
  }

  // A delta that goes on where the last one stopped is joined to it.
  void join(const std::string &event) {
    const bool delta = event.starts_with("{\"type\":\"text\"") || event.starts_with("{\"type\":\"reasoning\"") ||
                       event.starts_with("{\"type\":\"args\"");
    const size_t head = delta ? event.find(",\"text\":\"") : std::string::npos;
    std::string &out = trace_.events;
    if (head == std::string::npos) {
      out += event + "}\n";
      last_head_.clear();
    } else if (event.substr(0, head) == last_head_) {
      out.resize(out.size() - 2);
      out += event.substr(head + 9) + "\n";
    } else {
      last_head_ = event.substr(0, head);
      out += event + "\n";
    }
  }

  sluice_turn *turn_;
  const bool plain_;
  size_t seq_ = 0;
  Trace trace_;
  std::string last_head_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sluice_engine *const engine = sluice_engine_new(kEngine, std::char_traits<char>::length(kEngine));
  if (size < 2) return 0;
  const char *const config = kTurns[data[0] % std::size(kTurns)];
  const std::string_view body(reinterpret_cast<const char *>(data) + 2, size - 2);
  const Trace whole = Play(engine, config, false).run(body, 0);
  const Trace cut = Play(engine, config, false).run(body, data[1] + 1U);
  if (whole.events != cut.events) fail("the events depend on the cuts", whole.events, cut.events);
  if (whole.message != cut.message) fail("the message depends on the cuts", whole.message, cut.message);
  const Trace plain = Play(engine, config, true).run(body, data[1] + 1U);
  if (cut.polled != plain.polled) fail("the events depend on how they are polled", cut.polled, plain.polled);
  if (cut.message != plain.message) fail("the message depends on how events are polled", cut.message, plain.message);
  if (whole.events.find("\"type\":\"done\"") == std::string::npos) fail("the turn did not end", whole.events);
  return 0;
}
