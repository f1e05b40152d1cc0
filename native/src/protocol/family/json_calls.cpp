#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/family/family.h"
#include "protocol/loose_json.h"
#include "protocol/markers.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kLongestName = 256;               // of a name that stands in front of its JSON
constexpr size_t kLongestInfo = 32;                // behind the back-ticks of a fence
constexpr std::string_view kWrapped = "function";  // the form of one wire: {"function": {name, arguments}}
constexpr std::string_view kResult = "tool_call_result";

bool holds(const Words &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_quote(char c) { return c == '"' || c == '\''; }

class JsonReader final : public FamilyReader {
 public:
  JsonReader(const Family &family, const JsonCalls &grammar, const ProtocolOptions &options, const ToolView &tools,
             const ScanLimits &limits)
      : FamilyReader(family, tools, limits),
        grammar_(grammar),
        options_(options),
        rules_{limits.depth, options.first_duplicate.value_or(false), grammar.strict} {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override;
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Place : uint8_t {
    opener,
    elements,  // no JSON
    name,      // in front of the JSON
    lead,      // in front of the first value
    info,      // behind the back-ticks of a fence
    list,      // in an array, where a call may begin
    // -- in a call
    key,
    in_key,
    behind_key,
    value,
    in_value,
    behind_value,
    arguments,  // the call is nothing but its arguments
    broken,     // up to its own bracket
    // -- behind the calls
    row,        // more may follow, then the closer
    separator,  // no closer comes: is there a separator, another call, or residue?
    wrapped,    // the wrapper's end
    outer,      // the wrapper is broken: up to its bracket
    residue,    // up to the closer
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected, markup, over };  // over: the call's bracket is next
  enum class Member : uint8_t { name, arguments, id, other, function, wrapper, unknown };
  struct Range {
    size_t from = 0, to = 0;
  };
  struct Entry {
    std::string name;
    Range id, arguments;
    bool has_arguments = false, complete = false;
    std::string_view reason;
  };

  Step step(std::string_view seen, bool ended);
  Step opener(std::string_view seen);
  Step name_in_front(std::string_view seen, bool ended);
  Step lead(std::string_view seen, bool ended);
  Step info(std::string_view seen);
  Step list(std::string_view seen);
  Step row(std::string_view seen, bool ended);
  Step separator(std::string_view seen, bool ended);
  Step wrapped(std::string_view seen);
  Step outer(std::string_view seen);
  Step residue(std::string_view seen);

  void start_entry(size_t at);
  Step entry(std::string_view seen);
  Step member(std::string_view text);
  Step key(std::string_view text);
  Step in_key(std::string_view text);
  Step behind_key(std::string_view text);
  Step value(std::string_view text);
  Step in_value(std::string_view text);
  Step behind_value(std::string_view text);
  Step take_value(std::string_view text);
  Step take_name(std::string name);
  Step call_is_known();
  Step break_entry(std::string_view reason, bool to_bracket);
  Step end_entry();
  Step stop_entry(std::string_view seen, size_t where);
  Step behind_calls();
  Step on_stop(std::string_view seen);
  State finish(std::string_view block);
  State read_elements(std::string_view block, bool ended);

  Member member_of(std::string_view key) const;
  bool may_begin(std::string_view key) const;
  bool in_entry() const { return place_ >= Place::key && place_ <= Place::broken; }
  // It stands in ordinary text, and nothing said yet that it is a call.
  bool in_doubt() const { return plain_ && !wrapped_ && !named; }
  bool needs_wrapper() const { return plain_ && !wrapped_ && !in_list_ && !grammar_.alone; }
  void find_entry_end(std::string_view seen);
  bool in_string() const {
    return (place_ == Place::in_key || place_ == Place::in_value) && !scalar_ && token_.quoted();
  }
  size_t next_stop(std::string_view seen);
  size_t partial_stop(std::string_view block) const;
  Step give_up(std::string_view why) {
    reject(plain_ ? std::string_view() : why, at_);
    return Step::rejected;
  }
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }

  // -- set once
  const JsonCalls &grammar_;
  const ProtocolOptions &options_;
  const ValueRules rules_;
  bool plain_ = false;  // the opener is a bracket
  const JsonOpening *opening_ = nullptr;
  Words closers_, stops_;  // stops: closers, and openers of other blocks
  ByteFinder stop_bytes_;  // their first ones
  size_t longest_stop_ = 0;
  // -- position in the block
  Place place_ = Place::opener;
  size_t ticks_ = 0;  // of the fence that is open
  bool fenced_ = false;
  bool in_list_ = false;
  bool list_begun_ = false, comma_ = false;  // in it: behind a call, or behind the comma behind one
  bool wrapped_ = false;
  ValueEnd outer_;
  size_t outer_to_ = kNone;
  size_t searched_ = 0;  // no stop begins before it
  // -- position in a call
  Entry entry_;
  ValueEnd entry_end_, token_;
  size_t entry_from_ = 0, entry_to_ = kNone, stop_at_ = kNone;
  size_t token_from_ = 0;
  bool scalar_ = false;
  bool inner_ = false;  // in the object under "function"
  bool behind_comma_ = false;
  Member member_ = Member::unknown;
  // -- what was read
  std::string name_in_front_;
  bool nobody_ = false;  // no tool has this name, and no mark says that it is one
  std::vector<Entry> entries_;
  std::string_view how_;    // the block ended
  std::string_view fault_;  // of the block, the first
  // -- a call of elements in the place of JSON
  std::optional<Family> element_family_;
  std::unique_ptr<BlockReader> elements_;
};

BlockReader::State JsonReader::body(std::string_view block, bool ended) {
  while (true) {
    if (place_ == Place::elements) return read_elements(block, ended);
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

// The answer ended here.
BlockReader::State JsonReader::finish(std::string_view block) {
  const bool complete = place_ == Place::separator;  // only a closer may follow, and there is none
  if (!named && (!complete || plain_)) return reject(in_doubt() || nobody_ ? "" : "unterminated_block", block.size());
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

// A value that is open is passed over, and a call that is broken as a whole.
BlockReader::Rest JsonReader::rest(std::string_view block) const {
  if (elements_) return elements_->rest(block);
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

// The JSON calls' tags are those of a section around it.
BlockReader::State JsonReader::read_elements(std::string_view block, bool ended) {
  if (!elements_) {
    Words sections;
    for (const std::string_view word : family_.openers)
      if (word != opening_->opener) sections.push_back(word);
    element_family_ = Family{.id = family_.id,
                             .grammar = *opening_->elements,
                             .sections = std::move(sections),
                             .openers = {opening_->opener},
                             .closers = closers_,
                             .section_ends = family_.closers};
    const auto &grammar = std::get<ElementCalls>(element_family_->grammar);
    elements_ = make_reader(*element_family_, grammar, options_, tools_, limits_);
  }
  const State state = elements_->read(block, ended);
  take(*elements_);
  return state;
}

// ---- in front of the calls ----

JsonReader::Step JsonReader::opener(std::string_view seen) {
  if (seen[at_ - 1] == '{' || seen[at_ - 1] == '[') --at_;  // the bracket belongs to the calls
  plain_ = at_ == 0;
  std::string_view led = seen.substr(0, at_);
  while (!led.empty() && is_white(led.back())) led.remove_suffix(1);  // behind a tag a bracket counts as opener as well
  closers_ = family_.closers;
  for (const JsonOpening &opening : grammar_.openings)
    if (led.ends_with(opening.opener)) {
      opening_ = &opening;
      closers_.clear();
      if (!opening.closer.empty()) closers_.push_back(opening.closer);
    }
  stops_ = closers_;
  for (const Words *words : {&family_.sections, &family_.openers})
    for (const std::string_view word : *words)
      if (word.size() > 1) stops_.push_back(word);
  if (plain_) stops_.clear();
  for (const std::string_view word : stops_) {
    stop_bytes_.add(word[0]);
    longest_stop_ = std::max(longest_stop_, word.size());
  }
  const bool elements = opening_ && opening_->elements;
  place_ = elements ? Place::elements : opening_ && !opening_->mark.empty() ? Place::name : Place::lead;
  return Step::on;
}

JsonReader::Step JsonReader::name_in_front(std::string_view seen, bool ended) {
  const bool marked = !opening_->closer.empty() || opening_->object;
  for (; at_ < seen.size(); ++at_) {
    size_t length = 0;
    const Fit found = fit(seen.substr(at_), {opening_->mark}, length);
    if (found == Fit::partial && !ended) return Step::wait;
    if (found == Fit::yes && at_ != payload_) {
      name_in_front_ = repaired(seen.substr(payload_, at_ - payload_));
      at_ += length;
      if (name_in_front_ == opening_->text) return Step::markup;
      nobody_ = !marked && !may_be(name_in_front_);
      place_ = Place::lead;
      return Step::on;
    }
    const char c = seen[at_];
    if (is_white(c) || std::string_view("<>{}[]()\"'").find(c) != kNone || at_ - payload_ == kLongestName) {
      if (at_ == payload_ && opening_->object) return Step::markup;  // it began a message of another kind
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
  const bool arguments_only = !name_in_front_.empty() && !opening_->object;
  if (!name_in_front_.empty() && !named && seen[at_] == '{') {
    begun = named = true;
    name = name_in_front_;
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
  skip_white(seen);
  if (at_ == seen.size()) return Step::wait;
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

// No closer ends the row: is there a separator, and another call? What looks like more of the value means that it ended
// too early.
JsonReader::Step JsonReader::separator(std::string_view seen, bool ended) {
  const Behind behind = look_behind(seen, at_, ended, plain_);
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
  skip_white(seen);
  if (at_ == seen.size()) return Step::wait;
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

// How many bytes at the end may become one.
size_t JsonReader::partial_stop(std::string_view block) const {
  size_t at = block.size() - std::min(block.size(), longest_stop_);
  for (; (at = stop_bytes_.find(block, at)) < block.size(); ++at) {
    const std::string_view rest = block.substr(at);
    const auto begins = [&](std::string_view word) { return word.starts_with(rest); };
    if (std::any_of(stops_.begin(), stops_.end(), begins)) return holds(stops_, rest) ? 0 : rest.size();
  }
  return 0;
}

// ---- one call ----

void JsonReader::start_entry(size_t at) {
  entry_ = {};
  entry_.name = name_in_front_;
  entry_end_.start(entry_from_ = at);
  entry_to_ = stop_at_ = kNone;
  searched_ = std::max(searched_, at);
  inner_ = behind_comma_ = false;
  token_from_ = at;
  at_ = at + 1;
  place_ = Place::key;
}

// Its own bracket, or a marker outside of its strings.
void JsonReader::find_entry_end(std::string_view seen) {
  while (entry_to_ == kNone && stop_at_ == kNone) {
    const size_t stop = next_stop(seen);
    entry_to_ = entry_end_.find(seen.substr(0, stop));
    if (stop == kNone) return;
    if (entry_to_ == kNone && !entry_end_.quoted()) stop_at_ = stop;
    if (entry_to_ == kNone && stop_at_ == kNone) searched_ = stop + 1;
  }
}

// Reads member after member. Its end is looked for only where its members are lost, or of no interest: what an opener
// in ordinary text costs must not depend on how much text is there.
JsonReader::Step JsonReader::entry(std::string_view seen) {
  if (entry_to_ != kNone) return end_entry();
  while (place_ != Place::arguments && place_ != Place::broken) {
    const bool was_wrapped = wrapped_;
    const size_t stop = next_stop(seen);
    const Step next = at_ < stop ? member(seen.substr(0, stop)) : Step::wait;
    if (next == Step::over) {
      entry_to_ = ++at_;
      return end_entry();
    }
    if (next == Step::on && wrapped_ == was_wrapped) continue;
    if (next != Step::wait) return next;  // or it was no call, but what calls stand in
    if (stop == kNone) return Step::wait;
    if (!in_string()) return stop_entry(seen, stop);
    searched_ = stop + 1;
  }
  find_entry_end(seen);
  if (place_ == Place::arguments) {
    entry_.has_arguments = true;
    entry_.arguments = {token_from_, std::min({entry_to_, stop_at_, seen.size()})};
    if (entries_.empty()) arguments_from = token_from_, arguments_to = entry_.arguments.to;
  }
  if (stop_at_ != kNone) return stop_entry(seen, stop_at_);
  if (entry_to_ == kNone) return Step::wait;
  if (seen[entry_to_ - 1] != '}' && place_ == Place::arguments && break_entry("invalid_json", true) == Step::rejected)
    return Step::rejected;
  return end_entry();
}

// It lost a bracket: what ends the block stands in it, outside of strings.
JsonReader::Step JsonReader::stop_entry(std::string_view seen, size_t where) {
  if (in_doubt()) return give_up("invalid_json");
  if (entry_.reason.empty()) entry_.reason = "invalid_json";
  entry_.complete = true;
  entries_.push_back(entry_);
  in_list_ = false;
  at_ = where;
  place_ = Place::row;
  return on_stop(seen);
}

JsonReader::Step JsonReader::end_entry() {
  if (entries_.empty() && !named) {
    if (in_doubt()) {
      if (!tools_.known(entry_.name)) return give_up("missing_tool_name");
    }
    if (!entry_.name.empty()) {
      begun = named = true;
      name = entry_.name;
      return Step::paused;
    }
  }
  entry_.complete = true;
  entries_.push_back(entry_);
  at_ = entry_to_;
  if (!in_list_) return behind_calls();
  place_ = Place::list;
  return Step::on;
}

JsonReader::Step JsonReader::member(std::string_view text) {
  if (place_ != Place::in_key && place_ != Place::in_value) {
    skip_white(text);
    if (at_ == text.size()) return Step::wait;
  }
  switch (place_) {
    case Place::key: return key(text);
    case Place::in_key: return in_key(text);
    case Place::behind_key: return behind_key(text);
    case Place::value: return value(text);
    case Place::in_value: return in_value(text);
    case Place::behind_value: return behind_value(text);
    default: return Step::wait;
  }
}

// What is in doubt was text. Otherwise the call goes on to its own bracket, or on as it is.
JsonReader::Step JsonReader::break_entry(std::string_view reason, bool to_bracket) {
  if (in_doubt()) return give_up(reason);
  if (entry_.reason.empty()) entry_.reason = reason;
  if (to_bracket) place_ = Place::broken;
  return Step::on;
}

JsonReader::Step JsonReader::key(std::string_view text) {
  const char c = text[at_];
  if (c == '"' || (c == '\'' && !grammar_.strict)) {
    token_.start(at_);
    token_from_ = at_;
    place_ = Place::in_key;
    return Step::on;
  }
  if (c == '}' && !(behind_comma_ && grammar_.strict)) {
    if (!inner_) return Step::over;
    inner_ = false;
    ++at_;
    place_ = Place::behind_value;
    return Step::on;
  }
  if (grammar_.strict && !wrapped_) return give_up("");
  return break_entry("invalid_json", true);
}

JsonReader::Member JsonReader::member_of(std::string_view key) const {
  const bool nothing_yet = entries_.empty() && entry_.name.empty() && !entry_.has_arguments;
  if (!wrapped_ && !inner_ && nothing_yet && holds(grammar_.wrappers, key)) return Member::wrapper;
  if ((grammar_.strict && !wrapped_) || needs_wrapper()) return Member::unknown;
  if (grammar_.name_is_key) return Member::unknown;
  if (holds(grammar_.names, key)) return Member::name;
  if (holds(grammar_.arguments, key)) return Member::arguments;
  if (holds(grammar_.ids, key)) return Member::id;
  if (holds(grammar_.others, key)) return Member::other;
  return key == kWrapped && !inner_ ? Member::function : Member::unknown;
}

// In doubt: may `key`, the beginning of one, become one that is known?
bool JsonReader::may_begin(std::string_view key) const {
  const auto some = [key](const Words &words) {
    return std::any_of(words.begin(), words.end(), [key](std::string_view word) { return word.starts_with(key); });
  };
  if (some(grammar_.wrappers)) return true;
  if (needs_wrapper()) return false;
  if (grammar_.strict) return kResult.starts_with(key);
  return some(grammar_.names) || some(grammar_.arguments) || some(grammar_.ids) || some(grammar_.others) ||
         kWrapped.starts_with(key);
}

JsonReader::Step JsonReader::in_key(std::string_view text) {
  const size_t to = token_.find(text);
  const size_t key_end = to == kNone ? text.size() : to - 1;
  const std::string_view key = text.substr(token_from_ + 1, key_end - token_from_ - 1);
  if (in_doubt() && !may_begin(key)) return give_up("");
  if (to == kNone) return Step::wait;
  at_ = to;
  place_ = Place::behind_key;
  if (grammar_.name_is_key) {
    if (!entry_.name.empty() || entry_.has_arguments) return break_entry("malformed_argument", true);
    member_ = Member::arguments;
    std::string json;
    if (!read_value(text.substr(token_from_, to - token_from_), rules_, json)) return break_entry("invalid_json", true);
    return take_name(json_text(json));
  }
  member_ = member_of(key);
  if (in_doubt() && grammar_.strict && key == kResult) {
    reject("forged_result", at_);
    return Step::rejected;
  }
  if (member_ == Member::unknown && break_entry("malformed_argument", false) == Step::rejected) return Step::rejected;
  if (begun || (plain_ && !wrapped_ && (member_ == Member::other || member_ == Member::id))) return Step::on;
  begun = true;
  return Step::paused;
}

JsonReader::Step JsonReader::behind_key(std::string_view text) {
  if (text[at_] != ':') return break_entry("invalid_json", true);
  ++at_;
  place_ = Place::value;
  return Step::on;
}

JsonReader::Step JsonReader::value(std::string_view text) {
  const char c = text[at_];
  if (member_ == Member::wrapper) {
    if (c != '[' && (c != '{' || grammar_.strict)) return give_up("");
    wrapped_ = true;
    entry_end_.find(text.substr(0, at_));
    outer_ = entry_end_;
    outer_to_ = kNone;
    if (c == '[') {
      ++at_;
      in_list_ = true;
      place_ = Place::list;
    } else {
      start_entry(at_);
    }
    return Step::on;
  }
  if (member_ == Member::function && c == '{') {
    inner_ = true;
    behind_comma_ = false;
    ++at_;
    place_ = Place::key;
    return Step::on;
  }
  if (c == ',' || c == '}' || c == ']' || c == ':') return break_entry("invalid_json", true);
  token_from_ = at_;
  scalar_ = c != '{' && c != '[' && c != '"' && (grammar_.strict || (c != '(' && c != '\''));
  if (!scalar_) token_.start(at_);
  place_ = Place::in_value;
  if (member_ != Member::arguments) return Step::on;
  if (entry_.has_arguments) {
    member_ = Member::unknown;
    return break_entry("malformed_argument", false);
  }
  entry_.has_arguments = true;
  entry_.arguments = {at_, at_};
  if (entries_.empty()) arguments_from = arguments_to = at_;
  return call_is_known();
}

JsonReader::Step JsonReader::in_value(std::string_view text) {
  size_t to = kNone;
  if (scalar_) {
    to = text.find_first_of(",}] \t\n\r\v\f\"'", at_);
    at_ = std::min(to, text.size());
  } else {
    to = token_.find(text);
  }
  const bool known = to != kNone;
  if (member_ == Member::arguments) {
    entry_.arguments.to = std::min(to, text.size());
    if (entries_.empty()) {
      arguments_from = entry_.arguments.from;
      arguments_to = entry_.arguments.to;
    }
  }
  if (!known) return Step::wait;
  at_ = to;
  if (scalar_ && is_quote(text[to])) return break_entry("invalid_json", true);
  place_ = Place::behind_value;
  return take_value(text);
}

JsonReader::Step JsonReader::take_value(std::string_view text) {
  if (member_ == Member::arguments) return Step::on;
  std::string json;
  if (!read_value(text.substr(token_from_, at_ - token_from_), rules_, json)) return break_entry("invalid_json", false);
  const char kind = json_kind(json);
  switch (member_) {
    case Member::name:
      if (kind != '"') return break_entry("malformed_argument", false);
      return take_name(json_text(json));
    case Member::id:
      if (kind != '"' && kind != '0' && kind != 'n') return break_entry("malformed_argument", false);
      if (kind != 'n') entry_.id = {token_from_, at_};
      return Step::on;
    case Member::function: return break_entry("malformed_argument", false);
    default: return Step::on;
  }
}

JsonReader::Step JsonReader::take_name(std::string said) {
  if (!entry_.name.empty()) return entry_.name == said ? Step::on : break_entry("malformed_argument", false);
  entry_.name = std::move(said);
  if (in_doubt() && !may_be(entry_.name)) return give_up("missing_tool_name");
  return call_is_known();
}

// The card opens. In ordinary text a name is not enough: many objects have one.
JsonReader::Step JsonReader::call_is_known() {
  if (named || !entries_.empty() || entry_.name.empty()) return Step::on;
  if (in_doubt() && !entry_.has_arguments) return Step::on;
  begun = named = true;
  name = entry_.name;
  return Step::paused;
}

JsonReader::Step JsonReader::behind_value(std::string_view text) {
  const char c = text[at_];
  if (c == '}') {
    if (!inner_) return Step::over;
    inner_ = false;
    ++at_;
    return Step::on;
  }
  if (c != ',') return break_entry("invalid_json", true);
  ++at_;
  behind_comma_ = true;
  place_ = Place::key;
  return Step::on;
}

// ---- what was read ----

void JsonReader::close(std::string_view block, std::string_view reason) {
  if (elements_) {
    elements_->cut(block, reason);
    return take(*elements_);
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

}  // namespace

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
