// Results: reads what a tool delivered, shows it on the card, and decides whether the user must release it to the
// model.
#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/reading.h"
#include "base/sha256.h"
#include "base/text.h"
#include "turn/gate.h"
#include "turn/question.h"

namespace sluice {
namespace {

// Checks content parts (SLUICE_RESULT_PARTS). `text` receives their texts, `image` becomes true if there is an image.
Status check_parts(std::string_view json, std::string &text, bool &image) {
  if (json_kind(json) != '[') return error(Code::json, "expected an array of content parts");
  size_t index = 0;
  for (JsonSlices parts(json); parts.next(); ++index) {
    const std::string path = "[" + std::to_string(index) + "]";
    const auto string_member = [&](std::string_view key) -> std::optional<std::string> {
      const auto value = json_member(parts.value(), key);
      if (!value || json_kind(*value) != '"') return std::nullopt;
      return json_text(*value);
    };
    const auto type = string_member("type");
    if (type == "text") {
      const auto piece = string_member("text");
      if (!piece) return error(Code::json, "expected a text part with a string \"text\"", path);
      if (!text.empty()) text += '\n';
      text += *piece;
    } else if (type == "image") {
      const auto url = string_member("url");
      const auto media = string_member("mediaType");
      if (!url && !(string_member("data") && media))
        return error(Code::json, "expected an image part with \"url\", or with \"mediaType\" and \"data\"", path);
      // A provider refuses the whole request if one image is not an image.
      const std::string_view kind = url ? std::string_view(*url) : std::string_view(*media);
      if (url ? kind.starts_with("data:") && !kind.starts_with("data:image/") : !kind.starts_with("image/"))
        return error(Code::json, "expected an image, found " + in_quotes(kind.substr(0, 60)), path);
      image = true;
    } else {
      return error(Code::json, "expected a part of type text or image, found " + (type ? in_quotes(*type) : "none"),
                   path);
    }
  }
  return {};
}

// Compares two documents in canonical form: same member names, lengths of lists, and values other than strings?
bool differ_in_strings_only(std::string_view a, std::string_view b) {
  const char kind = json_kind(a);
  if (kind != json_kind(b)) return false;
  if (kind == '"') return true;
  if (kind != '{' && kind != '[') return trim_json(a) == trim_json(b);
  JsonSlices left(a), right(b);
  for (;;) {
    const bool more = left.next();
    if (more != right.next()) return false;
    if (!more) return true;
    if (kind == '{' && left.key() != right.key()) return false;
    if (!differ_in_strings_only(left.value(), right.value())) return false;
  }
}

}  // namespace

Status Gate::read_result(Submit kind, std::string_view data, Result &out) const {
  const Limits &limits = setup_.config.limits;
  out.failed = kind == Submit::failure;
  out.is_json = kind == Submit::json;
  if (kind != Submit::json && kind != Submit::parts) {
    out.text = repair_utf8(data);
    return {};
  }
  if (kind == Submit::parts && data.size() > limits.result_bytes)  // an image cannot be cut
    return error(Code::limit, "the parts are longer than limits.resultBytes, " + std::to_string(limits.result_bytes));
  if (Status status = check_json(data, limits.depth); !status.ok()) return status;
  if (out.is_json) {
    out.text = trim_json(data);
    return {};
  }
  bool image = false;
  Status status = check_parts(data, out.text, image);
  if (image) out.parts = data;  // without an image the text says everything
  return status;
}

// Reads {"text":...}, {"json":...}, {"parts":...} or {"failure":...}.
Status Gate::read_version(std::string_view object, Result &out) const {
  constexpr Choice<Submit> kKinds[] = {
      {"text", Submit::text}, {"json", Submit::json}, {"parts", Submit::parts}, {"failure", Submit::failure}};
  constexpr std::string_view kExpected = "an object with one of text, json, parts, failure";
  if (json_kind(object) != '{') return unexpected(object, kExpected);
  bool found = false;
  for (JsonSlices member(object); member.next();) {
    const std::string name = member.key_text();
    if (name.starts_with("x-")) continue;
    const auto *const kind =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto &one) { return one.text == name; });
    if (kind == std::end(kKinds)) return unknown_member(name, {"text", "json", "parts", "failure"});
    if (std::exchange(found, true)) return unexpected(object, kExpected);
    std::string text;
    const bool is_text = kind->value == Submit::text || kind->value == Submit::failure;
    Status status = is_text ? read_text(member.value(), text) : Status();
    if (status.ok()) status = read_result(kind->value, is_text ? std::string_view(text) : member.value(), out);
    if (!status.ok()) return std::move(status).inside(name);
  }
  return found ? Status() : unexpected(object, kExpected);
}

// Reads the document of SLUICE_REWRITTEN: what the tool gave, and what the model reads in its place.
Status Gate::read_versions(std::string_view document, Result &output, Result &rewritten) const {
  constexpr size_t kAround = 2;  // levels of the document around the value of "json" or "parts"
  if (Status status = check_json(document, setup_.config.limits.depth + kAround); !status.ok()) return status;
  if (json_kind(document) != '{') return unexpected(document, "an object with output and hostOutput");
  bool has_output = false, has_rewritten = false;
  for (JsonSlices member(document); member.next();) {
    const std::string name = member.key_text();
    if (name.starts_with("x-")) continue;
    if (name != "output" && name != "hostOutput") return unknown_member(name, {"output", "hostOutput"});
    (name == "output" ? has_output : has_rewritten) = true;
    Result &version = name == "output" ? output : rewritten;
    version = {};
    if (Status status = read_version(member.value(), version); !status.ok()) return std::move(status).inside(name);
  }
  if (!has_output || !has_rewritten) return unexpected(document, "an object with output and hostOutput");
  return {};
}

// Refuses a result of a call whose execute event the host has not polled: nobody has run it.
Status Gate::check_started(const Card &card) const {
  if (setup_.observes()) return not_now("the server runs the calls of this turn");
  if (card.is_provided()) return not_now(std::string(kProvidersCall));
  return log_.waits(Log::Event::execute, card.call)
             ? not_now("the execute event of call " + std::to_string(card.call) + " was not polled: nobody has run it")
             : Status();
}

// Checks resolved arguments, which fit the tool, against what was approved.
Status Gate::check_resolved(const Card &card, std::string_view checked) const {
  const std::string resolved = canonical_json(checked);
  const std::string approved(card.canonical_arguments());
  if (resolved == approved) return {};
  const Verdict now = execution_gate(*card.tool, resolved, rules_, setup_.config.confirm_all);
  if (now.way == Verdict::Way::ask && now.by == "rule")
    return not_now("a rule asks about these arguments, and no person approved them");
  const auto decision = std::find_if(card.approvals().rbegin(), card.approvals().rend(),
                                     [](const ApprovalRecord &record) { return record.stage == "execution"; });
  const std::string_view by = decision == card.approvals().rend() ? std::string_view() : decision->by;
  RuledArguments arguments(approved);
  const auto lets_any = [&](const Rule &rule) {
    return rule.effect == Rule::Effect::allow && rule.arguments.empty() && matches(rule, *card.tool, arguments);
  };
  const bool bound = by == "user" || (by == "rule" && std::none_of(rules_.begin(), rules_.end(), lets_any));
  if (bound && !differ_in_strings_only(resolved, approved))
    return not_now("only strings may change: a person, or a rule for exactly these arguments, approved the call");
  return {};
}

// Takes the arguments that the host resolved before the question: from now on they are the call.
Status Gate::take_resolved(Card &card, std::optional<std::string_view> arguments) {
  if (arguments) {
    std::string checked;
    if (Status status = check_fit(card, *arguments, checked); !status.ok()) return status;
    if (canonical_json(checked) != card.canonical_arguments()) card.set_resolved_arguments(std::move(checked));
  }
  card.host_checked = true;
  log_.withdraw(Log::Event::resolve, card.call);
  log_.move(card, Trigger::resolve);
  pump();
  return {};
}

// Checks the arguments that the host runs the call with against the tool and the rules, and shows them on the card.
Status Gate::resolve(uint32_t call, std::optional<std::string_view> arguments) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  if (card->state() == CardState::resolving) return take_resolved(*card, arguments);
  if (card->state() != CardState::executing) return not_in_state(*card, "does not execute");
  if (Status status = check_started(*card); !status.ok()) return status;
  if (!arguments) return {};
  std::string checked;
  if (Status status = check_given(*card, *arguments, checked); !status.ok()) return status;
  if (Status status = check_resolved(*card, checked); !status.ok()) return status;
  give_key(*card, action_digest(*card->tool, canonical_json(checked)));
  card->set_host_arguments(std::move(checked));
  log_.tell(*card);
  return {};
}

Status Gate::submit(uint32_t call, Submit kind, std::string_view data) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  Result output, rewritten;
  if (Status status =
          kind == Submit::rewritten ? read_versions(data, output, rewritten) : read_result(kind, data, output);
      !status.ok())
    return status;
  const CardState state = card->state();
  const bool ran_by_button = by_button(*card) && state == CardState::awaiting_approval && kind != Submit::progress;
  if (state == CardState::timeout || state == CardState::cancelled || state == CardState::unknown) {
    log_.diagnostic("late_result", "the call is " + std::string(to_text(state)) + ": what came is dropped", call);
    return {};
  }
  const bool detached = card->detached && state == CardState::success && !card->has_output();
  if (state != CardState::executing && !detached && !ran_by_button) return not_in_state(*card, "does not execute");
  if (Status status = check_started(*card); !status.ok()) return status;
  if (ran_by_button) {  // the host ran it when the user pressed its button
    approve_card(*card, "user", "once");
    log_.move(*card, Trigger::start);
    card->set_started(log_.now());
    identify(*card);
  }
  if (kind == Submit::progress) {
    card->set_progress(std::move(output.text));
    log_.open_cards().mark_changed(call);
    log_.event(Log::Event::progress, call) += card->progress();
    return {};
  }
  const bool both = kind == Submit::rewritten && rewritten != output;
  const Result &read = both ? rewritten : output;
  const std::string_view kept = first_bytes(output.text, setup_.config.limits.result_bytes);
  if (kept.size() < output.text.size())
    log_.diagnostic("oversize", "the result is longer than limits.resultBytes: the card keeps its beginning", call);
  card->set_output(kept, output.text.size(), read.is_json, output.parts);
  if (both) show_rewritten(*card, rewritten);
  if (output.failed || read.failed)
    card->set_error(output.failed ? kept : first_bytes(read.text, setup_.config.limits.result_bytes));
  take_result(*card, read, output.failed || read.failed);
  return {};
}

// Shows on the card what the model reads in place of the tool's own result.
void Gate::show_rewritten(Card &card, const Result &result) const {
  std::string out;
  ObjectWriter object(out);
  object.text("text", first_bytes(result.text, setup_.config.limits.result_bytes));
  if (!result.parts.empty()) object.raw("parts", result.parts);
  object.close();
  card.set_rewritten(std::move(out));
}

// `result`: what the model reads. `either_failed`: that is a failure, or the tool's own result is one.
void Gate::take_result(Card &card, const Result &result, bool either_failed) {
  card.failed = result.failed;
  std::string text = cap(first_bytes(result.text, setup_.config.limits.result_bytes));
  if (card.failed) text = words(Word::failed, text);
  if (card.detached) {  // settled when it started; the model reads only a failure, and only if it asked for that
    if (card.failed && reserved_text(card, "archery") == "true")
      card.set_model_text(card.model_text() + words(Word::failed_later, text));
    return log_.tell(card);
  }
  if (text.empty()) text = words(card.model_parts().empty() ? Word::no_output : Word::image_output);
  const ResultApproval policy = result_policy(card);
  if (policy == ResultApproval::never || (policy == ResultApproval::on_error && !either_failed))
    return close_result(card, std::move(text));
  card.set_model_text(log_.edited_note(card) + text);
  log_.move(card, Trigger::hold);
  card.asked_at = log_.now();
  card.asked_polled = false;
  log_.tell(card);
  release_event(card);
  pump();  // it makes room: it runs no more
}

// Shortens a long result for the model: its beginning, a note, and its end.
std::string Gate::cap(std::string_view text) const {
  const size_t most = setup_.config.result_max_bytes;
  if (text.size() <= most) return std::string(text);
  const std::string_view head = first_bytes(text, most / 2);
  const std::string_view tail = last_bytes(text, most - most / 2);
  return std::string(head) + words(Word::left_out, std::to_string(text.size() - head.size() - tail.size())) +
         std::string(tail);
}

ResultApproval Gate::result_policy(const Card &card) const {
  const ResultApproval own = card.tool != nullptr ? card.tool->result : ResultApproval::always;
  return std::max(own, setup_.config.result_approval.value_or(ResultApproval::never));
}

void Gate::release_event(const Card &card) {
  ObjectWriter event(log_.event(Log::Event::approval, card.call));
  event.text("type", "approval").number("call", card.call).text("stage", "result");
  write_question(card, event, log_.lent());
  event.text("level", to_text(card.tool != nullptr ? card.tool->permission : Permission::sensitive));
  event.text("policy", to_text(result_policy(card)));
  event.text("digest", sha256_hex({card.model_text(), card.model_parts()}));
  if (card.asked_at && setup_.config.approval_timeout_ms > 0)
    event.number("expiresAt", *card.asked_at + setup_.config.approval_timeout_ms);
  ObjectWriter preview(event.value("preview"));
  preview.text("kind", card.model_parts().empty() ? "text" : "parts").text("text", card.model_text());
  if (!card.model_parts().empty()) preview.raw("parts", card.model_parts());
  preview.boolean("isError", card.failed);
  preview.close();
}

Status Gate::release(uint32_t call) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  if (card->state() != CardState::awaiting_result_approval)
    return not_in_state(*card, "does not wait for the release of a result");
  if (Status status = check_asked(*card); !status.ok()) return status;
  log_.record(*card, {"result", "approved", "user"});
  close_result(*card, card->model_text());
  return {};
}

// Ends the call with a result that the model may read.
void Gate::close_result(Card &card, std::string text) {
  log_.settle(card, card.failed ? Trigger::fail : Trigger::succeed, card.failed ? "tool" : "", std::move(text));
  pump();
}

}  // namespace sluice
