// What came of a call that ran: its result, and whether the model may read it.
#include <algorithm>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "base/text.h"
#include "turn/gate.h"
#include "turn/question.h"

namespace sluice {
namespace {

// Content parts: what SLUICE_RESULT_PARTS takes.
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
      // A provider refuses the whole request for an image that is none.
      const std::string_view kind = url ? std::string_view(*url) : std::string_view(*media);
      if (url ? kind.starts_with("data:") && !kind.starts_with("data:image/") : !kind.starts_with("image/"))
        return error(Code::json, "expected an image, found \"" + std::string(kind.substr(0, 60)) + "\"", path);
      image = true;
    } else {
      return error(Code::json, "expected a part of type text or image, found " + (type ? "\"" + *type + "\"" : "none"),
                   path);
    }
  }
  return {};
}

}  // namespace

// `text`: what the model may read of it. `image`: the parts hold more than text.
Status Gate::read_result(Submit kind, std::string_view data, std::string &text, bool &image) const {
  const Limits &limits = setup_.config.limits;
  if (kind != Submit::json && kind != Submit::parts) {
    text = repair_utf8(data);
    return {};
  }
  if (kind == Submit::parts && data.size() > limits.result_bytes)  // a part of an image is worse than none
    return error(Code::limit, "the parts are longer than limits.resultBytes, " + std::to_string(limits.result_bytes));
  if (Status status = check_json(data, limits.depth); !status.ok()) return status;
  if (kind == Submit::parts) return check_parts(data, text, image);
  text = trim_json(data);
  return {};
}

// The host runs the call: it has polled its execute event.
Status Gate::check_started(const Card &card) const {
  if (setup_.observes()) return not_now("the server runs the calls of this turn");
  return log_.waits(Log::Event::execute, card.call)
             ? not_now("the execute event of call " + std::to_string(card.call) + " was not polled: nobody has run it")
             : Status();
}

// What the host runs the call with: it fits the tool, no rule refuses it, and the card shows it.
Status Gate::resolve(uint32_t call, std::string_view arguments) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  if (card->state() != CardState::executing) return not_in_state(*card, "does not execute");
  if (Status status = check_started(*card); !status.ok()) return status;
  std::string checked;
  if (Status status = check_given(*card, arguments, checked); !status.ok()) return status;
  card->set_host_arguments(std::move(checked));
  log_.tell(*card);
  return {};
}

Status Gate::submit(uint32_t call, Submit kind, std::string_view data) {
  Card *const card = log_.find(call);
  if (card == nullptr) return no_such_call(call);
  std::string text;
  bool image = false;
  if (Status status = read_result(kind, data, text, image); !status.ok()) return status;
  if (setup_.config.user_mediated && card->adopted && card->state() == CardState::awaiting_approval &&
      kind != Submit::progress) {
    approve_card(*card, "user", "once");  // the host ran it when the user pressed its button
    log_.move(*card, Trigger::start);
    card->set_started(log_.now());
  }
  const CardState state = card->state();
  if (state == CardState::timeout || state == CardState::cancelled || state == CardState::unknown) {
    log_.diagnostic("late_result", "the call is " + std::string(to_text(state)) + ": what came is dropped", call);
    return {};
  }
  const bool detached = card->detached && state == CardState::success && !card->has_output();
  if (state != CardState::executing && !detached) return not_in_state(*card, "does not execute");
  if (Status status = check_started(*card); !status.ok()) return status;
  if (kind == Submit::progress) {
    card->set_progress(std::move(text));
    log_.open_cards().stir(call);
    ObjectWriter event(log_.event(Log::Event::progress, call));
    event.text("type", "progress").number("call", call).text("text", card->progress());
    return {};
  }
  card->failed = kind == Submit::failure;
  const std::string_view output = first_bytes(text, setup_.config.limits.result_bytes);
  if (output.size() < text.size())
    log_.diagnostic("oversize", "the result is longer than limits.resultBytes: the card keeps its beginning", call);
  // Parts without an image say no more than their text.
  card->set_output(output, text.size(), kind == Submit::json, image ? data : std::string_view());
  take_result(*card);
  return {};
}

void Gate::take_result(Card &card) {
  std::string text = card.failed ? words(Word::failed, cap(card.output())) : cap(card.output());
  if (card.failed) card.set_error(card.output());
  if (card.detached) {  // settled when it started: only a failure is worth a word, and only where the model wants one
    if (card.failed && reserved_text(card, "archery") == "true")
      card.set_model_text(card.model_text() + words(Word::failed_later, text));
    return log_.tell(card);
  }
  if (text.empty()) text = words(card.parts().empty() ? Word::no_output : Word::image_output);
  const ResultApproval policy = result_policy(card);
  if (policy == ResultApproval::never || (policy == ResultApproval::on_error && !card.failed))
    return close_result(card, std::move(text));
  card.set_model_text(log_.edited_note(card) + text);
  log_.move(card, Trigger::hold);
  card.asked_at = log_.now();
  card.asked_polled = false;
  log_.tell(card);
  release_event(card);
}

// What the model gets of a long result: its beginning, its end, and a note.
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
  event.text("digest", sha256_hex({card.model_text(), card.parts()}));
  if (card.asked_at && setup_.config.approval_timeout_ms > 0)
    event.number("expiresAt", *card.asked_at + setup_.config.approval_timeout_ms);
  ObjectWriter preview(event.value("preview"));
  preview.text("kind", card.parts().empty() ? "text" : "parts").text("text", card.model_text());
  if (!card.parts().empty()) preview.raw("parts", card.parts());
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

// The call has ended, and the model may read its result.
void Gate::close_result(Card &card, std::string text) {
  log_.settle(card, card.failed ? Trigger::fail : Trigger::succeed, card.failed ? "tool" : "", std::move(text));
  pump();
}

}  // namespace sluice
