// The calls of an answer: what its wire reports of them, and whether they have all their arguments. A wire reports what
// it sees and decides nothing. Where bytes may be missing, a call does not run.
#include <algorithm>
#include <utility>

#include "base/json.h"
#include "turn/answer.h"
#include "turn/arguments.h"
#include "turn/said_names.h"

namespace sluice {

// ---- what a wire reports ----

void Answer::on_call(uint32_t slot, std::string_view id, std::string_view name) {
  if (!goes_on()) return;
  note_content("call");
  interrupt_text();
  if (thoughts_) thoughts_->interrupt();
  if (slots_.size() <= slot) slots_.resize(slot + 1);
  Card *const card = open_card("native", name);
  slots_[slot] = card;
  if (card == nullptr) return;
  open_calls_.push_back(card);
  card->set_wire_id(id);
  log_.give_id(*card);
  log_.tell(*card);
}

// The call in a slot of the wire; nullptr: there is none, or the answer is not read any more.
Card *Answer::call_in(uint32_t slot) const { return ignores_bytes() || slot >= slots_.size() ? nullptr : slots_[slot]; }

void Answer::on_call_head(uint32_t slot, std::string_view id, std::string_view name) {
  Card *const card = call_in(slot);
  if (card == nullptr || card->state() != CardState::streaming) return;
  if (card->wire_id() == id && card->requested_name() == name) return;
  card->rename(name, find_meant(card->source, name));
  passed_ = 0;
  if (card->wire_id() != id) {
    card->set_wire_id(id);
    log_.give_id(*card);
  }
  log_.tell(*card);
}

void Answer::on_arguments(uint32_t slot, std::string_view fragment) {
  last_word_ = false;
  Card *const card = call_in(slot);
  if (card == nullptr || fragment.empty()) return;
  note_content(fragment);
  if (card->state() != CardState::streaming) {
    if (!trim_json(fragment).empty()) on_arguments_lost(slot, "arguments went on when the call was closed already");
    return;
  }
  if (card->raw_arguments.size() + fragment.size() > setup_.config.limits.argument_bytes) card->oversize = true;
  if (!card->oversize) log_.append_arguments(*card, fragment);
}

void Answer::on_arguments_replaced(uint32_t slot, std::string_view whole) {
  Card *const card = call_in(slot);
  if (card == nullptr) return;
  if (card->state() != CardState::streaming) return on_arguments(slot, whole);
  if (whole.starts_with(card->raw_arguments.view()))
    return on_arguments(slot, whole.substr(card->raw_arguments.size()));
  if (whole.size() > setup_.config.limits.argument_bytes) card->oversize = true;
  if (card->oversize) return;
  card->raw_arguments = SharedText(std::string(whole));
  card->shape = {};
}

void Answer::on_call_broken(uint32_t slot, std::string_view reason) {
  if (Card *const card = call_in(slot)) card->broken = reason;
}

void Answer::on_call_end(uint32_t slot) {
  if (Card *const card = call_in(slot)) card->ended = true;
}

// Nobody knows whose arguments these are, or they came too late: every call that has no arguments may lack them. If
// nobody knows the owner, the calls whose arguments are open may lack them, too.
void Answer::on_arguments_lost(uint32_t slot, std::string_view detail) {
  if (ignores_bytes()) return;
  last_word_ = false;
  Card *const late = call_in(slot);
  if (late != nullptr && !std::exchange(late->late, true)) log_.diagnostic("late_arguments", detail, late->call);
  if (late == nullptr && !orphans_reported_) log_.diagnostic("orphaned_arguments", detail);
  orphans_reported_ = orphans_reported_ || late == nullptr;
  arguments_lost_ = true;
  if (late != nullptr) break_call(*late, "truncated");
  for (Card *const card : slots_)
    if (card != nullptr && no_arguments(card->raw_arguments)) break_call(*card, "truncated");
  if (late == nullptr) break_open_calls();
}

// The call lacks bytes: it does not run, unless it has started.
void Answer::break_call(Card &card, std::string_view reason) {
  if (card.state() == CardState::streaming) {
    if (card.broken.empty()) card.broken = reason;
  } else if (card.is_pending() || card.state() == CardState::awaiting_approval) {
    log_.invalidate(card, reason);
  }
}

void Answer::on_calls_full() {
  if (!goes_on()) return;
  log_.diagnostic("oversize", "more calls in one answer than limits.callsPerRound: it ends here");
  cut("oversize");
}

void Answer::on_provider_call(uint32_t slot, std::string_view id, std::string_view name, std::string_view arguments) {
  if (!goes_on()) return;
  note_content("call");
  interrupt_text();
  shown_ = true;
  if (slot == provided_.size()) {
    const bool room = log_.message().blocks.size() < setup_.config.limits.blocks;
    provided_.push_back(room ? &log_.open_provided(id, name) : nullptr);
  }
  Card *const card = slot < provided_.size() ? provided_[slot] : nullptr;
  if (card != nullptr && !arguments.empty()) log_.provider_arguments(*card, arguments);
}

void Answer::on_provider_result(uint32_t slot, std::string_view text, bool is_error) {
  if (!goes_on()) return;
  note_content("result");
  if (slot < provided_.size() && provided_[slot] != nullptr) log_.provider_result(*provided_[slot], text, is_error);
}

// Every call whose arguments are not complete may lack the lost bytes.
void Answer::on_event_lost() {
  if (ignores_bytes()) return;
  on_bytes_lost();
  break_open_calls();
}

void Answer::break_open_calls() {
  for (Card *const card : open_calls_) {
    if (card->ended || !card->broken.empty()) continue;
    card->shape.read(card->raw_arguments);
    if (!card->shape.closed())
      card->broken = "invalid_json";
    else if (no_arguments(card->raw_arguments))
      card->broken = "stream_broken";
  }
}

// ---- cards ----

// The tool that was offered under this name. A restored engine may have given the name to another one.
const Tool *Answer::find_tool(std::string_view name) const {
  if (!offered_) return setup_.find_tool(name);
  if (const std::string *const own = find_tool_name(*offered_, name)) return setup_.registry().named(*own);
  const Tool *const tool = setup_.find_loosely(name);
  const std::string *const offered = tool == nullptr ? nullptr : find_tool_name(*offered_, tool->name);
  return offered != nullptr && *offered == tool->name ? tool : nullptr;
}

const Tool *Answer::find_meant(std::string_view source, std::string_view name) const {
  if (const Tool *const tool = find_tool(name)) return tool;
  for (const std::string_view meant : meant_names(name, source == "native"))
    if (const Tool *const tool = find_tool(meant)) return tool;
  return nullptr;
}

// Opens a card. nullptr: the answer has more calls than limits.callsPerRound, and ends.
Card *Answer::open_card(std::string_view source, std::string_view name) {
  const size_t limit = setup_.config.limits.calls_per_round;
  if (calls_ >= limit) {
    on_calls_full();
    return nullptr;
  }
  ++calls_;
  shown_ = true;
  return &log_.new_card(source, name, find_meant(source, name));
}

// Completes native calls after which something else came.
void Answer::complete_interrupted() {
  const bool stop = setup_.config.stop_after_call;
  const auto may_complete = [&](const Card *card) { return stop || setup_.starts_in_answer(card->tool); };
  while (passed_ < open_calls_.size() && !may_complete(open_calls_[passed_])) ++passed_;
  const Finish finish = log_.finish();
  const bool bad_end = finish == Finish::content_filter || finish == Finish::failed || finish == Finish::other;
  if (passed_ >= open_calls_.size() || bad_end || reader_->has_orphans()) return;
  const auto begin = open_calls_.begin() + static_cast<std::ptrdiff_t>(passed_);
  for (Card *card : std::vector<Card *>(begin, open_calls_.end())) {
    if (card->state() != CardState::streaming || !may_complete(card)) continue;  // not: cancelled while it was written
    complete_streamed_call(setup_, log_, *card, false, card->ended && !arguments_lost_);
    if (stop && card->is_pending() && !card->fire_and_forget()) {
      cut("stopAfterCall");
      break;
    }
  }
  const auto rest = open_calls_.begin() + static_cast<std::ptrdiff_t>(std::min(passed_, open_calls_.size()));
  const auto closed = [](const Card *card) { return card->state() != CardState::streaming; };
  open_calls_.erase(std::remove_if(rest, open_calls_.end(), closed), open_calls_.end());
  listener_.on_calls_complete();
}

// Completes or invalidates the calls that have not started when the answer ends.
// `ours`: the engine ended it, not the provider. A call without arguments runs only if it is certain that it has none;
// after an error no call runs.
void Answer::close_calls(bool ours) {
  const bool filtered = log_.finish() == Finish::content_filter;
  for (const uint32_t call : OpenCards::Calls(log_.open_cards().all())) {
    Card &card = *log_.find(call);
    if (card.is_nested()) continue;
    const bool well = ended_well(log_.finish(), setup_.wire->has_end(), End::complete);
    const bool said_none = trim_json(card.raw_arguments).starts_with('{');
    const bool may_lack = card.adopted || (!arguments_lost_ && ((error_ && said_none) || well || (ours && card.ended)));
    if (card.state() == CardState::streaming) complete_streamed_call(setup_, log_, card, true, may_lack);
    const bool waits = card.is_pending() || card.state() == CardState::awaiting_approval;
    const bool lacks = !may_lack && card.source == "native" && no_arguments(card.raw_arguments);
    if (waits && (filtered || error_ || lacks))
      log_.invalidate(card, error_ && !filtered ? "stream_broken" : "truncated");
  }
  std::erase_if(open_calls_, [](const Card *card) { return card->state() != CardState::streaming; });
}

}  // namespace sluice
