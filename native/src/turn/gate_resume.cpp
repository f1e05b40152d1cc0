// Saves and restores the gate, and decides about the calls that were open: the engine may have changed meanwhile.
#include <algorithm>

#include "base/json_writer.h"
#include "turn/arguments.h"
#include "turn/gate.h"
#include "turn/missing_tool.h"
#include "turn/saved_fields.h"

namespace sluice {

void Gate::save(ObjectWriter &object) const {
  each_field(*this, Saver{object});
  repeats_.save(object);
  std::string &grants = object.value("grants");
  grants += '[';
  for (size_t i = configured_rules_; i < rules_.size(); ++i) {
    if (i > configured_rules_) grants += ',';
    write_rule(rules_[i], grants);
  }
  grants += ']';
}

Status Gate::load(const SavedReader &saved) {
  each_field(*this, Loader{saved});
  if (Status status = repeats_.load(saved); !status.ok()) return status;
  for (JsonSlices grants(saved.nested("grants")); grants.next();)
    if (Rule rule; read_rule(grants.value(), rule).ok()) rules_.push_back(std::move(rule));
  return {};
}

// Withdraws messages to windows that nobody has polled, if their calls may not go on now.
bool Gate::hold_back_messages() {
  bool held = false;
  for (const auto &card : log_.message().cards) held = hold_back(*card) || held;
  return held;
}

// The card has ended, so it keeps its state, and its output says that the message was not sent. After `done` no card
// changes any more. Returns true if history has changed.
bool Gate::hold_back(Card &card) {
  if (!log_.waits(Log::Event::ipc, card.call)) return false;
  const bool stays = allowed_as_before(card);
  card.forget_spelling();
  if (stays) return false;
  log_.withdraw(Log::Event::ipc, card.call);
  if (log_.done()) return false;
  const std::string text = words(Word::not_sent);
  card.set_output(text, text.size(), card.output_is_json(), card.parts());
  card.set_model_text(text);
  log_.diagnostic("ipc_withdrawn", text, card.call);
  log_.tell(card);
  return true;
}

void Gate::resume() {
  if (setup_.observes()) return;  // what runs, runs elsewhere
  const auto &cards = log_.message().cards;
  // Calls that have not started pass the gate again, and those that pass count again.
  for (const auto &card : cards)
    if (not_started(*card) && !card->fire_and_forget() && calls_run_ > 0) --calls_run_;
  for (const auto &card : cards) {
    if (!card->is_provided()) resume_card(*card);
    end_nested();
  }
  pump();
}

// The call waits at the gate, or has passed it, and the host has not polled its `execute` event.
bool Gate::not_started(const Card &card) const {
  return card.state() == CardState::awaiting_approval || card.state() == CardState::approved ||
         (card.state() == CardState::executing && log_.waits(Log::Event::execute, card.call));
}

// May the call go on as it was decided? Not if its tool has changed, or if this engine's policy is stricter than the
// one that decided.
bool Gate::stands(const Card &card) const { return !beyond_rounds() && allowed_as_before(card); }

bool Gate::allowed_as_before(const Card &card) const {
  if (card.tool == nullptr || card.definition_changed || !why_missing(setup_, log_, card).empty()) return false;
  std::string checked;
  if (ArgumentFault fault; !arguments_fit(setup_, log_, card, checked, fault)) return false;
  if (checked != card.effective_arguments() && canonical_json(checked) != card.canonical_arguments()) return false;
  const Verdict now = verdict(card);
  if (now.way == Verdict::Way::run) return true;
  if (now.way == Verdict::Way::deny || now.policy > card.policy) return false;
  if (card.state() == CardState::awaiting_approval) return true;
  return was_approved(card, true);
}

// Was its execution approved, `by_person` or by anything?
bool Gate::was_approved(const Card &card, bool by_person) const {
  return std::any_of(card.approvals().begin(), card.approvals().end(), [by_person](const ApprovalRecord &record) {
    return record.stage == "execution" && record.decision == "approved" && (!by_person || record.by == "user");
  });
}

// Coerces the arguments of a waiting call to what its tool accepts now. Returns false if it does not accept them: the
// call has ended.
bool Gate::take_checked(Card &card) {
  std::string checked;
  if (ArgumentFault fault; !arguments_fit(setup_, log_, card, checked, fault)) {
    log_.invalidate(card, "schema", fault.pointer + ": " + fault.message);
    return false;
  }
  if (checked == card.effective_arguments()) return true;
  if (card.edited())
    card.set_edited(std::move(checked));
  else
    card.set_arguments(SharedText(std::move(checked)));
  return true;
}

// Sends the call through the whole gate again. If it may run, the user is asked, by the stricter policy of then and
// now.
void Gate::send_back(Card &card) {
  log_.withdraw(Log::Event::approval, card.call);
  log_.withdraw(Log::Event::execute, card.call);
  log_.move(card, Trigger::recall);
  if (card.tool == nullptr) {
    card.set_error(words(Word::not_found_any_more, card.name()));
    return log_.settle(card, Trigger::miss, "not_found", card.error());
  }
  if (!take_checked(card)) return;
  const std::optional<Verdict> verdict = judge(card);
  if (!verdict) return;
  card.policy = std::max(card.policy, verdict->policy);
  ask(card);
}

// Has the host resolve the arguments of a call that has not started once more: what a reference names may have changed.
void Gate::check_again(Card &card) {
  log_.withdraw(Log::Event::approval, card.call);
  log_.withdraw(Log::Event::execute, card.call);
  log_.move(card, Trigger::recall);
  card.set_resolved_arguments(std::nullopt);
  take_checked(card);
}

void Gate::resume_card(Card &card) {
  const CardState state = card.state();
  if (state != CardState::executing) log_.withdraw(Log::Event::execute, card.call);
  if (state != CardState::awaiting_approval && state != CardState::awaiting_result_approval)
    log_.withdraw(Log::Event::approval, card.call);
  log_.withdraw(Log::Event::resolve, card.call);
  if (not_started(card)) {
    if (needs_check(card)) return check_again(card);
    if (!stands(card) || breaks_limit(card)) return send_back(card);
    calls_run_ += !card.fire_and_forget();
    if (state == CardState::awaiting_approval && !log_.waits(Log::Event::approval, card.call)) {
      if (card.digest().empty()) card.set_digest(approval_digest(*card.tool, card.canonical_arguments()));
      ask_event(card);
    }
    return;
  }
  switch (state) {
    case CardState::pending:
    case CardState::ready:  // its arguments were checked against the tool as it was
      if (card.tool != nullptr) take_checked(card);
      break;
    case CardState::awaiting_result_approval:
      if (!log_.waits(Log::Event::approval, card.call)) release_event(card);
      break;
    case CardState::executing:
      if (stands(card) && card.tool->idempotent && caller_runs(card)) {
        card.running_since = log_.now();
        if (card.questions > 0) card.paused_at = log_.now();
        if (card.key().empty()) identify(card);  // saved by a version that had no keys
        log_.tell(card);
        execute_event(card);
      } else {
        log_.settle(card, Trigger::lose, "turn_ended", words(Word::interrupted));
      }
      break;
    default: break;
  }
}

}  // namespace sluice
