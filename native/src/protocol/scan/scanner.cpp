#include "protocol/scan/scanner.h"

#include <algorithm>
#include <cassert>

#include "base/ascii.h"

namespace sluice {

Scanner::Scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits, const ScanOptions &options,
                 ScanSink &sink)
    : rules_(active, tools, limits, options),
      output_(sink, limits.candidate_bytes),
      reasoning_(rules_, options.starts_in_reasoning) {}

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
  reasoning_.lose();
}

void Scanner::finish(TextEnd end) {
  end_ = end;
  const bool cut = end == TextEnd::cut;
  run(true);
  if (mode_ != Mode::skip) show(ending_.at_turn_end() && !cut ? ending_.from() : kept_.end());
  output_.drop(kept_.end());  // trailing white space
  at_ = kept_.end();          // the end of a call that outgrew its limits did not come
  keep();
  if (end == TextEnd::well) reasoning_.finish(output_.sink());
}

void Scanner::restart() {
  if (mode_ == Mode::skip || mode_ == Mode::block) {
    enter(Trigger::restart);
    block_.reader.reset();
    block_.rest = {};
    output_.drop(kept_.end());
  }
  interrupt();
  quoting_.open = {};
  quoting_.quoted = quoting_.quoted_in_line = block_.left_open = false;
  block_.ends_known = ActiveMarkers::kNobody;
  context_ = Context();
}

void Scanner::interrupt() {
  if (in_call()) return;
  release_fences();
  if (mode_ == Mode::block || mode_ == Mode::tail) {
    const std::string_view block = kept_.rest(block_.from);
    output_.diagnostic("unterminated_block", "no call: shown as text", block_.from, block);
    BlockReader::Rest rest = block_.reader->rest(block);
    quoting_.open = std::move(rest.open);
    if (quoting_.open.open()) quoting_.pass(kept_, block_.from + rest.at);
  }
  if (mode_ != Mode::text) enter(Trigger::interrupt);
  block_.reader.reset();
  block_.rest = {};
  quoting_.doubt.clear();
  fence_.leave();
  at_ = kept_.end();
  show(ending_.at_turn_end() ? ending_.from() : at_);
  output_.drop(at_);
  ending_.forget_tokens();
  match_ = 0;
  quoting_.strings = {};
  output_.close();
  ending_.end_result();
  ending_.on_text();
  context_.start_line();
  reasoning_.interrupt();
  start_line();
  if (at_ == 0) reasoning_.begin_text();  // the reasoning arrived in the provider's own field
  keep();
}

// Keeps the text that was neither shown nor dropped for the next piece.
void Scanner::keep() {
  const Offset done = output_.done();
  assert(kept_.holds(done) && done <= at_ && at_ <= kept_.end());
  assert((mode_ == Mode::block || mode_ == Mode::tail) == (block_.reader != nullptr));
  if (rules_.thinks) line_.keep(kept_, done);
  fence_.forget(done);
  losses_.forget(done);
  kept_.forget(done);
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
  ActiveMarkers &markers = rules_.markers;
  while (at_ < kept_.end()) {
    if (quoting_.open.open() && !take_quotation()) break;
    if (at_ == kept_.end()) break;
    const bool placed =
        ending_.trails_any() || ending_.waits() || (markers.any_first() && at_ == 0) || quoting_.strings.bound();
    if (match_ == 0 && context_.idle() && !placed) {
      const bool quotes = rules_.plain_quotes && !(rules_.any_whole && fence_.awaits_body());
      const Offset from = kept_.from();
      at_ = from + rules_.interesting.find(kept_.rest(from), at_ - from, [&](size_t index) {
        const char c = kept_[from + index];
        if (!quotes || (c != '"' && c != '\'')) return false;
        quoting_.strings.quote(kept_.before(from + index), c);
        return true;
      });
      if (at_ == kept_.end()) break;
    }
    const char c = kept_[at_];
    if (context_.line_blank() && !is_white(c)) line_.on_first(at_);
    if (rules_.any_whole && (c == '`' || c == '~') && context_.in_lead() && !context_.in_quote())
      fence_.may_begin(at_, context_);
    const unsigned effect = context_.step(c);
    quoting_.step(rules_, kept_, at_);
    match_ = markers.step(match_, c);
    if (match_ == 0 && !is_white(c)) ending_.on_text();
    if (rules_.any_whole && fence_.awaits_body() && !is_white(c)) fence_.on_body(at_);
    ++at_;
    if (effect != 0) {
      const Offset before = at_;
      on_effect(effect);
      if (at_ != before) continue;  // the scan went back to an opener that waited
    }
    const int marker = markers.complete(match_);
    if (marker >= 0 || ending_.waits())
      ending_.watch(rules_, c, marker, at_, markers.alive(match_, Markers::Kind::turn_end), context_.open_count() != 0);
    if (marker >= 0) {
      on_marker(marker);
      if (mode_ != Mode::text) return true;
      if (!quoting_.doubt.waits() && ending_.ends_result(rules_, marker)) end_made_up();
    }
    if (fence_.held.any() && (!fence_alive() || fence_room() == 0)) release_fences();
  }
  if (waits_too_long()) waited_too_long();
  if (!ended) return false;
  release_fences();
  const Offset before = at_;
  if (quoting_.doubt.waits())
    quoting_.quoted_in_line = true;  // the end of its line would have told whether it was code
  on_effect(context_.finish());
  return at_ != before;
}

// Passes over the open value of a block that was given back. Returns false if the value goes on.
bool Scanner::take_quotation() {
  const auto [over, to] = quoting_.pass(kept_, at_);
  walk(to);
  match_ = 0;
  return over;
}

// Steps over text without looking for markers.
void Scanner::walk(Offset to) {
  for (; at_ < to; ++at_) {
    context_.step(kept_[at_]);
    quoting_.step(rules_, kept_, at_);
  }
}

// So many of the last bytes may become a marker that counts here.
inline size_t Scanner::alive_marker() const {
  using Kind = Markers::Kind;
  if (match_ == 0) return 0;
  const auto alive_of = [this](Kind kind) { return rules_.markers.alive(match_, kind); };
  size_t alive = std::max(alive_of(Kind::turn_end), alive_trailer());
  if (reasoning_.on()) {
    alive = std::max({alive, alive_of(Kind::think_end), alive_of(Kind::reasoning_end)});
    if (rules_.any_reads_reasoning) alive = std::max({alive, alive_of(Kind::opener), alive_of(Kind::code_opener)});
  } else {
    alive = std::max(alive, alive_of(Kind::code_opener));
    if (context_.in_fence()) return alive;
    alive = std::max({alive, alive_of(Kind::opener), alive_of(Kind::reasoning_end)});
    if (!reasoning_.closer_is_text()) alive = std::max(alive, alive_of(Kind::think_end));
    if (!ending_.in_result()) alive = std::max(alive, alive_of(Kind::result));
  }
  const size_t think = alive_of(Kind::think);
  return think > alive && may_think(at_ - think) ? think : alive;
}

// The offset up to which text may be shown. No other code decides that.
Offset Scanner::held() const {
  const BacktickDoubt &doubt = quoting_.doubt;
  switch (mode_) {
    case Mode::block:
    case Mode::tail:
      if (doubt.waits()) return doubt.from();
      return std::min(fence_.held.from, block_.whole ? fence_.begin() : block_.from);
    case Mode::skip: return output_.done();
    default: break;
  }
  if (fence_.held.any()) return fence_.held.from;
  Offset to = at_;
  if (doubt.waits())
    to = doubt.from();
  else if (mode_ == Mode::tag)
    to = reasoning_.tag();
  else
    to -= std::min(alive_marker(), to);  // a marker that began in the fence that ends here was shown
  to = std::min(to, ending_.from());
  return !reasoning_.on() && fence_alive() ? std::min(to, fence_.begin()) : to;
}

void Scanner::on_effect(unsigned effect) {
  BacktickDoubt &doubt = quoting_.doubt;
  if ((effect & Context::kFenceOpened) != 0) fence_.on_opened();
  if (waits_too_long()) waited_too_long();
  if ((effect & Context::kRunEnded) != 0) doubt.on_run(at_ - 1, context_);
  if ((effect & Context::kRunMatched) != 0) {
    if (doubt.closes_around(context_)) waiting_is_code();
    doubt.drop_results(context_.matched());
  }
  if ((effect & Context::kFenceClosed) != 0) fence_.leave();
  if ((effect & Context::kLineEnd) != 0) on_line_end((effect & Context::kFenceOpened) != 0);
}

// `fence`: the line that ended opened a fence, so all of it was code.
void Scanner::on_line_end(bool fence) {
  BacktickDoubt &doubt = quoting_.doubt;
  if (fence) {
    if (doubt.waits()) waiting_is_code();
    return doubt.drop_results(0);
  }
  fence_.on_line_end();
  if (!doubt.waits()) return report_results();
  // No back-tick run closed on this line, so the first waiting opener is real. Rescan from it; the line's runs are
  // known now.
  doubt.on_line_end(at_);
  report_results();
  at_ = doubt.from();
  doubt.stop_waiting();
  ending_.forget_tokens();
  match_ = 0;
  quoting_.strings = {};
  context_.start_words();
}

void Scanner::waited_too_long() {
  show_unheld();
  const Offset at = quoting_.doubt.from();
  quoting_.doubt.stop_waiting();
  output_.diagnostic("oversize", "an opener behind open back-ticks, and no end of its line", at);
}

void Scanner::waiting_is_code() {
  show_unheld();
  for (const BacktickDoubt::Waiting &one : quoting_.doubt.waiting())
    if (rules_.markers.kind(one.marker) == Markers::Kind::opener && !rules_.markers.common(one.marker))
      output_.diagnostic("in_code", rules_.protocol_of(one.marker).id(), one.at);
  quoting_.doubt.stop_waiting();
}

// Reports the made-up results of this line: they are not code.
void Scanner::report_results() {
  if (!quoting_.doubt.any_results()) return;
  show_unheld();
  for (const Offset at : quoting_.doubt.take_results()) output_.diagnostic("forged_result", {}, at);
}

// ---- out ----

// Shows text or reasoning up to `to`.
void Scanner::show(Offset to) {
  using Shown = ScanOutput::Shown;
  using Voice = ScanOutput::Voice;
  const Offset from = output_.done();
  const Voice text = ending_.in_result() ? Voice::fabricated : Voice::text;
  const Shown shown = output_.show(kept_, to, reasoning_.on() ? Voice::reasoning : text);
  if (shown == Shown::nothing) return;
  ending_.on_text();
  if (reasoning_.on()) return reasoning_.on_thought(kept_.view(from, to), from);
  reasoning_.on_text(rules_);
  if (shown == Shown::first) reasoning_.restart();
}

// The text goes on at `at`; what stands in front of it is not shown.
void Scanner::go_on(Offset at) {
  at_ = at;
  output_.go_on(at);
}

// The text that follows counts as a new line.
void Scanner::start_line() { line_.start(rules_.thinks ? at_ : 0); }

std::unique_ptr<TextScanner> make_scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits,
                                          const ScanOptions &options, ScanSink &sink) {
  return std::make_unique<Scanner>(active, tools, limits, options, sink);
}

}  // namespace sluice
