// One tool call and its life. One table holds all states, triggers and transitions; only Card::apply and restore set
// the state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_progress.h"
#include "base/shared_text.h"
#include "tools/approval.h"
#include "tools/tool.h"
#include "turn/lent_text.h"

namespace sluice {

enum class CardState : uint8_t {
  streaming,  // the model is writing its arguments
  pending,    // complete: waits for the end of its answer
  ready,      // waits for its turn at the gate, or for the user's button
  resolving,  // the host resolves its arguments (checkArguments)
  awaiting_approval,
  approved,  // waits for room to run
  executing,
  awaiting_result_approval,
  // final
  success,
  error,
  denied,
  result_rejected,
  not_found,
  invalid,
  timeout,
  expired,
  cancelled,
  unknown,  // it was interrupted while it ran: nobody knows what it did
};

enum class Trigger : uint8_t {
  complete,    // the call was read to its end
  invalidate,  // it lost bytes, or its arguments are wrong
  dispatch,    // its answer has ended, or the call may start earlier
  miss,        // the tool does not exist, or is hidden from this model
  check,       // the host is to resolve its arguments
  resolve,     // it did
  pass,        // policy or a rule lets it run
  ask,
  approve,
  start,
  hold,  // the user decides about its result
  succeed,
  fail,
  deny,
  reject,  // the result is not released
  expire,
  time_out,
  cancel,
  lose,    // interrupted while it ran
  recall,  // restored before the host saw it start: it goes back to the gate
};

struct Transition {
  CardState from;
  Trigger trigger;
  CardState to;
};

inline constexpr Transition kTransitions[] = {
    {CardState::streaming, Trigger::complete, CardState::pending},
    {CardState::streaming, Trigger::invalidate, CardState::invalid},
    {CardState::streaming, Trigger::cancel, CardState::cancelled},

    {CardState::pending, Trigger::dispatch, CardState::ready},
    {CardState::pending, Trigger::invalidate, CardState::invalid},
    {CardState::pending, Trigger::fail, CardState::error},
    {CardState::pending, Trigger::cancel, CardState::cancelled},

    {CardState::ready, Trigger::miss, CardState::not_found},
    {CardState::ready, Trigger::check, CardState::resolving},
    {CardState::ready, Trigger::pass, CardState::approved},
    {CardState::ready, Trigger::ask, CardState::awaiting_approval},
    {CardState::ready, Trigger::deny, CardState::denied},
    {CardState::ready, Trigger::invalidate, CardState::invalid},
    {CardState::ready, Trigger::cancel, CardState::cancelled},

    {CardState::resolving, Trigger::resolve, CardState::ready},
    {CardState::resolving, Trigger::deny, CardState::denied},
    {CardState::resolving, Trigger::invalidate, CardState::invalid},
    {CardState::resolving, Trigger::cancel, CardState::cancelled},

    {CardState::awaiting_approval, Trigger::approve, CardState::approved},
    {CardState::awaiting_approval, Trigger::deny, CardState::denied},
    {CardState::awaiting_approval, Trigger::expire, CardState::expired},
    {CardState::awaiting_approval, Trigger::invalidate, CardState::invalid},
    {CardState::awaiting_approval, Trigger::cancel, CardState::cancelled},
    {CardState::awaiting_approval, Trigger::recall, CardState::ready},

    {CardState::approved, Trigger::start, CardState::executing},
    {CardState::approved, Trigger::invalidate, CardState::invalid},
    {CardState::approved, Trigger::cancel, CardState::cancelled},
    {CardState::approved, Trigger::recall, CardState::ready},

    {CardState::executing, Trigger::succeed, CardState::success},
    {CardState::executing, Trigger::fail, CardState::error},
    {CardState::executing, Trigger::hold, CardState::awaiting_result_approval},
    {CardState::executing, Trigger::deny, CardState::denied},
    {CardState::executing, Trigger::time_out, CardState::timeout},
    {CardState::executing, Trigger::cancel, CardState::cancelled},
    {CardState::executing, Trigger::lose, CardState::unknown},
    {CardState::executing, Trigger::recall, CardState::ready},

    {CardState::awaiting_result_approval, Trigger::succeed, CardState::success},
    {CardState::awaiting_result_approval, Trigger::fail, CardState::error},
    {CardState::awaiting_result_approval, Trigger::reject, CardState::result_rejected},
};

// The name in the table. Hosts and models see status_text: `ready`, `resolving` and `approved` are "pending" there.
std::string_view to_text(CardState state);
std::string_view to_text(Trigger trigger);
std::string_view status_text(CardState state);
bool is_final(CardState state);
// Does a person have to decide before the call goes on?
inline bool asks_person(CardState state) {
  return state == CardState::awaiting_approval || state == CardState::awaiting_result_approval;
}
std::optional<CardState> next_state(CardState state, Trigger trigger);  // nullopt: the table has no such row

// Draws the table as the diagram in native/src/README.md.
std::string transition_diagram();

struct ApprovalRecord {
  std::string_view stage;          // execution | result
  std::string_view decision;       // approved | denied | expired
  std::string_view by;             // user | rule | policy
  std::string_view remember = {};  // once | turn | session | always; empty if there was nothing to remember
  std::string reason = {};
  std::optional<int64_t> at = {};
};

// The source of a card whose tool the provider runs.
inline constexpr std::string_view kProvider = "provider";
// The source of a card that another tool asked for.
inline constexpr std::string_view kNested = "nested";

// Fields that a card event can carry; SLUICE_GET_MESSAGE prints all of them.
namespace field {
enum : uint32_t {
  head = 1U << 0,  // wireId, name, askedName, source, round
  status = 1U << 1,
  arguments = 1U << 2,
  raw_arguments = 1U << 3,
  edited = 1U << 4,
  reserved = 1U << 5,
  raw = 1U << 6,  // raw, start, end, utf16Start, utf16End
  reason = 1U << 7,
  output = 1U << 8,  // output, outputBytes, parts, rewritten
  model_text = 1U << 9,
  error = 1U << 10,
  started = 1U << 11,
  ended = 1U << 12,  // endedAt, durationMs
  approvals = 1U << 13,
  progress = 1U << 14,
  host_arguments = 1U << 15,
  identity = 1U << 16,  // digest, key
  all = ~0U,
};
}  // namespace field

class Card {
 public:
  CardState state() const { return state_; }
  bool final() const { return is_final(state_); }
  // Complete, and not running yet: hosts and models read "pending".
  bool is_pending() const {
    return state_ == CardState::pending || state_ == CardState::ready || state_ == CardState::resolving ||
           state_ == CardState::approved;
  }
  bool apply(Trigger trigger);  // false: the table has no such row, and nothing changed

  // -- what card events carry: each setter marks its field, and Log::tell sends what is marked
  const std::string &wire_id() const { return wire_id_; }                // the provider's, or the format's own
  const std::string &requested_name() const { return requested_name_; }  // as the model wrote it
  const std::string &resolved() const { return resolved_; }   // the tool's own name; kept if the tool is gone
  const SharedText &arguments() const { return arguments_; }  // one JSON object, coerced; empty until complete
  const std::optional<std::string> &edited() const { return edited_; }
  const std::optional<std::string> &host_arguments() const { return host_arguments_; }  // sluice_turn_resolve
  // The same before the question: from then on they are the call.
  const std::optional<std::string> &resolved_arguments() const { return resolved_arguments_; }
  // SHA-256 of tool, arguments and definition as it came to the gate. An edit does not change it.
  const std::string &digest() const { return digest_; }
  // What the call does, in its turn: round, digest of tool and arguments, and a number from 2 on for equal calls.
  const std::string &key() const { return key_; }
  const std::string &reserved() const { return reserved_; }
  const SharedText &raw() const { return raw_; }  // the block in the text; [start, end) of the round's text
  size_t start() const { return start_; }
  size_t end() const { return end_; }
  const std::string &reason() const { return reason_; }
  bool has_output() const { return has_output_; }
  bool output_is_json() const { return output_is_json_; }  // the result that the model reads is JSON
  const std::string &parts() const { return parts_; }      // JSON array of content parts
  // The result that the host gave the model in place of the tool's own: {"text":...}, with "parts" if it has images.
  const std::optional<std::string> &rewritten() const { return rewritten_; }
  std::string_view model_parts() const;  // the content parts that the model gets
  bool has_model_text() const { return has_model_text_; }
  const std::string &model_text() const { return model_text_; }  // what the model reads about this call
  const std::string &error() const { return error_; }
  const std::vector<std::string> &near() const { return near_; }  // not found: the nearest names
  const std::optional<int64_t> &started_at() const { return started_at_; }
  const std::optional<int64_t> &ended_at() const { return ended_at_; }
  const std::vector<ApprovalRecord> &approvals() const { return approvals_; }
  const std::string &progress() const { return progress_; }

  void open_as(std::string_view requested_name, const Tool *found) {
    mark(field::head | field::status);
    requested_name_ = requested_name;
    resolve(found);
  }
  void rename(std::string_view requested_name, const Tool *found) {
    mark(field::head);
    requested_name_ = requested_name;
    resolve(found);
  }
  void set_wire_id(std::string_view id) {
    mark(field::head);
    wire_id_ = id;
  }
  void set_arguments(SharedText coerced) {
    mark(field::arguments);
    forget_spelling();
    arguments_ = std::move(coerced);
  }
  void set_raw_arguments(SharedText written) {  // of a tool that the provider runs: no events told them
    mark(field::raw_arguments);
    raw_arguments = std::move(written);
  }
  void set_edited(std::string checked) {
    mark(field::edited);
    forget_spelling();
    edited_ = std::move(checked);
  }
  void set_host_arguments(std::string checked) {
    mark(field::host_arguments);
    host_arguments_ = std::move(checked);
  }
  void set_resolved_arguments(std::optional<std::string> checked) {
    mark(field::host_arguments);
    forget_spelling();
    resolved_arguments_ = std::move(checked);
  }
  void set_digest(std::string digest) {
    mark(field::identity);
    digest_ = std::move(digest);
  }
  void set_key(std::string key) {
    mark(field::identity);
    key_ = std::move(key);
  }
  void set_reserved(std::string object) {
    mark(field::reserved);
    reserved_ = std::move(object);
  }
  // `utf16_start`: the UTF-16 units in front of `start`.
  void set_raw(SharedText raw, size_t start, size_t end, int64_t utf16_start) {
    mark(field::raw);
    raw_ = std::move(raw);
    start_ = start;
    end_ = end;
    utf16_start_ = utf16_start;
  }
  void set_start(size_t start) { start_ = start; }  // of a block that has just opened; set_raw tells it later
  void set_reason(std::string_view reason) {
    mark(field::reason);
    reason_ = reason;
  }
  // `bytes`: the size of the whole output; `output` may be its beginning.
  void set_output(std::string_view output, size_t bytes, bool is_json, std::string_view parts = {}) {
    mark(field::output);
    output_ = output;
    output_bytes_ = bytes;
    output_is_json_ = is_json;
    parts_ = parts;
    has_output_ = true;
  }
  // Pictures and files that a tool of the provider gave: a JSON array of content parts.
  void set_parts(std::string parts) {
    mark(field::output);
    parts_ = std::move(parts);
  }
  void set_rewritten(std::string object) {
    mark(field::output);
    rewritten_ = std::move(object);
  }
  void set_model_text(std::string text) {
    mark(field::model_text);
    model_text_ = std::move(text);
    has_model_text_ = true;
  }
  void set_error(std::string_view error) {
    mark(field::error);
    error_ = error;
  }
  void set_near(std::vector<std::string> names) {
    mark(field::error);
    near_ = std::move(names);
  }
  void set_started(std::optional<int64_t> now) {
    mark(field::started);
    started_at_ = running_since = now;
  }
  void set_ended(std::optional<int64_t> now) {
    mark(field::ended);
    ended_at_ = now;
  }
  void add_approval(ApprovalRecord record) {
    mark(field::approvals);
    approvals_.push_back(std::move(record));
  }
  void set_progress(std::string text) {
    mark(field::progress);
    progress_ = std::move(text);
  }

  // The next card event has every field.
  void tell_again() { mark(field::all); }
  // Fields that changed since the last card event.
  uint32_t changes() const { return changes_; }
  void forget_changes() { changes_ = 0; }

  // Appends the members that `fields` names and that apply, as `"a":1,"b":2`. `lent`: receives large texts instead of
  // `out`.
  void write(uint32_t fields, std::string &out, LentTexts *lent = nullptr) const;
  // The model's arguments as they may be sent back to a provider: always a valid JSON object.
  std::string_view sendable_arguments() const;
  // The arguments that the tool runs with, but for those that the host resolves when it starts.
  std::string_view effective_arguments() const {
    if (edited_) return *edited_;
    return resolved_arguments_ ? std::string_view(*resolved_arguments_) : arguments_.view();
  }
  // Their canonical form, made when it is first asked for and kept until forget_spelling().
  std::string_view canonical_arguments() const;
  void forget_spelling();
  // The tool's own name, or the name that the model wrote if there is no such tool.
  std::string_view name() const {
    return resolved_.empty() ? std::string_view(requested_name_) : std::string_view(resolved_);
  }
  bool tool_is_immediate() const { return tool != nullptr && tool->immediate; }
  // Nobody waits for its result: its tool only sends a message, or it is a tag that has no tool to run.
  bool fire_and_forget() const {
    return (tool != nullptr && tool->ipc.has_value()) ||
           (is_tag() && (tool == nullptr || state_ == CardState::not_found));
  }
  bool is_tag() const { return source == "inline_tags"; }
  // The provider runs the tool: the call passes no gate, and its result is the provider's to tell the model.
  bool is_provided() const { return source == kProvider; }
  // Another tool asked for it: it has no block, and the model never reads of it.
  bool is_nested() const { return caller != 0; }
  // The model need not read how it ended, so it causes no round. A native call of an `ipc` tool that was refused does.
  bool needs_no_answer() const {
    return fire_and_forget() && (is_tag() ? final() : state_ == CardState::success || state_ == CardState::error);
  }
  // A tag that nobody waits for stays in the history as text, and needs no result.
  bool stays_as_text() const { return is_tag() && needs_no_answer(); }

  // Sets what each_field does not restore.
  void restore(CardState state, std::vector<ApprovalRecord> approvals, std::vector<std::string> near) {
    state_ = state;
    approvals_ = std::move(approvals);
    near_ = std::move(near);
    if (tool == nullptr && !final()) mark(field::head);  // it may end under a name that nobody was told
  }

  // -- set when it opened
  uint32_t call = 0;
  size_t block = 0;  // of a nested call: its caller's
  uint32_t round = 0;
  std::string source;    // "native" or the protocol's id
  bool adopted = false;  // the call of an earlier turn: it stands in the host's last message
  // -- what the model asked for
  const Tool *tool = nullptr;
  std::string history_id;       // the id that is sent back: legal, and unique in the conversation
  bool asked_differed = false;  // an event had askedName: a patch cannot remove it
  // As the model wrote them. `args` events tell them while they stream; complete and invalidate mark them.
  SharedText raw_arguments;
  bool typed = true;          // the arguments carry JSON types: nothing to coerce
  bool keys_renamed = false;  // the server has other names for keys of them: what is sent is written from `arguments`
  std::string broken;         // the reason, if the wire reported that bytes of the call were lost
  bool ended = false;         // the provider said that it wrote all of the call
  bool oversize = false;      // longer than limits.argumentBytes: the rest was dropped
  size_t tried = 0;           // the size of raw_arguments when they were last found incomplete
  JsonProgress shape;         // of raw_arguments; not saved: a restore reads them again
  bool late = false;          // a diagnostic reported arguments that came after the call had started
  bool dropped = false;       // malformed: "drop": the model is not told of the call
  // -- the gate
  bool definition_changed = false;  // the tool has changed since the turn was saved
  bool asked_polled = false;        // the host polled its question, so that somebody may have seen it
  bool host_checked = false;        // the host resolved its arguments; not saved: a restored turn asks again
  ExecutionApproval policy = ExecutionApproval::ask_always;
  std::optional<int64_t> asked_at;
  // -- its run
  bool detached = false;                 // settled as soon as it starts: nobody waits for its result
  std::optional<int64_t> running_since;  // moves when the machine slept; started_at does not
  bool failed = false;                   // the host submitted a failure
  std::optional<int64_t> summarized_at;  // when the server that ran it had summed it up (observeOnly)
  // -- calls of a tool by another one
  uint32_t caller = 0;      // the call whose tool asked for it; 0: the model did
  std::string caller_name;  // the name of that tool
  uint32_t ordinal = 0;     // its number among the calls of its caller, from 1 on
  bool claimed = true;      // its caller asked for it since the turn was restored; not saved
  uint32_t nested = 0;      // calls that its tool asked for; not saved, counted again
  uint32_t unclaimed = 0;   // those of them that it did not ask for since the turn was restored; not saved
  uint32_t questions = 0;   // open questions of calls below it: its clock does not run; not saved, counted again
  std::optional<int64_t> paused_at;  // since when

  // Saves and restores every field but state, approvals and near names. `AnyCard` is const when it is saved.
  template <class AnyCard, class Visit>
  static void each_field(AnyCard &card, const Visit &visit) {
    visit("block", card.block);
    visit("round", card.round);
    visit("source", card.source);
    visit("asked", card.requested_name_);
    visit("historyId", card.history_id);
    visit("resolved", card.resolved_);
    visit("wireId", card.wire_id_);
    visit("rawArguments", card.raw_arguments);
    visit("arguments", card.arguments_);
    visit("protocolFields", card.reserved_);
    visit("raw", card.raw_);
    visit("start", card.start_);
    visit("end", card.end_);
    visit("utf16Start", card.utf16_start_);
    visit("typed", card.typed);
    visit("keysRenamed", card.keys_renamed);
    visit("broken", card.broken);
    visit("ended", card.ended);
    visit("oversize", card.oversize);
    visit("askedDiffered", card.asked_differed);
    visit("adopted", card.adopted);
    visit("late", card.late);
    visit("tried", card.tried);
    visit("askedPolled", card.asked_polled);
    visit("editedArguments", card.edited_);
    visit("hostArguments", card.host_arguments_);
    visit("resolvedArguments", card.resolved_arguments_);
    visit("digest", card.digest_);
    visit("key", card.key_);
    visit("askedAt", card.asked_at);
    visit("detached", card.detached);
    visit("runningSince", card.running_since);
    visit("startedAt", card.started_at_);
    visit("endedAt", card.ended_at_);
    visit("progress", card.progress_);
    visit("reason", card.reason_);
    visit("output", card.output_);
    visit("outputBytes", card.output_bytes_);
    visit("outputIsJson", card.output_is_json_);
    visit("parts", card.parts_);
    visit("hostOutput", card.rewritten_);
    visit("failed", card.failed);
    visit("summarizedAt", card.summarized_at);
    visit("error", card.error_);
    visit("modelOutput", card.model_text_);
    visit("hasOutput", card.has_output_);
    visit("hasTold", card.has_model_text_);
    visit("dropped", card.dropped);
    visit("caller", card.caller);
    visit("callerName", card.caller_name);
    visit("ordinal", card.ordinal);
    visit("pausedAt", card.paused_at);
    visit("dirty", card.changes_);
  }

 private:
  void mark(uint32_t fields) { changes_ |= fields; }
  void resolve(const Tool *found) {
    tool = found;
    resolved_ = found != nullptr ? found->name : std::string();
  }

  CardState state_ = CardState::streaming;
  uint32_t changes_ = 0;
  std::string wire_id_, requested_name_, resolved_;
  SharedText arguments_;
  mutable bool spelled_ = false;
  mutable std::string canonical_;  // once spelled; empty: effective_arguments() are in canonical form already
  std::optional<std::string> edited_;
  std::optional<std::string> resolved_arguments_, host_arguments_;
  std::string digest_, key_;
  std::string reserved_;
  SharedText raw_;
  size_t start_ = 0, end_ = 0;
  std::optional<int64_t> utf16_start_;  // none: saved by a version that did not count it
  std::string reason_;
  std::string output_, parts_;
  std::optional<std::string> rewritten_;
  size_t output_bytes_ = 0;
  bool has_output_ = false, output_is_json_ = false, has_model_text_ = false;
  std::string model_text_, error_;
  std::vector<std::string> near_;
  std::optional<int64_t> started_at_, ended_at_;
  std::vector<ApprovalRecord> approvals_;
  std::string progress_;
};

}  // namespace sluice
