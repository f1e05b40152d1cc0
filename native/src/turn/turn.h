// One user input → one assistant message: the machine that joins wire, protocols, tools and gate. It decides; all
// others describe. The verbs are those of sluice.h; what each may do when is said there and checked here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/saved.h"
#include "base/status.h"
#include "protocol/protocol.h"
#include "protocol/thought_calls.h"
#include "turn/config.h"
#include "turn/engine.h"
#include "turn/events.h"
#include "turn/history.h"
#include "turn/message.h"
#include "turn/open_cards.h"
#include "wire/wire.h"

namespace sluice {

// Beyond, a time or a count of tokens is nonsense, and sums of two overflow.
inline constexpr int64_t kMostNumber = int64_t{1} << 53;

enum class End : int32_t { complete = 0, network = 1, aborted = 2, retry = 3, hook = 4 };
enum class Submit : int32_t { text = 0, json = 1, parts = 2, failure = 3, progress = 4 };
enum class Remember : int32_t { once = 0, turn = 1, session = 2, always = 3 };

class Turn final : WireSink, ScanSink {
 public:
  static Status create(std::shared_ptr<const Engine> engine, std::string_view document, std::unique_ptr<Turn> &out);
  // A turn from what state() gave, with an engine that may have changed since.
  static Status restore(std::shared_ptr<const Engine> engine, std::string_view state, std::unique_ptr<Turn> &out);
  ~Turn() override;

  // -- what came from the network
  Status response(int32_t http_status, std::string_view headers);
  Status feed(std::string_view bytes);
  Status finish(End how, std::string_view detail);
  // -- what came from the user
  Status approve(uint32_t call, Remember remember, bool exact, std::optional<std::string_view> edited);
  Status approve_all(Remember remember, bool exact);
  Status release(uint32_t call);
  Status deny(uint32_t call, std::string_view reason, bool by_person);
  Status judge_by(uint32_t call, std::string_view rules, Gate::Way &way) const;
  Status cancel(uint32_t call, std::string_view reason);
  // -- what came from a tool
  Status submit(uint32_t call, Submit kind, std::string_view data);
  // -- what came from the clock
  Status tick(int64_t now, int64_t &next_deadline);

  bool next_event(std::string &out);
  uint64_t last_seq() const { return events_.last_seq(); }
  std::shared_ptr<const std::string> request_body() const;  // null: no request is wanted
  void message(std::string &out) const { message_.write(out); }
  void history(std::string &out) const;
  void tools(std::string &out) const;
  void prompt(std::string &out) const;
  void state(std::string &out) const;

 private:
  // One answer of a model, from its request to finish.
  struct Answer {
    std::unique_ptr<WireReader> reader;
    std::unique_ptr<TextScanner> scanner;    // text → text, reasoning, calls
    std::unique_ptr<ThoughtCalls> thoughts;  // reasoning of the wire's own → calls it ends with
    std::unique_ptr<ScanSink> watch_sink;    // native mode: tells of calls in the text, runs nothing
    std::unique_ptr<TextScanner> watcher;
    Protocols parsed, watched;  // what they read for: goes on so after a restore, whatever the engine has then
    ScanOptions options;
    bool open = false;
    bool closed_to_bytes = false;  // abortRequest went out: what still comes is dropped
    bool bytes_seen = false;
    bool responded = false;
    bool ending = false;     // finish was called: nothing is left to abort
    bool shown = false;      // something of it was shown or run
    bool ended = false;      // all of it is there: only usage and opaque members are still heard
    bool last_word = false;  // a finish reason: in silence behind it the answer has ended
    bool late = false;       // a tick found silence too late to trust it, and the next one does
    std::optional<TurnError> error;
    std::vector<Card *> slots;       // of the wire: slot → card; nullptr: beyond limits.callsPerRound
    std::vector<Card *> open_calls;  // of the wire, still streaming
    Card *text_call = nullptr;       // the block that the scanner is in
    size_t calls = 0;
    size_t text_bytes = 0;
    size_t thought_bytes = 0;              // reasoning of the wire's own
    bool of_thoughts = false;              // the calls that are told now stand in it
    std::optional<int64_t> waiting_since;  // the last byte, or the request
  };

  Turn(std::shared_ptr<const Engine> engine) : engine_(std::move(engine)) {}
  Status configure(std::string_view document);
  void warn_of_hidden_tools();
  void tell_unknown_names();
  // -- snapshot.cpp
  template <class AnyTurn, class Visit>
  static void each_field(AnyTurn &turn, const Visit &visit);
  template <class AnyAnswer, class Visit>
  static void each_answer_field(AnyAnswer &answer, const Visit &visit);
  void save_answer(std::string &out) const;
  Status load_log(const SavedReader &saved);
  Status check_log() const;
  Status check_open() const;
  Status load_answer(const SavedReader &saved);
  std::string markers_of(const Protocols &protocols) const;
  void resume();  // what the time between saving and restoring means for calls that were open
  void resume_card(Card &card);
  bool not_started(const Card &card) const;
  bool stands(const Card &card) const;
  bool allowed_as_before(const Card &card) const;
  void send_back(Card &card);
  bool hold_back(Card &card);

  // -- WireSink
  void on_text(std::string_view utf8) override;
  void on_reasoning(std::string_view utf8) override;
  void on_refusal(std::string_view utf8) override;
  void on_call(uint32_t slot, std::string_view id, std::string_view name) override;
  void on_call_head(uint32_t slot, std::string_view id, std::string_view name) override;
  void on_arguments(uint32_t slot, std::string_view fragment) override;
  void on_arguments_replaced(uint32_t slot, std::string_view whole) override;
  void on_call_members(uint32_t slot, std::string_view object) override;
  void on_call_broken(uint32_t slot, std::string_view reason) override;
  void on_message_members(std::string_view object) override;
  void on_model(std::string_view name) override;
  void on_finish(Finish reason, std::string_view words) override;
  void on_end() override;
  void on_usage(const Usage &usage) override;
  void on_error(const WireError &error) override;
  void on_diagnostic(std::string_view code, std::string_view detail) override;
  // -- ScanSink
  void on_scan_text(std::string_view utf8) override;
  void on_scan_fabricated(std::string_view utf8) override;
  void on_scan_reasoning(std::string_view utf8, bool first) override;
  void on_call_open(std::string_view protocol, std::string_view name, size_t start) override;
  void on_call_arguments(std::string_view piece, size_t offset) override;
  void on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw, size_t start,
                     size_t end) override;
  void on_scan_diagnostic(std::string_view code, std::string_view detail, size_t offset, std::string_view raw) override;

  // -- answers and rounds
  bool text_mode() const { return config_.mode == Mode::text; }
  bool has_tools() const { return config_.exposure.enabled && (parser_ || !engine_->registry.tools().empty()); }
  bool calls_from_text() const { return text_mode() && has_tools(); }
  void begin_round(bool final_answer);
  void tell_unknown_model();
  void adopt(std::vector<OpenCall> calls);
  bool left_to_user(const Card &card) const;
  bool asks_usage() const { return config_.ask_usage && !usage_refused_; }
  bool fall_back();  // the same round again, without what the provider refused
  Protocols active_protocols() const;
  Protocols writing_protocols() const;
  void open_answer();
  void read_with(Protocols parsed, Protocols watched, ScanOptions options);
  void emit_request();
  std::string build_request() const;
  void abort_request(std::string_view reason);
  void end_answer(bool whole, End how = End::complete);
  void end_text(bool cut);
  void tell_other_format();
  void close_answer(End how, std::string_view detail);
  void close_calls();  // what the end of the answer means for calls that have not started
  bool goes_on();
  bool deaf() const { return done_ || answer_.closed_to_bytes || answer_.ended; }
  void advance();  // the rules that join answer, cards and rounds
  void end_turn(std::string_view outcome);
  void show_error(TurnError error);
  void stop_with(TurnError error);  // shows it, aborts what is open, ends the turn as failed

  // -- blocks
  void append(Block::Kind kind, std::string_view utf8, bool fresh, Block::Mark mark = Block::Mark::none);
  void interrupt_text();
  std::string_view within_text_limit(std::string_view utf8);
  void too_long();

  // -- cards
  Card *new_card(std::string_view source, std::string_view asked);
  Card *find_card(uint32_t call) const;
  void give_id(Card &card);
  void tell(Card &card);  // a card event with what is dirty
  void move(Card &card, Trigger trigger);
  void settle(Card &card, Trigger trigger, std::string_view reason, std::string told);
  void spoil(Card &card, std::string_view reason, std::string detail = {});
  // Its arguments are known, and coerced; false: it became invalid.
  bool complete(Card &card, std::string arguments);
  void complete_native(Card &card, bool at_end);
  void complete_interrupted();  // native calls behind which something else came
  bool starts_in_answer(const Card &card) const;
  bool known(Card &card);
  void admit(Card &card);
  std::optional<Gate> judge(Card &card);  // nullopt: it may not run, and is settled
  bool fits(const Card &card, std::string &checked, ArgumentFault &fault) const;
  bool take_checked(Card &card);
  bool beyond_rounds() const { return message_.rounds.size() > config_.max_rounds; }
  uint32_t rounds_running(const std::string &digest) const;  // with the same call, this one counted
  std::string_view broken_limit(const Card &card) const;     // by one more call; empty: none
  bool over_limits(Card &card);
  void ask(Card &card);
  void ask_event(const Card &card);
  void release_event(const Card &card);
  void execute_event(const Card &card);
  Status check_asked(const Card &card) const;
  ResultApproval result_policy(const Card &card) const;
  void pump();
  void start(Card &card);
  void fire(Card &card);
  void take_result(Card &card);
  void close_result(Card &card);
  void abort_tool(const Card &card, std::string_view reason);
  void cancel_card(Card &card, std::string_view reason, std::string_view told);
  void record(Card &card, std::string_view stage, std::string_view decision, std::string_view by,
              std::string_view remember = {}, std::string_view reason = {});
  void allow(Card &card, Remember remember, bool exact);
  void grant(const Card &card, Remember remember, bool exact);
  void approve_card(Card &card, std::string_view by, std::string_view remember);
  std::string cap(std::string_view text) const;
  int64_t timeout_of(const Card &card) const;

  void diagnostic(std::string_view code, std::string_view detail, uint32_t call = 0, std::optional<size_t> offset = {},
                  std::string_view raw = {});
  void shift_deadlines(int64_t gap);
  void expire();
  int64_t next_deadline() const;
  int64_t silence() const;

  // -- set once
  const std::shared_ptr<const Engine> engine_;
  Config config_;
  const Wire *wire_ = nullptr;
  bool parser_ = false;
  std::string document_;            // the turn's configuration, as the host wrote it
  std::string_view body_;           // its request
  std::string_view host_messages_;  // the messages of that
  size_t host_message_count_ = 0;
  size_t configured_rules_ = 0;  // config_.rules behind these are this turn's own grants
  std::set<std::string, std::less<>> used_ids_;
  std::vector<ToolOffer> offers_;            // exposed
  std::deque<std::string> harmless_offers_;  // what they say, where it had to be changed
  // -- the log
  Message message_;
  OpenCards open_;  // of this round; not saved: it follows from the cards
  EventQueue events_;
  // -- where the turn stands
  Answer answer_;
  std::shared_ptr<const std::string> request_;  // body of the open answer's request: who reads it keeps it
  bool fell_back_ = false;                      // to mode text
  bool usage_refused_ = false;
  bool final_answer_ = false;
  bool limit_hit_ = false;         // calls of this round ended at a limit
  uint32_t malformed_rounds_ = 0;  // running
  uint32_t calls_run_ = 0;
  size_t first_card_ = 0;                    // of this round
  std::map<std::string, uint32_t> repeats_;  // digest → rounds running, up to the last one
  std::map<std::string, uint32_t> repeats_now_;
  bool done_ = false;
  bool ended_on_fire_ = false;  // the last round's calls were all fire-and-forget, and it was the last
  std::optional<int64_t> now_;
};

}  // namespace sluice
