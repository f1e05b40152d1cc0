// The text of each shared case, cut in two at every byte. Random cuts rarely place one cut alone: more pieces hide what
// a scanner does wrong when all of the rest comes at once.
#include <catch2/catch.hpp>

#include "parsing.h"
#include "sanitized.h"
#include "script_files.h"

using namespace sluice_test;

namespace {

constexpr size_t kLongest = 256;  // bytes of a text

// The text that a script feeds to a turn without `request`; nothing: it does other things, too.
std::optional<std::string> only_text(const Json &script) {
  std::optional<std::string> out;
  if (!script.contains("turn") || !script["turn"].is_object() || script["turn"].contains("request")) return {};
  for (const Json &step : script["steps"]) {
    if (step.contains("expect") || step.contains("get")) continue;
    if (step.contains("finish") && step["finish"] == "complete") continue;
    if (out || !step.contains("feed")) return {};
    out = fed(step);
  }
  return out && out->size() <= kLongest ? out : std::nullopt;
}

}  // namespace

TEST_CASE("a text that is cut in two means the same wherever it is cut") {
  constexpr size_t kOneOf = kSanitized ? 5 : 1;  // another fifth of the cases after each commit
  size_t texts = 0;
  const std::vector<ScriptFile> scripts = script_files();
  for (size_t i = rotation() % kOneOf; i < scripts.size(); i += kOneOf) {
    const Json &script = scripts[i].script;
    const std::optional<std::string> text = only_text(script);
    if (!text) continue;
    INFO(scripts[i].place);
    const Json engine = script.value("engine", Json::object());
    const Parsed whole = parse(engine, script["turn"], {*text});
    if (!whole.error.empty()) continue;
    ++texts;
    for (size_t at = 1; at < text->size(); ++at) {
      const Parsed cut = parse(engine, script["turn"], {text->substr(0, at), text->substr(at)});
      if (cut.message == whole.message) continue;
      FAIL_CHECK("cut at " << at << ": " << cut.message << "\n  but whole: " << whole.message);
      break;
    }
  }
  CHECK(texts > 500 / kOneOf);
}
