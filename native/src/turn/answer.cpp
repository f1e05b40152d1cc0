#include "turn/answer.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/other_format.h"
#include "protocol/own/server_results.h"
#include "protocol/quiet_sink.h"
#include "protocol/tool_text.h"
#include "turn/arguments.h"
#include "turn/missing_tool.h"

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
      log_.diagnostic("text_call_in_native_mode", calls.front().name, 0, start, raw);
    else if (!calls.front().name.empty())
      unsealed_.push_back({start, calls.front().name});
  }

 private:
  Log &log_;
  const Protocols &parsed_;
  std::vector<Unsealed> &unsealed_;
};

constexpr size_t kMostFinishWord = 200;  // bytes of a finish reason that an error quotes
constexpr size_t kMostThought = 65536;   // bytes at the end of reasoning in which a call is looked for

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
  const Registry &registry = setup_.registry();
  options.turn_ends.clear();
  for (const auto &protocol : watched)
    for (Marker &token : protocol->turn_ends()) options.turn_ends.push_back(std::move(token));
  scanner_ = make_scanner(parsed, registry, limits, options, *this);
  if (!parsed.empty())
    thoughts_ = std::make_unique<ThoughtCalls>(parsed, registry, limits, options.calls_in_reasoning,
                                               static_cast<ScanSink *>(this));
  if (!watched.empty()) {
    watch_sink_ = std::make_unique<Watcher>(log_, parsed_, unsealed_);
    watcher_ = make_scanner(watched, registry, limits, options, *watch_sink_);
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
  apply(AnswerTrigger::finish);
  log_.withdraw(Log::Event::request, 0);
  reader_->finish(how == End::complete && !ours);
  if (!is_open()) return;
  if (has_ended()) how = End::complete;  // a broken connection after the end does not matter
  conclude(false, how);
  if (!is_open()) return;
  if (how != End::complete && !ours && !error_) {
    TurnError broken;
    broken.code = how == End::hook ? "hook" : "network";
    broken.detail = !detail.empty()       ? repair_utf8(detail)
                    : how == End::aborted ? "the answer was aborted"
                    : how == End::hook    ? "a hook of the host failed"
                                          : "the connection broke";
    broken.retryable = how != End::hook && !shown_;
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

// ---- the end of an answer ----

// Decides how an answer ended. `whole`: the answer itself said that it is over; else the host said how its body ended.
// After this, only usage and opaque members are read until finish.
void Answer::conclude(bool whole, End how) {
  if (!is_open() || has_ended()) return;
  const bool ours = is_cut();
  const Finish finish = log_.finish();
  if (!ours) {
    if (!error_ && how == End::complete) error_ = fault_of_end();
    const bool never_ended = !whole && finish == Finish::none && setup_.wire->has_end();
    const bool cut = error_ || how != End::complete || never_ended || finish == Finish::length ||
                     finish == Finish::content_filter;
    end_text(cut                                              ? TextEnd::cut
             : ended_well(finish, setup_.wire->has_end(), how) ? TextEnd::well
                                                               : TextEnd::over);
    if (!is_open()) return;
  }
  apply(AnswerTrigger::end);
  const bool says_all = how == End::complete && finish != Finish::pause && finish != Finish::malformed;
  std::string_view code = "provider_error";
  if (!error_ && !ours && how == End::complete) {
    const bool unfinished = !whole && finish == Finish::none && setup_.wire->has_end();
    const bool nothing = says_all && !gave_something() && reader_->media().empty();
    if (unfinished) code = "unfinished";
    if (setup_.parser && unfinished)  // nothing runs, and the input may be a piece of a recording
      log_.diagnostic("unfinished", "the answer has no end");
    else if (setup_.parser && nothing && setup_.wire->has_end())  // a text of nobody may be empty
      log_.diagnostic("empty_answer", nothing_came());
    else if (nothing && !setup_.parser)
      error_ = {"empty_answer", nothing_came(), "", true, false};
    else if (unfinished)
      error_ = {"unfinished", "the answer broke off: its end never came", "", false, false};
  }
  if (error_) {
    error_->retryable = error_->retryable && !shown_;
    // The error block follows at finish: until then the host may ask for the answer again.
    ObjectWriter event(log_.event(Log::Event::other));
    event.text("type", "diagnostic").text("code", code).text("detail", error_->detail);
    event.boolean("retryable", error_->retryable);
  }
  const bool broken = error_ || how != End::complete;
  // What the provider runs may go on in its next answer: code of it waits for the calls.
  const bool goes_on = finish == Finish::pause || (finish == Finish::tool_calls && calls_ > 0);
  if (broken || ours || !goes_on) log_.lose_provided(broken ? "stream_broken" : "no_result");
  if (!setup_.parser && !ours && !error_ && finish == Finish::malformed && !calls_for_results())
    log_.round().note = setup_.config.words(Word::malformed_answer);
  if (!ours && !error_ && calls_ == 0) {
    Protocols read = parsed_;
    if (says_all && !gave_something() && !reader_->media().empty())
      log_.diagnostic("no_answer", "the answer is a picture or a sound that Sluice does not show: " +
                                       std::string(reader_->media()));
    if (says_all && only_thought()) {
      log_.diagnostic("no_answer", "the answer is reasoning alone");
      std::string thoughts;
      for (const std::string_view piece : last_thoughts(kMostThought)) thoughts += piece;
      tell_other_format(thoughts, read);
    }
    read.insert(read.end(), watched_.begin(), watched_.end());
    tell_other_format(log_.text_of_round(), read);
  }
  if (!ours && !error_) note_unsealed();
  if (!error_) log_.retract_repeated();
  log_.end_answer();
}

// Why an answer that gave nothing did so. The provider may have answered in members that nobody reads.
std::string Answer::nothing_came() const {
  const std::string unread = reader_->unread();
  return "the provider answered nothing" + (unread.empty() ? "" : " that Sluice reads; not read: " + unread);
}

// Did the answer give reasoning, and nothing else?
bool Answer::only_thought() const {
  const auto &blocks = log_.message().blocks;
  bool thought = false;
  for (auto block = blocks.rbegin(); block != blocks.rend() && block->round == log_.round_number(); ++block) {
    if (block->kind != Block::Kind::reasoning) return false;
    thought = true;
  }
  return thought && log_.round().hidden.empty();
}

// What the finish reason says against the answer. An ending that nobody knows is not a good one.
std::optional<TurnError> Answer::fault_of_end() const {
  const Finish finish = log_.finish();
  TurnError fault;
  fault.code = "provider";
  fault.detail = "the answer ended with \"" + finish_word_ + '"';
  if (!finish_explanation_.empty()) fault.detail += ": " + finish_explanation_;
  switch (finish) {
    case Finish::failed: fault.retryable = true; break;
    case Finish::other:
      fault.retryable = true;
      fault.hint = "Sluice does not know this word: if the server means a good end, say so with finishReasons: { " +
                   json_string(finish_word_) + ": \"good\" }";
      break;
    case Finish::content_filter:
      if (finish_explanation_.empty() && gave_something()) return std::nullopt;
      if (finish_explanation_.empty())
        fault.code = "empty_answer";
      else
        fault.detail = finish_explanation_;
      break;
    case Finish::length:
      if (gave_something()) return std::nullopt;
      fault.code = "empty_answer";
      if (const std::string unread = reader_->unread(); !unread.empty()) fault.detail += "; not read: " + unread;
      break;
    default: return std::nullopt;
  }
  return fault;
}

void Answer::end_text(TextEnd end) {
  scanner_->finish(end);
  if (watcher_) watcher_->finish(end);
  if (!is_open() || !thoughts_) return;
  if (end != TextEnd::well) return thoughts_->give_up();
  const Message &message = log_.message();
  const size_t first = message.cards.size();
  calls_of_thoughts_ = true;
  counted_ = {};
  thoughts_->finish(*this);
  calls_of_thoughts_ = false;
  if (!setup_.calls_from_text() || message.cards.size() == first) return;
  // The next request shows the model its reasoning from the first call on.
  for (const std::string_view piece : last_thoughts(thought_bytes_ - message.cards[first]->start()))
    log_.round().raw.append(piece);
}

// Does the answer call a tool for its result? A tag, or another fire-and-forget call, stands beside a malformed one.
bool Answer::calls_for_results() const {
  const auto &cards = log_.message().cards;
  return std::any_of(cards.begin() + static_cast<std::ptrdiff_t>(log_.first_card()), cards.end(),
                     [](const auto &card) { return !card->is_provided() && !card->fire_and_forget(); });
}

// The last bytes of this round's reasoning.
std::vector<std::string_view> Answer::last_thoughts(size_t bytes) const {
  const auto &blocks = log_.message().blocks;
  std::vector<std::string_view> pieces;
  for (size_t i = blocks.size(); i-- > 0 && bytes > 0 && blocks[i].round == log_.round_number();) {
    if (blocks[i].kind != Block::Kind::reasoning) continue;
    pieces.push_back(last_bytes(blocks[i].text, bytes));
    bytes -= pieces.back().size();
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

// The UTF-16 units in front of a place in the text in which calls are found. Calls come in the order of their places,
// so each byte is counted once.
size_t Answer::utf16_before(size_t at) {
  if (at < counted_.bytes) counted_ = {};
  const size_t wanted = at - counted_.bytes;
  if (calls_of_thoughts_) {
    size_t left = wanted;
    for (std::string_view piece : last_thoughts(thought_bytes_ - std::min(counted_.bytes, thought_bytes_))) {
      piece = piece.substr(0, left);
      counted_.units += utf16_length(piece);
      left -= piece.size();
    }
  } else {
    const std::string_view text = log_.round().raw;
    counted_.units += utf16_length(text.substr(std::min(counted_.bytes, text.size()), wanted));
  }
  counted_.bytes = at;
  return counted_.units;
}

// Reports a call in `text` in none of the formats `read`: the model may write the one that it was trained on.
void Answer::tell_other_format(const std::string &text, const Protocols &read) {
  if (!setup_.has_tools()) return;
  if (const std::string_view id = find_other_format(text, read, setup_.registry(), setup_.scan_limits()); !id.empty())
    log_.diagnostic("other_format", id);
}

// Calls without the seal do not run, and the model reads how to write them. Those inside a call are quotations.
void Answer::note_unsealed() {
  const auto &cards = log_.message().cards;
  std::erase_if(unsealed_, [&](const Unsealed &one) {
    return std::any_of(cards.begin() + static_cast<std::ptrdiff_t>(log_.first_card()), cards.end(),
                       [&](const auto &card) { return card->start() < one.at && one.at < card->end(); });
  });
  for (const Unsealed &one : unsealed_) log_.diagnostic("unsealed", one.name, 0, one.at);
  const auto sealed =
      std::find_if(parsed_.begin(), parsed_.end(), [](const auto &one) { return !one->seal().empty(); });
  if (setup_.parser || unsealed_.empty() || sealed == parsed_.end())
    return;  // a changed state may have no such protocol
  std::string example;
  if (!setup_.offers.empty())
    (*sealed)->write_call("call_1", setup_.offers.front().name, example_arguments(setup_.offers.front().parameters),
                          example);
  log_.round().note = setup_.config.words(Word::unsealed, example);
}

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

void Answer::on_call_open(std::string_view protocol, std::string_view name, size_t start) {
  if (ignores_bytes() || protocol == kServerResults) return;
  // A damaged state may say that a call is open whose block the scanner does not know.
  if (text_call_ != nullptr && text_call_->state() == CardState::streaming)
    log_.invalidate(*text_call_, "unterminated_block");
  text_call_ = open_card(protocol, name);
  if (text_call_ == nullptr) {
    if (SharedText &written = log_.round().raw; is_cut() && setup_.calls_from_text() && start < written.size())
      written = written.part(0, start);  // the next request does not show a call that got no answer
    return;
  }
  text_call_->set_start(start);
  log_.give_id(*text_call_);
  log_.tell(*text_call_);
}

void Answer::on_call_arguments(std::string_view piece, size_t offset) {
  Card *const card = text_call_;
  if (ignores_bytes() || card == nullptr || card->state() != CardState::streaming) return;
  log_.append_written_arguments(*card, piece, offset);
}

void Answer::on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw,
                           size_t start, size_t end) {
  if (ignores_bytes()) return;
  if (protocol == kServerResults) return take_server_results(calls);
  if (setup_.text_mode()) log_.round().text_calls = true;
  bool complete_one = false;
  for (ParsedCall &call : calls) {
    const bool first = &call == &calls.front();
    // A block with a hundred calls is kept once, not a hundred times.
    const bool keeps_raw = first || calls.size() * raw.size() <= setup_.config.limits.argument_bytes;
    Card *const card = take_call(protocol, call, first, keeps_raw ? raw : std::string_view(), start, end);
    if (card == nullptr) continue;
    const bool idle_tag = card->is_tag() && !setup_.parser && !why_missing(setup_, card->tool).empty();
    if (!call.reason.empty() && !idle_tag)
      log_.invalidate(*card, call.reason,
                      call.example.empty() ? std::string() : setup_.config.words(Word::nameless, call.example));
    else if (complete_call(setup_, log_, *card, std::move(call.arguments)) && !card->fire_and_forget())
      complete_one = true;
  }
  text_call_ = nullptr;
  if (complete_one && setup_.config.stop_after_call && !calls_of_thoughts_) {
    cut("stopAfterCall");
    if (SharedText &written = log_.round().raw; setup_.calls_from_text() && end < written.size())
      written = written.part(0, end);  // drops what followed in the same piece
  }
  listener_.on_calls_complete();
}

// Matches results of a server to calls, in order and by name. A result without a call gets a card of its own.
void Answer::take_server_results(const std::vector<ParsedCall> &results) {
  for (const ParsedCall &result : results) {
    if (result.name.empty()) {
      log_.diagnostic(result.reason, "a block of results names no tool");
      continue;
    }
    const auto &running = log_.open_cards().running();
    const auto call = std::find_if(running.begin(), running.end(), [&](uint32_t one) {
      const Card &card = *log_.find(one);
      return card.requested_name() == result.name || card.name() == result.name;
    });
    Card *card = call == running.end() ? nullptr : log_.find(*call);
    if (card == nullptr) {
      card = open_card(kServerResults, result.name);
      if (card == nullptr) return;
      log_.give_id(*card);
      log_.tell(*card);
      complete_call(setup_, log_, *card, "{}");
      listener_.on_calls_complete();
    }
    listener_.on_server_result(*card, result);
  }
}

// Completes the card of a call in a block that has ended. nullptr: the call is dropped, or its card has ended.
Card *Answer::take_call(std::string_view protocol, ParsedCall &call, bool first, std::string_view raw, size_t start,
                        size_t end) {
  Card *const streamed = first ? std::exchange(text_call_, nullptr) : nullptr;
  if (first && streamed == nullptr && call.name.empty() && !setup_.config.report_malformed) return nullptr;
  Card *const card = streamed != nullptr ? streamed : open_card(protocol, call.name);
  if (card == nullptr || card->final()) return nullptr;
  if (card->requested_name() != call.name) card->rename(call.name, card->tool);
  if (!call.id.empty()) card->set_wire_id(call.id);
  log_.give_id(*card);
  SharedText block;
  block.append_part(log_.round().raw, start, raw);
  if (card->raw_arguments != call.raw_arguments) {
    card->raw_arguments = {};
    card->raw_arguments.append_part(block, call.raw_at, call.raw_arguments);
  }
  if (streamed == nullptr) {
    log_.tell(*card);
    if (!card->raw_arguments.empty()) log_.tell_arguments(*card, card->raw_arguments);
  }
  card->set_reserved(std::move(call.reserved));
  card->set_raw(std::move(block), start, end, static_cast<int64_t>(utf16_before(start)));
  card->typed = call.typed;
  return card;
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

bool Answer::has_provider_tools() const {
  for (JsonSlices tools(json_member(setup_.body, "tools").value_or("")); tools.next();)
    if (!is_one_of(json_member_text(tools.value(), "type"), {"", "function", "custom"})) return true;
  return false;
}

}  // namespace sluice
