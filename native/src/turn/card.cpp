#include "turn/card.h"

#include <array>

#include "base/json.h"
#include "base/release.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 15> kStates = {"streaming",
                                                      "pending",
                                                      "awaiting_approval",
                                                      "executing",
                                                      "awaiting_result_approval",
                                                      "success",
                                                      "error",
                                                      "denied",
                                                      "result_rejected",
                                                      "not_found",
                                                      "invalid",
                                                      "timeout",
                                                      "expired",
                                                      "cancelled",
                                                      "unknown"};

constexpr std::array<std::string_view, 16> kTriggers = {"complete", "spoil",   "miss", "ask",   "approve", "start",
                                                        "hold",     "succeed", "fail", "deny",  "reject",  "expire",
                                                        "time_out", "cancel",  "lose", "recall"};

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
bool is_final(CardState state) { return state >= CardState::success; }

std::optional<CardState> next_state(CardState state, Trigger trigger) {
  for (const Transition &transition : kTransitions)
    if (transition.from == state && transition.trigger == trigger) return transition.to;
  return std::nullopt;
}

std::string transition_diagram() {
  std::string out;
  const Transition *previous = nullptr;
  for (const Transition &transition : kTransitions) {
    const bool same = previous != nullptr && previous->from == transition.from;
    const std::string_view from = to_text(transition.from);
    std::string line(same ? std::string(from.size(), ' ') : std::string(from));
    line.resize(25, ' ');
    line += "-- ";
    line += to_text(transition.trigger);
    line.resize(37, ' ');
    out += line + "-> " + std::string(to_text(transition.to)) + "\n";
    previous = &transition;
  }
  return out;
}

bool Card::apply(Trigger trigger) {
  const std::optional<CardState> to = next_state(state_, trigger);
  if (!to) return false;
  state_ = *to;
  dirty |= field::status;
  return true;
}

void Card::spell() {
  canonical = canonical_json(effective_arguments());
  if (canonical == effective_arguments()) release_text(canonical);
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
    if (!wire_id.empty()) list.text("wireId", wire_id);
    if (!asked.empty()) list.text("name", name());
    if (asked_differed || name() != asked) list.text("askedName", asked);
    list.text("source", source);
    list.number("round", round);
    if (adopted) list.raw("adopted", "true");
  }
  if (fields & field::status) list.text("status", to_text(state_));
  if (fields & field::arguments && !arguments.empty()) written("arguments", arguments, false);
  if (fields & field::raw_arguments && !raw_arguments.empty()) written("rawArguments", raw_arguments, true);
  if (fields & field::edited && edited) list.raw("edited", *edited);
  if (fields & field::reserved && !reserved.empty()) list.raw("reserved", reserved);
  if (fields & field::raw && !raw.empty()) {
    written("raw", raw, true);
    list.number("start", static_cast<int64_t>(start));
    list.number("end", static_cast<int64_t>(end));
  }
  if (fields & field::reason && !reason.empty()) list.text("reason", reason);
  if (fields & field::output && has_output) {
    list.text("output", output);
    list.number("outputBytes", static_cast<int64_t>(output_bytes));
    if (!parts.empty()) list.raw("parts", parts);
  }
  if (fields & field::told && has_told) list.text("told", told);
  if (fields & field::error && !error.empty()) list.text("error", error);
  if (fields & field::error && !near.empty()) {
    std::string &names = list.name("near");
    for (const std::string &name : near) append_json_string(names.append(&name == &near.front() ? "[" : ","), name);
    names += ']';
  }
  if (fields & field::started && started_at) list.number("startedAt", *started_at);
  if (fields & field::ended && ended_at) {
    list.number("endedAt", *ended_at);
    if (started_at) list.number("durationMs", *ended_at - *started_at);
  }
  if (fields & field::approvals && !approvals.empty()) write_approvals(approvals, list.name("approvals"));
  if (fields & field::progress && !progress.empty()) list.text("progress", progress);
}

std::string_view Card::sendable_arguments() const {
  // As the model wrote it where every reader takes that; else what was made of it.
  const bool plain = json_kind(raw_arguments) == '{' && raw_arguments.view().find("\\ud") == std::string::npos &&
                     raw_arguments.view().find("\\uD") == std::string::npos;
  if (source == "native" && !arguments.empty() && plain) return raw_arguments;
  return arguments.empty() ? std::string_view("{}") : arguments.view();
}

}  // namespace sluice
