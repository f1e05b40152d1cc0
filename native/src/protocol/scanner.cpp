#include "protocol/scanner.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/release.h"
#include "base/shared_text.h"
#include "base/utf8.h"
#include "protocol/unread_block.h"

namespace sluice {
namespace {

// An opener whose first field does not come within so many bytes was prose. A candidate up to this length is scanned
// again behind its opener, a longer one is not: so every byte is looked at a bounded number of times.
constexpr size_t kProse = 1024;
// Longest closer with room to spare: behind a value of the greatest length it must still be seen.
constexpr size_t kCloserRoom = 64;
constexpr size_t kRawInDiagnostic = 256;
// Forged results on one line that wait for the end of a back-tick run; more are not reported.
constexpr size_t kForgedInDoubt = 64;
// A flood of openers is told of by its first ones.
constexpr size_t kMostDiagnostics = 1000;

constexpr std::string_view kForged[] = {"<<<[TOOL_RESULT]>>>", "<tool_output", "<tool_result>", "{\"tool_call_result\"",
                                        "[[VCP调用结果"};

// The first `bytes` of text, less a code point that is cut there.
std::string_view head(std::string_view text, size_t bytes) {
  text = text.substr(0, bytes);
  for (size_t behind = 1; behind <= 3 && behind <= text.size(); ++behind) {
    const auto byte = static_cast<unsigned char>(text[text.size() - behind]);
    if ((byte & 0xC0) == 0x80) continue;
    if (code_point_length(text[text.size() - behind]) > behind) text.remove_suffix(behind);
    break;
  }
  return text;
}

}  // namespace

TagReader::State TagReader::step(char c) {
  constexpr std::string_view kIng = "ing";
  switch (place_) {
    case Place::name:
      if (ing_ < kIng.size() && (c | 0x20) == kIng[ing_]) {
        ++ing_;
        return State::open;
      }
      if (ing_ != 0 && ing_ != kIng.size()) return State::none;
      place_ = c == ':' ? Place::suffix : Place::blanks;
      if (c == '>') return State::tag;
      if (c == ':') return State::open;
      return is_white(c) ? State::open : State::none;
    case Place::suffix:  // what a checkpoint drew: <think:6124c78e>
      if (c == '>') return State::tag;
      return in_identifier(c) ? State::open : State::none;
    case Place::blanks:
      if (c == '>') return State::tag;
      if (is_white(c)) return State::open;
      if (closing_ || c == '=' || c == '"' || c == '\'' || c == '<' || c == '/') return State::none;
      place_ = Place::attribute;
      return State::open;
    case Place::attribute:
      if (c == '>' || c == '<' || c == '"' || c == '\'') return State::none;
      if (c == '=')
        place_ = Place::behind_equals;
      else if (is_white(c))
        place_ = Place::behind_attribute;
      return State::open;
    case Place::behind_attribute:
      if (c == '=')
        place_ = Place::behind_equals;
      else if (!is_white(c))
        return State::none;  // words, not attributes
      return State::open;
    case Place::behind_equals:
      if (is_white(c)) return State::open;
      if (c == '>' || c == '<') return State::none;
      quote_ = c;
      place_ = c == '"' || c == '\'' ? Place::quoted : Place::bare;
      return State::open;
    case Place::quoted:
      if (c == quote_) place_ = Place::blanks;
      return State::open;
    case Place::bare:
      if (c == '>') return State::tag;
      if (c == '<') return State::none;
      if (is_white(c)) place_ = Place::blanks;
      return State::open;
  }
  return State::none;
}

Scanner::Scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits, const ScanOptions &options,
                 ScanSink &sink)
    : active_(active),
      tools_(tools),
      limits_(limits),
      sink_(sink),
      calls_in_reasoning_(options.calls_in_reasoning),
      inside_reasoning_(options.inside_reasoning),
      reasoning_(options.starts_in_reasoning) {
  using Kind = Markers::Kind;
  for (size_t i = 0; i < active_.size(); ++i) {
    any_whole_ = any_whole_ || active_[i]->code() == CodeMode::whole;
    any_live_in_reasoning_ = any_live_in_reasoning_ || live_in_reasoning(i);
    thinks_ = thinks_ || (!inside_reasoning_ && active_[i]->thinks());
  }
  if (reasoning_) closer_ = Closer::owed;
  const auto add = [this](const std::vector<Marker> &markers, Kind kind, size_t owner) {
    for (const Marker &marker : markers) {
      markers_.add(marker, kind, kind == Kind::trailer || marker.first);
      begins_ = begins_ || marker.first;
      owner_.push_back(owner);
      common_.push_back(marker.common);
      any_common_ = any_common_ || marker.common;
      first_.push_back(marker.first);
      fences_.push_back(marker.fence);
      any_whole_ = any_whole_ || marker.fence;
      next_.push_back(marker.next);
    }
  };
  for (const Kind kind : {Kind::code_opener, Kind::opener})  // who reads code as well, is asked first
    for (size_t i = 0; i < active_.size(); ++i)
      if ((active_[i]->code() == CodeMode::parse) == (kind == Kind::code_opener))
        add(active_[i]->openers(tools_), kind, i);
  openers_ = owner_.size();
  for (size_t i = 0; i < openers_; ++i)
    if (!next_[i].empty()) next_[i] += markers_.longer(static_cast<int>(i));
  for (size_t i = 0; i < active_.size() && !inside_reasoning_; ++i)  // before trailers: one that is both ends reasoning
    add(active_[i]->reasoning_closers(), Kind::reasoning_end, i);    // wherever it stands
  for (size_t i = 0; i < active_.size(); ++i) add(active_[i]->trailers(), Kind::trailer, i);
  for (size_t i = 0; i < active_.size(); ++i) add(active_[i]->turn_ends(), Kind::turn_end, i);
  add(options.turn_ends, Kind::turn_end, SIZE_MAX);
  same_ = markers_.same();
  if (!inside_reasoning_) {
    markers_.add({"<think", true}, Kind::think);
    markers_.add({"</think", true}, Kind::think_end);
    Protocols drafted;
    for (size_t i = 0; i < active_.size(); ++i)
      if (!live_in_reasoning(i)) drafted.push_back(active_[i]);
    if (!drafted.empty()) thoughts_ = std::make_unique<ThoughtCalls>(drafted, tools_, limits_);
  }
  if (!active_.empty() && !inside_reasoning_)
    for (const std::string_view forged : kForged) markers_.add({std::string(forged)}, Kind::forged);
  for (const auto &protocol : active_)
    for (const Marker &marker : protocol->result_markers()) {
      const int number = markers_.add(marker, marker.end.empty() ? Kind::forged : Kind::result);
      if (marker.end.empty()) continue;
      result_ends_[number] = marker.end;
      markers_.add({marker.end}, Kind::result_end);
    }
  ends_turn_ = markers_.like(Kind::turn_end);
  markers_.add_first_bytes(interesting_);
  plain_quotes_ = any_common_ && markers_.step(0, '"') == 0 && markers_.step(0, '\'') == 0;
  for (const char c : {'`', '\n', '\r'}) interesting_.add(c);
  if (any_common_)
    for (const char c : {'"', '\''}) interesting_.add(c);
}

// ---- in ----

void Scanner::feed(std::string_view utf8) {
  if (utf8.empty()) return;
  if (kept_.empty()) {
    text_ = utf8;
  } else {
    append_large(kept_, utf8);
    text_ = kept_;
  }
  run(false);
  keep();
}

void Scanner::finish(bool cut) {
  text_ = kept_;
  cut_ = cut;
  run(true);
  if (mode_ != Mode::skip) show(at_turn_end() && !cut ? ends_ : text_.size());
  drop(text_.size());  // white space that no text followed
  keep();
  if (reasoning_ && !cut && thoughts_ && thoughts_->finish(sink_)) reasoning_ = false;
}

void Scanner::restart() {
  if (mode_ == Mode::skip || mode_ == Mode::block) {
    mode_ = Mode::text;
    reader_.reset();
    rest_ = {};
    done_ = kept_.size();
  }
  interrupt();
  quotation_ = {};
  quoted_ = quoted_in_line_ = left_open_ = false;
  context_ = Context();
}

void Scanner::interrupt() {
  if (in_call()) return;
  text_ = kept_;
  if (mode_ == Mode::block || mode_ == Mode::tail) {
    diagnostic("unterminated_block", "no call: shown as text", offset(block_), text_.substr(block_));
    BlockReader::Rest rest = reader_->rest(text_.substr(block_));
    quotation_ = std::move(rest.open);
    rest.at += block_;
    if (quotation_.open()) quotation_.pass(text_, rest.at);
  }
  mode_ = Mode::text;
  reader_.reset();
  rest_ = {};
  waits_ = false;
  waiting_.clear();
  forged_.clear();
  fence_ = SIZE_MAX;
  in_body_ = false;
  at_ = text_.size();
  show(at_turn_end() ? ends_ : at_);
  drop(at_);
  ends_ = SIZE_MAX;
  match_ = 0;
  strings_ = {};
  text_open_ = reasoning_open_ = false;
  made_up_ = -1;
  trails_ = SIZE_MAX;
  context_.start_line();
  if (thoughts_) thoughts_->interrupt();
  new_text();
  if (offset(at_) == 0) {  // it has come, by a way of its own
    reasoning_ = false;
    closer_ = Closer::first;
  }
  keep();
}

// What was neither shown nor dropped stays for the next piece.
void Scanner::keep() {
  if (done_ != 0) last_ = text_[done_ - 1];
  if (thinks_) {
    if (line_from_ < done_) line_.add(text_.substr(line_from_, done_ - line_from_));
    line_from_ -= std::min(line_from_, done_);
  }
  if (text_.data() == kept_.data()) {
    if (done_ == kept_.size()) {
      release_text(kept_, size_t{1} << 20);
    } else if (done_ != 0) {
      kept_.erase(0, done_);
    }
  } else {
    kept_ = text_.substr(done_);
  }
  const size_t gone = done_;
  base_ += gone;
  at_ -= gone;
  done_ = 0;
  white_ = white_ > gone ? white_ - gone : 0;
  if (fence_ != SIZE_MAX && fence_ < gone) fence_ = SIZE_MAX;  // it was shown
  if (mode_ != Mode::text || waits_ || fence_ != SIZE_MAX || ends_ != SIZE_MAX)
    for (size_t *index : {&wait_, &tag_at_, &tag_read_, &block_, &opener_end_, &fence_, &ends_, &ends_word_})
      if (*index != SIZE_MAX) *index -= std::min(*index, gone);
  text_ = {};
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
    }
  }
  settle();
}

// ---- text ----

// Each read_… returns false when it needs more text.
bool Scanner::read_text(bool ended) {
  while (at_ < text_.size()) {
    if (quotation_.open() && !pass_quotation()) break;
    if (at_ == text_.size()) break;
    const bool placed = trails_ != SIZE_MAX || ends_ != SIZE_MAX || (begins_ && offset(at_) == 0) || strings_.bound();
    if (match_ == 0 && context_.idle() && !placed) {
      const bool quotes = plain_quotes_ && !(any_whole_ && in_body_ && fence_body_ == SIZE_MAX);
      at_ = interesting_.find(text_, at_, [&](size_t at) {
        if (!quotes || (text_[at] != '"' && text_[at] != '\'')) return false;
        strings_.quote(at != 0 ? text_[at - 1] : last_, text_[at]);
        return true;
      });
      if (at_ == text_.size()) break;
    }
    const char c = text_[at_];
    if (context_.line_blank() && !is_white(c)) blank_at_ = offset(at_);
    if (any_whole_ && (c == '`' || c == '~') && context_.in_lead()) fence_ = at_;
    const unsigned effect = context_.step(c);
    if (any_common_ || strings_.bound()) strings_.step(at_ != 0 ? text_[at_ - 1] : last_, c);
    match_ = markers_.step(match_, c);
    if (match_ == 0 && !is_white(c)) trails_ = SIZE_MAX;
    if (any_whole_ && in_body_ && fence_body_ == SIZE_MAX && !is_white(c)) fence_body_ = offset(at_);
    ++at_;
    if (effect != 0) {
      const size_t before = at_;
      on_effect(effect);
      if (at_ != before) continue;  // back at an opener that waited
    }
    const int marker = markers_.complete(match_);
    if (marker >= 0 || ends_ != SIZE_MAX) watch_end(c, marker);
    if (marker >= 0) {
      on_marker(marker);
      if (mode_ != Mode::text) return true;
      if (made_up_ >= 0 && !waits_ && markers_.bytes(marker) == result_ends_[made_up_]) end_made_up();
    }
  }
  if (waits_ && at_ - wait_ > limits_.candidate_bytes) waited_too_long();
  if (!ended) return false;
  const size_t before = at_;
  quoted_in_line_ = quoted_in_line_ || waits_;  // nobody can know whether it would have been code
  on_effect(context_.finish());
  return at_ != before;
}

// Nothing is looked for in a value of a block that was given back. false: it goes on.
bool Scanner::pass_quotation() {
  size_t to = at_;
  const bool over = quotation_.pass(text_, to);
  walk(to);
  match_ = 0;
  return over;
}

// Text in which nothing is looked for.
void Scanner::walk(size_t to) {
  for (; at_ < to; ++at_) {
    context_.step(text_[at_]);
    if (any_common_ || strings_.bound()) strings_.step(at_ != 0 ? text_[at_ - 1] : last_, text_[at_]);
  }
}

// Up to where text may be shown.
size_t Scanner::held() const {
  using Kind = Markers::Kind;
  if (mode_ == Mode::block || mode_ == Mode::tail) return waits_ ? wait_ : whole_ ? fence_ : block_;
  if (mode_ == Mode::skip) return done_;
  size_t to = at_;
  if (waits_) {
    to = wait_;
  } else if (mode_ == Mode::tag) {
    to = tag_at_;
  } else if (reasoning_) {
    size_t alive = std::max({markers_.alive(match_, Kind::think_end), markers_.alive(match_, Kind::reasoning_end),
                             markers_.alive(match_, Kind::turn_end)});
    if (any_live_in_reasoning_)
      alive = std::max({alive, markers_.alive(match_, Kind::opener), markers_.alive(match_, Kind::code_opener)});
    if (may_trail()) alive = std::max(alive, markers_.alive(match_, Kind::trailer));
    const size_t think = markers_.alive(match_, Kind::think);
    if (think > alive && may_think(at_ - think)) alive = think;
    to -= std::min(alive, to);
  } else {
    size_t alive = std::max(markers_.alive(match_, Kind::code_opener), markers_.alive(match_, Kind::turn_end));
    if (may_trail()) alive = std::max(alive, markers_.alive(match_, Kind::trailer));
    if (!context_.in_fence()) {
      alive = std::max({alive, markers_.alive(match_, Kind::opener), markers_.alive(match_, Kind::reasoning_end)});
      if (closer_ != Closer::text) alive = std::max(alive, markers_.alive(match_, Kind::think_end));
      const size_t think = markers_.alive(match_, Kind::think);
      if (think > alive && may_think(at_ - think)) alive = think;
      if (made_up_ < 0) alive = std::max(alive, markers_.alive(match_, Kind::result));
    }
    to -= std::min(alive, to);  // it may have begun in a fence that ends here, and was shown
  }
  to = std::min(to, ends_);
  return !reasoning_ && alive_fence() ? std::min(to, fence_) : to;
}

// No more than an opener may be away from the fence's beginning, and nothing of it was shown.
bool Scanner::near_fence() const {
  return fence_ != SIZE_MAX && fence_ >= done_ && at_ - fence_ <= std::min(kProse, limits_.candidate_bytes);
}

// The fence may still be one whose whole body is a call.
bool Scanner::alive_fence() const {
  if (!near_fence()) return false;
  if (!in_body_) return context_.fence_possible();
  return fence_body_ == SIZE_MAX || offset(at_ - markers_.alive(match_, Markers::Kind::opener)) == fence_body_;
}

void Scanner::on_effect(unsigned effect) {
  if ((effect & Context::kFenceOpened) != 0) {
    in_body_ = true;
    fence_body_ = SIZE_MAX;
  }
  if (waits_ && at_ - wait_ > limits_.candidate_bytes) waited_too_long();
  if ((effect & Context::kRunEnded) != 0) {
    if (waits_) {
      last_run_ = offset(at_ - 1);
      last_runs_[context_.run_length()] = last_run_;
    }
  }
  if ((effect & Context::kRunMatched) != 0) {
    if (waits_ && context_.matched() < wait_depth_) waiting_is_code();
    tell_forged(context_.matched(), true);
  }
  if ((effect & Context::kFenceClosed) != 0) {
    fence_ = SIZE_MAX;
    in_body_ = false;
  }
  if ((effect & Context::kLineEnd) != 0) on_line_end((effect & Context::kFenceOpened) != 0);
}

void Scanner::on_line_end(bool fence) {
  if (fence) {
    if (waits_) waiting_is_code();
    return tell_forged(0, true);
  }
  if (!in_body_) fence_ = SIZE_MAX;
  if (!waits_) return tell_forged(0, false);
  // No run was closed: the first one that waited is what it looks like. The scan goes on there, and knows the line.
  while (!forged_.empty() && forged_.back().at >= offset(wait_)) forged_.pop_back();
  tell_forged(0, false);
  known_until_ = offset(at_);
  waits_ = false;
  waiting_.clear();
  at_ = wait_;
  ends_ = ends_word_ = SIZE_MAX;
  match_ = 0;
  strings_ = {};
  context_.start_words();
}

void Scanner::waited_too_long() {
  settle();
  waits_ = false;
  diagnostic("oversize", "an opener behind open back-ticks, and no end of its line", waiting_.front().at);
  waiting_.clear();
}

void Scanner::waiting_is_code() {
  settle();
  waits_ = false;
  for (const Waiting &one : waiting_)
    if (markers_.kind(one.marker) == Markers::Kind::opener && !common_[static_cast<size_t>(one.marker)])
      diagnostic("in_code", active_[owner(one.marker)]->id(), one.at);
  waiting_.clear();
}

// What is deeper than `depth` open runs was in code, or was none.
void Scanner::tell_forged(size_t depth, bool code) {
  if (forged_.empty()) return;
  if (!code) {
    settle();
    for (const Forged &one : forged_) diagnostic("forged_result", {}, one.at);
    forged_.clear();
    return;
  }
  std::erase_if(forged_, [depth](const Forged &one) { return one.depth > depth; });
}

// On a line that was read to its end: is the byte at `at`, behind the runs that are open now, in code?
bool Scanner::in_code_on_known_line(size_t at) const {
  if (context_.fence_possible() && last_run_ <= at) return true;
  for (size_t i = 0; i < context_.open_count(); ++i) {
    const auto last = last_runs_.find(context_.open(i));
    if (last != last_runs_.end() && last->second > at) return true;
  }
  return false;
}

void Scanner::wait(size_t at, int marker) {
  if (!waits_) {
    waits_ = true;
    wait_ = at;
    wait_depth_ = context_.open_count();
    last_runs_.clear();
    last_run_ = 0;
  }
  waiting_.push_back({offset(at), marker});
}

void Scanner::on_marker(int marker) {
  using Kind = Markers::Kind;
  if (waits_ && at_ - wait_ > limits_.candidate_bytes) waited_too_long();
  const size_t at = at_ - markers_.length(marker);
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
      mode_ = Mode::tag;
      tag_.start(closes);
      tag_at_ = at;
      tag_read_ = at_;
      tag_closes_ = closes;
      tag_marker_ = marker;
      return;
    }
    case Kind::reasoning_end:
      if (!context_.in_fence() || reasoning_) on_reasoning_end(at, at_, marker);
      return;
    case Kind::trailer:
    case Kind::turn_end: return on_trailer(marker, at);
    case Kind::forged:
    case Kind::result:
      if (!reasoning_ && !context_.in_fence() && made_up_ < 0) on_forged(at, marker);
      return;
    case Kind::result_end: return;
  }
}

void Scanner::on_opener(int marker, size_t at) {
  const bool common = common_[static_cast<size_t>(marker)];
  if (in_string(marker)) return;
  if (common && std::max(markers_.alive(match_, Markers::Kind::opener),
                         markers_.alive(match_, Markers::Kind::code_opener)) > at_ - at)
    return;  // a bracket inside of a marker
  if (try_opener(marker, at) || common || first_[static_cast<size_t>(marker)]) return;
  settle();
  diagnostic(reasoning_ && !live_in_reasoning(owner(marker)) ? "in_reasoning" : "in_code", active_[owner(marker)]->id(),
             offset(at));
}

// Of the protocols with this opener, the first that may read here does.
bool Scanner::try_opener(int marker, size_t at) {
  for (; marker >= 0; marker = same_[static_cast<size_t>(marker)]) {
    const May may = may_start(marker, at);
    if (may == May::not_here || (first_[static_cast<size_t>(marker)] && offset(at) != 0)) continue;
    if (may == May::wait) {
      wait(at, marker);
    } else if (at_ < text_.size() && !may_follow(marker, text_[at_])) {
      tell_forged(0, false);
      match_ = markers_.behind(marker);
      fence_ = SIZE_MAX;
      in_body_ = false;
      continue;
    } else {
      const bool told = at_ < text_.size() || next_[static_cast<size_t>(marker)].empty();  // that it is one
      if (waits_ && told && markers_.kind(marker) == Markers::Kind::code_opener)
        waiting_is_code();  // not known, and nothing that might be code is run
      start_block(marker, at);
    }
    return true;
  }
  return false;
}

Scanner::May Scanner::may_start(int marker, size_t at) const {
  const bool anywhere = markers_.kind(marker) == Markers::Kind::code_opener;
  const bool doubt = context_.open_count() != 0;
  const bool common = common_[static_cast<size_t>(marker)];
  if (reasoning_ && !(common ? calls_in_reasoning_ : live_in_reasoning(owner(marker)))) return May::not_here;
  if (fences_[static_cast<size_t>(marker)])
    return !reasoning_ && in_body_ && fence_ != SIZE_MAX && at == fence_ ? May::start : May::not_here;
  if (anywhere) return May::start;
  if (reasoning_) return context_.in_fence() || doubt ? May::not_here : May::start;
  if (context_.in_fence()) {
    const bool whole = active_[owner(marker)]->code() == CodeMode::whole;
    return whole && in_body_ && near_fence() && offset(at) == fence_body_ ? May::start : May::not_here;
  }
  if (!doubt) return May::start;
  if (offset(at) >= known_until_) return May::wait;
  return in_code_on_known_line(offset(at)) ? May::not_here : May::start;
}

// An opener of reasoning is the first thing on its line, or stands in one outside of quotations.
bool Scanner::may_think(size_t at) const {
  const bool first = offset(at) == blank_at_;
  if (reasoning_) return first && at_reasoning_start(at);
  if (first || !thinks_ || quoted_in_line_ || context_.in_quote()) return first;
  if (at > at_) return false;  // it wrapped: the beginning was shown, and so was none
  LastBytes line = line_;
  line.add(text_.substr(line_from_, at - line_from_));
  return !ends_in_quotation(line.get());
}

// A closer of reasoning in the text is none where what opened it was shown, or nothing did.
bool Scanner::may_close(size_t at) {
  if (reasoning_) return true;
  if (thinks_ && closer_ == Closer::first && (at - done_ > limits_.candidate_bytes || !is_blank_until(at)))
    closer_ = Closer::text;
  return closer_ != Closer::text;
}

// Nothing but white space waits to be shown before it.
bool Scanner::is_blank_until(size_t at) const {
  return std::all_of(text_.begin() + static_cast<ptrdiff_t>(done_), text_.begin() + static_cast<ptrdiff_t>(at),
                     is_white);
}

// Where the prompt has opened the tag, some models open it again.
bool Scanner::at_reasoning_start(size_t at) const { return !reasoning_open_ && is_blank_until(at); }

// A trailer of the last card's protocol goes where its calls may stand.
bool Scanner::may_trail() const {
  return trails_ != SIZE_MAX && (!context_.in_fence() || active_[trails_]->code() == CodeMode::parse);
}

bool Scanner::belongs_to(int marker, size_t protocol) const {
  while (marker >= 0 && owner(marker) != protocol) marker = same_[static_cast<size_t>(marker)];
  return marker >= 0;
}

void Scanner::on_trailer(int marker, size_t at) {
  if (!may_trail()) return;
  if (at - done_ > limits_.candidate_bytes || !is_blank_until(at)) {
    trails_ = SIZE_MAX;  // that is text
  } else if (belongs_to(marker, trails_)) {
    drop(at_);
    ends_ = SIZE_MAX;
    match_ = 0;
    new_text();
    context_.start_line();
  }
}

// A token that ends a turn is held back until anything but such tokens and white space follows: at the end of the
// answer it goes. Behind open back-ticks somebody quotes it.
void Scanner::watch_end(char c, int marker) {
  if (marker >= 0 && ends_turn_[static_cast<size_t>(marker)] && context_.open_count() == 0) {
    const size_t at = at_ - markers_.length(marker);
    if (ends_ == SIZE_MAX || at > ends_word_) ends_ = at;
    ends_word_ = SIZE_MAX;
  } else if (ends_ != SIZE_MAX) {
    if (!is_white(c) && ends_word_ == SIZE_MAX) ends_word_ = at_ - 1;
    const bool word = ends_word_ != SIZE_MAX && at_ - markers_.alive(match_, Markers::Kind::turn_end) > ends_word_;
    if (word || at_ - ends_ > limits_.candidate_bytes) ends_ = ends_word_ = SIZE_MAX;
  }
}

// Behind an open run of back-ticks: code, or the end of the line is to tell.
bool Scanner::is_code(int marker, size_t at) {
  if (context_.open_count() == 0) return false;
  if (offset(at) < known_until_) return in_code_on_known_line(offset(at));
  wait(at, marker);
  return true;
}

// The reasoning ends, or a stray closer goes.
void Scanner::on_reasoning_end(size_t at, size_t end, int marker) {
  if (!reasoning_ && is_code(marker, at)) return;
  show(at);  // white space alone goes with the tag
  at_ = done_ = end;
  closer_ = thinks_ ? Closer::text : Closer::first;
  start_reasoning(false);
}

void Scanner::on_forged(size_t at, int marker) {
  if (context_.open_count() != 0) {
    if (offset(at) < known_until_) {
      if (in_code_on_known_line(offset(at))) return;
    } else {
      if (forged_.size() < kForgedInDoubt) forged_.push_back({offset(at), context_.open_count()});
      return;
    }
  }
  if (markers_.kind(marker) == Markers::Kind::result) {
    show(at);
    made_up_ = marker;
    text_open_ = false;
  }
  settle();
  diagnostic("forged_result", {}, offset(at));
}

// Behind a result that the model made up, the answer goes on.
void Scanner::end_made_up() {
  show(at_);
  made_up_ = -1;
  text_open_ = false;
  ends_ = fence_ = SIZE_MAX;
  in_body_ = false;
  match_ = 0;
  strings_ = {};
  context_ = Context();
  new_text();
}

// ---- reasoning tags ----

bool Scanner::read_tag(bool ended) {
  TagReader::State state = TagReader::State::open;
  while (state == TagReader::State::open && tag_read_ < text_.size() && tag_read_ - tag_at_ < kProse)
    state = tag_.step(text_[tag_read_++]);
  if (state == TagReader::State::open) {
    if (tag_read_ == text_.size() && tag_read_ - tag_at_ < kProse && !ended) return false;
    state = TagReader::State::none;
  }
  mode_ = Mode::text;
  if (state == TagReader::State::none) return true;  // text; the scan goes on behind `<think`
  if (tag_closes_) {
    on_reasoning_end(tag_at_, tag_read_, tag_marker_);
    return true;
  }
  show(tag_at_);  // white space alone goes with the tag
  at_ = done_ = tag_read_;
  start_reasoning(true);
  return true;
}

// Behind a tag a new text begins.
void Scanner::start_reasoning(bool reasoning) {
  reasoning_ = reasoning;
  if (reasoning) closer_ = Closer::owed;
  reasoning_open_ = false;
  made_up_ = -1;
  ends_ = SIZE_MAX;
  new_text();
  if (thoughts_) thoughts_->restart();
  fence_ = SIZE_MAX;
  in_body_ = false;
  match_ = 0;
  strings_ = {};
  rest_ = {};
  context_ = Context();
}

// ---- blocks ----

void Scanner::start_reader(int marker) {
  opener_ = marker;
  protocol_ = active_[owner(marker)].get();
  reader_ = protocol_->reader(tools_, limits_);
  unread_ = false;
}

// A common opener is mostly none: where that is plain to see no reader is made.
bool Scanner::may_follow(int marker, char c) const {
  const std::string &next = next_[static_cast<size_t>(marker)];
  return next.empty() || is_white(c) || next.find(c) != next.npos;
}

void Scanner::start_block(int marker, size_t at) {
  whole_ = in_body_ && (markers_.kind(marker) == Markers::Kind::opener || fences_[static_cast<size_t>(marker)]);
  ends_ = ends_word_ = SIZE_MAX;
  block_ = at;
  opener_end_ = at_;
  before_ = context_;
  strings_before_ = strings_;
  opened_ = false;
  sent_ = 0;
  mode_ = Mode::block;
  tell_forged(0, false);
  settle();
  start_reader(marker);
}

BlockReader::State Scanner::read_more(std::string_view block, bool ended) {
  const BlockReader::State state = reader_->read(block, ended);
  if (state == BlockReader::State::closed) place_calls();
  return state;
}

// What a call shows of its block is a part of the text, which grows and moves until the card closes.
void Scanner::place_calls() {
  for (ParsedCall &call : reader_->calls)
    if (!call.raw_arguments.empty())
      call.raw_at = static_cast<size_t>(call.raw_arguments.data() - text_.data()) - block_;
}

bool Scanner::read_block(bool ended) {
  if (waits_) {  // text that waits is code where this is a call, and what stands behind the opener tells whether it is
    if (opener_end_ == text_.size() && !ended) return false;
    if (opener_end_ == text_.size() || may_follow(opener_, text_[opener_end_])) waiting_is_code();
  }
  while (true) {
    const size_t limit = block_limit();
    const size_t taken = std::min(text_.size() - block_, limit);
    const bool all = ended && block_ + taken == text_.size();
    const bool named = reader_->named, begun = reader_->begun;
    BlockReader::State state = read_more(block_text(), false);
    const bool waits = state == BlockReader::State::open && reader_->named == named && reader_->begun == begun;
    const bool last = waits && all && block_limit() == limit;
    if (last) state = read_more(text_.substr(block_), true);
    if (reader_->named && !named && !whole_) open_call(reader_->name);
    if (unread_ && state == BlockReader::State::closed &&
        holds_opener(text_.substr(opener_end_, block_ + reader_->end - opener_end_), true))
      state = BlockReader::State::rejected;
    if (state == BlockReader::State::closed) {
      if (whole_) {
        mode_ = Mode::tail;
        at_ = block_ + reader_->end;
        match_ = 0;
        context_.start_words();
      } else {
        close_block();
      }
      return true;
    }
    if (state == BlockReader::State::rejected) {
      give_back(reader_->code, reader_->decided, last);
      return true;
    }
    if (state == BlockReader::State::markup) {
      if (const std::string_view why = why_no_markup(); why.empty())
        pass_markup();
      else
        give_back(why, reader_->end);
      return true;
    }
    if (opened_) stream_arguments();
    if (reader_->named != named || reader_->begun != begun || block_limit() > limit) continue;
    if (taken < limit) return false;
    if (reader_->named) {
      outgrown();
    } else if (!begun && taken == kProse) {
      give_back("missing_tool_name", taken);
    } else {
      give_back("oversize", taken);
    }
    return true;
  }
}

// The reader never sees more than this, so that every limit hits the same byte at any split. It only grows: a reader
// may have looked ahead of the name.
size_t Scanner::block_limit() const {
  const size_t arguments = reader_->arguments_from + limits_.argument_bytes + kCloserRoom;
  if (reader_->named) return arguments;
  return std::min(arguments, reader_->begun ? limits_.candidate_bytes : std::min(kProse, limits_.candidate_bytes));
}

// What the reader may see now: whole code points.
std::string_view Scanner::block_text() const { return head(text_.substr(block_), block_limit()); }

void Scanner::open_call(std::string_view name) {
  drop(block_);
  opened_ = true;
  text_open_ = false;
  sink_.on_call_open(protocol_->id(), name, offset(block_));
}

void Scanner::stream_arguments() {
  if (!reader_->begun) return;
  sent_ = std::max(sent_, reader_->arguments_from);
  if (reader_->arguments_to <= sent_) return;
  const std::string_view piece = text_.substr(block_ + sent_, reader_->arguments_to - sent_);
  sent_ = reader_->arguments_to;
  sink_.on_call_arguments(piece, offset(block_) + sent_ - piece.size());
}

// The card as a whole; the text goes on behind it.
void Scanner::close_block() {
  const size_t start = whole_ ? fence_ : block_;
  const size_t end = whole_ ? at_ : block_ + reader_->end;
  drop(start);
  for (ParsedCall &call : reader_->calls)
    call.raw_arguments = text_.substr(block_ + call.raw_at, call.raw_arguments.size());
  if (const std::string &name = reader_->calls.front().name; !opened_ && !name.empty()) open_call(name);
  reader_->arguments_to = reader_->arguments_from + reader_->calls.front().raw_arguments.size();
  if (opened_) stream_arguments();
  const std::string_view raw = text_.substr(start, end - start);
  if (unread_) reader_->calls.front().told = how_to_call();
  for (const BlockReader::Note &note : reader_->notes) diagnostic(note.code, note.detail, offset(block_ + note.at));
  tell_lost_bytes(raw);
  if (cut_ && reader_->by_end)
    for (ParsedCall &call : reader_->calls) call.reason = "unterminated_block";
  if (quoted_ || (quoted_in_line_ && markers_.kind(opener_) == Markers::Kind::opener))
    for (ParsedCall &call : reader_->calls)
      if (call.reason.empty()) call.reason = "quoted";
  if (reader_->lost_to > reader_->lost_from && !quoted_)
    quoted_ = holds_opener(text_.substr(block_ + reader_->lost_from, reader_->lost_to - reader_->lost_from));
  std::string_view told;
  for (const ParsedCall &call : reader_->calls) {
    if (!call.reason.empty() && call.reason != told) diagnostic(call.reason, call.name, offset(block_), raw);
    told = call.reason;
  }
  const std::unique_ptr<BlockReader> reader = std::move(reader_);
  mode_ = Mode::text;
  at_ = done_ = end;
  match_ = 0;
  strings_ = {};
  rest_ = {};
  text_open_ = reasoning_open_ = false;
  made_up_ = -1;
  if (protocol_->ends_reasoning()) reasoning_ = false;
  trails_ = owner(opener_);
  fence_ = SIZE_MAX;
  in_body_ = false;
  new_text();
  context_.start_line();
  sink_.on_call_close(protocol_->id(), reader->calls, raw, offset(start), offset(end));
}

// What is not UTF-8 lost a byte: the call whose arguments hold it, or all of the block.
void Scanner::tell_lost_bytes(std::string_view raw) {
  if (is_utf8(raw)) return;
  const auto &calls = reader_->calls;
  const bool inside =
      std::any_of(calls.begin(), calls.end(), [](const auto &one) { return !is_utf8(one.raw_arguments); });
  for (ParsedCall &call : reader_->calls)
    if (call.reason.empty() && (!inside || !is_utf8(call.raw_arguments)))
      call.reason = call.typed ? "invalid_json" : "malformed_argument";
}

// In code nothing but calls is looked for, and what the format says of reasoning does not count in it, unless its
// models are known to end it so.
std::string_view Scanner::why_no_markup() const {
  if (inside_reasoning_ || (reasoning_ && !protocol_->ends_reasoning())) return "in_reasoning";
  const bool anywhere = markers_.kind(opener_) == Markers::Kind::code_opener;
  return before_.in_fence() || (anywhere && before_.open_count() != 0) ? "in_code" : "";
}

// A token of the format, and no text.
void Scanner::pass_markup() {
  const std::unique_ptr<BlockReader> reader = std::move(reader_);
  mode_ = Mode::text;
  show(block_);  // white space alone goes with it
  at_ = done_ = block_ + reader->end;
  start_reasoning(reader->reasoning);
}

// The card is closed now; what still belongs to its block goes nowhere.
void Scanner::outgrown() {
  BlockReader::Rest rest = reader_->rest(block_text());
  size_t behind = block_ + rest.at;
  reader_->cut(block_text(), "oversize");
  place_calls();
  whole_ = false;
  close_block();
  start_skipping();
  quoted_ = true;  // where its values end, nobody reads any more
  quotation_ = std::move(rest.open);
  if (quotation_.open()) quotation_.pass(text_, behind);
  at_ = done_ = quotation_.open() ? behind : std::max(at_, behind);  // its closer may have begun in the block
}

void Scanner::start_skipping() {
  skip_ = Markers();
  for (const Marker &closer : protocol_->closers(tools_)) skip_.add(closer, Markers::Kind::think_end);
  for (const Marker &opener : protocol_->openers(tools_))
    if (!opener.common) skip_.add(opener, Markers::Kind::opener);  // a bracket is one of the block's own
  skip_match_ = 0;
  mode_ = Mode::skip;
}

bool Scanner::read_skip() {
  if (quotation_.open()) {
    const bool over = quotation_.pass(text_, at_);
    done_ = at_;
    if (!over) return false;
  }
  while (at_ < text_.size()) {
    skip_match_ = skip_.step(skip_match_, text_[at_++]);
    const int marker = skip_.complete(skip_match_);
    if (marker < 0) continue;
    if (skip_.kind(marker) == Markers::Kind::opener) at_ -= skip_.length(marker);
    done_ = at_;
    mode_ = Mode::text;
    return true;
  }
  done_ = at_ - skip_.alive(skip_match_, Markers::Kind::opener);
  return false;
}

// Behind a block in a fence: nothing but its trailers and the end of the fence may follow.
bool Scanner::read_tail(bool ended) {
  while (at_ < text_.size()) {
    // A token is no part of its line: the fence may end in this one.
    const size_t token = markers_.begins(text_.substr(at_), Markers::Kind::turn_end);
    if (token != 0 && (token != text_.npos || !ended)) {
      if (token == text_.npos) return false;
      at_ += token;
      continue;
    }
    const unsigned effect = context_.step(text_[at_]);
    if ((effect & Context::kFenceClosed) != 0) {
      close_block();
      return true;
    }
    match_ = markers_.step(match_, text_[at_]);
    const int marker = markers_.complete(match_);
    if (marker >= 0 && markers_.kind(marker) == Markers::Kind::trailer && belongs_to(marker, owner(opener_))) {
      match_ = 0;
    } else if (context_.in_fence_words() && !is_white(text_[at_]) &&
               markers_.alive(match_, Markers::Kind::trailer) == 0) {
      give_back("in_code", at_ - block_);
      return true;
    }
    ++at_;
  }
  if (!ended) return false;
  if ((context_.finish() & Context::kFenceClosed) == 0)
    for (ParsedCall &call : reader_->calls)
      if (call.reason.empty()) call.reason = "unterminated_block";
  close_block();
  return true;
}

// It was no call of this protocol, and of no other that has the same opener. What was read of it is text, and is not
// searched; where nothing was, its opener is text (or the beginning of a longer one). `ended`: the end of the answer
// left it open, and all of it is text.
void Scanner::give_back(std::string_view code, size_t length, bool ended) {
  if (BlockReader::Rest rest = reader_->rest(text_.substr(block_)); rest.at > rest_.at) rest_ = std::move(rest);
  if (unread_) {  // why it was not understood, then
    code = reader_->code;
    length = reader_->decided;
    ended = false;
  }
  ended = left_open_ = left_open_ || ended;
  mode_ = Mode::text;
  at_ = opener_end_;
  context_ = before_;
  strings_ = strings_before_;
  if (!unread_ && try_opener(same_[static_cast<size_t>(opener_)], block_)) {
    if (mode_ == Mode::block) return;
  } else if (!unread_ && !ended && length <= kProse && may_be_closed()) {
    return read_on(code, length);
  } else if (!code.empty()) {
    diagnostic(code, "no call: shown as text", offset(block_), text_.substr(block_, length));
  }
  reader_.reset();
  fence_ = SIZE_MAX;
  in_body_ = false;
  match_ = 0;
  const BlockReader::Rest rest = std::move(rest_);
  rest_ = {};
  left_open_ = false;
  if (rest.at != 0 || !common_[static_cast<size_t>(opener_)]) enter_strings();
  size_t to = ended ? text_.size() - block_ : rest.at;
  if (to == 0 && length > kProse) to = length;
  match_ = to == 0 ? markers_.behind(opener_) : 0;
  walk(block_ + to);
  if (rest.tag) strings_.enter_tag();
  if (!ended) quotation_ = rest.open;
}

// Nothing was read of the block, and it may still be one that its closer ends.
bool Scanner::may_be_closed() const {
  return rest_.at == 0 && offset(block_) == blank_at_ && !reasoning_ && !inside_reasoning_ && !whole_ &&
         !before_.in_fence() && before_.open_count() == 0 && !common_[static_cast<size_t>(opener_)] &&
         !protocol_->closers_of(markers_.bytes(opener_)).empty();
}

// Reads the block once more, for its closer.
void Scanner::read_on(std::string_view code, size_t decided) {
  const auto words = [](const std::vector<Marker> &markers, std::vector<std::string> out = {}) {
    for (const Marker &marker : markers)
      if (!marker.common) out.push_back(marker.bytes);
    return out;
  };
  enter_strings();
  reader_ = std::make_unique<UnreadBlock>(words(protocol_->closers_of(markers_.bytes(opener_))),
                                          words(protocol_->openers(tools_), words(protocol_->trailers())),
                                          opener_end_ - block_, strings_, code, decided);
  strings_ = strings_before_;
  mode_ = Mode::block;
  unread_ = true;
}

// Told to a model whose block nobody understood.
std::string Scanner::how_to_call() const {
  std::string out = "This call was not run, its block names no tool (missing_tool_name). A call is written so:\n";
  protocol_->write_call("call_1", "tool_name", R"({"parameter":"value"})", out);
  out.erase(out.find_last_not_of("\n") + 1);
  return out;
}

// Behind an opener that was none: strings of the value or the tag that it began are strings all the same.
void Scanner::enter_strings() {
  const char last = text_[opener_end_ - 1];
  const bool tag = text_[block_] == '<' && last != '>';
  tag ? strings_.enter_tag() : strings_.enter_value();
  if (tag || last == '{' || last == '[') strings_.step(0, last);
}

// Does the text hold an opener of any protocol? `certain`: one that stands in no ordinary text.
bool Scanner::holds_opener(std::string_view text, bool certain) {
  Markers::State state = 0;
  for (const char c : text) {
    state = markers_.step(state, c);
    const int marker = markers_.complete(state);
    if (marker >= 0 && static_cast<size_t>(marker) < openers_ && !(certain && common_[static_cast<size_t>(marker)]))
      return true;
  }
  return false;
}

// ---- out ----

// Shows text or reasoning up to `to`, but for white space that nothing followed yet.
void Scanner::show(size_t to) {
  if (to <= done_) return;
  bool &open = reasoning_ ? reasoning_open_ : text_open_;
  if (!open) {
    white_ = std::max(white_, done_);
    while (white_ < to && is_white(text_[white_])) ++white_;
    if (white_ >= to && to - done_ <= limits_.candidate_bytes) return;
  }
  const std::string_view piece = text_.substr(done_, to - done_);
  done_ = to;
  const bool first = !open;
  open = true;
  trails_ = SIZE_MAX;
  if (reasoning_) {
    text_open_ = false;
    if (thoughts_) thoughts_->feed(piece, offset(done_ - piece.size()));
    sink_.on_scan_reasoning(piece, first);
  } else {
    if (thinks_ && closer_ == Closer::first) closer_ = Closer::text;
    made_up_ >= 0 ? sink_.on_scan_fabricated(piece) : sink_.on_scan_text(piece);
  }
}

void Scanner::drop(size_t to) { done_ = std::max(done_, to); }

// What comes next stands on a line of its own.
void Scanner::new_text() {
  line_.clear();
  line_from_ = thinks_ ? at_ : 0;
}

void Scanner::diagnostic(std::string_view code, std::string_view detail, size_t at, std::string_view raw) {
  if (told_ > kMostDiagnostics) return;
  if (told_++ == kMostDiagnostics) return sink_.on_scan_diagnostic("oversize", "more of these are not told", at, {});
  sink_.on_scan_diagnostic(code, detail, at, head(raw, kRawInDiagnostic));
}

std::unique_ptr<TextScanner> make_scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits,
                                          const ScanOptions &options, ScanSink &sink) {
  return std::make_unique<Scanner>(active, tools, limits, options, sink);
}

}  // namespace sluice
