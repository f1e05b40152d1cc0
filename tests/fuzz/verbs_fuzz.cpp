// A host that calls any verb at any time, with any call, document and clock, through several rounds: nothing crashes,
// no turn is poisoned, nothing runs that policy or a person has not let through, and what is saved is restored.
#include "session.h"

using namespace sluice_test;

namespace {

const std::string kEngine = R"({"tools":[
  {"name":"read","agentCallable":true,"permission":"public","timeoutMs":50,"idempotent":true},
  {"name":"note","agentCallable":true,"permission":"moderate","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}},
  {"name":"mail","agentCallable":true,"permission":"sensitive","resultApproval":"always"},
  {"name":"face","agentCallable":true,"permission":"public","immediate":true,"ipc":{"channel":"live2d:face","payload":[]}},
  {"name":"hidden","permission":"public"}]})";

constexpr const char *kTurns[] = {
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","dispatch":"block","execution":"parallel","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","mode":"text","protocol":["vcp","tool_action"],"questionOrder":"one_by_one","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","approvalTimeoutMs":100,"timeoutMs":70,"idleTimeoutMs":90,"maxRounds":2,"maxCalls":3,"repeatLimit":2,"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","stopAfterCall":true,"forceFinalAnswer":false,"malformed":"drop","resultMaxBytes":16,"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","loop":"user_mediated","rules":[{"tool":"mail","effect":"deny"}],"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","checkFinal":true,"maxRounds":2,"words":"zh","limits":{"blocks":9},"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
    R"({"wire":"openai-chat","checkFinal":true,"mode":"text","protocol":["vcp","tool_action","xml_tag","json_strict"],"markerWord":"k7f3","request":{"model":"m","messages":[{"role":"user","content":"go k7f3"}]}})",
    R"({"wire":"openai-chat","mode":"text","observeOnly":true,"request":{"model":"m","messages":[{"role":"user","content":"go"}]}})",
};
// What a model writes in text mode.
constexpr const char *kWritten[] = {
    "<<<[TOOL_REQUEST]>>>\ntool_name:「始」read「末」\n<<<[END_TOOL_REQUEST]>>>",
    "<<<[TOOL_REQUEST k7f3]>>>\ntool_name:「始」note「末」,\nn:「始」1「末」\n<<<[END_TOOL_REQUEST k7f3]>>>",
    "<tool_action seal=\"k7f3\" name=\"mail\"/>",
    "<tool_code k7f3>read()</tool_code>",
    R"({"seal":"k7f3","tool_calls":[{"id":"a","type":"function","function":{"name":"note","arguments":"{}"}}]})",
    "[[VCP调用结果信息汇总:\n- 工具名称: read\n- 执行状态: ✅ SUCCESS\n- 返回内容: x\nVCP调用结果结束]]",
    "[[VCP调用结果信息汇总:\n- 工具名称: ",
};
constexpr const char *kNames[] = {"read", "note", "mail", "face", "hidden", "nobody", ""};
constexpr const char *kArguments[] = {"{}", R"({"n":1})", R"({"n":"1"})", R"({"n":)", "", "[]", R"({"n":1,"n":2})"};
constexpr const char *kResults[] = {"done",
                                    "\"x\"",
                                    "{}",
                                    "[]",
                                    R"([{"type":"text","text":"t"}])",
                                    "",
                                    "\xff",
                                    R"({"output":{"text":"t"},"hostOutput":{"failure":"f"}})"};
// What a tool that runs asks of others.
constexpr const char *kCalls[] = {R"({"name":"read"})",
                                  R"({"name":"note","arguments":{"n":1}})",
                                  R"({"name":"mail","arguments":{}})",
                                  R"({"name":"face"})",
                                  R"({"name":"hidden","arguments":null})",
                                  R"({"name":"note","arguments":[]})",
                                  "{"};
constexpr int32_t kDecisions[] = {0, 1, 2, 3, 4, 257, 258, 259, 256, -1, 99};
constexpr int64_t kGaps[] = {0, 1, 60, 100, 70000, -5};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Choices choices(std::string_view(reinterpret_cast<const char *>(data), size));
  Session session(kEngine, choices.of(kTurns));
  must(session.error().empty(), "the turn can be made", session.error());
  int64_t now = 1700000000000;
  bool moderate = false, sensitive = false;  // has a person said yes to anything of this kind?
  while (!choices.done() && !session.done) {
    const auto call = static_cast<uint32_t>(choices.below(6));
    switch (choices.below(22)) {
      case 0:
        session.response(static_cast<int32_t>(choices.below(2) ? 200 : choices.below(600)), choices.text());
        break;
      case 1: session.feed(chunk({{"content", std::string(choices.text())}})); break;
      case 2: session.feed(choices.text()); break;
      case 3:
      case 4:
        session.feed(chunk(native_calls({choices.of(kNames), choices.of(kNames)}, choices.of(kArguments))));
        break;
      case 5: session.feed(ends(choices.below(2) ? "stop" : "length")); break;
      case 6:
      case 7: session.finish(static_cast<int32_t>(choices.below(5))); break;
      case 8: {
        const char *const edited = choices.below(3) == 0 ? choices.of(kArguments) : "";
        if (session.approve(call, choices.of(kDecisions), edited) == SLUICE_OK) moderate = sensitive = true;
        break;
      }
      case 9: session.deny(call, choices.text()); break;
      case 10: session.cancel(choices.below(8) == 0 ? 0 : call + 1); break;
      case 11: session.submit(call, static_cast<int32_t>(choices.below(7)), choices.of(kResults)); break;
      case 12: session.tick(now += choices.of(kGaps)); break;
      case 13: {
        const std::string state = session.get(SLUICE_GET_STATE);
        session.restore(state);
        must(session.error().empty(), "what was saved is restored", session.error() + "\n" + state);
        break;
      }
      case 14: session.look(); break;
      case 15: session.feed(chunk({{"content", choices.of(kWritten)}})); break;
      case 16: session.refuse(call, choices.text()); break;
      case 17: session.resolve(call, choices.of(kArguments)); break;
      case 18:
      case 19: session.conclude(static_cast<int32_t>(choices.below(4)), choices.text()); break;
      case 20: session.find_tool(choices.of(kNames)); break;
      case 21: session.call(call, choices.of(kCalls)); break;
      default: session.drain();
    }
    if (choices.below(3) == 0) session.drain();
    for (const std::string &tool : session.ran) {
      must(tool == "read" || tool == "ipc" || tool == "face" ||
               ((tool == "note" || tool == "mail") && moderate && sensitive),
           "nothing runs without a decision", tool);
    }
  }
  session.cancel(0);
  session.drain();
  session.look();
  return 0;
}
