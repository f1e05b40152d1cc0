// Saves and restores a turn as one JSON document: its configuration, its log and its position. The engine's part is not
// saved: a restore looks the tools up by their own names, and compares open calls with the tools as they are now. Each
// machine saves and restores its own fields.
#include <cassert>
#include <set>

#include "base/json_writer.h"
#include "base/saved.h"
#include "turn/saved_fields.h"
#include "turn/turn.h"

namespace sluice {
namespace {

constexpr int64_t kFormat = 2;

}  // namespace

void Turn::state(std::string &out) const {
  assert(log_.check().ok() && check_open().ok());  // a restore accepts what this writes
  ObjectWriter object(out);
  object.number("format", kFormat).raw("turn", setup_->document);
  each_field(*this, Saver{object});
  object.number("check", static_cast<int64_t>(check_));
  object.number("reasoningWish", static_cast<int64_t>(reasoning_));
  if (setup_->most_description != 0) object.number("mostDescription", static_cast<int64_t>(setup_->most_description));
  if (!setup_->left_out.empty()) {
    std::string &list = object.value("leftOut");
    write_list(list, setup_->left_out,
               [&](const auto &tool) { ObjectWriter(list).text("tool", tool.first).text("why", tool.second).close(); });
  }
  gate_.save(object);
  log_.save(object);
  if (answering()) answer_->save(object.value("answer"));
  log_.save_events(object.value("events"));
  object.close();
}

Status Turn::restore(std::shared_ptr<const Engine> engine, std::string_view state, std::unique_ptr<Turn> &out) {
  if (Status status = check_json(state, kStateDepth); !status.ok()) return status;
  const SavedReader saved(state);
  int64_t format = 0;
  saved.get("format", format);
  if (format == 0) return error(Code::json, "expected a saved turn: there is no format", "format");
  if (format != kFormat)
    return error(Code::unsupported,
                 "found format " + std::to_string(format) + ", expected " + std::to_string(kFormat) +
                     ": another version saved the turn",
                 "format");
  std::unique_ptr<Setup> setup;
  if (Status status = Setup::read(std::move(engine), saved.nested("turn"), setup); !status.ok())
    return std::move(status).inside("turn");
  std::unique_ptr<Turn> turn(new Turn(std::move(setup)));
  if (Status status = turn->load(saved); !status.ok()) return status;
  turn->resume();
  out = std::move(turn);
  return {};
}

Status Turn::load(const SavedReader &saved) {
  each_field(*this, Loader{saved});
  check_ = saved_enum(saved, "check", check_, Check::seen);
  reasoning_ = saved_enum(saved, "reasoningWish", reasoning_, ReasoningWish::refused);
  std::string fallback;
  saved.text("fallback", fallback);
  if (!fallback.empty()) setup_->change_to_text();
  saved.get("mostDescription", setup_->most_description);
  for (JsonSlices tools(saved.nested("leftOut")); tools.next();)
    setup_->left_out.emplace(json_member_text(tools.value(), "tool"), json_member_text(tools.value(), "why"));
  if (setup_->most_description != 0 || !setup_->left_out.empty()) setup_->collect_offers();
  if (Status status = gate_.load(saved); !status.ok()) return status;
  if (Status status = log_.load(saved); !status.ok()) return status;
  if (Status status = log_.check(); !status.ok()) return status;
  if (const std::string_view answer = saved.nested("answer"); !answer.empty())
    if (Status status = load_answer(answer); !status.ok()) return status;
  if (Status status = log_.load_events(saved.nested("events")); !status.ok()) return std::move(status).inside("events");
  if (Status status = saved.fits(); !status.ok()) return status;
  return check_open();
}

Status Turn::load_answer(std::string_view saved) {
  if (log_.round_number() == 0) return error(Code::json, "expected the round of the open answer", "rounds");
  if (log_.done()) return error(Code::json, "expected no open answer: the turn is done", "answer");
  open_answer();
  if (Status status = answer_->load(SavedReader(saved), setup_->config); !status.ok())
    return std::move(status).inside("answer");
  if (!setup_->parser) write_request();
  return {};
}

// Checks that the parts of a state agree: a call that is being written belongs to the open answer, and a request or
// final answer that waits to be polled exists.
Status Turn::check_open() const {
  if (log_.waits(Log::Event::request, 0) && !answering())
    return error(Code::json, "expected the answer that the waiting request is for", "answer");
  if (check_ != Check::none &&
      (answering() || log_.done() || !log_.open_cards().all().empty() || log_.round_number() == 0))
    return error(Code::json, "expected no final answer that waits: something else is open", "check");
  const std::set<uint32_t> written = answering() ? answer_->written() : std::set<uint32_t>();
  for (const auto &card : log_.message().cards)
    if (card->state() == CardState::streaming && !written.contains(card->call))
      return error(Code::json, "expected the open answer that writes this call",
                   place("cards", card->call - 1) + ".state");
  return {};
}

// Adapts what was open to this engine, which may differ from the one that saved the turn.
void Turn::resume() {
  if (setup_->parser) return;
  const bool held = gate_.hold_back_messages();
  if (log_.done()) return;
  if (held && log_.waits(Log::Event::request, 0)) write_request();  // its history has changed
  if (log_.withdraw(Log::Event::request, 0)) {
    answer_->forget_offers();  // its body has this engine's tools
    emit_request();
  }
  gate_.resume();
  if (check_ != Check::none && !log_.waits(Log::Event::final_answer, 0)) emit_final();
  advance();
}

}  // namespace sluice
