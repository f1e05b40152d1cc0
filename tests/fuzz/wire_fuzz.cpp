// A provider's body made of events of one wire: any deltas under any index, in pieces of any size, with any status. The
// events are the same in one piece and in many, nothing is poisoned, and no call runs whose arguments were lost.
#include <cstdlib>

#include "session.h"
#include "wire_shapes.h"

using namespace sluice_test;

namespace {

const std::string kEngine =
    R"({"tools":[{"name":"f","agentCallable":true,"permission":"public"},{"name":"g","agentCallable":true,"permission":"public"}]})";
// The wire of this program.
const WireShapes &shapes() {
  for (const WireShapes &one : wire_shapes())
    if (one.wire == SLUICE_FUZZ_WIRE) return one;
  std::abort();
}

const std::string kTurn =
    R"({"wire":")" SLUICE_FUZZ_WIRE R"(","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})";

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
      case 1: body += ": comment\r\n\r\n"; break;
      default: body += filled(shapes().events[choices.below(shapes().events.size())], choices) + "\n\n";
    }
  const std::string whole = played(body, pieces, false, how), cut = played(body, pieces, true, how);
  must(whole == cut, "the cuts change nothing", body + "\n--- whole\n" + whole + "\n--- cut\n" + cut);
  return 0;
}
