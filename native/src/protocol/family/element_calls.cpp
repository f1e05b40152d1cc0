#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "protocol/family/element_arguments.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

class ElementReader final : public FamilyReader {
 public:
  template <class Elements>
  ElementReader(const Family &family, const Elements &grammar, const ProtocolOptions &options, const ToolView &tools,
                const ScanLimits &limits)
      : FamilyReader(family, tools, limits), tags_(grammar), options_(options) {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override;
  void close(std::string_view block, std::string_view reason) override;
  bool leads(char next) const override { return tags_.form.json && (next == '{' || next == '['); }

 private:
  enum class Place : uint8_t {
    start,
    json_calls,
    head,        // the rest of the call's first tag
    between,     // parameters
    behind_key,  // pairs: before <arg_value>
    value,
    cdata,
    behind_cdata,
    behind_closer,  // in a value, behind a closer of the call: it counts if the value's own is missing
    json,           // arguments as one object
    residue,        // what the format does not know, up to the next tag
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected };

  Step step(std::string_view block);
  Step start(std::string_view block);
  Step head(std::string_view block);
  bool is_call(std::string_view block, const ElementTag &tag);
  Step between(std::string_view block);
  Step nested(std::string_view block, size_t length);
  Step parameter(std::string_view block);
  Step bare_key(std::string_view block);
  bool is_key(std::string_view block, const ElementTag &tag) const;
  Step behind_key(std::string_view block);
  Step value_type(std::string_view block, size_t from);
  Step value(std::string_view block);
  Step cdata(std::string_view block);
  Step behind_cdata(std::string_view block);
  Step behind_closer(std::string_view block);
  Step json(std::string_view block);
  State finish(std::string_view block);
  State json_calls(std::string_view block, bool ended);

  // Reports to the scanner that the block is a call, and (`begins`) that its arguments begin. Returns true once it did.
  bool reported(std::string_view block, bool begins);
  Step unknown(std::string_view block, std::string_view what);
  Step end_call(size_t closer, size_t next) {
    closer_ = closer;
    at_ = next;
    return Step::done;
  }
  Step end_block(std::string_view reason, size_t where) {
    how_ = reason;
    return end_call(where, where);
  }
  Step start_value(size_t at);
  Step end_value(std::string_view block, size_t value_end, size_t next);
  bool is_swallowed(std::string_view block, const ElementTag &tag) const;
  bool says_something(std::string_view block) const;
  Fit may_end_here(std::string_view block, const ElementTag &tag) const;
  Fit begins_call(std::string_view rest) const;
  Step end_open_value(std::string_view block, size_t at);
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }

  // -- set once
  const ElementTags tags_;
  const ProtocolOptions &options_;
  // -- position in the block
  Place place_ = Place::start;
  size_t name_ = 0, name_end_ = 0;
  bool nameless_ = false;
  bool empty_ = false;                             // the call's first tag closes itself
  ElementField field_{};                           // the one that is being read
  size_t inner_parameters_ = 0, inner_calls_ = 0;  // tags in a value that are data, and not closed yet
  bool first_tag_ = false;                         // no `<` in the value yet
  bool quotes_ = false;                            // a tag of the format is in the value
  size_t value_end_ = 0;                           // where CDATA ends
  size_t call_end_ = 0, call_behind_ = 0;          // what ends the call, in a value
  bool ends_open_ = false;                         // it ends the value as well, if nothing but a call follows
  ValueEnd object_;
  size_t object_from_ = 0, object_end_ = 0;
  size_t closer_ = SIZE_MAX;
  std::string_view how_;  // how the block ended
  // -- what was read
  std::vector<ElementField> fields_;
  std::set<std::string> names_;
  std::string_view fault_;  // the first
  // -- JSON calls in the place of elements
  Family json_family_;
  WordList json_openers_, json_closers_;  // its words
  std::unique_ptr<BlockReader> json_;
};

BlockReader::State ElementReader::body(std::string_view block, bool ended) {
  while (true) {
    if (place_ == Place::json_calls) return json_calls(block, ended);
    const Step next = step(block);
    if (closer_ == SIZE_MAX && place_ != Place::behind_closer) arguments_to = at_;
    if (next == Step::on) continue;
    if (next == Step::paused) return State::open;
    if (next == Step::rejected) return State::rejected;
    if (next == Step::done) {
      close(block, how_);
      return State::closed;
    }
    if (!ended) return State::open;
    return finish(block);
  }
}

ElementReader::Step ElementReader::step(std::string_view block) {
  switch (place_) {
    case Place::start: return start(block);
    case Place::head: return head(block);
    case Place::between: return between(block);
    case Place::behind_key: return behind_key(block);
    case Place::value: return value(block);
    case Place::cdata: return cdata(block);
    case Place::behind_cdata: return behind_cdata(block);
    case Place::behind_closer: return behind_closer(block);
    case Place::json: return json(block);
    case Place::json_calls: break;
    case Place::residue:
      if (!pass_to_tag(block)) return Step::wait;
      place_ = Place::between;
      return Step::on;
  }
  return Step::wait;
}

// The answer has ended, and the call is still open.
BlockReader::State ElementReader::finish(std::string_view block) {
  if (!named && !nameless_ && name_end_ > name_) {
    const std::string_view tool = block.substr(name_, name_end_ - name_);
    if (tools_.known(tool) || tools_.names().empty()) {
      name = tool;
      named = true;
    }
  }
  if (!named) return reject("unterminated_block", block.size());
  if (place_ == Place::behind_closer && ends_open_) {
    end_open_value(block, call_end_);
    end_call(call_end_, call_behind_);
    by_end = true;
    close(block, {});
    return State::closed;
  }
  if (closer_ == SIZE_MAX && place_ == Place::between) closer_ = at_;
  at_ = block.size();
  // NAME>{…} has no closer: the object's bracket ends it.
  const bool complete = place_ == Place::between && object_end_ != 0 && block[name_end_] == '>' &&
                        closer_ == object_end_ && tags_.style == ElementTags::Style::pairs;
  close(block, complete ? std::string_view() : "unterminated_block");
  return State::closed;
}

BlockReader::Rest ElementReader::rest(std::string_view block) const {
  if (json_) return json_->rest(block);
  if (name_end_ == 0 && fields_.empty()) return {};
  switch (place_) {
    case Place::json: return {object_from_, Quotation::value()};
    case Place::cdata: return {field_.value, Quotation::until({std::string(kCdataClose)})};
    case Place::value:
    case Place::behind_closer: return {field_.value, Quotation::until(tags_.parameter_close.spellings())};
    case Place::between: return {at_, {}, at_ < block.size() && block[at_] == '<'};
    default: return {at_};
  }
}

ElementReader::Step ElementReader::start(std::string_view block) {
  size_t next = at_;
  while (next < block.size() && is_white(block[next])) ++next;
  if (next == block.size()) return Step::wait;
  const bool may_be = !opened_ || tags_.style == ElementTags::Style::pairs;
  place_ = may_be && leads(block[next]) ? Place::json_calls : Place::head;
  return Step::on;
}

ElementReader::Step ElementReader::head(std::string_view block) {
  const ElementTag tag = tags_.call(block.substr(at_));
  if (tag.name_end != 0) {
    name_ = at_ + tag.name;
    name_end_ = at_ + tag.name_end;
  }
  if (tag.fit == Fit::partial) return Step::wait;
  at_ += tag.length;
  if (tag.fit == Fit::no || !is_call(block, tag)) {
    reject("missing_tool_name", at_);
    return Step::rejected;
  }
  if (tag.wrong) fault("malformed_argument");
  nameless_ = name_ == name_end_;
  empty_ = tag.empty;
  place_ = Place::between;
  return Step::on;
}

// A block that may be prose as well is a call only with a known name.
bool ElementReader::is_call(std::string_view block, const ElementTag &tag) {
  const std::string_view tool = block.substr(name_, name_end_ - name_);
  if (!tag.open) {
    const bool certain = tags_.style == ElementTags::Style::attribute ||
                         (!tag.empty && std::none_of(tool.begin(), tool.end(), is_white));
    return certain || tools_.known(tool) || tools_.names().empty();
  }
  // The first key stands right behind the name: its own tag is missing.
  size_t length = 0;
  for (const std::string_view one : tools_.names())
    if (tool.starts_with(one) && tools_.declares(one, tool.substr(one.size()))) length = std::max(length, one.size());
  at_ = name_end_ = name_ + length;
  return length != 0;
}

bool ElementReader::reported(std::string_view block, bool begins) {
  if (!named && !nameless_) {
    name = block.substr(name_, name_end_ - name_);
    named = true;
    return false;
  }
  if (!begins || begun) return true;
  arguments_from = at_;
  begun = true;
  return false;
}

// In prose about the format, words stand where a call has its first parameter.
ElementReader::Step ElementReader::unknown(std::string_view block, std::string_view what) {
  const bool prose = tags_.form.prefix.empty() && fields_.empty();
  if (!named && prose) {
    reject("missing_tool_name", at_);
    return Step::rejected;
  }
  if (!reported(block, false)) return Step::paused;
  fault(what);
  const bool tag = block[at_] == '<';
  ++at_;
  start_residue(tag);
  place_ = Place::residue;
  return Step::on;
}

ElementReader::Step ElementReader::between(std::string_view block) {
  if (empty_) return reported(block, false) ? end_call(at_, at_) : Step::paused;
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  if (rest[0] == '{' && fields_.empty() && object_end_ == 0) {
    if (!reported(block, true)) return Step::paused;
    object_.start(object_from_ = at_);
    place_ = Place::json;
    return Step::on;
  }
  if (rest[0] != '<') return bare_key(block);
  size_t length = 0;
  const Fit closer = fit(rest, family_.closers, length);
  if (closer == Fit::yes) return reported(block, false) ? end_call(at_, at_ + length) : Step::paused;
  const Fit section_end = fit(rest, family_.section_ends, length);
  const bool any = object_end_ != 0 || !fields_.empty();
  if (section_end == Fit::yes && named) return end_block(any ? std::string_view() : "unterminated_block", at_);
  const Fit wrapper = tags_.wrapper.fit(rest, length);
  if (wrapper == Fit::yes) {
    at_ += length;
    return Step::on;
  }
  const Fit opens = tags_.parameter_open.fit(rest, length);
  if (opens == Fit::yes && object_end_ == 0) return parameter(block);
  const Fit section = fit(rest, family_.sections, length), opener = fit(rest, family_.openers, length);
  if (opener == Fit::yes || section == Fit::yes) return nested(block, length);
  for (const Fit found : {closer, section_end, wrapper, opens, opener, section})
    if (found == Fit::partial) return Step::wait;
  return unknown(block, "residue_in_block");
}

// Another call begins; or in pairs the opener (of `length`; a section: 0) stands in the place of a key's first tag.
ElementReader::Step ElementReader::nested(std::string_view block, size_t length) {
  const bool may_be = length != 0 && !tags_.value_open.empty() && object_end_ == 0;
  const ElementTag key = may_be ? tags_.bare_key(block.substr(at_ + length)) : ElementTag();
  if (key.fit == Fit::partial) return Step::wait;
  if (key.fit == Fit::yes) {
    at_ += length;
    return bare_key(block);
  }
  if (named) return end_block(object_end_ != 0 ? std::string_view() : "nested_opener", at_);
  reject("nested_opener", at_);
  return Step::rejected;
}

ElementReader::Step ElementReader::parameter(std::string_view block) {
  if (!reported(block, true)) return Step::paused;
  const ElementTag tag = tags_.parameter(block.substr(at_));
  if (tag.fit == Fit::partial) return Step::wait;
  if (tag.fit == Fit::no || !is_key(block, tag)) {
    size_t length = 0;
    tags_.parameter_open.fit(block.substr(at_), length);
    fault("malformed_argument");
    at_ += length;
    start_residue(true);
    place_ = Place::residue;
    return Step::on;
  }
  if (tag.wrong) fault("malformed_argument");
  field_ = {at_ + tag.name, at_ + tag.name_end, 0, 0, tag.json};
  at_ += tag.length;
  if (tag.empty) {
    start_value(at_);
    return end_value(block, at_, at_);
  }
  if (tags_.value_open.empty()) return start_value(at_);
  place_ = Place::behind_key;
  return Step::on;
}

// Without quotes a key may hold blanks, or lose its bracket, where the tool has such a parameter.
bool ElementReader::is_key(std::string_view block, const ElementTag &tag) const {
  const std::string_view key = block.substr(at_ + tag.name, tag.name_end - tag.name);
  if (tags_.style != ElementTags::Style::assigned) return true;
  const bool certain = !tag.open && std::none_of(key.begin(), key.end(), is_white);
  return certain || tools_.declares(name, key) || (!tag.open && tools_.names().empty());
}

// No tag follows a parameter: in pairs it may be a key whose first tag is missing.
ElementReader::Step ElementReader::bare_key(std::string_view block) {
  const bool may_be = !tags_.value_open.empty() && object_end_ == 0;
  const ElementTag tag = may_be ? tags_.bare_key(block.substr(at_)) : ElementTag();
  if (tag.fit == Fit::partial) return Step::wait;
  if (tag.fit == Fit::no) return unknown(block, "residue_in_block");
  if (!reported(block, true)) return Step::paused;
  if (tag.wrong) fault("malformed_argument");
  field_ = {at_ + tag.name, at_ + tag.name_end, 0, 0, tag.json};
  at_ += tag.length;
  place_ = Place::behind_key;
  return Step::on;
}

// Models forget <arg_value>, or close a key twice; but a tag that goes on with the call means that the value was lost.
ElementReader::Step ElementReader::behind_key(std::string_view block) {
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  size_t length = 0, opener = 0;
  const Fit opened = tags_.value_open.fit(rest, opener), again = tags_.key_close.fit(rest, length);
  if (again == Fit::yes) {
    at_ += length;
    return Step::on;
  }
  const Fit type = tags_.type_open.fit(rest, length);
  if (type == Fit::yes) return value_type(block, at_ + length);
  const Fit next = tags_.parameter_open.fit(rest, length), closer = fit(rest, family_.closers, length);
  for (const Fit found : {opened, again, type, next, closer})
    if (found == Fit::partial) return Step::wait;
  if (next == Fit::yes || closer == Fit::yes) {
    fault("malformed_argument");
    place_ = Place::between;
    return Step::on;
  }
  if (opened == Fit::no && rest[0] == '<') fault("malformed_argument");  // the tag is there, and broken
  return start_value(at_ + opener);
}

// Reads the word from `from` on, and its closing tag.
ElementReader::Step ElementReader::value_type(std::string_view block, size_t from) {
  const size_t close = std::min(block.find('<', from), block.size());
  size_t length = 0;
  const Fit closes = tags_.type_close.fit(block.substr(close), length);
  if (closes == Fit::partial) return Step::wait;
  if (closes == Fit::yes) {
    const std::string_view said = trim(block.substr(from, close - from));
    field_.json = said == "string" ? ElementTag::Json::no : ElementTag::Json::yes;
    at_ = close + length;
    return Step::on;
  }
  fault("malformed_argument");
  at_ = from;
  place_ = Place::residue;
  return Step::on;
}

ElementReader::Step ElementReader::start_value(size_t at) {
  field_.value = at_ = at;
  first_tag_ = true;
  quotes_ = false;
  inner_parameters_ = inner_calls_ = 0;
  place_ = Place::value;
  return Step::on;
}

ElementReader::Step ElementReader::end_value(std::string_view block, size_t value_end, size_t next) {
  field_.value_end = value_end;
  names_.emplace(block.substr(field_.name, field_.name_end - field_.name));
  fields_.push_back(field_);
  at_ = next;
  place_ = Place::between;
  return Step::on;
}

// A value ends at the first closer of its own that closes no tag in it. One whose closer is missing ends where the
// next parameter plainly begins (may_end_here); in pairs, whose tags are tokens, also where its call plainly ends
// (behind_closer); or never: then its call is not run, for an answer that is cut in a value which quotes the end of a
// call looks the same.
ElementReader::Step ElementReader::value(std::string_view block) {
  at_ = std::min(block.find('<', at_), block.size());
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  if (tags_.form.cdata && first_tag_) {
    const Fit opens = sluice::fit(rest, kCdataOpen);
    if (opens == Fit::partial) return Step::wait;
    first_tag_ = false;
    if (opens == Fit::yes && trim(block.substr(field_.value, at_ - field_.value)).empty()) {
      field_.value = at_ += kCdataOpen.size();
      field_.cdata = true;
      place_ = Place::cdata;
      return Step::on;
    }
  }
  size_t length = 0;
  const Fit closes = tags_.parameter_close.fit(rest, length);
  if (closes == Fit::yes) {
    const size_t next = at_ + length;
    if (inner_parameters_ == 0) {
      if (tags_.form.cdata && block.substr(field_.value, at_ - field_.value).ends_with(kCdataClose))
        fault("malformed_argument");  // its opener is missing
      return end_value(block, at_, next);
    }
    --inner_parameters_;
    at_ = next;
    return Step::on;
  }
  const Fit ends_call = fit(rest, family_.closers, length);
  if (ends_call == Fit::yes) {
    ends_open_ = tags_.style == ElementTags::Style::pairs && !quotes_ && says_something(block);
    quotes_ = true;
    call_end_ = at_;
    call_behind_ = at_ += length;
    if (inner_calls_ == 0)
      place_ = Place::behind_closer;
    else
      --inner_calls_;
    return Step::on;
  }
  Fit opens = tags_.parameter_open.fit(rest, length);
  if (opens == Fit::yes) {
    const ElementTag tag = tags_.parameter(rest);
    opens = tag.fit == Fit::yes && !is_key(block, tag) ? Fit::no : tag.fit;
    if (opens == Fit::yes) {
      if (is_swallowed(block, tag)) {
        const Fit ends = may_end_here(block, tag);
        if (ends == Fit::partial) return Step::wait;
        if (ends == Fit::yes) return end_open_value(block, at_);
        fault("opener_in_value");
      }
      quotes_ = true;
      if (tags_.value_open.empty() && !tag.empty) ++inner_parameters_;
      at_ += tag.length;
      return Step::on;
    }
  }
  const Fit value_opens = tags_.value_open.fit(rest, length);
  if (value_opens == Fit::yes) {
    quotes_ = true;
    ++inner_parameters_;
    at_ += length;
    return Step::on;
  }
  const Fit opener = fit(rest, family_.openers, length);
  if (opener == Fit::yes) {
    quotes_ = true;
    ++inner_calls_;
    at_ += length;
    return Step::on;
  }
  for (const Fit found : {closes, ends_call, opens, value_opens, opener})
    if (found == Fit::partial) return Step::wait;
  ++at_;
  return Step::on;
}

ElementReader::Step ElementReader::cdata(std::string_view block) {
  const size_t close = block.find(kCdataClose, at_);
  if (close == block.npos) {
    for (at_ = block.size(); block.size() - at_ < kCdataClose.size() - 1 && block[at_ - 1] == ']';) --at_;
    return Step::wait;
  }
  value_end_ = close;
  at_ = close + kCdataClose.size();
  place_ = Place::behind_cdata;
  return Step::on;
}

ElementReader::Step ElementReader::behind_cdata(std::string_view block) {
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  const Fit closes = tags_.parameter_close.fit(rest, length);
  if (closes == Fit::partial) return Step::wait;
  if (closes == Fit::no) fault("malformed_argument");
  return end_value(block, value_end_, at_ + length);
}

// Returns whether the tag is a parameter that the call does not have yet, in the value of another one.
bool ElementReader::is_swallowed(std::string_view block, const ElementTag &tag) const {
  const std::string key(block.substr(at_ + tag.name, tag.name_end - tag.name));
  return tools_.declares(name, key) && key != block.substr(field_.name, field_.name_end - field_.name) &&
         names_.count(key) == 0;
}

bool ElementReader::says_something(std::string_view block) const {
  return !trim(block.substr(field_.value, at_ - field_.value)).empty();
}

// A parameter that the tool has and the call has not begins on a line of its own (pairs: anywhere, with its value), in
// a value that says something and quotes no other tag. If the tag were a
// quotation, a closer would be left over, and the call not run.
Fit ElementReader::may_end_here(std::string_view block, const ElementTag &tag) const {
  if (quotes_ || tag.wrong || !fault_.empty() || !says_something(block)) return Fit::no;
  if (block[at_ - 1] == '\n') return Fit::yes;
  if (tags_.style != ElementTags::Style::pairs) return Fit::no;
  if (tags_.value_open.empty()) return Fit::yes;
  size_t next = at_ + tag.length, length = 0;
  while (next < block.size() && is_white(block[next])) ++next;
  if (next == block.size()) return Fit::partial;
  const Fit value = tags_.value_open.fit(block.substr(next), length);
  return value == Fit::no ? tags_.type_open.fit(block.substr(next), length) : value;
}

// The line end before the tag at `at` belongs to the notation.
ElementReader::Step ElementReader::end_open_value(std::string_view block, size_t at) {
  size_t value_end = at;
  if (tags_.form.edges != ElementForm::Edges::each && block[at - 1] == '\n') value_end -= block[at - 2] == '\r' ? 2 : 1;
  return end_value(block, value_end, at);
}

// Returns whether a call of a tool begins behind a section's mark or an opener.
Fit ElementReader::begins_call(std::string_view rest) const {
  const auto skip = [&rest](size_t length) {
    rest.remove_prefix(length);
    while (!rest.empty() && is_white(rest[0])) rest.remove_prefix(1);
  };
  skip(0);
  size_t length = 0;
  const Fit opener = fit(rest, family_.openers, length);
  if (opener == Fit::partial) return opener;
  if (opener == Fit::yes) skip(length);
  const ElementTag tag = tags_.call(rest);
  const std::string_view tool = rest.substr(tag.name, tag.name_end - tag.name);
  const bool known = tools_.known(tool) || (tools_.names().empty() && !tool.empty());
  return tag.fit == Fit::yes && !known ? Fit::no : tag.fit;
}

// A closer of the call stands in a value. It is data, unless the section or the answer ends, or another call follows.
ElementReader::Step ElementReader::behind_closer(std::string_view block) {
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  bool partial = rest.empty();
  for (const Words *words : {&family_.section_ends, &family_.sections, &family_.openers}) {
    const Fit found = fit(rest, *words, length);
    partial = partial || found == Fit::partial;
    if (found != Fit::yes) continue;
    const Fit next = !ends_open_                      ? Fit::no
                     : words != &family_.section_ends ? begins_call(rest.substr(length))
                                                      : Fit::yes;
    if (next == Fit::partial) return Step::wait;
    if (next == Fit::yes) {
      end_open_value(block, call_end_);
      return end_call(call_end_, call_behind_);
    }
    fault("unterminated_block");
    lost_from = field_.value;
    lost_to = at_;
    return end_call(call_end_, call_behind_);
  }
  if (partial) return Step::wait;
  place_ = Place::value;
  return Step::on;
}

// Reads the arguments as an object. One that lost a bracket ends where its call does.
ElementReader::Step ElementReader::json(std::string_view block) {
  while (true) {
    const size_t tag = std::min(block.find('<', at_), block.size());
    const size_t end_of_object = object_.find(block.substr(0, tag));
    size_t length = 0;
    Fit closer = Fit::no;
    if (end_of_object == block.npos) {
      at_ = tag;
      if (tag == block.size()) return Step::wait;
      if (!object_.quoted()) closer = fit(block.substr(tag), family_.closers, length);
      if (closer == Fit::partial) return Step::wait;
    }
    if (end_of_object == block.npos && closer != Fit::yes) {
      ++at_;
      continue;
    }
    object_end_ = at_ = std::min(end_of_object, tag);
    place_ = Place::between;
    return Step::on;
  }
}

void ElementReader::close(std::string_view block, std::string_view reason) {
  if (json_) {
    json_->cut(block, reason);
    return take(*json_);
  }
  end = at_;
  if (closer_ == SIZE_MAX) closer_ = at_;
  if (!begun) arguments_from = closer_;
  arguments_to = closer_;
  ParsedCall call;
  call.name = name;
  call.raw_arguments = block.substr(arguments_from, closer_ - arguments_from);
  call.reason = !reason.empty() ? reason : !named ? std::string_view("missing_tool_name") : fault_;
  if (object_end_ != 0) {
    call.typed = true;
    settle_arguments(call, block.substr(object_from_, object_end_ - object_from_),
                     {limits_.depth, options_.first_duplicate.value_or(false)}, object_from_, notes);
    unwrap_arguments(tags_.form, tools_, limits_.depth, call);
  } else {
    gather_elements(block, fields_, tags_.form, options_, tools_, limits_.depth, call, notes);
  }
  calls.push_back(std::move(call));
}

// ---- JSON calls in the place of elements ----

BlockReader::State ElementReader::json_calls(std::string_view block, bool ended) {
  if (!json_) {
    // Behind a section's mark the calls end with the section; in pairs also where an element's call does.
    WordList openers(family_.sections.begin(), family_.sections.end());
    WordList closers(family_.section_ends.begin(), family_.section_ends.end());
    if (tags_.style == ElementTags::Style::pairs) {
      openers.insert(openers.end(), family_.openers.begin(), family_.openers.end());
      closers.insert(closers.end(), family_.closers.begin(), family_.closers.end());
    }
    json_openers_ = std::move(openers);
    json_closers_ = std::move(closers);
    json_family_ = {.id = family_.id, .grammar = JsonCalls{}, .openers = json_openers_, .closers = json_closers_};
    json_ = make_reader(json_family_, std::get<JsonCalls>(json_family_.grammar), options_, tools_, limits_);
  }
  const State state = json_->read(block, ended);
  take(*json_);
  return state;
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const AssignedElements &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  return std::make_unique<ElementReader>(family, grammar, options, tools, limits);
}

std::unique_ptr<BlockReader> make_reader(const Family &family, const AttributeElements &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  return std::make_unique<ElementReader>(family, grammar, options, tools, limits);
}

std::unique_ptr<BlockReader> make_reader(const Family &family, const PairElements &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  return std::make_unique<ElementReader>(family, grammar, options, tools, limits);
}

}  // namespace sluice
