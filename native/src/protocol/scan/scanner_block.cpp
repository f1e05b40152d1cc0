// The scanner in a block: from an opener to a card, or back to text.
#include <algorithm>

#include "protocol/scan/scanner.h"

namespace sluice {

void Scanner::start_block(int marker, Offset at) {
  // A state may say that a fence is open whose beginning is not there.
  block_.whole = fence_.in_body() && fence_.known() &&
                 (rules_.markers.kind(marker) == Markers::Kind::opener || rules_.markers.fence(marker));
  ending_.forget_tokens();
  block_.begin(at, at_, context_, quoting_.strings);
  enter(Trigger::opener);
  if (!block_.whole) release_fences();
  report_results();
  show_unheld();
  block_.start_reader(rules_, marker, place());
}

bool Scanner::read_block(bool ended) {
  using State = BlockReader::State;
  const bool begins = block_.may_begin(rules_, kept_);
  // If this is a call, the openers that wait are code. The byte behind the opener tells whether it may be one.
  if (quoting_.doubt.waits()) {
    if (block_.opener_end == kept_.end() && !ended) return false;
    if (begins) {
      waiting_is_code();
      show_unheld();
    }
  }
  if (!begins) {  // told at once where that byte was there already
    give_back({}, 0);
    return true;
  }
  if (!ended && rules_.markers.may_grow(block_.opener, kept_.rest(block_.from))) return false;
  while (true) {
    const size_t limit = block_limit();
    const size_t taken = std::min(kept_.end() - block_.from, limit);
    const bool all = ended && block_.from + taken == kept_.end();
    const bool named = block_.reader->named, begun = block_.reader->begun;
    State state = block_.read(kept_, block_text(), false);
    const bool waits = state == State::open && block_.reader->named == named && block_.reader->begun == begun;
    const bool last = waits && all && block_limit() == limit;
    if (last) state = block_.read(kept_, kept_.rest(block_.from), true);
    const bool markup = state == State::markup || state == State::hidden;
    const BlockReader &reader = *block_.reader;
    if (is_draft() && !markup && (state != State::open || reader.named || reader.begun))
      return leave_to_thoughts(), true;
    if (reader.named && !named && !block_.whole) open_call(reader.name);
    if (block_.unread && state == State::closed && block_.holds_opener(rules_, kept_)) state = State::rejected;
    switch (state) {
      case State::closed: return on_block_closed(), true;
      case State::rejected: return give_back(reader.code, reader.decided, last), true;
      case State::markup:
      case State::hidden: return on_markup(state == State::hidden), true;
      case State::open: break;
    }
    if (block_.opened) stream_arguments();
    if (reader.named != named || reader.begun != begun || block_limit() > limit) continue;
    if (taken < limit) return false;
    if (reader.named && !block_.whole)
      outgrown();
    else
      give_back(!begun && taken == ScanRules::kProse ? "missing_tool_name" : "oversize", taken);
    return true;
  }
}

// The part of the block that the reader may see now, in whole code points.
std::string_view Scanner::block_text() const { return whole_code_points(kept_.rest(block_.from), block_limit()); }

// ---- a call ----

void Scanner::open_call(std::string_view name) {
  output_.drop(block_.from);
  block_.opened = true;
  output_.close_text();
  output_.sink().on_call_open(block_.protocol->id(), name, block_.from);
}

void Scanner::stream_arguments() {
  const BlockReader &reader = *block_.reader;
  if (!reader.begun) return;
  block_.sent = std::max(block_.sent, reader.arguments_from);
  if (reader.arguments_to <= block_.sent) return;
  const Offset from = block_.from + block_.sent;
  block_.sent = reader.arguments_to;
  output_.sink().on_call_arguments(kept_.view(from, block_.from + block_.sent), from);
}

// A fence that holds the block must end behind it.
void Scanner::on_block_closed() {
  if (!block_.whole) return close_block();
  if (!calls_tools()) return give_back("in_code", block_.reader->end);
  enter(Trigger::hold);
  at_ = block_.from + block_.reader->end;
  match_ = 0;
  context_.start_words();
}

// Reports the finished card; the text goes on behind it.
void Scanner::close_block() {
  const Offset start = block_.whole ? fence_.begin() : block_.from;
  const Offset end = block_.whole ? at_ : block_.from + block_.reader->end;
  output_.drop(start);
  block_.find_arguments(kept_);
  tell_calls(start, end);
  const std::unique_ptr<BlockReader> reader = std::move(block_.reader);
  const size_t owner = rules_.markers.owner(block_.opener);
  enter(Trigger::close);
  go_on(end);
  match_ = 0;
  quoting_.strings = {};
  output_.close();
  ending_.end_result();
  if (!rules_.calls_in_reasoning) reasoning_.stop();  // a state may say that a call is open in reasoning
  reasoning_.restart();
  ending_.on_card(owner);
  block_.rest = {};
  block_.left_open = false;
  if (reader->ends_known) block_.ends_known = owner;
  fence_.leave();
  start_line();
  context_.start_line();
  output_.sink().on_call_close(block_.protocol->id(), reader->calls, kept_.view(start, end), start, end);
}

// Streams the rest of the arguments, gives the calls the reasons that the scanner knows, and tells diagnostics.
void Scanner::tell_calls(Offset start, Offset end) {
  BlockReader &reader = *block_.reader;
  if (const std::string &name = reader.calls.front().name; !block_.opened && !name.empty()) open_call(name);
  reader.arguments_to = reader.arguments_from + reader.calls.front().raw_arguments.size();
  if (block_.opened) stream_arguments();
  if (block_.unread) reader.calls.front().example = block_.example();
  for (const BlockReader::Note &note : reader.notes) output_.diagnostic(note.code, note.detail, block_.from + note.at);
  block_.tell_losses(kept_, losses_, start, end);
  if (end_ == TextEnd::cut && reader.by_end)
    for (ParsedCall &call : reader.calls) call.reason = "unterminated_block";
  if (quoting_.doubts_call(block_.in_code(rules_))) block_.give_reason("quoted");
  quoting_.quoted = quoting_.quoted || reader.unsure;
  if (reader.lost_to > reader.lost_from && !quoting_.quoted)
    quoting_.quoted = rules_.holds_opener(kept_.view(block_.from + reader.lost_from, block_.from + reader.lost_to));
  std::string_view reported;
  for (const ParsedCall &call : reader.calls) {
    if (!call.reason.empty() && call.reason != reported)
      output_.diagnostic(call.reason, call.name, block_.from, kept_.view(start, end));
    reported = call.reason;
  }
}

// ---- markup ----

void Scanner::on_markup(bool hidden) {
  if (const std::string_view why = why_no_markup(); !why.empty()) return give_back(why, block_.reader->end);
  hidden ? pass_hidden() : pass_markup();
}

// Returns why a token of the format counts as text here: in code only calls count; in reasoning only what
// begins another channel. Behind calls in reasoning they are no text (ThoughtCalls).
std::string_view Scanner::why_no_markup() const {
  if (reasoning_.on() && !block_.protocol->has_channels()) return "in_reasoning";
  const Context &before = block_.before;
  return before.in_fence() || (block_.in_code(rules_) && before.open_count() != 0) ? "in_code" : "";
}

// Drops a token of the format.
void Scanner::pass_markup() {
  const std::unique_ptr<BlockReader> reader = std::move(block_.reader);
  enter(Trigger::close);
  show(block_.from);  // white space with no text before it is dropped with it
  if (reader->thought_to > reader->thought_from) show_thought(*reader);
  go_on(block_.from + reader->end);
  if (reader->reasoning) reasoning_.restart();
  start_reasoning(reader->reasoning && !rules_.inside_reasoning);
}

// Shows the thought of a block as reasoning.
void Scanner::show_thought(const BlockReader &reader) {
  if (!reader.code.empty()) output_.diagnostic(reader.code, block_.protocol->id(), block_.from);
  start_reasoning(!rules_.inside_reasoning);
  output_.go_on(block_.from + reader.thought_from);
  at_ = block_.from + reader.thought_to;
  show(at_);
  reasoning_.on_end(rules_);
  ending_.on_card(rules_.markers.owner(block_.opener));
}

// Takes a tag out of the text, which goes on as if the tag were not there.
void Scanner::pass_hidden() {
  const std::unique_ptr<BlockReader> reader = std::move(block_.reader);
  const Offset end = block_.from + reader->end;
  const std::string_view raw = kept_.view(block_.from, end);
  enter(Trigger::close);
  show(block_.from);
  if (!reader->code.empty()) output_.diagnostic(reader->code, "a tag that is not shown", block_.from, raw);
  output_.sink().on_scan_hidden(raw);
  rewind_to_opener();
  go_on(end);
  match_ = 0;
  block_.rest = {};
}

// The block in reasoning is no header: it is a draft, or a thought.
void Scanner::leave_to_thoughts() {
  if (block_.reader->named && !reasoning_.in_draft())
    output_.diagnostic("in_reasoning", block_.protocol->id(), block_.from);
  enter(Trigger::close);
  rewind_to_opener();
  block_.reader.reset();
  block_.rest = {};
  block_.left_open = false;
  match_ = rules_.markers.behind(block_.opener);
  try_opener(rules_.markers.same(block_.opener), block_.from);
}

// ---- a block that is too long ----

// Closes the card now and drops the rest of its block.
void Scanner::outgrown() {
  BlockReader::Rest rest = block_.reader->rest(block_text());
  Offset behind = block_.from + rest.at;
  block_.reader->cut(block_text(), "oversize");
  block_.place_calls(kept_);
  block_.whole = false;
  close_block();
  start_skipping();
  quoting_.quoted = true;  // nothing reads any more where its values end
  quoting_.open = std::move(rest.open);
  if (quoting_.open.open()) behind = quoting_.pass(kept_, behind).to;
  go_on(quoting_.open.open() ? behind : std::max(at_, behind));  // its closer may have begun within the limit
}

void Scanner::start_skipping() {
  block_.skip.begin(*block_.protocol, rules_.tools);
  enter(Trigger::outgrow);
}

bool Scanner::read_skip() {
  if (quoting_.open.open()) {
    const auto [over, to] = quoting_.pass(kept_, at_);
    go_on(to);
    if (!over) return false;
  }
  const Skip::Read read = block_.skip.read(kept_, at_);
  at_ = read.at;
  output_.go_on(read.from);
  if (read.over) enter(Trigger::close);
  return read.over;
}

// ---- a block that is no call ----

// Goes back right behind the opener, into the context that it stands in.
void Scanner::rewind_to_opener() {
  at_ = block_.opener_end;
  context_ = block_.before;
  quoting_.strings = block_.strings_before;
}

// The block is no call of this protocol. A protocol with the same opener may read it, or one whose longer opener begins
// with these bytes. Otherwise the part that was read is text that is not searched; if nothing was read, the opener is
// text (or the beginning of a longer one). `ended`: the end of the answer left the block open, so all of it is text.
void Scanner::give_back(std::string_view code, size_t length, bool ended) {
  const ActiveMarkers &markers = rules_.markers;
  BlockReader::Rest rest =
      block_.may_begin(rules_, kept_) ? block_.reader->rest(kept_.rest(block_.from)) : BlockReader::Rest();
  if (rest.at > block_.rest.at) block_.rest = std::move(rest);
  if (block_.unread) {  // its closer did not come: report why no reader understood it
    code = block_.reader->code;
    length = block_.reader->decided;
    ended = false;
  }
  ended = block_.left_open = block_.left_open || ended;
  const bool in_whole = block_.whole && markers.fence(block_.opener);  // its body may be calls of another notation
  if (block_.whole && !in_whole) release_fences();
  enter(Trigger::close);
  rewind_to_opener();
  const bool common = markers.common(block_.opener);
  if (!block_.unread && (try_opener(markers.same(block_.opener), block_.from) || try_grown())) {
    if (mode_ == Mode::block) return;
  } else if (!block_.unread && length <= ScanRules::kProse && (!ended || block_.names_tool(rules_, kept_)) &&
             may_be_closed()) {
    return read_for_closer(code, length);
  } else if (ended && end_ == TextEnd::well && !common && block_.says_nothing(kept_, code, length)) {
    output_.diagnostic("dangling_opener", "the answer ends with the beginning of a call", block_.from,
                       kept_.rest(block_.from));
  } else if (!code.empty()) {
    output_.diagnostic(code, "no call: shown as text", block_.from, kept_.view(block_.from, block_.from + length));
  }
  block_.reader.reset();
  if (!in_whole || block_.rest.at != 0) fence_.leave();
  rest = std::exchange(block_.rest, {});
  block_.left_open = false;
  if (rest.at != 0 || !common) block_.enter_strings(kept_, quoting_.strings);
  size_t to = ended ? kept_.end() - block_.from : rest.at;
  if (to == 0 && length > ScanRules::kProse) to = length;
  match_ = to == 0 ? rules_.markers.behind(block_.opener) : 0;
  walk(block_.from + to);
  if (rest.tag) quoting_.strings.enter_tag();
  if (!ended) quoting_.open = std::move(rest.open);
}

// Gives the block to the protocol of the longer opener that its text begins with. Returns whether there is one.
bool Scanner::try_grown() {
  const int marker = rules_.markers.grown(block_.opener, kept_.rest(block_.from));
  if (marker < 0) return false;
  walk(block_.from + rules_.markers.length(marker));
  if (try_opener(marker, block_.from)) return true;
  rewind_to_opener();
  return false;
}

// No reader read anything of the block, but its closer may still make an invalid card of it.
bool Scanner::may_be_closed() const {
  const ActiveMarkers &markers = rules_.markers;
  return (block_.rest.at == 0 || block_.rest.name) && block_.from == line_.first() && !reasoning_.on() &&
         !rules_.inside_reasoning && !block_.whole && !block_.before.in_fence() && block_.before.open_count() == 0 &&
         !markers.common(block_.opener) && !block_.protocol->closers_of(markers.bytes(block_.opener)).empty();
}

void Scanner::read_for_closer(std::string_view code, size_t decided) {
  StringTracker strings;
  block_.enter_strings(kept_, strings);
  block_.read_for_closer(rules_, strings, code, decided);
  enter(Trigger::opener);
}

}  // namespace sluice
