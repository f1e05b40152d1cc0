// One answer of the model, from its request to finish: turns bytes into blocks and complete calls of the log.
#pragma once

#include <cstdint>
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
#include "turn/answer_state.h"
#include "turn/good_end.h"
#include "turn/log.h"
#include "turn/setup.h"
#include "wire/wire.h"

namespace sluice {

// A call in the text that lacks the seal.
struct Unsealed {
  size_t at;
  std::string name;
};

class Answer final : WireSink, ScanSink {
 public:
  // Receives what an answer cannot decide alone.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_calls_complete() = 0;  // some of them may start before the answer ends
    // The server, which runs the calls itself, wrote the result of this one.
    virtual void on_server_result(Card &card, const ParsedCall &result) = 0;
    virtual void on_overflow(TurnError error) = 0;  // the text is longer than limits.textBytes
  };

  Answer(const Setup &setup, Log &log, Listener &listener);
  ~Answer() override;

  bool is_open() const { return state_ != AnswerState::closed; }
  // What a text that may go on holds back (TextScanner::held_back).
  std::string_view held_back() const { return scanner_->held_back(); }
  bool shown() const { return shown_; }  // text was shown or a call ran: the answer cannot be forgotten
  std::optional<TurnError> &failure() { return error_; }  // nullopt: the answer has not failed

  // -- what the host does
  Status response(int32_t http_status, std::string_view headers);
  // The host reported a response that is none: bytes are refused until it reports one.
  void refuse_response() {
    response_refused_ = response_refused_ || next_state(state_, AnswerTrigger::respond).has_value();
  }
  Status feed(std::string_view bytes);
  void finish(End how, std::string_view detail);
  // -- what the turn does
  void cut(std::string_view reason);  // stops reading the answer, and sends abortRequest
  void interrupt_text();              // flushes text that the scanners hold back
  void fail(const TurnError &error);  // its calls that have not started will not run
  void close();
  // -- time
  // Ends an answer that has been silent for too long. Returns the error if that breaks it off.
  std::optional<TurnError> expire();
  std::optional<int64_t> deadline() const;
  void shift_deadline(int64_t gap);

  void save(std::string &out) const;
  Status load(const SavedReader &saved, Config &config);  // adds the protocols that the answer was read for to `config`
  std::set<uint32_t> written() const;                     // the calls that are being written here
  void forget_offers() { offered_.reset(); }              // its request offers the tools of this engine

 private:
  // -- WireSink
  void on_message(Phase phase) override;
  void on_phase(Phase phase) override;
  void on_text(std::string_view utf8) override;
  void on_reasoning(std::string_view utf8) override;
  void on_refusal(std::string_view utf8) override;
  void on_bytes_lost() override;
  void on_event_lost() override;
  void on_call(uint32_t slot, std::string_view id, std::string_view name) override;
  void on_call_head(uint32_t slot, std::string_view id, std::string_view name) override;
  void on_arguments(uint32_t slot, std::string_view fragment) override;
  void on_arguments_replaced(uint32_t slot, std::string_view whole) override;
  void on_call_broken(uint32_t slot, std::string_view reason) override;
  void on_call_end(uint32_t slot) override;
  void on_arguments_lost(uint32_t slot, std::string_view detail) override;
  void on_calls_full() override;
  void on_provider_call(uint32_t slot, std::string_view id, std::string_view name, std::string_view arguments) override;
  void on_provider_result(uint32_t slot, std::string_view text, bool is_error) override;
  void on_provider_media(uint32_t slot, std::span<const Media> media) override;
  void on_media(const Media &media) override;
  void on_sources(std::span<const Source> sources) override;
  bool reads_on() const override { return !is_cut(); }
  bool gave_something() const override { return shown_ || text_bytes_ > 0; }
  bool has_tool(std::string_view name) const override;
  std::string host_tool(std::string_view kind, std::string_view server) const override;
  bool has_provider_tools() const override;
  void on_native(std::string_view items) override;
  void on_beside(std::string_view members) override;
  void on_model(std::string_view name) override;
  void on_finish(Finish reason, std::string_view words, std::string_view explanation) override;
  void on_end() override;
  void on_usage(const Usage &usage) override;
  void on_error(const WireError &error) override;
  void on_diagnostic(std::string_view code, std::string_view detail) override;
  // -- ScanSink
  void on_scan_text(std::string_view utf8) override;
  void on_scan_fabricated(std::string_view utf8) override;
  void on_scan_hidden(std::string_view utf8) override;
  void on_scan_reasoning(std::string_view utf8, bool first) override;
  void on_call_open(std::string_view protocol, std::string_view name, size_t start) override;
  void on_call_arguments(std::string_view piece, size_t offset) override;
  void on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw, size_t start,
                     size_t end) override;
  void on_scan_diagnostic(std::string_view code, std::string_view detail, size_t offset, std::string_view raw) override;

  bool apply(AnswerTrigger trigger);  // false: the table has no such row, and nothing changed
  bool is_cut() const { return state_ == AnswerState::cut_off || state_ == AnswerState::ended_cut; }
  bool has_ended() const { return state_ == AnswerState::ended || state_ == AnswerState::ended_cut; }
  bool ignores_bytes() const { return !is_open() || is_cut() || has_ended(); }
  void read_with(Protocols parsed, Protocols watched, ScanOptions options);
  void conclude(bool whole, End how = End::complete);
  void end_text(TextEnd end);
  std::optional<TurnError> fault_of_end() const;
  std::string nothing_came() const;
  std::string bytes_hint() const;
  bool only_thought() const;
  void tell_other_format(const std::string &text, const Protocols &read);
  bool goes_on();
  void show(Block::Kind kind, std::string_view utf8, bool fresh = false, Block::Mark mark = Block::Mark::none);
  void show_text(std::string_view utf8, Block::Mark mark);
  std::string_view within_text_limit(std::string_view utf8);
  void overflow();
  std::string part_of(const Media &media);
  const Tool *find_tool(std::string_view name) const;
  const Tool *find_meant(std::string_view source, std::string_view name) const;  // also under a name with a rest
  Card *open_card(std::string_view source, std::string_view name);
  void take_server_results(const std::vector<ParsedCall> &results);
  bool mark_summarized(std::string_view name);
  void note_unsealed();
  Card *call_in(uint32_t slot) const;
  Card *take_call(std::string_view protocol, ParsedCall &call, bool first, std::string_view raw, size_t start,
                  size_t end);
  bool calls_for_results() const;
  std::vector<std::string_view> last_thoughts(size_t bytes) const;
  size_t utf16_before(size_t at);
  void complete_interrupted();
  void break_call(Card &card, std::string_view reason);
  void break_open_calls();
  void close_calls(bool ours);
  // What ends the answer if nothing comes.
  struct Wait {
    int64_t since, timeout;
    bool says_nothing;  // bytes came, but no content
  };
  int64_t silence() const;
  std::optional<Wait> wait() const;
  void note_content(std::string_view piece);

  template <class AnyAnswer, class Visit>
  static void each_field(AnyAnswer &answer, const Visit &visit) {
    visit("shown", answer.shown_);
    visit("lastWord", answer.last_word_);
    visit("late", answer.late_);
    visit("calls", answer.calls_);
    visit("argumentsLost", answer.arguments_lost_);
    visit("orphansTold", answer.orphans_reported_);
    visit("finishWord", answer.finish_word_);
    visit("finishExplanation", answer.finish_explanation_);
    visit("textBytes", answer.text_bytes_);
    visit("thoughtBytes", answer.thought_bytes_);
    visit("mediaBytes", answer.media_bytes_);
    visit("tooManySources", answer.too_many_sources_);
    visit("waitingSince", answer.waiting_since_);
    visit("saidAt", answer.said_at_);
    visit("emptyBytes", answer.empty_bytes_);
    visit("messageBegins", answer.message_begins_);
  }

  // -- set once
  const Setup &setup_;
  Log &log_;
  Listener &listener_;
  // -- its readers
  std::unique_ptr<WireReader> reader_;
  std::unique_ptr<TextScanner> scanner_;    // text → text, reasoning, calls
  std::unique_ptr<ThoughtCalls> thoughts_;  // the wire's own reasoning → calls that it ends with
  std::unique_ptr<ScanSink> watch_sink_;    // reports calls written as text in native mode
  std::unique_ptr<TextScanner> watcher_;
  Protocols parsed_, watched_;  // of the readers; a restored answer keeps them even if its engine has others
  ScanOptions options_;
  std::optional<ToolNames> offered_;  // of the engine that wrote the request; nullopt: it was this one
  // -- position
  AnswerState state_ = AnswerState::waiting;
  bool shown_ = false;
  std::optional<TurnError> error_;
  std::vector<Card *> slots_;       // the wire's slot → card; nullptr: beyond limits.callsPerRound
  std::vector<Card *> open_calls_;  // the wire's calls that are still streaming
  size_t passed_ = 0;               // of them in front, those that run only when the answer has ended; not saved
  std::vector<Card *> provided_;    // the slot of a tool that the provider runs → card
  Card *text_call_ = nullptr;       // the call whose block the scanner is in
  size_t calls_ = 0;
  bool arguments_lost_ = false;    // some arrived that have no call: any call without arguments may lack them
  bool orphans_reported_ = false;  // a diagnostic reported them
  std::string finish_word_, finish_explanation_;  // the provider's own, of the finish reason
  size_t text_bytes_ = 0;
  size_t thought_bytes_ = 0;        // of the wire's own reasoning
  size_t media_bytes_ = 0;          // of pictures and files, as base64
  bool calls_of_thoughts_ = false;  // the calls reported now stand in that reasoning
  struct {
    size_t bytes = 0, units = 0;
  } counted_;                      // UTF-16 units in front of the call that was closed last; not saved: counted again
  bool too_many_sources_ = false;  // it was reported
  bool too_many_blocks_ = false;
  bool message_begins_ = false;  // the text that comes next is a message of its own
  Phase phase_ = Phase::none;    // of the message that is read
  std::vector<Unsealed> unsealed_;
  // -- silence
  bool last_word_ = false;  // the last thing that came was a finish reason: silence after it ends the answer
  bool late_ = false;       // a late tick found silence: the next tick decides, because bytes may wait in the socket
  std::optional<int64_t> waiting_since_;  // since the last byte, or since the request
  std::optional<int64_t> said_at_;        // when the last content came, or the first byte
  size_t empty_bytes_ = 0;                // that came since
  // -- not saved: a verb that fails changes nothing of the state
  bool response_refused_ = false;  // the host must report the response again
};

}  // namespace sluice
