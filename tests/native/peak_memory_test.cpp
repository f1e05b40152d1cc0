// The most memory that a call of 10 MB takes, counted by this program's own allocator: everything that the library
// holds from the first fed byte to the next request, without the fed bytes themselves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "live_memory.h"
#include "sluice/sluice.h"

using sluice_test::live, sluice_test::most;

namespace {

constexpr size_t kBytes = 10'000'000;
constexpr size_t kMost = 60'000'000;
constexpr size_t kCalled = 5 * kBytes;
constexpr size_t kDone = 2 * kBytes + kBytes / 50;  // and what is no part of the call
constexpr size_t kPiece = 16384;                    // of the response's body
constexpr const char *kRequest = R"("request":{"model":"m","messages":[{"role":"user","content":"x"}]})";

constexpr std::string_view kEngine =
    R"({"tools":[{"name":"t","permission":"public","agentCallable":true,"parameters":{"type":"object",)"
    R"("properties":{"a":{"type":"string"}}}}]})";

// Runs one turn with one call; records the most memory of each part.
struct Played {
  size_t reading = 0, running = 0, telling = 0;  // up to the end of the answer; up to `execute`; up to the next request
  size_t arguments = 0;                          // bytes that `execute` brought
  size_t called = 0, done = 0;                   // what is held while the tool runs; when the turn is over
};

Played play(const std::string &turn_members, const std::string &body, size_t piece, bool polled) {
  const std::string document = "{" + turn_members + "," + kRequest + "}";
  sluice_engine *const engine = sluice_engine_new(kEngine.data(), kEngine.size());
  sluice_turn *const turn = sluice_turn_new(engine, document.data(), document.size());
  Played out;
  const auto poll = [&] {
    size_t size = 0;
    while (const char *event = sluice_turn_next_event(turn, &size))
      if (std::string_view(event, size).starts_with(R"({"type":"execute")")) out.arguments = size;
  };
  poll();
  const size_t before = live;
  const auto peak = [&] {
    const size_t above = most - before;
    most = live.load();
    return above;
  };
  most = live.load();
  for (size_t at = 0; at < body.size(); at += piece) {
    sluice_turn_feed(turn, body.data() + at, std::min(piece, body.size() - at));
    if (polled) poll();
  }
  out.reading = peak();
  CHECK(sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0) == SLUICE_OK);
  poll();
  out.running = peak();
  out.called = live - before;
  CHECK(sluice_turn_submit(turn, 1, SLUICE_RESULT, "ok", 2) == SLUICE_OK);
  poll();
  size_t size = 0;
  sluice_turn_get(turn, SLUICE_GET_REQUEST, &size);
  CHECK(size > kBytes);
  out.telling = peak();
  constexpr std::string_view kEnd = R"(data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]})"
                                    "\n\ndata: [DONE]\n\n";
  sluice_turn_feed(turn, kEnd.data(), kEnd.size());
  CHECK(sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0) == SLUICE_OK);
  poll();
  CHECK(sluice_turn_get(turn, SLUICE_GET_REQUEST, &size) == nullptr);  // until then the last one read is lent
  out.done = live - before;
  sluice_turn_free(turn);
  sluice_engine_free(engine);
  CHECK(live <= before);
  return out;
}

void check(const std::string &name, const Played &played) {
  INFO(name << ": " << played.reading << " bytes while it is read, " << played.running << " until it runs, "
            << played.telling << " until the next request");
  CHECK(played.arguments > kBytes);
  CHECK(played.reading <= kMost);
  CHECK(played.running <= kMost);
  CHECK(played.telling <= kMost);
  INFO(played.called << " bytes are held while the tool runs, " << played.done << " when the turn is over");
  CHECK(played.called <= kCalled);
  CHECK(played.done <= kDone);
}

std::string event(const std::string &delta, const std::string &more = "") {
  return R"(data: {"choices":[{"index":0,"delta":{)" + delta + "}" + more + "}]}\n\n";
}

std::string end(const std::string &reason) {
  return event("", R"(,"finish_reason":")" + reason + "\"") + "data: [DONE]\n\n";
}

// Deltas of 1,000 bytes of a value, between the first and the last one.
template <class Wrap>
std::string stream(const std::string &first, const std::string &last, Wrap &&wrap, size_t bytes = kBytes) {
  const std::string delta = wrap(std::string(1000, 'x'));
  std::string out = wrap(first);
  out.reserve(bytes / 1000 * delta.size() + 4096);
  for (size_t i = 0; i < bytes; i += 1000) out += delta;
  return out + wrap(last);
}

struct Format {
  const char *protocol, *opens, *closes;
};

constexpr Format kFormats[] = {
    {"hermes", R"(<tool_call>\n{\"name\":\"t\",\"arguments\":{\"a\":\")", R"(\"}}\n</tool_call>)"},
    {"qwen3-coder", R"(<tool_call>\n<function=t>\n<parameter=a>\n)", R"(\n</parameter>\n</function>\n</tool_call>)"},
    {"vcp", R"(<<<[TOOL_REQUEST]>>>\ntool_name:「始」t「末」,\na:「始」)", R"(「末」\n<<<[END_TOOL_REQUEST]>>>)"},
    {"mistral", R"([TOOL_CALLS]t[ARGS]{\"a\":\")", R"(\"})"},
};

std::string turn_of(const Format &format) {
  return R"("wire":"openai-chat","mode":"text","limits":{"textBytes":20000000},"protocol":")" +
         std::string(format.protocol) + "\"";
}

std::string answer_of(const Format &format, size_t bytes) {
  return stream(
             format.opens, format.closes,
             [](const std::string &piece) { return event(R"("content":")" + piece + "\""); }, bytes) +
         end("stop");
}

constexpr const char *kNative = R"("wire":"openai-chat")";

std::string native_answer(size_t bytes) {
  return event(R"("tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":""}}])") +
         stream(R"({\"a\":\")", R"(\"})",
                [](const std::string &piece) {
                  return event(R"("tool_calls":[{"index":0,"function":{"arguments":")" + piece + "\"}}]");
                },
                bytes) +
         end("tool_calls");
}

// All events of an answer that are polled only at its end. `restored`: the turn is saved and restored after each part.
std::string told(const std::string &turn_members, const std::string &body, bool restored) {
  const std::string document = "{" + turn_members + "," + kRequest + "}";
  sluice_engine *const engine = sluice_engine_new(kEngine.data(), kEngine.size());
  sluice_turn *turn = sluice_turn_new(engine, document.data(), document.size());
  std::string out;
  size_t size = 0;
  const auto get = [&](int32_t what) {
    const char *const text = sluice_turn_get(turn, what, &size);
    return std::string(text == nullptr ? "" : text, size) + "\n";
  };
  const auto restore = [&] {
    if (!restored) return;
    const std::string state = get(SLUICE_GET_STATE);
    sluice_turn_free(turn);
    turn = sluice_turn_restore(engine, state.data(), state.size());
  };
  while (sluice_turn_next_event(turn, &size) != nullptr) {
  }
  for (size_t at = 0; at < body.size(); at += body.size() / 3) {
    sluice_turn_feed(turn, body.data() + at, std::min(body.size() / 3, body.size() - at));
    out += get(SLUICE_GET_MESSAGE);
    restore();
  }
  sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0);
  out += get(SLUICE_GET_HISTORY);
  restore();
  while (const char *text = sluice_turn_next_event(turn, &size)) out.append(text, size) += '\n';
  sluice_turn_submit(turn, 1, SLUICE_RESULT, "ok", 2);
  restore();
  out += get(SLUICE_GET_MESSAGE) + get(SLUICE_GET_HISTORY) + get(SLUICE_GET_REQUEST);
  sluice_turn_free(turn);
  sluice_engine_free(engine);
  return out;
}

}  // namespace

TEST_CASE("a native call of 10 MB takes at most 60 MB, however it comes, and 20 MB when the turn is over") {
  const std::string one = event(R"("tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"{\"a\":\")" +
                                std::string(kBytes, 'x') + R"(\"}"}}])") +
                          end("tool_calls");
  check("one delta in one piece, polled at the end", play(kNative, one, one.size(), false));
  check("one delta in pieces", play(kNative, one, kPiece, true));
  const std::string many = native_answer(kBytes);
  check("deltas", play(kNative, many, kPiece, true));
  check("deltas, polled at the end", play(kNative, many, kPiece, false));
}

TEST_CASE("a call of 10 MB in the text takes at most 60 MB, and 20 MB when the turn is over") {
  for (const Format &format : kFormats)
    check(format.protocol, play(turn_of(format), answer_of(format, kBytes), kPiece, true));
}

TEST_CASE("a large call tells the same wherever it is saved and restored") {
  constexpr size_t kLarge = 300'000;
  const auto same = [](const std::string &turn, const std::string &body) {
    const std::string plain = told(turn, body, false);
    CHECK(plain.size() > 8 * kLarge);
    CHECK((plain == told(turn, body, true)));  // two pairs of brackets keep megabytes out of the report
  };
  same(kNative, native_answer(kLarge));
  for (const Format &format : kFormats) {
    INFO(format.protocol);
    same(turn_of(format), answer_of(format, kLarge));
  }
}
