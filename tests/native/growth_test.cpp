// How the work of scanners, hash tables and states grows.
#include "growth.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "../fuzz/scan_check.h"
#include "protocol/quiet_sink.h"

namespace {

using namespace sluice;
using namespace sluice_test;

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
    for (const Marker &opener : format.protocol->openers(tools))
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
    twice(native, ended ? "calls that run" : "calls that are written", calls(2000, ended), calls(4000, ended));
}
