#include "turn/turn.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "base/json_writer.h"
#include "base/surrogates.h"
#include "base/utf8.h"
#include "turn/arguments.h"
#include "turn/history.h"
#include "turn/question.h"
#include "wire/cached_prefix.h"
#include "wire/picture_refusal.h"
#include "wire/reasoning_refusal.h"
#include "wire/refusal_hint.h"
#include "wire/refused_tool.h"

namespace sluice {
namespace {

// If the host calls this late, and so long after the last call, the machine slept: it was not a tool that hung. A host
// that is only busy is late by less.
constexpr int64_t kSleepMs = 60000;
constexpr int64_t kLateMs = 10000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

constexpr std::string_view kUseText =
    "This provider or model takes no tools in the request: set \"mode\" to \"text\", which describes them in the "
    "prompt.";
constexpr std::string_view kNoPictures =
    "This model takes no pictures: choose one that does, or leave out the messages with pictures.";

// llama.cpp refuses pictures with status 500.
bool may_refuse_pictures(int32_t status) {
  return status == 0 || status == 400 || status == 404 || status == 415 || status == 422 || status == 500 ||
         status == 501;
}

// Is a picture in one of these messages?
bool hold_pictures(const std::vector<std::string_view> &messages) {
  for (const std::string_view message : messages) {
    const auto content = json_member(message, "content");
    if (!content || json_kind(*content) != '[') continue;
    for (JsonSlices parts(*content); parts.next();)
      if (json_member_text(parts.value(), "type") == "image_url") return true;
  }
  return false;
}

}  // namespace

// ---- the beginning ----

Turn::Turn(std::unique_ptr<Setup> setup) : setup_(std::move(setup)), log_(*setup_), gate_(*setup_, log_) {}

Status Turn::create(std::shared_ptr<const Engine> engine, std::string_view document, std::unique_ptr<Turn> &out) {
  std::unique_ptr<Setup> setup;
  if (Status status = Setup::read(std::move(engine), document, setup); !status.ok()) return status;
  std::unique_ptr<Turn> turn(new Turn(std::move(setup)));
  turn->warn_of_hidden_tools();
  turn->tell_unknown_names();
  turn->tell_unsent_tools();
  if (turn->setup_->parser) {
    turn->log_.begin_round();
    turn->open_answer();
  } else if (auto calls = open_calls(turn->setup_->host_messages); !calls.empty() && turn->setup_->adopts()) {
    turn->adopt(std::move(calls));
  } else {
    turn->begin_round(false);
  }
  out = std::move(turn);
  return {};
}

// Takes up calls without results at the end of the conversation: they pass the same gate. In a user-mediated loop each
// of them has a button: each asks, and the host may submit results of calls that it ran itself.
void Turn::adopt(std::vector<OpenCall> calls) {
  for (OpenCall &call : calls) {
    Card &card = log_.new_card("native", call.name, setup_->find_tool(call.name));
    card.adopted = true;
    card.set_wire_id(call.id);
    card.history_id = std::move(call.id);
    card.raw_arguments = SharedText(std::move(call.arguments));
    if (!call.waits) {
      gate_.lose_adopted(card);
      continue;
    }
    complete_streamed_call(*setup_, log_, card, true, true);
    gate_.adopt(card);
  }
  gate_.pump();
  advance();
}

// ---- rounds ----

void Turn::begin_round(bool final_answer) {
  log_.begin_round();
  const bool last = gate_.requests_spent() && log_.round_number() > 1 && setup_->config.force_final_answer;
  final_answer = final_answer || last;
  gate_.begin_round(final_answer);
  open_answer();
  if (log_.round_number() == 1) tell_unknown_model();
  send_request();
}

void Turn::open_answer() { answer_ = std::make_unique<Answer>(*setup_, log_, static_cast<Answer::Listener &>(*this)); }

void Turn::send_request() {
  RequestNotes notes;
  request_ = std::make_shared<const std::string>(build_request(opaque_refused_, &notes));
  sources_ = std::move(notes.sources);
  if (!notes.unsent.empty() && !std::exchange(reported_unsent_, true)) log_.diagnostic("unsent_part", notes.unsent);
  emit_request();
}

// The body of an open answer's request, after a restore.
void Turn::write_request() {
  RequestNotes notes;
  request_ = std::make_shared<const std::string>(build_request(opaque_refused_, &notes));
  sources_ = std::move(notes.sources);
}

std::string Turn::build_request(bool drop_opaque, RequestNotes *notes) const {
  const Setup &setup = *setup_;
  // Skip the open round: it has no messages yet, and after a restore its messages must not appear in its own request.
  const Conversation conversation(setup, history_messages(setup, log_.message(), log_.round_number() - 1, false, false),
                                  gate_.final_answer());
  RequestParts parts;
  parts.body = setup.body;
  parts.messages = conversation.messages();
  parts.earlier_answers = conversation.earlier_answers();
  assert(is_valid_order(parts.messages));
  parts.names = &setup.registry().offers();
  if (setup.offers_tools()) parts.tools = &setup.offers;
  parts.forbid_calls = gate_.final_answer();
  parts.drop_opaque = drop_opaque;
  parts.plain_schemas = schema_refused_;
  parts.dialect = setup.dialect;
  parts.reasoning = reasoning_;
  parts.origins = conversation.origins();
  if (notes != nullptr) {
    parts.unsent = &notes->unsent;
    parts.sent_origins = &notes->sources;
  }
  parts.ask_usage = setup.config.ask_usage && !usage_refused_;
  std::string request = setup.wire->write(parts);
  if (!cache_refused_) request = with_cached_prefix(std::move(request), *setup.dialect, setup.config.cache);
  replace_lone_surrogates(request);  // of messages, tools, results and what the host wrote: servers refuse them
  return request;
}

void Turn::emit_request() {
  log_.round().started_at = log_.now();
  ObjectWriter event(log_.event(Log::Event::request));
  event.text("type", "request").number("round", log_.round_number());
  event.number("bytes", static_cast<int64_t>(request_->size()));
  std::string &out = event.value("sources");
  out += '[';
  for (size_t from = 0, to = 0; from < sources_.size(); from = to) {
    while (to < sources_.size() && sources_[to] == sources_[from]) ++to;
    out.append(from == 0 ? "[\"" : ",[\"").append(to_text(sources_[from])).append("\",");
    append_number(out, static_cast<int64_t>(to - from));
    out += ']';
  }
  out += ']';
}

// The host finished the answer: after a failure the turn falls back or ends, else its calls may run.
void Turn::close_answer(std::string_view detail) {
  log_.round().raw.shrink();
  if (std::optional<TurnError> &error = answer_->failure()) {
    explain(*error, detail);
    if (fall_back(*error)) return;
    log_.show_error(*error);
    end("failed");
  } else if (setup_->parser) {
    end("completed");
  } else {
    request_ = nullptr;  // it was answered
    gate_.dispatch();
    advance();
  }
}

// Corrects the code and hint of a refusal by what was in the request. `detail`: the host's words at finish.
void Turn::explain(TurnError &error, std::string_view detail) const {
  if (error.code == "usage_refused") {
    const bool asked =
        request_ != nullptr && json_member(*request_, "stream_options") && !json_member(setup_->body, "stream_options");
    if (!asked) error.code = "http";  // Sluice did not ask for the usage
  }
  if (error.code == "schema_refused" && (answer_->shown() || !setup_->offers_tools() || schema_refused_))
    error.code = error.status >= 400 ? "http" : "provider";  // there is nothing to write otherwise
  if (error.code == "signature_refused" && (answer_->shown() || !sends_opaque()))
    error.code = error.status >= 400 ? "http" : "provider";  // there is nothing to leave out
  if (error.code == "tools_unsupported") {
    if (setup_->offers_tools())
      error.hint = kUseText;
    else
      error.code = "provider";
  }
  if (is_one_of(error.code, {"http", "provider"}) && may_refuse_pictures(error.status) &&
      refuses_pictures(error.detail) && sends_pictures()) {
    error.code = "pictures_unsupported";
    error.hint = kNoPictures;
    error.retryable = false;
  }
  if (!setup_->parser)
    if (const std::string own = refused(error).host_tool; !own.empty()) {
      error.tool = own;
      error.hint = "the server refuses the tool " + own + ": " + error.detail;
    }
  if (error.hint.empty() && !setup_->parser && is_one_of(error.code, {"http", "provider"}))
    error.hint = refusal_hint(setup_->wire->id(), error.status, error.detail);
  if (error.code == "http" && !detail.empty()) error.detail += " (" + repair_utf8(detail) + ")";
}

// Does the open request hold signatures, or encrypted parts of earlier answers?
bool Turn::sends_opaque() const { return !opaque_refused_ && request_ != nullptr && build_request(true) != *request_; }

bool Turn::sends_pictures() const {
  const Conversation conversation(
      *setup_, history_messages(*setup_, log_.message(), log_.round_number() - 1, false, false), gate_.final_answer());
  return hold_pictures(conversation.messages());
}

namespace {

// How the request that was refused names its tools.
std::vector<std::string> names_of_host_tools(std::string_view body, bool functions) {
  std::vector<std::string> names;
  for (JsonSlices own(json_member(body, "tools").value_or("[]")); own.next();) {
    if (functions) {
      for (JsonSlices list(json_member(own.value(), "functionDeclarations").value_or("[]")); list.next();)
        names.push_back(json_member_text(list.value(), "name"));
    } else {
      const std::string name = json_member_text(own.value(), "name");
      names.push_back(!name.empty() ? name
                                    : json_member_text(json_member(own.value(), "function").value_or(""), "name"));
    }
  }
  return names;
}

}  // namespace

// The tool that a refusal is about: one that is offered, or one of the host's own request.
Turn::Refused Turn::refused(const TurnError &error) const {
  Refused found;
  const Setup &setup = *setup_;
  if (!is_one_of(error.code, {"http", "provider"}) || (error.status != 400 && error.status != 422)) return found;
  const std::vector<ToolOffer> none;
  const std::vector<ToolOffer> &offers = setup.offers_tools() ? setup.offers : none;
  const bool gemini = setup.wire->id() == "gemini";
  const std::vector<std::string> own = names_of_host_tools(setup.body, gemini);
  const auto offered = [&](std::string_view name) {
    return std::find_if(offers.begin(), offers.end(),
                        [&](const ToolOffer &one) { return one.wire_name == name || one.name == name; });
  };
  const auto words = refused_tool(error.detail, [&](std::string_view name) {
    return offered(name) != offers.end() || std::find(own.begin(), own.end(), name) != own.end();
  });
  if (!words) return found;
  // Gemini has all offers in one tool behind the host's.
  const size_t first = gemini ? 0 : own.size();
  const std::optional<size_t> at = gemini ? words->function_at : words->at ? words->at : words->function_at;
  bool of_host = !gemini && at && *at < first;
  if (gemini && words->at) of_host = *words->at < names_of_host_tools(setup.body, false).size();
  if (!words->name.empty()) {
    if (const auto offer = offered(words->name); offer != offers.end())
      found.offer = &*offer;
    else
      found.host_tool = words->name;
  } else if (at && of_host) {
    found.host_tool = *at < own.size() ? own[*at] : std::string();
  } else if (at && *at >= first && *at - first < offers.size()) {
    found.offer = &offers[*at - first];
  }
  found.most_description = words->most_description;
  return found;
}

// Forms the tools anew as the server wants them. False: the refusal is about none of them, or too many were refused.
bool Turn::send_otherwise(const TurnError &error) {
  constexpr size_t kMostLeftOut = 8;
  Setup &setup = *setup_;
  if (wants_tools_for_calls(error.detail) && !setup.text_mode() && !setup.offers_tools() &&
      (error.status == 400 || error.status == 422)) {
    change_to_text(error.detail, "calls_without_tools");
    return true;
  }
  const Refused tool = refused(error);
  if (tool.offer == nullptr) return false;
  if (const size_t most = tool.most_description; most != 0 &&
                                                 (setup.most_description == 0 || most < setup.most_description) &&
                                                 utf16_length(tool.offer->description) > most) {
    setup.cut_descriptions(most);
    return true;
  }
  if (left_out_ >= kMostLeftOut) return false;
  const std::string name(tool.offer->name);
  log_.tool_diagnostic("tool_left_out", name, name + ": " + error.detail);
  setup.leave_out(name, error.detail);
  ++left_out_;
  return true;
}

// Sends the reasoning of earlier answers as the server wants it: once in a turn. False: it says nothing of that.
bool Turn::send_reasoning_otherwise(const TurnError &error) {
  if (reasoning_ != ReasoningWish::by_dialect || error.status != 400) return false;
  const ReasoningWish wish = reasoning_wish(error.detail);
  if (wish == ReasoningWish::by_dialect) return false;
  reasoning_ = wish;
  log_.diagnostic(wish == ReasoningWish::required ? "reasoning_required" : "reasoning_refused", error.detail);
  return true;
}

std::optional<FallbackReason> Turn::reason_for_text(const TurnError &error) const {
  const Config &config = setup_->config;
  if (config.fallback_reasons == 0 || config.mode != Mode::automatic) return std::nullopt;
  const auto reason = fallback_reason(error.code, error.status, error.detail);
  if (!reason || (config.fallback_reasons & static_cast<uint8_t>(*reason)) == 0) return std::nullopt;
  // A tool of the host's own request goes out in mode text as well.
  if (*reason == FallbackReason::schema && (!setup_->offers_tools() || !error.tool.empty())) return std::nullopt;
  return reason;
}

// From here on calls and results are text, those of earlier rounds as well. `reason`: one of autoFallback,
// `calls_without_tools`, or `host`.
void Turn::change_to_text(std::string_view why, std::string_view reason) {
  ObjectWriter(log_.event(Log::Event::other))
      .text("type", "diagnostic")
      .text("code", "fallback_to_text")
      .text("detail", why)
      .text("reason", reason);
  setup_->change_to_text();
  log_.fell_back(reason);
  tell_unknown_model();
}

// Begins the same round again without what the provider refused: the usage, signatures, schemas, or tools.
bool Turn::fall_back(const TurnError &error) {
  if (setup_->parser || answer_->shown()) return false;
  if (send_otherwise(error) || send_reasoning_otherwise(error)) {
    // the next try goes without what it refuses, or with what it wants
  } else if (error.status == 400 && setup_->config.cache.on && !cache_refused_ && refuses_cached_prefix(error.detail)) {
    log_.diagnostic("cache_refused", error.detail);
    cache_refused_ = true;
  } else if (error.code == "usage_refused") {
    log_.diagnostic("usage_refused", error.detail);
    usage_refused_ = true;
  } else if (error.code == "schema_refused") {
    log_.diagnostic("schema_refused", error.detail);
    schema_refused_ = true;
  } else if (error.code == "signature_refused") {
    log_.diagnostic("signature_dropped", error.detail);
    opaque_refused_ = true;
  } else if (const auto reason = reason_for_text(error)) {
    change_to_text(error.detail, to_text(*reason));
  } else {
    return false;
  }
  log_.forget_answer();
  open_answer();
  send_request();
  return true;
}

// The rules that join the machines: if the answer is closed and every card is settled, the next request follows, or the
// turn ends.
void Turn::advance() {
  if (log_.done() || setup_->parser || answering() || check_ != Check::none) return;
  const auto &open = log_.open_cards().all();
  if (setup_->observes()) gate_.lose_all();
  for (const uint32_t call : open)
    if (!gate_.left_to_user(*log_.find(call))) return;
  if (!open.empty()) return end("awaiting_user");
  const bool forces = setup_->config.force_final_answer;
  if (log_.open_round() == nullptr) return begin_round((gate_.limit_hit() || gate_.is_last_round()) && forces);
  if (setup_->observes()) return check_final("completed");
  const Message &message = log_.message();
  bool any = false, all_fired = true, all_tags = true, all_malformed = true;
  size_t last_call = 0;
  for (size_t i = log_.first_card(); i < message.cards.size(); ++i) {
    const Card &card = *message.cards[i];
    if (card.dropped || card.is_provided() || card.is_nested()) continue;
    any = true;
    last_call = card.block;
    all_fired = all_fired && card.needs_no_answer();
    all_tags = all_tags && card.is_tag();
    all_malformed = all_malformed && card.state() == CardState::invalid;
  }
  if (gate_.final_answer()) return check_final("limit");
  const bool noted = !log_.round().note.empty();
  if (all_fired && !noted && log_.finish() == Finish::pause && setup_->wire->echoes_answers() &&
      !log_.round().native.empty()) {
    if (gate_.beyond_rounds() || gate_.requests_spent()) return check_final("limit");
    return begin_round(false);  // the provider goes on where it stopped
  }
  if (!any && !noted) return check_final("completed");

  const auto is_text = [](const Block &block) { return block.kind == Block::Kind::text; };
  if (!noted && all_fired &&
      (all_tags || std::any_of(message.blocks.begin() + static_cast<std::ptrdiff_t>(last_call) + 1,
                               message.blocks.end(), is_text))) {
    ended_on_fire_and_forget_ = true;
    return check_final("completed");
  }
  if (!noted && !setup_->calls_may_succeed()) return check_final("completed");

  const bool note_alone = noted && all_fired;  // no call is told its result
  malformed_rounds_ = all_malformed || note_alone ? malformed_rounds_ + 1 : 0;
  const bool spent = gate_.requests_spent();
  if (note_alone && (gate_.beyond_rounds() || spent || malformed_rounds_ > 1)) return check_final("completed");
  if (spent && all_fired) return check_final("completed");
  const bool over = gate_.limit_hit() || gate_.beyond_rounds() || malformed_rounds_ >= 2;
  // No further call could run, so the next answer is the last.
  const bool last_ran = !all_fired && forces && gate_.is_last_round();
  if (!spent && !over && !last_ran) return begin_round(false);
  if (!spent && forces) return begin_round(true);
  TurnError error;
  error.code = spent ? "max_requests" : "max_rounds";
  error.detail = spent                    ? "the model calls tools in the last answer that maxRequests allows"
                 : malformed_rounds_ >= 2 ? "two answers in a row held nothing but malformed calls"
                                          : "the model went on calling tools beyond the limit";
  log_.show_error(std::move(error));
  end("limit");
}

// ---- final answers ----

// Ends the turn, or first asks the host what becomes of its final answer.
void Turn::check_final(std::string_view outcome) {
  if (!setup_->config.check_final || setup_->parser) return end(outcome);
  check_ = Check::asked;
  emit_final();
}

void Turn::emit_final() {
  ObjectWriter event(log_.event(Log::Event::final_answer));
  event.text("type", "final").number("round", log_.round_number()).text("text", log_.text_of_round());
  if (is_last_answer()) event.boolean("noRetry", true);
}

void Turn::end_check() {
  check_ = Check::none;
  log_.withdraw(Log::Event::final_answer, 0);  // after a restore it waits again
}

Status Turn::conclude(Final how, std::string_view text) {
  if (log_.done()) return not_now("the turn is done");
  if (check_ == Check::none) return not_now("no final answer waits");
  if (check_ == Check::asked) return not_now("the final event was not polled: nobody has seen the answer");
  const std::string said = repair_utf8(text);
  if (how == Final::retry || how == Final::retry_by_system) {
    if (is_last_answer()) return error(Code::limit, "this is the last answer of the turn: accept or replace it");
    end_check();
    ended_on_fire_and_forget_ = false;
    log_.retract(said);
    log_.round().note_by_system = how == Final::retry_by_system;
    begin_round(false);
    return {};
  }
  end_check();
  if (how == Final::replace) {
    log_.retract({});
    log_.append(Block::Kind::text, said, true);
  }
  end(gate_.final_answer() ? "limit" : "completed");
  return {};
}

void Turn::end(std::string_view outcome) {
  end_check();
  if (Round *const round = log_.open_round()) round->note.clear();  // no further answer would read it
  if (setup_->observes()) gate_.lose_all();
  if (!setup_->parser && outcome != "awaiting_user")
    gate_.cancel_all("turn_ended", setup_->config.words(Word::turn_ended));
  log_.withdraw(Log::Event::request, 0);
  request_ = nullptr;
  if (answering()) answer_->close();
  log_.lose_provided("turn_ended");
  log_.end(outcome);
}

// Shows an error, stops what is open, and ends the turn.
void Turn::fail(TurnError error) {
  answer_->fail(error);
  log_.show_error(std::move(error));
  end("failed");
}

// ---- verbs: the network ----

Status Turn::check_answering(std::string_view otherwise) const {
  return answering() ? Status() : not_now("no answer is open: " + std::string(otherwise));
}

Status Turn::response(int32_t http_status, std::string_view headers) {
  if (http_status < 100 || http_status > 999) {
    if (answer_) answer_->refuse_response();
    return error(Code::argument, "expected an HTTP status, found " + std::to_string(http_status));
  }
  if (log_.done()) return {};
  if (Status status = check_answering("expected a request event first"); !status.ok()) return status;
  return answer_->response(http_status, headers);
}

Status Turn::feed(std::string_view bytes) {
  if (log_.done()) return {};
  if (Status status = check_answering("expected a request event first"); !status.ok()) return status;
  return bytes.empty() ? Status() : answer_->feed(bytes);
}

Status Turn::finish(End how, std::string_view detail) {
  if (log_.done()) return {};
  if (Status status = check_answering("this one was finished already"); !status.ok()) return status;
  if (how == End::retry) {
    if (setup_->parser) return not_now("a turn without a request has nothing to ask again");
    if (answer_->shown()) return not_now("something of this answer was shown or run: it cannot be forgotten");
    log_.withdraw(Log::Event::request, 0);
    log_.forget_answer();
    open_answer();
    emit_request();
    return {};
  }
  if (how == End::fallback) return ask_in_text(detail);
  answer_->finish(how, detail);
  if (!log_.done()) close_answer(detail);
  return {};
}

// The host wants calls and results as text, for a reason that no rule knows.
Status Turn::ask_in_text(std::string_view why) {
  if (setup_->parser) return not_now("a turn without a request has nothing to ask again");
  if (setup_->config.mode != Mode::automatic) return not_now("only mode auto changes to mode text");
  if (answer_->shown()) return not_now("something of this answer was shown or run: it cannot be forgotten");
  log_.withdraw(Log::Event::request, 0);
  change_to_text(repair_utf8(why), "host");
  log_.forget_answer();
  open_answer();
  send_request();
  return {};
}

// ---- verbs: the user, tools, the host's loop ----

Status Turn::advanced(Status status) {
  if (status.ok()) advance();
  return status;
}

// After `done` nobody decides about a call any more.
Status Turn::too_late(uint32_t call) const {
  return log_.find(call) != nullptr ? not_now("the turn is done") : no_such_call(call);
}

Status Turn::approve(uint32_t call, Remember remember, bool exact, std::optional<std::string_view> edited) {
  if (log_.done()) return too_late(call);
  return advanced(gate_.approve(call, remember, exact, edited));
}

Status Turn::approve_all(Remember remember, bool exact) {
  if (log_.done()) return not_now("the turn is done");
  return advanced(gate_.approve_all(remember, exact));
}

Status Turn::release(uint32_t call) {
  if (log_.done()) return too_late(call);
  return advanced(gate_.release(call));
}

Status Turn::deny(uint32_t call, std::string_view reason, bool by_person) {
  if (log_.done()) return too_late(call);
  return advanced(gate_.deny(call, reason, by_person));
}

Status Turn::judge_by(uint32_t call, std::string_view rules, Verdict::Way &way) const {
  return gate_.judge_by(call, rules, way);
}

Status Turn::submit(uint32_t call, Submit kind, std::string_view data) {
  if (log_.done()) return log_.find(call) != nullptr ? Status() : no_such_call(call);
  return advanced(gate_.submit(call, kind, data));
}

Status Turn::resolve(uint32_t call, std::optional<std::string_view> arguments) {
  if (log_.done()) return too_late(call);
  return advanced(gate_.resolve(call, arguments));
}

Status Turn::call(uint32_t caller, std::string_view document, uint32_t &nested) {
  if (log_.done()) return too_late(caller);
  return advanced(gate_.call(caller, document, nested));
}

Status Turn::cancel(uint32_t call, std::string_view reason) {
  if (log_.done()) return call == 0 || log_.find(call) != nullptr ? Status() : no_such_call(call);
  if (call != 0) return advanced(gate_.cancel(call, reason));
  if (answering()) {
    answer_->interrupt_text();
    answer_->cut("cancelled");
  }
  const std::string why = repair_utf8(reason);
  const Wording &words = setup_->config.words;
  gate_.cancel_all("cancelled", words(Word::cancelled_turn) + (why.empty() ? "" : words(Word::because, why)));
  end("cancelled");
  return {};
}

bool Turn::next_event(std::string &out) {
  EventQueue::Polled polled{};
  if (!log_.next_event(out, polled)) return false;
  if (polled.kind == Log::Event::final_answer) check_ = Check::seen;
  if (gate_.polled(polled)) advance();
  return true;
}

// ---- time ----

Status Turn::tick(int64_t now, int64_t &next) {
  next = kNever;
  if (now < 0 || now > kMostTime)
    return error(Code::argument, "expected Unix milliseconds, found " + std::to_string(now));
  if (log_.done()) return {};
  const auto shift_deadlines = [&](int64_t gap) {
    gate_.shift_deadlines(gap);
    if (answering()) answer_->shift_deadline(gap);
  };
  const std::optional<int64_t> before = log_.now();
  if (!before) {  // times that began before the first tick count from now
    log_.set_now(now);
    shift_deadlines(0);
    if (answering()) log_.round().started_at = now;
  } else if (now > *before) {
    const bool late = now - kLateMs > next_deadline();
    log_.set_now(now);
    if (now - *before > kSleepMs && late) shift_deadlines(now - *before);
  }
  const bool settled = gate_.expire();
  if (answering())
    if (std::optional<TurnError> error = answer_->expire()) fail(std::move(*error));
  if (settled) {
    gate_.pump();
    advance();
  }
  if (!log_.done()) next = next_deadline();
  return {};
}

int64_t Turn::next_deadline() const {
  const std::optional<int64_t> silence = answering() ? answer_->deadline() : std::nullopt;
  return gate_.next_deadline(silence.value_or(kNever));
}

// ---- what comes out ----

std::shared_ptr<const std::string> Turn::request_body() const {
  return log_.done() || setup_->parser || !answering() ? nullptr : request_;
}

void Turn::message(std::string &out) const {
  const bool open = setup_->parser && answering();
  log_.message().write(out, open ? std::optional(answer_->held_back()) : std::nullopt);
}

void Turn::history(std::string &out) const {
  out += '[';
  for (const std::string &text :
       history_messages(*setup_, log_.message(), log_.round_number(), ended_on_fire_and_forget_, true)) {
    if (out.back() != '[') out += ',';
    out += text;
  }
  out += ']';
}

}  // namespace sluice
