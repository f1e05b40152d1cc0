// The wires by themselves: what a sink receives for given bytes, and the body for a conversation. The scripts test what
// a host sees of it.
#include "wire/wire.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "base/json.h"
#include "base/utf8.h"
#include "wire/picture_refusal.h"
#include "wire/provider_error.h"
#include "wire/request_writer.h"
#include "wire/sse.h"
#include "wire/tool_refusal.h"

using namespace sluice;

namespace {

struct Call {
  std::string id, name, arguments, members;
};

// Records what a wire reports; neighbouring pieces of the same kind are one entry of the log.
struct Recorder final : WireSink {
  std::vector<std::pair<std::string, std::string>> log;
  std::string trace;  // each call by itself: the same cuts give the same trace
  std::vector<Call> calls;
  std::string text, reasoning, items, members, finish, error, error_code;
  std::vector<Call> provided;  // tools that the provider runs
  std::vector<std::string> diagnostics;
  std::vector<Usage> usages;
  bool transient = false, ended = false;
  size_t lost = 0;  // places where bytes or events were

  void add(const std::string &kind, std::string_view what) {
    REQUIRE(is_utf8(what));
    REQUIRE(error_code.empty());  // nothing after an error
    trace.append(kind).append(" ").append(what) += '\n';
    if (!log.empty() && log.back().first == kind)
      log.back().second += what;
    else
      log.emplace_back(kind, what);
  }
  Call &at(uint32_t slot) {
    REQUIRE(slot < calls.size());
    return calls[slot];
  }
  static std::string numbered(const char *kind, uint32_t slot) { return kind + std::to_string(slot); }

  void on_text(std::string_view utf8) override {
    REQUIRE(!utf8.empty());
    add("text", utf8);
    text += utf8;
  }
  void on_reasoning(std::string_view utf8) override {
    REQUIRE(!utf8.empty());
    add("reasoning", utf8);
    reasoning += utf8;
  }
  void on_call(uint32_t slot, std::string_view id, std::string_view name) override {
    REQUIRE(slot == calls.size());
    add(numbered("call", slot), std::string(id) + " " + std::string(name) + ";");
    calls.push_back({std::string(id), std::string(name), {}, {}});
  }
  void on_call_head(uint32_t slot, std::string_view id, std::string_view name) override {
    add(numbered("head", slot), std::string(id) + " " + std::string(name) + ";");
    at(slot).id = id;
    at(slot).name = name;
  }
  void on_arguments(uint32_t slot, std::string_view fragment) override {
    REQUIRE(!fragment.empty());
    add(numbered("args", slot), fragment);
    at(slot).arguments += fragment;
  }
  void on_arguments_replaced(uint32_t slot, std::string_view whole) override {
    add(numbered("whole", slot), whole);
    at(slot).arguments = whole;
  }
  void on_bytes_lost() override { ++lost; }
  void on_event_lost() override { ++lost; }
  void on_call_broken(uint32_t slot, std::string_view reason) override { add(numbered("broken", slot), reason); }
  void on_call_end(uint32_t slot) override { trace += numbered("whole call", slot) + '\n'; }
  void on_arguments_lost(uint32_t slot, std::string_view detail) override {
    add(slot == kNoCall ? "orphaned" : numbered("late", slot), detail);
    diagnostics.emplace_back(slot == kNoCall ? "orphaned_arguments" : "late_arguments");
  }
  void on_calls_full() override {
    add("full", ";");
    diagnostics.emplace_back("oversize");
  }
  void on_provider_call(uint32_t slot, std::string_view id, std::string_view name,
                        std::string_view arguments) override {
    REQUIRE(slot <= provided.size());
    add(numbered("provided", slot), std::string(id) + " " + std::string(name) + " " + std::string(arguments) + ";");
    if (slot == provided.size()) provided.push_back({std::string(id), std::string(name), {}, {}});
    provided[slot].arguments = arguments;
  }
  void on_provider_result(uint32_t slot, std::string_view result, bool is_error) override {
    REQUIRE(slot < provided.size());
    add(numbered(is_error ? "failure" : "result", slot), result);
  }
  // Of openai-chat: one item with members of the message, and of its calls.
  void on_native(std::string_view list) override {
    add("native", list);
    REQUIRE(items.empty());
    REQUIRE(check_json(list, 64).ok());
    items = list;
    JsonSlices first(list);
    REQUIRE(first.next());
    for (JsonSlices members_of(first.value()); members_of.next();) {
      size_t slot = 0;
      if (members_of.key() == "\"tool_calls\"") {
        for (JsonSlices one(members_of.value()); one.next(); ++slot)
          if (slot < calls.size() && one.value() != "{}") calls[slot].members = one.value();
      } else {
        members.append(members.empty() ? "{" : ",").append(members_of.key()).append(":").append(members_of.value());
      }
    }
    if (!members.empty()) members += '}';
  }
  void on_model(std::string_view name) override { add("model", std::string(name) + ";"); }
  void on_end() override {
    add("end", ";");
    REQUIRE_FALSE(ended);
    ended = true;
  }
  void on_finish(Finish reason, std::string_view words, std::string_view) override {
    add("finish", std::to_string(static_cast<int>(reason)) + " " + std::string(words) + ";");
    finish = words;
  }
  void on_usage(const Usage &usage) override {
    add("usage", std::to_string(usage.input_tokens) + "/" + std::to_string(usage.output_tokens) + ";");
    usages.push_back(usage);
  }
  void on_error(const WireError &e) override {
    add("error", std::string(e.code) + " " + std::string(e.detail));
    error_code = e.code;
    error = e.detail;
    transient = e.transient;
  }
  void on_diagnostic(std::string_view code, std::string_view detail) override {
    add("diagnostic", std::string(code) + ";");
    REQUIRE(is_utf8(detail));
    REQUIRE(detail.size() < 400);
    trace.append(detail) += '\n';
    diagnostics.emplace_back(code);
  }
};

struct Answer {
  std::string wire = "openai-chat";
  int32_t status = 200;
  bool complete = true;
  WireLimits limits = {};
};

std::string state_of(const WireReader &reader) {
  std::string state;
  reader.save(state);
  return state;
}

// Saves this reader and continues with a restored one.
std::unique_ptr<WireReader> restored(const WireReader &reader, const Answer &how, WireSink &sink) {
  const std::string state = state_of(reader);
  REQUIRE(check_json(state, 4).ok());
  auto next = find_wire(how.wire)->read(sink, how.limits);
  next->load(state);
  REQUIRE(state_of(*next) == state);
  return next;
}

// piece 0: whole; otherwise pieces of this size; below 0: random ones from that seed. `saves`: saved and restored after
// every piece.
Recorder read_cut(const std::string &bytes, const Answer &how, int piece, bool saves = false) {
  Recorder recorder;
  auto reader = find_wire(how.wire)->read(recorder, how.limits);
  if (how.status != 200) reader->response(how.status, "{}");
  std::mt19937 random(static_cast<unsigned>(-piece));
  for (size_t at = 0; at < bytes.size();) {
    size_t size = bytes.size();
    if (piece > 0) size = static_cast<size_t>(piece);
    if (piece < 0) size = random() % 3 == 0 ? random() % 700 : random() % 9;
    size = std::min(size, bytes.size() - at);
    reader->feed(std::string(bytes, at, size));  // a copy, so that a sanitizer sees reads beyond it
    at += size;
    if (saves) reader = restored(*reader, how, recorder);
  }
  if (saves) reader = restored(*reader, how, recorder);
  reader->finish(how.complete);
  return recorder;
}

void check_saved(const std::string &bytes, const Answer &how, int piece, const Recorder &uninterrupted) {
  INFO("saved after every piece, cut " << piece << " of " << bytes.substr(0, 2000));
  REQUIRE(read_cut(bytes, how, piece, true).trace == uninterrupted.trace);
}

// Checks that the result is the same however the bytes are cut.
Recorder read(const std::string &bytes, const Answer &how = {}) {
  Recorder whole = read_cut(bytes, how, 0);
  for (const int piece : {1, 2, 3, -1, -2, -3}) {
    if (bytes.size() > 100000 && piece > 0) continue;
    const Recorder cut = read_cut(bytes, how, piece);
    INFO("cut " << piece << " of " << bytes.substr(0, 2000));
    REQUIRE(cut.log == whole.log);
    REQUIRE(cut.text == whole.text);
    if (bytes.size() < 10000 || piece < 0) check_saved(bytes, how, piece, cut);
  }
  return whole;
}

std::string delta(const std::string &members) { return R"({"choices":[{"index":0,"delta":{)" + members + "}}]}"; }
std::string event(const std::string &data) { return "data: " + data + "\n\n"; }
std::string call(const std::string &entry) { return event(delta(R"("tool_calls":[)" + entry + "]")); }
std::string text_delta(const std::string &text) { return event(delta("\"content\":" + json_string(text))); }
std::string finish_event(const std::string &words) {
  return event(R"({"choices":[{"index":0,"delta":{},"finish_reason":")" + words + "\"}]}");
}

struct Lines final : SseSink {
  std::vector<std::string> log;
  bool on_data(std::string_view event, std::string_view data) override {
    if (data.find("more") != std::string_view::npos) return false;
    log.push_back(std::string(event) + "|" + std::string(data));
    return true;
  }
  void on_joined_data(std::string_view event, std::string_view data) override {
    log.push_back(std::string(event) + "|joined " + std::string(data));
  }
  void on_error_field(std::string_view value) override { log.push_back("error " + std::string(value)); }
  void on_oversize() override { log.emplace_back("oversize"); }
};

std::vector<std::string> lines_of(const std::string &bytes, size_t limit = 1000) {
  std::vector<std::string> first;
  for (size_t piece = bytes.size() + 1; piece > 0; piece = piece > 5 ? 5 : piece - 1) {
    Lines sink;
    SseParser parser(sink, limit);
    for (size_t at = 0; at < bytes.size(); at += piece) parser.feed(std::string(bytes, at, piece));
    parser.finish();
    if (first.empty()) first = sink.log;
    INFO(bytes << " in pieces of " << piece);
    REQUIRE(sink.log == first);
  }
  return first;
}

using Strings = std::vector<std::string>;

}  // namespace

// ---- sse ----

TEST_CASE("sse: line ends of every kind end a line, also between two feeds", "[wire]") {
  CHECK(lines_of("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\ndata:e\r") ==
        Strings{"|a", "|b", "|c", "|d", "|e"});
}

TEST_CASE("sse: comments, a BOM, unknown fields and blanks are nothing", "[wire]") {
  CHECK(lines_of("\xEF\xBB\xBF: hello\n:\n\nid: 4\nretry: 10\n\n\ndata:  a \nfoo\n\n") == Strings{"| a "});
  CHECK(lines_of("\xEF\xBB\xBF"
                 "data:x") == Strings{"|x"});
  CHECK(lines_of("data") == Strings{"|"});
}

TEST_CASE("sse: an event's name stands until its blank line", "[wire]") {
  CHECK(lines_of("event: error\ndata: a\n\ndata: b\n\n") == Strings{"error|a", "|b"});
}

TEST_CASE("sse: lines that are no event by themselves are joined", "[wire]") {
  CHECK(lines_of("data: more\ndata: 2\ndata\ndata: 3\n\ndata: 4") == Strings{"|joined more\n2\n\n3", "|4"});
  CHECK(lines_of("data: more\ndata: 2") == Strings{"|joined more\n2"});
}

TEST_CASE("sse: JSON without data: is data, on one line or several", "[wire]") {
  CHECK(lines_of("{\"a\":1}\n{\"b\":1}\n") == Strings{"|{\"a\":1}", "|{\"b\":1}"});
  CHECK(lines_of("{ \"more\":\n  \"a\": 1\n}\n\ndata: x\n") == Strings{"|joined { \"more\":\n  \"a\": 1\n}", "|x"});
  CHECK(lines_of("[more\n]\ndata: x\n") == Strings{"|joined [more\n]", "|x"});
}

TEST_CASE("sse: an error may be a field of its own", "[wire]") {
  CHECK(lines_of("error: {\"m\":1}\n\n") == Strings{"error {\"m\":1}"});
}

TEST_CASE("sse: a line and the lines of an event have a limit", "[wire]") {
  CHECK(lines_of("data: 12345678901234567890\n\ndata: a\n", 20) == Strings{"oversize"});
  CHECK(lines_of("data: more\ndata: 90123456\ndata: 90123456\n", 20) == Strings{"oversize"});
  CHECK(lines_of("data: 34567890123456\n\n", 20) == Strings{"|34567890123456"});
}

// ---- text and reasoning ----

TEST_CASE("chat: text comes at once, with the bytes that bring it", "[wire]") {
  Recorder recorder;
  const auto reader = find_wire("openai-chat")->read(recorder, {});
  reader->feed("data: " + delta(R"("content":"Hi")") + "\n");
  CHECK(recorder.text == "Hi");
}

TEST_CASE("chat: roles, empty and null members, and members nobody knows say nothing", "[wire]") {
  const Recorder r = read(event(delta(R"("role":"assistant","content":"","refusal":null,"tool_calls":null)")) +
                          event(delta(R"("content":null,"function_call":null,"channel":"x","phase":{"a":[1]})")) +
                          event(R"({"choices":[{"index":0,"delta":null}]})") + event(R"({"choices":[{"index":0}]})") +
                          event(R"({"choices":[]})") + event(R"({"choices":null})") + event(delta("")) +
                          text_delta("a") + finish_event("stop") + event("[DONE]"));
  CHECK(r.log == decltype(r.log){{"text", "a"}, {"finish", "1 stop;"}, {"end", ";"}});
}

TEST_CASE("chat: only choice 0 is read, and the only one without an index", "[wire]") {
  const Recorder r =
      read(event(R"({"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"a"}}]})") +
           event(R"({"choices":[{"delta":{"content":"b"}},{"delta":{"content":"no"}}]})") +
           event(R"({"choices":[{"index":2,"delta":{"content":"no"},"finish_reason":"length"}]})"));
  CHECK(r.text == "ab");
  CHECK(r.finish.empty());
}

TEST_CASE("chat: content may be parts, of text and of thinking", "[wire]") {
  const Recorder r = read(
      event(delta(
          R"("content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}])")) +
      event(delta(R"("content":"b")")) + event(delta(R"("content":[{"type":"thinking","thinking":"so"},"c"])")) +
      event(delta(R"("content":[{"type":"reference","reference_ids":[1]},{"type":"reasoning","text":"x"}])")));
  CHECK(r.log ==
        decltype(r.log){{"reasoning", "hm"}, {"text", "ab"}, {"reasoning", "so"}, {"text", "c"}, {"reasoning", "x"}});
}

TEST_CASE("chat: a refusal is text", "[wire]") {
  CHECK(read(event(delta(R"("content":null,"refusal":"I")")) + event(delta(R"("refusal":" cannot")"))).text ==
        "I cannot");
}

TEST_CASE("chat: reasoning is shown once, under whichever name it comes", "[wire]") {
  CHECK(read(event(delta(R"("reasoning_content":"a","reasoning":"a")")) + event(delta(R"("reasoning":"b")")) +
             event(delta(R"("reasoning_text":"c")")))
            .reasoning == "abc");
  const std::string details = R"("reasoning_details":[{"type":"reasoning.text","text":"a","index":0}])";
  CHECK(read(event(delta(R"("reasoning":"a",)" + details)) +
             event(delta(R"("reasoning":null,"reasoning_details":[{"type":"reasoning.text","text":"again"}])")))
            .reasoning == "a");
  CHECK(read(event(delta(R"("reasoning":null,)" + details)) + event(delta(details))).reasoning == "aa");
  CHECK(read(event(delta(R"("content":"b","reasoning_content":"a")"))).log ==
        decltype(Recorder::log){{"reasoning", "a"}, {"text", "b"}, {"native", R"([{"reasoning_content":"a"}])"}});
}

TEST_CASE("chat: what the provider wants back is reported once, as it came", "[wire]") {
  const Recorder r =
      read(event(delta(R"("reasoning":"a","reasoning_details":[{"type":"reasoning.text", "text":"a", "n":1.0}])")) +
           event(delta(R"("reasoning_details":[])")) +
           event(delta(
               R"("reasoning_details":[ {"type":"reasoning.encrypted","data":"\u0078"} ],"reasoning_content":"b")")) +
           event(delta(R"("reasoning_opaque":"s","extra_content":{"google":{"thought_signature":"t"}})")));
  CHECK(r.members == R"({"reasoning_content":"b","reasoning_details":[{"type":"reasoning.text", "text":"a", "n":1.0},)"
                     R"({"type":"reasoning.encrypted","data":"\u0078"}],"reasoning_opaque":"s",)"
                     R"("extra_content":{"google":{"thought_signature":"t"}}})");
}

TEST_CASE("chat: what would go back is dropped whole beyond its limit", "[wire]") {
  Answer how;
  how.limits.line_bytes = 350;
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += event(delta("\"reasoning_content\":\"" + std::string(100, 'x') + "\""));
  const Recorder r = read(bytes, how);
  CHECK(r.reasoning.size() == 400);
  CHECK(r.members.empty());
  CHECK(r.diagnostics == Strings{"oversize"});
}

TEST_CASE("chat: a cumulative message beside the deltas is not shown again", "[wire]") {
  const auto both = [](const std::string &piece, const std::string &whole) {
    return event(R"({"choices":[{"index":0,"delta":{"content":")" + piece +
                 R"("},"message":{"role":"assistant","content":")" + whole + "\"}}]}");
  };
  CHECK(read(both("He", "He") + both("llo", "Hello") + both("", "Hello")).text == "Hello");
}

TEST_CASE("chat: a message where deltas were expected is shown, and as it grows only what is new", "[wire]") {
  const auto message = [](const std::string &members) {
    return event(R"({"choices":[{"index":0,"message":{)" + members + "}}]}");
  };
  CHECK(read(message(R"("content":"He")") + message(R"("content":"Hello","reasoning":"x")")).text == "Hello");
  const Recorder r =
      read(message(R"("content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}])"));
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].arguments == "{}");
}

TEST_CASE("chat: a code point escaped as two surrogates may be cut between them", "[wire]") {
  const Recorder r =
      read(event(delta(R"("content":"a\ud83d")")) + event(delta(R"("content":"\ude00b")")) +
           call(R"({"index":0,"id":"i","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}})") +
           call(R"({"index":0,"function":{"arguments":"\ude00\"}"}})") + event(delta(R"("content":"\ud83d")")));
  CHECK(r.text == "a😀b\xEF\xBF\xBD");
  CHECK(r.calls[0].arguments == "{\"x\":\"😀\"}");
}

TEST_CASE("chat: an event that is not UTF-8 is repaired, one that is not JSON is left out", "[wire]") {
  const Recorder r = read(event(delta("\"content\":\"a\xFF\"")) + event("{broken") + event("junk") + text_delta("b"));
  CHECK(r.text ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(r.diagnostics == Strings{"broken_event", "broken_event", "broken_event"});
  CHECK(r.lost == 2);  // junk is no event
}

TEST_CASE("chat: a broken event costs only itself where blank lines are left out", "[wire]") {
  const Recorder r = read("data: " + delta(R"("content":"a")") + "\ndata: {oops\ndata: " + delta(R"("content":"b")") +
                          "\ndata: [DONE]\n");
  CHECK(r.text == "ab");
  CHECK(r.diagnostics == Strings{"broken_event"});
}

TEST_CASE("chat: numbers beyond any range and escapes lose nothing", "[wire]") {
  const Recorder r = read(event(
      R"({"created":123456789012345678901234567890,"x":1e999,"choices":[{"index":0,"delta":{"content":"\u00e4\n"},)"
      R"("logprobs":{"v":-1e-9999}}]})"));
  CHECK(r.text == "ä\n");
  CHECK(r.diagnostics.empty());
}

TEST_CASE("chat: an event deeper than the limit is left out", "[wire]") {
  Answer how;
  how.limits.depth = 20;
  std::string deep(50, '[');
  deep += std::string(50, ']');
  const Recorder r =
      read(event(R"({"x":)" + deep + R"(,"choices":[{"delta":{"content":"no"}}]})") + text_delta("a"), how);
  CHECK(r.text == "a");
  CHECK(r.diagnostics == Strings{"broken_event"});
}

TEST_CASE("chat: an event may be pretty-printed over several data lines", "[wire]") {
  CHECK(read("data: {\"choices\":\ndata: [{\"delta\":\ndata: {\"content\":\"a\"}}]\ndata: }\n\n" + text_delta("b"))
            .text == "ab");
}

// ---- calls ----

TEST_CASE("chat: calls are put together by index", "[wire]") {
  const Recorder r = read(
      call(R"({"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}})") +
      call(R"({"index":1,"id":"b","function":{"name":"g"}})") +
      call(
          R"({"index":0,"function":{"arguments":"{\"x\""}},{"index":1,"id":null,"function":{"name":null,"arguments":"{"}})") +
      call(R"({"index":1,"id":"","type":"","function":{"name":"","arguments":"}"}})") +
      call(R"({"index":0,"id":"a","function":{"arguments":":1}"}})") + finish_event("tool_calls"));
  REQUIRE(r.calls.size() == 2);
  CHECK(r.calls[0].id == "a");
  CHECK(r.calls[0].arguments == R"({"x":1})");
  CHECK(r.calls[1].name == "g");
  CHECK(r.calls[1].arguments == "{}");
  CHECK(r.diagnostics.empty());
}

TEST_CASE("chat: without an index the id tells calls apart, or -1 stands there", "[wire]") {
  const Recorder r = read(
      call(R"({"id":"a","function":{"name":"f","arguments":"{\"x\""}})") +
      call(R"({"index":-1,"function":{"arguments":":1}"}})") +
      call(
          R"({"id":"b","function":{"name":"g","arguments":"{}"}},{"id":"c","function":{"name":"g","arguments":"{}"}})") +
      call(R"({"function":{"name":"h","arguments":"{}"}},{"function":{"name":"h","arguments":"{\"y\":1}"}})"));
  REQUIRE(r.calls.size() == 5);
  CHECK(r.calls[0].arguments == R"({"x":1})");
  CHECK(r.calls[2].id == "c");
  CHECK(r.calls[4].arguments == R"({"y":1})");
}

TEST_CASE("chat: one index for all calls, a new id for each", "[wire]") {
  std::string bytes;
  for (int i = 0; i < 13; ++i)
    bytes += call(R"({"index":0,"id":"c)" + std::to_string(i) + R"(","function":{"name":"f","arguments":"{}"}})");
  CHECK(read(bytes).calls.size() == 13);
}

TEST_CASE("chat: a whole new object for the same index is a new call, also without an id", "[wire]") {
  const Recorder r = read(call(R"({"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}})") +
                          call(R"({"index":0,"function":{"name":"f","arguments":"{\"x\":2}"}})") +
                          call(R"({"index":0,"function":{"name":"g","arguments":"{}"}})"));
  REQUIRE(r.calls.size() == 3);
  CHECK(r.calls[1].arguments == R"({"x":2})");
}

TEST_CASE("chat: an id made up for every fragment does not cut the call", "[wire]") {
  const Recorder r = read(call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})") +
                          call(R"({"index":0,"id":"b","function":{"name":null,"arguments":"\"x\":1"}})") +
                          call(R"({"index":0,"id":"c","function":{"arguments":"}"}})"));
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].id == "a");
  CHECK(r.calls[0].arguments == R"({"x":1})");
}

TEST_CASE("chat: a call is shown when its name is known, and the id may come later", "[wire]") {
  const Recorder r =
      read(call(R"({"index":0,"id":"a","function":{"arguments":"{"}})") +
           call(R"({"index":1,"function":{"name":"g","arguments":"{}"}})") +
           call(R"({"index":0,"function":{"name":"f","arguments":"}"}})") + call(R"({"index":1,"id":"b"})"));
  REQUIRE(r.calls.size() == 2);
  CHECK(r.calls[0].name == "g");
  CHECK(r.calls[0].id == "b");
  CHECK(r.calls[1].name == "f");
  CHECK(r.calls[1].arguments == "{}");
}

TEST_CASE("chat: a call that never gets a name is shown at the end", "[wire]") {
  const Recorder r = read(call(R"({"index":0,"id":"a","function":{"arguments":"{}"}})") + call(R"({"index":1})"));
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].name.empty());
  CHECK(r.calls[0].arguments == "{}");
}

TEST_CASE("chat: names come in pieces, or again", "[wire]") {
  const Recorder r = read(call(R"({"index":0,"id":"a","function":{"name":"get_"}})") +
                          call(R"({"index":0,"function":{"name":"time"}})") +
                          call(R"({"index":0,"function":{"name":"get_time","arguments":"{}"}})"));
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].name == "get_time");
}

TEST_CASE("chat: arguments of every shape", "[wire]") {
  const auto arguments = [](const std::string &value) {
    return read(call(R"({"index":0,"id":"a","function":{"name":"f","arguments":)" + value + "}}"))
        .calls.at(0)
        .arguments;
  };
  CHECK(arguments("null").empty());
  CHECK(arguments("\"null\"").empty());
  CHECK(arguments("\"\"").empty());
  CHECK(arguments(R"({"x": 1.0, "y":12345678901234567890123})") == R"({"x": 1.0, "y":12345678901234567890123})");
  CHECK(arguments("[1]") == "[1]");
  CHECK(arguments(R"("{\"x\":1e400}")") == R"({"x":1e400})");
}

TEST_CASE("chat: a provider that repeats the arguments is understood", "[wire]") {
  const auto pieces = [](const std::vector<std::pair<std::string, std::string>> &entries) {
    std::string bytes;
    for (const auto &[head, fragment] : entries)
      bytes += call(R"({"index":0,)" + head + R"("function":{"name":)" + (head.empty() ? "null" : "\"f\"") +
                    R"(,"arguments":)" + json_string(fragment) + "}}");
    return read(bytes);
  };
  const std::string head = R"("id":"a",)";
  const auto last = [](const Recorder &r) { return r.calls.size() == 1 ? r.calls[0].arguments : "not one call"; };
  CHECK(last(pieces({{head, R"({"p")"}, {head, R"({"p":"x)"}, {head, R"({"p":"x"})"}})) == R"({"p":"x"})");
  CHECK(last(pieces({{head, R"({"p")"}, {"", R"(:1})"}, {head, R"({"p":1})"}})) == R"({"p":1})");
  CHECK(last(pieces({{head, R"({"p":1})"}, {head, R"({ "p": 1 })"}})) == R"({"p":1})");
  // No repetition: an object within an object, and a fragment that was there before.
  CHECK(last(pieces({{head, R"({"a":)"}, {"", R"({"a":1})"}, {"", "}"}})) == R"({"a":{"a":1}})");
  CHECK(last(pieces({{head, R"({"a":)"}, {head, R"({"a":1}})"}})) == R"({"a":{"a":1}})");
  CHECK(last(pieces({{head, R"({"a":[)"}, {"", "{"}, {"", "}"}, {"", "]}"}})) == R"({"a":[{}]})");
  CHECK(last(pieces({{head, R"({"a)"}, {head, R"(":)"}, {head, R"({"a":)"}, {head, "1}}"}})) == R"({"a":{"a":1}})");
  // Two different whole objects under one id: neither is run.
  CHECK(last(pieces({{head, R"({"p":1})"}, {head, R"({"p":2})"}})) == R"({"p":1}{"p":2})");

  const Recorder placeholder = pieces({{head, "{}"}, {"", R"({"x":)"}, {"", "1}"}});
  CHECK(last(placeholder) == R"({"x":1})");
  CHECK(placeholder.diagnostics == Strings{"placeholder_arguments"});
}

TEST_CASE("chat: the function_call of old is a call", "[wire]") {
  const Recorder r = read(event(delta(R"("function_call":{"name":"f","arguments":"{\"x\""})")) +
                          event(delta(R"("function_call":{"arguments":":1}"})")) + finish_event("function_call"));
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].arguments == R"({"x":1})");
}

TEST_CASE("chat: members of a call that nobody knows are kept as written", "[wire]") {
  const Recorder r = read(
      call(
          R"({"index":0,"id":"a","extra_content":{"google": {"n":1.0}},"x":null,"function":{"name":"f","arguments":"{"}})") +
      call(R"({"index":0,"late":"\u0041","function":{"arguments":"}"}})"));
  CHECK(r.calls.at(0).members == R"({"extra_content":{"google": {"n":1.0}},"late":"\u0041"})");
  CHECK(r.calls.at(0).arguments == "{}");
}

TEST_CASE("chat: calls beyond the limit are dropped whole", "[wire]") {
  Answer how;
  how.limits.calls_per_round = 1;
  const Recorder r =
      read(call(R"({"id":"a","function":{"name":"f","arguments":"{"}})") +
               call(R"({"id":"b","function":{"name":"g","arguments":"{"}})") +
               call(R"({"function":{"arguments":"no"}})") + call(R"({"id":"a","function":{"arguments":"}"}})"),
           how);
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].arguments == "{}");
  CHECK(r.diagnostics == Strings{"oversize"});
}

// ---- the end ----

TEST_CASE("chat: the reason to stop is told when it changes", "[wire]") {
  const Recorder r = read(finish_event("tool_calls") + finish_event("tool_calls") + finish_event("stop"));
  CHECK(r.log == decltype(r.log){{"finish", "2 tool_calls;1 stop;"}});
}

TEST_CASE("chat: usage in every event is told once, the last word of it", "[wire]") {
  std::string bytes;
  for (int i = 1; i < 4; ++i)
    bytes += event(R"({"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":)" +
                   std::to_string(i) + "}}");
  const Recorder r = read(bytes + event("[DONE]") + event("[DONE]"));
  REQUIRE(r.usages.size() == 1);
  CHECK(r.usages[0].input_tokens == 7);
  CHECK(r.usages[0].output_tokens == 3);
  CHECK(read(event(R"({"choices":[],"usage":null,"x_groq":{"usage":{"prompt_tokens":1.0,"completion_tokens":2}}})"))
            .log == decltype(r.log){{"usage", "1/2;"}});
}

TEST_CASE("chat: behind [DONE] only usage counts", "[wire]") {
  const Recorder r =
      read(text_delta("a") + event("[DONE]") + "\n\n: bye\n" + text_delta("b") +
           event(R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}})") + event("[DONE]"));
  CHECK(r.text == "a");
  CHECK(r.usages.size() == 1);
  CHECK(r.diagnostics == Strings{"broken_event"});
}

TEST_CASE("chat: an end without blank line, line end, finish reason or [DONE] is an end", "[wire]") {
  CHECK(read("data: " + delta(R"("content":"a")")).text == "a");
  Answer cut;
  cut.complete = false;
  CHECK(read("data: {\"choices\":[{\"del", cut).error_code.empty());
  CHECK(read("").log.empty());
  CHECK(read(": OPENROUTER PROCESSING\n\n").log.empty());
}

// ---- errors ----

TEST_CASE("chat: an error in the stream ends the answer with the provider's words", "[wire]") {
  for (
      const std::string &bytes : {
          event(R"({"error":{"message":"it broke","code":502}})"),
          "event: error\n" + event(R"({"error":{"message":"it broke","type":"server_error"}})"),
          "event: error\n" + event(R"({"message":"it broke","status_code":500})"),
          event(R"({"object":"error","message":"it broke","code":500})"),
          event(R"({"error":"it broke","code":"x"})") + ": transient? no\n",
          std::string("error: {\"code\":500,\"message\":\"it broke\"}\n\n"),
          event(
              R"({"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"message":"it broke"}}]})"),
          event(R"({"choices":[],"error":{"message":"it broke"}})"),
          std::string("[{\n  \"error\": {\n    \"message\": \"it broke\"\n  }\n}\n]\n"),
          std::string("event: error\ndata: it broke\n\n"),
      }) {
    const Recorder r = read(text_delta("a") + bytes + text_delta("no") + finish_event("stop"));
    INFO(bytes);
    CHECK(r.text == "a");
    CHECK(r.error_code == "provider");
    CHECK(r.error == "it broke");
  }
  CHECK(read(event(R"({"error":null,"choices":[{"delta":{"content":"a"}}]})") + event(R"({"error":{}})"))
            .error_code.empty());
  CHECK(read(event(R"({"error":{"message":"x","code":429}})")).transient);
  CHECK(read(event(R"({"error":{"message":"x","type":"overloaded_error"}})")).transient);
  CHECK_FALSE(read(event(R"({"error":{"message":"x","code":400}})")).transient);
}

TEST_CASE("chat: the words of an error are found where gateways put them", "[wire]") {
  const auto words = [](const std::string &body) { return read_provider_error(body, 0).words; };
  CHECK(
      words(
          R"({"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"too long\"}}"}}})") ==
      "Provider returned error: too long");
  CHECK(words(R"({"detail":[{"loc":["body","tools",0],"msg":"field required"}]})") == "body.tools.0: field required");
  CHECK(words(R"({"error":"not_found","message":"no such model"})") == "no such model");
  CHECK(words("<html><head><title>502 Bad\n Gateway</title></head><body>x</body></html>") == "502 Bad Gateway");
  CHECK(words("<style>p{}</style><p>Sorry&nbsp;</p>") == "Sorry&nbsp;");
  CHECK(words("upstream  connect error\n") == "upstream connect error");
  CHECK(words("{\"code\":1}") == "1");
  CHECK(words("{\"x\":[]}") == "{\"x\":[]}");
  CHECK(words(std::string(5000, 'x')).size() < 2100);
}

TEST_CASE("chat: an HTTP error is told with its status and words, at the end of its body", "[wire]") {
  Answer how;
  how.status = 503;
  const Recorder r = read(R"({"error":{"message":"overloaded"}})", how);
  CHECK(r.error_code == "http");
  CHECK(r.error == "HTTP 503: overloaded");
  CHECK(r.transient);
  how.status = 401;
  CHECK(read("event: error\ndata: {\"error\":{\"message\":\"bad key\"}}\n\n", how).error == "HTTP 401: bad key");
  CHECK(read("", how).error == "HTTP 401");
  CHECK_FALSE(read("no", how).transient);
  CHECK(read("\xFF\xFE", how).error_code == "http");
  how.wire = "text";
  CHECK(read("no", how).error == "HTTP 401: no");
}

TEST_CASE("chat: a body that was not streamed is an answer all the same", "[wire]") {
  const std::string body =
      "{\n  \"object\": \"chat.completion\",\n  \"choices\": [ { \"index\": 0, \"message\": { \"role\": "
      "\"assistant\", \"content\": \"Hi\",\n \"reasoning_content\": \"hm\", \"tool_calls\": [ { \"id\": \"a\", "
      "\"function\": { \"name\": \"f\", \"arguments\": \"{}\" } } ] }, \"finish_reason\": \"stop\" } ],\n"
      "  \"usage\": { \"prompt_tokens\": 1, \"completion_tokens\": 2 }\n}";
  for (const std::string &bytes : {body, compact_json(body), "\n\n" + body + "\n"}) {
    const Recorder r = read(bytes);
    CHECK(r.text == "Hi");
    CHECK(r.reasoning == "hm");
    CHECK(r.calls.size() == 1);
    CHECK(r.finish == "stop");
    CHECK(r.usages.size() == 1);
    CHECK(r.error_code.empty());
    CHECK(r.diagnostics.empty());
  }
}

TEST_CASE("chat: a body that is no answer at all is an error", "[wire]") {
  CHECK(read("<html><title>Log in</title></html>").error == "the answer is not a chat completion: Log in");
  CHECK(read(R"({"id":"x","status":"starting","message":"queued"})").error ==
        "the answer is not a chat completion: queued");
  CHECK(read(R"({"detail":"Not Found"})").error_code == "provider");
}

TEST_CASE("chat: a line beyond the limit ends the answer", "[wire]") {
  Answer how;
  how.limits.line_bytes = 200;
  const Recorder r = read(text_delta("a") + text_delta(std::string(500, 'x')) + text_delta("b"), how);
  CHECK(r.text == "a");
  CHECK(r.error_code == "oversize");
}

TEST_CASE("chat: providers that take no tools are recognised, complaints about one tool are not", "[wire]") {
  for (const char *words : {
           "registry.ollama.ai/library/gemma:2b does not support tools",
           "model:latest doesn't support function calling",
           "No endpoints found that support tool use. Try disabling \"x\". To learn more…",
           "No endpoints found that support the provided 'tool_choice' value.",
           "`tools` is not supported with this model",
           "tools is not supported in this model",
           "tool_choice 'auto' is not supported by this server",
           "Function calling is not enabled for models/x",
           "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
           "tools param requires --jinja flag",
           "Unknown parameter: 'tools'.",
           "Unrecognized request argument supplied: tools",
           "Unsupported parameter: 'tools'",
           "x does not support parameters: ['tools'], for model=y",
           "Tool calling is not supported with this model.",
           "body.tools: Extra inputs are not permitted",
           "This model cannot use tools",
           "property 'tools' is unsupported",
           "Tool use with function calling is unsupported by the model.",
           "tool calls are currently not supported",
       }) {
    INFO(words);
    CHECK(refuses_tools(words));
  }
  for (const char *words : {
           "Invalid schema for function 'f': 'oneOf' is not supported",
           "Unknown parameter: 'tools[0].strict'.",
           "tools.0.custom.name: String should match pattern '^[a-z]+$'",
           "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
           "Tool choice is required, but model did not call a tool",
           "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
           "The model does not support image input",
           "parallel_tool_calls is not supported",
           "This model does not support images in tool results",
           "model not found",
           "Failed to call a function. Please adjust your prompt.",
           "tools[0].type web_search is not supported",
           "context length exceeded; tools were not the reason",
       }) {
    INFO(words);
    CHECK_FALSE(refuses_tools(words));
  }
  Answer how;
  how.status = 400;
  const Recorder r = read(R"({"error":{"message":"m does not support tools","type":"api_error"}})", how);
  CHECK(r.error_code == "tools_unsupported");
  CHECK(r.error == "HTTP 400: m does not support tools");
  CHECK(read(R"({"error":{"message":"bad value","param":"tools","code":"unsupported_parameter"}})", how).error_code ==
        "tools_unsupported");
  how.status = 429;
  CHECK(read(R"({"error":{"message":"m does not support tools"}})", how).error_code == "http");
}

TEST_CASE("a provider says in many ways that a model takes no pictures") {
  for (const char *words : {
           "The model does not support image input",
           "Invalid content type. image_url is only supported by certain models.",
           "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, "
           "expected "
           "`text` at line 1 column 391",
           "No endpoints found that support image input",
           "At most 0 image(s) may be provided in one prompt.",
           "m is not a multimodal model",
           "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
           "Image inputs are not supported by this model.",
           "Image input modality is not enabled for models/m",
           "Image input is not enabled for this model",
           "'claude-x' does not support image input.",
           "Model does not support images. Please use a model that does.",
           "This model doesn't support the image content block that you provided.",
           "this model is missing data required for image input",
           "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a "
           "string)]",
           "This model does not support vision",
       }) {
    INFO(words);
    CHECK(refuses_pictures(words));
  }
  for (const char *words : {
           "You uploaded an unsupported image. Please make sure your image has one of the formats: ['png', 'jpeg'].",
           "The image data you provided does not represent a valid image",
           "Unsupported image format: image/tiff",
           "image exceeds 5 MB maximum: the size is not supported",
           "Remote image urls are not supported",
           "This model does not support images in tool results",
           "m does not support tools",
           "Error while downloading the picture",
           "The file is not a picture",
           "model not found",
           "The model `x-vision` does not exist",
       }) {
    INFO(words);
    CHECK_FALSE(refuses_pictures(words));
  }
}

// ---- text ----

TEST_CASE("text: the bytes are the text, repaired where they are not UTF-8", "[wire]") {
  Answer how;
  how.wire = "text";
  const Recorder r = read("data: a\n\n{\"é😀\"}\xFFz\xE2\x82", how);
  CHECK(r.text == "data: a\n\n{\"é😀\"}\xEF\xBF\xBDz\xEF\xBF\xBD");
  CHECK(r.lost == 2);
  CHECK(read("\xEF\xBF\xBD", how).lost == 0);
  CHECK(read("", how).log.empty());
}

// ---- saved in mid-answer ----

// read() saves and restores everywhere; here is what the fixtures above do not lean on.
TEST_CASE("chat: what was decided before a save stays decided", "[wire]") {
  const auto message = [](const std::string &members) {
    return event(R"({"choices":[{"index":0,"message":{)" + members + "}}]}");
  };
  const std::string whole =
      R"("content":"ab","reasoning_content":"cd","tool_calls":[{"id":"z","function":{"name":"f","arguments":"{}"}}])";
  const Recorder deltas = read(event(delta(R"("content":"x","reasoning":"y","reasoning_opaque":"o")")) +
                               call(R"({"index":0,"id":"a","function":{"name":"f"}})") + message(whole));
  CHECK(deltas.text == "x");
  CHECK(deltas.reasoning == "y");
  CHECK(deltas.calls.size() == 1);
  CHECK(deltas.members == R"({"reasoning_opaque":"o"})");
  CHECK(read(message(R"("reasoning":"c")") + message(R"("reasoning":"cd")")).reasoning == "cd");
  CHECK(read(event(delta(R"("reasoning_content":"\ud83d")")) + event(delta(R"("reasoning_content":"\ude00")"))).log ==
        decltype(Recorder::log){{"reasoning", "😀"}, {"native", R"([{"reasoning_content":"😀"}])"}});

  CHECK(read("event: error\r\ndata: it broke\r\n\r\n").error == "it broke");
  CHECK(read(text_delta("a") + "\xEF\xBB\xBF" + text_delta("no") + text_delta("b")).text == "ab");

  Answer how;
  how.limits.calls_per_round = 1;
  how.limits.argument_bytes = 8;
  how.limits.line_bytes = 160;
  const std::string first = R"({"id":"a","function":{"name":"f","arguments":"{\"x"}})";
  const std::string opaque = event(delta(R"("reasoning_opaque":")" + std::string(90, 'x') + "\""));
  const Recorder limited =
      read(call(first) + call(R"({"function":{"arguments":"\":[1,2,3"}})") +
               call(R"({"function":{"arguments":"{\"x"}})") + call(R"({"id":"b","function":{"name":"g"}})") +
               call(R"({"id":"c","function":{"name":"g"}})") + opaque + opaque + opaque,
           how);
  CHECK(limited.calls.at(0).arguments == R"({"x":[1,2,3{"x)");
  CHECK(limited.diagnostics == Strings{"oversize", "oversize"});
}

TEST_CASE("a state that lacks members, or has others, is no end of the world", "[wire]") {
  Recorder before;
  const auto reader = find_wire("openai-chat")->read(before, {});
  reader->feed(call(R"({"index":0,"id":"a","x":[1],"function":{"name":"f","arguments":"{\"x\":\"\ud83d"}})") +
               event(delta(R"("reasoning_details":[{"text":"x"}],"content":"\ud83d")")) + "data: {\"\xE2");
  const std::string state = state_of(*reader);
  const std::string rest = call(R"({"index":0,"function":{"arguments":"\ude00\"}"}})") +
                           event(delta(R"("reasoning_details":[2],"content":"b")")) + event("[DONE]");
  Strings states = {"{}", R"({"calls":[1,{},{"slot":99,"members":[1]}],"members":{"reasoning_details":"["}})"};
  for (JsonSlices members(state); members.next();) {
    const std::string value(members.value());
    const size_t at = static_cast<size_t>(members.value().data() - state.data());
    for (const char *other : {"null", "[]", "{}", "\"\"", "\"x\"", "-7", "1e99", "true", "[[]]", R"({"base64":"!"})"})
      states.push_back(std::string(state).replace(at, value.size(), other));
  }
  for (const std::string &broken : states) {
    struct Deaf final : WireSink {
      void on_text(std::string_view) override {}
      void on_reasoning(std::string_view) override {}
      void on_call(uint32_t, std::string_view, std::string_view) override {}
      void on_call_head(uint32_t, std::string_view, std::string_view) override {}
      void on_arguments(uint32_t, std::string_view) override {}
      void on_arguments_replaced(uint32_t, std::string_view) override {}
      void on_bytes_lost() override {}
      void on_event_lost() override {}
      void on_call_broken(uint32_t, std::string_view) override {}
      void on_call_end(uint32_t) override {}
      void on_arguments_lost(uint32_t, std::string_view) override {}
      void on_calls_full() override {}
      void on_provider_call(uint32_t, std::string_view, std::string_view, std::string_view) override {}
      void on_provider_result(uint32_t, std::string_view, bool) override {}
      void on_native(std::string_view items) override { CHECK(check_json(items, 64).ok()); }
      void on_model(std::string_view) override {}
      void on_finish(Finish, std::string_view, std::string_view) override {}
      void on_end() override {}
      void on_usage(const Usage &) override {}
      void on_error(const WireError &) override {}
      void on_diagnostic(std::string_view, std::string_view) override {}
    } sink;
    INFO(broken);
    for (const char *wire : {"openai-chat", "text"}) {
      const auto again = find_wire(wire)->read(sink, {});
      again->load(broken);
      again->feed(rest);
      again->finish(true);
    }
  }
}

// ---- requests ----

namespace {

const std::vector<ToolOffer> &offers() {
  static const std::vector<ToolOffer> tools = {
      {"live2d.motion", "live2d_motion", "Moves \"it\"", R"({ "type":"object" })"},
      {"now", "now", "", R"({"type":"object","properties":{}})"}};
  return tools;
}

const std::string kOffered =
    R"({"type":"function","function":{"name":"live2d_motion","description":"Moves \"it\"","parameters":{ "type":"object" }}},)"
    R"({"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}})";

RequestParts parts(std::string_view body, std::vector<std::string_view> messages, bool with_tools = false) {
  RequestParts out;
  out.body = body;
  out.messages = std::move(messages);
  out.tools = with_tools ? &offers() : nullptr;
  out.names = &offers();
  return out;
}

std::string write(const RequestParts &request, std::string_view wire = "openai-chat") {
  return find_wire(wire)->write(request);
}

}  // namespace

TEST_CASE("request: every byte of the host's body but the messages stays as it was", "[wire]") {
  CHECK(
      write(parts(
          "{ \"model\" : \"m\",\n \"messages\": [ 1 ] , \"seed\":12345678901234567890,\"t\": 1.0, \"stream\":false }\n",
          {R"({"role":"user","content":"\u00e9"})"})) ==
      "{ \"model\" : \"m\",\n \"messages\": [{\"role\":\"user\",\"content\":\"\\u00e9\"}] , "
      "\"seed\":12345678901234567890,\"t\": 1.0, \"stream\":false }");
  CHECK(write(parts("{}", {})) == R"({"messages":[],"stream":true})");
}

TEST_CASE("request: our tools stand behind the host's", "[wire]") {
  CHECK(write(parts(R"({"messages":[],"tools":[ {"x":1} ],"tool_choice":"auto"})", {}, true)) ==
        R"({"messages":[],"tools":[ {"x":1},)" + kOffered + R"(],"tool_choice":"auto","stream":true})");
  CHECK(write(parts(R"({"messages":[],"tools":[ ]})", {}, true)) ==
        R"({"messages":[],"tools":[)" + kOffered + R"(],"stream":true})");
  CHECK(write(parts(R"({"messages":[],"tools":null})", {}, true)) ==
        R"({"messages":[],"tools":[)" + kOffered + R"(],"stream":true})");
  CHECK(write(parts(R"({"messages":[]})", {}, true)) == R"({"messages":[],"stream":true,"tools":[)" + kOffered + "]}");
  CHECK(write(parts(R"({"messages":[]})", {}, false)) == R"({"messages":[],"stream":true})");
}

TEST_CASE("request: calls are forbidden only where there are tools", "[wire]") {
  RequestParts request = parts(R"({"messages":[],"stream":true,"tool_choice":"required","tools":[{}]})", {});
  request.forbid_calls = true;
  CHECK(write(request) == R"({"messages":[],"stream":true,"tool_choice":"none","tools":[{}]})");
  request.body = R"({"messages":[],"stream":true})";
  CHECK(write(request) == R"({"messages":[],"stream":true})");
  request.tools = &offers();
  CHECK(write(request) == R"({"messages":[],"stream":true,"tools":[)" + kOffered + R"(],"tool_choice":"none"})");
}

TEST_CASE("request: the tokens of a stream are asked for, unless the host says something of it", "[wire]") {
  RequestParts request = parts(R"({"messages":[]})", {});
  request.ask_usage = true;
  CHECK(write(request) == R"({"messages":[],"stream":true,"stream_options":{"include_usage":true}})");
  CHECK(write(request, "text") == R"({"messages":[],"stream":true})");
  for (const std::string_view body :
       {R"({"messages":[],"stream":false})", R"({"messages":[],"stream":true,"stream_options":null})"}) {
    request.body = body;
    CHECK(write(request) == body);
  }
}

TEST_CASE("request: messages lose metadata, and calls in them get the names of the wire", "[wire]") {
  const auto one = [](std::string_view message) {
    const std::string body = write(parts(R"({"stream":true,"messages":0})", {message}));
    return body.substr(27, body.size() - 29);
  };
  CHECK(one(R"({"role":"user", "content":"x","metadata":{"a":1}})") == R"({"role":"user","content":"x"})");
  CHECK(one(R"({"metadata":1})") == "{}");
  CHECK(one(R"( {"role":"user", "name":"live2d.motion"} )") == R"({"role":"user", "name":"live2d.motion"})");
  CHECK(
      one(R"({"role":"assistant","content":"","tool_calls":[{ "id":"a","x":1.0,"function":{"name":"live2d.motion", "arguments":"{}"}}]})") ==
      R"({"role":"assistant","content":null,"tool_calls":[{ "id":"a","x":1.0,"function":{"name":"live2d_motion", "arguments":"{}"}}]})");
  CHECK(one(R"({"role":"assistant","content":"","tool_calls":[]})") ==
        R"({"role":"assistant","content":"","tool_calls":[]})");
  CHECK(one(R"({"role":"tool","name":"live2d.motion","content":""})") ==
        R"({"role":"tool","name":"live2d_motion","content":""})");
  CHECK(one(R"({"role":"tool","name":"表情.x"})") == R"({"role":"tool","name":"___x"})");
  CHECK(one(R"({"role":"assistant","tool_calls":[1,{"function":null},{}]})") ==
        R"({"role":"assistant","tool_calls":[1,{"function":null,"id":"call_2"},{"id":"call_3"}]})");
  CHECK(legal_name("") == "_");
  CHECK(legal_name(std::string(100, 'a')).size() == 64);
}

TEST_CASE("request: the text wire writes the messages, no tools", "[wire]") {
  RequestParts request = parts(R"({"messages":0})", {R"({"role":"tool","name":"live2d.motion","metadata":0})"}, true);
  CHECK(write(request, "text") == R"({"messages":[{"role":"tool","name":"live2d.motion"}],"stream":true})");
}

TEST_CASE("request: what a host gets wrong is told by path", "[wire]") {
  const auto path = [](std::string_view body) {
    const Status status = find_wire("openai-chat")->check(body, offers());
    return status.ok() ? "ok" : status.path;
  };
  CHECK(
      path(
          R"({"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"other"}}],"stream":false})") ==
      "ok");
  CHECK(path("[]").empty());
  CHECK(path("{}") == "messages");
  CHECK(path(R"({"messages":{}})") == "messages");
  CHECK(path(R"({"messages":[{"role":"user"},1]})") == "messages[1]");
  CHECK(path(R"({"messages":[{"role":1}]})") == "messages[0].role");
  CHECK(path(R"({"messages":[{}]})") == "messages[0].role");
  CHECK(path(R"({"messages":[]})") == "messages");
  CHECK(path(R"({"messages":[{"role":"bot"}]})") == "messages[0].role");
  CHECK(path(R"({"messages":[{"role":"user","content":{}}]})") == "messages[0].content");
  CHECK(path(R"({"messages":[{"role":"user"}],"tools":{}})") == "tools");
  CHECK(path(R"({"messages":[{"role":"user"}],"tools":[{},{"function":{"name":"live2d_motion"}}]})") ==
        "tools[1].function.name");
  CHECK(path(R"({"messages":[{"role":"user"}],"stream":1})") == "stream");
}

TEST_CASE("a refused signature is known by the words of its provider", "[wire]") {
  for (const char *words : {
           "messages.1.content.0: Invalid `signature` in `thinking` block",
           "messages.3.content.1: Invalid `data` in `redacted_thinking` block",
           "messages.1.content.0.thinking.signature: Field required",
           "messages.1.content.10: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
           "modified. These blocks must remain as they were in the original response.",
           "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
           "Function call is missing a thought_signature in functionCall parts. This is required for tools to work.",
           "Corrupted thought signature.",
           "Unable to submit request because Thought signature is not valid.",
           "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"x\"",
           "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
           "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
           "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
           "Item with id 'msg_1' not found.",
           "Encrypted content is not supported with this model.",
           "The encrypted content gAAA...6KFQ could not be verified.",
           "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be "
           "decrypted "
           "or parsed.",
       }) {
    INFO(words);
    const std::string body = R"({"error":{"type":"invalid_request_error","message":)" + json_string(words) + "}}";
    CHECK(read_provider_error(body, 400).code("http") == "signature_refused");
    CHECK(read_provider_error(body, 429).code("http") == "http");
  }
  for (const char *words : {
           "The signature of the request does not match.",
           "Invalid API key.",
           "messages.0.content: Input should be a valid string",
           "File with id 'file_1' not found.",
           "The model could not be verified.",
       }) {
    INFO(words);
    CHECK(read_provider_error(words, 400).code("http") == "http");
  }
}

TEST_CASE("the registry knows its wires", "[wire]") {
  for (const char *id :
       {"openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions", "ollama", "text"})
    CHECK(find_wire(id)->id() == id);
  CHECK(find_wire("morse") == nullptr);
}

TEST_CASE("chat: a megabyte of arguments in fragments of one byte is read in linear time", "[wire]") {
  std::string bytes = call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\""}})");
  const std::string fragment = call(R"({"index":0,"function":{"arguments":"{"}})");
  constexpr size_t kCount = 200000;
  for (size_t i = 0; i < kCount; ++i) bytes += fragment;
  const Recorder r = read_cut(bytes, {}, 1400);
  CHECK(r.calls.at(0).arguments.size() == 6 + kCount);
}

// ---- recorded streams, where they are ----

namespace {

namespace fs = std::filesystem;

fs::path shared_data() {
  if (const char *path = std::getenv("SLUICE_SHARED")) return path;
#ifdef SLUICE_SOURCE_DIR
  return fs::path(SLUICE_SOURCE_DIR) / ".." / "shared";
#else
  return "../shared";
#endif
}

std::string file(const fs::path &path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::string trimmed(const std::string &text) {
  const size_t from = text.find_first_not_of(" \t\r\n");
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(" \t\r\n") + 1 - from);
}

bool is_absent(const fs::path &path) {
  if (fs::exists(path)) return false;
  WARN("SKIPPED: no conformance data at ../shared or $SLUICE_SHARED");
  return true;
}

void check_stream(const Recorder &r, const nlohmann::json &expected) {
  CHECK(trimmed(r.text) == trimmed(expected["text"]));
  CHECK(trimmed(r.reasoning) == trimmed(expected["reasoning"]));
  const std::string finish = expected["finish_reason"].is_string() ? expected["finish_reason"] : "";
  CHECK(r.finish == finish);
  if (expected.contains("error")) {
    CHECK(r.error_code == "provider");
    CHECK(r.error.find(expected["error"]["message"].get<std::string>()) == 0);
  } else {
    CHECK(r.error_code.empty());
  }
  REQUIRE(r.calls.size() == expected["tool_calls"].size());
  for (size_t i = 0; i < r.calls.size(); ++i) {
    const auto &call = expected["tool_calls"][i];
    if (call["id"].is_string()) CHECK(r.calls[i].id == call["id"]);
    CHECK(r.calls[i].name == call["name"]);
    CHECK(r.calls[i].arguments == call["arguments_raw"]);
  }
}

}  // namespace

TEST_CASE("recorded openai-chat streams are read as they were meant", "[wire][shared]") {
  const fs::path root = shared_data() / "streams";
  if (is_absent(root)) return;
  size_t count = 0;
  for (const auto &entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().string();
    if (!name.ends_with(".expected.json")) continue;
    const auto expected = nlohmann::json::parse(file(entry.path()));
    if (expected["wire"] != "openai-chat") continue;
    const std::string stem = name.substr(0, name.size() - std::string(".expected.json").size());
    const std::string bytes = file(fs::exists(stem + ".sse") ? stem + ".sse" : stem + ".json");
    ++count;
    INFO(stem);
    for (const int piece : {0, 1, -1, -2, -3}) {
      if (piece > 0 && bytes.size() >= 40000) continue;
      const Recorder cut = read_cut(bytes, {}, piece);
      check_stream(cut, expected);
      if (piece == -1 || (piece > 0 && bytes.size() < 2000)) check_saved(bytes, {}, piece, cut);
    }
  }
  std::cout << count << " recorded streams\n";
  CHECK(count > 0);
}

TEST_CASE("recorded error bodies are told in the provider's words", "[wire][shared]") {
  const fs::path root = shared_data() / "streams" / "_error-bodies";
  if (is_absent(root)) return;
  for (const auto &entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().string();
    if (!name.ends_with(".expected.json")) continue;
    const auto expected = nlohmann::json::parse(file(entry.path()));
    Answer how;
    how.status = expected["http_status"];
    const Recorder r = read(file(name.substr(0, name.size() - 14) + ".json"), how);
    INFO(name);
    CHECK(r.error_code == (how.status >= 400 ? "http" : "provider"));
    const auto &error = expected["error"];
    if (error.contains("message"))
      CHECK(r.error == "HTTP " + std::to_string(how.status) + ": " + error["message"].get<std::string>());
  }
}

TEST_CASE("the vectors of openai-chat deltas are put together", "[wire][shared]") {
  const fs::path path = shared_data() / "vectors" / "openai_chat_deltas.json";
  if (is_absent(path)) return;
  size_t count = 0;
  const auto vectors = nlohmann::ordered_json::parse(file(path));
  for (const auto &vector : vectors["cases"]) {
    std::string bytes;
    for (const auto &delta : vector["deltas"]) {
      nlohmann::ordered_json choice = {{"index", 0}};
      if (delta.contains("__message__"))
        choice["message"] = delta["__message__"];
      else
        choice["delta"] = delta;
      bytes += event(nlohmann::ordered_json{{"choices", {choice}}}.dump());
    }
    if (vector["finish_reason"].is_string()) bytes += finish_event(vector["finish_reason"]);
    if (vector.value("done", true)) bytes += event("[DONE]");
    const Recorder r = read(bytes);
    ++count;
    INFO(vector["id"]);
    std::string text, reasoning;
    size_t i = 0;
    for (const auto &block : vector["blocks"]) {
      text += block.value("text", "");
      reasoning += block.value("reasoning", "");
      if (!block.contains("call") && !block.contains("invalid")) continue;
      REQUIRE(i < r.calls.size());
      const Call &call = r.calls[i++];
      const auto &said = block.contains("call") ? block["call"] : block["invalid"];
      CHECK(call.name == said["name"]);
      if (said.contains("id")) CHECK(call.id == said["id"]);
      if (said.contains("arguments"))
        CHECK(nlohmann::ordered_json::parse(call.arguments.empty() ? "{}" : call.arguments) == said["arguments"]);
    }
    CHECK(i == r.calls.size());
    CHECK(r.text == text);
    CHECK(r.reasoning == reasoning);
    for (const auto &code : vector.value("diagnostics", nlohmann::ordered_json::array()))
      CHECK(std::count(r.diagnostics.begin(), r.diagnostics.end(), code) == 1);
    if (vector.contains("keeps"))
      for (const auto &[id, members] : vector["keeps"].items())
        CHECK(nlohmann::ordered_json::parse(r.calls.at(0).members) == members);
  }
  CHECK(count > 0);
}
