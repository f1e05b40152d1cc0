// JSON objects in ordinary text that a format without markers takes for calls.
#include "base/ascii.h"
#include "protocol/family/family.h"
#include "protocol/family/json_reader.h"

namespace sluice {
namespace {

constexpr size_t kLooked = 1024;  // bytes of an object that decide: an endless one is taken for a call

class EveryTool final : public ToolView {
 public:
  bool known(std::string_view tool) const override { return !tool.empty(); }
  bool declares(std::string_view, std::string_view) const override { return true; }
  std::string text_parameter(std::string_view) const override { return {}; }
  List takes_list(std::string_view, std::string_view) const override { return List::maybe; }
  std::vector<std::string_view> names() const override { return {}; }
};

// `object` begins with its brace.
bool would_be_call(std::string_view object, const JsonCalls &grammar) {
  static const EveryTool kTools;
  static const ProtocolOptions kOptions;
  const Family family = {.id = "bare", .grammar = grammar, .openers = words<"{">, .bare = true};
  JsonReader reader(family, grammar, kOptions, kTools, {});
  const std::string_view seen = object.substr(0, kLooked);
  // It pauses at the first key of a call, and at a name.
  for (int pauses = 0; pauses < 3 && !reader.named; ++pauses) {
    const BlockReader::State state = reader.read(seen, false);
    if (state == BlockReader::State::rejected) return false;
    if (state != BlockReader::State::open) break;
  }
  return true;
}

}  // namespace

void break_bare_calls(std::string &text, const JsonCalls &grammar) {
  JsonCalls alone = grammar;
  alone.alone = true;
  alone.openings = {};
  std::string out;
  size_t from = 0;
  for (size_t at = 0; (at = text.find('{', at)) != text.npos; ++at) {
    size_t key = at + 1;
    while (key < text.size() && is_white(text[key])) ++key;
    if (key == text.size() || !is_quote(text[key])) continue;
    if (!would_be_call(std::string_view(text).substr(at), alone)) continue;
    out.append(text, from, key - from).append("\\");
    from = key;
  }
  if (from != 0) text = out.append(text, from);
}

}  // namespace sluice
