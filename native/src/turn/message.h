// The one assistant message of a turn: an append-only log of blocks. Events, history, the message that a UI shows and
// the next request are all derived from it.
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

// The largest time that is accepted: sums of two cannot overflow.
inline constexpr int64_t kMostTime = int64_t{1} << 53;

struct TurnError {
  std::string code, detail, hint;
  bool retryable = false;
  bool fatal = false;
  int32_t status = 0;           // of the HTTP response; 0: not an HTTP error
  int64_t retry_after_ms = -1;  // -1: the response did not say
  std::string request_id = {};  // empty: the response did not say
  std::string words = {};       // what the provider itself said; empty: nothing
  std::string tool = {};        // of the host's own request, which the server refuses; empty: none

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
    visit("words", error.words);
    visit("tool", error.tool);
  }
};

struct Block {
  enum class Kind : uint8_t { text, reasoning, tool_use, error, media };  // saved as a number
  // none: ordinary text of the answer. Saved as a number.
  enum class Mark : uint8_t { none, refusal, fabricated, commentary, final_answer };
  Kind kind = Kind::text;
  Mark mark = Mark::none;
  uint32_t round = 0;
  std::string text;             // text, reasoning; media: its parts, a JSON array
  std::vector<Source> sources;  // of a text
  size_t told_text = 0;         // bytes of the text when its sources were told last
  bool apart = false;           // begins a message of its own: an empty line is between it and the text in front of it
  bool repeated = false;        // a later message of the same answer has the same text
  size_t card = 0;              // tool_use: index into Message::cards
  TurnError error;
};

// A tag that no block shows. The history keeps it where the model wrote it.
struct HiddenTag {
  size_t block = 0;   // the text block in which it was written, or the block in front of which it was
  size_t offset = 0;  // bytes of that block's text in front of it
  std::string text;
};

// What is known of a round beside its blocks.
struct Round {
  Finish finish = Finish::none;  // why the answer ended, as the provider says
  Usage usage;
  std::string model;  // the model that answered, as the provider says
  std::optional<int64_t> started_at, ended_at;
  SharedText raw;                 // text mode: the answer as written
  std::string native;             // the items of WireSink::on_native, a JSON array: sent back verbatim
  std::string beside;             // the members of WireSink::on_beside, a JSON object
  bool text_calls = false;        // its calls were written as text
  std::string note;               // what the model reads after the round, from the user
  bool note_by_system = false;    // it is an instruction instead
  std::vector<Source> sources;    // that came before any text of the round
  size_t retracted = 0;           // text blocks of the round below this index were retracted
  std::vector<HiddenTag> hidden;  // in order

  // Saves and restores every field but the finish reason and the hidden tags.
  template <class AnyRound, class Visit>
  static void each_field(AnyRound &round, const Visit &visit) {
    visit("raw", round.raw);
    visit("native", round.native);
    visit("beside", round.beside);
    visit("textCalls", round.text_calls);
    for (const TokenKind &kind : kTokenKinds) visit(kind.name, round.usage.*kind.count);
    visit("note", round.note);
    visit("noteBySystem", round.note_by_system);
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
  Usage forgotten;                           // of answers that were asked for again: they were billed
  std::string_view outcome;                  // empty until the turn is done
  std::string fallback;                      // why the turn went on in mode text: a reason of autoFallback, "host" or
                                             // "calls_without_tools"; empty: it did not
  size_t fallback_round = 0;                 // the round whose request was refused

  Usage usage() const;   // of all rounds and of forgotten answers together
  void forget_answer();  // forgets the answer of the last round, but for its usage
  // Is this a text that a final check sent back or replaced, or that a later message repeats?
  bool is_retracted(const Block &block) const {
    return block.repeated || (block.kind == Block::Kind::text && block.round > 0 &&
                              static_cast<size_t>(&block - blocks.data()) < rounds[block.round - 1].retracted);
  }
  Finish finish() const { return rounds.empty() ? Finish::none : rounds.back().finish; }
  // SLUICE_GET_MESSAGE. `held`: of a parser whose text may go on, the text that is in no block yet.
  void write(std::string &out, std::optional<std::string_view> held = {}) const;
};

// Appends the sources of a block as a JSON array, with places in UTF-16 units of its text.
void write_sources(const Block &block, std::string &out);
// Was a place of its sources beyond the text when they were told last, and is it no more?
bool places_grew(const Block &block);
// Appends the text of a block to that of the blocks in front of it.
void add_text(const Block &block, std::string &text);
// Appends the call that asked for this one: {"call":1,"name":"script.run"}.
void write_caller(const Card &card, std::string &out);
// The word for a phase in `phase` of texts; empty: the block has none.
std::string_view phase_word(Block::Mark mark);
void write_error(const TurnError &error, std::string &out);  // appends `"code":...` and the rest, without braces

}  // namespace sluice
