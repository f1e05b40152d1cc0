// An answer of a provider, any bytes: whatever it holds, the events are the same however it is cut, no call runs that
// was not asked for, every card ends, nothing is poisoned. The first byte chooses the configuration, the second the
// cuts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

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
  std::string events;  // neighbouring deltas joined
  std::string message;
};

[[noreturn]] void fail(const char *what, const std::string &a, const std::string &b = {}) {
  std::fprintf(stderr, "%s\n--- whole\n%s\n--- cut\n%s\n", what, a.c_str(), b.c_str());
  std::abort();
}

// Events without seq; a delta that goes on where the last one stopped is joined to it.
void drain(sluice_turn *turn, std::string &out, std::string &last_head) {
  size_t len = 0;
  while (const char *text = sluice_turn_next_event(turn, &len)) {
    std::string event(text, len);
    event.resize(event.rfind(",\"seq\":"));
    const bool delta = event.starts_with("{\"type\":\"text\"") || event.starts_with("{\"type\":\"reasoning\"") ||
                       event.starts_with("{\"type\":\"args\"");
    const size_t head = delta ? event.find(",\"text\":\"") : std::string::npos;
    if (head == std::string::npos) {
      out += event + "}\n";
      last_head.clear();
    } else if (event.substr(0, head) == last_head) {
      out.resize(out.size() - 2);
      out += event.substr(head + 9) + "\n";
    } else {
      last_head = event.substr(0, head);
      out += event + "\n";
    }
  }
}

void check(int32_t code) {
  if (code == SLUICE_E_INTERNAL || code == SLUICE_E_MEMORY) fail("the turn is poisoned", std::to_string(code));
}

Trace run(sluice_engine *engine, const char *config, std::string_view body, uint32_t cuts) {
  sluice_turn *turn = sluice_turn_new(engine, config, std::char_traits<char>::length(config));
  if (const char *error = sluice_turn_get(turn, SLUICE_GET_ERROR, nullptr)) fail("the turn cannot be made", error);
  Trace trace;
  std::string last_head;
  drain(turn, trace.events, last_head);
  while (!body.empty()) {
    size_t piece = body.size();
    if (cuts != 0) {
      cuts = cuts * 1664525U + 1013904223U;
      piece = std::min<size_t>(body.size(), cuts % 4 == 0 ? 1 : (cuts >> 8) % 23 + 1);
    }
    check(sluice_turn_feed(turn, body.data(), piece));
    drain(turn, trace.events, last_head);
    body.remove_prefix(piece);
  }
  check(sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0));
  drain(turn, trace.events, last_head);
  check(sluice_turn_cancel(turn, 0, nullptr, 0));
  drain(turn, trace.events, last_head);
  if (const char *message = sluice_turn_get(turn, SLUICE_GET_MESSAGE, nullptr)) trace.message = message;
  if (sluice_turn_get(turn, SLUICE_GET_HISTORY, nullptr) == nullptr) fail("there is no history", trace.events);
  sluice_turn_free(turn);
  return trace;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sluice_engine *const engine = sluice_engine_new(kEngine, std::char_traits<char>::length(kEngine));
  if (size < 2) return 0;
  const char *const config = kTurns[data[0] % std::size(kTurns)];
  const std::string_view body(reinterpret_cast<const char *>(data) + 2, size - 2);
  const Trace whole = run(engine, config, body, 0);
  const Trace cut = run(engine, config, body, data[1] + 1U);
  if (whole.events != cut.events) fail("the events depend on the cuts", whole.events, cut.events);
  if (whole.message != cut.message) fail("the message depends on the cuts", whole.message, cut.message);
  if (whole.events.find("\"type\":\"done\"") == std::string::npos) fail("the turn did not end", whole.events);
  return 0;
}
