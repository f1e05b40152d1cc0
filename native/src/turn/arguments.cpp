#include "turn/arguments.h"

#include "base/json_writer.h"
#include "base/release.h"
#include "base/utf8.h"
#include "turn/missing_tool.h"
#include "wire/key_names.h"

namespace sluice {
namespace {

// What the model reads about arguments that the tool does not accept.
std::string fault_text(const Setup &setup, const Card &card, const ArgumentFault &fault) {
  std::string text;
  ObjectWriter object(text);
  object.text("error", "invalid_arguments").text("tool", card.tool->name);
  object.text("pointer", fault.pointer).text("message", fault.message);
  if (fault.facade) object.text("hint", setup.config.words(Word::flat_arguments));
  object.close();
  return text;
}

}  // namespace

bool complete_call(const Setup &setup, Log &log, Card &card, std::string arguments) {
  if (const KeyNames *const keys =
          card.tool != nullptr && card.source == "native" ? setup.renamed_keys(*card.tool) : nullptr;
      keys != nullptr && json_kind(arguments) == '{') {
    arguments = with_host_keys(arguments, *keys);
    card.keys_renamed = true;
  }
  std::string coerced;
  ArgumentFault fault;
  const bool exposed = card.tool != nullptr && (setup.parser || why_missing(setup, log, card).empty());
  const bool typed = card.source == "native" || card.is_nested() || card.typed;
  const Strings strings = typed ? Strings::quoted : Strings::written;
  const bool fits = !exposed || card.tool->schema.check(arguments, strings, coerced, fault);
  card.set_arguments(SharedText(exposed && fits ? std::move(coerced) : compact_json(arguments)));
  release_text(arguments);
  log.move(card, Trigger::complete);
  if (!setup.parser && card.is_tag() && !why_missing(setup, card.tool).empty()) {
    log.move(card, Trigger::dispatch);
    settle_missing(setup, log, card);
    return false;
  }
  if (fits) {
    if (setup.starts_in_answer(card.tool)) log.move(card, Trigger::dispatch);
    log.tell(card);
    return true;
  }
  card.set_error((fault.pointer.empty() ? "arguments" : fault.pointer) + ": " + fault.message);
  // For a fire-and-forget tool a schema fault means a name that does not exist, not a malformed call: the call fails,
  // and the model reads which names there are.
  if (card.fire_and_forget()) {
    log.settle(card, Trigger::fail, "schema", fault_text(setup, card, fault));
  } else {
    log.diagnostic("schema", card.error(), card.call);
    card.dropped = !setup.config.report_malformed;
    log.settle(card, Trigger::invalidate, "schema", fault_text(setup, card, fault));
  }
  return false;
}

bool no_arguments(std::string_view text) {
  text = trim_json(text);
  if (text.empty() || text == "null") return true;
  return text.front() == '{' && text.back() == '}' && trim_json(text.substr(1, text.size() - 2)).empty();
}

void complete_streamed_call(const Setup &setup, Log &log, Card &card, bool at_end, bool may_lack) {
  const Wording &words = setup.config.words;
  if (at_end && card.source != "native") return log.invalidate(card, "unterminated_block");
  if (!card.broken.empty()) {
    if (at_end) log.invalidate(card, card.broken);
    return;
  }
  if (card.oversize) {
    if (at_end) log.invalidate(card, "oversize", words(Word::arguments_too_long));
    return;
  }
  if (no_arguments(card.raw_arguments) && !may_lack) {
    if (at_end) log.invalidate(card, "truncated");
    return;
  }
  if (!at_end) {
    if (card.requested_name().empty() || card.tried == card.raw_arguments.size()) return;
    card.shape.read(card.raw_arguments);
    if (!card.shape.closed() || card.shape.has_residue()) return;
  }
  card.tried = card.raw_arguments.size();
  if (at_end) card.raw_arguments.shrink();
  std::string_view text = trim_json(card.raw_arguments);
  if (at_end && (text.empty() || text == "null")) text = "{}";
  std::string encoded;
  if (at_end && json_kind(text) == '"' && check_json(text, setup.config.limits.depth).ok()) {
    encoded = json_text(text);
    if (json_kind(encoded) == '{' && check_json(encoded, setup.config.limits.depth).ok()) {
      log.diagnostic("double_encoded", "the arguments are an object within a text", card.call);
      text = encoded;
    }
  }
  bool cut = false;
  if (const Status status = check_json(text, setup.config.limits.depth, &cut); !status.ok()) {
    if (at_end)
      log.invalidate(card, cut ? "truncated" : "invalid_json",
                     cut ? "" : words(Word::arguments_broken, status.message));
    return;
  }
  if (json_kind(text) != '{') {
    if (at_end) log.invalidate(card, "arguments_not_object", words(Word::arguments_not_object));
    return;
  }
  if (card.requested_name().empty()) return log.invalidate(card, "missing_tool_name");
  if (const auto name = repeated_name(text)) {
    log.diagnostic("duplicate_argument", *name, card.call);
    if (name->find(kReplacement) != name->npos)  // two names that half a character told apart
      return log.invalidate(card, "invalid_json", words(Word::arguments_broken, "two members have the name " + *name));
  }
  complete_call(setup, log, card, std::string(text));
}

bool arguments_fit(const Setup &setup, const Log &log, const Card &card, std::string &checked, ArgumentFault &fault) {
  const std::string_view arguments = card.effective_arguments();
  checked = arguments;
  if (!why_missing(setup, log, card).empty()) return true;  // the gate refuses a hidden tool anyway
  if (json_kind(arguments) != '{' || !check_json(arguments, setup.config.limits.depth).ok()) {
    fault.message = "expected an object";  // only a saved state can hold anything else
    return false;
  }
  checked.clear();
  return card.tool->schema.check(arguments, Strings::strings, checked, fault);
}

}  // namespace sluice
