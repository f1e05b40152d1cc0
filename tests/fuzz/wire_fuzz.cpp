// A provider's body made of chunks: deltas of any members under any index, in pieces of any size, with any status. The
// events are the same in one piece and in many, nothing is poisoned, and no call runs whose arguments were lost.
#include "session.h"

using namespace sluice_test;

namespace {

const std::string kEngine =
    R"({"tools":[{"name":"f","agentCallable":true,"permission":"public"},{"name":"g","agentCallable":true,"permission":"public"}]})";
const std::string kTurn =
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})";

constexpr const char *kDeltas[] = {
    R"("content":"@")",
    R"("reasoning_content":"@")",
    R"("tool_calls":[{"index":#,"id":"c#","type":"function","function":{"name":"f","arguments":"@"}}])",
    R"("tool_calls":[{"index":#,"function":{"arguments":"@"}}])",
    R"("tool_calls":[{"function":{"name":"g","arguments":"@"}}])",
    R"("tool_calls":[{"index":#,"id":"c#","function":{"name":"f","arguments":"{\"a\":"}},{"index":#,"function":{"arguments":"#}"}}])",
    R"("function_call":{"name":"f","arguments":"@"})",
    R"("refusal":"@")",
    "@",
};
constexpr const char *kReasons[] = {"stop", "tool_calls", "length", "content_filter", "", "@"};

std::string filled(const char *shape, Choices &choices) {
  std::string out;
  for (; *shape != 0; ++shape)
    if (*shape == '@')
      out.append(choices.text());
    else if (*shape == '#')
      out += std::to_string(choices.below(3));
    else
      out += *shape;
  return out;
}

std::string played(const std::string &body, Choices choices, bool cut, int32_t how) {
  Session session(kEngine, kTurn);
  must(session.error().empty(), "the turn can be made", session.error());
  session.drain();
  for (std::string_view left = body; !left.empty();) {
    const size_t piece = cut ? std::min<size_t>(left.size(), 1 + choices.below(32)) : left.size();
    session.feed(left.substr(0, piece));
    session.drain();
    left.remove_prefix(piece);
  }
  session.finish(how);
  session.drain();
  session.look();
  std::string ran;
  for (const std::string &tool : session.ran) ran += tool + " ";
  return ran + session.get(SLUICE_GET_MESSAGE);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Choices choices(std::string_view(reinterpret_cast<const char *>(data), size));
  const auto how = static_cast<int32_t>(choices.below(3));
  const Choices pieces = choices;
  std::string body;
  while (!choices.done() && body.size() < 16384) switch (choices.below(8)) {
      case 0: body += choices.text(); break;
      case 1:
        body += "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" +
                filled(choices.of(kReasons), choices) + "\"}]}\n\n";
        break;
      case 2: body += choices.below(2) ? "data: [DONE]\n\n" : ": comment\r\n\r\n"; break;
      default:
        body += "data: {\"choices\":[{\"index\":0,\"delta\":{" + filled(choices.of(kDeltas), choices) + "}}]}\n\n";
    }
  const std::string whole = played(body, pieces, false, how), cut = played(body, pieces, true, how);
  must(whole == cut, "the cuts change nothing", body + "\n--- whole\n" + whole + "\n--- cut\n" + cut);
  return 0;
}
