#include <unordered_set>

#include "base/json.h"
#include "protocol/family/element_arguments.h"
#include "protocol/family/tags_calls.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

using TagFit = ElementTag::Fit;

constexpr std::string_view kCdataOpen = "<![CDATA[", kCdataClose = "]]>";

class ElementReader final : public FamilyReader {
 public:
  ElementReader(const Family &family, const ElementCalls &grammar, const ProtocolOptions &options,
                const ToolView &tools, const ScanLimits &limits)
      : FamilyReader(family, tools, limits), tags_(grammar), options_(options) {}

 protected:
  State body(std::string_view block, bool ended) override;
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Place : uint8_t {
    head,        // the rest of the call's first tag
    between,     // parameters
    behind_key,  // pairs: before <arg_value>
    value,
    cdata,
    behind_cdata,
    behind_call,  // in a value, behind what ends the call if the value was not closed
    json,         // arguments as one object
    residue,      // what the format does not know, up to the next tag
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected };

  Step step(std::string_view block, bool ended);
  Step head(std::string_view block);
  Step between(std::string_view block);
  Step parameter(std::string_view block);
  Step behind_key(std::string_view block, bool ended);
  Step value(std::string_view block, bool ended);
  Step value_tag(std::string_view block, bool ended);
  Step cdata(std::string_view block);
  Step behind_cdata(std::string_view block, bool ended);
  Step behind_call(std::string_view block, bool ended);
  Step json(std::string_view block, bool ended);
  State finish(std::string_view block);

  // The call is one after all: false until the scanner knows its name and that it has begun.
  bool told(std::string_view block, bool begins);
  Step unknown(std::string_view what);
  Step end_call(size_t closer, size_t next) {
    closer_ = closer;
    at_ = next;
    return Step::done;
  }
  Step end_block(std::string_view reason, size_t where) {
    how_ = reason;
    return end_call(where, where);
  }
  void end_value(std::string_view block, size_t value_end, size_t next, bool closed);
  void start_value(size_t at, bool opened);
  bool may_follow(std::string_view block, const ElementTag &tag);
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }
  TagFit fit_words(std::string_view rest, const Words &words, size_t &length) const {
    const Fit found = fit(rest, words, length);
    return found == Fit::yes ? TagFit::yes : found == Fit::partial ? TagFit::partial : TagFit::no;
  }

  // -- set once
  const ElementTags tags_;
  const ProtocolOptions &options_;
  // -- position in the block
  Place place_ = Place::head;
  size_t name_ = 0, name_end_ = 0;
  bool nameless_ = false;
  bool empty_ = false;                             // the call's first tag closes itself
  ElementField field_{};                           // the one that is being read
  bool opened_ = false;                            // pairs: <arg_value> stood before the value
  size_t inner_parameters_ = 0, inner_calls_ = 0;  // tags in a value that are data, and not closed yet
  bool inner_ = false;                             // there were some
  size_t word_ = 0;                                // [value, word_) holds no white space
  bool first_tag_ = false;                         // no `<` in the value yet
  bool one_word_ = false;
  size_t call_end_ = 0;  // where what may end the value stands in it
  ValueEnd object_;
  size_t object_from_ = 0, object_end_ = 0;
  size_t closer_ = SIZE_MAX;
  std::string_view how_;  // how the block ended
  // -- what was read
  std::vector<ElementField> fields_;
  std::unordered_set<std::string> names_;
  std::string_view fault_;  // the first
};

BlockReader::State ElementReader::body(std::string_view block, bool ended) {
  while (true) {
    const Step next = step(block, ended);
    if (closer_ == SIZE_MAX && place_ != Place::behind_call) arguments_to = at_;
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

ElementReader::Step ElementReader::step(std::string_view block, bool ended) {
  switch (place_) {
    case Place::head: return head(block);
    case Place::between: return between(block);
    case Place::behind_key: return behind_key(block, ended);
    case Place::value: return value(block, ended);
    case Place::cdata: return cdata(block);
    case Place::behind_cdata: return behind_cdata(block, ended);
    case Place::behind_call: return behind_call(block, ended);
    case Place::json: return json(block, ended);
    case Place::residue:
      at_ = std::min(block.find('<', at_), block.size());
      if (at_ == block.size()) return Step::wait;
      place_ = Place::between;
      return Step::on;
  }
  return Step::wait;
}

// Nothing follows, and the call is still open.
BlockReader::State ElementReader::finish(std::string_view block) {
  if (!named && !nameless_ && name_end_ > name_) {
    const std::string_view tool = block.substr(name_, name_end_ - name_);
    if (tools_.known(tool) || tools_.names().empty()) {
      name = tool;
      named = true;
    }
  }
  if (!named) return reject("unterminated_block", block.size());
  // Its closer may be missing where nothing else can be: behind a parameter, or before the rest of a closer.
  const bool complete = place_ == Place::between && (object_end_ != 0 || !fields_.empty()) &&
                        (at_ == block.size() || block.substr(at_).starts_with("</"));
  if (closer_ == SIZE_MAX && place_ == Place::between) closer_ = at_;
  at_ = block.size();
  close(block, complete ? std::string_view() : "unterminated_block");
  return State::closed;
}

ElementReader::Step ElementReader::head(std::string_view block) {
  const ElementTag tag = tags_.call(block.substr(at_));
  if (tag.name_end != 0) {
    name_ = at_ + tag.name;
    name_end_ = at_ + tag.name_end;
  }
  if (tag.fit == TagFit::partial) return Step::wait;
  if (tag.fit == TagFit::no) {
    reject("missing_tool_name", at_);
    return Step::rejected;
  }
  if (tag.wrong) fault("malformed_argument");
  nameless_ = name_ == name_end_;
  empty_ = tag.empty;
  at_ += tag.length;
  place_ = Place::between;
  return Step::on;
}

bool ElementReader::told(std::string_view block, bool begins) {
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

// Prose about the format has words where a call has its first parameter.
ElementReader::Step ElementReader::unknown(std::string_view what) {
  if (!named && fields_.empty()) {
    reject("missing_tool_name", at_);
    return Step::rejected;
  }
  fault(what);
  ++at_;
  place_ = Place::residue;
  return Step::on;
}

ElementReader::Step ElementReader::between(std::string_view block) {
  if (empty_) return told(block, false) ? end_call(at_, at_) : Step::paused;
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  if (rest[0] == '{' && fields_.empty() && object_end_ == 0 && tags_.value_open.empty()) {
    if (!told(block, true)) return Step::paused;
    object_.start(object_from_ = at_);
    place_ = Place::json;
    return Step::on;
  }
  if (rest[0] != '<') return unknown("residue_in_block");
  size_t length = 0;
  const TagFit closer = fit_words(rest, family_.closers, length);
  if (closer == TagFit::yes) return told(block, false) ? end_call(at_, at_ + length) : Step::paused;
  const TagFit section_end = fit_words(rest, family_.section_ends, length);
  const bool any = object_end_ != 0 || !fields_.empty();
  if (section_end == TagFit::yes && named) return end_block(any ? std::string_view() : "unterminated_block", at_);
  const TagFit opens = fit_word(rest, tags_.parameter_open);
  if (opens == TagFit::yes && object_end_ == 0) return parameter(block);
  const TagFit opener = fit_words(rest, family_.openers, length), section = fit_words(rest, family_.sections, length);
  if (opener == TagFit::yes || section == TagFit::yes) {
    if (named) return end_block("nested_opener", at_);
    reject("nested_opener", at_);
    return Step::rejected;
  }
  for (const TagFit found : {closer, section_end, opens, opener, section})
    if (found == TagFit::partial) return Step::wait;
  return unknown("residue_in_block");
}

ElementReader::Step ElementReader::parameter(std::string_view block) {
  if (!told(block, true)) return Step::paused;
  const ElementTag tag = tags_.parameter(block.substr(at_));
  if (tag.fit == TagFit::partial) return Step::wait;
  if (tag.fit == TagFit::no) {
    fault("malformed_argument");
    at_ += tags_.parameter_open.size();
    place_ = Place::residue;
    return Step::on;
  }
  if (tag.wrong) fault("malformed_argument");
  field_ = {at_ + tag.name, at_ + tag.name_end, 0, 0, tag.json};
  at_ += tag.length;
  if (tag.empty) {
    start_value(at_, true);
    end_value(block, at_, at_, true);
  } else if (!tags_.value_open.empty()) {
    place_ = Place::behind_key;
  } else {
    start_value(at_, true);
  }
  return Step::on;
}

// Models forget <arg_value>; but a tag that goes on with the call means that the value was lost.
ElementReader::Step ElementReader::behind_key(std::string_view block, bool ended) {
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  size_t length = 0;
  const TagFit opened = fit_word(rest, tags_.value_open), next = fit_word(rest, tags_.parameter_open),
               closer = fit_words(rest, family_.closers, length);
  for (const TagFit found : {opened, next, closer})
    if (found == TagFit::partial && !ended) return Step::wait;
  if (next == TagFit::yes || closer == TagFit::yes) {
    fault("malformed_argument");
    place_ = Place::between;
    return Step::on;
  }
  if (opened == TagFit::yes) at_ += tags_.value_open.size();
  start_value(at_, opened == TagFit::yes);
  return Step::on;
}

void ElementReader::start_value(size_t at, bool opened) {
  field_.value = word_ = at;
  opened_ = opened;
  one_word_ = true;
  first_tag_ = true;
  inner_parameters_ = inner_calls_ = 0;
  inner_ = false;
  place_ = Place::value;
}

// `closed`: by its own tag. Another one that ends it stands on a line of its own.
void ElementReader::end_value(std::string_view block, size_t value_end, size_t next, bool closed) {
  if (!closed) {
    if (inner_) fault("opener_in_value");
    if (!opened_) fault("malformed_argument");
    size_t line = value_end;
    while (line > field_.value && (block[line - 1] == ' ' || block[line - 1] == '\t')) --line;
    if (line > field_.value && block[line - 1] == '\n') value_end = line;
  }
  field_.value_end = value_end;
  names_.emplace(block.substr(field_.name, field_.name_end - field_.name));
  fields_.push_back(field_);
  at_ = next;
  place_ = Place::between;
}

ElementReader::Step ElementReader::value(std::string_view block, bool ended) {
  at_ = std::min(block.find('<', at_), block.size());
  if (at_ == block.size()) return Step::wait;
  return value_tag(block, ended);
}

// At a `<` in a value: nearly always data.
ElementReader::Step ElementReader::value_tag(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  if (tags_.grammar.cdata && first_tag_) {
    const TagFit opens = fit_word(rest, kCdataOpen);
    if (opens == TagFit::partial && !ended) return Step::wait;
    first_tag_ = false;
    if (opens == TagFit::yes && without_white(block.substr(field_.value, at_ - field_.value)).empty()) {
      field_.value = at_ += kCdataOpen.size();
      place_ = Place::cdata;
      return Step::on;
    }
  }
  size_t length = 0;
  const TagFit closes = fit_word(rest, tags_.parameter_close);
  if (closes == TagFit::yes) {
    const size_t next = at_ + tags_.parameter_close.size();
    if (inner_parameters_ == 0)
      end_value(block, at_, next, true);
    else
      --inner_parameters_, at_ = next;
    return Step::on;
  }
  const TagFit ends_call = fit_words(rest, family_.closers, length);
  if (ends_call == TagFit::yes) {
    call_end_ = at_;
    at_ += length;
    if (inner_calls_ != 0)
      --inner_calls_;
    else
      place_ = Place::behind_call;
    return Step::on;
  }
  TagFit opens = fit_word(rest, tags_.parameter_open);
  if (opens == TagFit::yes) {
    const ElementTag tag = tags_.parameter(rest);
    opens = tag.fit;
    if (tag.fit == TagFit::yes && !tag.wrong) {
      if (may_follow(block, tag)) {
        end_value(block, at_, at_, false);
        return Step::on;
      }
      if (tags_.value_open.empty() && !tag.empty) ++inner_parameters_, inner_ = true;
      at_ += tag.length;
      return Step::on;
    }
  }
  const TagFit value_opens = tags_.value_open.empty() ? TagFit::no : fit_word(rest, tags_.value_open);
  if (value_opens == TagFit::yes) {
    ++inner_parameters_, inner_ = true;
    at_ += tags_.value_open.size();
    return Step::on;
  }
  const TagFit opener = fit_words(rest, family_.openers, length);
  if (opener == TagFit::yes) {
    ++inner_calls_, inner_ = true;
    at_ += length;
    return Step::on;
  }
  for (const TagFit found : {closes, ends_call, opens, value_opens, opener})
    if (found == TagFit::partial && !ended) return Step::wait;
  ++at_;
  return Step::on;
}

ElementReader::Step ElementReader::cdata(std::string_view block) {
  const size_t close = block.find(kCdataClose, at_);
  if (close == block.npos) {
    at_ = std::max(at_, block.size() - std::min(block.size(), kCdataClose.size() - 1));
    return Step::wait;
  }
  call_end_ = close;
  at_ = close + kCdataClose.size();
  place_ = Place::behind_cdata;
  return Step::on;
}

ElementReader::Step ElementReader::behind_cdata(std::string_view block, bool ended) {
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  const TagFit closes = fit_word(rest, tags_.parameter_close);
  if (rest.empty() || (closes == TagFit::partial && !ended)) return Step::wait;
  if (closes == TagFit::no) fault("malformed_argument");
  end_value(block, call_end_, closes == TagFit::yes ? at_ + tags_.parameter_close.size() : at_, true);
  return Step::on;
}

// A parameter's tag in a value: the value was not closed, where the tool has such a parameter that the call does not
// have yet, and the tag stands where prose would not put it: on a line of its own, or right behind a single word.
bool ElementReader::may_follow(std::string_view block, const ElementTag &tag) {
  if (inner_parameters_ != 0) return false;
  const std::string key(block.substr(at_ + tag.name, tag.name_end - tag.name));
  if (key == block.substr(field_.name, field_.name_end - field_.name) || names_.count(key) != 0) return false;
  if (tools_.known(name) && !tools_.declares(name, key)) return false;
  size_t line = at_;
  while (line > field_.value && (block[line - 1] == ' ' || block[line - 1] == '\t')) --line;
  if (line > field_.value && block[line - 1] == '\n') return true;
  for (; one_word_ && word_ < at_; ++word_)
    one_word_ = !is_white(block[word_]) || (block[word_] == '\n' && word_ == field_.value);
  return one_word_;
}

// What ends a call stands in a value that was not closed. It ends both where nothing but the end of the section,
// another call or the end of the answer follows.
ElementReader::Step ElementReader::behind_call(std::string_view block, bool ended) {
  const size_t behind = call_end_ + (block.find('>', call_end_) + 1 - call_end_);
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  if (rest.empty() && !ended) return Step::wait;
  size_t length = 0;
  bool over = rest.empty(), partial = false;
  for (const Words *words : {&family_.section_ends, &family_.sections, &family_.openers}) {
    const TagFit found = fit_words(rest, *words, length);
    over = over || found == TagFit::yes;
    partial = partial || found == TagFit::partial;
  }
  if (partial && !over && !ended) return Step::wait;
  if (!over && !partial) {
    place_ = Place::value;
    return Step::on;
  }
  end_value(block, call_end_, behind, false);
  return end_call(call_end_, behind);
}

// An object that lost a bracket ends where its call does.
ElementReader::Step ElementReader::json(std::string_view block, bool ended) {
  while (true) {
    const size_t tag = std::min(block.find('<', at_), block.size());
    const size_t end_of_object = object_.find(block.substr(0, tag));
    size_t length = 0;
    TagFit closer = TagFit::no;
    if (end_of_object == block.npos) {
      at_ = tag;
      if (tag == block.size()) return Step::wait;
      if (!object_.quoted()) closer = fit_words(block.substr(tag), family_.closers, length);
      if (closer == TagFit::partial && !ended) return Step::wait;
    }
    if (end_of_object == block.npos && closer != TagFit::yes) {
      ++at_;
      continue;
    }
    object_end_ = at_ = std::min(end_of_object, tag);
    place_ = Place::between;
    return Step::on;
  }
}

void ElementReader::close(std::string_view block, std::string_view reason) {
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
    settle_arguments(call, block.substr(object_from_, object_end_ - object_from_), limits_.depth);
  } else {
    gather_elements(block, fields_, tags_.grammar, options_, tools_, limits_.depth, call, notes);
  }
  calls.push_back(std::move(call));
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const ElementCalls &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  if (grammar.style == ElementCalls::Style::tags) return make_tags_reader(family, grammar, options, tools, limits);
  return std::make_unique<ElementReader>(family, grammar, options, tools, limits);
}

namespace {

// The value of an argument as text of an element.
std::string element_text(std::string_view json, const ElementCalls &grammar) {
  std::string text = json_kind(json) == '"' ? json_text(json) : std::string(json);
  if (grammar.edges == ElementCalls::Edges::each) return '\n' + text + '\n';
  if (grammar.edges == ElementCalls::Edges::pair && text.starts_with('\n')) return '\n' + text + '\n';
  const bool plain = text.find_first_of("<&\n") == text.npos || text.find(kCdataClose) != text.npos;
  return grammar.cdata && !plain ? std::string(kCdataOpen).append(text).append(kCdataClose) : text;
}

void write_parameter(const ElementCalls &grammar, std::string_view key, std::string_view json, std::string &out) {
  const std::string prefix(grammar.prefix), parameter = prefix + std::string(grammar.parameter);
  std::string closer = parameter;
  out.append("<").append(parameter);
  switch (grammar.style) {
    case ElementCalls::Style::assigned: out.append("=").append(key).append(">"); break;
    case ElementCalls::Style::attribute:
      out.append(" name=\"").append(key).append("\"");
      if (grammar.json_values) out.append(json_kind(json) == '"' ? " string=\"true\"" : " string=\"false\"");
      out += '>';
      break;
    default:
      closer = prefix + std::string(grammar.value);
      out.append(">").append(key).append("</").append(parameter).append(">");
      if (grammar.lines) out += '\n';
      out.append("<").append(closer).append(">");
  }
  out.append(element_text(json, grammar)).append("</").append(closer).append(">");
}

}  // namespace

void write_call(const Family &family, const ElementCalls &grammar, const CallText &call, std::string &out) {
  if (grammar.style == ElementCalls::Style::tags) return write_tags_call(family, grammar, call, out);
  const std::string_view line = grammar.lines ? "\n" : "";
  if (!family.sections.empty()) out.append(family.sections.front()).append(line);
  out += family.openers.front();
  switch (grammar.style) {
    case ElementCalls::Style::assigned: out.append(call.name).append(">"); break;
    case ElementCalls::Style::attribute: out.append(" name=\"").append(call.name).append("\">"); break;
    default:
      out += call.name;
      if (!grammar.call.empty()) out.append("<").append(grammar.call).append(">");
  }
  out += line;
  for (JsonSlices member(call.arguments); member.next();) {
    write_parameter(grammar, member.key_text(), member.value(), out);
    out += line;
  }
  out += family.closers.front();
  if (!family.section_ends.empty()) out.append(line).append(family.section_ends.front());
}

}  // namespace sluice
