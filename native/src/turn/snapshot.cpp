// Saving and restoring a turn: its configuration, its log and where it stands, as one JSON document. Not the engine's
// part: tools are looked up again by name, and what was open is compared with what they are now.
#include <array>

#include "base/json_writer.h"
#include "base/saved.h"
#include "turn/history.h"
#include "turn/turn.h"

namespace sluice {
namespace {

constexpr int64_t kFormat = 1;
// A state nests the host's documents, which passed limits.depth, a few levels deeper than they were.
constexpr size_t kStateDepth = 2048;

constexpr std::array<std::string_view, 5> kOutcomes = {"completed", "cancelled", "failed", "limit", "awaiting_user"};
constexpr std::array<std::string_view, 13> kRecordWords = {"execution", "result", "approved", "denied", "expired",
                                                           "user",      "rule",   "policy",   "once",   "turn",
                                                           "session",   "always", "cancelled"};

// Views into this program for words that were saved as text.
template <size_t N>
std::string_view one_of(const std::array<std::string_view, N> &words, std::string_view word) {
  for (const std::string_view known : words)
    if (known == word) return known;
  return {};
}

std::string text_of(const SavedReader &saved, std::string_view key) {
  std::string text;
  saved.get(key, text);
  return text;
}

void number_if(ObjectWriter &object, std::string_view key, const std::optional<int64_t> &value) {
  if (value) object.number(key, *value);
}
void text_if(ObjectWriter &object, std::string_view key, std::string_view value) {
  if (!value.empty()) object.text(key, value);
}
void flag_if(ObjectWriter &object, std::string_view key, bool value) {
  if (value) object.boolean(key, true);
}

void save_error(const TurnError &error, std::string &out) {
  ObjectWriter object(out);
  object.text("code", error.code).text("detail", error.detail);
  text_if(object, "hint", error.hint);
  flag_if(object, "retryable", error.retryable);
  flag_if(object, "fatal", error.fatal);
  object.close();
}

TurnError load_error(std::string_view json) {
  const SavedReader saved(json);
  TurnError error;
  saved.get("code", error.code);
  saved.get("detail", error.detail);
  saved.get("hint", error.hint);
  saved.get("retryable", error.retryable);
  saved.get("fatal", error.fatal);
  return error;
}

void save_card(const Card &card, std::string &out) {
  ObjectWriter object(out);
  object.number("state", static_cast<int64_t>(card.state()));
  object.number("block", static_cast<int64_t>(card.block)).number("round", card.round);
  object.text("source", card.source).text("asked", card.asked).text("historyId", card.history_id);
  text_if(object, "resolved", card.resolved);
  if (card.tool != nullptr) object.text("definition", card.tool->definition_hash);
  text_if(object, "wireId", card.wire_id);
  text_if(object, "rawArguments", card.raw_arguments);
  text_if(object, "arguments", card.arguments);
  text_if(object, "members", card.members);
  text_if(object, "reserved", card.reserved);
  text_if(object, "raw", card.raw);
  object.number("start", static_cast<int64_t>(card.start)).number("end", static_cast<int64_t>(card.end));
  object.boolean("typed", card.typed);
  flag_if(object, "oversize", card.oversize);
  flag_if(object, "askedDiffered", card.asked_differed);
  flag_if(object, "adopted", card.adopted);
  flag_if(object, "late", card.late);
  object.number("tried", static_cast<int64_t>(card.tried));
  flag_if(object, "ready", card.ready);
  flag_if(object, "admitted", card.admitted);
  flag_if(object, "approved", card.approved);
  flag_if(object, "askedPolled", card.asked_polled);
  object.number("policy", static_cast<int64_t>(card.policy));
  text_if(object, "canonical", card.canonical);
  if (card.edited) object.text("edited", *card.edited);
  number_if(object, "askedAt", card.asked_at);
  flag_if(object, "detached", card.detached);
  number_if(object, "runningSince", card.running_since);
  number_if(object, "startedAt", card.started_at);
  number_if(object, "endedAt", card.ended_at);
  text_if(object, "progress", card.progress);
  text_if(object, "reason", card.reason);
  text_if(object, "output", card.output);
  object.number("outputBytes", static_cast<int64_t>(card.output_bytes));
  text_if(object, "parts", card.parts);
  flag_if(object, "failed", card.failed);
  text_if(object, "error", card.error);
  text_if(object, "told", card.told);
  flag_if(object, "hasOutput", card.has_output);
  flag_if(object, "hasTold", card.has_told);
  flag_if(object, "dropped", card.dropped);
  object.number("dirty", card.dirty);
  std::string &records = object.value("approvals");
  records += '[';
  for (const ApprovalRecord &record : card.approvals) {
    if (records.back() != '[') records += ',';
    ObjectWriter entry(records);
    entry.text("stage", record.stage).text("decision", record.decision).text("by", record.by);
    text_if(entry, "remember", record.remember);
    text_if(entry, "reason", record.reason);
    number_if(entry, "at", record.at);
    entry.close();
  }
  records += ']';
  object.close();
}

std::unique_ptr<Card> load_card(std::string_view json, uint32_t call) {
  const SavedReader saved(json);
  auto card = std::make_unique<Card>();
  card->call = call;
  uint32_t state = 0, policy = static_cast<uint32_t>(card->policy);
  saved.get("state", state);
  card->restore(static_cast<CardState>(std::min<uint32_t>(state, static_cast<uint32_t>(CardState::unknown))));
  saved.get("block", card->block);
  saved.get("round", card->round);
  saved.get("source", card->source);
  saved.get("asked", card->asked);
  saved.get("historyId", card->history_id);
  saved.get("resolved", card->resolved);
  saved.get("wireId", card->wire_id);
  saved.get("rawArguments", card->raw_arguments);
  saved.get("arguments", card->arguments);
  saved.get("members", card->members);
  saved.get("reserved", card->reserved);
  saved.get("raw", card->raw);
  saved.get("start", card->start);
  saved.get("end", card->end);
  saved.get("typed", card->typed);
  saved.get("oversize", card->oversize);
  saved.get("askedDiffered", card->asked_differed);
  saved.get("adopted", card->adopted);
  saved.get("late", card->late);
  saved.get("tried", card->tried);
  saved.get("ready", card->ready);
  saved.get("admitted", card->admitted);
  saved.get("approved", card->approved);
  saved.get("askedPolled", card->asked_polled);
  saved.get("policy", policy);
  card->policy = static_cast<ExecutionApproval>(std::min<uint32_t>(policy, 2));
  saved.get("canonical", card->canonical);
  if (const std::string edited = text_of(saved, "edited"); !edited.empty()) card->edited = edited;
  saved.get("askedAt", card->asked_at);
  saved.get("detached", card->detached);
  saved.get("runningSince", card->running_since);
  saved.get("startedAt", card->started_at);
  saved.get("endedAt", card->ended_at);
  saved.get("progress", card->progress);
  saved.get("reason", card->reason);
  saved.get("output", card->output);
  saved.get("outputBytes", card->output_bytes);
  saved.get("parts", card->parts);
  saved.get("failed", card->failed);
  saved.get("error", card->error);
  saved.get("told", card->told);
  saved.get("hasOutput", card->has_output);
  saved.get("hasTold", card->has_told);
  saved.get("dropped", card->dropped);
  saved.get("dirty", card->dirty);
  for (JsonSlices records(saved.nested("approvals")); records.next();) {
    const SavedReader entry(records.value());
    ApprovalRecord &record = card->approvals.emplace_back();
    record.stage = one_of(kRecordWords, text_of(entry, "stage"));
    record.decision = one_of(kRecordWords, text_of(entry, "decision"));
    record.by = one_of(kRecordWords, text_of(entry, "by"));
    record.remember = one_of(kRecordWords, text_of(entry, "remember"));
    entry.get("reason", record.reason);
    entry.get("at", record.at);
  }
  return card;
}

template <class List, class Write>
void write_list(std::string &out, const List &list, Write &&write) {
  out += '[';
  for (const auto &item : list) {
    if (out.back() != '[') out += ',';
    write(item);
  }
  out += ']';
}

void save_counts(const std::map<std::string, uint32_t> &counts, std::string &out) {
  ObjectWriter object(out);
  for (const auto &[key, count] : counts) object.number(key, count);
  object.close();
}

void load_counts(std::string_view saved, std::map<std::string, uint32_t> &counts) {
  const SavedReader reader(saved);
  for (JsonSlices members(saved); members.next();) reader.get(members.key_text(), counts[members.key_text()]);
}

}  // namespace

// ---- save ----

void Turn::state(std::string &out) const {
  ObjectWriter object(out);
  object.number("format", kFormat).raw("turn", document_);
  number_if(object, "now", now_);
  flag_if(object, "done", done_);
  text_if(object, "outcome", message_.outcome);
  flag_if(object, "fellBack", fell_back_);
  flag_if(object, "finalAnswer", final_answer_);
  flag_if(object, "limitHit", limit_hit_);
  flag_if(object, "endedOnFire", ended_on_fire_);
  object.number("malformedRounds", malformed_rounds_).number("callsRun", calls_run_);
  object.number("firstCard", static_cast<int64_t>(first_card_));
  object.number("inputTokens", message_.usage.input_tokens).number("outputTokens", message_.usage.output_tokens);
  save_counts(repeats_, object.value("repeats"));
  save_counts(repeats_now_, object.value("repeatsNow"));
  std::string &grants = object.value("grants");
  grants += '[';
  for (size_t i = configured_rules_; i < config_.rules.size(); ++i) {
    if (i > configured_rules_) grants += ',';
    write_rule(config_.rules[i], grants);
  }
  grants += ']';
  write_list(object.value("rounds"), message_.rounds, [&](const Round &round) {
    ObjectWriter entry(out);
    entry.text("raw", round.raw).text("members", round.members).boolean("textCalls", round.text_calls);
    entry.close();
  });
  write_list(object.value("blocks"), message_.blocks, [&](const Block &block) {
    ObjectWriter entry(out);
    entry.number("kind", static_cast<int64_t>(block.kind)).number("round", block.round);
    text_if(entry, "text", block.text);
    if (block.kind == Block::Kind::tool_use) entry.number("card", static_cast<int64_t>(block.card));
    if (block.kind == Block::Kind::error) save_error(block.error, entry.value("error"));
    entry.close();
  });
  write_list(object.value("cards"), message_.cards, [&](const auto &card) { save_card(*card, out); });
  if (answer_.open) save_answer(object.value("answer"));
  events_.save(object.value("events"));
  object.close();
}

void Turn::save_answer(std::string &out) const {
  const auto number_of = [](const Card *card) { return card == nullptr ? 0 : static_cast<int64_t>(card->call); };
  const auto write_calls = [&](const std::vector<Card *> &cards) {
    write_list(out, cards, [&](const Card *card) { append_number(out, number_of(card)); });
  };
  ObjectWriter object(out);
  flag_if(object, "closedToBytes", answer_.closed_to_bytes);
  flag_if(object, "bytesSeen", answer_.bytes_seen);
  flag_if(object, "responded", answer_.responded);
  flag_if(object, "shown", answer_.shown);
  object.number("finish", static_cast<int64_t>(answer_.finish));
  if (answer_.error) save_error(*answer_.error, object.value("error"));
  object.value("slots");
  write_calls(answer_.slots);
  object.value("openCalls");
  write_calls(answer_.open_calls);
  object.number("textCall", number_of(answer_.text_call));
  object.number("calls", static_cast<int64_t>(answer_.calls));
  object.number("textBytes", static_cast<int64_t>(answer_.text_bytes));
  number_if(object, "waitingSince", answer_.waiting_since);
  answer_.reader->save(object.value("reader"));
  answer_.scanner->save(object.value("scanner"));
  if (answer_.watcher) answer_.watcher->save(object.value("watcher"));
  object.close();
}

// ---- restore ----

Status Turn::restore(std::shared_ptr<const Engine> engine, std::string_view state, std::unique_ptr<Turn> &out) {
  if (Status status = check_json(state, kStateDepth); !status.ok()) return status;
  const SavedReader saved(state);
  int64_t format = 0;
  saved.get("format", format);
  if (format == 0) return error(Code::json, "expected a saved turn: there is no format", "format");
  if (format > kFormat)
    return error(Code::unsupported,
                 "found format " + std::to_string(format) + " of a later version, expected " + std::to_string(kFormat),
                 "format");
  std::unique_ptr<Turn> turn(new Turn(std::move(engine)));
  if (Status status = turn->configure(saved.nested("turn")); !status.ok()) return std::move(status).inside("turn");
  turn->load_log(saved);
  if (const std::string_view answer = saved.nested("answer"); !answer.empty()) turn->load_answer(SavedReader(answer));
  turn->events_.load(saved.nested("events"));
  turn->resume();
  out = std::move(turn);
  return {};
}

void Turn::load_log(const SavedReader &saved) {
  saved.get("now", now_);
  saved.get("done", done_);
  message_.outcome = one_of(kOutcomes, text_of(saved, "outcome"));
  saved.get("fellBack", fell_back_);
  if (fell_back_) config_.mode = Mode::text;
  saved.get("finalAnswer", final_answer_);
  saved.get("limitHit", limit_hit_);
  saved.get("endedOnFire", ended_on_fire_);
  saved.get("malformedRounds", malformed_rounds_);
  saved.get("callsRun", calls_run_);
  saved.get("firstCard", first_card_);
  saved.get("inputTokens", message_.usage.input_tokens);
  saved.get("outputTokens", message_.usage.output_tokens);
  load_counts(saved.nested("repeats"), repeats_);
  load_counts(saved.nested("repeatsNow"), repeats_now_);
  for (JsonSlices grants(saved.nested("grants")); grants.next();)
    if (Rule rule; read_rule(grants.value(), rule).ok()) config_.rules.push_back(std::move(rule));
  for (JsonSlices rounds(saved.nested("rounds")); rounds.next();) {
    const SavedReader entry(rounds.value());
    Round &round = message_.rounds.emplace_back();
    entry.get("raw", round.raw);
    entry.get("members", round.members);
    entry.get("textCalls", round.text_calls);
  }
  for (JsonSlices cards(saved.nested("cards")); cards.next();) {
    auto card = load_card(cards.value(), static_cast<uint32_t>(message_.cards.size() + 1));
    const std::string definition = text_of(SavedReader(cards.value()), "definition");
    if (!card->resolved.empty()) card->tool = engine_->registry.find(card->resolved);
    card->definition_changed = card->tool != nullptr && card->tool->definition_hash != definition;
    used_ids_.insert(card->history_id);
    message_.cards.push_back(std::move(card));
  }
  for (JsonSlices blocks(saved.nested("blocks")); blocks.next();) {
    const SavedReader entry(blocks.value());
    Block &block = message_.blocks.emplace_back();
    uint32_t kind = 0;
    entry.get("kind", kind);
    block.kind = static_cast<Block::Kind>(std::min<uint32_t>(kind, static_cast<uint32_t>(Block::Kind::error)));
    entry.get("round", block.round);
    entry.get("text", block.text);
    entry.get("card", block.card);
    if (block.kind == Block::Kind::tool_use && block.card >= message_.cards.size()) block.kind = Block::Kind::text;
    if (block.kind == Block::Kind::error) block.error = load_error(entry.nested("error"));
  }
  first_card_ = std::min(first_card_, message_.cards.size());
}

void Turn::load_answer(const SavedReader &saved) {
  open_answer();
  saved.get("closedToBytes", answer_.closed_to_bytes);
  saved.get("bytesSeen", answer_.bytes_seen);
  saved.get("responded", answer_.responded);
  saved.get("shown", answer_.shown);
  uint32_t finish = 0;
  saved.get("finish", finish);
  answer_.finish = static_cast<Finish>(std::min<uint32_t>(finish, static_cast<uint32_t>(Finish::other)));
  if (const std::string_view error = saved.nested("error"); !error.empty()) answer_.error = load_error(error);
  const auto load_calls = [&](std::string_view list, std::vector<Card *> &cards) {
    for (JsonSlices calls(list); calls.next();) {
      uint32_t call = 0;
      SavedReader("{\"call\":" + std::string(calls.value()) + "}").get("call", call);
      cards.push_back(find_card(call));
    }
  };
  load_calls(saved.nested("slots"), answer_.slots);
  load_calls(saved.nested("openCalls"), answer_.open_calls);
  std::erase(answer_.open_calls, nullptr);
  uint32_t text_call = 0;
  saved.get("textCall", text_call);
  answer_.text_call = find_card(text_call);
  saved.get("calls", answer_.calls);
  saved.get("textBytes", answer_.text_bytes);
  saved.get("waitingSince", answer_.waiting_since);
  answer_.reader->load(saved.nested("reader"));
  answer_.scanner->load(saved.nested("scanner"));
  if (answer_.watcher) answer_.watcher->load(saved.nested("watcher"));
  if (!parser_) request_ = build_request();
}

void Turn::resume() {
  if (done_ || parser_) return;
  if (events_.withdraw(EventQueue::Kind::request, 0)) emit_request();  // of this engine's tools
  for (const auto &card : message_.cards) resume_card(*card);
  pump();
  advance();
}

void Turn::resume_card(Card &card) {
  using Kind = EventQueue::Kind;
  if (card.detached && card.final() && (card.tool == nullptr || card.definition_changed) &&
      events_.withdraw(Kind::execute, card.call)) {
    card.error = card.told = "It was not started: its tool is gone, or is another one now.";
    card.dirty |= field::error | field::told;
    return tell(card);
  }
  const bool unseen = card.state() == CardState::executing && events_.waits(Kind::execute, card.call);
  const bool waits = card.state() == CardState::pending || card.state() == CardState::awaiting_approval || unseen;
  if (waits && ((card.admitted && card.tool == nullptr) || card.definition_changed)) {
    // What was asked, or allowed, was another tool. A call that nobody saw start has not begun.
    events_.withdraw(Kind::approval, card.call);
    events_.withdraw(Kind::execute, card.call);
    if (card.state() == CardState::awaiting_approval)
      move(card, Trigger::approve);  // back to where tools are looked for
    card.approved = false;
    if (card.tool == nullptr) {
      card.error = "There is no tool \"" + card.resolved + "\" any more.";
      card.dirty |= field::error;
      return settle(card, Trigger::miss, "not_found", card.error);
    }
    std::string checked;
    ArgumentFault fault;
    if (!card.tool->schema.check(card.effective_arguments(), false, checked, fault))
      return spoil(card, "schema", fault.pointer + ": " + fault.message);
    if (card.admitted) ask(card);
    return;
  }
  switch (card.state()) {
    case CardState::awaiting_approval:
      if (!events_.waits(Kind::approval, card.call)) ask_event(card);
      break;
    case CardState::awaiting_result_approval:
      if (!events_.waits(Kind::approval, card.call)) release_event(card);
      break;
    case CardState::executing:
      if (events_.waits(Kind::execute, card.call)) break;  // nobody saw it: it has not begun
      if (card.tool != nullptr && card.tool->idempotent && !card.definition_changed) {
        card.running_since = now_;
        execute_event(card);
      } else {
        settle(card, Trigger::lose, "restored",
               "This call was interrupted while it ran: it may or may not have taken effect.");
      }
      break;
    default: break;
  }
}

}  // namespace sluice
