#include "turn/message.h"

#include <algorithm>
#include <map>

#include "base/json_writer.h"

namespace sluice {

void add_text(const Block &block, std::string &text) {
  if (block.apart && !text.empty()) text += "\n\n";
  text += block.text;
}

namespace {

// The place behind so many characters or bytes of the text that was reached so far, in UTF-16 units. Places must not
// go back.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}
  // -1: the text is shorter.
  int64_t units_before(int64_t count, Source::Unit unit) {
    if (unit != unit_ || count < count_) *this = Places(text_, unit);
    while (count_ < count && at_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      const size_t size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
      units_ += size == 4 ? 2 : 1;
      count_ += unit == Source::Unit::bytes ? static_cast<int64_t>(size) : 1;
      at_ += size;
    }
    return count_ < count ? -1 : units_;
  }

 private:
  Places(std::string_view text, Source::Unit unit) : text_(text), unit_(unit) {}
  std::string_view text_;
  Source::Unit unit_ = Source::Unit::characters;
  size_t at_ = 0;
  int64_t count_ = 0, units_ = 0;
};

}  // namespace

void write_sources(const Block &block, std::string &out) {
  Places places(block.text);
  out += '[';
  for (const Source &source : block.sources) {
    if (&source != &block.sources.front()) out += ',';
    ObjectWriter object(out);
    object.text("kind", to_text(source.kind));
    if (!source.url.empty()) object.text("url", source.url);
    if (!source.title.empty()) object.text("title", source.title);
    if (!source.id.empty()) object.text("id", source.id);
    if (!source.cited.empty()) object.text("cited", source.cited);
    const int64_t start = source.start < 0 ? -1 : places.units_before(source.start, source.unit);
    const int64_t end = start < 0 ? -1 : places.units_before(source.end, source.unit);
    if (end >= 0) object.number("start", start).number("end", end);
    object.close();
  }
  out += ']';
}

bool places_grew(const Block &block) {
  if (block.told_text >= block.text.size()) return false;
  Places before(std::string_view(block.text).substr(0, block.told_text)), now(block.text);
  return std::any_of(block.sources.begin(), block.sources.end(), [&](const Source &source) {
    return source.end >= 0 && before.units_before(source.end, source.unit) < 0 &&
           now.units_before(source.end, source.unit) >= 0;
  });
}

void write_caller(const Card &card, std::string &out) {
  ObjectWriter(out).number("call", card.caller).text("name", card.caller_name).close();
}

std::string_view phase_word(Block::Mark mark) {
  if (mark == Block::Mark::commentary) return "commentary";
  return mark == Block::Mark::final_answer ? "final_answer" : "";
}

void write_error(const TurnError &error, std::string &out) {
  out += "\"code\":";
  append_json_string(out, error.code);
  out += ",\"detail\":";
  append_json_string(out, error.detail);
  if (!error.words.empty()) {
    out += ",\"words\":";
    append_json_string(out, error.words);
  }
  if (!error.hint.empty()) {
    out += ",\"hint\":";
    append_json_string(out, error.hint);
  }
  out += error.retryable ? ",\"retryable\":true" : ",\"retryable\":false";
  out += error.fatal ? ",\"fatal\":true" : ",\"fatal\":false";
  if (error.status != 0) {
    out += ",\"status\":";
    append_number(out, error.status);
  }
  if (error.retry_after_ms >= 0) {
    out += ",\"retryAfterMs\":";
    append_number(out, error.retry_after_ms);
  }
  if (!error.request_id.empty()) {
    out += ",\"requestId\":";
    append_json_string(out, error.request_id);
  }
  if (!error.tool.empty()) {
    out += ",\"tool\":";
    append_json_string(out, error.tool);
  }
}

namespace {

void append_usage(const Usage &usage, ObjectWriter &object) {
  if (usage == Usage()) return;
  ObjectWriter tokens(object.value("usage"));
  write_usage(usage, tokens);
  tokens.close();
}

void add(Usage &sum, const Usage &usage) {
  for (const TokenKind &kind : kTokenKinds)
    if (const int64_t count = usage.*kind.count; count >= 0)
      sum.*kind.count = std::min(std::max<int64_t>(sum.*kind.count, 0) + count, kMostTokens - 1);
}

}  // namespace

namespace {

// Nested calls by their callers.
using Nested = std::map<uint32_t, std::vector<const Card *>>;

void write_card(const Card &card, const Nested &nested, std::string &out) {
  out += R"({"type":"tool_use","call":)";
  append_number(out, card.call);
  if (card.is_nested()) write_caller(card, out += R"(,"parent":)");
  card.write(field::all, out);
  if (const auto own = nested.find(card.call); own != nested.end()) {
    out += R"(,"nested":[)";
    for (const Card *one : own->second) {
      if (out.back() != '[') out += ',';
      write_card(*one, nested, out);
    }
    out += ']';
  }
  out += '}';
}

}  // namespace

Usage Message::usage() const {
  Usage sum = forgotten;
  for (const Round &round : rounds) add(sum, round.usage);
  return sum;
}

void Message::forget_answer() {
  add(forgotten, rounds.back().usage);
  rounds.back() = Round();
}

void Message::write(std::string &out, std::optional<std::string_view> held) const {
  ObjectWriter message(out);
  message.text("role", "assistant");
  if (!outcome.empty()) message.text("outcome", outcome);
  message.number("rounds", static_cast<int64_t>(rounds.size()));
  if (!fallback.empty())
    ObjectWriter(message.value("fallback"))
        .text("reason", fallback)
        .number("round", static_cast<int64_t>(fallback_round))
        .close();
  if (finish() != Finish::none) message.text("finishReason", to_text(finish()));
  append_usage(usage(), message);
  std::string &answers = message.value("answers");
  answers += '[';
  for (const Round &round : rounds) {
    if (&round != &rounds.front()) answers += ',';
    ObjectWriter answer(answers);
    if (round.finish != Finish::none) answer.text("finishReason", to_text(round.finish));
    append_usage(round.usage, answer);
    if (!round.model.empty()) answer.text("model", round.model);
    if (round.started_at) answer.number("startedAt", *round.started_at);
    if (round.ended_at) answer.number("endedAt", *round.ended_at);
    answer.close();
  }
  answers += ']';
  Nested nested;
  for (const auto &card : cards)
    if (card->is_nested()) nested[card->caller].push_back(card.get());
  std::string &list = message.value("blocks");
  list += '[';
  for (const Block &block : blocks) {
    if (&block != &blocks.front()) list += ',';
    switch (block.kind) {
      case Block::Kind::text:
      case Block::Kind::reasoning: {
        ObjectWriter object(list);
        object.text("type", block.kind == Block::Kind::text ? "text" : "reasoning");
        object.number("round", block.round);
        object.text("text", block.text);
        if (block.mark == Block::Mark::refusal) object.boolean("refusal", true);
        if (block.mark == Block::Mark::fabricated) object.boolean("fabricated", true);
        if (const std::string_view phase = phase_word(block.mark); !phase.empty()) object.text("phase", phase);
        if (block.apart) object.boolean("apart", true);
        if (is_retracted(block)) object.boolean("retracted", true);
        if (!block.sources.empty()) write_sources(block, object.value("sources"));
        object.close();
        break;
      }
      case Block::Kind::media: {
        ObjectWriter object(list);
        object.text("type", "media").number("round", block.round).raw("parts", block.text).close();
        break;
      }
      case Block::Kind::tool_use: write_card(*cards[block.card], nested, list); break;
      case Block::Kind::error:
        list += R"({"type":"error","round":)";
        append_number(list, block.round);
        list += ',';
        write_error(block.error, list);
        list += '}';
    }
  }
  list += ']';
  if (held) message.text("held", *held);
  message.close();
}

}  // namespace sluice
