// Calls of a tool by another one: they pass the same gate, have a card within their caller's, and end with it. The
// model reads only what the caller makes of them.
#include <string>

#include "base/json.h"
#include "base/reading.h"
#include "base/text.h"
#include "turn/arguments.h"
#include "turn/gate.h"
#include "turn/question.h"

namespace sluice {
namespace {

struct Asked {
  std::string name, arguments = "{}";
};

// Reads {"name":"fs.read","arguments":{...}}. Arguments that are absent or null are an empty object.
Status read_call(std::string_view document, const Limits &limits, Asked &out) {
  constexpr size_t kAround = 1;  // levels of the document around the arguments
  if (Status status = check_json(document, limits.depth + kAround); !status.ok()) return status;
  if (json_kind(document) != '{') return unexpected(document, "an object with name and arguments");
  for (JsonSlices member(document); member.next();) {
    const std::string name = member.key_text();
    const std::string_view value = member.value();
    if (name == "name") {
      if (Status status = read_text(value, out.name); !status.ok()) return std::move(status).inside(name);
    } else if (name == "arguments") {
      if (json_kind(value) == 'n') continue;
      if (json_kind(value) != '{') return Status(unexpected(value, "an object")).inside(name);
      if (value.size() > limits.argument_bytes)
        return error(Code::limit, "the arguments are longer than limits.argumentBytes", name);
      if (const auto twice = repeated_name(value))
        return error(Code::json, "two members have the name " + *twice, name);
      out.arguments = canonical_json(value);
    } else if (!name.starts_with("x-")) {
      return unknown_member(name, {"name", "arguments"});
    }
  }
  return out.name.empty() ? error(Code::json, "expected the name of a tool", "name") : Status();
}

}  // namespace

// How many calls are above this one.
size_t Gate::depth_of(const Card &card) const {
  size_t depth = 0;
  for (const Card *above = log_.find(card.caller); above != nullptr; above = log_.find(above->caller)) ++depth;
  return depth;
}

// A restored turn may send a caller back to the gate: until it runs again, nothing that it asked for starts.
bool Gate::caller_runs(const Card &card) const {
  return !card.is_nested() || log_.find(card.caller)->state() == CardState::executing;
}

// A caller that runs again after a restore asks again: each call with the same name and arguments is one of those that
// it asked for before, in their order, so that nothing runs twice. nullptr: it did not ask for this.
Card *Gate::claim(Card &caller, std::string_view name, std::string_view arguments) {
  if (caller.unclaimed == 0) return nullptr;
  for (const auto &card : log_.message().cards) {
    if (card->caller != caller.call || card->claimed || card->requested_name() != name ||
        card->raw_arguments.view() != arguments)
      continue;
    card->claimed = true;
    --caller.unclaimed;
    card->tell_again();  // the host learns of its result, or of how it ended, as if it were new
    log_.tell(*card);
    return card.get();
  }
  return nullptr;
}

Status Gate::call(uint32_t caller, std::string_view document, uint32_t &nested) {
  Card *const card = log_.find(caller);
  if (card == nullptr) return no_such_call(caller);
  if (card->state() != CardState::executing) return not_in_state(*card, "does not execute");
  if (Status status = check_started(*card); !status.ok()) return status;
  if (card->detached) return not_now("nobody waits for call " + std::to_string(caller) + ", so it calls no tool");
  const Limits &limits = setup_.config.limits;
  Asked asked;
  if (Status status = read_call(document, limits, asked); !status.ok()) return status;
  if (const Card *const before = claim(*card, asked.name, asked.arguments)) {
    nested = before->call;
    return {};
  }
  if (depth_of(*card) >= limits.nested)
    return error(Code::limit, "tools call tools deeper than limits.nested, " + std::to_string(limits.nested));
  if (card->nested >= limits.calls_per_round)
    return error(Code::limit,
                 "one call asks for more calls than limits.callsPerRound, " + std::to_string(limits.calls_per_round));
  Card &made = log_.new_nested_card(*card, asked.name, setup_.find_tool(asked.name));
  nested = made.call;
  made.raw_arguments = SharedText(asked.arguments);
  complete_call(setup_, log_, made, std::move(asked.arguments));
  if (made.state() == CardState::pending) log_.move(made, Trigger::dispatch);
  pump();
  return {};
}

// Ends what ended callers asked for: nobody waits for it.
void Gate::end_nested() {
  for (std::vector<uint32_t> ended = log_.take_ended_callers(); !ended.empty(); ended = log_.take_ended_callers())
    for (const uint32_t caller : ended)
      for (const uint32_t call : OpenCards::Calls(log_.open_cards().nested_in(caller)))
        cancel_card(*log_.find(call), "caller_ended", words(Word::not_run));
}

}  // namespace sluice
