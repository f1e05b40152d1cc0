// Saves and restores the log: rounds, blocks, cards, and the events that wait to be polled.
#include <algorithm>
#include <array>
#include <utility>

#include "turn/log.h"
#include "turn/saved_fields.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 5> kOutcomes = {"completed", "cancelled", "failed", "limit", "awaiting_user"};
constexpr std::array<std::string_view, 13> kRecordWords = {"execution", "result", "approved", "denied", "expired",
                                                           "user",      "rule",   "policy",   "once",   "turn",
                                                           "session",   "always", "cancelled"};

// The constant for a word that was saved as text; empty: an unknown word.
template <size_t N>
std::string_view one_of(const std::array<std::string_view, N> &words, std::string_view word) {
  for (const std::string_view known : words)
    if (known == word) return known;
  return {};
}

// Limits saved token counts to values that can be added up.
void in_bounds(Usage &usage) {
  for (const TokenKind &kind : kTokenKinds)
    usage.*kind.count = std::clamp<int64_t>(usage.*kind.count, -1, kMostTokens - 1);
}

bool is_json(std::string_view text, char kind) {
  return text.empty() || (check_json(text, kStateDepth).ok() && json_kind(text) == kind);
}

bool has_text(std::string_view object, std::string_view key) {
  const auto value = json_member(object, key);
  return value && json_kind(*value) == '"';
}

bool is_parts(std::string_view array) {
  if (!is_json(array, '[')) return false;
  for (JsonSlices parts(array); parts.next();) {
    const std::string_view part = parts.value();
    const bool whole = has_text(part, "text") || has_text(part, "url") ||
                       (has_text(part, "mediaType") && has_text(part, "data")) ||
                       json_member_text(part, "type") == "file";
    if (!has_text(part, "type") || !whole) return false;
  }
  return true;
}

// ---- cards ----

// A state is saved as an index into this list, which holds the states that hosts see. `ready`, `admitted` and
// `approved` are saved beside it, and say how far the call had passed the gate.
constexpr std::array<CardState, 15> kSavedStates = {CardState::streaming,
                                                    CardState::pending,
                                                    CardState::awaiting_approval,
                                                    CardState::executing,
                                                    CardState::awaiting_result_approval,
                                                    CardState::success,
                                                    CardState::error,
                                                    CardState::denied,
                                                    CardState::result_rejected,
                                                    CardState::not_found,
                                                    CardState::invalid,
                                                    CardState::timeout,
                                                    CardState::expired,
                                                    CardState::cancelled,
                                                    CardState::unknown};

void save_card_state(CardState state, const Saver &save) {
  size_t place = 0;
  while (status_text(kSavedStates[place]) != status_text(state)) ++place;
  save("state", place);
  save("ready", state >= CardState::ready);
  save("admitted", state >= CardState::awaiting_approval);
  save("approved", state >= CardState::approved);
}

Status load_card_state(const SavedReader &saved, CardState &state) {
  uint32_t place = 0;
  saved.get("state", place);
  state = kSavedStates[std::min<size_t>(place, kSavedStates.size() - 1)];
  const bool ready = saved_flag(saved, "ready"), admitted = saved_flag(saved, "admitted");
  const bool approved = saved_flag(saved, "approved");
  if (approved && !admitted) return error(Code::json, "expected false: it has not passed the gate", "approved");
  if (state == CardState::pending && (ready || admitted)) state = approved ? CardState::approved : CardState::ready;
  return {};
}

// Of a call that nobody has judged yet: what its tool asks for.
ExecutionApproval policy_of(const Card &card) {
  if (card.tool == nullptr || card.state() >= CardState::awaiting_approval) return card.policy;
  return card.definition_changed ? std::max(card.policy, card.tool->execution) : card.tool->execution;
}

void save_card(const Card &card, std::string &out) {
  ObjectWriter object(out);
  const Saver save{object};
  save_card_state(card.state(), save);
  save("policy", policy_of(card));
  if (card.tool != nullptr && !card.definition_changed)  // without one it counts as changed again
    save("definition", card.tool->definition_hash);
  Card::each_field(card, save);
  if (!card.near().empty())
    write_list(object.value("suggestions"), card.near(),
               [&](const std::string &name) { append_json_string(out, name); });
  write_list(object.value("approvals"), card.approvals(), [&](const ApprovalRecord &record) {
    ObjectWriter entry(out);
    entry.text("stage", record.stage).text("decision", record.decision).text("by", record.by);
    if (!record.remember.empty()) entry.text("remember", record.remember);
    Saver{entry}("reason", record.reason);
    Saver{entry}("at", record.at);
    entry.close();
  });
  object.close();
}

Status load_approvals(std::string_view list, std::vector<ApprovalRecord> &out) {
  for (JsonSlices records(list); records.next();) {
    const SavedReader entry(records.value());
    ApprovalRecord &record = out.emplace_back();
    record.stage = one_of(kRecordWords, text_of(entry, "stage"));
    record.decision = one_of(kRecordWords, text_of(entry, "decision"));
    record.by = one_of(kRecordWords, text_of(entry, "by"));
    record.remember = one_of(kRecordWords, text_of(entry, "remember"));
    entry.text("reason", record.reason);
    entry.get("at", record.at);
    if (Status status = entry.fits(); !status.ok()) return std::move(status).inside(place("approvals", out.size() - 1));
  }
  return {};
}

Status load_card(const SavedReader &saved, const Registry &registry, Card &card) {
  CardState state = CardState::streaming;
  if (Status status = load_card_state(saved, state); !status.ok()) return status;
  card.policy = saved_enum(saved, "policy", card.policy, ExecutionApproval::ask_always);
  Card::each_field(card, Loader{saved});
  std::vector<std::string> near;
  for (JsonSlices names(saved.nested("suggestions")); names.next();)
    if (json_kind(names.value()) == '"') near.push_back(json_text(names.value()));
  std::vector<ApprovalRecord> approvals;
  if (Status status = load_approvals(saved.nested("approvals"), approvals); !status.ok()) return status;
  const std::string definition = text_of(saved, "definition");
  card.tool = registry.named(card.resolved());  // an alias of another tool is not what was shown
  card.definition_changed = card.tool != nullptr && card.tool->definition_hash != definition;
  card.restore(state, std::move(approvals), std::move(near));
  return saved.fits();
}

}  // namespace

namespace {

void save_sources(const std::vector<Source> &sources, ObjectWriter &object) {
  if (sources.empty()) return;
  std::string &out = object.value("sources");
  write_list(out, sources, [&](const Source &source) {
    ObjectWriter entry(out);
    entry.number("kind", static_cast<int64_t>(source.kind)).number("unit", static_cast<int64_t>(source.unit));
    const Saver save{entry};
    save("url", source.url);
    save("title", source.title);
    save("id", source.id);
    save("cited", source.cited);
    entry.number("start", source.start).number("end", source.end).close();
  });
}

void load_sources(const SavedReader &saved, std::vector<Source> &out) {
  for (JsonSlices sources(saved.nested("sources")); sources.next();) {
    const SavedReader entry(sources.value());
    Source &source = out.emplace_back();
    source.kind = saved_enum(entry, "kind", source.kind, Source::Kind::map);
    source.unit = saved_enum(entry, "unit", source.unit, Source::Unit::bytes);
    entry.text("url", source.url);
    entry.text("title", source.title);
    entry.text("id", source.id);
    entry.text("cited", source.cited);
    entry.get("start", source.start);
    entry.get("end", source.end);
  }
}

}  // namespace

// ---- save ----

void Log::save(ObjectWriter &object) const {
  each_field(*this, Saver{object});
  object.boolean("done", done());
  if (done()) object.text("outcome", message_.outcome);
  if (!message_.fallback.empty()) object.text("fallback", message_.fallback);
  if (!message_.fallback.empty()) object.number("fallbackRound", static_cast<int64_t>(message_.fallback_round));
  std::string &out = object.value("rounds");
  write_list(out, message_.rounds, [&](const Round &round) {
    ObjectWriter entry(out);
    entry.number("finish", static_cast<int64_t>(round.finish));
    Round::each_field(round, Saver{entry});
    save_sources(round.sources, entry);
    if (!round.hidden.empty())
      write_list(entry.value("hidden"), round.hidden, [&](const HiddenTag &tag) {
        ObjectWriter place(out);
        place.number("block", static_cast<int64_t>(tag.block)).number("offset", static_cast<int64_t>(tag.offset));
        place.text("text", tag.text).close();
      });
    entry.close();
  });
  write_list(object.value("blocks"), message_.blocks, [&](const Block &block) {
    ObjectWriter entry(out);
    entry.number("kind", static_cast<int64_t>(block.kind)).number("round", block.round);
    Saver{entry}("text", block.text);
    if (block.mark != Block::Mark::none) entry.number("mark", static_cast<int64_t>(block.mark));
    if (block.apart) entry.boolean("apart", true);
    if (block.repeated) entry.boolean("repeated", true);
    save_sources(block.sources, entry);
    if (block.told_text != 0) entry.number("toldText", static_cast<int64_t>(block.told_text));
    if (block.kind == Block::Kind::tool_use) entry.number("card", static_cast<int64_t>(block.card));
    if (block.kind == Block::Kind::error) save_error(block.error, entry.value("error"));
    entry.close();
  });
  write_list(object.value("cards"), message_.cards, [&](const auto &card) { save_card(*card, out); });
}

// ---- restore ----

Status Log::load(const SavedReader &saved) {
  each_field(*this, Loader{saved});
  in_bounds(message_.forgotten);
  message_.outcome = one_of(kOutcomes, text_of(saved, "outcome"));
  message_.fallback = text_of(saved, "fallback");
  saved.get("fallbackRound", message_.fallback_round);
  if (Status status = load_rounds(saved); !status.ok()) return status;
  if (message_.fallback_round > message_.rounds.size() || (message_.fallback_round == 0) != message_.fallback.empty())
    return error(Code::json, "expected the number of a round beside fallback", "fallbackRound");
  if (Status status = load_cards(saved); !status.ok()) return status;
  if (Status status = load_blocks(saved); !status.ok()) return status;
  first_card_ = std::min(first_card_, message_.cards.size());
  for (const auto &card : message_.cards) {
    if (card->final()) continue;
    if (card->is_provided())
      provided_.insert(card->call);
    else if (card->call > first_card_)
      open_.add(*card);
  }
  if (saved_flag(saved, "done") != done())
    return error(Code::json, "expected an outcome where done is true", "outcome");
  return {};
}

Status Log::load_rounds(const SavedReader &saved) {
  for (JsonSlices rounds(saved.nested("rounds")); rounds.next();) {
    const SavedReader entry(rounds.value());
    Round &round = message_.rounds.emplace_back();
    round.finish = saved_enum(entry, "finish", Finish::none, Finish::failed);
    Round::each_field(round, Loader{entry});
    load_sources(entry, round.sources);
    for (JsonSlices tags(entry.nested("hidden")); tags.next();) {
      const SavedReader place(tags.value());
      HiddenTag &tag = round.hidden.emplace_back();
      place.get("block", tag.block);
      place.get("offset", tag.offset);
      place.text("text", tag.text);
    }
    if (Status status = entry.fits(); !status.ok())
      return std::move(status).inside(place("rounds", message_.rounds.size() - 1));
  }
  for (Round &round : message_.rounds) in_bounds(round.usage);
  return {};
}

Status Log::load_cards(const SavedReader &saved) {
  for (JsonSlices cards(saved.nested("cards")); cards.next();) {
    const std::string at = place("cards", message_.cards.size());
    auto card = std::make_unique<Card>();
    card->call = static_cast<uint32_t>(message_.cards.size() + 1);
    const SavedReader entry(cards.value());
    if (Status status = load_card(entry, setup_.registry(), *card); !status.ok()) return std::move(status).inside(at);
    if (Status status = join_caller(*card); !status.ok()) return std::move(status).inside(at);
    const bool without = card->adopted || card->is_nested();
    if (!without && (card->history_id.empty() || !used_ids_.insert(card->history_id).second))
      return error(Code::json, "expected an id of its own", at + ".historyId");
    message_.cards.push_back(std::move(card));
  }
  return {};
}

// Counts a nested call at those above it.
Status Log::join_caller(Card &card) {
  if (!card.is_nested()) return {};
  Card *const caller = find(card.caller);
  if (caller == nullptr) return error(Code::json, "expected an earlier call", "caller");
  card.claimed = false;
  caller->nested = std::max(caller->nested, card.ordinal);
  ++caller->unclaimed;
  size_t depth = 0;
  for (Card *above = caller; above != nullptr; above = find(above->caller), ++depth)
    if (asks_person(card.state())) ++above->questions;
  if (depth > setup_.config.limits.nested)
    return error(Code::json, "expected at most limits.nested above it", "caller");
  return {};
}

Status Log::load_blocks(const SavedReader &saved) {
  for (JsonSlices blocks(saved.nested("blocks")); blocks.next();) {
    const SavedReader entry(blocks.value());
    Block &block = message_.blocks.emplace_back();
    block.kind = saved_enum(entry, "kind", Block::Kind::text, Block::Kind::media);
    block.mark = saved_enum(entry, "mark", Block::Mark::none, Block::Mark::final_answer);
    entry.get("round", block.round);
    entry.text("text", block.text);
    entry.get("card", block.card);
    entry.get("apart", block.apart);
    entry.get("repeated", block.repeated);
    load_sources(entry, block.sources);
    entry.get("toldText", block.told_text);
    Status status = entry.fits();
    if (block.kind == Block::Kind::error && status.ok())
      status = load_error(entry.nested("error"), block.error).inside("error");
    if (!status.ok()) return std::move(status).inside(place("blocks", message_.blocks.size() - 1));
  }
  return {};
}

Status Log::load_events(std::string_view saved) {
  const auto arguments = [this](size_t call) -> std::string_view { return message_.cards[call - 1]->arguments(); };
  return events_.load(saved, {message_.cards.size(), message_.blocks.size(), done(), arguments});
}

// Checks what the rest of the turn relies on: indices are in range, and members that hold JSON are valid JSON.
Status Log::check() const {
  for (size_t i = 0; i < message_.rounds.size(); ++i) {
    if (!is_json(message_.rounds[i].native, '['))
      return error(Code::json, "expected an array", place("rounds", i) + ".native");
    if (!is_json(message_.rounds[i].beside, '{'))
      return error(Code::json, "expected an object", place("rounds", i) + ".beside");
  }
  if (Status status = check_blocks(); !status.ok()) return status;
  for (const auto &card : message_.cards)
    if (Status status = check_card(*card); !status.ok())
      return std::move(status).inside(place("cards", card->call - 1));
  return {};
}

Status Log::check_blocks() const {
  uint32_t round = 0;
  for (size_t i = 0; i < message_.blocks.size(); ++i) {
    const Block &block = message_.blocks[i];
    if (block.round < std::exchange(round, block.round) || round > message_.rounds.size())
      return error(Code::json, "expected a round that there is, in order", place("blocks", i) + ".round");
    if (block.kind == Block::Kind::media && (block.text.size() < 3 || !is_parts(block.text)))
      return error(Code::json, "expected content parts", place("blocks", i) + ".text");
    if (block.kind != Block::Kind::tool_use) continue;
    if (block.card >= message_.cards.size() || message_.cards[block.card]->block != i)
      return error(Code::json, "expected the card of this block", place("blocks", i) + ".card");
  }
  return {};
}

// Checks where the card is: its block, its round and its caller.
Status Log::check_place(const Card &card) const {
  const auto wrong = [](std::string_view member, std::string_view expected) {
    return error(Code::json, "expected " + std::string(expected), std::string(member));
  };
  if (card.is_nested()) {
    const Card &caller = *find(card.caller);
    if (card.block != caller.block) return wrong("block", "the block of its caller");
    if (card.round != caller.round || card.adopted) return wrong("round", "the round of its caller");
    if (card.source != kNested || caller.is_provided()) return wrong("source", "that of a nested call");
    if (!card.final() && caller.final()) return wrong("state", "a final state: its caller has ended");
    return {};
  }
  if (card.block >= message_.blocks.size() || message_.blocks[card.block].kind != Block::Kind::tool_use ||
      message_.blocks[card.block].card != card.call - 1)
    return wrong("block", "the block of this card");
  if (card.round != message_.blocks[card.block].round || card.adopted != (card.round == 0))
    return wrong("round", "the round of its block");
  return {};
}

Status Log::check_card(const Card &card) const {
  const size_t index = card.call - 1;
  const auto wrong = [](std::string_view member, std::string_view expected) {
    return error(Code::json, "expected " + std::string(expected), std::string(member));
  };
  if (Status status = check_place(card); !status.ok()) return status;
  const bool ended = done() && !setup_.parser && message_.outcome != "awaiting_user";
  if (card.is_provided() && !card.final() && card.state() != CardState::executing)
    return wrong("state", "a state of a call that the provider runs");
  if (!card.final() && ((index < first_card_ && !card.is_provided()) || ended))
    return wrong("state", "a final state: its round is over");
  const bool complete = card.state() != CardState::streaming && !card.final();
  if (!is_json(card.arguments(), '{') || (complete && card.arguments().empty() && !card.is_provided()))
    return wrong("arguments", "an object");
  if (card.source == "native" && !card.arguments().empty() && json_kind(card.raw_arguments) == '{' &&
      !is_json(card.raw_arguments, '{'))
    return wrong("rawArguments", "an object: they go back as they came");
  if (card.edited() && (card.edited()->empty() || !is_json(*card.edited(), '{')))
    return wrong("editedArguments", "an object");
  if (card.host_arguments() && !is_json(*card.host_arguments(), '{')) return wrong("hostArguments", "an object");
  if (card.resolved_arguments() && !is_json(*card.resolved_arguments(), '{'))
    return wrong("resolvedArguments", "an object");
  if (!is_json(card.reserved(), '{')) return wrong("protocolFields", "an object");
  if (!is_parts(card.parts())) return wrong("parts", "content parts");
  if (card.rewritten() &&
      (!is_json(*card.rewritten(), '{') || !has_text(*card.rewritten(), "text") || !is_parts(card.model_parts())))
    return wrong("hostOutput", "a text, and content parts");
  if (setup_.parser && !setup_.observes() && complete && !card.is_pending() && !card.is_provided())
    return wrong("state", "a state that a parser has");
  return {};
}

}  // namespace sluice
