#include "turn/gate.h"

#include <algorithm>
#include <set>

#include "base/json_writer.h"
#include "base/sort.h"
#include "base/text.h"
#include "turn/arguments.h"
#include "turn/missing_tool.h"
#include "turn/question.h"

namespace sluice {
namespace {

std::string_view remember_text(Remember remember) {
  constexpr std::string_view kWords[] = {"once", "turn", "session", "always"};
  return kWords[static_cast<size_t>(remember)];
}

}  // namespace

Gate::Gate(const Setup &setup, Log &log)
    : setup_(setup), log_(log), rules_(setup.config.rules), configured_rules_(rules_.size()) {}

// ---- rounds ----

void Gate::begin_round(bool final_answer) {
  final_answer_ = final_answer;
  limit_hit_ = false;
  repeats_.begin_round();
}

uint32_t Gate::rounds() const {
  const auto &cards = log_.message().cards;
  return log_.round_number() + (!cards.empty() && cards.front()->adopted ? 1 : 0);
}

// In a user-mediated loop the call waits in the messages, with a button, until another turn takes it up. Immediate
// tools are never left to the user.
bool Gate::left_to_user(const Card &card) const {
  return setup_.config.user_mediated && !final_answer_ && !card.adopted && !card.is_nested() &&
         (card.state() == CardState::pending || card.state() == CardState::ready) && !card.tool_is_immediate();
}

void Gate::adopt(Card &card) {
  if (card.state() == CardState::pending) log_.move(card, Trigger::dispatch);
  enter(card);
}

void Gate::lose_adopted(Card &card) {
  if (json_kind(card.raw_arguments) == '{' && check_json(card.raw_arguments, setup_.config.limits.depth).ok())
    card.set_arguments(SharedText(compact_json(card.raw_arguments)));
  for (const Trigger step : {Trigger::complete, Trigger::dispatch, Trigger::pass, Trigger::start})
    log_.move(card, step);
  log_.settle(card, Trigger::lose, "turn_ended", words(Word::interrupted));
}

void Gate::dispatch() {
  OpenCards &open = log_.open_cards();
  for (const uint32_t call : open.all()) {
    if (Card &card = *log_.find(call); card.state() == CardState::pending) log_.move(card, Trigger::dispatch);
    open.mark_changed(call);
  }
  pump();
}

void Gate::pump() {
  if (log_.done() || (setup_.parser && !setup_.observes())) return;
  end_nested();
  const Config &config = setup_.config;
  const size_t room = config.parallel ? config.max_concurrent : 1;
  OpenCards &open = log_.open_cards();
  for (uint32_t call = 0; (call = open.next(call, open.taken() < room)) != 0;) {
    Card &card = *log_.find(call);
    enter(card);
    const bool has_place = open.has_room(card, room) || card.tool_is_immediate() || card.fire_and_forget();
    if (card.state() == CardState::approved && has_place && caller_runs(card)) start(card);
    log_.tell(card);
    open.checked(card, card.state() == CardState::approved);
    end_nested();  // a caller that passes the gate again after a restore may have been refused
  }
}

// ---- the way in ----

// With "questionOrder": "one_by_one" a call waits until those before it have ended. A button is there at once.
bool Gate::in_turn(const Card &card) const {
  const OpenCards &cards = log_.open_cards();
  const OpenCards::Calls &open = card.is_nested() ? cards.nested_in(card.caller) : cards.all();
  const bool first = open.empty() || card.call <= *open.begin();
  return !setup_.config.one_by_one || first || setup_.observes() || left_to_user(card) || by_button(card) ||
         card.tool_is_immediate();
}

// The only way into the gate.
void Gate::enter(Card &card) {
  if (card.state() != CardState::ready || !in_turn(card) || !caller_runs(card)) return;
  if (setup_.observes())
    observe(card);
  else if (left_to_user(card))
    settle_missing(setup_, log_, card);
  else if (needs_check(card))
    check(card);
  else
    admit(card);
}

// With "checkArguments" the host resolves the arguments of a call that may run, once, before the gate looks at them.
// What a person edited stays as it is.
bool Gate::needs_check(const Card &card) const {
  return setup_.config.check_arguments && !card.host_checked && card.tool != nullptr && !card.fire_and_forget() &&
         !card.edited() && !(card.tool->provider != nullptr && !card.tool->provider->runs) && !final_answer_ &&
         !beyond_rounds() && !requests_spent() && why_missing(setup_, log_, card).empty();
}

void Gate::check(Card &card) {
  log_.move(card, Trigger::check);
  log_.tell(card);
  ObjectWriter event(log_.event(Log::Event::resolve, card.call));
  event.text("type", "resolve").number("call", card.call).text("name", card.tool->name);
  if (card.is_nested()) write_caller(card, event.value("parent"));
  write_arguments(card, event, log_.lent());
}

namespace {

// Does the provider warn of this call, so that only a person may acknowledge it?
bool has_pending_checks(const Card &card) {
  return card.tool->provider != nullptr &&
         JsonSlices(json_member(card.arguments(), "pendingSafetyChecks").value_or("")).next();
}

}  // namespace

void Gate::admit(Card &card) {
  const ExecutionApproval before = card.policy;
  const std::optional<Verdict> verdict = judge(card);
  if (!verdict) return;
  // After a restore the tool may differ from what the model called: the user is asked, by the stricter policy.
  card.policy = card.definition_changed ? std::max(card.policy, verdict->policy) : verdict->policy;
  const bool warned = has_pending_checks(card);
  if (warned) card.policy = ExecutionApproval::ask_always;
  const bool asks = verdict->way == Verdict::Way::ask || card.definition_changed || warned || by_button(card);
  std::string digest = card.fire_and_forget() ? std::string() : approval_digest(*card.tool, card.canonical_arguments());
  // A restored turn has the arguments resolved again: a decision about the same ones stands.
  const bool stands = !digest.empty() && digest == card.digest() && card.policy <= before && !card.definition_changed &&
                      was_approved(card, asks);
  if (asks && !stands) return ask(card);
  if (!stands) log_.record(card, {"execution", "approved", verdict->by});
  if (!digest.empty()) card.set_digest(std::move(digest));
  log_.move(card, Trigger::pass);
}

Verdict Gate::verdict(const Card &card) const {
  const std::string_view arguments =
      rules_.empty() ? std::string_view() : card.canonical_arguments();  // only rules look
  return execution_gate(*card.tool, arguments, rules_, setup_.config.confirm_all);
}

// Judges a call that is about to pass the gate. nullopt: it may not run, and has ended.
std::optional<Verdict> Gate::judge(Card &card) {
  if (requests_spent() && !card.fire_and_forget()) {  // those that send a message have no result to wait for
    log_.settle(card, Trigger::cancel, "max_requests", words(Word::no_more_calls));
    return std::nullopt;
  }
  if (final_answer_) {
    log_.settle(card, Trigger::cancel, "max_rounds", words(Word::no_more_calls));
    return std::nullopt;
  }
  if (beyond_rounds()) {
    log_.settle(card, Trigger::cancel, "max_rounds", words(Word::max_rounds, std::to_string(setup_.config.max_rounds)));
    return std::nullopt;
  }
  if (settle_missing(setup_, log_, card)) return std::nullopt;
  if (over_limits(card)) return std::nullopt;
  const Verdict said = verdict(card);
  if (said.way != Verdict::Way::deny) return said;
  log_.record(card, {"execution", "denied", said.by});
  log_.settle(card, Trigger::deny, "policy", words(Word::denied_by_rule));
  return std::nullopt;
}

// Would the call exceed a limit?
bool Gate::breaks_limit(const Card &card) const {
  if (card.fire_and_forget()) return false;
  if (calls_run_ >= setup_.config.max_calls) return true;
  return !card.is_nested() && repeats_.running(card) >= setup_.config.repeat_limit;
}

// Counts the call. Returns true if a limit ended it.
bool Gate::over_limits(Card &card) {
  if (card.fire_and_forget()) return false;
  if (calls_run_ >= setup_.config.max_calls) {
    limit_hit_ = true;
    log_.settle(card, Trigger::cancel, "max_calls", words(Word::max_calls, std::to_string(setup_.config.max_calls)));
    return true;
  }
  const uint32_t running = card.is_nested() ? 0 : repeats_.count(card);
  if (card.is_nested() || running < setup_.config.repeat_limit) {
    ++calls_run_;
    return false;
  }
  log_.settle(card, Trigger::cancel, "repeat_limit", words(Word::repeat_limit, std::to_string(running)));
  return true;
}

void Gate::ask(Card &card) {
  log_.move(card, Trigger::ask);
  card.definition_changed = false;  // the question shows it as it is
  card.set_digest(approval_digest(*card.tool, card.canonical_arguments()));
  card.asked_at = log_.now();
  card.asked_polled = false;
  log_.tell(card);
  ask_event(card);
}

void Gate::ask_event(const Card &card) {
  ObjectWriter event(log_.event(Log::Event::approval, card.call));
  event.text("type", "approval").number("call", card.call).text("stage", "execution");
  write_question(card, event, log_.lent());
  event.text("level", to_text(card.tool->permission)).text("policy", to_text(card.policy));
  event.text("digest", card.digest());
  if (card.asked_at && setup_.config.approval_timeout_ms > 0)
    event.number("expiresAt", *card.asked_at + setup_.config.approval_timeout_ms);
}

// ---- decisions ----

// Refuses a decision about a question that the host has not polled: nobody can have seen it.
Status Gate::check_asked(const Card &card) const {
  if (card.asked_polled) return {};
  return not_now("the approval event of call " + std::to_string(card.call) + " was not polled: nobody has seen it");
}

Status Gate::approve(uint32_t call, Remember remember, bool exact, std::optional<std::string_view> edited) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  if (card->state() != CardState::awaiting_approval)
    return not_in_state(*card, "does not wait for approval of its execution");
  if (Status status = check_asked(*card); !status.ok()) return status;
  if (edited)
    if (Status status = take_edited(*card, *edited); !status.ok()) return status;
  allow(*card, remember, exact);
  pump();
  return {};
}

Status Gate::take_edited(Card &card, std::string_view edited) {
  std::string checked;
  if (Status status = check_given(card, edited, checked); !status.ok()) return status;
  card.set_edited(std::move(checked));
  return {};
}

// Checks arguments that replace the model's against the tool's schema.
Status Gate::check_fit(const Card &card, std::string_view given, std::string &checked) const {
  if (Status status = check_json(given, setup_.config.limits.depth); !status.ok()) return status;
  if (json_kind(given) != '{') return error(Code::json, "expected the arguments as an object");
  ArgumentFault fault;
  if (!card.tool->schema.check(given, Strings::strings, checked, fault))
    return error(Code::json, fault.message, fault.pointer);
  return {};
}

// The same, and against the rules.
Status Gate::check_given(const Card &card, std::string_view given, std::string &checked) const {
  if (Status status = check_fit(card, given, checked); !status.ok()) return status;
  if (execution_gate(*card.tool, canonical_json(checked), rules_, setup_.config.confirm_all).way == Verdict::Way::deny)
    return not_now("a rule refuses these arguments");
  return {};
}

Status Gate::approve_all(Remember remember, bool exact) {
  std::vector<Card *> waiting;
  for (const uint32_t call : log_.open_cards().asking())
    if (Card *const card = log_.find(call); card->state() == CardState::awaiting_approval && card->asked_polled)
      waiting.push_back(card);
  if (waiting.empty()) return not_now("no call waits for approval of its execution");
  for (Card *card : waiting)
    if (card->state() == CardState::awaiting_approval) allow(*card, remember, exact);  // else a grant settled it
  pump();
  return {};
}

void Gate::allow(Card &card, Remember remember, bool exact) {
  if (remember != Remember::once && card.policy == ExecutionApproval::ask_always) {
    log_.diagnostic("not_remembered",
                    in_quotes(remember_text(remember)) + " counted once: " + card.tool->name + " asks for every call",
                    card.call);
    remember = Remember::once;
  }
  approve_card(card, "user", remember_text(remember));
  if (remember != Remember::once) grant(card, remember, exact);
}

void Gate::approve_card(Card &card, std::string_view by, std::string_view remember) {
  log_.withdraw(Log::Event::approval, card.call);
  const bool once = !remember.empty() && card.policy == ExecutionApproval::ask_always;
  log_.record(card, {"execution", "approved", by, once ? std::string_view("once") : remember});
  log_.move(card, Trigger::approve);
}

// Remembers a decision for the turn, applies it to calls that wait for the same one, and tells the host if it is to
// outlive the turn.
void Gate::grant(const Card &card, Remember remember, bool exact) {
  Rule rule;
  rule.tool = card.tool->name;
  rule.scope = remember_text(remember);
  if (exact) rule.arguments = card.canonical_arguments();  // a rule that allows matches exactly these
  rule.definition = card.tool->definition_hash;
  if (remember != Remember::turn) {
    std::string &event = log_.event(Log::Event::other);
    event += R"({"type":"rule","rule":)";
    write_rule(rule, event);
  }
  if (std::find(rules_.begin(), rules_.end(), rule) == rules_.end()) rules_.push_back(rule);
  for (const uint32_t call : OpenCards::Calls(log_.open_cards().asking())) {
    Card &other = *log_.find(call);
    if (other.state() != CardState::awaiting_approval) continue;
    if (RuledArguments arguments(other.canonical_arguments()); !matches(rule, *other.tool, arguments)) continue;
    if (const Verdict now = verdict(other); now.way == Verdict::Way::run) approve_card(other, now.by, {});
  }
}

Status Gate::deny(uint32_t call, std::string_view reason, bool by_person) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  if (card->is_provided() && !card->final()) return not_now(std::string(kProvidersCall));
  const bool asked = card->state() == CardState::awaiting_approval;
  // A host that has not started the tool may still refuse the call.
  const bool running = !by_person && !setup_.observes() && card->state() == CardState::executing &&
                       !log_.waits(Log::Event::execute, call);
  // So may one that cannot resolve its arguments.
  const bool resolving = !by_person && card->state() == CardState::resolving;
  const bool execution = asked || running || resolving;
  if (!execution && card->state() != CardState::awaiting_result_approval)
    return not_in_state(*card, "does not wait for a decision");
  if (Status status = check_asked(*card); !running && !resolving && !status.ok()) return status;
  const std::string why = repair_utf8(reason);
  const std::string_view by = by_person ? "user" : "policy";
  log_.record(*card, {execution ? "execution" : "result", "denied", by, {}, why});
  if (execution)
    log_.settle(*card, Trigger::deny, by,
                words(by_person ? Word::denied_by_user : Word::denied_by_policy) + because(why));
  else
    log_.settle(*card, Trigger::reject, by,
                words(by_person ? Word::withheld_by_user : Word::withheld_by_policy) + because(why));
  pump();
  return {};
}

// Judges a call by these rules of the host. Of this turn's own grants, only those for the rest of the turn count.
Status Gate::judge_by(uint32_t call, std::string_view rules, Verdict::Way &way) const {
  const Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  if (card->tool == nullptr) return not_now("call " + std::to_string(call) + " is of no tool that is there");
  if (Status status = check_json(rules, setup_.config.limits.depth); !status.ok()) return status;
  std::vector<Rule> counting;
  if (Status status = read_rules(rules, counting); !status.ok()) return status;
  const auto decision = std::find_if(card->approvals().rbegin(), card->approvals().rend(),
                                     [](const ApprovalRecord &approval) { return approval.stage == "execution"; });
  const bool decided = decision != card->approvals().rend() && decision->by == "user";
  const std::string runs = canonical_json(card->host_arguments().value_or(std::string(card->effective_arguments())));
  const bool changed = runs != card->canonical_arguments();  // since a person saw them
  if (decided && (decision->decision != "approved" || (!card->edited() && !changed))) {
    way = decision->decision == "approved" ? Verdict::Way::run : Verdict::Way::deny;
    return {};
  }
  std::copy_if(rules_.begin() + static_cast<std::ptrdiff_t>(configured_rules_), rules_.end(),
               std::back_inserter(counting), [](const Rule &rule) { return rule.scope == "turn"; });
  const Verdict said = execution_gate(*card->tool, runs, counting, setup_.config.confirm_all);
  way = said.way;
  if (way != Verdict::Way::ask || (changed && said.by == "rule")) return {};
  // What a person or an exact rule allowed before the host resolved it stays allowed, if only the tool's policy asks.
  const std::string shown(card->canonical_arguments());
  const Verdict before = execution_gate(*card->tool, shown, counting, setup_.config.confirm_all);
  if (decided || (changed && before.way == Verdict::Way::run)) way = Verdict::Way::run;
  return {};
}

// ---- its run ----

int64_t Gate::timeout_of(const Card &card) const {
  if (setup_.observes()) return 0;
  const int64_t usual = setup_.config.timeout_ms;
  return card.tool != nullptr ? card.tool->timeout_ms.value_or(usual) : usual;
}

void Gate::start(Card &card) {
  log_.move(card, Trigger::start);
  if (card.nested > 0)  // it ran before, and the turn was restored
    for (const uint32_t call : log_.open_cards().nested_in(card.call)) log_.open_cards().mark_changed(call);
  card.set_started(log_.now());
  if (!card.fire_and_forget()) identify(card);
  card.forget_spelling();
  if (card.fire_and_forget()) return fire(card);
  // A model cannot detach a call whose result the user is to see.
  const std::string archery = reserved_text(card, "archery");
  card.detached = (archery == "true" || archery == "no_reply") && result_policy(card) == ResultApproval::never;
  log_.tell(card);
  if (card.tool->provider != nullptr && !card.tool->provider->runs) {  // the provider runs it now that it may
    card.set_output("approved", 8, false);
    return log_.settle(card, Trigger::succeed, {}, "approved");
  }
  execute_event(card);
}

// Says what starts, with the arguments that it runs with. A state of a version without digests gets one.
void Gate::identify(Card &card) {
  if (card.digest().empty()) card.set_digest(approval_digest(*card.tool, card.canonical_arguments()));
  give_key(card, action_digest(*card.tool, card.canonical_arguments()));
}

void Gate::give_key(Card &card, std::string_view action) {
  if (card.is_nested()) return card.set_key(log_.find(card.caller)->key() + "/" + std::to_string(card.ordinal));
  if (keys_.round() != card.round) {
    keys_.begin(card.round);
    const auto &cards = log_.message().cards;
    for (auto other = cards.rbegin(); other != cards.rend() && (*other)->round >= card.round; ++other)
      keys_.add((*other)->key());
  }
  keys_.remove(card.key());
  card.set_key(keys_.next(action));
  keys_.add(card.key());
}

void Gate::execute_event(const Card &card) {
  ObjectWriter event(log_.event(Log::Event::execute, card.call));
  event.text("type", "execute").number("call", card.call).text("name", card.tool->name);
  if (card.is_nested()) write_caller(card, event.value("parent"));
  if (!card.wire_id().empty()) event.text("wireId", card.wire_id());
  event.text("source", card.source).number("round", card.round);
  write_arguments(card, event, log_.lent());
  if (card.host_arguments()) event.raw("hostArguments", *card.host_arguments());
  event.text("digest", card.digest()).text("key", card.key());
  if (!card.reserved().empty()) event.raw("protocolFields", card.reserved());
  event.boolean("detached", card.detached);
  const int64_t timeout = timeout_of(card);
  if (card.running_since && timeout > 0) event.number("deadline", *card.running_since + timeout);
}

// Sends a fire-and-forget message, which ends the call.
void Gate::fire(Card &card) {
  constexpr uint32_t kRuns = field::arguments | field::edited | field::host_arguments;
  if ((card.changes() & kRuns) != 0) log_.tell(card);  // first the host sees what runs
  const Ipc &ipc = *card.tool->ipc;
  std::vector<std::string_view> values;
  size_t used = 0;
  for (const IpcItem &item : ipc.payload) {
    const auto value = item.argument ? json_member(card.effective_arguments(), item.text) : std::string_view(item.text);
    values.push_back(value.value_or("null"));
    if (value) used = values.size();
  }
  ObjectWriter event(log_.event(Log::Event::ipc, card.call));
  event.text("type", "ipc").number("call", card.call);
  const auto [block, offset] = log_.place_in_text(card);
  event.number("block", static_cast<int64_t>(block)).number("offset", static_cast<int64_t>(offset));
  event.text("channel", ipc.channel);
  std::string &payload = event.value("payload");
  payload += '[';
  for (size_t i = 0; i < used; ++i) {
    if (i > 0) payload += ',';
    payload += values[i];
  }
  payload += ']';
  card.set_output("ok", 2, false);
  log_.settle(card, Trigger::succeed, {}, "ok");
}

bool Gate::polled(const EventQueue::Polled &event) {
  Card *const card = log_.find(event.key);
  if (card == nullptr) return false;
  if (event.kind == Log::Event::approval) card->asked_polled = true;
  // A detached call is settled as soon as its `execute` event is polled.
  if (event.kind != Log::Event::execute || !card->detached || card->state() != CardState::executing) return false;
  log_.settle(*card, Trigger::succeed, {}, words(Word::started));
  pump();
  return true;
}

// ---- a server runs the calls ----

// A complete call counts as running: the server runs it.
void Gate::observe(Card &card) {
  log_.move(card, Trigger::pass);
  log_.move(card, Trigger::start);
  card.set_started(log_.now());
}

void Gate::take_server_result(Card &card, const ParsedCall &result) {
  if (card.state() != CardState::executing) return;
  const std::string_view all = result.raw_arguments;
  const std::string_view output = first_bytes(all, setup_.config.limits.result_bytes);
  const std::string_view status = trim_json(json_member(result.arguments, "status").value_or("null"));
  card.failed = status != "\"success\"";
  card.set_output(output, all.size(), false);
  if (!result.reason.empty()) {
    log_.diagnostic(result.reason, "the result of the server was cut", card.call);
    return log_.settle(card, Trigger::lose, result.reason, words(Word::interrupted));
  }
  if (card.failed) card.set_error(output);
  if (status == "\"timeout\"") return log_.settle(card, Trigger::time_out, "timeout", cap(all));
  if (status == "\"denied\"") return log_.settle(card, Trigger::deny, "policy", cap(all));
  log_.settle(card, card.failed ? Trigger::fail : Trigger::succeed, card.failed ? "tool" : "", cap(all));
}

void Gate::lose_all() {
  for (const uint32_t call : OpenCards::Calls(log_.open_cards().all())) {
    Card &card = *log_.find(call);
    if (card.state() == CardState::executing) log_.settle(card, Trigger::lose, "turn_ended", words(Word::interrupted));
  }
}

// ---- cancel and deadlines ----

void Gate::abort_tool(const Card &card, std::string_view reason) {
  if (setup_.observes()) return;
  ObjectWriter event(log_.event(Log::Event::abort_tool, card.call));
  event.text("type", "abortTool").number("call", card.call).text("reason", reason);
}

void Gate::cancel_card(Card &card, std::string_view reason, std::string_view text) {
  switch (card.state()) {
    case CardState::streaming:
    case CardState::pending:
    case CardState::ready:
    case CardState::resolving:
    case CardState::awaiting_approval:
    case CardState::approved: return log_.settle(card, Trigger::cancel, reason, std::string(text));
    case CardState::awaiting_result_approval: return log_.settle(card, Trigger::reject, reason, words(Word::withheld));
    case CardState::executing: break;
    case CardState::success:  // detached, and perhaps still running: a cancel stops it
      if (card.detached && !card.has_output() && reason == "cancelled") abort_tool(card, reason);
      return;
    default: return;
  }
  if (log_.withdraw(Log::Event::execute, card.call))  // the host has not polled it: it never ran
    return log_.settle(card, Trigger::cancel, reason, std::string(text));
  abort_tool(card, reason);
  if (card.tool != nullptr && card.tool->read_only)
    return log_.settle(card, Trigger::cancel, reason, words(Word::stopped));
  log_.settle(card, Trigger::lose, reason, words(Word::interrupted));
}

Status Gate::cancel(uint32_t call, std::string_view reason) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  if (card->is_provided() && !card->final()) return not_now(std::string(kProvidersCall));
  const std::string why = repair_utf8(reason);
  cancel_card(*card, "cancelled", words(Word::cancelled_call) + because(why));
  pump();
  return {};
}

void Gate::cancel_all(std::string_view reason, const std::string &text) {
  for (const auto &card : log_.message().cards)
    if (!card->is_provided()) cancel_card(*card, reason, text);
  log_.take_ended_callers();  // what they asked for has ended as well
  log_.lose_provided(reason);
}

bool Gate::expire() {
  const int64_t now = *log_.now();
  const int64_t approval_timeout = setup_.config.approval_timeout_ms;
  std::vector<uint32_t> due;
  for (const uint32_t call : log_.open_cards().running()) {
    const Card &card = *log_.find(call);
    const int64_t timeout = timeout_of(card);
    if (timeout != 0 && card.questions == 0 && card.running_since && now - *card.running_since >= timeout)
      due.push_back(call);
  }
  if (approval_timeout > 0)
    for (const uint32_t call : log_.open_cards().asking())
      if (const Card &card = *log_.find(call); card.asked_at && now - *card.asked_at >= approval_timeout)
        due.push_back(call);
  sort_all(due);
  for (const uint32_t call : due) expire_card(*log_.find(call));
  return !due.empty();
}

void Gate::expire_card(Card &card) {
  switch (card.state()) {
    case CardState::executing: {
      const bool started = !log_.withdraw(Log::Event::execute, card.call);  // the host has polled it
      if (started) abort_tool(card, "timeout");
      return log_.settle(card, Trigger::time_out, "timeout",
                         words(started ? Word::timed_out : Word::not_started, std::to_string(timeout_of(card))));
    }
    case CardState::awaiting_approval:
      log_.record(card, {"execution", "expired", "policy"});
      return log_.settle(card, Trigger::expire, "expired", words(Word::not_decided));
    default:
      log_.record(card, {"result", "expired", "policy"});
      return log_.settle(card, Trigger::reject, "expired", words(Word::withheld_expired));
  }
}

int64_t Gate::next_deadline(int64_t next) const {
  const auto at = [&](const std::optional<int64_t> &since, int64_t timeout) {
    if (since && timeout > 0) next = std::min(next, *since + timeout);
  };
  for (const uint32_t call : log_.open_cards().running()) {
    const Card &card = *log_.find(call);
    if (card.questions == 0) at(card.running_since, timeout_of(card));
  }
  if (setup_.config.approval_timeout_ms > 0)
    for (const uint32_t call : log_.open_cards().asking())
      at(log_.find(call)->asked_at, setup_.config.approval_timeout_ms);
  return next;
}

// The machine slept: running tools get this time in addition. A question expires by the clock.
void Gate::shift_deadlines(int64_t gap) {
  for (const uint32_t call : log_.open_cards().all()) {
    Card &card = *log_.find(call);
    if (card.state() == CardState::executing)
      card.running_since = card.running_since ? *card.running_since + gap : *log_.now();
    if (card.questions > 0) card.paused_at = card.paused_at ? *card.paused_at + gap : *log_.now();
    if (!card.asked_at) card.asked_at = log_.now();
  }
}

}  // namespace sluice
