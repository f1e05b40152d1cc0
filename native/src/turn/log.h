// The log of a turn: its blocks, cards and rounds, and the events about them. Nothing else writes these, so that every
// change of the log is told to the host.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/status.h"
#include "turn/events.h"
#include "turn/message.h"
#include "turn/open_cards.h"
#include "turn/setup.h"

namespace sluice {

inline constexpr size_t kMostSources = 256;  // of one text: each event has all of them

class Log {
 public:
  using Event = EventQueue::Kind;

  explicit Log(const Setup &setup);

  const Message &message() const { return message_; }
  bool done() const { return !message_.outcome.empty(); }
  std::optional<int64_t> now() const { return now_; }  // the time of the last tick
  void set_now(int64_t now) { now_ = now; }

  // -- rounds
  void begin_round();
  uint32_t round_number() const { return static_cast<uint32_t>(message_.rounds.size()); }
  Round *open_round() { return message_.rounds.empty() ? nullptr : &message_.rounds.back(); }  // nullptr: none yet
  Round &round();  // of the open answer, which has one
  Finish finish() const { return message_.finish(); }
  void add_usage(const Usage &usage);  // `usage`: the tokens of this answer so far, not those since the last call
  void end_answer();
  void forget_answer() { message_.forget_answer(); }
  // The request of this round was refused: from here on calls are text.
  void fell_back(std::string_view reason) {
    message_.fallback = reason;
    message_.fallback_round = message_.rounds.size();
  }
  void end(std::string_view outcome);

  // -- blocks
  bool continues(Block::Kind kind, Block::Mark mark) const;  // the last block is of this kind, mark and round
  // Appends to the last block if it continues, else opens one. `fresh`: opens one anyway, a text as a message of its
  // own.
  void append(Block::Kind kind, std::string_view utf8, bool fresh, Block::Mark mark = Block::Mark::none);
  // Adds sources to the last text of this round, or to the first one that comes, and says so in an event. Returns false
  // where the text has too many of them.
  bool add_sources(std::span<const Source> sources);
  // No text of this answer comes any more: sources that wait for one get a block, and those are told again whose place
  // was beyond the text so far. Returns whether a block was opened.
  bool end_sources();
  // Adds a part of a message, JSON, to a block of its own kind.
  void add_media(const std::string &part);
  // Keeps a tag that is not shown, for the history.
  void hide(std::string_view tag);
  // The last text of this round has this phase, which became known after it.
  void set_phase(Block::Mark phase);
  // Retracts texts of this round that a later message of it repeats, and says so in an event.
  void retract_repeated();
  void show_error(TurnError error);
  // Retracts the text of this round, and says so in an event. `note`: what the model reads about it.
  // The items of the answer in the provider's shape: those that may go back.
  void keep_native(std::string_view wire, std::string_view items);
  void retract(std::string note);
  // All text of this round that was not retracted.
  std::string text_of_round() const;

  // -- cards
  Card &new_card(std::string_view source, std::string_view requested_name, const Tool *found);
  // A call that the tool of `caller` asked for. It has no block.
  Card &new_nested_card(Card &caller, std::string_view requested_name, const Tool *found);
  // Calls with nested ones whose tools ran to their end since this was asked last.
  std::vector<uint32_t> take_ended_callers() { return std::exchange(ended_callers_, {}); }
  Card *find(uint32_t call) const;
  // A tool that the provider runs: opens its card, which counts as running. A card of this id that still runs, since an
  // earlier answer paused, goes on.
  Card &open_provided(std::string_view id, std::string_view name);
  void provider_arguments(Card &card, std::string_view arguments);  // JSON text, as far as it is known
  void provider_result(Card &card, std::string_view text, bool is_error);
  void provider_parts(Card &card, std::string parts);  // a JSON array
  // Ends the cards of tools that the provider runs and of which no result can come any more.
  void lose_provided(std::string_view reason);
  // Where the call stands in the text that is shown: behind so many bytes of this block. The card's own block and 0: no
  // text of its answer stands in front of it.
  std::pair<size_t, size_t> place_in_text(const Card &card) const;
  size_t first_card() const { return first_card_; }  // index of this round's first card: those before it have ended
  OpenCards &open_cards() { return open_; }
  const OpenCards &open_cards() const { return open_; }
  void give_id(Card &card);  // chooses the id that is sent back to the provider
  void append_arguments(Card &card, std::string_view fragment);
  // The same for a call in the text; `offset` is its place in the round's text.
  void append_written_arguments(Card &card, std::string_view piece, size_t offset);
  void tell_arguments(const Card &card, std::string_view piece) { events_.delta(Event::args, card.call, piece); }
  void tell(Card &card);  // sends a card event with the fields that changed
  void move(Card &card, Trigger trigger);
  void record(Card &card, ApprovalRecord decision);
  // The note before a result that tells the model that the user edited the arguments; empty: they were not edited.
  std::string edited_note(const Card &card) const;
  // Ends the call. `text`: what the model reads about it.
  void settle(Card &card, Trigger trigger, std::string_view reason, std::string text);
  // Ends a call that lost bytes, or whose arguments are wrong: it never runs, and the model may write it again.
  void invalidate(Card &card, std::string_view reason, std::string detail = {});

  // -- events about anything else
  // Opens an event. The caller appends a JSON object without its closing brace to the returned text; for `progress` the
  // plain text.
  std::string &event(Event kind, uint32_t key = 0) { return events_.open(kind, key); }
  LentTexts &lent() { return events_.lent(); }  // large texts of the event that was opened last
  void diagnostic(std::string_view code, std::string_view detail, uint32_t call = 0, std::optional<size_t> offset = {},
                  std::string_view raw = {});
  void tool_diagnostic(std::string_view code, std::string_view tool, std::string_view detail);
  // Removes an event that nobody has polled. Returns false if there is none.
  bool withdraw(Event kind, uint32_t key) { return events_.withdraw(kind, key); }
  bool waits(Event kind, uint32_t key) const { return events_.waits(kind, key); }
  bool next_event(std::string &out, EventQueue::Polled &polled) { return events_.next(out, polled); }
  EventQueue::Next next_piece(std::string &out, EventQueue::Polled &polled) { return events_.next_piece(out, polled); }
  uint64_t last_seq() const { return events_.last_seq(); }
  bool done_polled() const { return done() && events_.drained(); }

  // -- saved and restored
  void save(ObjectWriter &object) const;
  void save_events(std::string &out) const { events_.save(out); }
  Status load(const SavedReader &saved);
  Status check() const;  // what the rest of the turn relies on
  Status load_events(std::string_view saved);

 private:
  Block *last_text();
  void tell_text(Block &block, std::string_view utf8);
  void tell_sources(Block &block);
  void pause_callers(const Card &card, bool asks);
  void tell_retracted(const std::vector<size_t> &blocks);
  void end_provided(Card &card, Trigger trigger, std::string_view reason);
  Status load_rounds(const SavedReader &saved);
  Status load_cards(const SavedReader &saved);
  Status load_blocks(const SavedReader &saved);
  Status check_blocks() const;
  Status check_card(const Card &card) const;
  Status check_place(const Card &card) const;
  Status join_caller(Card &card);

  template <class AnyLog, class Visit>
  static void each_field(AnyLog &log, const Visit &visit) {
    visit("now", log.now_);
    visit("firstCard", log.first_card_);
    for (const TokenKind &kind : kTokenKinds) visit(saved_name("forgotten", kind), log.message_.forgotten.*kind.count);
  }

  // -- set once
  const Setup &setup_;
  // -- the log
  Message message_;
  std::set<std::string, std::less<>> used_ids_;
  size_t first_card_ = 0;
  OpenCards open_;                       // of this round; not saved: a restore derives it from the cards
  std::set<uint32_t> provided_;          // calls that the provider still runs; not saved, derived like open_
  std::vector<uint32_t> ended_callers_;  // empty when a verb has returned
  EventQueue events_;
  std::optional<int64_t> now_;
};

}  // namespace sluice
