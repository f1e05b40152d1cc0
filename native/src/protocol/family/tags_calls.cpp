// Parameters as tags of their own in a tag that is named as the tool: <NAME><KEY>value</KEY></NAME>.
#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "protocol/byte_finder.h"
#include "protocol/family/element_arguments.h"
#include "protocol/tool_text.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

// Values are text, and text may hold tags. A value ends at the first end tag of its own that closes no start tag in it,
// or at one right before the end of the call: prose that names a tag (`the <content> element`) has no end tag for it.
// Anything else is residue, and the call is not run.
class TagsReader final : public FamilyReader {
 public:
  TagsReader(const Family &family, const TagElements &grammar, const ProtocolOptions &options, const ToolView &tools,
             const ScanLimits &limits)
      : FamilyReader(family, tools, limits), grammar_(grammar), options_(options) {
    finder_.add('<');
  }

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override;
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Place : uint8_t {
    tool,         // the call's own tag
    behind_tool,  // it had blanks, or a slash
    between,
    key,
    behind_key,
    value,
    text,          // the only value of the call, without a tag of its own
    behind_text,   // behind what ends it, up to the end of the answer
    residue,       // up to the next tag
    behind_inner,  // behind an end tag in a value that belongs to a start tag in it, or ends the value
    done,
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected };
  struct Field {
    size_t key, key_end, value, value_end;
  };

  Step step(std::string_view block);
  Step tool(std::string_view block);
  Step behind_tool(std::string_view block);
  Step between(std::string_view block);
  Step key(std::string_view block);
  Step behind_key(std::string_view block);
  Step value(std::string_view block);
  Step behind_inner(std::string_view block);
  Step text(std::string_view block);
  Step behind_text(std::string_view block);
  bool starts_text(std::string_view block);
  Step go(Place place) {
    place_ = place;
    return Step::on;
  }
  Step finish(size_t next) {
    closer_ = at_;
    end = at_ = next;
    place_ = Place::done;
    return named ? Step::done : call();
  }
  // Before the first parameter it is HTML, or prose about the format.
  Step residue(bool tag = false) {
    if (!named) {
      reject("residue_in_block", at_);
      return Step::rejected;
    }
    fault("residue_in_block");
    start_residue(tag);
    ++at_;
    return go(Place::residue);
  }
  Step behind_residue(std::string_view block);
  // The block is a call.
  Step call() {
    begun = named = true;
    return Step::paused;
  }
  void end_value(size_t at) { fields_.push_back({key_, key_end_, value_, at}); }
  std::string_view key_of(std::string_view block, const Field &field) const {
    return field.key == 0 ? std::string_view(text_key_) : block.substr(field.key, field.key_end - field.key);
  }
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }
  std::string text_of(std::string_view written) const;

  // -- set once
  const TagElements &grammar_;
  const ProtocolOptions &options_;
  ByteFinder finder_;
  // -- position in the block
  Place place_ = Place::tool;
  bool slash_ = false;
  size_t key_ = 0, key_end_ = 0, value_ = 0;
  size_t inner_ = 0;      // start tags of the same name in the value that are open
  size_t candidate_ = 0;  // an end tag that may be the value's
  size_t closer_ = SIZE_MAX;
  bool nested_ = false;
  std::string text_key_;  // the tool's parameter, if its value has no tag
  size_t text_end_ = 0;   // behind the end tag of such a call
  bool ended_ = false;    // nothing follows the block
  // -- what was read
  std::vector<Field> fields_;
  std::string_view fault_;  // the first
};

BlockReader::State TagsReader::body(std::string_view block, bool ended) {
  Step next = Step::on;
  ended_ = ended;
  while (next == Step::on) {
    next = place_ == Place::done ? Step::done : step(block);
    if (named) arguments_to = std::min(place_ == Place::key ? key_ - 1 : at_, closer_);
  }
  if (next == Step::paused || (next == Step::wait && !ended)) return State::open;
  if (next == Step::rejected) return State::rejected;
  if (next == Step::wait && !named) return reject("unterminated_block", at_);
  if (next == Step::done) {
    close(block, nested_ ? "nested_opener" : std::string_view());
    return State::closed;
  }
  closer_ = at_;
  end = at_ = block.size();
  close(block, "unterminated_block");
  return State::closed;
}

BlockReader::Rest TagsReader::rest(std::string_view block) const {
  if (place_ == Place::text) return {value_, Quotation::until({"</" + name + ">"})};
  if (place_ != Place::value && place_ != Place::behind_inner) return {begun ? at_ : 0};
  const std::string closer = "</" + std::string(block.substr(key_, key_end_ - key_)) + ">";
  return {value_, Quotation::until({closer, "</" + name + ">"})};
}

TagsReader::Step TagsReader::step(std::string_view block) {
  if (at_ >= block.size() && !(ended_ && (place_ == Place::text || place_ == Place::behind_text))) return Step::wait;
  switch (place_) {
    case Place::tool: return tool(block);
    case Place::behind_tool: return behind_tool(block);
    case Place::between: return between(block);
    case Place::key: return key(block);
    case Place::behind_key: return behind_key(block);
    case Place::value: return value(block);
    case Place::residue: return behind_residue(block);
    case Place::behind_inner: return behind_inner(block);
    case Place::text: return text(block);
    case Place::behind_text: return behind_text(block);
    case Place::done: break;
  }
  return Step::done;
}

TagsReader::Step TagsReader::tool(std::string_view block) {
  at_ = payload_ + 1;
  size_t to = at_;
  while (to < block.size() && block[to] != '>' && block[to] != '/' && !is_white(block[to])) ++to;
  if (to == block.size()) return Step::wait;
  name = block.substr(at_, to - at_);
  at_ = to;
  return go(Place::behind_tool);
}

TagsReader::Step TagsReader::behind_tool(std::string_view block) {
  const char c = block[at_];
  if (c == '>') {
    arguments_from = arguments_to = ++at_;
    return slash_ ? finish(at_) : go(Place::between);
  }
  if (slash_ || (c != '/' && !is_white(c))) {
    reject("malformed_argument", at_);
    return Step::rejected;
  }
  slash_ = c == '/';
  ++at_;
  return Step::on;
}

TagsReader::Step TagsReader::between(std::string_view block) {
  const char c = block[at_];
  if (is_white(c)) {
    ++at_;
    return Step::on;
  }
  if (c != '<') return starts_text(block) ? go(Place::text) : residue();
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  switch (fit_end_tag(rest, name, length)) {
    case Fit::yes: return finish(at_ + length);
    case Fit::partial: return Step::wait;
    case Fit::no: break;
  }
  if (!in_xml_name(rest[1])) return residue(true);
  if (!named) arguments_from = arguments_to = at_;
  key_ = ++at_;
  return go(Place::key);
}

// <NAME>text</NAME> of a tool with one text. Before the first parameter such a tag may be HTML as well, so it must
// begin its line.
bool TagsReader::starts_text(std::string_view block) {
  if (named || !begins_line || trim(block.substr(arguments_from, at_ - arguments_from)).size() != 0) return false;
  text_key_ = tools_.text_parameter(name);
  if (text_key_.empty()) return false;
  value_ = arguments_from;
  begun = true;
  return true;
}

// Reads up to the end tag, which must end its line.
TagsReader::Step TagsReader::text(std::string_view block) {
  at_ = finder_.find(block, at_);
  if (at_ == block.size()) return Step::wait;
  const std::string_view rest = block.substr(at_), behind = rest.substr(1);
  size_t length = 0;
  const Fit ends = fit_end_tag(rest, name, length);
  if (ends == Fit::partial || (behind.size() <= name.size() && name.starts_with(behind))) return Step::wait;
  if (ends == Fit::no || inner_ != 0) {
    if (ends == Fit::yes)
      --inner_;
    else if (behind.starts_with(name) && behind[name.size()] == '>')
      ++inner_;
    ++at_;
    return Step::on;
  }
  size_t to = at_ + length;
  while (to < block.size() && (block[to] == ' ' || block[to] == '\t' || block[to] == '\r')) ++to;
  if (to == block.size() && !ended_) return Step::wait;
  if (to < block.size() && block[to] != '\n') {
    reject("residue_in_block", at_);
    return Step::rejected;
  }
  closer_ = candidate_ = at_;
  text_end_ = at_ += length;
  place_ = Place::behind_text;
  return call();
}

// An end tag that is left over up to the end of the answer would mean that the value quoted the first one.
TagsReader::Step TagsReader::behind_text(std::string_view block) {
  while (!ends_known) {
    at_ = finder_.find(block, at_);
    if (at_ == block.size()) {
      if (!ended_) return Step::wait;
      ends_known = true;
      break;
    }
    const std::string_view rest = block.substr(at_), behind = rest.substr(1);
    size_t length = 0;
    const Fit ends = fit_end_tag(rest, name, length);
    if (!ended_ && (ends == Fit::partial || (behind.size() <= name.size() && name.starts_with(behind))))
      return Step::wait;
    ++at_;
    if (ends == Fit::yes && inner_-- == 0) {
      fault("unterminated_block");
      lost_from = value_;
      lost_to = at_;
      break;
    }
    if (behind.starts_with(name) && behind.substr(name.size()).starts_with('>')) ++inner_;
  }
  by_end = true;
  fields_.push_back({0, 0, value_, candidate_});
  at_ = candidate_;
  return finish(text_end_);
}

TagsReader::Step TagsReader::behind_residue(std::string_view block) {
  const bool found = pass_residue(block, [this](std::string_view rest, bool quoted) {
    size_t length = 0;
    if (rest[0] != '<') return Fit::no;
    const Fit closes = quoted ? fit_end_tag(rest, name, length) : Fit::yes;
    return closes == Fit::yes ? Fit::yes : closes == Fit::partial ? Fit::partial : Fit::no;
  });
  return found ? go(Place::between) : Step::wait;
}

TagsReader::Step TagsReader::key(std::string_view block) {
  while (at_ < block.size() && in_xml_name(block[at_])) ++at_;
  if (at_ == block.size()) return Step::wait;
  key_end_ = at_;
  slash_ = false;
  const std::string_view key = block.substr(key_, key_end_ - key_);
  if (!is_xml_name(key)) return residue(true);
  if (tools_.known(key) && !tools_.declares(name, key)) {
    at_ = key_ - 1;
    nested_ = true;
    if (named) return finish(at_);
    reject("nested_opener", at_);
    return Step::rejected;
  }
  place_ = Place::behind_key;
  return named ? Step::on : call();
}

TagsReader::Step TagsReader::behind_key(std::string_view block) {
  const char c = block[at_];
  if (c != '>' && (slash_ || (c != '/' && !is_white(c)))) {
    fault("malformed_argument");
    start_residue(true);
    return go(Place::residue);
  }
  ++at_;
  if (c != '>') {
    slash_ = c == '/';
    return Step::on;
  }
  value_ = at_;
  inner_ = 0;
  if (!slash_) return go(Place::value);
  end_value(at_);
  return go(Place::between);
}

TagsReader::Step TagsReader::value(std::string_view block) {
  at_ = finder_.find(block, at_);
  if (at_ == block.size()) return Step::wait;
  const std::string_view rest = block.substr(at_), key = block.substr(key_, key_end_ - key_);
  size_t length = 0;
  const Fit own = fit_end_tag(rest, key, length);
  if (own == Fit::yes) {
    candidate_ = at_;
    at_ += length;
    if (inner_ != 0) return go(Place::behind_inner);
    end_value(candidate_);
    return go(Place::between);
  }
  const Fit all = fit_end_tag(rest, name, length);
  if (all == Fit::yes) {
    fault("unterminated_block");
    lost_from = value_;
    lost_to = at_;
    return finish(at_ + length);
  }
  if (own == Fit::partial || all == Fit::partial) return Step::wait;
  if (rest.size() <= key.size() + 1 && key.starts_with(rest.substr(1))) return Step::wait;
  const std::string_view behind = rest.substr(1);
  if (behind.starts_with(key) && (behind[key.size()] == '>' || is_white(behind[key.size()]))) ++inner_;
  ++at_;
  return Step::on;
}

TagsReader::Step TagsReader::behind_inner(std::string_view block) {
  if (is_white(block[at_])) {
    ++at_;
    return Step::on;
  }
  size_t length = 0;
  switch (fit_end_tag(block.substr(at_), name, length)) {
    case Fit::partial: return Step::wait;
    case Fit::yes: end_value(candidate_); return finish(at_ + length);
    case Fit::no: break;
  }
  --inner_;
  return go(Place::value);
}

std::string TagsReader::text_of(std::string_view written) const {
  if (options_.trim.value_or(false)) written = trim(written);
  std::string json;
  append_text(json, grammar_.entities ? from_xml(written) : std::string(written));
  return json;
}

void TagsReader::close(std::string_view block, std::string_view reason) {
  ParsedCall call;
  call.name = repaired(name);
  arguments_to = std::min(closer_, block.size());
  call.raw_arguments = block.substr(arguments_from, arguments_to - arguments_from);
  call.reason = reason.empty() ? fault_ : reason;
  std::vector<std::pair<std::string_view, std::vector<const Field *>>> members;
  std::map<std::string_view, size_t> places;
  for (const Field &field : fields_) {
    const auto [place, is_new] = places.try_emplace(key_of(block, field), members.size());
    if (is_new) members.push_back({key_of(block, field), {}});
    std::vector<const Field *> &values = members[place->second].second;
    const bool repeats = grammar_.repeats && !options_.first_duplicate &&
                         tools_.takes_list(name, key_of(block, field)) != ToolView::List::no;
    if (!is_new && !repeats) {
      notes.push_back({"duplicate_argument", std::string(key_of(block, field)), field.key});
      if (!options_.first_duplicate.value_or(false)) values.front() = &field;
    } else {
      values.push_back(&field);
    }
  }
  call.arguments = "{";
  for (const auto &[key, values] : members) {
    if (call.arguments.size() > 1) call.arguments += ',';
    append_text(call.arguments, key);
    call.arguments += values.size() > 1 ? ":[" : ":";
    const auto takes = values.size() == 1 && grammar_.repeats && !options_.first_duplicate
                           ? tools_.takes_list(name, key)
                           : ToolView::List::no;
    for (const Field *field : values) {
      if (field != values.front()) call.arguments += ',';
      const std::string text = text_of(block.substr(field->value, field->value_end - field->value));
      if (takes < ToolView::List::only || !append_list_of(json_text(text), takes, call.arguments))
        call.arguments += text;
    }
    if (values.size() > 1) call.arguments += ']';
  }
  call.arguments += '}';
  calls.push_back(std::move(call));
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const TagElements &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  return std::make_unique<TagsReader>(family, grammar, options, tools, limits);
}

void write_call(const Family &, const TagElements &grammar, const CallText &call, std::string &out) {
  const auto element = [&](std::string_view key, std::string_view value) {
    const std::string text = text_or_json(value);
    out.append("<").append(key).append(">");
    out.append(grammar.entities ? to_xml(text) : text).append("</").append(key).append(">\n");
  };
  out.append("<").append(call.name).append(">\n");
  for (JsonSlices argument(call.arguments); argument.next();) {
    const std::string key = argument.key_text();
    if (!is_xml_name(key)) continue;  // no element can have this name
    // An array of one would read back as its element.
    size_t elements = 0;
    bool strings = grammar.repeats && json_kind(argument.value()) == '[';
    if (strings)
      for (JsonSlices one(argument.value()); one.next(); ++elements) strings = strings && json_kind(one.value()) == '"';
    if (!strings || elements < 2)
      element(key, argument.value());
    else
      for (JsonSlices one(argument.value()); one.next();) element(key, one.value());
  }
  out.append("</").append(call.name).append(">\n");
}

}  // namespace sluice
