// What a host writes: configurations, tools, schemas, rules, results. The first byte chooses which; the rest is the
// document, a template whose holes the input fills. An error with a code, or an engine that works; schemas and rules
// are asked as well.
#include "base/json.h"
#include "session.h"
#include "tools/approval.h"
#include "tools/schema.h"

using namespace sluice_test;

namespace {

// @: the next piece of the input.
constexpr const char *kTemplates[] = {
    "@",
    R"({"tools":[{"name":"f","agentCallable":true,"permission":"public","parameters":@}]})",
    R"({"tools":[{"name":"f","agentCallable":true,"permission":"public",@}]})",
    R"({"tools":[{"name":"f"}],"rules":@})",
    R"({"tools":[{"name":"f"}],@})",
    R"({"tools":[{"name":"@","description":"@","aliases":["@"]}]})",
};
constexpr const char *kTurns[] = {
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"hi"}]}})",
    R"({"wire":"openai-chat","request":@})",
    R"({"wire":"openai-chat","request":{"model":"m","messages":@}})",
    R"({"wire":"text",@})",
    R"({"wire":"openai-chat","mode":"text","request":{"messages":[{"role":"system","content":"{{tools}} @"}]},@})",
    "@",
};

std::string filled(const char *shape, Choices &choices) {
  std::string out;
  for (; *shape != 0; ++shape) *shape == '@' ? out.append(choices.text()) : out.append(1, *shape);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Choices choices(std::string_view(reinterpret_cast<const char *>(data), size));
  const size_t what = choices.below(8);
  if (what == 6) {
    sluice::Schema schema;
    const std::string text(choices.text()), arguments(choices.rest());
    if (!sluice::check_json(text, 128).ok() || !sluice::Schema::compile(text, schema).ok()) return 0;
    if (sluice::json_kind(arguments) != '{' || !sluice::check_json(arguments, 128).ok()) return 0;
    for (const sluice::Strings strings :
         {sluice::Strings::strings, sluice::Strings::quoted, sluice::Strings::written}) {
      std::string out, again;
      sluice::ArgumentFault fault;
      if (!schema.check(arguments, strings, out, fault)) continue;
      must(sluice::check_json(out, 256).ok(), "what a schema lets through is JSON", out);
      must(schema.check(out, strings, again, fault), "what was coerced holds", text + "\n" + arguments + "\n" + out);
    }
    return 0;
  }
  if (what == 7) {
    sluice::Rule rule, again;
    const std::string text(choices.rest());
    if (!sluice::check_json(text, 128).ok() || !sluice::read_rule(text, rule).ok()) return 0;
    std::string written;
    sluice::write_rule(rule, written);
    must(sluice::read_rule(written, again).ok() && rule == again, "a rule reads back as it was written", written);
    return 0;
  }
  const std::string engine = filled(kTemplates[what], choices), turn = filled(choices.of(kTurns), choices);
  Session session(engine, turn);
  must(session.usable() || !session.error().empty(), "a turn of a broken engine says so", engine);
  session.drain();
  session.look();
  session.feed(chunk(native_calls({"f"}, std::string(choices.text()))) + ends("tool_calls"));
  session.finish();
  session.drain();
  session.approve(0, SLUICE_ONCE);
  session.drain();
  session.submit(1, static_cast<int32_t>(choices.below(6)), choices.text());
  session.drain();
  session.look();
  return 0;
}
