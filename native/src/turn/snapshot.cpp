// Saving and restoring a turn: its configuration, its log and where it stands, as one JSON document. Not the engine's
// part: tools are looked up again by name, and what was open is compared with what they are now.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_writer.h"
#include "base/release.h"
#include "base/saved.h"
#include "base/sha256.h"
#include "base/text.h"
#include "turn/history.h"
#include "turn/turn.h"

namespace sluice {
namespace {

constexpr int64_t kFormat = 1;
// A state nests the host's documents, which passed limits.depth, a few levels deeper than they were.
constexpr size_t kStateDepth = 2048;

// A time as it was saved.
void in_bounds(std::optional<int64_t> &time) {
  if (time) time = std::clamp<int64_t>(*time, 0, kMostNumber);
}

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
  saved.text(key, text);
  return text;
}

// Where in the state: "cards[3]".
std::string place(std::string_view list, size_t index) { return std::string(list) + "[" + std::to_string(index) + "]"; }

// The fields of a thing are listed once, and visited by one that writes and one that reads. What is missing in a state
// keeps the value that a fresh thing has.
struct Saver {
  ObjectWriter &object;

  void operator()(std::string_view key, const std::string &text) const {
    if (!text.empty()) object.text(key, text);
  }
  void operator()(std::string_view key, const SharedText &text) const {
    if (!text.empty()) object.text(key, text);
  }
  void operator()(std::string_view key, const std::optional<std::string> &text) const {
    if (text) object.text(key, *text);
  }
  void operator()(std::string_view key, const std::optional<int64_t> &number) const {
    if (number) object.number(key, *number);
  }
  void operator()(std::string_view key, bool flag) const { object.boolean(key, flag); }
  template <class Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void operator()(std::string_view key, Number number) const { object.number(key, static_cast<int64_t>(number)); }
};

struct Loader {
  const SavedReader &saved;

  void operator()(std::string_view key, std::string &text) const { saved.text(key, text); }
  void operator()(std::string_view key, SharedText &text) const {
    std::string read = text_of(saved, key);
    if (!read.empty()) text = SharedText(std::move(read));
  }
  void operator()(std::string_view key, std::optional<std::string> &text) const {
    if (std::string read = text_of(saved, key); !read.empty()) text = std::move(read);
  }
  void operator()(std::string_view key, std::optional<int64_t> &number) const { saved.get(key, number); }
  void operator()(std::string_view key, bool &flag) const { saved.get(key, flag); }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(std::string_view key, Number &number) const { saved.get(key, number); }
};

// An enum as it was saved; one of a later version becomes the last that this one knows.
template <class Enum>
Enum saved_enum(const SavedReader &saved, std::string_view key, Enum fallback, Enum last) {
  auto number = static_cast<uint32_t>(fallback);
  saved.get(key, number);
  return static_cast<Enum>(std::min(number, static_cast<uint32_t>(last)));
}

template <class Error, class Visit>
void each_field(Error &error, const Visit &visit) requires std::is_same_v<std::remove_const_t<Error>, TurnError> {
  visit("code", error.code);
  visit("detail", error.detail);
  visit("hint", error.hint);
  visit("retryable", error.retryable);
  visit("fatal", error.fatal);
  visit("status", error.status);
  visit("retryAfterMs", error.retry_after_ms);
  visit("requestId", error.request_id);
}

void save_error(const TurnError &error, std::string &out) {
  ObjectWriter object(out);
  each_field(error, Saver{object});
  object.close();
}

Status load_error(std::string_view json, TurnError &error) {
  const SavedReader saved(json);
  each_field(error, Loader{saved});
  return saved.fits();
}

template <class AnyCard, class Visit>
void each_field(AnyCard &card, const Visit &visit) requires std::is_same_v<std::remove_const_t<AnyCard>, Card> {
  visit("block", card.block);
  visit("round", card.round);
  visit("source", card.source);
  visit("asked", card.asked);
  visit("historyId", card.history_id);
  visit("resolved", card.resolved);
  visit("wireId", card.wire_id);
  visit("rawArguments", card.raw_arguments);
  visit("arguments", card.arguments);
  visit("members", card.members);
  visit("reserved", card.reserved);
  visit("raw", card.raw);
  visit("start", card.start);
  visit("end", card.end);
  visit("typed", card.typed);
  visit("broken", card.broken);
  visit("oversize", card.oversize);
  visit("askedDiffered", card.asked_differed);
  visit("adopted", card.adopted);
  visit("late", card.late);
  visit("tried", card.tried);
  visit("ready", card.ready);
  visit("admitted", card.admitted);
  visit("approved", card.approved);
  visit("askedPolled", card.asked_polled);
  visit("edited", card.edited);
  visit("askedAt", card.asked_at);
  visit("detached", card.detached);
  visit("runningSince", card.running_since);
  visit("startedAt", card.started_at);
  visit("endedAt", card.ended_at);
  visit("progress", card.progress);
  visit("reason", card.reason);
  visit("output", card.output);
  visit("outputBytes", card.output_bytes);
  visit("outputIsJson", card.output_is_json);
  visit("parts", card.parts);
  visit("failed", card.failed);
  visit("error", card.error);
  visit("told", card.told);
  visit("hasOutput", card.has_output);
  visit("hasTold", card.has_told);
  visit("dropped", card.dropped);
  visit("dirty", card.dirty);
}

template <class AnyRound, class Visit>
void each_field(AnyRound &round, const Visit &visit) requires std::is_same_v<std::remove_const_t<AnyRound>, Round> {
  visit("raw", round.raw);
  visit("members", round.members);
  visit("textCalls", round.text_calls);
  for (const TokenKind &kind : kTokenKinds) visit(kind.name, round.usage.*kind.count);
  visit("model", round.model);
  visit("startedAt", round.started_at);
  visit("endedAt", round.ended_at);
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

void save_card(const Card &card, std::string &out) {
  ObjectWriter object(out);
  const Saver save{object};
  save("state", card.state());
  save("policy", card.policy);
  if (card.tool != nullptr) save("definition", card.tool->definition_hash);
  each_field(card, save);
  if (!card.near.empty())
    write_list(object.value("near"), card.near, [&](const std::string &name) { append_json_string(out, name); });
  std::string &records = object.value("approvals");
  records += '[';
  for (const ApprovalRecord &record : card.approvals) {
    if (records.back() != '[') records += ',';
    ObjectWriter entry(records);
    entry.text("stage", record.stage).text("decision", record.decision).text("by", record.by);
    if (!record.remember.empty()) entry.text("remember", record.remember);
    Saver{entry}("reason", record.reason);
    Saver{entry}("at", record.at);
    entry.close();
  }
  records += ']';
  object.close();
}

Status load_card(const SavedReader &saved, Card &card) {
  card.restore(saved_enum(saved, "state", CardState::streaming, CardState::unknown));
  card.policy = saved_enum(saved, "policy", card.policy, ExecutionApproval::ask_always);
  each_field(card, Loader{saved});
  for (JsonSlices names(saved.nested("near")); names.next();)
    if (json_kind(names.value()) == '"') card.near.push_back(json_text(names.value()));
  for (JsonSlices records(saved.nested("approvals")); records.next();) {
    const SavedReader entry(records.value());
    ApprovalRecord &record = card.approvals.emplace_back();
    record.stage = one_of(kRecordWords, text_of(entry, "stage"));
    record.decision = one_of(kRecordWords, text_of(entry, "decision"));
    record.by = one_of(kRecordWords, text_of(entry, "by"));
    record.remember = one_of(kRecordWords, text_of(entry, "remember"));
    entry.text("reason", record.reason);
    entry.get("at", record.at);
    if (Status status = entry.fits(); !status.ok())
      return std::move(status).inside(place("approvals", card.approvals.size() - 1));
  }
  return saved.fits();
}

void save_counts(const std::map<std::string, uint32_t> &counts, std::string &out) {
  ObjectWriter object(out);
  for (const auto &[key, count] : counts) object.number(key, count);
  object.close();
}

// By digests, which are hexadecimal.
Status load_counts(const SavedReader &saved, std::string_view key, std::map<std::string, uint32_t> &counts) {
  const std::string_view object = saved.nested(key);
  const SavedReader members(object);
  for (JsonSlices member(object); members.fits().ok() && member.next();) {
    const std::string digest = member.key_text();
    if (digest.empty() || digest.find_first_not_of("0123456789abcdef") != digest.npos)
      return error(Code::json, "expected counts by digest", std::string(key));
    members.get(digest, counts[digest]);
  }
  return Status(members.fits()).inside(key);
}

}  // namespace

template <class AnyTurn, class Visit>
void Turn::each_field(AnyTurn &turn, const Visit &visit) {
  visit("now", turn.now_);
  visit("done", turn.done_);
  visit("fellBack", turn.fell_back_);
  visit("usageRefused", turn.usage_refused_);
  visit("finalAnswer", turn.final_answer_);
  visit("limitHit", turn.limit_hit_);
  visit("endedOnFire", turn.ended_on_fire_);
  visit("malformedRounds", turn.malformed_rounds_);
  visit("callsRun", turn.calls_run_);
  visit("firstCard", turn.first_card_);
  for (const TokenKind &kind : kTokenKinds) visit(saved_name("forgotten", kind), turn.message_.forgotten.*kind.count);
}

template <class AnyAnswer, class Visit>
void Turn::each_answer_field(AnyAnswer &answer, const Visit &visit) {
  visit("closedToBytes", answer.closed_to_bytes);
  visit("bytesSeen", answer.bytes_seen);
  visit("responded", answer.responded);
  visit("shown", answer.shown);
  visit("ended", answer.ended);
  visit("lastWord", answer.last_word);
  visit("late", answer.late);
  visit("calls", answer.calls);
  visit("textBytes", answer.text_bytes);
  visit("thoughtBytes", answer.thought_bytes);
  visit("waitingSince", answer.waiting_since);
}

// ---- save ----

void Turn::state(std::string &out) const {
  ObjectWriter object(out);
  object.number("format", kFormat).raw("turn", document_);
  each_field(*this, Saver{object});
  if (!message_.outcome.empty()) object.text("outcome", message_.outcome);
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
    entry.number("finish", static_cast<int64_t>(round.finish));
    sluice::each_field(round, Saver{entry});
    entry.close();
  });
  write_list(object.value("blocks"), message_.blocks, [&](const Block &block) {
    ObjectWriter entry(out);
    entry.number("kind", static_cast<int64_t>(block.kind)).number("round", block.round);
    Saver{entry}("text", block.text);
    if (block.mark != Block::Mark::none) entry.number("mark", static_cast<int64_t>(block.mark));
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
  each_answer_field(answer_, Saver{object});
  if (answer_.error) save_error(*answer_.error, object.value("error"));
  object.value("slots");
  write_calls(answer_.slots);
  object.value("openCalls");
  write_calls(answer_.open_calls);
  object.number("textCall", number_of(answer_.text_call));
  const auto write_protocols = [&](const Protocols &protocols) {
    write_list(out, protocols, [&](const auto &protocol) { out += config_.protocol_texts.at(protocol.get()); });
  };
  object.value("protocols");
  write_protocols(answer_.parsed);
  object.value("watched");
  write_protocols(answer_.watched);
  object.boolean("startsInReasoning", answer_.options.starts_in_reasoning);
  object.boolean("callsInReasoning", answer_.options.calls_in_reasoning);
  answer_.reader->save(object.value("reader"));
  answer_.scanner->save(object.value("scanner"));
  if (answer_.watcher) answer_.watcher->save(object.value("watcher"));
  if (answer_.thoughts) answer_.thoughts->save(object.value("thoughts"));
  object.close();
}

// Scanners of 0.1.0 saved a marker as its number in this list, in which some formats have the tools' names.
std::string Turn::markers_of(const Protocols &protocols) const {
  std::string all;
  for (const auto &protocol : protocols) {
    all.append(protocol->id()).append(1, '\0');
    for (const Marker &marker : protocol->openers(engine_->registry)) all.append(marker.bytes).append(1, '\0');
  }
  return all.empty() ? all : sha256_hex(all);
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
  if (Status status = turn->load_log(saved); !status.ok()) return status;
  if (Status status = turn->check_log(); !status.ok()) return status;
  if (const std::string_view answer = saved.nested("answer"); !answer.empty()) {
    if (turn->message_.rounds.empty()) return error(Code::json, "expected the round of the open answer", "rounds");
    if (turn->done_) return error(Code::json, "expected no open answer: the turn is done", "answer");
    if (Status status = turn->load_answer(SavedReader(answer)); !status.ok()) return std::move(status).inside("answer");
  }
  const EventQueue::About about{turn->message_.cards.size(), turn->message_.blocks.size(), turn->done_};
  if (Status status = turn->events_.load(saved.nested("events"), about); !status.ok())
    return std::move(status).inside("events");
  if (Status status = saved.fits(); !status.ok()) return status;
  if (Status status = turn->check_open(); !status.ok()) return status;
  turn->resume();
  out = std::move(turn);
  return {};
}

Status Turn::load_log(const SavedReader &saved) {
  each_field(*this, Loader{saved});
  in_bounds(now_);
  if (fell_back_) config_.mode = Mode::text;
  message_.outcome = one_of(kOutcomes, text_of(saved, "outcome"));
  if (Status status = load_counts(saved, "repeats", repeats_); !status.ok()) return status;
  if (Status status = load_counts(saved, "repeatsNow", repeats_now_); !status.ok()) return status;
  for (JsonSlices grants(saved.nested("grants")); grants.next();)
    if (Rule rule; read_rule(grants.value(), rule).ok()) config_.rules.push_back(std::move(rule));
  for (JsonSlices rounds(saved.nested("rounds")); rounds.next();) {
    const SavedReader entry(rounds.value());
    Round &round = message_.rounds.emplace_back();
    round.finish = saved_enum(entry, "finish", Finish::none, Finish::pause);
    sluice::each_field(round, Loader{entry});
    if (Status status = entry.fits(); !status.ok())
      return std::move(status).inside(place("rounds", message_.rounds.size() - 1));
  }
  if (!message_.rounds.empty()) {  // as version 0.1 saved them: of all rounds together
    saved.get("inputTokens", message_.rounds.front().usage.input_tokens);
    saved.get("outputTokens", message_.rounds.front().usage.output_tokens);
  }
  const auto within = [](Usage &usage) {
    for (const TokenKind &kind : kTokenKinds)
      usage.*kind.count = std::clamp<int64_t>(usage.*kind.count, -1, kMostNumber);
  };
  within(message_.forgotten);
  for (Round &round : message_.rounds) {
    for (auto *time : {&round.started_at, &round.ended_at}) in_bounds(*time);
    within(round.usage);
  }
  for (JsonSlices cards(saved.nested("cards")); cards.next();) {
    const SavedReader entry(cards.value());
    auto card = std::make_unique<Card>();
    card->call = static_cast<uint32_t>(message_.cards.size() + 1);
    const std::string definition = text_of(entry, "definition");
    if (Status status = load_card(entry, *card); !status.ok())
      return std::move(status).inside(place("cards", message_.cards.size()));
    if (!card->resolved.empty()) card->tool = engine_->registry.find(card->resolved);
    card->definition_changed =
        card->tool != nullptr && card->tool->definition_hash != definition && card->tool->former_hash != definition;
    for (auto *time : {&card->asked_at, &card->running_since, &card->started_at, &card->ended_at}) in_bounds(*time);
    const bool own = card->adopted || used_ids_.insert(card->history_id).second;
    if (card->history_id.empty() || !own)
      return error(Code::json, "expected an id of its own", place("cards", message_.cards.size()) + ".historyId");
    message_.cards.push_back(std::move(card));
  }
  for (JsonSlices blocks(saved.nested("blocks")); blocks.next();) {
    const SavedReader entry(blocks.value());
    Block &block = message_.blocks.emplace_back();
    block.kind = saved_enum(entry, "kind", Block::Kind::text, Block::Kind::error);
    block.mark = saved_enum(entry, "mark", Block::Mark::none, Block::Mark::fabricated);
    entry.get("round", block.round);
    entry.text("text", block.text);
    entry.get("card", block.card);
    Status status = entry.fits();
    if (block.kind == Block::Kind::error && status.ok())
      status = load_error(entry.nested("error"), block.error).inside("error");
    if (!status.ok()) return std::move(status).inside(place("blocks", message_.blocks.size() - 1));
  }
  first_card_ = std::min(first_card_, message_.cards.size());
  for (size_t i = first_card_; i < message_.cards.size(); ++i)
    if (!message_.cards[i]->final()) open_.add(message_.cards[i]->call, message_.cards[i]->state());
  return saved.fits();
}

// What the rest of the turn takes for granted: links lead somewhere, and what is JSON is JSON.
Status Turn::check_log() const {
  const auto is_json = [](std::string_view text, char kind) {
    return text.empty() || (check_json(text, kStateDepth).ok() && json_kind(text) == kind);
  };
  for (size_t i = 0; i < message_.rounds.size(); ++i)
    if (!is_json(message_.rounds[i].members, '{'))
      return error(Code::json, "expected an object", place("rounds", i) + ".members");
  if (done_ == message_.outcome.empty()) return error(Code::json, "expected an outcome where done is true", "outcome");
  uint32_t round = 0;
  for (size_t i = 0; i < message_.blocks.size(); ++i) {
    const Block &block = message_.blocks[i];
    if (block.round < std::exchange(round, block.round) || round > message_.rounds.size())
      return error(Code::json, "expected a round that there is, in order", place("blocks", i) + ".round");
    if (block.kind != Block::Kind::tool_use) continue;
    if (block.card >= message_.cards.size() || message_.cards[block.card]->block != i)
      return error(Code::json, "expected the card of this block", place("blocks", i) + ".card");
  }
  for (size_t i = 0; i < message_.cards.size(); ++i) {
    const Card &card = *message_.cards[i];
    const auto wrong = [&](std::string_view member, std::string_view expected) {
      return error(Code::json, "expected " + std::string(expected), place("cards", i) + "." + std::string(member));
    };
    if (card.block >= message_.blocks.size() || message_.blocks[card.block].kind != Block::Kind::tool_use ||
        message_.blocks[card.block].card != i)
      return wrong("block", "the block of this card");
    if (card.round != message_.blocks[card.block].round || card.adopted != (card.round == 0))
      return wrong("round", "the round of its block");
    if (card.approved && !card.admitted) return wrong("approved", "false: it has not passed the gate");
    if (!card.final() && (i < first_card_ || (done_ && !parser_ && message_.outcome != "awaiting_user")))
      return wrong("state", "a final state: its round is over");
    const bool complete = card.state() != CardState::streaming && !card.final();
    if (!is_json(card.arguments, '{') || (complete && card.arguments.empty())) return wrong("arguments", "an object");
    if (card.source == "native" && !card.arguments.empty() && json_kind(card.raw_arguments) == '{' &&
        !is_json(card.raw_arguments, '{'))
      return wrong("rawArguments", "an object: they go back as they came");
    if (card.edited && (card.edited->empty() || !is_json(*card.edited, '{'))) return wrong("edited", "an object");
    if (!is_json(card.members, '{')) return wrong("members", "an object");
    if (!is_json(card.reserved, '{')) return wrong("reserved", "an object");
    if (!is_json(card.parts, '[')) return wrong("parts", "an array");
    for (JsonSlices parts(card.parts); parts.next();) {
      const auto is_text = [&](std::string_view key) {
        const auto value = json_member(parts.value(), key);
        return value && json_kind(*value) == '"';
      };
      if (!is_text("type") || (!is_text("text") && !is_text("url") && !(is_text("mediaType") && is_text("data"))))
        return wrong("parts", "content parts");
    }
    if (parser_ && complete && card.state() != CardState::pending) return wrong("state", "a state that a parser has");
  }
  return {};
}

Status Turn::load_answer(const SavedReader &saved) {
  open_answer();
  if (const std::string_view parsed = saved.nested("protocols"); !parsed.empty()) {
    ScanOptions options = answer_.options;
    saved.get("startsInReasoning", options.starts_in_reasoning);
    saved.get("callsInReasoning", options.calls_in_reasoning);
    Protocols active, watched;
    if (Status status = read_saved_protocols(parsed, config_, active); !status.ok())
      return std::move(status).inside("protocols");
    if (Status status = read_saved_protocols(saved.nested("watched"), config_, watched); !status.ok())
      return std::move(status).inside("watched");
    const std::string numbered = text_of(saved, "markers"), watched_numbered = text_of(saved, "watchedMarkers");
    if ((!numbered.empty() && numbered != markers_of(active)) ||
        (!watched_numbered.empty() && watched_numbered != markers_of(watched)))
      return error(Code::json, "the open answer was read with other markers: of other tools, or by another version",
                   "protocols");
    read_with(std::move(active), std::move(watched), options);
  }
  each_answer_field(answer_, Loader{saved});
  in_bounds(answer_.waiting_since);
  Finish &finish = message_.rounds.back().finish;
  finish = saved_enum(saved, "finish", finish, Finish::pause);  // as version 0.1 saved it
  if (const std::string_view error = saved.nested("error"); !error.empty())
    if (Status status = load_error(error, answer_.error.emplace()); !status.ok())
      return std::move(status).inside("error");
  const auto load_calls = [&](std::string_view list, std::vector<Card *> &cards) {
    for (JsonSlices calls(saved.nested(list)); calls.next();) {
      uint32_t call = 0;
      if (!read_integer(trim_json(calls.value()), call) || call > message_.cards.size())
        return error(Code::json, "expected the number of a call", place(list, cards.size()));
      cards.push_back(find_card(call));
    }
    return Status();
  };
  if (Status status = load_calls("slots", answer_.slots); !status.ok()) return status;
  if (Status status = load_calls("openCalls", answer_.open_calls); !status.ok()) return status;
  const auto writes = [](const Card *card, bool native) {
    return card != nullptr && card->state() == CardState::streaming && (card->source == "native") == native;
  };
  std::erase_if(answer_.open_calls, [&](const Card *card) { return !writes(card, true); });
  uint32_t text_call = 0;
  saved.get("textCall", text_call);
  answer_.text_call = writes(find_card(text_call), false) ? find_card(text_call) : nullptr;
  answer_.reader->load(saved.nested("reader"));
  for (const std::string_view name : {"scanner", "watcher", "thoughts"})
    if (Status status = check_saved_scanner(saved.nested(name)); !status.ok())
      return std::move(status).inside(std::string(name));
  answer_.scanner->load(saved.nested("scanner"));
  if (answer_.watcher) answer_.watcher->load(saved.nested("watcher"));
  if (answer_.thoughts) answer_.thoughts->load(saved.nested("thoughts"));
  if (!parser_) request_ = std::make_shared<const std::string>(build_request());
  return saved.fits();
}

// What is open is open everywhere: a call that is written has an answer that writes it, and what waits to be polled is
// about something that still stands.
Status Turn::check_open() const {
  using Kind = EventQueue::Kind;
  if (events_.waits(Kind::request, 0) && !answer_.open)
    return error(Code::json, "expected the answer that the waiting request is for", "answer");
  for (const auto &card : message_.cards) {
    const auto &open = answer_.open_calls;
    const bool written =
        card.get() == answer_.text_call || std::find(open.begin(), open.end(), card.get()) != open.end();
    if (card->state() == CardState::streaming && !written)
      return error(Code::json, "expected the open answer that writes this call",
                   place("cards", card->call - 1) + ".state");
  }
  return {};
}

void Turn::resume() {
  if (parser_) return;
  bool held = false;
  for (const auto &card : message_.cards) held = hold_back(*card) || held;
  if (done_) return;
  if (held && events_.waits(EventQueue::Kind::request, 0))
    request_ = std::make_shared<const std::string>(build_request());   // it tells what became of them
  if (events_.withdraw(EventQueue::Kind::request, 0)) emit_request();  // of this engine's tools
  for (const auto &card : message_.cards)
    if (card->admitted && !card->final()) card->spell();
  // Calls that have not started pass the gate again, and count again where they do.
  for (const auto &card : message_.cards)
    if (not_started(*card) && !card->fire_and_forget() && calls_run_ > 0) --calls_run_;
  for (const auto &card : message_.cards) resume_card(*card);
  pump();
  advance();
}

// It passed the gate, or waits at it, and nobody has seen it run.
bool Turn::not_started(const Card &card) const {
  return card.state() == CardState::awaiting_approval || (card.state() == CardState::pending && card.admitted) ||
         (card.state() == CardState::executing && events_.waits(EventQueue::Kind::execute, card.call));
}

// May the call go on as it was decided? Not where its tool is another one, or where this engine's gate asks or refuses
// more than the one that decided.
bool Turn::stands(const Card &card) const { return !beyond_rounds() && allowed_as_before(card); }

bool Turn::allowed_as_before(const Card &card) const {
  if (card.tool == nullptr || card.definition_changed || !hidden_reason(*card.tool, config_.exposure).empty())
    return false;
  std::string checked;
  if (ArgumentFault fault; !fits(card, checked, fault)) return false;
  if (checked != card.effective_arguments() && canonical_json(checked) != card.canonical_arguments()) return false;
  const Gate gate = execution_gate(*card.tool, card.canonical_arguments(), config_.rules, config_.confirm_all);
  if (gate.way == Gate::Way::run) return true;
  if (gate.way == Gate::Way::deny || gate.policy > card.policy) return false;
  if (card.state() == CardState::awaiting_approval) return true;
  const auto by_person = [](const ApprovalRecord &record) {
    return record.stage == "execution" && record.decision == "approved" && record.by == "user";
  };
  return std::any_of(card.approvals.begin(), card.approvals.end(), by_person);
}

// A message to a window that nobody has polled is not sent where its call may not go on. The card has ended, so it
// keeps its state, and its output says what became of it; a turn that is done has told all of its cards already. true:
// history has changed.
bool Turn::hold_back(Card &card) {
  if (!events_.waits(EventQueue::Kind::ipc, card.call)) return false;
  card.spell();
  const bool stays = allowed_as_before(card);
  release_text(card.canonical);
  if (stays) return false;
  events_.withdraw(EventQueue::Kind::ipc, card.call);
  if (done_) return false;
  card.output = card.told = "Not sent: the turn was restored where this call is not allowed as it was.";
  card.output_bytes = card.output.size();
  card.dirty |= field::output | field::told;
  diagnostic("ipc_withdrawn", card.output, card.call);
  tell(card);
  return true;
}

// The arguments of a call that waits, as its tool takes them now. false: it does not, and the call is settled.
bool Turn::take_checked(Card &card) {
  std::string checked;
  if (ArgumentFault fault; !fits(card, checked, fault)) {
    spoil(card, "schema", fault.pointer + ": " + fault.message);
    return false;
  }
  if (checked == card.effective_arguments()) return true;
  if (card.edited)
    card.edited = std::move(checked);
  else
    card.arguments = SharedText(std::move(checked));
  card.dirty |= card.edited ? field::edited : field::arguments;
  return true;
}

// Back to the gate, the whole of it. Whatever it lets pass is asked about, by the stricter policy of then and now.
void Turn::send_back(Card &card) {
  events_.withdraw(EventQueue::Kind::approval, card.call);
  events_.withdraw(EventQueue::Kind::execute, card.call);
  if (card.state() != CardState::pending) move(card, Trigger::recall);
  card.admitted = true;
  card.approved = false;
  if (card.tool == nullptr) {
    card.error = "There is no tool \"" + std::string(card.name()) + "\" any more.";
    card.dirty |= field::error;
    return settle(card, Trigger::miss, "not_found", card.error);
  }
  if (!take_checked(card)) return;
  const std::optional<Gate> gate = judge(card);
  if (!gate) return;
  card.policy = std::max(card.policy, gate->policy);
  ask(card);
}

void Turn::resume_card(Card &card) {
  using Kind = EventQueue::Kind;
  if (card.state() != CardState::executing) events_.withdraw(Kind::execute, card.call);
  if (card.state() != CardState::awaiting_approval && card.state() != CardState::awaiting_result_approval)
    events_.withdraw(Kind::approval, card.call);
  if (not_started(card)) {
    if (!stands(card) || !broken_limit(card).empty()) return send_back(card);
    calls_run_ += !card.fire_and_forget();
    if (card.state() == CardState::awaiting_approval && !events_.waits(Kind::approval, card.call)) ask_event(card);
    return;
  }
  switch (card.state()) {
    case CardState::pending:  // it has the gate before it, but its arguments were checked against what the tool was
      if (card.tool != nullptr) take_checked(card);
      break;
    case CardState::awaiting_result_approval:
      if (!events_.waits(Kind::approval, card.call)) release_event(card);
      break;
    case CardState::executing:
      if (stands(card) && card.tool->idempotent) {
        card.running_since = now_;
        execute_event(card);
      } else {
        settle(card, Trigger::lose, "turn_ended",
               "This call was interrupted while it ran: it may or may not have taken effect.");
      }
      break;
    default: break;
  }
}

}  // namespace sluice
