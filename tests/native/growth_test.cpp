// Counts how work grows with the input, instead of timing it: SLUICE_GROWTH builds the core with a call in each basic
// block, so that the same input takes the same number of steps on every machine. Code inside the C and C++ libraries is
// not counted.
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "../fuzz/scan_check.h"
#include "protocol/quiet_sink.h"
#include "sluice/sluice.h"

namespace {

size_t steps = 0;

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() { ++steps; }

namespace {

using namespace sluice;
using namespace sluice_test;

double counted(const std::function<void()> &work) {
  const size_t before = steps;
  work();
  return static_cast<double>(steps - before);
}

// ---- scanners ----

struct Nothing : QuietSink {
  size_t calls = 0;
  void on_call_close(std::string_view, std::vector<ParsedCall> &all, std::string_view, size_t, size_t) override {
    calls += all.size();
  }
};

struct Format {
  std::string id;
  std::shared_ptr<const Protocol> protocol;
};

std::vector<Format> formats() {
  std::vector<Format> out;
  for (const auto &[id, config] : protocol_configs()) {
    std::shared_ptr<const Protocol> protocol;
    REQUIRE(make_protocol(config, protocol).message == "");
    out.push_back({id, std::move(protocol)});
  }
  return out;
}

NamedTools some_tools() {
  NamedTools tools;
  tools.tools = {"get_weather", "note", "search"};
  return tools;
}

double scan(const Format &format, std::string_view text, size_t piece) {
  const NamedTools tools = some_tools();
  return counted([&] {
    Nothing sink;
    const auto scanner = make_scanner({format.protocol}, tools, {4096, size_t{1} << 30, 128}, {}, sink);
    for (size_t at = 0; at < text.size(); at += piece) scanner->feed(text.substr(at, piece));
    scanner->finish();
  });
}

std::string call_of(const Format &format, size_t bytes) {
  std::string arguments = "{";
  for (size_t i = 0; arguments.size() < bytes; ++i)
    arguments += (i == 0 ? "" : ",") + ("\"key" + std::to_string(i)) + R"(":"a value, and one more")";
  std::string text = out_of_reasoning(*format.protocol);
  format.protocol->write_call("call_1", "note", arguments + "}", text);
  return text;
}

// The most steps that a feed takes apart from its bytes: where memchr skips a long value, that is nearly everything.
constexpr double kFeed = 120;

// ---- turns ----

constexpr const char *kTool =
    R"({"name":"t","permission":"public","agentCallable":true,"parameters":{"type":"object"})";
constexpr const char *kMuch =
    R"(,"limits":{"callsPerRound":100000,"argumentBytes":100000000},"maxCalls":1000000,"repeatLimit":1000000})";

class Host {
 public:
  explicit Host(const std::string &engine, const std::string &turn_members = R"("wire":"openai-chat")") {
    engine_ = sluice_engine_new(engine.data(), engine.size());
    REQUIRE(sluice_engine_error(engine_, nullptr) == nullptr);
    const std::string turn =
        "{" + turn_members + R"(,"request":{"model":"m","messages":[{"role":"user","content":"x"}]}})";
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

  void feed(std::string_view bytes) { REQUIRE(sluice_turn_feed(turn_, bytes.data(), bytes.size()) == SLUICE_OK); }
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
  size_t run() {
    size_t count = 0;
    for (std::vector<uint32_t> calls; !(calls = poll()).empty(); count += calls.size())
      for (const uint32_t call : calls) {
        sluice_turn_tick(turn_, ++now_);
        REQUIRE(sluice_turn_submit(turn_, call, SLUICE_RESULT, "ok", 2) == SLUICE_OK);
      }
    return count;
  }
  void tick() { sluice_turn_tick(turn_, ++now_); }
  sluice_turn *turn() const { return turn_; }
  sluice_engine *engine() const { return engine_; }

 private:
  sluice_engine *engine_ = nullptr;
  sluice_turn *turn_ = nullptr;
  int64_t now_ = 1000;
};

std::string engine_of(const std::string &tool_members = "") {
  return R"({"tools":[)" + (kTool + tool_members) + "}]" + kMuch;
}

std::string delta(const std::string &members) {
  return R"(data: {"choices":[{"index":0,"delta":{)" + members + "}}]}\n\n";
}

std::string call_delta(size_t index, const std::string &arguments, bool head = true) {
  const std::string number = std::to_string(index);
  return delta(R"("tool_calls":[{"index":)" + number + (head ? R"(,"id":"c)" + number + "\"" : "") +
               R"(,"function":{)" + (head ? R"("name":"t",)" : "") + R"("arguments":)" + json_string(arguments) +
               "}}]");
}

// ---- keys that collide in a hash table ----

uint64_t inverse(uint64_t odd) {
  uint64_t out = odd;
  for (int i = 0; i < 6; ++i) out *= 2 - odd * out;
  return out;
}

// Keys of 16 letters for which libstdc++'s hash of a string is the same number.
std::vector<std::string> colliding_keys(size_t count) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995U;
  const uint64_t back = inverse(kMul);
  const auto mix = [&](uint64_t word) {
    word *= kMul;
    return (word ^ word >> 47) * kMul;
  };
  const auto unmix = [&](uint64_t word) {
    word *= back;
    word ^= word >> 47;
    return word * back;
  };
  std::vector<std::string> out;
  for (uint64_t i = 0; out.size() < count; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08u", static_cast<unsigned>(i));
    uint64_t one = 0;
    for (int byte = 7; byte >= 0; --byte) one = one << 8 | static_cast<unsigned char>(digits[byte]);
    const uint64_t two = unmix(0x1234 * back ^ ((0xc70f6907U ^ 16 * kMul) ^ mix(one)) * kMul);
    std::string key = digits;
    for (int byte = 0; byte < 8; ++byte) key += static_cast<char>(two >> 8 * byte & 0xFF);
    if (std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; }))
      out.push_back(key);
  }
  return out;
}

std::vector<std::string> random_keys(size_t count) {
  std::mt19937 random(1);
  std::vector<std::string> out;
  while (out.size() < count) {
    std::string key;
    while (key.size() < 16) key += static_cast<char>('0' + random() % 10);
    out.push_back(key);
  }
  return out;
}

std::string object_of(const std::vector<std::string> &keys) {
  std::string out;
  for (const std::string &key : keys) out += (out.empty() ? "{\"" : ",\"") + key + "\":1";
  return out + "}";
}

// ---- states ----

using Json = nlohmann::ordered_json;

std::string saved(const Host &host) {
  size_t size = 0;
  const char *const state = sluice_turn_get(host.turn(), SLUICE_GET_STATE, &size);
  return {state, size};
}

double restored(const Host &host, const std::string &state) {
  return counted([&] { sluice_turn_free(sluice_turn_restore(host.engine(), state.data(), state.size())); });
}

// The objects and arrays in it, by their paths.
void containers(const Json &value, const Json::json_pointer &path, std::vector<Json::json_pointer> &out) {
  if (!value.is_structured()) return;
  out.push_back(path);
  for (const auto &[key, inner] : value.items())
    containers(inner, value.is_array() ? path / std::stoul(key) : path / key, out);
}

// The state with `count` more members in that object, or copies of the first element in that array.
std::string widened(const Json &state, const Json::json_pointer &path, size_t count) {
  Json wide = state;
  Json &at = wide[path];
  if (at.is_array()) {
    const Json first = at.empty() ? Json(1) : at.front();
    for (size_t i = 0; i < count; ++i) at.push_back(first);
  } else {
    char key[] = "00000000";
    for (size_t i = 0; i < count; ++i) {
      std::snprintf(key, sizeof key, "%08x", static_cast<unsigned>(i * 2654435761U));
      at[key] = 1;
    }
  }
  return wide.dump();
}

}  // namespace

TEST_CASE("a byte of a call takes at most three times the steps however the answer is cut") {
  for (const Format &format : formats()) {
    if (format.id == "inline_tags") continue;  // a tag is one short line
    const std::string whole = call_of(format, 1 << 16);
    for (const std::string_view text :
         {std::string_view(whole), std::string_view(whole).substr(0, whole.size() - 40)}) {
      const double small = scan(format, text, 16), great = scan(format, text, text.size());
      const double feeds = kFeed * static_cast<double>(text.size() / 16);
      INFO(format.id << ": " << small << " in pieces of 16 bytes, " << great << " in one");
      CHECK(small <= 3 * great + feeds);
      CHECK(great <= 3 * small);
    }
  }
}

TEST_CASE("twice the bytes of a call, or of openers, take at most 2.2 times the steps") {
  const NamedTools tools = some_tools();
  for (const Format &format : formats()) {
    const auto twice = [&](const std::string &what, const std::string &once, const std::string &both, size_t piece) {
      const double one = scan(format, once, piece), two = scan(format, both, piece);
      INFO(format.id << ", " << what << " in pieces of " << piece << ": " << one << ", then " << two);
      CHECK(two <= 2.2 * one);
    };
    for (const size_t piece : {size_t{16}, size_t{1} << 20U})
      if (format.id != "inline_tags") twice("a call", call_of(format, 1 << 15), call_of(format, 1 << 16), piece);
    std::vector<Marker> openers = format.protocol->openers(tools);
    if (openers.size() > 4) openers.resize(4);
    for (const Marker &opener : openers)
      for (const char *behind : {"", "{\"name\":\"t\","}) {
        // Longer than a candidate may be.
        std::string once = out_of_reasoning(*format.protocol);
        while (once.size() < 3 << 12U) once += opener.bytes + behind;
        std::string both = once;
        while (both.size() < 6 << 12U) both += opener.bytes + behind;
        twice(opener.bytes + behind, once, both, size_t{1} << 20U);
      }
  }
}

TEST_CASE("keys that collide in a hash take at most twice the steps of others") {
  constexpr size_t kKeys = 4000;
  const std::vector<std::string> bad = colliding_keys(kKeys), good = random_keys(kKeys);
  REQUIRE(std::hash<std::string>()(bad[0]) == std::hash<std::string>()(bad[1]));
  const auto compare = [&](const char *where, const std::function<void(const std::vector<std::string> &)> &use) {
    const double of_bad = counted([&] { use(bad); }), of_good = counted([&] { use(good); });
    INFO(where << ": " << of_bad << " against " << of_good);
    CHECK(of_bad <= 2 * of_good);
  };
  compare("arguments of the wire", [](const auto &keys) {
    Host host(engine_of());
    host.feed(call_delta(0, object_of(keys)));
    host.end();
    CHECK(host.run() == 1);
    sluice_turn_get(host.turn(), SLUICE_GET_HISTORY, nullptr);
  });
  compare("members of a chunk", [](const auto &keys) {
    Host host(engine_of());
    host.feed("data: " + object_of(keys) + "\n\n");
    const std::string object = object_of(keys);
    host.feed(delta("\"extra_content\":" + object + ",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"x\":" + object +
                    ",\"function\":{\"name\":\"t\",\"arguments\":\"{}\"}}]," + object.substr(1, object.size() - 2)));
    host.end();
    CHECK(host.run() == 1);
  });
  compare("a result, told and saved", [](const auto &keys) {
    Host host(engine_of());
    host.feed(call_delta(0, "{}"));
    host.end();
    host.poll();
    const std::string result = object_of(keys);
    CHECK(sluice_turn_submit(host.turn(), 1, SLUICE_RESULT_JSON, result.data(), result.size()) == SLUICE_OK);
    sluice_turn_get(host.turn(), SLUICE_GET_HISTORY, nullptr);
    size_t size = 0;
    const char *const state = sluice_turn_get(host.turn(), SLUICE_GET_STATE, &size);
    sluice_turn_free(sluice_turn_restore(host.engine(), state, size));
  });
  for (const char *id : {"vcp", "tool_action", "hermes", "qwen3-coder", "glm-4.5", "pythonic", "gemma", "anthropic-xml",
                         "morph-yaml", "deepseek-v3.2"})
    for (const Format &format : formats())
      if (format.id == id)
        compare(id, [&](const auto &keys) {
          std::string text = out_of_reasoning(*format.protocol);
          format.protocol->write_call("call_1", "note", object_of(keys), text);
          scan(format, text, size_t{1} << 20U);
        });
}

TEST_CASE("a token takes the same steps behind no finished calls and behind a thousand") {
  const auto token = [](size_t calls) {
    Host host(engine_of(R"(,"immediate":true)"));
    size_t ran = 0;
    for (size_t i = 0; i < calls; ++i) {
      host.feed(call_delta(i, "{\"a\":" + std::to_string(i) + "}") + delta(R"("content":"x")"));
      ran += host.run();
    }
    REQUIRE(ran == calls);
    const std::string text = delta(R"("content":"x")");
    return counted([&] {
      for (int i = 0; i < 100; ++i) {
        host.tick();
        host.feed(text);
        host.poll();
      }
    });
  };
  const double none = token(0), many = token(1000);
  INFO(none << " behind none, " << many << " behind 1,000");
  CHECK(many <= 1.1 * none);
}

TEST_CASE("a result takes the same steps among a hundred calls and among a thousand") {
  const auto results = [](size_t calls, const char *members) {
    Host host(R"({"tools":[)" + std::string(kTool) + "}]," + members + kMuch);
    for (size_t i = 0; i < calls; ++i) host.feed(call_delta(i, "{\"a\":" + std::to_string(i) + "}"));
    host.end();
    size_t ran = 0;
    const double all = counted([&] { ran = host.run(); });
    REQUIRE(ran == calls);
    return all / static_cast<double>(calls);
  };
  for (const char *members : {R"("execution":"serial")", R"("execution":"parallel")"}) {
    const double few = results(100, members), many = results(1000, members);
    INFO(members << ": " << few << " among 100, " << many << " among 1,000");
    CHECK(many <= 1.5 * few);
  }
}

TEST_CASE("what comes behind closed arguments takes the same steps however long they are") {
  const auto fragments = [](size_t bytes) {
    Host host(engine_of());
    host.feed(call_delta(0, R"({"a":")" + std::string(bytes, 'x') + "\"}"));
    const std::string more = call_delta(0, R"({"b":1)", false);
    for (int i = 0; i < 3; ++i) host.feed(more);  // whether the arguments are closed is checked once
    host.poll();
    return counted([&] {
      for (int i = 0; i < 100; ++i) host.feed(more);
      host.poll();
    });
  };
  const double small = fragments(10000), great = fragments(1000000);
  INFO(small << " behind 10 KB, " << great << " behind 1 MB");
  CHECK(great <= 1.1 * small);
}

TEST_CASE("twice the pieces of a name, twice the tools, take at most 2.4 times the steps") {
  const auto names = [](size_t pieces) {
    Host host(engine_of());
    return counted([&] {
      for (size_t i = 0; i < pieces; ++i)
        host.feed(delta(R"("tool_calls":[{"index":0,"id":"c","function":{"name":"ab)" + std::to_string(i % 90 + 10) +
                        "\"}}]"));
      host.poll();
    });
  };
  const double few = names(1000), more = names(2000);
  INFO("pieces of a name: " << few << ", then " << more);
  CHECK(more <= 2.4 * few);

  const auto turns = [](size_t tools) {
    std::string list;
    for (size_t i = 0; i < tools; ++i)
      list += (i == 0 ? "" : ",") + std::string(R"({"name":"t)") + std::to_string(i) +
              R"(","permission":"public","agentCallable":true,"parameters":{"type":"object"}})";
    const std::string engine = R"({"tools":[)" + list + "]}";
    return counted([&] { Host host(engine); });
  };
  const double some = turns(1000), twice = turns(2000);
  INFO("tools: " << some << ", then " << twice);
  CHECK(twice <= 2.4 * some);
}

TEST_CASE("arguments take the same steps at any depth, and so does a state") {
  const auto call = [](size_t depth) {
    Host host(R"({"tools":[)" + std::string(kTool) + "}]," +
              R"("limits":{"depth":1000,"argumentBytes":100000000},"maxCalls":10})");
    std::string inner = "[";
    while (inner.size() < 100000) inner += R"({"a":"b"},)";
    inner += "1]";
    std::string arguments, closers;
    for (size_t i = 0; i < depth; ++i) {
      arguments += i % 2 == 0 ? "{\"a\":" : "[";
      closers.insert(0, i % 2 == 0 ? "}" : "]");
    }
    arguments += inner + closers;
    return counted([&] {
      host.feed(call_delta(0, arguments));
      host.end();
      CHECK(host.run() == 1);
    });
  };
  const double flat = call(1), deep = call(501);
  INFO(flat << " at the top, " << deep << " inside of 500 levels");
  CHECK(deep <= 3 * flat);
}

TEST_CASE("twice the calls, or twice the members of anything in a state, take at most 2.2 times the steps to restore") {
  const auto twice = [](const Host &host, const std::string &what, const std::string &once, const std::string &both) {
    const double one = restored(host, once), two = restored(host, both);
    INFO(what << ": " << one << ", then " << two);
    CHECK(two <= 2.2 * one);
  };
  Host native(engine_of()), text(engine_of(), R"("wire":"openai-chat","mode":"text","protocol":"hermes")");
  native.feed(call_delta(0, R"({"a":1})"));
  native.end();
  native.run();
  native.feed(delta(R"("content":"x","extra_content":{"a":1})") + call_delta(0, R"({"a":1})") + call_delta(1, "{"));
  text.feed(delta(R"("content":"<think>y</think> `x <tool_call> {\"name\": \"t\", \"arguments\": {")"));
  for (const Host *const host : {&native, &text}) {
    const Json state = Json::parse(saved(*host));
    std::vector<Json::json_pointer> paths;
    containers(state, Json::json_pointer(), paths);
    CHECK(paths.size() > 20);
    for (const auto &path : paths)
      twice(*host, path.to_string(), widened(state, path, 4000), widened(state, path, 8000));
  }
  const auto calls = [](size_t count, bool ended) {
    Host host(engine_of());
    for (size_t i = 0; i < count; ++i) host.feed(call_delta(i, ended ? "{}" : "{"));
    if (ended) host.end();
    return saved(host);
  };
  for (const bool ended : {false, true})
    twice(native, ended ? "calls that run" : "calls that are written", calls(5000, ended), calls(10000, ended));
}
