// Calls of elements: where a value ends.
#include <algorithm>

#include "protocol/family/element_reader.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr std::string_view kApart = "<parameter>", kApartEnd = "</parameter>", kValue = "<value>";

}  // namespace

ElementReader::Step ElementReader::start_value(size_t at) {
  field_.value = at_ = at;
  named_apart_ = false;
  first_tag_ = true;
  quotes_ = doubted_ = swallows_ = leaves_open_ = closes_inner_ = false;
  inner_parameters_ = inner_calls_ = inner_nearly_ = 0;
  place_ = Place::value;
  return Step::on;
}

ElementReader::Step ElementReader::end_value(std::string_view block, size_t value_end, size_t next) {
  doubted_ = false;
  field_.value_end = value_end;
  names_.emplace(block.substr(field_.name, field_.name_end - field_.name));
  fields_.push_back(field_);
  at_ = next;
  place_ = Place::between;
  return Step::on;
}

// A value ends at the first closer of its own that closes no tag in it; at a bent one only where the call goes on
// behind it (goes_on). One whose closer is missing ends where the next parameter plainly begins (may_end_here) or where
// its call plainly ends (behind_closer), or never: then its call is not run, for an answer that is cut in a value which
// quotes the end of a call looks the same.
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
  Fit closes = tags_.parameter_close.fit(rest, length);
  if (closes == Fit::no) {
    closes = tags_.bent_close(rest, length);
    if (closes == Fit::yes && inner_nearly_ != 0) {
      --inner_nearly_;
      at_ += length;
      return Step::on;
    }
    if (closes == Fit::yes) closes = goes_on(rest.substr(length));
  }
  if (closes == Fit::yes) {
    const size_t next = at_ + length;
    if (inner_parameters_ == 0) {
      if (leaves_open_) return lose_last_value();
      if (swallows_) fault("opener_in_value");
      if (tags_.form.cdata && block.substr(field_.value, at_ - field_.value).ends_with(kCdataClose))
        fault("malformed_argument");  // its opener is missing
      return end_value(block, at_, next);
    }
    closes_inner_ = doubted_;
    --inner_parameters_;
    at_ = next;
    return Step::on;
  }
  const Fit ends_call = fit(rest, family_.closers, length);
  if (ends_call == Fit::yes && doubted_ && inner_calls_ != 0) {
    leaves_open_ = leaves_open_ || inner_parameters_ != 0;
    inner_parameters_ = 0;
    --inner_calls_;
    at_ += length;
    return Step::on;
  }
  if (ends_call == Fit::yes) {
    ends_open_ = !quotes_ && says_something(block);
    quotes_ = true;
    section_ended_ = doubted_ = false;
    call_end_ = at_;
    call_behind_ = at_ += length;
    if (inner_calls_ == 0)
      place_ = Place::behind_closer;
    else
      --inner_calls_;
    return Step::on;
  }
  if (named_apart_) {
    const Fit next = names_next(block);
    if (next == Fit::partial) return Step::wait;
    if (next == Fit::yes) return end_open_value(block, at_);
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
        if (doubted_)
          swallows_ = true;
        else
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
    const Fit next = doubted_ ? begins_call(rest) : Fit::no;
    if (next == Fit::partial) return Step::wait;
    quotes_ = true;
    doubted_ = next == Fit::yes;
    ++inner_calls_;
    at_ += length;
    return Step::on;
  }
  const Fit nearly = tags_.nearly_open.fit(rest, length);
  for (const Fit found : {closes, ends_call, opens, value_opens, opener, nearly})
    if (found == Fit::partial) return Step::wait;
  if (nearly == Fit::yes) ++inner_nearly_;
  ++at_;
  return Step::on;
}

// Models of other formats write a parameter's name as the tag: <KEY>value</KEY>. Or <parameter>KEY</parameter> stands
// in front of the value, sometimes in <value>. The tool must have the parameter. Sets `closer` unless the value ends as
// the format's own do.
Fit ElementReader::child_tag(std::string_view rest, ElementField &field, size_t &length, std::string &closer) const {
  constexpr size_t kLongest = 256;
  if (tags_.style == ElementTags::Style::pairs || !tags_.form.prefix.empty()) return Fit::no;
  rest = rest.substr(0, kLongest);
  const auto incomplete = [rest] { return rest.size() < kLongest ? Fit::partial : Fit::no; };
  size_t to = 1;
  while (to < rest.size() && in_xml_name(rest[to])) ++to;
  if (to == rest.size()) return incomplete();
  if (to == 1 || rest[to] != '>') return Fit::no;
  field = {1, to, 0, 0, ElementTag::Json::unsaid};
  length = to + 1;
  closer = "</" + std::string(rest.substr(1, to - 1)) + ">";
  if (tools_.declares(tool_, rest.substr(1, to - 1))) return Fit::yes;
  if (!rest.starts_with(kApart)) return Fit::no;
  const size_t to_end = rest.find('<', length);
  if (to_end == rest.npos) return incomplete();
  const std::string_view key = trim(rest.substr(length, to_end - length));
  const Fit ends = sluice::fit(rest.substr(to_end), kApartEnd);
  if (ends != Fit::yes) return ends == Fit::partial ? incomplete() : ends;
  if (!tools_.declares(tool_, key)) return Fit::no;
  field.name = static_cast<size_t>(key.data() - rest.data());
  field.name_end = field.name + key.size();
  length = to_end + kApartEnd.size();
  closer.clear();
  size_t next = length;
  while (next < rest.size() && is_white(rest[next])) ++next;
  if (next == rest.size()) return incomplete();
  const Fit value = sluice::fit(rest.substr(next), kValue);
  if (value == Fit::yes) {
    length = next + kValue.size();
    closer = "</value>";
  }
  return value == Fit::partial ? incomplete() : Fit::yes;
}

// Behind a value whose name stands in front of it, the next name ends it. Returns whether one stands on this line.
Fit ElementReader::names_next(std::string_view block) const {
  const std::string_view rest = block.substr(at_);
  if (quotes_ || !says_something(block) || block[at_ - 1] != '\n') return Fit::no;
  if (const Fit begins = sluice::fit(rest, kApart); begins != Fit::yes) return begins;
  ElementField next{};
  size_t length = 0;
  std::string closer;
  return child_tag(rest, next, length, closer);
}

ElementReader::Step ElementReader::start_child(std::string_view block) {
  ElementField field{};
  size_t length = 0;
  std::string closer;
  const Fit found = object_end_ == 0 ? child_tag(block.substr(at_), field, length, closer) : Fit::no;
  if (found == Fit::partial) return Step::wait;
  if (found == Fit::no && object_end_ == 0 && tags_.parameter_open.fit(block.substr(at_), length) == Fit::yes)
    return parameter(block);
  if (found == Fit::no) return unknown(block, "residue_in_block");
  if (!reported(block, true)) return Step::paused;
  field_ = field;
  field_.name += at_;
  field_.name_end += at_;
  child_end_ = std::move(closer);
  start_value(at_ + length);
  named_apart_ = child_end_.empty();
  if (!named_apart_) place_ = Place::child;
  return Step::on;
}

// The value ends at its end tag, if the call goes on behind it.
ElementReader::Step ElementReader::child(std::string_view block) {
  for (;; ++at_) {
    const size_t close = block.find(child_end_, at_);
    if (close == block.npos) {
      at_ = std::max(at_, block.size() - std::min(block.size(), child_end_.size() - 1));
      return Step::wait;
    }
    at_ = close;
    const size_t behind = close + child_end_.size();
    std::string_view rest = block.substr(behind);
    while (!rest.empty() && is_white(rest[0])) rest.remove_prefix(1);
    if (rest.empty()) return Step::wait;
    ElementField next{};
    size_t length = 0;
    std::string closer;
    const Fit more = goes_on(rest), sibling = rest[0] == '<' ? child_tag(rest, next, length, closer) : Fit::no;
    if (more == Fit::yes || sibling == Fit::yes) return end_value(block, close, behind);
    if (more == Fit::partial || sibling == Fit::partial) return Step::wait;
  }
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
  const Fit next = closes == Fit::no ? goes_on(rest) : Fit::no;  // the value has its end, so its tag may be missing
  if (next == Fit::partial) return Step::wait;
  if (closes == Fit::no && next == Fit::no) fault("malformed_argument");
  return end_value(block, value_end_, closes == Fit::yes ? at_ + length : at_);
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
  while (!rest.empty() && is_white(rest[0])) rest.remove_prefix(1);
  size_t length = 0;
  const Fit opener = fit(rest, family_.openers, length);
  if (opener == Fit::partial) return opener;
  if (opener == Fit::yes) rest.remove_prefix(length);
  const ElementTag tag = tags_.call(rest);
  const std::string_view tool = rest.substr(tag.name, tag.name_end - tag.name);
  const bool known = tools_.known(tool) || (tools_.names().empty() && !tool.empty());
  return tag.fit == Fit::yes && !known ? Fit::no : tag.fit;
}

// A closer of the call is in a value. It is data, or the value's own closer is missing. If the section ends as well
// (in pairs: always), the end of the answer decides, for text and calls may follow in both cases: if the value's own
// closer comes, they were a quotation. Nothing runs before that is known. A closer of a value in one of these calls may
// be the own one of this value, which then quotes the beginning of a call; but not in pairs, whose tags are tokens.
ElementReader::Step ElementReader::behind_closer(std::string_view block) {
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  const bool pairs = tags_.style == ElementTags::Style::pairs;
  size_t length = 0;
  bool partial = rest.empty();
  for (const Words *words : {&family_.section_ends, &family_.sections, &family_.openers}) {
    const Fit found = fit(rest, *words, length);
    partial = partial || found == Fit::partial;
    if (found != Fit::yes) continue;
    if (ends_open_ && words == &family_.section_ends) {
      section_ended_ = true;
      at_ += length;
      return Step::on;
    }
    const bool opener = words == &family_.openers;
    const Fit next =
        ends_open_ && (section_ended_ || pairs) ? begins_call(opener ? rest : rest.substr(length)) : Fit::no;
    if (next == Fit::partial) return Step::wait;
    if (next == Fit::no) return lose_last_value();
    place_ = Place::value;
    doubted_ = true;
    return ends_known ? last_value_ends(block) : Step::on;
  }
  if (partial) return Step::wait;
  place_ = Place::value;
  const bool line_ends = block.substr(call_behind_, at_ - call_behind_).find('\n') != block.npos;
  doubted_ = ends_open_ && (section_ended_ || (family_.sections.empty() && line_ends));
  return doubted_ && ends_known ? last_value_ends(block) : Step::on;
}

// Nobody can say whether the call ended in the value, or the value quotes it.
ElementReader::Step ElementReader::lose_last_value() {
  fault("unterminated_block");
  unsure = true;
  return end_call(call_end_, call_behind_);
}

ElementReader::Step ElementReader::last_value_ends(std::string_view block) {
  by_end = true;
  end_open_value(block, call_end_);
  return end_call(call_end_, call_behind_);
}

// Returns whether a parameter, the call's end or another call stands behind a bent closer.
Fit ElementReader::goes_on(std::string_view rest) const {
  while (!rest.empty() && is_white(rest[0])) rest.remove_prefix(1);
  size_t length = 0;
  Fit best = rest.empty() ? Fit::partial : Fit::no;
  for (const Fit found : {tags_.parameter_open.fit(rest, length), fit(rest, family_.closers, length),
                          fit(rest, family_.section_ends, length), fit(rest, family_.openers, length)}) {
    if (found == Fit::yes) return found;
    if (found == Fit::partial) best = found;
  }
  return best;
}

}  // namespace sluice
