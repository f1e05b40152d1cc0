#include "turn/answer.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/quiet_sink.h"
#include "wire/network_hint.h"

namespace sluice {
namespace {

// Calls in the text that are not run, in native mode or without their seal; this sink only reports them.
class Watcher final : public QuietSink {
 public:
  Watcher(Log &log, const Protocols &parsed, std::vector<Unsealed> &unsealed)
      : log_(log), parsed_(parsed), unsealed_(unsealed) {}
  void on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw, size_t start,
                     size_t) override {
    if (calls.empty()) return;
    if (!has_protocol(parsed_, protocol))
      log_.diagnostic("text_call_in_native_mode", protocol, 0, start, raw);
    else if (!calls.front().name.empty())
      unsealed_.push_back({start, calls.front().name});
  }

 private:
  Log &log_;
  const Protocols &parsed_;
  std::vector<Unsealed> &unsealed_;
};

constexpr size_t kMostFinishWord = 200;  // bytes of a finish reason that an error quotes

// How much of an answer a finish reason says is lost. A milder reason that follows does not replace a worse one.
int loss(Finish finish) {
  if (finish == Finish::failed) return 3;
  return finish == Finish::content_filter ? 2 : finish == Finish::length ? 1 : 0;
}

Block::Mark mark_of(Phase phase) {
  if (phase == Phase::commentary) return Block::Mark::commentary;
  return phase == Phase::final_answer ? Block::Mark::final_answer : Block::Mark::none;
}

}  // namespace

Answer::Answer(const Setup &setup, Log &log, Listener &listener)
    : setup_(setup), log_(log), listener_(listener), waiting_since_(log.now()) {
  const Limits &limits = setup.config.limits;
  WireLimits wire_limits;
  wire_limits.depth = limits.depth;
  wire_limits.line_bytes = limits.line_bytes;
  wire_limits.argument_bytes = limits.argument_bytes;
  wire_limits.calls_per_round = limits.calls_per_round;
  reader_ = setup.wire->read(*this, wire_limits);
  read_with(setup.active_protocols(), setup.watched_protocols(), setup.scan_options());
}

Answer::~Answer() = default;

void Answer::read_with(Protocols parsed, Protocols watched, ScanOptions options) {
  const ScanLimits limits = setup_.scan_limits();
  const ToolView &tools = setup_.tools();
  options.turn_ends.clear();
  for (const auto &protocol : watched)
    for (Marker &token : protocol->turn_ends()) options.turn_ends.push_back(std::move(token));
  scanner_ = make_scanner(parsed, tools, limits, options, *this);
  if (!parsed.empty())
    thoughts_ = std::make_unique<ThoughtCalls>(parsed, tools, limits, options.calls_in_reasoning,
                                               static_cast<ScanSink *>(this));
  if (!watched.empty()) {
    watch_sink_ = std::make_unique<Watcher>(log_, parsed_, unsealed_);
    watcher_ = make_scanner(watched, tools, limits, options, *watch_sink_);
  }
  parsed_ = std::move(parsed);
  watched_ = std::move(watched);
  options_ = options;
}

bool Answer::apply(AnswerTrigger trigger) {
  const std::optional<AnswerState> to = next_state(state_, trigger);
  if (to) state_ = *to;
  return to.has_value();
}

// ---- what the host does ----

Status Answer::response(int32_t http_status, std::string_view headers) {
  if (!next_state(state_, AnswerTrigger::respond))
    return error(Code::state, "the response of this answer was told already");
  refuse_response();
  if (!headers.empty()) {
    if (Status status = check_json(headers, setup_.config.limits.depth); !status.ok()) return status;
    if (json_kind(headers) != '{') return error(Code::json, "expected an object of header names and values");
  }
  response_refused_ = false;
  apply(AnswerTrigger::respond);
  waiting_since_ = log_.now();
  reader_->response(http_status, headers);
  return {};
}

Status Answer::feed(std::string_view bytes) {
  if (response_refused_) return error(Code::state, "the response of this answer was refused: report it again first");
  apply(AnswerTrigger::receive);
  late_ = false;
  waiting_since_ = log_.now();
  if (!said_at_) said_at_ = waiting_since_;
  empty_bytes_ += bytes.size();
  if (!is_cut()) reader_->feed(bytes);
  return {};
}

void Answer::finish(End how, std::string_view detail) {
  const bool ours = is_cut();  // we ended the answer ourselves
  const bool gave_up = how == End::hook;
  const bool heard = state_ >= AnswerState::streaming;
  apply(AnswerTrigger::finish);
  log_.withdraw(Log::Event::request, 0);
  reader_->finish(how == End::complete && !ours);
  if (!is_open()) return;
  if (has_ended()) how = End::complete;  // a broken connection after the end does not matter
  conclude(false, how);
  if (!is_open()) return;
  if (error_ && error_->code == "empty_answer" && error_->hint.empty()) error_->hint = bytes_hint();
  // A hook that failed over an error is the error: the host did not decide what becomes of the other one.
  const bool broke_off = gave_up ? error_ || how != End::complete : how != End::complete && !error_;
  if (broke_off && !ours) {
    TurnError broken;
    broken.code = gave_up ? "hook" : "network";
    broken.detail = !detail.empty()       ? repair_utf8(detail)
                    : how == End::aborted ? "the answer was aborted"
                    : gave_up             ? "a hook of the host failed"
                                          : "the connection broke";
    broken.retryable = !gave_up && !shown_;
    if (!gave_up && how != End::aborted) broken.hint = network_hint(broken.detail, heard);
    error_ = std::move(broken);
  }
  close();
  close_calls(ours);
}

// ---- what the turn does ----

void Answer::cut(std::string_view reason) {
  const bool finishing = state_ == AnswerState::finishing;
  if (!apply(AnswerTrigger::cut) || setup_.parser || finishing) return;
  if (log_.withdraw(Log::Event::request, 0)) return;  // the host never sent it
  ObjectWriter event(log_.event(Log::Event::other));
  event.text("type", "abortRequest").text("reason", reason);
}

void Answer::interrupt_text() {
  scanner_->interrupt();
  if (watcher_) watcher_->interrupt();
}

void Answer::fail(const TurnError &error) {
  interrupt_text();
  error_ = error;
  cut(error.code);
  close_calls(true);
}

void Answer::close() { apply(AnswerTrigger::close); }

// ---- what a wire reports ----

// Something other than arguments came: it may complete calls, and a finish reason was not the last thing. Returns false
// if the answer is not read any more.
bool Answer::goes_on() {
  if (ignores_bytes()) return false;
  last_word_ = false;
  complete_interrupted();
  return !ignores_bytes();
}

void Answer::on_message(Phase phase) {
  if (!goes_on()) return;
  if (text_bytes_ > 0) interrupt_text();
  message_begins_ = true;
  phase_ = phase;
}

void Answer::on_phase(Phase phase) {
  if (ignores_bytes()) return;
  if (!message_begins_) log_.set_phase(mark_of(phase));
  phase_ = phase;
}

void Answer::on_text(std::string_view utf8) {
  if (!goes_on()) return;
  note_content(utf8);
  const std::string_view piece = within_text_limit(utf8);
  if (setup_.calls_from_text()) log_.round().raw.append(piece);
  if (thoughts_ && !blank(piece)) thoughts_->interrupt();
  if (watcher_) watcher_->feed(piece);
  scanner_->feed(piece);
  if ((piece.size() < utf8.size() || too_many_blocks_) && !ignores_bytes()) overflow();
}

void Answer::on_reasoning(std::string_view utf8) {
  if (!goes_on()) return;
  note_content(utf8);
  interrupt_text();
  const std::string_view piece = within_text_limit(utf8);
  if (!piece.empty()) show(Block::Kind::reasoning, piece);
  if (thoughts_) thoughts_->feed(piece, thought_bytes_);
  thought_bytes_ += piece.size();
  if (piece.size() < utf8.size() || too_many_blocks_) overflow();
}

void Answer::on_bytes_lost() {
  if (ignores_bytes()) return;
  scanner_->lose();
  if (watcher_) watcher_->lose();
  if (thoughts_) thoughts_->lose();
}

void Answer::on_refusal(std::string_view utf8) {
  if (!goes_on()) return;
  note_content(utf8);
  interrupt_text();
  const std::string_view piece = within_text_limit(utf8);
  if (thoughts_ && !blank(piece)) thoughts_->interrupt();
  if (!piece.empty()) show_text(piece, Block::Mark::refusal);
  if (piece.size() < utf8.size()) overflow();
}

std::string_view Answer::within_text_limit(std::string_view utf8) {
  const size_t limit = setup_.config.limits.text_bytes;
  const std::string_view piece = first_bytes(utf8, limit - std::min(text_bytes_, limit));
  text_bytes_ += piece.size();
  return piece;
}

void Answer::overflow() {
  TurnError error;
  error.code = "oversize";
  const Limits &limits = setup_.config.limits;
  error.detail = too_many_blocks_ ? "the message has more blocks than limits.blocks, " + std::to_string(limits.blocks)
                                  : "the answer is longer than limits.textBytes, " + std::to_string(limits.text_bytes);
  listener_.on_overflow(std::move(error));
}

// The part of a message. What is beyond the limits stays without what it holds, and a diagnostic says so.
std::string Answer::part_of(const Media &media) {
  const Limits &limits = setup_.config.limits;
  media_bytes_ += media.data.size();
  const bool each = media.data.size() > limits.result_bytes, all = media_bytes_ > limits.line_bytes;
  if (each || all) {
    media_bytes_ -= media.data.size();
    log_.diagnostic("oversize", each ? "a picture or a file beyond limits.resultBytes is not kept"
                                     : "pictures and files beyond limits.lineBytes are not kept");
  }
  return media_part(media, each || all);
}

void Answer::on_media(const Media &media) {
  if (!goes_on()) return;
  note_content("media");
  interrupt_text();
  const bool room = log_.continues(Block::Kind::media, Block::Mark::none) ||
                    log_.message().blocks.size() < setup_.config.limits.blocks;
  if (!room) {
    too_many_blocks_ = true;
    return overflow();
  }
  shown_ = true;
  log_.add_media(part_of(media));
}

void Answer::on_provider_media(uint32_t slot, std::span<const Media> media) {
  if (!goes_on() || media.empty() || slot >= provided_.size() || provided_[slot] == nullptr) return;
  note_content("media");
  if (provided_[slot]->final()) return;
  media_bytes_ -= std::min(media_bytes_, provided_[slot]->parts().size());  // they replace what was there
  std::string parts = "[";
  for (const Media &one : media) parts.append(parts.size() > 1 ? "," : "").append(part_of(one));
  log_.provider_parts(*provided_[slot], parts + "]");
}

void Answer::on_sources(std::span<const Source> sources) {
  if (ignores_bytes() || sources.empty()) return;
  note_content("source");
  if (!log_.add_sources(sources) && !std::exchange(too_many_sources_, true))
    log_.diagnostic("oversize", "a text has at most " + std::to_string(kMostSources) + " sources: others are not kept");
}

void Answer::on_native(std::string_view items) {
  if (is_open()) log_.keep_native(setup_.wire->id(), items);
}

void Answer::on_beside(std::string_view members) {
  if (is_open()) log_.round().beside = members;
}

void Answer::on_model(std::string_view name) {
  if (!ignores_bytes()) log_.round().model = name;
}

void Answer::on_finish(Finish reason, std::string_view words, std::string_view explanation) {
  if (ignores_bytes()) return;
  last_word_ = true;
  const auto own = setup_.config.finish_reasons.find(lower_case(words));
  if (own != setup_.config.finish_reasons.end())
    reason = own->second == Finish::stop && calls_ > 0 ? Finish::tool_calls : own->second;
  Finish &finish = log_.round().finish;
  if (loss(reason) < loss(finish)) return;
  finish = reason;
  finish_word_ = bounded_text(words, kMostFinishWord);
  finish_explanation_ = explanation;
  complete_interrupted();
}

void Answer::on_end() { conclude(true); }

void Answer::on_usage(const Usage &usage) {
  if (is_open()) log_.add_usage(usage);
}

void Answer::on_error(const WireError &error) {
  if (ignores_bytes() || error_) return;
  TurnError shown;
  shown.code = error.code;
  shown.detail = error.detail;
  shown.retryable = error.transient;
  shown.status = error.status;
  shown.retry_after_ms = error.retry_after_ms;
  shown.request_id = error.request_id;
  shown.words = error.words;
  if (!reader_->likeness().empty() && shown.detail.starts_with("the answer is not ")) shown.hint = bytes_hint();
  error_ = std::move(shown);
  conclude(true);
}

void Answer::on_diagnostic(std::string_view code, std::string_view detail) {
  if (is_open() && !is_cut()) log_.diagnostic(code, detail);
}

// ---- what the scanner reports ----

void Answer::on_scan_text(std::string_view utf8) {
  if (!ignores_bytes()) show_text(utf8, mark_of(phase_));
}

void Answer::on_scan_fabricated(std::string_view utf8) {
  if (!ignores_bytes()) show_text(utf8, Block::Mark::fabricated);
}

void Answer::on_scan_hidden(std::string_view utf8) {
  if (ignores_bytes()) return;
  shown_ = true;  // the answer said something
  log_.hide(utf8);
}

void Answer::on_scan_reasoning(std::string_view utf8, bool first) {
  if (!ignores_bytes()) show(Block::Kind::reasoning, utf8, first);
}

void Answer::on_scan_diagnostic(std::string_view code, std::string_view detail, size_t offset, std::string_view raw) {
  if (!ignores_bytes()) log_.diagnostic(code, detail, text_call_ != nullptr ? text_call_->call : 0, offset, raw);
}

// ---- blocks and cards ----

void Answer::show(Block::Kind kind, std::string_view utf8, bool fresh, Block::Mark mark) {
  if ((fresh || !log_.continues(kind, mark)) && log_.message().blocks.size() >= setup_.config.limits.blocks) {
    too_many_blocks_ = true;  // on_text reports it after the scanner has returned
    return;
  }
  shown_ = true;
  log_.append(kind, utf8, fresh, mark);
}

void Answer::show_text(std::string_view utf8, Block::Mark mark) {
  show(Block::Kind::text, utf8, std::exchange(message_begins_, false), mark);
}

bool Answer::has_tool(std::string_view name) const {
  if (find_tool(name) != nullptr) return true;
  for (JsonSlices tools(json_member(setup_.body, "tools").value_or("")); tools.next();)
    if (json_member_text(tools.value(), "name") == name) return true;
  return false;
}

std::string Answer::host_tool(std::string_view kind, std::string_view server) const {
  if (!setup_.offers_tools()) return {};
  for (const ToolOffer &offer : setup_.offers)
    if (!offer.declared.empty() && setup_.registry().named(offer.name)->provider->id == kind &&
        (server.empty() || json_member_text(offer.declared, "server_label") == server))
      return std::string(offer.wire_name);
  return {};
}

bool Answer::has_provider_tools() const {
  for (JsonSlices tools(json_member(setup_.body, "tools").value_or("")); tools.next();)
    if (!is_one_of(json_member_text(tools.value(), "type"), {"", "function", "custom"})) return true;
  return false;
}

}  // namespace sluice
