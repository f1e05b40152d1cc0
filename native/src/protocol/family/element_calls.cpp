// Calls of elements: tags around and between the values.
#include <algorithm>

#include "protocol/family/element_reader.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {

constexpr size_t kAwaitedTag = 64;  // so many bytes of a tag are waited for

BlockReader::State ElementReader::body(std::string_view block, bool ended) {
  ended_ = ended;
  while (true) {
    if (place_ == Place::json_calls) return json_calls(block, ended);
    const Step next = step(block);
    if (closer_ == SIZE_MAX && place_ != Place::behind_closer && !doubted_) arguments_to = at_;
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
    case Place::child: return child(block);
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
  const bool pairs = tags_.style == ElementTags::Style::pairs;
  if (doubted_ || (place_ == Place::behind_closer && ends_open_ && (section_ended_ || pairs))) {
    if (doubted_ && closes_inner_ && !pairs) {
      lose_last_value();
    } else {
      last_value_ends(block);
      ends_known = true;
    }
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
    case Place::child: return {field_.value, Quotation::until({child_end_})};
    case Place::value:
    case Place::behind_closer: return {field_.value, Quotation::until(spelled_closers())};
    case Place::between: return {at_, {}, at_ < block.size() && block[at_] == '<', !named && fields_.empty()};
    default: return {at_, {}, false, place_ == Place::head};
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
  tool_ = block.substr(name_, name_end_ - name_);
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
  if (!tool.empty() && tools_.known(tool)) return true;  // a stray closer or bent text follows the name
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
  const bool nothing_yet = fields_.empty() && object_end_ == 0;
  if (rest[0] == '{' && nothing_yet && !tags_.form.attributed) {
    if (!reported(block, true)) return Step::paused;
    object_.start(object_from_ = at_, false, true);
    place_ = Place::json;
    return Step::on;
  }
  if (rest[0] == '`' && (nothing_yet || ticks_ != 0)) return fenced_object(block);
  if (rest[0] != '<') return bare_key(block);
  // A tag is looked at when it is there, not with each piece of it.
  if (!ended_ && rest.size() < kAwaitedTag && rest.find('>') == rest.npos) return Step::wait;
  size_t length = 0;
  const Fit closer = fit(rest, family_.closers, length);
  if (closer == Fit::yes && tags_.form.attributed && !named) {
    reject({}, at_);
    return Step::rejected;
  }
  if (closer == Fit::yes) return reported(block, false) ? end_call(at_, at_ + length) : Step::paused;
  const Fit section_end = fit(rest, family_.section_ends, length);
  const bool any = !nothing_yet;
  if (section_end == Fit::yes && named) return end_block(any ? std::string_view() : "unterminated_block", at_);
  const Fit wrapper = tags_.wrapper.fit(rest, length);
  if (wrapper == Fit::yes) {
    at_ += length;
    return Step::on;
  }
  const Fit opens = tags_.parameter_open.fit(rest, length);
  if (opens == Fit::yes && object_end_ == 0 && !rest.starts_with("<parameter>")) return parameter(block);
  const Fit section = fit(rest, family_.sections, length), opener = fit(rest, family_.openers, length);
  if (opener == Fit::yes || section == Fit::yes) return nested(block, length);
  const Fit stray = nothing_yet && !tags_.form.attributed ? stray_closer(block, length) : Fit::no;
  if (stray == Fit::yes) {
    at_ += length;
    return Step::on;
  }
  for (const Fit found : {closer, section_end, wrapper, opens, opener, section, stray})
    if (found == Fit::partial) return Step::wait;
  return start_child(block);
}

// A closer of a value or a key stands right behind the name, and the call ends there: it closes nothing.
Fit ElementReader::stray_closer(std::string_view block, size_t &length) const {
  const std::string_view tool = block.substr(name_, name_end_ - name_);
  if (nameless_ || !exists(tool)) return Fit::no;
  const std::string_view rest = block.substr(at_);
  const Fit value = tags_.parameter_close.fit(rest, length);
  const Fit key = value == Fit::yes ? Fit::no : tags_.key_close.fit(rest, length);
  if (value != Fit::yes && key != Fit::yes) return value == Fit::partial ? value : key;
  std::string_view behind = rest.substr(length);
  while (!behind.empty() && is_white(behind[0])) behind.remove_prefix(1);
  size_t closer = 0;
  return fit(behind, family_.closers, closer);
}

// The arguments as one object in a fence: what is in front of it, or behind it.
ElementReader::Step ElementReader::fenced_object(std::string_view block) {
  constexpr size_t kLeastTicks = 3, kLongestInfo = 32;
  const size_t to = std::min(block.find_first_not_of('`', at_), block.size()), ticks = to - at_;
  if (ticks_ != 0 && object_end_ != 0 && ticks >= ticks_) {
    at_ += ticks_;
    ticks_ = 0;
    return Step::on;
  }
  if (to == block.size()) return Step::wait;
  size_t next = to;
  while (next < block.size() && next - to < kLongestInfo && is_alnum(block[next])) ++next;
  while (next < block.size() && is_white(block[next])) ++next;
  if (next == block.size()) return Step::wait;
  if (ticks < kLeastTicks || ticks_ != 0 || block[next] != '{') return unknown(block, "residue_in_block");
  ticks_ = ticks;
  at_ = next;
  return Step::on;
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
  const ElementTag tag = tags_.parameter(block.substr(at_));
  if (tags_.form.attributed && !named && tag.fit != Fit::partial && tag.json == ElementTag::Json::unsaid) {
    reject({}, at_);
    return Step::rejected;
  }
  if (tags_.form.attributed && !named && tag.fit == Fit::partial) return Step::wait;
  if (!reported(block, true)) return Step::paused;
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
