// A turn whose settings, tools, messages, decisions and answers are drawn each on its own, every value as likely as the
// default; and what must hold at each of its steps. Settings that nobody puts together by hand find faults between
// them.
#pragma once

#include <map>
#include <set>

#include "../native/request_rules.h"
#include "../native/wire_voices.h"
#include "scan_check.h"
#include "session.h"

namespace sluice_test {

struct DrawnTurn {
  Json engine, turn;
  std::string wire;
  std::map<std::string, std::string> levels;  // of the tools, by name
  bool has_request = true;
  int max_rounds = 5;
};

namespace drawn {

inline Json parsed(const char *text) { return Json::parse(text); }

inline Json tool(Choices &choices, const char *name, const char *level, DrawnTurn &drawn) {
  static constexpr const char *kLevels[] = {"public", "moderate", "sensitive"};
  const char *const chosen = choices.below(2) == 0 ? level : choices.of(kLevels);
  drawn.levels[name] = chosen;
  Json out = {{"name", name}, {"description", "d"}, {"agentCallable", choices.below(8) != 0}, {"permission", chosen}};
  out["parameters"] = parsed(
      R"({"type":"object","properties":{"n":{"type":"integer"},"path":{"type":"string"},"to":{"type":"string"}}})");
  if (choices.below(4) == 0) out["immediate"] = true;
  if (choices.below(4) == 0) out["idempotent"] = true;
  if (choices.below(4) == 0) out["annotations"] = {{"readOnlyHint", true}};
  if (choices.below(4) == 0) out["resultApproval"] = choices.below(2) ? "always" : "on_error";
  if (choices.below(4) == 0) out["timeoutMs"] = choices.below(2) ? 0 : 50;
  return out;
}

inline Json open_call(const char *id, const char *name, const char *arguments, const char *status = nullptr) {
  Json message = {{"role", "assistant"}, {"content", nullptr}};
  message["tool_calls"] =
      Json::array({{{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}}});
  if (status != nullptr)
    message["metadata"]["toolCallsRequested"] =
        Json::array({{{"requestId", id}, {"toolName", name}, {"args", Json::object()}, {"status", status}}});
  return message;
}

inline Json messages(Choices &choices) {
  Json out = Json::array({{{"role", "user"}, {"content", "go"}}});
  switch (choices.below(9)) {
    case 1: out.push_back(open_call("h", "read", R"({"path":"/"})")); break;
    case 2: out.push_back(open_call("h", "note", R"({"n":1})")); break;
    case 3: out.push_back(open_call("h", "mail", R"({"to":"bob"})")); break;
    case 4: out.push_back(open_call("h", "read", "{")); break;
    case 5: out.push_back(open_call("h", "nobody", "{}")); break;
    case 6: out.push_back(open_call("h", "note", R"({"n":"x"})")); break;
    case 7: out.push_back(open_call("h", "read", "{}", "completed")); break;
    case 8: {
      Json two = open_call("h", "read", R"({"path":"/"})");
      two["tool_calls"].push_back(open_call("h", "note", R"({"n":2})")["tool_calls"][0]);
      out.push_back(std::move(two));
      break;
    }
    default: break;
  }
  return out;
}

// Sets the member to one of these half of the times.
inline void maybe(Choices &choices, Json &turn, const char *name, std::initializer_list<const char *> values) {
  const size_t which = choices.below(2 * values.size());
  if (which < values.size()) turn[name] = parsed(*(values.begin() + static_cast<std::ptrdiff_t>(which)));
}

inline Json protocol(Choices &choices) {
  const auto &all = protocol_configs();
  const size_t which = choices.below(all.size());
  return Json::parse(std::next(all.begin(), static_cast<std::ptrdiff_t>(which))->second);
}

}  // namespace drawn

inline DrawnTurn draw_turn(Choices &choices) {
  static constexpr const char *kWires[] = {"openai-chat", "openai-responses",    "anthropic",
                                           "gemini",      "gemini-interactions", "ollama"};
  DrawnTurn out;
  out.wire = choices.of(kWires);
  Json tools = Json::array();
  tools.push_back(drawn::tool(choices, "read", "public", out));
  tools.push_back(drawn::tool(choices, "note", "moderate", out));
  tools.push_back(drawn::tool(choices, "mail", "sensitive", out));
  tools.push_back(drawn::tool(choices, "face", "public", out));
  tools.back()["ipc"] = drawn::parsed(R"({"channel":"pet:face","payload":[{"arg":"path"}]})");
  out.engine = {{"tools", tools}};
  Json &turn = out.turn;
  turn = {{"wire", out.wire}};
  turn["request"] = {{"model", choices.below(3) == 0 ? "hermes-4" : "m"}, {"messages", drawn::messages(choices)}};
  const auto maybe = [&](const char *name, std::initializer_list<const char *> values) {
    drawn::maybe(choices, turn, name, values);
  };
  maybe("mode", {R"("text")", R"("auto")", R"("native")"});
  if (turn.value("mode", "") == "text" || choices.below(2) == 0) {
    Json list = Json::array();
    std::set<std::string> ids;
    for (size_t left = 1 + choices.below(3); left > 0; --left)
      if (Json one = drawn::protocol(choices); ids.insert(text_of(one, "id")).second) list.push_back(std::move(one));
    turn["protocol"] = list;
  }
  maybe("alsoParse", {R"(["inline_tags"])", R"(["vcp"])", R"(["hermes","inline_tags"])", R"("auto")", "[]"});
  maybe("loop", {R"("user_mediated")"});
  maybe("dispatch", {R"("block")"});
  maybe("execution", {R"("parallel")"});
  maybe("questionOrder", {R"("one_by_one")"});
  maybe("observeOnly", {"true"});
  maybe("stopAfterCall", {"true"});
  maybe("checkFinal", {"true"});
  maybe("checkArguments", {"true"});
  maybe("malformed", {R"("drop")"});
  maybe("reasoningCalls", {R"("execute")"});
  maybe("startsInReasoning", {"true"});
  maybe("requireConfirmation", {"true"});
  maybe("resultApproval", {R"("always")", R"("on_error")"});
  maybe("rules", {R"([{"tool":"note","effect":"deny"}])", R"([{"tool":"read","effect":"ask"}])",
                  R"([{"tool":"*","effect":"deny","arguments":{"path":"/"}}])"});
  maybe("toolToggles", {R"({"read":false})", R"({"face":false})", R"({"nobody":false})"});
  maybe("forceFinalAnswer", {"false"});
  maybe("maxRounds", {"1", "2"});
  maybe("maxRequests", {"1", "2"});
  maybe("maxCalls", {"1", "2"});
  maybe("repeatLimit", {"1", "2"});
  maybe("timeoutMs", {"0", "50"});
  maybe("approvalTimeoutMs", {"100"});
  maybe("idleTimeoutMs", {"90"});
  maybe("firstByteTimeoutMs", {"120"});
  maybe("limits",
        {R"({"candidateBytes":64})", R"({"argumentBytes":32,"blocks":9})", R"({"callsPerRound":2,"textBytes":200})"});
  maybe("names", {R"({"anyCase":true})", R"({"anyCase":true,"lenient":true})"});
  out.max_rounds = turn.value("maxRounds", 5);
  return out;
}

// Plays a drawn turn and asserts what must hold after every step.
class DrawnPlay {
 public:
  explicit DrawnPlay(Choices &choices)
      : choices_(choices), drawn_(draw_turn(choices)), session_(drawn_.engine.dump(), drawn_.turn.dump()) {}

  bool played = false;                                // the turn could be made
  size_t ran() const { return session_.ran.size(); }  // how often a tool ran

  void play() {
    if (!session_.usable() || !session_.error().empty()) return;  // two formats may not stand beside each other
    played = true;
    check();
    for (size_t steps = 0; !choices_.done() && !session_.done && steps < 64; ++steps) {
      step();
      check();
    }
    settle_beside_twin();
  }

 private:
  std::string told() const { return drawn_.turn.dump() + "\n" + drawn_.engine.dump(); }

  // A verb that was refused has changed nothing.
  template <class Verb>
  void tried(const Verb &verb) {
    session_.drain();
    note();
    const std::string before = session_.get(SLUICE_GET_STATE);
    const int32_t code = verb();
    if (code >= 0) return;
    must(session_.get(SLUICE_GET_STATE) == before, "a verb that returns an error changes nothing", told());
    const size_t ran = session_.ran.size(), asked = session_.asked.size();
    session_.drain();
    must(session_.ran.size() == ran && session_.asked.size() == asked, "a verb that returns an error sends no event",
         told());
  }

  // A person said yes to these calls, or the policy lets their tools run.
  void note() {
    for (size_t i = started_; i < session_.running.size(); ++i) {
      const uint32_t call = session_.running[i];
      const Json card = card_of(call);
      const std::string level = drawn_.levels[text_of(card, "name")];
      const bool by_policy = level == "public" && !asks(card);
      must(!denied(card), "no call runs whose arguments a rule denies", card.dump() + "\n" + told());
      const bool again = card.value("idempotent", false) || restored_;
      must(by_policy || granted_ || approved_.contains(call) || approved_.contains(0),
           "nothing runs without a decision", card.dump() + "\n" + told());
      must(again || ran_.insert(call).second, "nothing runs twice", card.dump() + "\n" + told());
    }
    started_ = session_.running.size();
  }
  // A rule of the turn denies what would run.
  bool denied(const Json &card) const {
    for (const Json &rule : drawn_.turn.value("rules", Json::array())) {
      const std::string tool = text_of(rule, "tool");
      if (text_of(rule, "effect") != "deny" || (tool != "*" && tool != text_of(card, "name"))) continue;
      Json runs = card.value("arguments", Json::object());
      for (const char *given : {"editedArguments", "hostArguments"}) runs = card.value(given, runs);
      const Json about = rule.value("arguments", Json::object());
      if (std::all_of(about.items().begin(), about.items().end(),
                      [&](const auto &one) { return runs.contains(one.key()) && runs[one.key()] == one.value(); }))
        return true;
    }
    return false;
  }
  bool asks(const Json &) const { return drawn_.turn.value("requireConfirmation", false); }
  // A restore changes this turn: what came of a call that ran nobody knows, and references are resolved once more.
  bool restores_otherwise(const Json &message) const {
    const bool resolves = drawn_.turn.value("checkArguments", false);
    return std::any_of(message["blocks"].begin(), message["blocks"].end(), [&](const Json &block) {
      const std::string status = text_of(block, "status");
      return status == "executing" || (resolves && open_states().contains(status));
    });
  }
  static const std::set<std::string> &open_states() {
    static const std::set<std::string> states = {"streaming", "pending", "awaiting_approval", "executing",
                                                 "awaiting_result_approval"};
    return states;
  }
  Json card_of(uint32_t call) {
    const Json message = read_json(session_.get(SLUICE_GET_MESSAGE));
    return card_within(message["blocks"], call);
  }
  // The card of a call, also one that another tool asked for.
  static Json card_within(const Json &cards, uint32_t call) {
    for (const Json &card : cards) {
      if (card.value("call", 0U) == call) return card;
      if (const Json *const nested = member(card, "nested"))
        if (Json found = card_within(*nested, call); !found.empty()) return found;
    }
    return Json::object();
  }

  void check() {
    session_.drain();
    note();
    const Json all = drawn_.turn["request"]["messages"];
    const Json history = read_json(session_.get(SLUICE_GET_HISTORY));
    const bool waits = text_of(read_json(session_.get(SLUICE_GET_MESSAGE)), "outcome") == "awaiting_user";
    if (history.is_array() && !history.empty() && !waits) {
      const std::string why = invalid_history(all, history);
      must(why.empty(), "the history continues the messages", why + "\n" + brief(history) + "\n" + told());
    }
    const std::string request = session_.get(SLUICE_GET_REQUEST);
    if (!request.empty()) {
      const Json body = read_json(request);
      must(body.is_object(), "a request is JSON", request);
      const std::string fault = broken_rule(drawn_.wire, body);
      must(fault.empty(), "a provider takes the request", fault + "\n" + request + "\n" + told());
    }
  }
  void step();
  void settle_beside_twin();
  template <class Look>
  void settle(Session &session, const Look &look);
  std::string answer();

  Choices &choices_;
  DrawnTurn drawn_;
  Session session_;
  int64_t now_ = 1700000000000;
  size_t started_ = 0;
  bool restored_ = false;
  bool granted_ = false;  // a person let calls of a tool run for longer than once
  std::set<uint32_t> approved_, ran_;
};

inline std::string DrawnPlay::answer() {
  static constexpr const char *kNames[] = {"read", "note", "mail", "face", "nobody"};
  static constexpr const char *kArguments[] = {"{}", R"({"n":1})", R"({"path":"/"})", R"({"n":"x"})",
                                               R"({"to":"bob","n":2})"};
  static constexpr const char *kFinish[] = {"stop", "tool_calls", "length", "content_filter", "network_error", ""};
  SpokenAnswer out;
  if (choices_.below(2) == 0) out.deltas.push_back({{"content", choices_.below(2) ? "Well. " : "[表情:a]你好 "}});
  if (choices_.below(3) == 0) out.deltas.push_back({{"reasoning_content", "hm"}});
  const size_t calls = choices_.below(3);
  for (size_t i = 0; i < calls; ++i)
    out.deltas.push_back(
        {{"tool_calls",
          Json::array({{{"index", i},
                        {"id", choices_.below(4) == 0 ? "same" : "c" + std::to_string(i)},
                        {"type", "function"},
                        {"function", {{"name", choices_.of(kNames)}, {"arguments", choices_.of(kArguments)}}}}})}});
  if (choices_.below(3) == 0)
    out.deltas.push_back({{"content", "<tool_call>\n{\"name\":\"read\",\"arguments\":{}}\n</tool_call>"}});
  out.finish = choices_.below(2) == 0 ? (calls > 0 ? "tool_calls" : "stop") : choices_.of(kFinish);
  return spoken(drawn_.wire, out);
}

inline void DrawnPlay::step() {
  static constexpr const char *kGiven[] = {"{}", R"({"n":1})", R"({"n":"x"})", R"({"path":"/"})", "[", "[]"};
  static constexpr const char *kResults[] = {"done", "\"x\"", "{}",
                                             "<tool_call>{\"name\":\"mail\",\"arguments\":{}}</tool_call>"};
  static constexpr const char *kNested[] = {R"({"name":"read"})",
                                            R"({"name":"note","arguments":{"n":1}})",
                                            R"({"name":"mail","arguments":{"to":"bob"}})",
                                            R"({"name":"face","arguments":{"path":"/"}})",
                                            R"({"name":"nobody"})",
                                            R"({"name":"read","arguments":{"n":"x"}})"};
  static constexpr int32_t kConclusions[] = {SLUICE_FINAL_ACCEPT, SLUICE_FINAL_RETRY, SLUICE_FINAL_REPLACE,
                                             SLUICE_FINAL_RETRY + SLUICE_FINAL_SYSTEM};
  static constexpr int64_t kGaps[] = {0, 1, 60, 130, 70000};
  const auto call = static_cast<uint32_t>(choices_.below(6));
  switch (choices_.below(15)) {
    case 0:
    case 1:
    case 2: {
      const std::string body = answer();
      session_.feed(body);
      if (choices_.below(4) != 0) session_.finish();
      break;
    }
    case 3: session_.feed(std::string_view(answer()).substr(0, choices_.below(400))); break;
    case 4: session_.finish(static_cast<int32_t>(choices_.below(5))); break;
    case 5:
    case 6:
      tried([&] {
        const int32_t decision = choices_.below(4) == 0 ? SLUICE_RELEASE : static_cast<int32_t>(choices_.below(4));
        const int32_t code = session_.approve(call, decision, choices_.below(4) == 0 ? choices_.of(kGiven) : "");
        if (code == SLUICE_OK) approved_.insert(call);
        granted_ = granted_ || (code == SLUICE_OK && decision > SLUICE_ONCE && decision != SLUICE_RELEASE);
        return code;
      });
      break;
    case 7: tried([&] { return session_.deny(call, "no"); }); break;
    case 8:
      tried([&] { return session_.submit(call, static_cast<int32_t>(choices_.below(6)), choices_.of(kResults)); });
      break;
    case 9: tried([&] { return session_.resolve(call, choices_.of(kGiven)); }); break;
    case 10: session_.tick(now_ += choices_.of(kGaps)); break;
    case 11: {
      const std::string state = session_.get(SLUICE_GET_STATE);
      session_.restore(state, true);
      restored_ = true;
      must(session_.error().empty(), "every state that is saved restores", session_.error() + "\n" + state);
      break;
    }
    case 12: tried([&] { return session_.conclude(choices_.of(kConclusions), "x"); }); break;
    case 13: tried([&] { return session_.call(call, choices_.of(kNested)); }); break;
    default: tried([&] { return choices_.below(6) == 0 ? session_.cancel(call) : session_.refuse(call, "no"); });
  }
}

// Whoever drives the turn from here answers everything: it ends, after a bounded number of answers.
template <class Look>
void DrawnPlay::settle(Session &session, const Look &look) {
  int answers = 0;
  int64_t now = now_;
  for (int turns = 0; turns < 400 && !session.done; ++turns) {
    session.drain();
    look();
    if (session.done) break;
    session.tick(now += 5);
    for (uint32_t call = 1; call < 40; ++call) {
      session.deny(call, "no");
      session.refuse(call, "no");
      session.submit(call, SLUICE_FAILURE, "no");
    }
    session.conclude(SLUICE_FINAL_ACCEPT, "");
    session.drain();
    look();
    if (session.done || session.get(SLUICE_GET_REQUEST).empty()) continue;
    ++answers;
    session.feed(spoken(drawn_.wire, {{{{"content", "x"}}}, "stop"}));
    session.finish();
    must(answers <= drawn_.max_rounds + 4, "a turn ends after a bounded number of answers", told());
  }
  must(session.done, "a turn ends", told() + "\n" + brief(read_json(session.get(SLUICE_GET_MESSAGE))));
}

// A turn that was saved here and restored ends as this one does.
inline void DrawnPlay::settle_beside_twin() {
  session_.drain();
  note();
  const bool otherwise = restores_otherwise(read_json(session_.get(SLUICE_GET_MESSAGE)));
  Session twin(drawn_.engine.dump());
  twin.restore(session_.get(SLUICE_GET_STATE), true);
  twin.done = session_.done;
  settle(session_, [&] { note(); });
  session_.look();
  settle(twin, [] {});
  const std::string message = session_.get(SLUICE_GET_MESSAGE), restored = twin.get(SLUICE_GET_MESSAGE);
  must(otherwise || message == restored, "a restored turn ends as the other one",
       message + "\nrestored\n" + restored + "\n" + told());
  const Json ended = read_json(message);
  if (text_of(ended, "outcome") == "awaiting_user") return;
  for (const Json &block : ended["blocks"])
    must(!open_states().contains(text_of(block, "status")), "every card ends", block.dump() + "\n" + told());
}

}  // namespace sluice_test
