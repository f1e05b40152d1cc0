// JSON calls: what stands in front of the calls of a block, and between them.
#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/family/json_reader.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr size_t kLongestName = 256;  // of a name that stands in front of its JSON
constexpr size_t kLongestInfo = 32;   // behind the back-ticks of a fence

}  // namespace

BlockReader::State JsonReader::body(std::string_view block, bool ended) {
  while (true) {
    if (place_ == Place::other) return read_other(block, ended);
    const std::string_view seen = ended ? block : block.substr(0, std::max(at_, block.size() - partial_stop(block)));
    switch (step(seen, ended)) {
      case Step::on:
      case Step::over: continue;
      case Step::paused: return State::open;
      case Step::rejected: return State::rejected;
      case Step::markup: end = at_; return State::markup;
      case Step::done:
        end = at_;
        close(block, how_);
        return State::closed;
      case Step::wait:
        if (!ended) return State::open;
        return finish(block);
    }
  }
}

// The answer has ended.
BlockReader::State JsonReader::finish(std::string_view block) {
  const bool complete = place_ == Place::separator;  // only a closer may follow, and there is none
  if (!named && (!complete || doubt_.plain()))
    return reject(doubt_.open() || nobody_ ? "" : "unterminated_block", block.size());
  if (!complete) at_ = block.size();
  end = at_;
  close(block, complete ? std::string_view() : std::string_view("unterminated_block"));
  return State::closed;
}

JsonReader::Step JsonReader::step(std::string_view seen, bool ended) {
  switch (place_) {
    case Place::opener: return opener(seen);
    case Place::name: return name_in_front(seen, ended);
    case Place::lead: return lead(seen, ended);
    case Place::info: return info(seen);
    case Place::list: return list(seen);
    case Place::row: return row(seen, ended);
    case Place::separator: return separator(seen, ended);
    case Place::wrapped: return wrapped(seen);
    case Place::outer: return outer(seen);
    case Place::residue: return residue(seen);
    default: return entry(seen);
  }
}

// The scan passes over an open value, and over a broken call as a whole.
BlockReader::Rest JsonReader::rest(std::string_view block) const {
  if (other_) return other_->rest(block);
  if (in_entry()) {
    if (place_ == Place::broken || place_ == Place::arguments) return {entry_from_, Quotation::value()};
    if (place_ == Place::in_value && !scalar_) return {token_from_, Quotation::value()};
    if (place_ == Place::in_value && at_ < block.size() && is_quote(block[at_])) return {at_, Quotation::value()};
    if (place_ == Place::in_key) return {token_from_};
    if (at_ > entry_from_ + 1) return {at_};
  }
  if (foreign_ != 0) return FamilyReader::rest(block);
  return {(in_list_ && at_ > payload_) || !entries_.empty() || fenced_ ? at_ : 0};
}

// To the other grammar, the markers of the JSON calls are those of a section around its own. What ends the turn ends a
// call that has no closer.
BlockReader::State JsonReader::read_other(std::string_view block, bool ended) {
  if (!other_) {
    for (const std::string_view word : family_.openers)
      if (word != opening_->opener && word.size() > 1) other_sections_.push_back(word);
    other_ends_.assign(family_.closers.begin(), family_.closers.end());
    if (closers_.empty()) other_ends_.insert(other_ends_.end(), family_.turn_ends.begin(), family_.turn_ends.end());
    other_family_ = {.id = family_.id,
                     .grammar = opening_->other->grammar,
                     .sections = other_sections_,
                     .openers = {&opening_->opener, 1},
                     .closers = closers_,
                     .section_ends = other_ends_};
    other_ = make_family_reader(other_family_, options_, tools_, limits_);
  }
  const State state = other_->read(block, ended);
  take(*other_);
  return state;
}

// ---- in front of the calls ----

JsonReader::Step JsonReader::opener(std::string_view seen) {
  if (seen[at_ - 1] == '{' || seen[at_ - 1] == '[') --at_;  // the bracket belongs to the calls
  const bool bare = at_ == 0;
  std::string_view led = seen.substr(0, at_);
  while (!led.empty() && is_white(led.back())) led.remove_suffix(1);  // behind a tag a bracket counts as opener as well
  closers_.assign(family_.closers.begin(), family_.closers.end());
  for (const JsonOpening &opening : grammar_.openings)
    if (led.ends_with(trim(opening.opener))) {
      opening_ = &opening;
      closers_.clear();
      if (!opening.closer.empty()) closers_.push_back(opening.closer);
    }
  if (bare || (opening_ != nullptr && opening_->plain)) doubt_.start();
  stops_ = closers_;
  for (const Words *words : {&family_.sections, &family_.openers})
    for (const std::string_view word : *words)
      if (word.size() > 1) stops_.push_back(word);
  if (bare) stops_.clear();
  for (const std::string_view word : stops_) {
    stop_bytes_.add(word[0]);
    longest_stop_ = std::max(longest_stop_, word.size());
  }
  const bool other = opening_ && opening_->other && !opening_->or_json;
  place_ = other ? Place::other : opening_ && !opening_->mark.empty() ? Place::name : Place::lead;
  return Step::on;
}

JsonReader::Step JsonReader::name_in_front(std::string_view seen, bool ended) {
  const bool marked = !opening_->closer.empty() || opening_->object;
  for (; at_ < seen.size(); ++at_) {
    size_t length = 0;
    const Fit found = fit(seen.substr(at_), opening_->mark, length);
    if (found == Fit::partial && !ended) return Step::wait;
    if (found == Fit::yes && at_ != payload_) {
      name_in_front_ = repaired(seen.substr(payload_, at_ - payload_));
      at_ += length;
      if (name_in_front_ == opening_->text) return Step::markup;
      nobody_ = opening_->unread ? !tools_.known(name_in_front_) : !marked && !may_be(name_in_front_);
      place_ = Place::lead;
      return Step::on;
    }
    const char c = seen[at_];
    if (is_white(c) || std::string_view("<>{}[]()\"'").find(c) != kNone || at_ - payload_ == kLongestName) {
      if (at_ == payload_ && opening_->object) return Step::markup;  // the opener began a message of another kind
      reject(marked ? "missing_tool_name" : "", at_);
      return Step::rejected;
    }
  }
  return Step::wait;
}

JsonReader::Step JsonReader::lead(std::string_view seen, bool ended) {
  skip_white(seen);
  if (at_ == seen.size()) return Step::wait;
  if (nobody_) {
    foreign_ = seen[at_] == '{' ? at_ : 0;
    reject({}, at_);
    return Step::rejected;
  }
  if (opening_ && opening_->or_json && std::string_view("{[`").find(seen[at_]) == kNone) {
    place_ = Place::other;
    return Step::on;
  }
  if (opening_ && opening_->unread) {
    if (!named) return know_name(name_in_front_), Step::paused;
    entry_.name = name_in_front_;
    entry_.reason = "malformed_argument";
    entry_.complete = true;
    entries_.push_back(entry_);
    start_residue();
    place_ = Place::residue;
    return Step::on;
  }
  const bool arguments_only = !name_in_front_.empty() && !opening_->object;
  if (!name_in_front_.empty() && !named && seen[at_] == '{') {
    know_name(name_in_front_);
    arguments_from = arguments_to = at_;
    return Step::paused;
  }
  if (seen[at_] == '{') {
    start_entry(at_);
    if (arguments_only) place_ = Place::arguments;
    return Step::on;
  }
  if (seen[at_] == '[' && !arguments_only) {
    ++at_;
    in_list_ = true;
    list_begun_ = false;
    place_ = Place::list;
    return Step::on;
  }
  if (seen[at_] == '`' && !fenced_) {
    const size_t to = seen.find_first_not_of('`', at_);
    if (to == kNone && !ended) return Step::wait;
    ticks_ = (to == kNone ? seen.size() : to) - at_;
    if (ticks_ < 3) return give_up("missing_tool_name");
    at_ += ticks_;
    token_from_ = at_;
    fenced_ = true;
    place_ = Place::info;
    return Step::on;
  }
  size_t length = 0;
  const Fit closed = fit(seen.substr(at_), closers_, length);
  if (closed == Fit::partial && !ended) return Step::wait;
  if (closed != Fit::yes) return give_up("missing_tool_name");
  at_ += length;
  if (!name_in_front_.empty()) {
    entry_.name = name_in_front_;
    entry_.complete = true;
    entries_.push_back(entry_);
  }
  return Step::done;
}

JsonReader::Step JsonReader::info(std::string_view seen) {
  for (; at_ < seen.size(); ++at_) {
    const char c = seen[at_];
    if (c == '\n' || c == '{' || c == '[') {
      place_ = Place::lead;
      return Step::on;
    }
    if (c == '`' || at_ - token_from_ == kLongestInfo) return give_up("missing_tool_name");
  }
  return Step::wait;
}

// ---- between calls ----

JsonReader::Step JsonReader::list(std::string_view seen) {
  if (!skip_comments(seen)) return Step::wait;
  const char c = seen[at_];
  if (c == '{') {
    if (list_begun_ && !comma_) fault("invalid_json");
    list_begun_ = true;
    comma_ = false;
    start_entry(at_);
    return Step::on;
  }
  if (entries_.empty()) return give_up("missing_tool_name");  // an empty array calls nothing
  if (c == ',' && list_begun_ && !comma_) {
    comma_ = true;
    ++at_;
    return Step::on;
  }
  if (c == ']') {
    if (comma_ && grammar_.strict) fault("invalid_json");
    in_list_ = comma_ = false;
    ++at_;
    return behind_calls();
  }
  fault("invalid_json");
  if (wrapped_) {
    place_ = Place::outer;
    return Step::on;
  }
  if (closers_.empty()) return Step::done;
  start_residue();
  place_ = Place::residue;
  return Step::on;
}

// Behind a call that stands alone, or an array.
JsonReader::Step JsonReader::behind_calls() {
  place_ = wrapped_ ? Place::wrapped : closers_.empty() && !fenced_ ? Place::separator : Place::row;
  return Step::on;
}

JsonReader::Step JsonReader::row(std::string_view seen, bool ended) {
  skip_white(seen);
  if (at_ == seen.size()) return Step::wait;
  const std::string_view rest = seen.substr(at_);
  size_t length = 0;
  const Fit closed = fit(rest, closers_, length);
  if (closed == Fit::yes) {
    at_ += length;
    return Step::done;
  }
  if (closed == Fit::partial) return Step::wait;
  const char c = rest[0];
  if (fenced_ && c == '`') {
    const size_t run = std::min(rest.find_first_not_of('`'), rest.size());
    if (run < ticks_ && run == rest.size() && !ended) return Step::wait;
    if (run >= ticks_) {
      at_ += ticks_;
      fenced_ = false;
      if (closers_.empty()) place_ = Place::separator;
      return Step::on;
    }
  }
  if (c == ';' || c == ',') {
    ++at_;
    return Step::on;
  }
  if ((c == '{' || c == '[') && name_in_front_.empty()) {
    place_ = Place::lead;
    return Step::on;
  }
  if (fit(rest, stops_, length) == Fit::yes) return on_stop(seen);
  fault("residue_in_block");
  start_residue();
  place_ = Place::residue;
  return Step::on;
}

// No closer ends the row. A separator and another call may follow; text that looks like more of the value means that it
// ended too early.
JsonReader::Step JsonReader::separator(std::string_view seen, bool ended) {
  const Behind behind = look_behind(seen, at_, ended, doubt_.plain());
  if (behind == Behind::wait) return Step::wait;
  if (behind == Behind::more) fault("residue_in_block");
  if (grammar_.separator.empty() || behind == Behind::more) return Step::done;
  size_t next = at_;
  bool found = false;
  for (; next < seen.size() && next - at_ <= kLongestBetween; ++next) {
    if (is_white(seen[next])) continue;
    if (found && seen[next] == '{') at_ = next;  // the next call is a block of its own
    if (found || (seen[next] != ',' && !seen.substr(next).starts_with(grammar_.separator))) return Step::done;
    found = true;
  }
  return next == seen.size() ? Step::wait : Step::done;
}

JsonReader::Step JsonReader::wrapped(std::string_view seen) {
  if (!skip_comments(seen)) return Step::wait;
  if (seen[at_] == '}') {
    ++at_;
    return Step::done;
  }
  fault(seen[at_] == ',' ? "malformed_argument" : "invalid_json");
  place_ = Place::outer;
  return Step::on;
}

JsonReader::Step JsonReader::outer(std::string_view seen) {
  if (outer_to_ == kNone) outer_to_ = outer_.find(seen);
  if (outer_to_ == kNone) return Step::wait;
  at_ = std::max(at_, outer_to_);
  return Step::done;
}

JsonReader::Step JsonReader::residue(std::string_view seen) {
  const bool ends = pass_residue(seen, [this](std::string_view rest, bool quoted) {
    size_t length = 0;
    return fit(rest, quoted ? closers_ : stops_, length);
  });
  return ends ? on_stop(seen) : Step::wait;
}

// At a closer, or at the opener of another block.
JsonReader::Step JsonReader::on_stop(std::string_view seen) {
  size_t length = 0;
  if (fit(seen.substr(at_), closers_, length) == Fit::yes)
    at_ += length;
  else
    how_ = "nested_opener";
  if (named || how_.empty()) return Step::done;
  reject("nested_opener", at_);
  return Step::rejected;
}

// ---- stops ----

size_t JsonReader::next_stop(std::string_view seen) {
  while (searched_ < seen.size()) {
    searched_ = stop_bytes_.find(seen, searched_);
    size_t length = 0;
    if (searched_ == seen.size()) break;
    const Fit found = fit(seen.substr(searched_), stops_, length);
    if (found == Fit::yes) return searched_;
    if (found == Fit::partial) break;
    ++searched_;
  }
  return kNone;
}

// Returns how many bytes at the end may still become a stop.
size_t JsonReader::partial_stop(std::string_view block) const {
  size_t at = block.size() - std::min(block.size(), longest_stop_);
  for (; (at = stop_bytes_.find(block, at)) < block.size(); ++at) {
    const std::string_view rest = block.substr(at);
    const auto begins = [&](std::string_view word) { return word.starts_with(rest); };
    if (std::any_of(stops_.begin(), stops_.end(), begins)) return holds(stops_, rest) ? 0 : rest.size();
  }
  return 0;
}

// ---- what was read ----

void JsonReader::close(std::string_view block, std::string_view reason) {
  if (other_) {
    other_->cut(block, reason);
    return take(*other_);
  }
  if (in_entry() && (entries_.empty() || !entry_.name.empty())) entries_.push_back(entry_);
  for (const Entry &entry : entries_) {
    ParsedCall &call = calls.emplace_back();
    call.name = entry.name;
    call.raw_arguments = block.substr(entry.arguments.from, entry.arguments.to - entry.arguments.from);
    call.typed = true;
    call.arguments = "{}";
    call.reason = reason.empty() ? entry.reason : reason;
    std::string json;
    if (entry.id.to != 0 && read_value(block.substr(entry.id.from, entry.id.to - entry.id.from), rules_, json))
      call.id = json_kind(json) == '"' ? json_text(json) : json;
    if (entry.complete) settle_arguments(call, call.raw_arguments, rules_, entry.arguments.from, notes);
    if (call.reason.empty()) call.reason = fault_;
    if (call.reason.empty() && call.name.empty()) call.reason = "missing_tool_name";
  }
  if (!calls.empty()) return;
  ParsedCall &call = calls.emplace_back();
  call.arguments = "{}";
  call.reason = reason.empty() ? "missing_tool_name" : reason;
}

std::unique_ptr<BlockReader> make_reader(const Family &family, const JsonCalls &grammar, const ProtocolOptions &options,
                                         const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<JsonReader>(family, grammar, options, tools, limits);
}

void write_call(const Family &family, const JsonCalls &grammar, const CallText &call, std::string &out) {
  if (family.openers.empty()) return;
  std::string_view open = family.openers.front(), close = family.closers.empty() ? "" : family.closers.front();
  const JsonOpening *named = nullptr;
  for (const JsonOpening &opening : grammar.openings)
    if (opening.opener == open) {
      named = &opening;
      close = opening.closer;
    }
  if (open.ends_with('[') || open.ends_with('{')) open.remove_suffix(1);
  if (!family.sections.empty()) out += family.sections.front();
  out += open;
  if (named) out.append(call.name).append(named->mark);
  const bool lines = !named && !grammar.array && !close.empty();
  if (grammar.fence) out += "\n```json";
  if (lines || grammar.fence) out += '\n';
  if (grammar.array) out += '[';
  if (named && !named->object) {
    out += call.arguments;
  } else if (grammar.name_is_key) {
    append_json_string(out += '{', call.name);
    out.append(":").append(call.arguments).append("}");
  } else {
    ObjectWriter object(out);
    if (grammar.id) object.text(grammar.ids.front(), call.id);
    object.text(grammar.names.front(), call.name).raw(grammar.arguments.front(), call.arguments);
    object.close();
  }
  if (grammar.array) out += ']';
  if (lines) out += '\n';
  if (grammar.fence) out += "\n```";
  out += close;
  out += '\n';
}

}  // namespace sluice
