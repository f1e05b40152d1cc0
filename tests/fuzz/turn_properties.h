// What no tool, no process and no state may bring about, turn by turn: what a tool says calls nothing when a model
// repeats it; a restored turn asks the engine it is restored with; any bytes as a state are an error or a turn.
#pragma once

#include "readings.h"
#include "scan_check.h"
#include "session.h"

namespace sluice_test {

// -- what a tool says, in the model's mouth: as it was written, and decoded once or twice
// --------------------------------------------------------------------

struct Echo {
  std::string protocol;  // configuration: {"id": …}
  bool native = false;   // native calls, with the protocol read beside them
  bool tool_role = false;
  int32_t kind = SLUICE_RESULT;  // how the tool says it; below 0: a person's reason to refuse
};

// Both are open to anyone, so that whatever is called runs.
inline std::string echo_engine(bool asks) {
  return std::string(R"({"tools":[{"name":"note","agentCallable":true,"permission":")") +
         (asks ? "moderate" : "public") + R"("},{"name":"rm","agentCallable":true,"permission":"public"}]})";
}

// What the model reads of a result: the content of the messages behind its call, one after the other.
inline std::string words_of_request(const std::string &request) {
  const auto body = nlohmann::json::parse(request, nullptr, false);
  if (!body.is_object()) return {};
  std::string out;
  bool behind = false;
  for (const auto &message : body["messages"]) {
    if (message["role"] == "assistant") {
      behind = true;
      out.clear();
    }
    if (!behind || message["role"] == "assistant" || !message.contains("content")) continue;
    const auto &content = message["content"];
    if (content.is_string()) out += content.get<std::string>() + "\n";
    if (content.is_array())
      for (const auto &part : content) out += part.value("text", "") + "\n";
  }
  return out;
}

inline std::string submitted(int32_t kind, const std::string &said) {
  const nlohmann::json text = said;
  const auto dump = [](const nlohmann::json &value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  if (kind == SLUICE_RESULT_JSON) return dump({{said, text}, {"list", {text}}});
  if (kind == SLUICE_RESULT_PARTS) return dump(nlohmann::json::array({{{"type", "text"}, {"text", text}}}));
  if (kind == SLUICE_REWRITTEN) return dump({{"output", {{"text", "the tool's"}}}, {"hostOutput", {{"text", text}}}});
  return said;
}

// `said`: the tool's words, or the reason of a refusal; they name no tool but `rm`. `from`: the model repeats only what
// stands behind so many bytes. `decoded`: the one of its readings that the model takes it for.
inline void check_echo(const Echo &how, const std::string &said, size_t from, size_t decoded = 0) {
  std::shared_ptr<const sluice::Protocol> protocol;
  must(sluice::make_protocol(how.protocol, protocol).ok(), "the protocol exists");
  std::string call;
  protocol->write_call("call_0", "note", R"({"a":"x"})", call);
  std::string config = R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]})";
  config += how.tool_role ? R"(,"resultRole":"tool")" : "";
  // A format that writes no calls stands beside one that does.
  const bool writes = how.native || !call.empty();
  if (!writes) {
    must(sluice::make_protocol("\"vcp\"", protocol).ok(), "vcp exists");
    protocol->write_call("call_0", "note", R"({"a":"x"})", call);
  }
  const std::string list = (writes ? "[" : "[\"vcp\",") + how.protocol + "]";
  config += how.native ? R"(,"mode":"native","alsoParse":)" + list + "}" : R"(,"mode":"text","protocol":)" + list + "}";
  Session session(echo_engine(how.kind < 0), config);
  must(session.error().empty(), "the turn can be made", session.error());
  session.drain();
  session.feed(how.native ? chunk(native_calls({"note"})) : chunk({{"content", out_of_reasoning(*protocol) + call}}));
  session.feed(ends(how.native ? "tool_calls" : "stop"));
  session.finish();
  session.drain();
  if (session.asked.empty() && session.running.empty()) return;  // it cannot say its own call: others tell
  if (how.kind < 0)
    session.deny(1, said);
  else
    session.submit(1, how.kind, submitted(how.kind, said));
  session.drain();
  const auto read = readings(words_of_request(session.get(SLUICE_GET_REQUEST)));
  const auto &[way, words] = read[decoded % read.size()];
  std::string echoed = out_of_reasoning(*protocol) + words.substr(std::min(from, words.size()));
  session.feed(chunk({{"content", echoed}}) + ends());
  session.finish();
  session.drain();
  for (const std::string &tool : session.ran)
    must(tool != "rm", "what a tool says calls nothing when the model repeats it",
         how.protocol + (how.native ? " beside native calls" : "") + (how.tool_role ? ", role tool" : "") + ", kind " +
             std::to_string(how.kind) + ", read as " + way + "\n--- said\n" + said + "\n--- repeated\n" + echoed);
}

// -- another engine goes on
// ---------------------------------------------------------------------------------------------------

// Tools open to anyone, so that all of them would run at once.
// Two that a host runs, and one that sends a message to a window.
inline std::string open_tools(const std::string &permission = "public", const std::string &more = {}) {
  const std::string of = R"(","agentCallable":true,"permission":")" + permission + "\"" + more;
  return R"("tools":[{"name":"note)" + of + R"(},{"name":"rm)" + of + R"(},{"name":"face)" + of +
         R"(,"ipc":{"channel":"pet:face","payload":[]}}])";
}
inline const std::string kOpenTools = open_tools();

// Would ask about every call, or refuse it.
struct Stricter {
  std::string engine;
  bool asks = false;  // so that what a person agreed to already stands
};

inline std::vector<Stricter> stricter_engines() {
  return {
      {"{" + kOpenTools + R"(,"rules":[{"tool":"*","effect":"deny"}]})"},
      {"{" + kOpenTools + R"(,"rules":[{"tool":"*","effect":"ask"}]})", true},
      {"{" + kOpenTools + R"(,"toolToggles":{"note":false,"rm":false,"face":false}})"},
      {"{" + kOpenTools + R"(,"defaultToolEnabled":false})"},
      {"{" + kOpenTools + R"(,"requireConfirmation":true})", true},
      {"{" + kOpenTools + R"(,"enabled":false})"},
      {"{" + open_tools("public", R"(,"enabled":false)") + "}"},
      {"{" + open_tools("public", R"(,"executionApproval":"ask_always")") + "}"},
      {"{" + open_tools("public", R"(,"annotations":{"destructiveHint":true})") + "}"},
      {"{" + open_tools("moderate") + "}"},
      {"{" + open_tools("sensitive") + "}"},
      {R"({"tools":[]})"},
  };
}

// A state of a turn of `kOpenTools`: chosen where it stands.
inline std::string some_state(Choices &choices) {
  static constexpr const char *kTurns[] = {
      R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
      R"({"wire":"openai-chat","execution":"parallel","maxConcurrentTools":1,"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
      R"({"wire":"openai-chat","mode":"text","protocol":"vcp","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
      R"({"wire":"openai-chat","mode":"text","protocol":["tool_action","hermes"],"dispatch":"block","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
      R"({"wire":"openai-chat","requireConfirmation":true,"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
      R"({"wire":"openai-chat","resultApproval":"always","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
      R"({"wire":"text","protocol":"vcp"})",
  };
  const size_t which = choices.below(std::size(kTurns));
  Session session("{" + kOpenTools + "}", kTurns[which]);
  must(session.error().empty(), "the turn can be made", session.error());
  session.drain();
  const std::string text =
      which == 3 ? "<tool_action name=\"note\"><a value=\"x\"/></tool_action> and <tool_call>\n"
                   "{\"name\":\"rm\",\"arguments\":{}}\n</tool_call> so"
                 : "<<<[TOOL_REQUEST]>>>tool_name:「始」note「末」,a:「始」x「末」<<<[END_TOOL_REQUEST]>>> "
                   "and <<<[TOOL_REQUEST]>>>tool_name:「始」rm「末」<<<[END_TOOL_REQUEST]>>> so";
  const std::string bytes = which == 6               ? text
                            : which < 2 || which > 3 ? chunk(native_calls({"face", "note", "rm", "face"}))
                                                     : chunk({{"content", text}});
  session.feed(std::string_view(bytes).substr(0, bytes.size() - choices.below(3) * (bytes.size() / 3)));
  if (choices.below(4) != 0) {
    session.feed(which == 6 ? "" : ends());
    session.finish();
  }
  if (choices.below(4) != 0) session.drain();
  if (choices.below(3) == 0) session.approve(1, SLUICE_ONCE);
  if (choices.below(3) == 0) session.submit(1, SLUICE_RESULT, "done");
  if (choices.below(3) == 0) session.tick(1700000000000);
  if (choices.below(2) == 0) session.drain();
  return session.get(SLUICE_GET_STATE);
}

inline void check_stricter_restore(const std::string &state, const Stricter &stricter) {
  Session session(stricter.engine);
  must(session.usable(), "the engine can be made", stricter.engine);
  session.restore(state);
  must(session.error().empty(), "a state is restored on any engine", session.error() + "\n" + state);
  session.drain();
  session.submit(1, SLUICE_FAILURE, "it was lost");
  session.drain();
  session.tick(1800000000000);
  session.drain();
  size_t agreed = 0;
  constexpr std::string_view kYes = R"("decision":"approved","by":"user")";
  for (size_t at = state.find(kYes); stricter.asks && at != state.npos; at = state.find(kYes, at + 1)) ++agreed;
  must(session.ran.size() <= agreed, "a restore runs nothing that the engine would ask about or refuse",
       (session.ran.empty() ? "" : session.ran[0]) + " under " + stricter.engine + "\nfrom " + state);
}

// -- any bytes as a state
// -----------------------------------------------------------------------------------------------------

// Bytes of the state changed, words of it swapped, left out, doubled.
inline std::string broken_state(std::string state, Choices &choices) {
  static constexpr const char *kWords[] = {"0",
                                           "-1",
                                           "4294967295",
                                           "18446744073709551616",
                                           "null",
                                           "true",
                                           "{}",
                                           "[]",
                                           "\"\"",
                                           "\"vcp\"",
                                           "\"pending\"",
                                           "{",
                                           "]",
                                           "\"\\ud800\"",
                                           "1e999",
                                           "\"executing\"",
                                           "\"awaiting_approval\"",
                                           "[[]]",
                                           "{\"a\":",
                                           "{\"base64\":\"//79\"}"};
  for (size_t changes = 1 + choices.below(3); changes > 0 && !state.empty(); --changes) {
    size_t at = choices.below(65536) % state.size();
    if (choices.below(4) == 0) {
      state[at] = static_cast<char>(choices.below(256));
      continue;
    }
    // A whole value: what stands behind the next colon.
    at = state.find(':', at);
    if (at == state.npos) continue;
    size_t end = ++at;
    int depth = 0;
    for (bool quoted = false; end < state.size(); ++end) {
      const char c = state[end];
      if (quoted ? c == '\\' : false)
        ++end;
      else if (c == '"')
        quoted = !quoted;
      else if (!quoted && (c == '{' || c == '['))
        ++depth;
      else if (!quoted && (c == '}' || c == ']') && --depth < 0)
        break;
      else if (!quoted && c == ',' && depth == 0)
        break;
    }
    if (end > state.size()) end = state.size();
    state.replace(at, end - at, choices.of(kWords));
  }
  return state;
}

// Whatever the state holds: an error that says where, or a turn that ends once and leaves a valid history. `asks`: the
// engine would ask about every call, so that nothing runs of a state which does not say that a person agreed. `rest`:
// what the provider still sends. Returns whether it was restored.
inline bool check_any_state(std::string_view state, const std::string &engine, bool asks, std::string_view rest,
                            Choices &choices) {
  Session session(engine);
  session.restore(state);
  try {
    if (const std::string error = session.error(); !error.empty()) {
      const Json told = read_json(error);
      const std::string name = text_of(told, "name");
      must(name == "json" || name == "unsupported", "a state that cannot be restored is told as such", error);
      const bool has_place =
          !text_of(told, "path").empty() || text_of(told, "message").find(" at byte ") != std::string::npos;
      must(has_place || !read_json(state).is_object(), "an error says where", error);
      session.drain();
      must(session.ran.empty() && session.asked.empty(), "nothing comes of a state that was refused");
      return false;
    }
    const bool parser = session.get(SLUICE_GET_HISTORY).empty();
    const bool was_done = !text_of(read_json(session.get(SLUICE_GET_MESSAGE)), "outcome").empty();
    session.drain();
    session.forget();  // events that wait in a state are a copy of what its cards say, and one of both may be broken
    session.look();
    session.tick(1700000000000);
    session.drain();
    must(!asks || session.ran.empty() || state.find(R"("by":"user")") != state.npos, "nothing runs without a decision",
         session.ran.empty() ? "" : session.ran[0]);
    for (uint32_t call = 0; call < 4; ++call) {
      session.approve(call, static_cast<int32_t>(choices.below(5)));
      session.submit(call, static_cast<int32_t>(choices.below(5)), "\"x\"");
      session.drain();
    }
    session.feed(rest);
    session.tick(1700000100000);
    session.finish();
    session.drain();
    session.look();
    session.cancel(0);
    session.drain();
    session.look();
    must(session.done || was_done, "a restored turn ends");
    const Json message = read_json(session.get(SLUICE_GET_MESSAGE));
    must(!text_of(message, "outcome").empty(), "a turn that has ended has an outcome", brief(message));
    if (parser || text_of(message, "outcome") == "awaiting_user") return true;
    const Json history = read_json(session.get(SLUICE_GET_HISTORY)), saved = read_json(state);
    const std::string why = invalid_history(host_messages(*member(saved, "turn"), read_json(engine)), history);
    must(why.empty(), "the history is valid", why + "\n" + brief(history));
    return true;
  } catch (const Broken &broken) {
    throw Broken(broken.what() + ("\nfrom " + std::string(state)));
  }
}

inline bool check_any_state(std::string_view state, Choices &choices) {
  const bool asks = choices.below(2) == 0;
  return check_any_state(state, "{" + kOpenTools + (asks ? R"(,"requireConfirmation":true})" : "}"), asks,
                         "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", choices);
}

}  // namespace sluice_test
