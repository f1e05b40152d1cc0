#include "turn/card.h"

#include <array>

#include "base/json.h"
#include "base/release.h"
#include "base/state_table.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 18> kStates = {
    "streaming",         "pending",  "ready",     "resolving",
    "awaiting_approval", "approved", "executing", "awaiting_result_approval",
    "success",           "error",    "denied",    "result_rejected",
    "not_found",         "invalid",  "timeout",   "expired",
    "cancelled",         "unknown"};

constexpr std::array<std::string_view, 20> kTriggers = {
    "complete", "invalidate", "dispatch", "miss", "check",  "resolve", "pass",     "ask",    "approve", "start",
    "hold",     "succeed",    "fail",     "deny", "reject", "expire",  "time_out", "cancel", "lose",    "recall"};

class Members {
 public:
  explicit Members(std::string &out) : out_(out) {}
  void text(std::string_view key, std::string_view utf8) { append_json_string(name(key), utf8); }
  void number(std::string_view key, int64_t value) { append_number(name(key), value); }
  void raw(std::string_view key, std::string_view json) { name(key) += json; }
  std::string &name(std::string_view key) {
    if (!out_.empty() && out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += key;
    out_ += "\":";
    return out_;
  }

 private:
  std::string &out_;
};

void write_approvals(const std::vector<ApprovalRecord> &records, std::string &out) {
  out += '[';
  for (const ApprovalRecord &record : records) {
    if (out.back() != '[') out += ',';
    out += '{';
    Members members(out);
    members.text("stage", record.stage);
    members.text("decision", record.decision);
    members.text("by", record.by);
    if (!record.remember.empty()) members.text("remember", record.remember);
    if (!record.reason.empty()) members.text("reason", record.reason);
    if (record.at) members.number("at", *record.at);
    out += '}';
  }
  out += ']';
}

}  // namespace

std::string_view to_text(CardState state) { return kStates[static_cast<size_t>(state)]; }
std::string_view to_text(Trigger trigger) { return kTriggers[static_cast<size_t>(trigger)]; }

std::string_view status_text(CardState state) {
  const bool waits = state == CardState::ready || state == CardState::resolving || state == CardState::approved;
  return to_text(waits ? CardState::pending : state);
}

bool is_final(CardState state) { return state >= CardState::success; }

std::optional<CardState> next_state(CardState state, Trigger trigger) {
  constexpr Transitions<CardState, Trigger, std::size(kStates), std::size(kTriggers)> kSteps(kTransitions);
  return kSteps(state, trigger);
}

std::string transition_diagram() {
  return draw_table(
      kTransitions, [](CardState state) { return to_text(state); }, [](Trigger trigger) { return to_text(trigger); });
}

bool Card::apply(Trigger trigger) {
  const std::optional<CardState> to = next_state(state_, trigger);
  if (!to) return false;
  if (status_text(*to) != status_text(state_)) mark(field::status);
  if (trigger == Trigger::complete || trigger == Trigger::invalidate) mark(field::raw_arguments);
  state_ = *to;
  return true;
}

std::string_view Card::canonical_arguments() const {
  if (!spelled_) {
    canonical_ = canonical_json(effective_arguments());
    if (canonical_ == effective_arguments()) release_text(canonical_);
    spelled_ = true;
  }
  return canonical_.empty() ? effective_arguments() : canonical_;
}

void Card::forget_spelling() {
  spelled_ = false;
  release_text(canonical_);
}

void Card::write(uint32_t fields, std::string &out, LentTexts *lent) const {
  Members list(out);
  const auto written = [&](std::string_view key, const SharedText &text, bool quoted) {
    if (lent != nullptr && text.size() >= kLendsFrom)
      lent->push_back({list.name(key).size(), text, quoted});
    else
      quoted ? list.text(key, text) : list.raw(key, text);
  };
  if (fields & field::head) {
    if (!wire_id_.empty()) list.text("wireId", wire_id_);
    if (!requested_name_.empty()) list.text("name", name());
    if (asked_differed || name() != requested_name_) list.text("askedName", requested_name_);
    list.text("source", source);
    list.number("round", round);
    if (adopted) list.raw("adopted", "true");
  }
  if (fields & field::status) list.text("status", status_text(state_));
  if (fields & field::arguments && !arguments_.empty()) written("arguments", arguments_, false);
  if (fields & field::raw_arguments && !raw_arguments.empty()) written("rawArguments", raw_arguments, true);
  if (fields & field::edited && edited_) list.raw("editedArguments", *edited_);
  if (fields & field::host_arguments && (host_arguments_ || resolved_arguments_))
    list.raw("hostArguments", host_arguments_ ? *host_arguments_ : *resolved_arguments_);
  if (fields & field::identity && !digest_.empty()) list.text("digest", digest_);
  if (fields & field::identity && !key_.empty()) list.text("key", key_);
  if (fields & field::reserved && !reserved_.empty()) list.raw("protocolFields", reserved_);
  if (fields & field::raw && !raw_.empty()) {
    written("raw", raw_, true);
    list.number("start", static_cast<int64_t>(start_));
    list.number("end", static_cast<int64_t>(end_));
    if (utf16_start_) {
      list.number("utf16Start", *utf16_start_);
      list.number("utf16End", *utf16_start_ + static_cast<int64_t>(utf16_length(raw_)));
    }
  }
  if (fields & field::reason && !reason_.empty()) list.text("reason", reason_);
  if (fields & field::output && (has_output_ || !parts_.empty())) {
    if (has_output_) {
      list.text("output", output_);
      list.number("outputBytes", static_cast<int64_t>(output_bytes_));
    }
    if (!parts_.empty()) list.raw("parts", parts_);
    if (rewritten_) list.raw("hostOutput", *rewritten_);
    if (is_nested() && has_output_ && output_is_json_) list.raw("json", "true");
  }
  if (fields & field::model_text && has_model_text_) list.text("modelOutput", model_text_);
  if (fields & field::error && !error_.empty()) list.text("error", error_);
  if (fields & field::error && !near_.empty()) {
    std::string &names = list.name("suggestions");
    for (const std::string &name : near_) append_json_string(names.append(&name == &near_.front() ? "[" : ","), name);
    names += ']';
  }
  if (fields & field::started && started_at_) list.number("startedAt", *started_at_);
  if (fields & field::ended && ended_at_) {
    list.number("endedAt", *ended_at_);
    if (started_at_) list.number("durationMs", *ended_at_ - *started_at_);
  }
  if (fields & field::approvals && !approvals_.empty()) write_approvals(approvals_, list.name("approvals"));
  if (fields & field::progress && !progress_.empty()) list.text("progress", progress_);
}

std::string_view Card::model_parts() const {
  return rewritten_ ? json_member(*rewritten_, "parts").value_or("") : std::string_view(parts_);
}

std::string_view Card::sendable_arguments() const {
  // As the model wrote it where every reader takes that; else what was made of it.
  const bool plain = json_kind(raw_arguments) == '{' && raw_arguments.view().find("\\ud") == std::string::npos &&
                     raw_arguments.view().find("\\uD") == std::string::npos;
  if (source == "native" && !keys_renamed && !arguments_.empty() && plain) return raw_arguments;
  return arguments_.empty() ? std::string_view("{}") : arguments_.view();
}

}  // namespace sluice
