#include "protocol/scan/scanner.h"

#include <algorithm>
#include <cassert>

#include "base/ascii.h"
#include "base/release.h"
#include "base/shared_text.h"
#include "base/utf8.h"
#include "protocol/scan/unread_block.h"

namespace sluice {
namespace {

constexpr size_t kRawInDiagnostic = 256;
// A flood of openers leaves this many diagnostics.
constexpr size_t kMostDiagnostics = 1000;

}  // namespace

std::string_view whole_code_points(std::string_view text, size_t bytes) {
  text = text.substr(0, bytes);
  for (size_t behind = 1; behind <= 3 && behind <= text.size(); ++behind) {
    const char first = text[text.size() - behind];
    if (continues_code_point(first)) continue;
    if (code_point_length(first) > behind) text.remove_suffix(behind);
    break;
  }
  return text;
}

Scanner::Scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits, const ScanOptions &options,
                 ScanSink &sink)
    : active_(active),
      tools_(tools),
      limits_(limits),
      sink_(sink),
      markers_(active_, tools, options),
      calls_in_reasoning_(options.calls_in_reasoning),
      inside_reasoning_(options.inside_reasoning),
      reasoning_(options.starts_in_reasoning) {
  any_whole_ = markers_.any_fence();
  for (size_t i = 0; i < active_.size(); ++i) {
    any_whole_ = any_whole_ || active_[i]->code() == CodeMode::whole;
    any_reads_reasoning_ = any_reads_reasoning_ || reads_reasoning(i);
    thinks_ = thinks_ || (!inside_reasoning_ && active_[i]->thinks());
  }
  lone_closer_is_text_ = thinks_ || options.lone_closer_is_text;
  if (reasoning_) closer_ = Closer::owed;
  if (!inside_reasoning_ && !calls_in_reasoning_ && !active_.empty())
    thoughts_ = std::make_unique<ThoughtCalls>(active_, tools_, limits_);
  markers_.add_first_bytes(interesting_);
  plain_quotes_ = markers_.any_common() && markers_.step(0, '"') == 0 && markers_.step(0, '\'') == 0;
  for (const char c : {'`', '\n', '\r'}) interesting_.add(c);
  if (markers_.any_common())
    for (const char c : {'"', '\''}) interesting_.add(c);
}

// ---- in ----

void Scanner::feed(std::string_view utf8) {
  if (utf8.empty()) return;
  kept_.append(utf8);
  run(false);
  keep();
}

// What is not kept was shown, and is in no call.
void Scanner::lose() {
  if (!kept_.empty()) losses_.add(kept_.end());
  if (thoughts_) thoughts_->lose();
}

void Scanner::finish(TextEnd end) {
  end_ = end;
  const bool cut = end == TextEnd::cut;
  run(true);
  if (mode_ != Mode::skip) show(at_turn_end() && !cut ? ends_ : kept_.end());
  drop(kept_.end());  // trailing white space
  keep();
  if (end == TextEnd::well && thoughts_ && thoughts_->finish(sink_)) reasoning_ = false;
}

void Scanner::restart() {
  if (mode_ == Mode::skip || mode_ == Mode::block) {
    enter(Trigger::restart);
    reader_.reset();
    rest_ = {};
    done_ = kept_.end();
  }
  interrupt();
  quotation_ = {};
  quoted_ = quoted_in_line_ = left_open_ = false;
  ends_known_ = kNowhere;
  context_ = Context();
}

void Scanner::interrupt() {
  if (in_call()) return;
  release_fences();
  if (mode_ == Mode::block || mode_ == Mode::tail) {
    diagnostic("unterminated_block", "no call: shown as text", block_, kept_.rest(block_));
    BlockReader::Rest rest = reader_->rest(kept_.rest(block_));
    quotation_ = std::move(rest.open);
    if (quotation_.open()) pass_quotation(block_ + rest.at);
  }
  if (mode_ != Mode::text) enter(Trigger::interrupt);
  reader_.reset();
  rest_ = {};
  doubt_.clear();
  leave_fence();
  at_ = kept_.end();
  show(at_turn_end() ? ends_ : at_);
  drop(at_);
  ends_ = kNowhere;
  match_ = 0;
  strings_ = {};
  text_open_ = reasoning_open_ = false;
  made_up_ = -1;
  trails_ = kNowhere;
  context_.start_line();
  if (thoughts_) thoughts_->interrupt();
  start_line();
  if (at_ == 0) {  // the reasoning arrived in the provider's own field
    reasoning_ = false;
    closer_ = Closer::first;
  }
  keep();
}

// Keeps the text that was neither shown nor dropped for the next piece.
void Scanner::keep() {
  if (thinks_) {
    line_.add(kept_.view(line_from_, done_));
    line_from_ = std::max(line_from_, done_);
  }
  if (fence_ < done_) fence_ = kNowhere;  // it was shown
  losses_.forget(done_);
  kept_.forget(done_);
}

void Scanner::enter(Trigger trigger) {
  const std::optional<Mode> next = next_mode(mode_, trigger);
  assert(next && "the table of modes has no such row");
  mode_ = next.value_or(Mode::text);
}

void Scanner::run(bool ended) {
  bool more = true;
  while (more) {
    switch (mode_) {
      case Mode::text: more = read_text(ended); break;
      case Mode::tag: more = read_tag(ended); break;
      case Mode::block: more = read_block(ended); break;
      case Mode::tail: more = read_tail(ended); break;
      case Mode::skip: more = read_skip(); break;
      case Mode::ends: more = read_ends(ended); break;
    }
  }
  show_unheld();
}

// ---- text ----

// Each read_… returns false when it needs more text.
bool Scanner::read_text(bool ended) {
  while (at_ < kept_.end()) {
    if (quotation_.open() && !take_quotation()) break;
    if (at_ == kept_.end()) break;
    const bool placed =
        trails_ != kNowhere || ends_ != kNowhere || (markers_.any_first() && at_ == 0) || strings_.bound();
    if (match_ == 0 && context_.idle() && !placed) {
      const bool quotes = plain_quotes_ && !(any_whole_ && in_body_ && fence_body_ == kNowhere);
      const Offset from = kept_.from();
      at_ = from + interesting_.find(kept_.rest(from), at_ - from, [&](size_t index) {
        const char c = kept_[from + index];
        if (!quotes || (c != '"' && c != '\'')) return false;
        strings_.quote(kept_.before(from + index), c);
        return true;
      });
      if (at_ == kept_.end()) break;
    }
    const char c = kept_[at_];
    if (context_.line_blank() && !is_white(c)) blank_at_ = at_;
    if (any_whole_ && (c == '`' || c == '~') && context_.in_lead() && !context_.in_quote()) {
      fence_ = at_;
      before_fence_ = context_;
    }
    const unsigned effect = context_.step(c);
    if (markers_.any_common() || strings_.bound()) strings_.step(kept_.before(at_), c);
    match_ = markers_.step(match_, c);
    if (match_ == 0 && !is_white(c)) trails_ = kNowhere;
    if (any_whole_ && in_body_ && fence_body_ == kNowhere && !is_white(c)) fence_body_ = at_;
    ++at_;
    if (effect != 0) {
      const size_t before = at_;
      on_effect(effect);
      if (at_ != before) continue;  // the scan went back to an opener that waited
    }
    const int marker = markers_.complete(match_);
    if (marker >= 0 || ends_ != kNowhere) watch_end(c, marker);
    if (marker >= 0) {
      on_marker(marker);
      if (mode_ != Mode::text) return true;
      if (made_up_ >= 0 && !doubt_.waits() && markers_.bytes(marker) == markers_.result_end(made_up_)) end_made_up();
    }
    if (holds_fences() && (!alive_fence() || fence_room() == 0)) release_fences();
  }
  if (doubt_.holds_more_than(limits_.candidate_bytes, at_)) waited_too_long();
  if (!ended) return false;
  release_fences();
  const size_t before = at_;
  quoted_in_line_ = quoted_in_line_ || doubt_.waits();  // the end of its line would have told whether it was code
  on_effect(context_.finish());
  return at_ != before;
}

// Passes over the open value of a block that was given back. Returns false if the value goes on.
bool Scanner::take_quotation() {
  const auto [over, to] = pass_quotation(at_);
  walk(to);
  match_ = 0;
  return over;
}

// From `at` on: whether its value ends, and where, or where more text is needed.
std::pair<bool, Offset> Scanner::pass_quotation(Offset at) {
  size_t index = at - kept_.from();
  const bool over = quotation_.pass(kept_.rest(kept_.from()), index);
  return {over, kept_.from() + index};
}

// Steps over text without looking for markers.
void Scanner::walk(size_t to) {
  for (; at_ < to; ++at_) {
    context_.step(kept_[at_]);
    if (markers_.any_common() || strings_.bound()) strings_.step(kept_.before(at_), kept_[at_]);
  }
}

// Index up to which text may be shown.
size_t Scanner::held() const {
  using Kind = Markers::Kind;
  if (mode_ == Mode::block || mode_ == Mode::tail)
    return doubt_.waits() ? doubt_.from() : std::min(held_.from, whole_ ? fence_ : block_);
  if (mode_ == Mode::skip) return done_;
  if (holds_fences()) return held_.from;
  size_t to = at_;
  if (doubt_.waits()) {
    to = doubt_.from();
  } else if (mode_ == Mode::tag) {
    to = tag_at_;
  } else if (reasoning_) {
    size_t alive = std::max({markers_.alive(match_, Kind::think_end), markers_.alive(match_, Kind::reasoning_end),
                             markers_.alive(match_, Kind::turn_end)});
    if (any_reads_reasoning_)
      alive = std::max({alive, markers_.alive(match_, Kind::opener), markers_.alive(match_, Kind::code_opener)});
    alive = std::max(alive, alive_trailer());
    const size_t think = markers_.alive(match_, Kind::think);
    if (think > alive && may_think(at_ - think)) alive = think;
    to -= std::min(alive, to);
  } else {
    size_t alive = std::max(markers_.alive(match_, Kind::code_opener), markers_.alive(match_, Kind::turn_end));
    alive = std::max(alive, alive_trailer());
    if (!context_.in_fence()) {
      alive = std::max({alive, markers_.alive(match_, Kind::opener), markers_.alive(match_, Kind::reasoning_end)});
      if (closer_ != Closer::text) alive = std::max(alive, markers_.alive(match_, Kind::think_end));
      const size_t think = markers_.alive(match_, Kind::think);
      if (think > alive && may_think(at_ - think)) alive = think;
      if (made_up_ < 0) alive = std::max(alive, markers_.alive(match_, Kind::result));
    }
    to -= std::min(alive, to);  // a marker that began in the fence that ends here was shown
  }
  to = std::min(to, ends_);
  return !reasoning_ && alive_fence() ? std::min(to, fence_) : to;
}

void Scanner::on_effect(unsigned effect) {
  if ((effect & Context::kFenceOpened) != 0) {
    in_body_ = true;
    fence_body_ = kNowhere;
  }
  if (doubt_.holds_more_than(limits_.candidate_bytes, at_)) waited_too_long();
  if ((effect & Context::kRunEnded) != 0) doubt_.on_run(at_ - 1, context_);
  if ((effect & Context::kRunMatched) != 0) {
    if (doubt_.closes_around(context_)) waiting_is_code();
    doubt_.drop_results(context_.matched());
  }
  if ((effect & Context::kFenceClosed) != 0) leave_fence();
  if ((effect & Context::kLineEnd) != 0) on_line_end((effect & Context::kFenceOpened) != 0);
}

// `fence`: the line that ended opened a fence, so all of it was code.
void Scanner::on_line_end(bool fence) {
  if (fence) {
    if (doubt_.waits()) waiting_is_code();
    return doubt_.drop_results(0);
  }
  if (!in_body_) fence_ = kNowhere;
  if (!doubt_.waits()) return report_results();
  // No back-tick run closed on this line, so the first waiting opener is real. Rescan from it; the line's runs are
  // known now.
  doubt_.on_line_end(at_);
  report_results();
  at_ = doubt_.from();
  doubt_.stop_waiting();
  ends_ = ends_word_ = kNowhere;
  match_ = 0;
  strings_ = {};
  context_.start_words();
}

void Scanner::waited_too_long() {
  show_unheld();
  const size_t at = doubt_.from();
  doubt_.stop_waiting();
  diagnostic("oversize", "an opener behind open back-ticks, and no end of its line", at);
}

void Scanner::waiting_is_code() {
  show_unheld();
  for (const BacktickDoubt::Waiting &one : doubt_.waiting())
    if (markers_.kind(one.marker) == Markers::Kind::opener && !markers_.common(one.marker))
      diagnostic("in_code", active_[markers_.owner(one.marker)]->id(), one.at);
  doubt_.stop_waiting();
}

// Reports the made-up results of this line: they are not code.
void Scanner::report_results() {
  if (!doubt_.any_results()) return;
  show_unheld();
  for (const size_t at : doubt_.take_results()) diagnostic("forged_result", {}, at);
}

void Scanner::on_marker(int marker) {
  using Kind = Markers::Kind;
  if (doubt_.holds_more_than(limits_.candidate_bytes, at_)) waited_too_long();
  const size_t at = at_ - markers_.length(marker);
  if (!markers_.is_opener(marker)) release_fences();
  switch (const Kind kind = markers_.kind(marker)) {
    case Kind::opener:
    case Kind::code_opener: return on_opener(marker, at);
    case Kind::think:
    case Kind::think_end: {
      const bool closes = kind == Kind::think_end;
      if (context_.in_fence() && !reasoning_) return;
      if (!closes && !may_think(at)) {
        if (!reasoning_) closer_ = Closer::text;
        return;
      }
      if (closes ? !may_close(at) : !reasoning_ && is_code(marker, at)) return;
      enter(Trigger::tag);
      tag_.start(closes);
      tag_at_ = at;
      tag_read_ = at_;
      tag_marker_ = marker;
      return;
    }
    case Kind::reasoning_end:
      if (reasoning_ && closes_draft(marker, at)) return;
      if (!context_.in_fence() || reasoning_) on_reasoning_end(at, at_, marker);
      return;
    case Kind::trailer:
    case Kind::turn_end: return on_trailer(marker, at);
    case Kind::forged:
    case Kind::result:
      if (!reasoning_ && !context_.in_fence() && made_up_ < 0) on_made_up_result(at, marker);
      return;
    case Kind::result_end: return;
  }
}

void Scanner::on_opener(int marker, size_t at) {
  const bool common = markers_.common(marker);
  if (in_string(marker)) return;
  if (reasoning_ && !calls_in_reasoning_)
    for (int one = marker; one >= 0; one = markers_.same(one))
      if (reads_reasoning(markers_.owner(one)) && in_draft(at)) return;
  if (common && std::max(markers_.alive(match_, Markers::Kind::opener),
                         markers_.alive(match_, Markers::Kind::code_opener)) > at_ - at)
    return;  // a bracket inside a longer marker
  if (try_opener(marker, at) || common || markers_.first(marker)) return;
  show_unheld();
  diagnostic(reasoning_ && !calls_in_reasoning_ ? "in_reasoning" : "in_code", active_[markers_.owner(marker)]->id(),
             at);
}

// Starts a block of the first protocol with this opener whose calls may stand here.
bool Scanner::try_opener(int marker, size_t at) {
  for (; marker >= 0; marker = markers_.same(marker)) {
    const May may = may_start(marker, at);
    if (may == May::not_here || (markers_.first(marker) && at != 0)) continue;
    if (may == May::wait) {
      doubt_.wait(at, marker, context_);
    } else if (at_ < kept_.end() && !markers_.may_follow(marker, kept_[at_])) {
      report_results();
      match_ = markers_.behind(marker);
      leave_fence();
      continue;
    } else {
      const bool known = at_ < kept_.end() || markers_.any_may_follow(marker);  // that it begins a call
      if (doubt_.waits() && known && markers_.kind(marker) == Markers::Kind::code_opener)
        waiting_is_code();  // the text before it may be code, so its calls do not run
      start_block(marker, at);
    }
    return true;
  }
  return false;
}

Scanner::May Scanner::may_start(int marker, size_t at) const {
  const bool anywhere = markers_.kind(marker) == Markers::Kind::code_opener;
  const bool doubt = context_.open_count() != 0;
  const bool common = markers_.common(marker);
  if (reasoning_ && !(common ? calls_in_reasoning_ : reads_reasoning(markers_.owner(marker)))) return May::not_here;
  if (markers_.fence(marker))
    return !reasoning_ && in_body_ && fence_ != kNowhere && at == fence_ ? May::start : May::not_here;
  if (anywhere) return May::start;
  if (context_.in_quote() && blank_at_ < at) return May::not_here;  // `>` may be the opener's first byte
  if (reasoning_) return context_.in_fence() || doubt ? May::not_here : May::start;
  if (context_.in_fence()) return begins_body(marker, at) ? May::start : May::not_here;
  if (!doubt) return May::start;
  if (!doubt_.knows(at)) return May::wait;
  return doubt_.is_code(at, context_) ? May::not_here : May::start;
}

// Is `at` in a block that the reasoning holds? Then it is no header of another channel.
bool Scanner::in_draft(size_t at) {
  show(at);
  return thoughts_ && thoughts_->in_block();
}

// Some formats end a call and a channel with one token.
bool Scanner::closes_draft(int marker, size_t at) {
  const auto closers = active_[markers_.owner(marker)]->closers(tools_);
  const auto same = [&](const Marker &closer) { return closer.bytes == markers_.bytes(marker); };
  return std::any_of(closers.begin(), closers.end(), same) && (in_draft(at) || (thoughts_ && thoughts_->any()));
}

// An opener of reasoning counts at the beginning of a line, and in families also within a line, outside quotations.
bool Scanner::may_think(size_t at) const {
  const bool first = at == blank_at_;
  if (reasoning_)
    return first && !reasoning_open_ && is_blank_until(at);  // the prompt opened the tag, and the model opens it again
  if (first || !thinks_ || quoted_in_line_ || context_.in_quote()) return first;
  if (!kept_.holds(at)) return false;  // the beginning was shown as text
  LastBytes line = line_;
  line.add(kept_.view(line_from_, at));
  return !ends_in_quotation(line.get());
}

// A closer of reasoning in the text counts only if its opener was not shown as text.
bool Scanner::may_close(size_t at) {
  if (reasoning_) return true;
  if (lone_closer_is_text_ && closer_ == Closer::first && (at - done_ > limits_.candidate_bytes || !is_blank_until(at)))
    closer_ = Closer::text;
  return closer_ != Closer::text;
}

// Only white space waits to be shown before `at`.
bool Scanner::is_blank_until(size_t at) const {
  const std::string_view text = kept_.view(done_, at);
  return std::all_of(text.begin(), text.end(), is_white);
}

// Trailers of the last card's protocol are dropped where its calls may stand.
bool Scanner::may_trail() const {
  return trails_ != kNowhere && (!context_.in_fence() || active_[trails_]->code() == CodeMode::parse);
}

// How much of the end of the text may become a trailer: no other text stands before it.
size_t Scanner::alive_trailer() const {
  const size_t alive = may_trail() ? markers_.alive(match_, Markers::Kind::trailer) : 0;
  const bool directly = alive != 0 && at_ - done_ >= alive && at_ - alive - done_ <= limits_.candidate_bytes &&
                        is_blank_until(at_ - alive);
  return directly ? alive : 0;
}

bool Scanner::belongs_to(int marker, size_t protocol) const {
  while (marker >= 0 && markers_.owner(marker) != protocol) marker = markers_.same(marker);
  return marker >= 0;
}

void Scanner::on_trailer(int marker, size_t at) {
  if (!may_trail()) return;
  if (at - done_ > limits_.candidate_bytes || !is_blank_until(at)) {
    if (markers_.alive(match_, Markers::Kind::opener) > at_ - at) return;  // it is a part of what may be an opener
    trails_ = kNowhere;  // text came between: the trailer is text, too
  } else if (belongs_to(marker, trails_)) {
    drop(at_);
    ends_ = kNowhere;
    match_ = 0;
    start_line();
    context_.start_line();
  }
}

// Holds back a token that ends a turn until something other than such tokens and white space follows; at the end of the
// answer it is dropped. Behind open back-ticks it is a quotation.
void Scanner::watch_end(char c, int marker) {
  if (marker >= 0 && markers_.ends_turn(marker) && context_.open_count() == 0) {
    const size_t at = at_ - markers_.length(marker);
    if (ends_ == kNowhere || at > ends_word_) ends_ = at;
    ends_word_ = kNowhere;
  } else if (ends_ != kNowhere) {
    if (!is_white(c) && ends_word_ == kNowhere) ends_word_ = at_ - 1;
    const bool word = ends_word_ != kNowhere && at_ - markers_.alive(match_, Markers::Kind::turn_end) > ends_word_;
    if (word || at_ - ends_ > limits_.candidate_bytes) ends_ = ends_word_ = kNowhere;
  }
}

// Returns true behind an open run of back-ticks if the marker is code, or waits for the end of the line to tell.
bool Scanner::is_code(int marker, size_t at) {
  if (context_.open_count() == 0) return false;
  if (doubt_.knows(at)) return doubt_.is_code(at, context_);
  doubt_.wait(at, marker, context_);
  return true;
}

// Ends the reasoning, or drops a stray closer.
void Scanner::on_reasoning_end(size_t at, size_t end, int marker) {
  if (!reasoning_ && is_code(marker, at)) return;
  show(at);  // white space with no text before it is dropped with the tag
  at_ = done_ = end;
  closer_ = thinks_ ? Closer::text : Closer::first;
  if (thoughts_) thoughts_->restart();
  start_reasoning(false);
}

void Scanner::on_made_up_result(size_t at, int marker) {
  if (context_.open_count() != 0) {
    if (!doubt_.knows(at)) return doubt_.add_result(at, context_);
    if (doubt_.is_code(at, context_)) return;
  }
  if (markers_.kind(marker) == Markers::Kind::result) {
    show(at);
    made_up_ = marker;
    text_open_ = false;
  }
  show_unheld();
  diagnostic("forged_result", {}, at);
}

// A made-up result has ended; the answer goes on behind it.
void Scanner::end_made_up() {
  show(at_);
  made_up_ = -1;
  text_open_ = false;
  ends_ = kNowhere;
  leave_fence();
  match_ = 0;
  strings_ = {};
  context_ = Context();
  start_line();
}

// ---- reasoning tags ----

bool Scanner::read_tag(bool ended) {
  TagReader::State state = TagReader::State::open;
  while (state == TagReader::State::open && tag_read_ < kept_.end() && tag_read_ - tag_at_ < kProse)
    state = tag_.step(kept_[tag_read_++]);
  if (state == TagReader::State::open) {
    if (tag_read_ == kept_.end() && tag_read_ - tag_at_ < kProse && !ended) return false;
    state = TagReader::State::none;
  }
  enter(Trigger::read);
  if (state == TagReader::State::none) return true;  // text: the scan goes on behind `<think`
  if (markers_.kind(tag_marker_) == Markers::Kind::think_end) {
    on_reasoning_end(tag_at_, tag_read_, tag_marker_);
    return true;
  }
  show(tag_at_);  // white space with no text before it is dropped with the tag
  at_ = done_ = tag_read_;
  if (thoughts_) thoughts_->restart();
  start_reasoning(true);
  return true;
}

// Behind a tag a new text begins, with a context of its own.
void Scanner::start_reasoning(bool reasoning) {
  reasoning_ = reasoning;
  if (reasoning) closer_ = Closer::owed;
  reasoning_open_ = false;
  made_up_ = -1;
  ends_ = kNowhere;
  start_line();
  leave_fence();
  match_ = 0;
  strings_ = {};
  rest_ = {};
  context_ = Context();
}

// Returns whether the text holds an opener of any protocol; `certain`: one that ordinary text does not hold.
bool Scanner::holds_opener(std::string_view text, bool certain) {
  Markers::State state = 0;
  for (const char c : text) {
    state = markers_.step(state, c);
    const int marker = markers_.complete(state);
    if (marker >= 0 && markers_.is_opener(marker) && !(certain && markers_.common(marker))) return true;
  }
  return false;
}

// ---- out ----

// Shows text or reasoning up to `to`. White space waits until text follows it.
void Scanner::show(size_t to) {
  if (to <= done_) return;
  bool &open = reasoning_ ? reasoning_open_ : text_open_;
  if (!open) {
    white_ = std::max(white_, done_);
    while (white_ < to && is_white(kept_[white_])) ++white_;
    if (white_ >= to && to - done_ <= limits_.candidate_bytes) return;
  }
  const std::string_view piece = kept_.view(done_, to);
  done_ = to;
  const bool first = !open;
  open = true;
  trails_ = kNowhere;
  if (reasoning_) {
    text_open_ = false;
    if (thoughts_) thoughts_->feed(piece, done_ - piece.size());
    sink_.on_scan_reasoning(piece, first);
  } else {
    if (lone_closer_is_text_ && closer_ == Closer::first) closer_ = Closer::text;
    if (first && thoughts_) thoughts_->restart();
    made_up_ >= 0 ? sink_.on_scan_fabricated(piece) : sink_.on_scan_text(piece);
  }
}

void Scanner::drop(size_t to) { done_ = std::max(done_, to); }

// The text that follows counts as a new line.
void Scanner::start_line() {
  line_.clear();
  line_from_ = thinks_ ? at_ : 0;
}

void Scanner::diagnostic(std::string_view code, std::string_view detail, size_t at, std::string_view raw) {
  if (reported_ > kMostDiagnostics) return;
  if (reported_++ == kMostDiagnostics)
    return sink_.on_scan_diagnostic("oversize", "more of these are not told", at, {});
  sink_.on_scan_diagnostic(code, detail, at, whole_code_points(raw, kRawInDiagnostic));
}

std::unique_ptr<TextScanner> make_scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits,
                                          const ScanOptions &options, ScanSink &sink) {
  return std::make_unique<Scanner>(active, tools, limits, options, sink);
}

}  // namespace sluice
