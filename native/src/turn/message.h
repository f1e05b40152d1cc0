// The one assistant message of a turn: an append-only log of blocks. Events, history, the UI's message and the next
// request are all derived from it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turn/card.h"
#include "wire/wire.h"

namespace sluice {

// Beyond, a time or a count of tokens is nonsense, and sums of two overflow.
inline constexpr int64_t kMostNumber = int64_t{1} << 53;

struct TurnError {
  std::string code, detail, hint;
  bool retryable = false;
  bool fatal = false;
  int32_t status = 0;           // of HTTP; 0: another error
  int64_t retry_after_ms = -1;  // -1: the response did not say
  std::string request_id = {};  // empty: nor that

  template <class AnyError, class Visit>
  static void each_field(AnyError &error, const Visit &visit) {
    visit("code", error.code);
    visit("detail", error.detail);
    visit("hint", error.hint);
    visit("retryable", error.retryable);
    visit("fatal", error.fatal);
    visit("status", error.status);
    visit("retryAfterMs", error.retry_after_ms);
    visit("requestId", error.request_id);
  }
};

struct Block {
  enum class Kind : uint8_t { text, reasoning, tool_use, error };
  enum class Mark : uint8_t { none, refusal, fabricated };  // what a text is, where it is not simply the answer
  Kind kind = Kind::text;
  Mark mark = Mark::none;
  uint32_t round = 0;
  std::string text;  // text, reasoning
  size_t card = 0;   // tool_use: index into Message::cards
  TurnError error;
};

// What a round leaves beside its blocks.
struct Round {
  Finish finish = Finish::none;  // why the provider says that the answer ended
  Usage usage;
  std::string model;  // who answered, as the provider says
  std::optional<int64_t> started_at, ended_at;
  SharedText raw;           // text mode: the answer as written
  std::string members;      // opaque members of the provider's message, to go back verbatim
  bool text_calls = false;  // its calls came out of its text
  std::string note;         // what the model reads behind the round, as a message of the user
  size_t retracted = 0;     // the text of its blocks below this one counts no more

  // What is saved of it, but for its finish reason.
  template <class AnyRound, class Visit>
  static void each_field(AnyRound &round, const Visit &visit) {
    visit("raw", round.raw);
    visit("members", round.members);
    visit("textCalls", round.text_calls);
    for (const TokenKind &kind : kTokenKinds) visit(kind.name, round.usage.*kind.count);
    visit("note", round.note);
    visit("retracted", round.retracted);
    visit("model", round.model);
    visit("startedAt", round.started_at);
    visit("endedAt", round.ended_at);
  }
};

struct Message {
  std::vector<Block> blocks;
  std::vector<std::unique_ptr<Card>> cards;  // cards[call - 1]
  std::vector<Round> rounds;                 // rounds[round - 1]
  Usage forgotten;                           // of answers that were asked again: they were billed
  std::string_view outcome;                  // empty until the turn is done

  Usage usage() const;   // of all rounds together, and of what was forgotten
  void forget_answer();  // of the last round
  // Is it a text that a final check sent back, or replaced?
  bool is_retracted(const Block &block) const {
    return block.kind == Block::Kind::text && block.round > 0 &&
           static_cast<size_t>(&block - blocks.data()) < rounds[block.round - 1].retracted;
  }
  Finish finish() const { return rounds.empty() ? Finish::none : rounds.back().finish; }
  // SLUICE_GET_MESSAGE.
  void write(std::string &out) const;
};

void write_error(const TurnError &error, std::string &out);  // `"code":...` and the rest, without braces

}  // namespace sluice
