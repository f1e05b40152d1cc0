// The scanner at a marker in text: what begins a block, what belongs to reasoning, what ends a card or the turn.
#include <algorithm>

#include "base/ascii.h"
#include "protocol/scan/scanner.h"

namespace sluice {

void Scanner::on_marker(int marker) {
  using Kind = Markers::Kind;
  if (waits_too_long()) waited_too_long();
  const Offset at = at_ - rules_.markers.length(marker);
  if (!rules_.markers.is_opener(marker)) release_fences();
  switch (const Kind kind = rules_.markers.kind(marker)) {
    case Kind::opener:
    case Kind::code_opener: return on_opener(marker, at);
    case Kind::think:
    case Kind::think_end: return on_think(marker, at, kind == Kind::think_end);
    case Kind::reasoning_end:
      if (reasoning_.on() && closes_draft(marker, at)) return;
      if (!context_.in_fence() || reasoning_.on()) on_reasoning_end(at, at_, marker);
      return;
    case Kind::trailer:
    case Kind::turn_end: return on_trailer(marker, at);
    case Kind::forged:
    case Kind::result:
      if (!reasoning_.on() && !context_.in_fence() && !ending_.in_result()) on_made_up_result(at, marker);
      return;
    case Kind::result_end: return;
  }
}

// ---- openers ----

void Scanner::on_opener(int marker, Offset at) {
  const ActiveMarkers &markers = rules_.markers;
  const bool common = markers.common(marker);
  if (quoting_.in_string(rules_, marker)) return;
  if (reasoning_.on() && !rules_.calls_in_reasoning)
    for (int one = marker; one >= 0; one = markers.same(one))
      if (rules_.reads_reasoning(markers.owner(one)) && in_draft(at)) return;
  const size_t longer =
      std::max(markers.alive(match_, Markers::Kind::opener), markers.alive(match_, Markers::Kind::code_opener));
  if (common && longer > at_ - at) return;  // a bracket inside a longer marker
  if (try_opener(marker, at) || common || markers.first(marker)) return;
  show_unheld();
  const bool thought = reasoning_.on() && !rules_.calls_in_reasoning;
  output_.diagnostic(thought ? "in_reasoning" : "in_code", rules_.protocol_of(marker).id(), at);
}

// Starts a block of the first protocol with this opener whose calls may stand here.
bool Scanner::try_opener(int marker, Offset at) {
  ActiveMarkers &markers = rules_.markers;
  for (; marker >= 0; marker = markers.same(marker)) {
    const May may = may_start(marker, at);
    if (may == May::not_here || (markers.first(marker) && at != 0)) continue;
    if (may == May::wait) {
      quoting_.doubt.wait(at, marker, context_);
    } else if (at_ < kept_.end() && !markers.may_follow(marker, kept_[at_])) {
      report_results();
      match_ = markers.behind(marker);
      fence_.leave();
      continue;
    } else {
      const bool known = at_ < kept_.end() || markers.any_may_follow(marker);  // that it begins a call
      if (quoting_.doubt.waits() && known && markers.kind(marker) == Markers::Kind::code_opener)
        waiting_is_code();  // the text before it may be code, so its calls do not run
      start_block(marker, at);
    }
    return true;
  }
  return false;
}

Scanner::May Scanner::may_start(int marker, Offset at) const {
  const ActiveMarkers &markers = rules_.markers;
  const bool reasoning = reasoning_.on(), doubt = context_.open_count() != 0;
  if (reasoning &&
      !(markers.common(marker) ? rules_.calls_in_reasoning : rules_.reads_reasoning(markers.owner(marker))))
    return May::not_here;
  if (markers.fence(marker)) return !reasoning && fence_.in_body() && at == fence_.begin() ? May::start : May::not_here;
  if (markers.kind(marker) == Markers::Kind::code_opener) return May::start;
  if (context_.in_quote() && line_.first() < at) return May::not_here;  // `>` may be the opener's first byte
  if (reasoning) return context_.in_fence() || doubt ? May::not_here : May::start;
  if (context_.in_fence())
    return fence_.begins_body(rules_, kept_, marker, at, output_.done(), at_) ? May::start : May::not_here;
  if (!doubt) return May::start;
  if (!quoting_.doubt.knows(at)) return May::wait;
  return quoting_.doubt.is_code(at, context_) ? May::not_here : May::start;
}

// Is `at` in a block that the reasoning holds? Then it is no header of another channel.
bool Scanner::in_draft(Offset at) {
  show(at);
  return reasoning_.in_draft();
}

// Some formats end a call and a channel with one token.
bool Scanner::closes_draft(int marker, Offset at) {
  const auto closers = rules_.protocol_of(marker).closers(rules_.tools);
  const auto same = [&](const Marker &closer) { return closer.bytes == rules_.markers.bytes(marker); };
  return std::any_of(closers.begin(), closers.end(), same) && (in_draft(at) || reasoning_.any_draft());
}

// ---- reasoning ----

// `<think` or `</think` stands at `at`.
void Scanner::on_think(int marker, Offset at, bool closes) {
  const bool reasoning = reasoning_.on();
  if (context_.in_fence() && !reasoning) return;
  if (!closes && !may_think(at)) {
    if (!reasoning) reasoning_.on_opener_as_text();
    return;
  }
  if (closes ? !may_close(at) : !reasoning && quoting_.is_code(marker, at, context_)) return;
  enter(Trigger::tag);
  reasoning_.begin_tag(rules_, marker, at);
}

// An opener of reasoning counts at the beginning of a line, and in families also within a line, outside quotations.
bool Scanner::may_think(Offset at) const {
  const bool first = at == line_.first();
  if (reasoning_.on())
    return first && !output_.reasoning_open() && is_blank_until(at);  // the prompt opened the tag, and the model opens
                                                                      // it again
  if (first || !rules_.thinks || quoting_.quoted_in_line || context_.in_quote()) return first;
  return kept_.holds(at) && !line_.quotes(kept_, at);  // else its beginning was shown as text
}

// A closer of reasoning in the text counts only if its opener was not shown as text.
bool Scanner::may_close(Offset at) {
  if (reasoning_.on()) return true;
  if (rules_.lone_closer_is_text && (at - output_.done() > rules_.limits.candidate_bytes || !is_blank_until(at)))
    reasoning_.on_text(rules_);
  return !reasoning_.closer_is_text();
}

// Only white space waits to be shown before `at`.
bool Scanner::is_blank_until(Offset at) const {
  const std::string_view text = kept_.view(output_.done(), at);
  return std::all_of(text.begin(), text.end(), is_white);
}

bool Scanner::read_tag(bool ended) {
  const Reasoning::Tag tag = reasoning_.read_tag(rules_, kept_, ended);
  if (tag == Reasoning::Tag::more) return false;
  enter(Trigger::read);
  if (tag == Reasoning::Tag::none) return true;  // text: the scan goes on behind `<think`
  if (tag == Reasoning::Tag::closes) {
    on_reasoning_end(reasoning_.tag(), reasoning_.tag_end(), reasoning_.tag_marker());
    return true;
  }
  show(reasoning_.tag());  // white space with no text before it is dropped with the tag
  go_on(reasoning_.tag_end());
  reasoning_.restart();
  start_reasoning(true);
  return true;
}

// Ends the reasoning, or drops a stray closer.
void Scanner::on_reasoning_end(Offset at, Offset end, int marker) {
  if (!reasoning_.on() && quoting_.is_code(marker, at, context_)) return;
  show(at);  // white space with no text before it is dropped with the tag
  go_on(end);
  reasoning_.on_end(rules_);
  start_reasoning(false);
}

// Behind a tag a new text begins, with a context of its own.
void Scanner::start_reasoning(bool reasoning) {
  reasoning_.begin(reasoning);
  output_.close_reasoning();
  ending_.end_result();
  ending_.forget_tokens();
  start_line();
  fence_.leave();
  match_ = 0;
  quoting_.strings = {};
  block_.rest = {};
  context_ = Context();
}

// ---- what ends a card or the turn ----

// So many of the last bytes may become a trailer: no other text stands before them.
size_t Scanner::alive_trailer() const {
  if (!ending_.may_trail(rules_, context_)) return 0;
  const size_t alive = rules_.markers.alive(match_, Markers::Kind::trailer), waits = at_ - output_.done();
  const bool directly =
      alive != 0 && waits >= alive && waits - alive <= rules_.limits.candidate_bytes && is_blank_until(at_ - alive);
  return directly ? alive : 0;
}

void Scanner::on_trailer(int marker, Offset at) {
  if (!ending_.may_trail(rules_, context_)) return;
  if (at - output_.done() > rules_.limits.candidate_bytes || !is_blank_until(at)) {
    if (rules_.markers.alive(match_, Markers::Kind::opener) > at_ - at) return;  // a part of what may be an opener
    ending_.on_text();  // text came between: the trailer is text, too
  } else if (rules_.belongs_to(marker, ending_.trails())) {
    output_.drop(at_);
    ending_.forget_tokens();
    match_ = 0;
    start_line();
    context_.start_line();
  }
}

// ---- results that the model made up ----

void Scanner::on_made_up_result(Offset at, int marker) {
  if (context_.open_count() != 0) {
    if (!quoting_.doubt.knows(at)) return quoting_.doubt.add_result(at, context_);
    if (quoting_.doubt.is_code(at, context_)) return;
  }
  if (rules_.markers.kind(marker) == Markers::Kind::result) {
    show(at);
    ending_.begin_result(marker);
    output_.close_text();
  }
  show_unheld();
  output_.diagnostic("forged_result", {}, at);
}

// A made-up result has ended; the answer goes on behind it.
void Scanner::end_made_up() {
  show(at_);
  ending_.end_result();
  output_.close_text();
  ending_.forget_tokens();
  fence_.leave();
  match_ = 0;
  quoting_.strings = {};
  context_ = Context();
  start_line();
}

}  // namespace sluice
