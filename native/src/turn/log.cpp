#include "turn/log.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/json_writer.h"
#include "base/text.h"
#include "turn/conversation.h"
#include "wire/answer_items.h"

namespace sluice {
namespace {

// Do providers accept this id when it is sent back?
bool is_legal_id(std::string_view id) {
  if (id.empty() || id.size() > 256) return false;
  for (const char c : id)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  return true;
}

}  // namespace

Log::Log(const Setup &setup) : setup_(setup), used_ids_(used_ids(setup.host_messages)) {}

// ---- rounds ----

void Log::begin_round() {
  message_.rounds.emplace_back();
  first_card_ = message_.cards.size();
  open_.clear();
}

Round &Log::round() {
  if (Round *const round = open_round()) return *round;
  throw std::logic_error("no round has begun");
}

void Log::add_usage(const Usage &usage) {
  Usage &known = round().usage;
  for (const TokenKind &kind : kTokenKinds)
    if (usage.*kind.count >= 0 && usage.*kind.count < kMostTokens) known.*kind.count = usage.*kind.count;
  ObjectWriter event(events_.open(Event::other));
  event.text("type", "usage").number("round", round_number());
  write_usage(usage, event);
}

void Log::end_answer() {
  round().ended_at = now_;
  ObjectWriter event(events_.open(Event::other));
  event.text("type", "round").number("round", round_number());
  if (finish() != Finish::none) event.text("finishReason", to_text(finish()));
}

void Log::end(std::string_view outcome) {
  message_.outcome = outcome;
  ObjectWriter event(events_.open(Event::other));
  event.text("type", "done").text("outcome", outcome);
  if (finish() != Finish::none) event.text("finishReason", to_text(finish()));
}

// ---- blocks ----

bool Log::continues(Block::Kind kind, Block::Mark mark) const {
  if (message_.blocks.empty()) return false;
  const Block &last = message_.blocks.back();
  return last.kind == kind && last.mark == mark && last.round == round_number();
}

void Log::hide(std::string_view tag) {
  const bool within = continues(Block::Kind::text, Block::Mark::none);
  const size_t blocks = message_.blocks.size();
  const size_t offset = within ? message_.blocks.back().text.size() : 0;
  round().hidden.push_back({within ? blocks - 1 : blocks, offset, std::string(tag)});
}

void Log::append(Block::Kind kind, std::string_view utf8, bool fresh, Block::Mark mark) {
  if (fresh || !continues(kind, mark)) {
    const bool apart = fresh && kind == Block::Kind::text && last_text() != nullptr;
    Block &block = message_.blocks.emplace_back();
    block.kind = kind;
    block.mark = mark;
    block.round = round_number();
    block.apart = apart;
    if (kind == Block::Kind::text) block.sources = std::exchange(round().sources, {});
  }
  Block &block = message_.blocks.back();
  const bool begins = block.text.empty() && !block.sources.empty();
  tell_text(block, utf8);
  if (begins) tell_sources(block);
}

bool Log::add_sources(std::span<const Source> sources) {
  Block *const block = last_text();
  std::vector<Source> &list = block != nullptr ? block->sources : round().sources;
  bool grew = false, room = true;
  for (const Source &source : sources) {
    const auto known =
        std::find_if(list.begin(), list.end(), [&](const Source &other) { return other.is_same_place(source); });
    if (known == list.end()) {
      room = list.size() < kMostSources;
      if (!room) break;
      list.push_back(source);
      grew = true;
    } else if (known->title.empty() && !source.title.empty()) {
      known->title = source.title;
      grew = true;
    }
  }
  if (grew && block != nullptr) tell_sources(*block);
  return room;
}

bool Log::end_sources() {
  const bool opens = !round().sources.empty() && last_text() == nullptr;
  if (opens) append(Block::Kind::text, {}, true);
  for (size_t at = message_.blocks.size(); at-- > 0 && message_.blocks[at].round == round_number();)
    if (Block &block = message_.blocks[at]; places_grew(block)) tell_sources(block);
  return opens;
}

void Log::tell_sources(Block &block) {
  block.told_text = block.text.size();
  const auto number = static_cast<uint32_t>(&block - message_.blocks.data());
  ObjectWriter event(events_.open(Event::of_block, number));
  event.text("type", "sources").number("block", number);
  write_sources(block, event.value("sources"));
}

void Log::add_media(const std::string &part) {
  if (!continues(Block::Kind::media, Block::Mark::none)) {
    Block &block = message_.blocks.emplace_back();
    block.kind = Block::Kind::media;
    block.round = round_number();
    block.text = "[]";
  }
  Block &block = message_.blocks.back();
  block.text.pop_back();
  block.text.append(block.text.size() > 1 ? "," : "").append(part).append("]");
  const auto number = static_cast<uint32_t>(&block - message_.blocks.data());
  ObjectWriter event(events_.open(Event::of_block, number));
  event.text("type", "media").number("block", number).raw("part", part);
}

void Log::tell_text(Block &block, std::string_view utf8) {
  block.text += utf8;
  const auto kind = block.kind == Block::Kind::reasoning      ? Event::reasoning
                    : block.mark == Block::Mark::refusal      ? Event::refusal
                    : block.mark == Block::Mark::fabricated   ? Event::fabricated
                    : block.mark == Block::Mark::commentary   ? Event::commentary
                    : block.mark == Block::Mark::final_answer ? Event::of_final_answer
                                                              : Event::text;
  events_.delta(kind, static_cast<uint32_t>(&block - message_.blocks.data()), utf8);
}

// The last text of this round; nullptr: it has none.
Block *Log::last_text() {
  for (size_t at = message_.blocks.size(); at-- > 0 && message_.blocks[at].round == round_number();)
    if (message_.blocks[at].kind == Block::Kind::text) return &message_.blocks[at];
  return nullptr;
}

void Log::set_phase(Block::Mark phase) {
  Block *const block = last_text();
  if (block == nullptr || block->mark != Block::Mark::none) return;
  block->mark = phase;
  tell_text(*block, {});
}

void Log::retract_repeated() {
  const std::vector<Block> &blocks = message_.blocks;
  std::set<std::string_view> later;  // texts that came as messages of their own, behind the block that is looked at
  std::vector<size_t> repeated;
  for (size_t at = blocks.size(); at-- > 0 && blocks[at].round == round_number();) {
    if (blocks[at].kind != Block::Kind::text) continue;
    const std::string_view text = blocks[at].text;
    if (!message_.is_retracted(blocks[at]) && later.contains(text)) repeated.push_back(at);
    if (blocks[at].apart) later.insert(text);
  }
  if (repeated.empty()) return;
  std::reverse(repeated.begin(), repeated.end());
  for (const size_t at : repeated) message_.blocks[at].repeated = true;
  tell_retracted(repeated);
}

void Log::tell_retracted(const std::vector<size_t> &blocks) {
  ObjectWriter event(events_.open(Event::other));
  event.text("type", "retracted").number("round", round_number());
  std::string list = "[";
  for (const size_t at : blocks) append_number(list.append(list.size() > 1 ? "," : ""), static_cast<int64_t>(at));
  event.raw("blocks", list + "]");
}

void Log::show_error(TurnError error) {
  Block &block = message_.blocks.emplace_back();
  block.kind = Block::Kind::error;
  block.round = round_number();
  block.error = std::move(error);
  std::string &event = events_.open(Event::other);
  event += R"({"type":"error","block":)";
  append_number(event, static_cast<int64_t>(message_.blocks.size()) - 1);
  event += ',';
  write_error(block.error, event);
}

// ---- cards ----

Card &Log::new_card(std::string_view source, std::string_view requested_name, const Tool *found) {
  auto card = std::make_unique<Card>();
  card->call = static_cast<uint32_t>(message_.cards.size() + 1);
  card->block = message_.blocks.size();
  card->round = round_number();
  card->source = source;
  card->open_as(requested_name, found);
  Block &block = message_.blocks.emplace_back();
  block.kind = Block::Kind::tool_use;
  block.round = card->round;
  block.card = message_.cards.size();
  if (!card->is_provided()) open_.add(*card);
  message_.cards.push_back(std::move(card));
  return *message_.cards.back();
}

Card &Log::new_nested_card(Card &caller, std::string_view requested_name, const Tool *found) {
  auto card = std::make_unique<Card>();
  card->call = static_cast<uint32_t>(message_.cards.size() + 1);
  card->block = caller.block;
  card->round = caller.round;
  card->source = kNested;
  card->caller = caller.call;
  card->caller_name = caller.name();
  card->ordinal = ++caller.nested;
  card->open_as(requested_name, found);
  open_.add(*card);
  message_.cards.push_back(std::move(card));
  return *message_.cards.back();
}

Card *Log::find(uint32_t call) const {
  return call == 0 || call > message_.cards.size() ? nullptr : message_.cards[call - 1].get();
}

std::pair<size_t, size_t> Log::place_in_text(const Card &card) const {
  for (size_t at = card.block; at-- > 0 && message_.blocks[at].round == card.round;)
    if (message_.blocks[at].kind == Block::Kind::text) return {at, message_.blocks[at].text.size()};
  return {card.block, 0};
}

// Chooses the provider's id if it is legal and unused, else the first free id of our own.
void Log::give_id(Card &card) {
  if (!card.history_id.empty() && card.history_id == card.wire_id()) return;
  if (is_legal_id(card.wire_id()) && !used_ids_.contains(card.wire_id())) {
    card.history_id = card.wire_id();
  } else if (card.history_id.empty()) {
    size_t number = setup_.host_message_count;
    do card.history_id = "call_" + std::to_string(number++) + "_" + std::to_string(card.call);
    while (used_ids_.contains(card.history_id));
  }
  used_ids_.insert(card.history_id);
}

void Log::append_arguments(Card &card, std::string_view fragment) {
  card.raw_arguments.append(fragment);
  tell_arguments(card, fragment);
}

void Log::append_written_arguments(Card &card, std::string_view piece, size_t offset) {
  card.raw_arguments.append_part(round().raw, offset, piece);
  tell_arguments(card, piece);
}

void Log::tell(Card &card) {
  uint32_t fields = card.changes();
  if (fields == 0) return;
  card.asked_differed = card.asked_differed || card.name() != card.requested_name();
  // Before its arguments begin, a card has only head and status. Such a patch replaces one that nobody has polled, so
  // that a name in a thousand pieces is one event.
  const bool head = card.state() == CardState::streaming && (fields & ~(field::head | field::status)) == 0;
  const auto kind = head ? Event::head : Event::other;
  if (head && events_.is_last(kind, card.call)) fields |= field::status;
  std::string &event = events_.open(kind, head ? card.call : 0);
  event += R"({"type":"card")";
  if (!card.is_nested()) append_number(event += R"(,"block":)", static_cast<int64_t>(card.block));
  append_number(event += R"(,"call":)", card.call);
  if (card.is_nested()) write_caller(card, event += R"(,"parent":)");
  card.write(fields, event, &events_.lent());
  card.forget_changes();
}

void Log::move(Card &card, Trigger trigger) {
  const bool asked = asks_person(card.state());
  if (!card.apply(trigger)) throw std::logic_error("a card has no such transition");
  if (card.is_provided()) return;
  open_.moved(card);
  const bool asks = asks_person(card.state());
  if (asks != asked) pause_callers(card, asks);
  const bool ran = card.final() || card.state() == CardState::awaiting_result_approval;
  if (card.nested != 0 && ran) ended_callers_.push_back(card.call);
}

// The clocks of the calls above stop while a person is asked.
void Log::pause_callers(const Card &card, bool asks) {
  for (Card *caller = find(card.caller); caller != nullptr; caller = find(caller->caller)) {
    if (asks) {
      if (caller->questions++ == 0) caller->paused_at = now_;
    } else if (caller->questions > 0 && --caller->questions == 0) {
      if (caller->running_since && caller->paused_at && now_) *caller->running_since += *now_ - *caller->paused_at;
      caller->paused_at.reset();
    }
  }
}

// ---- tools that the provider runs ----

Card &Log::open_provided(std::string_view id, std::string_view name) {
  for (const uint32_t call : provided_)
    if (Card &card = *find(call); !id.empty() && card.wire_id() == id) return card;
  Card &card = new_card(kProvider, name, nullptr);
  card.set_wire_id(id);
  give_id(card);
  for (const Trigger step : {Trigger::complete, Trigger::dispatch, Trigger::pass, Trigger::start}) move(card, step);
  card.set_started(now_);
  provided_.insert(card.call);
  tell(card);
  return card;
}

void Log::provider_arguments(Card &card, std::string_view arguments) {
  card.set_raw_arguments(SharedText(std::string(arguments)));
  if (json_kind(arguments) == '{' && check_json(arguments, setup_.config.limits.depth).ok())
    card.set_arguments(card.raw_arguments);
  tell(card);
}

void Log::provider_result(Card &card, std::string_view text, bool is_error) {
  if (card.final()) return;
  const std::string_view output = first_bytes(text, setup_.config.limits.result_bytes);
  if (!text.empty()) card.set_output(output, text.size(), false, std::string(card.parts()));
  card.failed = is_error;
  if (is_error) card.set_error(output);
  end_provided(card, is_error ? Trigger::fail : Trigger::succeed, is_error ? "tool" : "");
}

void Log::provider_parts(Card &card, std::string parts) {
  card.set_parts(std::move(parts));
  tell(card);
}

void Log::lose_provided(std::string_view reason) {
  for (const uint32_t call : std::set<uint32_t>(provided_)) end_provided(*find(call), Trigger::lose, reason);
}

void Log::end_provided(Card &card, Trigger trigger, std::string_view reason) {
  provided_.erase(card.call);
  move(card, trigger);
  if (!reason.empty()) card.set_reason(reason);
  card.set_ended(now_);
  tell(card);
}

void Log::record(Card &card, ApprovalRecord decision) {
  decision.at = now_;
  card.add_approval(std::move(decision));
  open_.mark_changed(card.call);
}

std::string Log::edited_note(const Card &card) const {
  return card.edited() ? setup_.config.words(Word::edited, *card.edited()) : std::string();
}

void Log::settle(Card &card, Trigger trigger, std::string_view reason, std::string text) {
  events_.withdraw(Event::approval, card.call);
  events_.withdraw(Event::resolve, card.call);
  if (card.state() == CardState::executing) text = edited_note(card) + text;
  move(card, trigger);
  card.set_reason(reason);
  card.forget_spelling();
  card.set_model_text(std::move(text));
  card.set_ended(now_);
  tell(card);
}

void Log::invalidate(Card &card, std::string_view reason, std::string detail) {
  if (card.raw().empty())  // the scanner reports a block in the text itself
    diagnostic(reason, detail.empty() ? "the call is not run" : detail, card.call);
  if (detail.empty()) detail = setup_.config.words(Word::malformed, reason);
  card.dropped = !setup_.config.report_malformed;
  card.set_error(detail);
  settle(card, Trigger::invalidate, reason, std::move(detail));
}

// ---- what goes back ----

void Log::keep_native(std::string_view wire, std::string_view items) {
  // Not every reader takes the escape of half a surrogate pair.
  const bool half = items.find("\\ud") != items.npos || items.find("\\uD") != items.npos;
  std::vector<std::string> left_out;
  std::string kept = items_that_return(wire, half ? compact_json(items) : std::string(items), &left_out);
  round().native = kept == "[]" ? std::string() : std::move(kept);
  if (left_out.empty()) return;
  const std::string more = left_out.size() > 1 ? " (and " + std::to_string(left_out.size() - 1) + " more)" : "";
  diagnostic("unknown_part", left_out.front() + more);
}

// ---- final answers ----

void Log::retract(std::string note) {
  round().retracted = message_.blocks.size();
  if (note.empty()) {  // another text replaces it
    round().raw = {};
    round().native.clear();
  }
  round().note = std::move(note);
  std::vector<size_t> blocks;
  for (const Block &block : message_.blocks)
    if (block.round == round_number() && message_.is_retracted(block) && !block.repeated)
      blocks.push_back(static_cast<size_t>(&block - message_.blocks.data()));
  tell_retracted(blocks);
}

std::string Log::text_of_round() const {
  auto block = message_.blocks.end();
  while (block != message_.blocks.begin() && std::prev(block)->round == round_number()) --block;
  std::string text;
  for (; block != message_.blocks.end(); ++block)
    if (block->kind == Block::Kind::text && !message_.is_retracted(*block)) add_text(*block, text);
  return text;
}

// ---- events ----

void Log::diagnostic(std::string_view code, std::string_view detail, uint32_t call, std::optional<size_t> offset,
                     std::string_view raw) {
  ObjectWriter event(events_.open(Event::other));
  event.text("type", "diagnostic").text("code", code).text("detail", detail);
  if (call != 0) event.number("call", call);
  if (offset) event.number("offset", static_cast<int64_t>(*offset));
  if (!raw.empty()) event.text("raw", raw);
}

void Log::tool_diagnostic(std::string_view code, std::string_view tool, std::string_view detail) {
  ObjectWriter event(events_.open(Event::other));
  event.text("type", "diagnostic").text("code", code).text("detail", detail).text("tool", tool);
}

}  // namespace sluice
