// One tool call and its life. All states, triggers and transitions stand in one table; nothing else assigns the state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_progress.h"
#include "base/shared_text.h"
#include "tools/approval.h"
#include "tools/tool.h"
#include "turn/lent_text.h"

namespace sluice {

enum class CardState : uint8_t {
  streaming,  // its arguments are being written
  pending,    // complete: waits for the end of the answer, for its turn, or for a person's button
  awaiting_approval,
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
  unknown,  // it ran, and nobody knows how far
};

enum class Trigger : uint8_t {
  complete,  // the call was read to its end
  spoil,     // it lost bytes, or its arguments are wrong
  miss,      // no such tool, or not for this model
  ask,
  approve,
  start,
  hold,  // the result waits for a person
  succeed,
  fail,
  deny,
  reject,  // the result is not released
  expire,
  time_out,
  cancel,
  lose,    // cancelled while it ran
  recall,  // restored before anybody saw it start: back to the gate
};

struct Transition {
  CardState from;
  Trigger trigger;
  CardState to;
};

inline constexpr Transition kTransitions[] = {
    {CardState::streaming, Trigger::complete, CardState::pending},
    {CardState::streaming, Trigger::spoil, CardState::invalid},
    {CardState::streaming, Trigger::cancel, CardState::cancelled},

    {CardState::pending, Trigger::spoil, CardState::invalid},
    {CardState::pending, Trigger::miss, CardState::not_found},
    {CardState::pending, Trigger::fail, CardState::error},
    {CardState::pending, Trigger::deny, CardState::denied},
    {CardState::pending, Trigger::ask, CardState::awaiting_approval},
    {CardState::pending, Trigger::start, CardState::executing},
    {CardState::pending, Trigger::cancel, CardState::cancelled},

    {CardState::awaiting_approval, Trigger::approve, CardState::pending},
    {CardState::awaiting_approval, Trigger::deny, CardState::denied},
    {CardState::awaiting_approval, Trigger::expire, CardState::expired},
    {CardState::awaiting_approval, Trigger::spoil, CardState::invalid},
    {CardState::awaiting_approval, Trigger::cancel, CardState::cancelled},
    {CardState::awaiting_approval, Trigger::recall, CardState::pending},

    {CardState::executing, Trigger::succeed, CardState::success},
    {CardState::executing, Trigger::fail, CardState::error},
    {CardState::executing, Trigger::hold, CardState::awaiting_result_approval},
    {CardState::executing, Trigger::time_out, CardState::timeout},
    {CardState::executing, Trigger::cancel, CardState::cancelled},
    {CardState::executing, Trigger::lose, CardState::unknown},
    {CardState::executing, Trigger::recall, CardState::pending},

    {CardState::awaiting_result_approval, Trigger::succeed, CardState::success},
    {CardState::awaiting_result_approval, Trigger::fail, CardState::error},
    {CardState::awaiting_result_approval, Trigger::reject, CardState::result_rejected},
};

std::string_view to_text(CardState state);
std::string_view to_text(Trigger trigger);
bool is_final(CardState state);
std::optional<CardState> next_state(CardState state, Trigger trigger);  // nullopt: not in the table

// The table as the diagram of native/src/README.md.
std::string transition_diagram();

struct ApprovalRecord {
  std::string_view stage;     // execution | result
  std::string_view decision;  // approved | denied | expired
  std::string_view by;        // user | rule | policy
  std::string_view remember;  // once | turn | session | always; empty where nothing was to be remembered
  std::string reason;
  std::optional<int64_t> at;
};

// What of a card a patch may tell. The same bits print the whole card in SLUICE_GET_MESSAGE.
namespace field {
enum : uint32_t {
  head = 1U << 0,  // wireId, name, askedName, source, round
  status = 1U << 1,
  arguments = 1U << 2,
  raw_arguments = 1U << 3,
  edited = 1U << 4,
  reserved = 1U << 5,
  raw = 1U << 6,  // raw, start, end
  reason = 1U << 7,
  output = 1U << 8,  // output, outputBytes, parts
  told = 1U << 9,
  error = 1U << 10,
  started = 1U << 11,
  ended = 1U << 12,  // endedAt, durationMs
  approvals = 1U << 13,
  progress = 1U << 14,
  all = ~0U,
};
}  // namespace field

class Card {
 public:
  CardState state() const { return state_; }
  bool final() const { return is_final(state_); }
  bool apply(Trigger trigger);  // false: not in the table, nothing changed

  // Members that `fields` names and that apply, as `"a":1,"b":2` behind what stands in `out` already. `lent`: what is
  // large is not written but lent.
  void write(uint32_t fields, std::string &out, LentTexts *lent = nullptr) const;
  // What the model asked for, as JSON object text that may go back to a provider: never broken JSON.
  std::string_view sendable_arguments() const;
  // What the tool runs with.
  std::string_view effective_arguments() const { return edited ? std::string_view(*edited) : arguments.view(); }
  // canonical_json of these, from spell() until it starts.
  std::string_view canonical_arguments() const { return canonical.empty() ? effective_arguments() : canonical; }
  void spell();
  // The engine's name for the tool, else the one that was asked for.
  std::string_view name() const { return resolved.empty() ? std::string_view(asked) : std::string_view(resolved); }
  void resolve(const Tool *found) {
    tool = found;
    resolved = found != nullptr ? found->name : std::string();
  }
  bool tool_is_immediate() const { return tool != nullptr && tool->immediate; }
  bool fire_and_forget() const { return tool != nullptr && tool->ipc.has_value(); }
  bool is_tag() const { return source == "inline_tags"; }
  // A tag that did what it says: it stays in the history as it was written, and needs no result.
  bool stays_as_text() const { return is_tag() && fire_and_forget() && state_ == CardState::success; }

  // -- set when it opened
  uint32_t call = 0;
  size_t block = 0;
  uint32_t round = 0;
  std::string source;  // "native" or the protocol's id
  // -- what the model asked for
  std::string wire_id;     // the provider's, or the format's own
  std::string history_id;  // the one that goes back: legal and unique in the conversation
  std::string asked;       // the name as written
  std::string resolved;    // the tool's own name; stays when the tool is gone
  const Tool *tool = nullptr;
  bool asked_differed = false;  // askedName was told: a patch cannot take it back
  SharedText raw_arguments;
  SharedText arguments;  // one JSON object, coerced; empty while not known
  std::string members;   // opaque members of the provider, to go back verbatim
  std::string reserved;
  SharedText raw;
  size_t start = 0, end = 0;
  bool typed = true;                // arguments carry JSON types: nothing to coerce
  std::string broken;               // the reason, where the wire says that something of it was lost
  bool oversize = false;            // past limits.argumentBytes: what came later was dropped
  size_t tried = 0;                 // raw_arguments of this size were looked at, and are not complete
  JsonProgress shape;               // of raw_arguments: not saved, it reads them again
  bool adopted = false;             // asked for before this turn, in the host's last message
  bool late = false;                // more came when it had started: told once
  bool definition_changed = false;  // restored: the tool is not what it was when it was saved
  // -- the gate
  bool ready = false;         // complete, and its dispatch has come
  bool admitted = false;      // it went through policy
  bool approved = false;      // it may run as soon as there is room
  bool asked_polled = false;  // its question was polled: somebody may have seen it
  ExecutionApproval policy = ExecutionApproval::ask_always;
  std::string canonical;  // of the effective arguments, at the gate; empty: they are spelled so
  std::optional<std::string> edited;
  std::vector<ApprovalRecord> approvals;
  std::optional<int64_t> asked_at;
  // -- its run
  bool detached = false;                 // execute and go on: the card is settled at once
  std::optional<int64_t> running_since;  // moves when the machine slept; started_at does not
  std::optional<int64_t> started_at, ended_at;
  std::string progress;
  // -- how it ended
  std::string reason;
  std::string output;
  size_t output_bytes = 0;
  bool output_is_json = false;
  std::string parts;    // JSON array of content parts
  bool failed = false;  // what was submitted is a failure
  std::string error;
  std::vector<std::string> near;  // not found: the names it may have meant
  std::string told;               // what the model reads
  bool has_output = false, has_told = false;
  bool dropped = false;  // malformed: drop — the model is not told that it ever was

  uint32_t dirty = 0;  // fields that no card event told yet

  // A card as it was saved.
  void restore(CardState state) { state_ = state; }

 private:
  CardState state_ = CardState::streaming;
};

}  // namespace sluice
