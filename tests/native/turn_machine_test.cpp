// Every verb in every phase of a turn, as one table of return codes. A refused call changes nothing; after done no call
// changes anything.
#include <sluice/sluice.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "script_runner.h"

namespace {

using sluice_test::EngineHandle;
using sluice_test::TurnHandle;

constexpr std::string_view kTools = R"({"tools":[
  {"name":"note","agentCallable":true,"permission":"moderate",
   "parameters":{"type":"object","properties":{"text":{"type":"string"}}}},
  {"name":"find","agentCallable":true,"permission":"public","resultApproval":"always"},
  {"name":"clock","agentCallable":true,"permission":"public","timeoutMs":100}]})";

std::string config(const std::string &more = {}) {
  return R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"hi"}]})" + more + "}";
}

const std::string kOpenCallBody = R"("wire":"openai-chat","request":{"model":"m","messages":[
       {"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[
         {"id":"old","type":"function","function":{"name":"note","arguments":"{\"text\":\"a\"}"}}]}]}})";
const std::string kOpenCall = "{" + kOpenCallBody;
const std::string kOpenCallWithButton = R"({"loop":"user_mediated",)" + kOpenCallBody;

std::string chunk(const std::string &delta) { return R"(data: {"choices":[{"index":0,"delta":)" + delta + "}]}\n\n"; }
std::string text(const std::string &words) { return chunk(R"({"content":")" + words + R"("})"); }
std::string call(const std::string &name, const std::string &arguments = R"({\"text\":\"a\"})") {
  return chunk(R"({"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":")" + name +
               R"(","arguments":")" + arguments + R"("}}]})");
}
const std::string kStop = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

void poll(sluice_turn *turn) {
  while (sluice_turn_next_event(turn, nullptr) != nullptr) {
  }
}
void feed(sluice_turn *turn, const std::string &bytes) { sluice_turn_feed(turn, bytes.data(), bytes.size()); }
void finish(sluice_turn *turn) { sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0); }
void answer(sluice_turn *turn, const std::string &bytes) {
  feed(turn, bytes + kStop);
  finish(turn);
}
int32_t submit(sluice_turn *turn, uint32_t number, int32_t kind, std::string_view data) {
  return sluice_turn_submit(turn, number, kind, data.data(), data.size());
}

struct Verb {
  const char *name;
  std::function<int64_t(sluice_turn *)> call;
};

const std::vector<Verb> kVerbs = {
    {"response", [](sluice_turn *t) { return sluice_turn_response(t, 200, nullptr, 0); }},
    {"feed", [](sluice_turn *t) { return sluice_turn_feed(t, ": x\n", 4); }},
    {"finish complete", [](sluice_turn *t) { return sluice_turn_finish(t, SLUICE_END_COMPLETE, nullptr, 0); }},
    {"finish network", [](sluice_turn *t) { return sluice_turn_finish(t, SLUICE_END_NETWORK, nullptr, 0); }},
    {"finish retry", [](sluice_turn *t) { return sluice_turn_finish(t, SLUICE_END_RETRY, nullptr, 0); }},
    {"approve 1", [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_ONCE, nullptr, 0); }},
    {"approve 0", [](sluice_turn *t) { return sluice_turn_approve(t, 0, SLUICE_ONCE, nullptr, 0); }},
    {"approve 1 edited", [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_ONCE, "{}", 2); }},
    {"release 1", [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_RELEASE, nullptr, 0); }},
    {"deny 1", [](sluice_turn *t) { return sluice_turn_deny(t, 1, nullptr, 0); }},
    {"cancel 1", [](sluice_turn *t) { return sluice_turn_cancel(t, 1, nullptr, 0); }},
    {"cancel 0", [](sluice_turn *t) { return sluice_turn_cancel(t, 0, nullptr, 0); }},
    {"submit 1", [](sluice_turn *t) { return submit(t, 1, SLUICE_RESULT, "r"); }},
    {"failure 1", [](sluice_turn *t) { return submit(t, 1, SLUICE_FAILURE, "f"); }},
    {"progress 1", [](sluice_turn *t) { return submit(t, 1, SLUICE_PROGRESS, "p"); }},
    {"tick", [](sluice_turn *t) { return sluice_turn_tick(t, 1700000000001); }},
    {"approve 9", [](sluice_turn *t) { return sluice_turn_approve(t, 9, SLUICE_ONCE, nullptr, 0); }},
    {"release 9", [](sluice_turn *t) { return sluice_turn_approve(t, 9, SLUICE_RELEASE, nullptr, 0); }},
    {"deny 9", [](sluice_turn *t) { return sluice_turn_deny(t, 9, nullptr, 0); }},
    {"cancel 9", [](sluice_turn *t) { return sluice_turn_cancel(t, 9, nullptr, 0); }},
    {"submit 9", [](sluice_turn *t) { return submit(t, 9, SLUICE_RESULT, "r"); }},
    {"resolve 1", [](sluice_turn *t) { return sluice_turn_resolve(t, 1, "{}", 2); }},
    {"refuse 1", [](sluice_turn *t) { return sluice_turn_refuse(t, 1, nullptr, 0); }},
    {"accept", [](sluice_turn *t) { return sluice_turn_conclude(t, SLUICE_FINAL_ACCEPT, nullptr, 0); }},
    {"send back", [](sluice_turn *t) { return sluice_turn_conclude(t, SLUICE_FINAL_RETRY, "no", 2); }},
    {"finish fallback", [](sluice_turn *t) { return sluice_turn_finish(t, SLUICE_END_FALLBACK, nullptr, 0); }},
};
constexpr size_t kRetry = 4;  // its place among them

struct Phase {
  const char *name;
  std::string config;
  std::function<void(sluice_turn *)> reach;
  // o ok, s state, n not found, j json, u unsupported, a argument; one letter a verb, in their order:
  // response feed finish network retry | approve all edited release deny | cancel all | submit failure progress | tick
  // | 9: approve release deny cancel submit | resolve refuse | accept, send back
  std::string codes;
  bool restorable = true;  // false: a running call does not outlive the process
};

const std::string kNoCall = " nnnnn nn ss", kCalled = " nnnnn ss ss", kAsked = " nnnnn so ss", kRuns = " nnnnn oo ss";
const std::string kAfterDone = "ooooo sssss oo ooo o nnnnn ss ss",
                  kNoCallAfterDone = "ooooo nsnnn no nnn o nnnnn nn ss";

std::vector<Phase> phases() {
  const auto polled_answer = [](const std::string &bytes) {
    return [bytes](sluice_turn *turn) {
      poll(turn);
      answer(turn, bytes);
      poll(turn);
    };
  };
  const auto fed = [](const std::string &bytes) {
    return [bytes](sluice_turn *turn) {
      poll(turn);
      feed(turn, bytes);
      poll(turn);
    };
  };
  const std::string block = R"(,"dispatch":"block")";
  return {
      {"new, its request not polled", config(), [](sluice_turn *) {}, "ooooo nsnnn no nnn o" + kNoCall},
      {"its request polled", config(), poll, "ooooo nsnnn no nnn o" + kNoCall},
      {"response told", config(), [](sluice_turn *t) { sluice_turn_response(t, 200, nullptr, 0); },
       "soooo nsnnn no nnn o" + kNoCall},
      {"an error response told", config(), [](sluice_turn *t) { sluice_turn_response(t, 503, nullptr, 0); },
       "soooo nsnnn no nnn o" + kNoCall},
      {"bytes seen, nothing shown", config(), fed(": hello\n\n"), "soooo nsnnn no nnn o" + kNoCall},
      {"text shown", config(), fed(text("hi")), "sooos nsnnn no nnn o" + kNoCall},
      {"a call is written", config(), fed(call("note", "{")), "sooos sssss oo sss o" + kCalled},
      {"a call is complete, its answer goes on", config(), fed(call("note") + text("x")),
       "sooos sssss oo sss o" + kCalled},
      {"asked in mid-answer", config(block), fed(call("note") + text("x")), "sooos oooso oo sss o" + kAsked},
      {"cut behind the first call", config(R"(,"stopAfterCall":true)"), fed(call("note") + text("x")),
       "sooos sssss oo sss o" + kCalled},
      {"asked", config(), polled_answer(call("note")), "sssss oooso oo sss o" + kAsked},
      {"its arguments wait", config(R"(,"checkArguments":true)"), polled_answer(call("note")),
       "sssss sssss oo sss o nnnnn oo ss"},
      {"asked, the question not polled", config(), [](sluice_turn *t) { answer(t, call("note")); },
       "sssss sssss oo sss o" + kCalled},
      {"running in mid-answer", config(block), fed(call("clock", R"({\"n\":1})") + text("x")),
       "sooos sssss oo ooo o" + kRuns, false},
      {"running", config(), polled_answer(call("clock", "{}")), "sssss sssss oo ooo o" + kRuns, false},
      {"running, nobody knows", config(), [](sluice_turn *t) { answer(t, call("clock", "{}")); },
       "sssss sssss oo sss o" + kCalled},
      {"its result waits", config(),
       [=](sluice_turn *t) {
         polled_answer(call("find", "{}"))(t);
         submit(t, 1, SLUICE_RESULT, "secret");
         poll(t);
       },
       "sssss sssoo oo sss o" + kAsked},
      {"its result waits, the question not polled", config(),
       [=](sluice_turn *t) {
         polled_answer(call("find", "{}"))(t);
         submit(t, 1, SLUICE_RESULT, "secret");
       },
       "sssss sssss oo sss o" + kCalled},
      {"called, and asked for the next answer", config(),
       [=](sluice_turn *t) {
         polled_answer(call("clock", "{}"))(t);
         submit(t, 1, SLUICE_RESULT, "noon");
         poll(t);
       },
       "ooooo sssss oo sss o" + kCalled},
      {"denied", config(),
       [=](sluice_turn *t) {
         polled_answer(call("note"))(t);
         sluice_turn_deny(t, 1, nullptr, 0);
       },
       "ooooo sssss oo sss o" + kCalled},
      {"not found", config(), polled_answer(call("nothing", "{}")), "ooooo sssss oo sss o" + kCalled},
      {"invalid", config(), polled_answer(call("note", "{")), "ooooo sssss oo sss o" + kCalled},
      {"cancelled alone", config(),
       [=](sluice_turn *t) {
         polled_answer(call("note"))(t);
         sluice_turn_cancel(t, 1, nullptr, 0);
       },
       "ooooo sssss oo ooo o" + kCalled},
      {"ran when it was cancelled", config(),
       [=](sluice_turn *t) {
         polled_answer(call("clock", "{}"))(t);
         sluice_turn_cancel(t, 1, nullptr, 0);
       },
       "ooooo sssss oo ooo o" + kCalled},
      {"ran too long", config(),
       [=](sluice_turn *t) {
         sluice_turn_tick(t, 1699999999000);
         polled_answer(call("clock", "{}"))(t);
         sluice_turn_tick(t, 1700000000000);
       },
       "ooooo sssss oo ooo o" + kCalled},
      {"nobody decided in time", config(R"(,"approvalTimeoutMs":100)"),
       [=](sluice_turn *t) {
         sluice_turn_tick(t, 1699999999000);
         polled_answer(call("note"))(t);
         sluice_turn_tick(t, 1700000000000);
       },
       "ooooo sssss oo sss o" + kCalled},
      {"adopted", kOpenCall, poll, "sssss oooso oo sss o" + kAsked},
      {"adopted, with a button", kOpenCallWithButton, poll, "sssss oooso oo oos o" + kAsked},
      {"adopted and running", kOpenCall,
       [](sluice_turn *t) {
         poll(t);
         sluice_turn_approve(t, 1, SLUICE_ONCE, nullptr, 0);
         poll(t);
       },
       "sssss sssss oo ooo o" + kAsked, false},
      {"adopted and denied", kOpenCall,
       [](sluice_turn *t) {
         poll(t);
         sluice_turn_deny(t, 1, nullptr, 0);
       },
       "ooooo sssss oo sss o" + kCalled},
      {"a parser", R"({"wire":"openai-chat"})", [](sluice_turn *) {}, "oooos nsnnn no nnn o" + kNoCall},
      {"a parser with a call", R"({"wire":"text"})",
       [](sluice_turn *t) { feed(t, "<<<[TOOL_REQUEST]>>>\ntool_name:「始」note「末」\n<<<[END_TOOL_REQUEST]>>>"); },
       "sooos sssss oo sss o" + kCalled},
      {"a parser that is done", R"({"wire":"text"})", finish, kNoCallAfterDone},
      {"its final answer waits", config(R"(,"checkFinal":true)"), polled_answer(text("bye")),
       "sssss nsnnn no nnn o nnnnn nn oo"},
      {"its final answer waits, and was not polled", config(R"(,"checkFinal":true)"),
       [](sluice_turn *t) { answer(t, text("bye")); }, "sssss nsnnn no nnn o nnnnn nn ss"},
      {"completed", config(), polled_answer(text("bye")), kNoCallAfterDone},
      {"completed, done not polled", config(), [](sluice_turn *t) { answer(t, text("bye")); }, kNoCallAfterDone},
      {"cancelled", config(), [](sluice_turn *t) { sluice_turn_cancel(t, 0, nullptr, 0); }, kNoCallAfterDone},
      {"cancelled while a call waited", config(),
       [=](sluice_turn *t) {
         polled_answer(call("note"))(t);
         sluice_turn_cancel(t, 0, nullptr, 0);
       },
       kAfterDone},
      {"cancelled while a tool ran", config(),
       [=](sluice_turn *t) {
         polled_answer(call("clock", "{}"))(t);
         sluice_turn_cancel(t, 0, nullptr, 0);
       },
       kAfterDone},
      {"cancelled while a result waited", config(),
       [=](sluice_turn *t) {
         polled_answer(call("find", "{}"))(t);
         submit(t, 1, SLUICE_RESULT, "secret");
         sluice_turn_cancel(t, 0, nullptr, 0);
       },
       kAfterDone},
      {"failed", config(), [](sluice_turn *t) { sluice_turn_finish(t, SLUICE_END_NETWORK, "gone", 4); },
       kNoCallAfterDone},
      {"failed by time", config(R"(,"idleTimeoutMs":100)"),
       [=](sluice_turn *t) {
         sluice_turn_tick(t, 1699999999900);
         fed(text("hi"))(t);
         sluice_turn_tick(t, 1700000000000);
       },
       kNoCallAfterDone},
      {"at its limit", config(R"(,"maxRounds":1,"forceFinalAnswer":false)"),
       [=](sluice_turn *t) {
         polled_answer(call("clock", "{}"))(t);
         submit(t, 1, SLUICE_RESULT, "noon");
         polled_answer(call("clock", R"({\"again\":1})"))(t);
       },
       kAfterDone},
      {"left to the user", config(R"(,"loop":"user_mediated")"), polled_answer(call("note")), kAfterDone},
      {"of a document that is no JSON", "{", [](sluice_turn *) {}, "jjjjj jjjjj jj jjj j jjjjj jj jj"},
      {"of a wrong value", config(R"(,"maxRounds":"many")"), [](sluice_turn *) {}, "jjjjj jjjjj jj jjj j jjjjj jj jj"},
      {"of an unknown wire", R"({"wire":"morse"})", [](sluice_turn *) {}, "jjjjj jjjjj jj jjj j jjjjj jj jj"},
  };
}

int32_t code_of(char letter) {
  switch (letter) {
    case 'o': return SLUICE_OK;
    case 's': return SLUICE_E_STATE;
    case 'n': return SLUICE_E_NOT_FOUND;
    case 'j': return SLUICE_E_JSON;
    default: return SLUICE_E_ARGUMENT;
  }
}

std::string read(sluice_turn *turn, int32_t what) {
  const char *document = sluice_turn_get(turn, what, nullptr);
  return document != nullptr ? document : "(none)";
}

// Everything that a host can see of this turn. Polls all its events.
std::string everything(sluice_turn *turn) {
  std::ostringstream out;
  for (const int32_t what : {SLUICE_GET_REQUEST, SLUICE_GET_MESSAGE, SLUICE_GET_HISTORY, SLUICE_GET_TOOLS})
    out << read(turn, what) << '\n';
  while (const char *event = sluice_turn_next_event(turn, nullptr)) out << event << '\n';
  return out.str();
}

// Makes a turn in that phase; `again`: saved and restored there.
std::unique_ptr<TurnHandle> reached(sluice_engine *engine, const Phase &phase, bool again) {
  auto turn = std::make_unique<TurnHandle>(engine, phase.config);
  phase.reach(turn->p);
  if (!again) return turn;
  size_t len = 0;
  const char *state = sluice_turn_get(turn->p, SLUICE_GET_STATE, &len);
  if (state == nullptr) return turn;  // of a bad document: there is nothing to save
  const std::string saved(state, len);
  return std::make_unique<TurnHandle>(sluice_turn_restore(engine, saved.data(), saved.size()));
}

void hold_against_table(bool again) {
  const EngineHandle engine(kTools);
  REQUIRE(sluice_engine_error(engine.p, nullptr) == nullptr);
  for (const Phase &phase : phases()) {
    if (again && !phase.restorable) continue;
    std::string letters;
    for (const char letter : phase.codes)
      if (letter != ' ') letters += letter;
    letters += letters[kRetry];  // of the same answers, a fallback asks again
    INFO(phase.name << (again ? ", restored" : ""));
    REQUIRE(letters.size() == kVerbs.size());
    const bool done =
        read(reached(engine.p, phase, again)->p, SLUICE_GET_MESSAGE).find("\"outcome\"") != std::string::npos;
    for (size_t i = 0; i < kVerbs.size(); ++i) {
      INFO(kVerbs[i].name);
      const auto turn = reached(engine.p, phase, again);
      const int64_t code = kVerbs[i].call(turn->p);
      CHECK((code > 0 ? 0 : code) == code_of(letters[i]));
      if (letters[i] == 'o' && !done) continue;
      const auto untouched = reached(engine.p, phase, again);
      CHECK(everything(turn->p) == everything(untouched->p));
      if (code < 0) CHECK(read(turn->p, SLUICE_GET_ERROR).find("\"message\":\"") != std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("every verb in every phase of a turn answers as the table says, and what is refused changes nothing") {
  hold_against_table(false);
}

TEST_CASE("a restored turn answers as the one that was saved") {
  if (!sluice_test::can_restore()) {
    WARN("this library does not restore yet: skipped");
    return;
  }
  hold_against_table(true);
}

TEST_CASE("values that no verb takes are refused in every phase, and change nothing") {
  const std::vector<Verb> wrong = {
      {"response 42", [](sluice_turn *t) { return sluice_turn_response(t, 42, nullptr, 0); }},
      {"finish 6", [](sluice_turn *t) { return sluice_turn_finish(t, 6, nullptr, 0); }},
      {"finish -1", [](sluice_turn *t) { return sluice_turn_finish(t, -1, nullptr, 0); }},
      {"approve 5", [](sluice_turn *t) { return sluice_turn_approve(t, 1, 5, nullptr, 0); }},
      {"approve -1", [](sluice_turn *t) { return sluice_turn_approve(t, 1, -1, nullptr, 0); }},
      {"approve once, exactly", [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_EXACT, nullptr, 0); }},
      {"release, exactly",
       [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_RELEASE | SLUICE_EXACT, nullptr, 0); }},
      {"release all", [](sluice_turn *t) { return sluice_turn_approve(t, 0, SLUICE_RELEASE, nullptr, 0); }},
      {"release edited", [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_RELEASE, "{}", 2); }},
      {"approve all edited", [](sluice_turn *t) { return sluice_turn_approve(t, 0, SLUICE_ONCE, "{}", 2); }},
      {"submit 6", [](sluice_turn *t) { return sluice_turn_submit(t, 1, 6, "x", 1); }},
      {"submit -1", [](sluice_turn *t) { return sluice_turn_submit(t, 1, -1, "x", 1); }},
      {"tick -1", [](sluice_turn *t) { return sluice_turn_tick(t, -1); }},
      {"NULL with a length", [](sluice_turn *t) { return sluice_turn_feed(t, nullptr, 1); }},
  };
  const EngineHandle engine(kTools);
  for (const Phase &phase : phases()) {
    if (phase.codes.front() == 'j') continue;
    for (const Verb &verb : wrong) {
      INFO(phase.name << ": " << verb.name);
      const auto turn = reached(engine.p, phase, false), untouched = reached(engine.p, phase, false);
      CHECK(verb.call(turn->p) == SLUICE_E_ARGUMENT);
      CHECK(everything(turn->p) == everything(untouched->p));
    }
  }
}

TEST_CASE("documents that cannot be read are refused where they would count, and change nothing") {
  const EngineHandle engine(kTools);
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  const std::vector<std::pair<const char *, Verb>> wrong = {
      {"running", {"broken JSON", [](sluice_turn *t) { return submit(t, 1, SLUICE_RESULT_JSON, "{"); }}},
      {"running", {"no JSON at all", [](sluice_turn *t) { return submit(t, 1, SLUICE_RESULT_JSON, ""); }}},
      {"running", {"not UTF-8", [](sluice_turn *t) { return submit(t, 1, SLUICE_RESULT_JSON, "\"\xff\""); }}},
      {"running", {"too deep", [&](sluice_turn *t) { return submit(t, 1, SLUICE_RESULT_JSON, deep); }}},
      {"running", {"no parts", [](sluice_turn *t) { return submit(t, 1, SLUICE_RESULT_PARTS, "{}"); }}},
      {"running", {"a part of no kind", [](sluice_turn *t) { return submit(t, 1, SLUICE_RESULT_PARTS, "[{}]"); }}},
      {"running", {"no versions", [](sluice_turn *t) { return submit(t, 1, SLUICE_REWRITTEN, "\"x\""); }}},
      {"running",
       {"one version", [](sluice_turn *t) { return submit(t, 1, SLUICE_REWRITTEN, R"({"output":{"text":"x"}})"); }}},
      {"asked", {"broken edits", [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_ONCE, "{", 1); }}},
      {"asked", {"edits of no object", [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_ONCE, "[]", 2); }}},
      {"asked",
       {"edits that do not fit",
        [](sluice_turn *t) { return sluice_turn_approve(t, 1, SLUICE_ONCE, R"({"text":5})", 10); }}},
      {"its request polled", {"no headers", [](sluice_turn *t) { return sluice_turn_response(t, 200, "[]", 2); }}},
  };
  for (const auto &[name, verb] : wrong) {
    for (const Phase &phase : phases()) {
      if (std::string_view(phase.name) != name) continue;
      INFO(phase.name << ": " << verb.name);
      const auto turn = reached(engine.p, phase, false), untouched = reached(engine.p, phase, false);
      CHECK(verb.call(turn->p) == SLUICE_E_JSON);
      CHECK(everything(turn->p) == everything(untouched->p));
    }
  }
}

TEST_CASE("a state that cannot be read makes a turn that says so") {
  if (!sluice_test::can_restore()) {
    WARN("this library does not restore yet: skipped");
    return;
  }
  const EngineHandle engine(kTools);
  const std::pair<std::string, int32_t> states[] = {{"", SLUICE_E_JSON},
                                                    {"{", SLUICE_E_JSON},
                                                    {"[]", SLUICE_E_JSON},
                                                    {"{}", SLUICE_E_JSON},
                                                    {R"({"format":2})", SLUICE_E_JSON},
                                                    {R"({"format":999,"turn":{}})", SLUICE_E_UNSUPPORTED},
                                                    {R"({"format":2,"turn":{"wire":"morse"}})", SLUICE_E_JSON}};
  for (const auto &[state, code] : states) {
    INFO(state);
    const TurnHandle turn(sluice_turn_restore(engine.p, state.data(), state.size()));
    REQUIRE(turn.p != nullptr);
    CHECK(sluice_turn_feed(turn.p, "x", 1) == code);
    CHECK(sluice_turn_cancel(turn.p, 0, nullptr, 0) == code);
    CHECK(sluice_turn_next_event(turn.p, nullptr) == nullptr);
    CHECK(read(turn.p, SLUICE_GET_ERROR) != "(none)");
  }
}

// The tool changes after the user was shown it. A script cannot test that: its engine stays the same.
TEST_CASE("a tool renamed or changed between question and answer does not run on the old answer") {
  if (!sluice_test::can_restore()) {
    WARN("this library does not restore yet: skipped");
    return;
  }
  const auto engine_of = [](const std::string &name, const std::string &description, const std::string &parameters) {
    return R"({"tools":[{"name":")" + name + R"(","description":")" + description +
           R"(","agentCallable":true,"permission":"moderate","parameters":{"type":"object","properties":{)" +
           parameters + "}}}]}";
  };
  const std::string parameters = R"("text":{"type":"string"})";
  const EngineHandle before(engine_of("note", "keeps a note", parameters));
  const auto save_when = [&](const std::function<void(sluice_turn *)> &more) {
    const TurnHandle turn(before.p, config());
    poll(turn.p);
    answer(turn.p, call("note"));
    poll(turn.p);
    more(turn.p);
    return read(turn.p, SLUICE_GET_STATE);
  };
  const std::string asked = save_when([](sluice_turn *) {});
  const std::string approved = save_when([](sluice_turn *t) { sluice_turn_approve(t, 1, SLUICE_ONCE, nullptr, 0); });
  const auto status = [](sluice_turn *turn) {
    return sluice_test::Json::parse(read(turn, SLUICE_GET_MESSAGE))["blocks"][0]["status"].get<std::string>();
  };
  const auto executes = [](sluice_turn *turn) {
    for (const sluice_test::Json &event : sluice_test::poll_all(turn))
      if (event["type"] == "execute") return true;
    return false;
  };

  SECTION("the tool is gone, under another name it may do anything") {
    const EngineHandle after(engine_of("notes", "keeps a note", parameters));
    const TurnHandle turn(sluice_turn_restore(after.p, asked.data(), asked.size()));
    CHECK(status(turn.p) == "not_found");
    CHECK(sluice_turn_approve(turn.p, 1, SLUICE_ONCE, nullptr, 0) == SLUICE_E_STATE);
    CHECK_FALSE(executes(turn.p));
  }
  SECTION("another definition: the question is asked again, with another digest") {
    const EngineHandle after(engine_of("note", "publishes a note", parameters));
    const TurnHandle turn(sluice_turn_restore(after.p, asked.data(), asked.size()));
    CHECK(status(turn.p) == "awaiting_approval");
    CHECK(sluice_turn_approve(turn.p, 0, SLUICE_ONCE, nullptr, 0) == SLUICE_E_STATE);  // nobody saw the new question
    std::string digest;
    for (const sluice_test::Json &event : sluice_test::poll_all(turn.p))
      if (event["type"] == "approval") digest = event["digest"];
    CHECK(digest.size() == 64);
    CHECK(asked.find(digest) == std::string::npos);
    CHECK(sluice_turn_approve(turn.p, 0, SLUICE_ONCE, nullptr, 0) == SLUICE_OK);
    CHECK(executes(turn.p));
  }
  SECTION("arguments that do not fit the new definition are invalid") {
    const EngineHandle after(engine_of("note", "keeps a note", R"("text":{"type":"integer"})"));
    const TurnHandle turn(sluice_turn_restore(after.p, asked.data(), asked.size()));
    CHECK(status(turn.p) == "invalid");
    CHECK_FALSE(executes(turn.p));
  }
  SECTION("the same definition: approved and not yet told to run, it runs") {
    const EngineHandle after(engine_of("note", "keeps a note", parameters));
    const TurnHandle turn(sluice_turn_restore(after.p, approved.data(), approved.size()));
    CHECK(executes(turn.p));
    CHECK_FALSE(executes(turn.p));
  }
  SECTION("approved, and another definition before it was told to run: it does not run") {
    const EngineHandle after(engine_of("note", "publishes a note", parameters));
    const TurnHandle turn(sluice_turn_restore(after.p, approved.data(), approved.size()));
    CHECK_FALSE(executes(turn.p));
  }
}
