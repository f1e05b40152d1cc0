// The gate decides which calls may run, and takes their results: policy, questions and decisions, limits, execution,
// results, and the deadlines of calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/status.h"
#include "tools/approval.h"
#include "turn/call_keys.h"
#include "turn/log.h"
#include "turn/repeats.h"
#include "turn/setup.h"

namespace sluice {

enum class Submit : int32_t { text = 0, json = 1, parts = 2, failure = 3, progress = 4, rewritten = 5 };
enum class Remember : int32_t { once = 0, turn = 1, session = 2, always = 3 };

inline constexpr std::string_view kProvidersCall = "the provider runs this tool: only the whole turn can be cancelled";

class Gate {
 public:
  Gate(const Setup &setup, Log &log);

  // -- rounds
  void begin_round(bool final_answer);
  bool final_answer() const { return final_answer_; }  // this is the last answer of the turn: its calls do not run
  bool limit_hit() const { return limit_hit_; }        // a limit ended calls of this round
  // Rounds of calls so far; those that the turn took over from the conversation are one.
  uint32_t rounds() const;
  bool beyond_rounds() const { return rounds() > setup_.config.max_rounds; }
  bool is_last_round() const { return rounds() >= setup_.config.max_rounds; }
  // No further answer may be asked for (maxRequests).
  bool requests_spent() const {
    return setup_.config.max_requests != 0 && log_.round_number() >= setup_.config.max_requests;
  }
  bool left_to_user(const Card &card) const;
  void adopt(Card &card);         // takes up a call of the host's last message
  void lose_adopted(Card &card);  // a call that an earlier turn may have run
  void dispatch();                // the answer has ended: its calls may pass the gate
  void pump();                    // lets ready calls pass in order, and starts approved ones while there is room

  // -- what the user and the policy decide
  Status approve(uint32_t call, Remember remember, bool exact, std::optional<std::string_view> edited);
  Status approve_all(Remember remember, bool exact);
  Status release(uint32_t call);
  Status deny(uint32_t call, std::string_view reason, bool by_person);
  Status judge_by(uint32_t call, std::string_view rules, Verdict::Way &way) const;
  Status cancel(uint32_t call, std::string_view reason);
  void cancel_all(std::string_view reason, const std::string &text);
  // -- what a tool says
  Status resolve(uint32_t call, std::optional<std::string_view> arguments);  // nullopt: as they are
  Status submit(uint32_t call, Submit kind, std::string_view data);
  // A tool that runs calls another one: gate_nested.cpp. `nested`: the number of that call.
  Status call(uint32_t caller, std::string_view document, uint32_t &nested);
  // -- what a server says that runs the calls itself (observeOnly)
  void take_server_result(Card &card, const ParsedCall &result);
  void lose_all();  // the answer has ended: no result can come for calls that still run
  // -- what the host polled
  bool polled(const EventQueue::Polled &event);  // returns true if a call has ended
  // -- time
  bool expire();                              // returns true if a deadline has passed; the caller then pumps
  int64_t next_deadline(int64_t next) const;  // the nearest deadline, at most `next`
  void shift_deadlines(int64_t gap);

  // -- saved and restored
  void save(ObjectWriter &object) const;
  Status load(const SavedReader &saved);
  bool hold_back_messages();  // withdraws messages that may not be sent now; returns true if history has changed
  void resume();              // adapts open calls to this engine

 private:
  std::string words(Word word, std::string_view fill = {}) const { return setup_.config.words(word, fill); }
  std::string because(std::string_view reason) const {
    return reason.empty() ? std::string() : words(Word::because, reason);
  }

  // -- the way in
  bool by_button(const Card &card) const { return card.adopted && setup_.config.user_mediated; }
  bool in_turn(const Card &card) const;
  void enter(Card &card);
  bool needs_check(const Card &card) const;
  void check(Card &card);
  void admit(Card &card);
  std::optional<Verdict> judge(Card &card);
  Verdict verdict(const Card &card) const;
  bool breaks_limit(const Card &card) const;
  bool over_limits(Card &card);
  void ask(Card &card);
  void ask_event(const Card &card);
  Status check_asked(const Card &card) const;
  Status check_resolved(const Card &card, std::string_view checked) const;
  Status check_fit(const Card &card, std::string_view given, std::string &checked) const;
  Status check_given(const Card &card, std::string_view given, std::string &checked) const;
  Status take_resolved(Card &card, std::optional<std::string_view> arguments);
  Status take_edited(Card &card, std::string_view edited);
  void allow(Card &card, Remember remember, bool exact);
  void approve_card(Card &card, std::string_view by, std::string_view remember);
  void grant(const Card &card, Remember remember, bool exact);
  void observe(Card &card);
  // -- its run
  void start(Card &card);
  void identify(Card &card);
  void give_key(Card &card, std::string_view action);
  void execute_event(const Card &card);
  void fire(Card &card);
  int64_t timeout_of(const Card &card) const;
  void abort_tool(const Card &card, std::string_view reason);
  void cancel_card(Card &card, std::string_view reason, std::string_view text);
  void expire_card(Card &card);
  // -- its result: gate_results.cpp
  struct Result {
    std::string text;        // of content parts: their texts
    std::string_view parts;  // the JSON array, if it holds an image; else empty. A view of the submitted data
    bool is_json = false;
    bool failed = false;
    bool operator==(const Result &) const = default;
  };
  Status check_started(const Card &card) const;
  Status read_result(Submit kind, std::string_view data, Result &out) const;
  Status read_version(std::string_view object, Result &out) const;
  Status read_versions(std::string_view document, Result &output, Result &rewritten) const;
  void show_rewritten(Card &card, const Result &result) const;
  void take_result(Card &card, const Result &result, bool either_failed);
  ResultApproval result_policy(const Card &card) const;
  void release_event(const Card &card);
  void close_result(Card &card, std::string text);
  std::string cap(std::string_view text) const;
  // -- calls of a tool by another one: gate_nested.cpp
  size_t depth_of(const Card &card) const;
  bool caller_runs(const Card &card) const;
  Card *claim(Card &caller, std::string_view name, std::string_view arguments);
  void end_nested();
  // -- restored: gate_resume.cpp
  bool not_started(const Card &card) const;
  bool stands(const Card &card) const;
  bool allowed_as_before(const Card &card) const;
  bool was_approved(const Card &card, bool by_person) const;
  bool hold_back(Card &card);
  bool take_checked(Card &card);
  void send_back(Card &card);
  void check_again(Card &card);
  void resume_card(Card &card);

  // -- set once
  const Setup &setup_;
  Log &log_;
  // -- decisions
  std::vector<Rule> rules_;
  const size_t configured_rules_;  // the rules after these are this turn's own grants
  // -- limits
  bool final_answer_ = false;
  bool limit_hit_ = false;
  uint32_t calls_run_ = 0;
  Repeats repeats_;
  // -- follows from the cards, made when the first call of a round starts
  CallKeys keys_;

  template <class AnyGate, class Visit>
  static void each_field(AnyGate &gate, const Visit &visit) {
    visit("finalAnswer", gate.final_answer_);
    visit("limitHit", gate.limit_hit_);
    visit("callsRun", gate.calls_run_);
  }
};

}  // namespace sluice
