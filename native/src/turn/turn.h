// One user input → one assistant message: rounds of request and answer until the assistant is done. The verbs are those
// of sluice.h; each goes to the answer or to the gate, then the turn advances.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/saved.h"
#include "base/status.h"
#include "turn/answer.h"
#include "turn/conversation.h"
#include "turn/gate.h"
#include "turn/log.h"
#include "turn/setup.h"
#include "wire/text_fallback.h"

namespace sluice {

// `retry_by_system`: as `retry`, but the model reads it as an instruction, not as a message of the user.
enum class Final : int32_t { accept = 0, retry = 1, replace = 2, retry_by_system = 257 };

class Turn final : Answer::Listener {
 public:
  static Status create(std::shared_ptr<const Engine> engine, std::string_view document, std::unique_ptr<Turn> &out);
  // Makes a turn from a state that state() wrote. The engine may have changed since.
  static Status restore(std::shared_ptr<const Engine> engine, std::string_view state, std::unique_ptr<Turn> &out);

  // -- what came from the network
  Status response(int32_t http_status, std::string_view headers);
  Status feed(std::string_view bytes);
  Status finish(End how, std::string_view detail);
  // -- what came from the user
  Status approve(uint32_t call, Remember remember, bool exact, std::optional<std::string_view> edited);
  Status approve_all(Remember remember, bool exact);
  Status release(uint32_t call);
  Status deny(uint32_t call, std::string_view reason, bool by_person);
  Status judge_by(uint32_t call, std::string_view rules, Verdict::Way &way) const;
  Status conclude(Final how, std::string_view text);
  Status cancel(uint32_t call, std::string_view reason);
  // -- what came from a tool
  Status resolve(uint32_t call, std::optional<std::string_view> arguments);
  Status submit(uint32_t call, Submit kind, std::string_view data);
  Status call(uint32_t caller, std::string_view document, uint32_t &nested);
  // -- what came from the clock
  Status tick(int64_t now, int64_t &next_deadline);

  bool next_event(std::string &out);
  // Polls the next event if it is a piece of text without a mark.
  EventQueue::Next next_piece(std::string &out, EventQueue::Polled &polled) { return log_.next_piece(out, polled); }
  uint64_t last_seq() const { return log_.last_seq(); }
  bool done_polled() const { return log_.done_polled(); }   // the last event was polled
  std::shared_ptr<const std::string> request_body() const;  // nullptr: there is no request to send
  void message(std::string &out) const;
  void history(std::string &out) const;
  void find_tool(std::string_view name, std::string &out) const { setup_->write_tool_of(name, out); }
  void tools(std::string &out) const { setup_->write_tools(out); }
  void prompt(std::string &out) const { setup_->write_prompt(out); }
  void state(std::string &out) const;

 private:
  explicit Turn(std::unique_ptr<Setup> setup);

  // -- Answer::Listener
  void on_calls_complete() override { gate_.pump(); }
  void on_server_result(Card &card, const ParsedCall &result) override { gate_.take_server_result(card, result); }
  void on_overflow(TurnError error) override { fail(std::move(error)); }

  // -- the beginning
  void warn_of_hidden_tools();
  void tell_unknown_names();
  void tell_unsent_tools();
  void tell_unknown_model();
  void adopt(std::vector<OpenCall> calls);

  // -- rounds
  bool answering() const { return answer_ != nullptr && answer_->is_open(); }
  Status check_answering(std::string_view otherwise) const;
  Status advanced(Status status);
  Status too_late(uint32_t call) const;
  void begin_round(bool final_answer);
  void open_answer();
  void send_request();
  // Facts about a request beside its body.
  struct RequestNotes {
    std::string unsent;           // what the wire cannot send of the conversation, in words
    std::vector<Origin> sources;  // of the elements of the conversation
  };
  std::string build_request(bool drop_opaque, RequestNotes *notes = nullptr) const;
  void write_request();
  bool sends_opaque() const;
  bool sends_pictures() const;
  void emit_request();
  void close_answer(std::string_view detail);
  void explain(TurnError &error, std::string_view detail) const;
  bool fall_back(const TurnError &error);
  std::optional<FallbackReason> reason_for_text(const TurnError &error) const;
  void change_to_text(std::string_view why, std::string_view reason);
  Status ask_in_text(std::string_view why);
  struct Refused {
    const ToolOffer *offer = nullptr;
    std::string host_tool;
    size_t most_description = 0;
  };
  Refused refused(const TurnError &error) const;
  bool send_otherwise(const TurnError &error);
  bool send_reasoning_otherwise(const TurnError &error);
  void advance();
  bool is_last_answer() const {
    return gate_.final_answer() || gate_.beyond_rounds() || gate_.requests_spent() || setup_->observes();
  }
  void check_final(std::string_view outcome);
  void emit_final();
  void end_check();
  void end(std::string_view outcome);
  void fail(TurnError error);
  int64_t next_deadline() const;

  // -- snapshot.cpp
  Status load(const SavedReader &saved);
  Status load_answer(std::string_view saved);
  Status check_open() const;
  void resume();

  template <class AnyTurn, class Visit>
  static void each_field(AnyTurn &turn, const Visit &visit) {
    visit("usageRefused", turn.usage_refused_);
    visit("opaqueRefused", turn.opaque_refused_);
    visit("schemaRefused", turn.schema_refused_);
    visit("cacheRefused", turn.cache_refused_);
    visit("toldUnsent", turn.reported_unsent_);
    visit("endedOnFire", turn.ended_on_fire_and_forget_);
    visit("malformedRounds", turn.malformed_rounds_);
    visit("leftOutTools", turn.left_out_);
  }

  enum class Check : uint8_t {
    none,
    asked,  // the `final` event waits to be polled
    seen
  };

  const std::unique_ptr<Setup> setup_;
  Log log_;
  Gate gate_;
  std::unique_ptr<Answer> answer_;                       // nullptr: there was no request yet
  std::shared_ptr<const std::string> request_;           // body of the open answer's request; shared with its readers
  std::vector<Origin> sources_;                          // of that request; not saved: a restore writes it again
  bool usage_refused_ = false;                           // the provider refuses the member that asks for the usage
  bool opaque_refused_ = false;                          // it refused a signature: requests hold none
  bool cache_refused_ = false;                           // it refused what tells it of its cache
  bool schema_refused_ = false;                          // it refused JSON Schema: requests hold what old servers take
  bool reported_unsent_ = false;                         // that a part of the conversation cannot be sent
  Check check_ = Check::none;                            // the host's check of the final answer
  ReasoningWish reasoning_ = ReasoningWish::by_dialect;  // what the server said of earlier answers
  uint32_t left_out_ = 0;                                // tools that the server refused in this turn
  uint32_t malformed_rounds_ = 0;          // rounds in a row with nothing but malformed calls, up to the last one
  bool ended_on_fire_and_forget_ = false;  // the turn ended with a round of fire-and-forget calls
};

}  // namespace sluice
