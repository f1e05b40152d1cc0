// The scanner in a block: from an opener to a card, or back to text.
#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "protocol/scan/scanner.h"
#include "protocol/scan/unread_block.h"

namespace sluice {
namespace {

// More than the longest closer: the reader must still see it behind a value of the greatest length.
constexpr size_t kCloserRoom = 64;

}  // namespace

void Scanner::start_reader(int marker) {
  opener_ = marker;
  protocol_ = active_[markers_.owner(marker)].get();
  reader_ = protocol_->reader(tools_, limits_);
  reader_->follows = trails_ == markers_.owner(marker);
  reader_->begins_line = block_ == blank_at_;
  reader_->ends_known = ends_known_ == markers_.owner(marker);
  unread_ = false;
}

void Scanner::start_block(int marker, size_t at) {
  // A state may say that a fence is open whose beginning is not there.
  whole_ = in_body_ && fence_ != kNowhere && (markers_.kind(marker) == Markers::Kind::opener || markers_.fence(marker));
  ends_ = ends_word_ = kNowhere;
  block_ = at;
  opener_end_ = at_;
  before_ = context_;
  strings_before_ = strings_;
  opened_ = false;
  sent_ = 0;
  enter(Trigger::opener);
  if (!whole_) release_fences();
  report_results();
  show_unheld();
  start_reader(marker);
}

BlockReader::State Scanner::read_more(std::string_view block, bool ended) {
  const BlockReader::State state = reader_->read(block, ended);
  if (state == BlockReader::State::closed) place_calls();
  return state;
}

// Notes where each call's raw arguments stand in the block: the text moves until the card closes.
void Scanner::place_calls() {
  for (ParsedCall &call : reader_->calls)
    if (!call.raw_arguments.empty())
      call.raw_at = static_cast<size_t>(call.raw_arguments.data() - kept_.rest(block_).data());
}

// The byte behind a common opener may tell that no call begins.
bool Scanner::may_begin() const {
  return opener_end_ == kept_.end() || markers_.may_follow(opener_, kept_[opener_end_]);
}

bool Scanner::read_block(bool ended) {
  // If this is a call, the openers that wait are code. The byte behind the opener tells whether it may be one.
  if (doubt_.waits()) {
    if (opener_end_ == kept_.end() && !ended) return false;
    if (may_begin()) {
      waiting_is_code();
      show_unheld();
    }
  }
  if (!may_begin()) {  // told at once where that byte was there already
    give_back({}, 0);
    return true;
  }
  if (!ended && markers_.may_grow(opener_, kept_.rest(block_))) return false;
  while (true) {
    const size_t limit = block_limit();
    const size_t taken = std::min(kept_.end() - block_, limit);
    const bool all = ended && block_ + taken == kept_.end();
    const bool named = reader_->named, begun = reader_->begun;
    BlockReader::State state = read_more(block_text(), false);
    const bool waits = state == BlockReader::State::open && reader_->named == named && reader_->begun == begun;
    const bool last = waits && all && block_limit() == limit;
    if (last) state = read_more(kept_.rest(block_), true);
    const bool markup = state == BlockReader::State::markup || state == BlockReader::State::hidden;
    if (is_draft() && !markup && (state != BlockReader::State::open || reader_->named || reader_->begun))
      return leave_to_thoughts(), true;
    if (reader_->named && !named && !whole_) open_call(reader_->name);
    if (unread_ && state == BlockReader::State::closed) {
      const std::string_view block = kept_.view(block_, block_ + reader_->end);
      const size_t from = UnreadBlock::pass_openers(block, opener_end_ - block_, openers_and_trailers());
      if (holds_opener(block.substr(from), true)) state = BlockReader::State::rejected;
    }
    if (state == BlockReader::State::closed) {
      if (whole_ && !calls_tools()) {
        give_back("in_code", reader_->end);
      } else if (whole_) {
        enter(Trigger::hold);
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
    if (markup) {
      if (const std::string_view why = why_no_markup(); why.empty())
        state == BlockReader::State::hidden ? pass_hidden() : pass_markup();
      else
        give_back(why, reader_->end);
      return true;
    }
    if (opened_) stream_arguments();
    if (reader_->named != named || reader_->begun != begun || block_limit() > limit) continue;
    if (taken < limit) return false;
    if (reader_->named && !whole_) {
      outgrown();
    } else if (!begun && taken == kProse) {
      give_back("missing_tool_name", taken);
    } else {
      give_back("oversize", taken);
    }
    return true;
  }
}

// The reader never sees more than this, so every limit hits the same byte at any split. The limit only grows: a reader
// may have looked beyond the name.
size_t Scanner::block_limit() const {
  const size_t room = whole_ && protocol_->code() == CodeMode::whole ? fence_room() : kNowhere;
  const size_t arguments = std::min(room, reader_->arguments_from + limits_.argument_bytes + kCloserRoom);
  if (reader_->named) return arguments;
  return std::min(arguments, reader_->begun ? limits_.candidate_bytes : std::min(kProse, limits_.candidate_bytes));
}

// The part of the block that the reader may see now, in whole code points.
std::string_view Scanner::block_text() const { return whole_code_points(kept_.rest(block_), block_limit()); }

void Scanner::open_call(std::string_view name) {
  drop(block_);
  opened_ = true;
  text_open_ = false;
  sink_.on_call_open(protocol_->id(), name, block_);
}

void Scanner::stream_arguments() {
  if (!reader_->begun) return;
  sent_ = std::max(sent_, reader_->arguments_from);
  if (reader_->arguments_to <= sent_) return;
  const std::string_view piece = kept_.view(block_ + sent_, block_ + reader_->arguments_to);
  sent_ = reader_->arguments_to;
  sink_.on_call_arguments(piece, block_ + sent_ - piece.size());
}

// Reports the finished card; the text goes on behind it.
void Scanner::close_block() {
  const size_t start = whole_ ? fence_ : block_;
  const size_t end = whole_ ? at_ : block_ + reader_->end;
  drop(start);
  for (ParsedCall &call : reader_->calls)
    call.raw_arguments = kept_.view(block_ + call.raw_at, block_ + call.raw_at + call.raw_arguments.size());
  if (const std::string &name = reader_->calls.front().name; !opened_ && !name.empty()) open_call(name);
  reader_->arguments_to = reader_->arguments_from + reader_->calls.front().raw_arguments.size();
  if (opened_) stream_arguments();
  const std::string_view raw = kept_.view(start, end);
  if (unread_) reader_->calls.front().example = example();
  for (const BlockReader::Note &note : reader_->notes) diagnostic(note.code, note.detail, block_ + note.at);
  tell_lost_bytes(start, end);
  if (end_ == TextEnd::cut && reader_->by_end)
    for (ParsedCall &call : reader_->calls) call.reason = "unterminated_block";
  if (quoted_ || (quoted_in_line_ && markers_.kind(opener_) == Markers::Kind::opener))
    for (ParsedCall &call : reader_->calls)
      if (call.reason.empty()) call.reason = "quoted";
  quoted_ = quoted_ || reader_->unsure;
  if (reader_->lost_to > reader_->lost_from && !quoted_)
    quoted_ = holds_opener(kept_.view(block_ + reader_->lost_from, block_ + reader_->lost_to));
  std::string_view reported;
  for (const ParsedCall &call : reader_->calls) {
    if (!call.reason.empty() && call.reason != reported) diagnostic(call.reason, call.name, block_, raw);
    reported = call.reason;
  }
  const std::unique_ptr<BlockReader> reader = std::move(reader_);
  enter(Trigger::close);
  at_ = done_ = end;
  match_ = 0;
  strings_ = {};
  rest_ = {};
  text_open_ = reasoning_open_ = false;
  made_up_ = -1;
  if (!calls_in_reasoning_) reasoning_ = false;  // an older state has a call open in reasoning
  if (thoughts_) thoughts_->restart();
  trails_ = markers_.owner(opener_);
  if (reader->ends_known) ends_known_ = markers_.owner(opener_);
  left_open_ = false;
  leave_fence();
  start_line();
  context_.start_line();
  sink_.on_call_close(protocol_->id(), reader->calls, raw, start, end);
}

// The call whose arguments lost bytes is invalid; where they were lost elsewhere in the block, all its calls are.
void Scanner::tell_lost_bytes(size_t start, size_t end) {
  if (!losses_.any(kept_, start, end)) return;
  const auto lost = [this](const ParsedCall &call) {
    const size_t from = block_ + call.raw_at;
    return losses_.any(kept_, from, from + call.raw_arguments.size());
  };
  auto &calls = reader_->calls;
  const bool inside = std::any_of(calls.begin(), calls.end(), lost);
  for (ParsedCall &call : calls)
    if (call.reason.empty() && (!inside || lost(call)))
      call.reason = call.typed ? "invalid_json" : "malformed_argument";
}

// Returns why a token of the format counts as text here: in code only calls count; in reasoning only what
// begins another channel. Behind calls in reasoning they are no text (ThoughtCalls).
std::string_view Scanner::why_no_markup() const {
  if (reasoning_ && !protocol_->has_channels()) return "in_reasoning";
  const bool anywhere = markers_.kind(opener_) == Markers::Kind::code_opener;
  return before_.in_fence() || (anywhere && before_.open_count() != 0) ? "in_code" : "";
}

// Drops a token of the format.
void Scanner::pass_markup() {
  const std::unique_ptr<BlockReader> reader = std::move(reader_);
  enter(Trigger::close);
  show(block_);  // white space with no text before it is dropped with it
  if (reader->thought_to > reader->thought_from) show_thought(*reader);
  at_ = done_ = block_ + reader->end;
  if (reader->reasoning && thoughts_) thoughts_->restart();
  start_reasoning(reader->reasoning && !inside_reasoning_);
}

// Shows the thought of a block as reasoning.
void Scanner::show_thought(const BlockReader &reader) {
  if (!reader.code.empty()) diagnostic(reader.code, protocol_->id(), block_);
  start_reasoning(!inside_reasoning_);
  done_ = block_ + reader.thought_from;
  at_ = block_ + reader.thought_to;
  show(at_);
  closer_ = thinks_ ? Closer::text : Closer::first;
  if (thoughts_) thoughts_->restart();
  trails_ = markers_.owner(opener_);
}

// The block in reasoning is no header: it is a draft, or a thought.
void Scanner::leave_to_thoughts() {
  if (reader_->named && !(thoughts_ && thoughts_->in_block()))
    diagnostic("in_reasoning", protocol_->id(), block_);
  enter(Trigger::close);
  at_ = opener_end_;
  context_ = before_;
  strings_ = strings_before_;
  reader_.reset();
  rest_ = {};
  left_open_ = false;
  match_ = markers_.behind(opener_);
  try_opener(markers_.same(opener_), block_);
}

// Takes a tag out of the text, which goes on as if the tag were not there.
void Scanner::pass_hidden() {
  const std::unique_ptr<BlockReader> reader = std::move(reader_);
  const std::string_view raw = kept_.view(block_, block_ + reader->end);
  enter(Trigger::close);
  show(block_);
  if (!reader->code.empty()) diagnostic(reader->code, "a tag that is not shown", block_, raw);
  sink_.on_scan_hidden(raw);
  at_ = done_ = block_ + reader->end;
  match_ = 0;
  context_ = before_;
  strings_ = strings_before_;
  rest_ = {};
}

// Closes the card now and drops the rest of its block.
void Scanner::outgrown() {
  BlockReader::Rest rest = reader_->rest(block_text());
  size_t behind = block_ + rest.at;
  reader_->cut(block_text(), "oversize");
  place_calls();
  whole_ = false;
  close_block();
  start_skipping();
  quoted_ = true;  // nothing reads any more where its values end
  quotation_ = std::move(rest.open);
  if (quotation_.open()) behind = pass_quotation(behind).second;
  at_ = done_ = quotation_.open() ? behind : std::max(at_, behind);  // its closer may have begun within the limit
}

void Scanner::start_skipping() {
  skip_ = Markers();
  for (const Marker &closer : protocol_->closers(tools_)) skip_.add(closer, Markers::Kind::think_end);
  for (const Marker &opener : protocol_->openers(tools_))
    if (!opener.common) skip_.add(opener, Markers::Kind::opener);  // a bracket belongs to the block
  skip_match_ = 0;
  enter(Trigger::outgrow);
}

bool Scanner::read_skip() {
  if (quotation_.open()) {
    const auto [over, to] = pass_quotation(at_);
    at_ = done_ = to;
    if (!over) return false;
  }
  while (at_ < kept_.end()) {
    skip_match_ = skip_.step(skip_match_, kept_[at_++]);
    const int marker = skip_.complete(skip_match_);
    if (marker < 0) continue;
    if (skip_.kind(marker) == Markers::Kind::opener) at_ -= skip_.length(marker);
    done_ = at_;
    enter(Trigger::close);
    return true;
  }
  done_ = at_ - skip_.alive(skip_match_, Markers::Kind::opener);
  return false;
}

// The block is no call of this protocol. A protocol with the same opener may read it, or one whose longer opener begins
// with these bytes. Otherwise the part that was read is text that is not searched; if nothing was read, the opener is
// text (or the beginning of a longer one). `ended`: the end of the answer left the block open, so all of it is text.
void Scanner::give_back(std::string_view code, size_t length, bool ended) {
  BlockReader::Rest rest = may_begin() ? reader_->rest(kept_.rest(block_)) : BlockReader::Rest();
  if (rest.at > rest_.at) rest_ = std::move(rest);
  if (unread_) {  // its closer did not come: report why no reader understood it
    code = reader_->code;
    length = reader_->decided;
    ended = false;
  }
  ended = left_open_ = left_open_ || ended;
  const bool in_whole = whole_ && markers_.fence(opener_);  // its body may be calls of another notation
  if (whole_ && !in_whole) release_fences();
  enter(Trigger::close);
  at_ = opener_end_;
  context_ = before_;
  strings_ = strings_before_;
  if (!unread_ && (try_opener(markers_.same(opener_), block_) || try_grown())) {
    if (mode_ == Mode::block) return;
  } else if (!unread_ && length <= kProse && (!ended || names_tool()) && may_be_closed()) {
    return read_for_closer(code, length);
  } else if (ended && end_ == TextEnd::well && !markers_.common(opener_) && says_nothing(code, length)) {
    diagnostic("dangling_opener", "the answer ends with the beginning of a call", block_, kept_.rest(block_));
  } else if (!code.empty()) {
    diagnostic(code, "no call: shown as text", block_, kept_.view(block_, block_ + length));
  }
  reader_.reset();
  if (!in_whole || rest_.at != 0) leave_fence();
  match_ = 0;
  rest = std::move(rest_);
  rest_ = {};
  left_open_ = false;
  if (rest.at != 0 || !markers_.common(opener_)) enter_strings();
  size_t to = ended ? kept_.end() - block_ : rest.at;
  if (to == 0 && length > kProse) to = length;
  match_ = to == 0 ? markers_.behind(opener_) : 0;
  walk(block_ + to);
  if (rest.tag) strings_.enter_tag();
  if (!ended) quotation_ = rest.open;
}

// Nothing follows the opener, or those that follow it.
bool Scanner::says_nothing(std::string_view code, size_t decided) const {
  const bool all = code == "missing_tool_name" && rest_.at == 0;
  return blank(kept_.rest(all ? block_ + decided : opener_end_));
}

bool Scanner::names_tool() const {
  return UnreadBlock::names_tool(kept_.rest(block_), opener_end_ - block_, openers_and_trailers(), tools_);
}

std::vector<std::string> Scanner::openers_and_trailers() const {
  std::vector<std::string> out;
  for (const auto &markers : {protocol_->trailers(), protocol_->openers(tools_)})
    for (const Marker &marker : markers)
      if (!marker.common) out.push_back(marker.bytes);
  return out;
}

// Gives the block to the protocol of the longer opener that its text begins with. Returns whether there is one.
bool Scanner::try_grown() {
  const int marker = markers_.grown(opener_, kept_.rest(block_));
  if (marker < 0) return false;
  walk(block_ + markers_.length(marker));
  if (try_opener(marker, block_)) return true;
  at_ = opener_end_;
  context_ = before_;
  strings_ = strings_before_;
  return false;
}

// No reader read anything of the block, but its closer may still make an invalid card of it.
bool Scanner::may_be_closed() const {
  return (rest_.at == 0 || rest_.name) && block_ == blank_at_ && !reasoning_ && !inside_reasoning_ && !whole_ &&
         !before_.in_fence() && before_.open_count() == 0 && !markers_.common(opener_) &&
         !protocol_->closers_of(markers_.bytes(opener_)).empty();
}

// Reads the block once more, looking for its closer only.
void Scanner::read_for_closer(std::string_view code, size_t decided) {
  std::vector<std::string> closers;
  for (const Marker &marker : protocol_->closers_of(markers_.bytes(opener_)))
    if (!marker.common) closers.push_back(marker.bytes);
  enter_strings();
  reader_ = std::make_unique<UnreadBlock>(std::move(closers), openers_and_trailers(), opener_end_ - block_, strings_,
                                          tools_, code, decided);
  strings_ = strings_before_;
  enter(Trigger::opener);
  unread_ = true;
}

// A call as this protocol writes it.
std::string Scanner::example() const {
  std::string out;
  protocol_->write_call("call_1", "tool_name", R"({"parameter":"value"})", out);
  out.erase(out.find_last_not_of("\n") + 1);
  return out;
}

// The opener began no call, but strings in the value or tag that it began are strings all the same.
void Scanner::enter_strings() {
  const char last = kept_[opener_end_ - 1];
  const bool tag = kept_[block_] == '<' && last != '>';
  tag ? strings_.enter_tag() : strings_.enter_value();
  if (tag || last == '{' || last == '[') strings_.step(0, last);
}

}  // namespace sluice
