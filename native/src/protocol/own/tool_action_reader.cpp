#include <map>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/byte_finder.h"
#include "protocol/own/tool_action.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr std::string_view kName = "tool_action";
constexpr std::string_view kOpener = "<tool_action";

struct Range {
  size_t from = 0, to = 0;
  std::string_view of(std::string_view block) const { return block.substr(from, to - from); }
};

struct Field {
  Range key, value;
  bool content;  // the value stands between tags, not in an attribute
};

class ToolActionReader final : public BlockReader {
 public:
  explicit ToolActionReader(const ProtocolOptions &options) : options_(options) { finder_.add('<'); }

  State read(std::string_view block, bool ended) override;
  void cut(std::string_view block, std::string_view reason) override {
    end = at_ = block.size();
    close(block, reason);
  }
  Rest rest(std::string_view block) const override;

 private:
  enum class Place : uint8_t {
    tag,  // inside a tag, where an attribute may begin
    attribute,
    behind_attribute,
    behind_equals,
    quoted,
    bare,
    behind_quote,
    slash,    // after the slash of a tag without content
    between,  // between the parameters' tags
    key,      // in the name of a parameter's tag
    content,  // between a parameter's tags
    broken,   // in a broken parameter tag: a tag inside its strings is still not read
    done,
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected };

  Step step(std::string_view block);
  Step tag(std::string_view block);
  Step attribute(std::string_view block);
  Step behind_equals(char c);
  Step value(std::string_view block);
  Step end_value(std::string_view block, Place next);
  Step end_tag(std::string_view block, bool empty);
  Step between(std::string_view block);
  Step key(std::string_view block);
  Step content(std::string_view block);
  Step broken_tag(std::string_view why);
  Step broken(std::string_view block);
  Step go(Place place) {
    place_ = place;
    return Step::on;
  }
  Step finish(size_t next) {
    closer_ = at_;
    end = at_ = next;
    place_ = Place::done;
    return Step::done;
  }
  Step residue() {
    fault("residue_in_block");
    ++at_;
    return go(Place::between);
  }
  bool begin() {
    const bool first = !begun;
    begun = true;
    return first;
  }
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }
  bool in_value() const {
    return place_ == Place::content || ((place_ == Place::quoted || place_ == Place::bare) && !opening_);
  }
  void close(std::string_view block, std::string_view how);
  void write_arguments(std::string_view block, std::string &out);

  // -- set once
  const ProtocolOptions &options_;
  ByteFinder finder_;
  // -- position in the block
  Place place_ = Place::tag;
  size_t at_ = kOpener.size();
  bool opening_ = true;  // in the block's own tag, not in a parameter's
  bool blank_ = false;   // white space stands here, so an attribute may begin
  char quote_ = 0;
  bool half_ = false;          // the value ended in a quote and did not begin with one
  Range attribute_, written_;  // the attribute being read, and its value
  Range key_, value_;          // the parameter being read, and the value of its attribute
  bool has_value_ = false;     // the parameter has its value in an attribute
  size_t content_ = 0;         // where the parameter's content begins
  size_t closer_ = SIZE_MAX;
  bool nested_ = false;
  // -- what was read
  std::optional<Range> name_, type_, seal_;
  std::vector<Field> fields_;
  std::string_view fault_;  // the first fault
};

BlockReader::State ToolActionReader::read(std::string_view block, bool ended) {
  Step next = Step::on;
  while (next == Step::on) {
    next = place_ == Place::done ? Step::done : step(block);
    if (named) arguments_to = std::min(at_, closer_);
  }
  if (next == Step::paused || (next == Step::wait && !ended)) return State::open;
  if (next == Step::rejected) return State::rejected;
  if (!named && (nested_ || next == Step::wait)) {
    code = nested_ ? "nested_opener" : "unterminated_block";
    decided = at_;
    return State::rejected;
  }
  if (next == Step::done) {
    close(block, nested_ ? "nested_opener" : std::string_view());
    return State::closed;
  }
  const bool open_value = in_value();
  end = at_ = block.size();
  close(block, open_value ? "unterminated_argument" : "unterminated_block");
  return State::closed;
}

ToolActionReader::Step ToolActionReader::step(std::string_view block) {
  if (at_ >= block.size()) return Step::wait;
  const char c = block[at_];
  switch (place_) {
    case Place::tag: return tag(block);
    case Place::attribute: return attribute(block);
    case Place::behind_attribute:
      if (c != '=' && !is_white(c)) return broken_tag("malformed_argument");
      ++at_;
      return c == '=' ? go(Place::behind_equals) : Step::on;
    case Place::behind_equals: return behind_equals(c);
    case Place::quoted:
    case Place::bare: return value(block);
    case Place::behind_quote:
      blank_ = false;
      return is_white(c) || c == '>' || c == '/' ? go(Place::tag) : broken_tag("malformed_argument");
    case Place::slash:
      if (c != '>') return broken_tag("malformed_argument");
      ++at_;
      return end_tag(block, true);
    case Place::between: return between(block);
    case Place::key: return key(block);
    case Place::content: return content(block);
    case Place::broken: return broken(block);
    case Place::done: break;
  }
  return Step::done;
}

// A broken tag: if it is the block's own, the block is text; if it is a parameter's, the call is invalid.
ToolActionReader::Step ToolActionReader::broken_tag(std::string_view why) {
  if (opening_) {
    code = name_ ? why : "missing_tool_name";
    decided = at_;
    return Step::rejected;
  }
  fault(why);
  if (place_ != Place::behind_quote || !half_) quote_ = 0;  // else the quote began a string
  return go(Place::broken);
}

ToolActionReader::Step ToolActionReader::broken(std::string_view block) {
  for (; at_ < block.size(); ++at_) {
    const char c = block[at_];
    if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
    } else if (c == '<') {
      return go(Place::between);
    } else if (c == '>') {
      ++at_;
      return go(Place::between);
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    }
  }
  return Step::wait;
}

ToolActionReader::Step ToolActionReader::tag(std::string_view block) {
  const char c = block[at_];
  if (is_white(c)) {
    blank_ = true;
    ++at_;
    return Step::on;
  }
  if (c == '>') {
    ++at_;
    return end_tag(block, false);
  }
  if (c == '/') {
    ++at_;
    return go(Place::slash);
  }
  if (!blank_ || !in_xml_name(c)) return broken_tag("malformed_argument");
  attribute_ = {at_, at_};
  return go(Place::attribute);
}

ToolActionReader::Step ToolActionReader::attribute(std::string_view block) {
  while (at_ < block.size() && in_xml_name(block[at_])) ++at_;
  attribute_.to = at_;
  return at_ == block.size() ? Step::wait : go(Place::behind_attribute);
}

ToolActionReader::Step ToolActionReader::behind_equals(char c) {
  if (is_white(c)) {
    ++at_;
    return Step::on;
  }
  if (c == '>' || c == '<') return broken_tag("malformed_argument");
  quote_ = c;
  const bool quoted = c == '"' || c == '\'';
  half_ = false;
  at_ += quoted;
  written_ = {at_, at_};
  place_ = quoted ? Place::quoted : Place::bare;
  return begin() ? Step::paused : Step::on;
}

ToolActionReader::Step ToolActionReader::value(std::string_view block) {
  if (place_ == Place::quoted) {
    at_ = std::min(block.find(quote_, at_), block.size());
    return at_ == block.size() ? Step::wait : end_value(block, Place::behind_quote);
  }
  for (; at_ < block.size(); ++at_) {
    const char c = block[at_];
    if (c == '/' && at_ + 1 == block.size()) return Step::wait;
    const bool quote = c == '"' || c == '\'', over = is_white(c) || c == '>' || block.substr(at_).starts_with("/>");
    if (!quote && !over) continue;
    if (at_ == written_.from) return broken_tag("malformed_argument");  // no value
    half_ = quote;
    if (quote) {  // the quote before the value is missing
      fault("malformed_argument");
      quote_ = c;
    }
    return end_value(block, quote ? Place::behind_quote : Place::tag);
  }
  return Step::wait;
}

ToolActionReader::Step ToolActionReader::end_value(std::string_view block, Place next) {
  written_.to = at_;
  const std::string_view attribute = attribute_.of(block);
  if (!opening_) {
    if (attribute != "value" || has_value_) fault("malformed_argument");
    has_value_ = true;
    value_ = written_;
  } else {
    std::optional<Range> *const own = attribute == "name"                             ? &name_
                                      : attribute == "type"                           ? &type_
                                      : attribute == "seal" && !options_.seal.empty() ? &seal_
                                                                                      : nullptr;
    if (!own || (*own && (*own)->of(block) != written_.of(block)))
      fault("residue_in_block");  // unknown, or given twice with different values
    else
      *own = written_;
  }
  at_ += next == Place::behind_quote;
  blank_ = false;
  return go(next);
}

ToolActionReader::Step ToolActionReader::end_tag(std::string_view block, bool empty) {
  if (opening_) {
    if (!options_.seal.empty() && (!seal_ || seal_->of(block) != options_.seal)) {
      decided = at_;
      return Step::rejected;
    }
    opening_ = false;
    place_ = Place::between;
    arguments_from = arguments_to = at_;
    if (empty) finish(at_);
    if (name_) name = repaired(trim(from_xml(name_->of(block))));
    named = !name.empty();
    return named ? Step::paused : empty ? Step::done : Step::on;
  }
  if (!empty) {
    content_ = at_;
    return go(Place::content);
  }
  if (!has_value_) value_ = {at_, at_};
  fields_.push_back({key_, value_, false});
  return go(Place::between);
}

ToolActionReader::Step ToolActionReader::between(std::string_view block) {
  if (is_white(block[at_])) {
    ++at_;
    if (fields_.empty() && fault_.empty()) arguments_from = at_;
    return Step::on;
  }
  if (block[at_] != '<') return residue();
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  switch (fit_end_tag(rest, kName, length)) {
    case Fit::yes: return finish(at_ + length);
    case Fit::partial: return Step::wait;
    case Fit::no: break;
  }
  if (rest.size() <= kOpener.size() && kOpener.starts_with(rest)) return Step::wait;
  if (rest.starts_with(kOpener) && !in_xml_name(rest[kOpener.size()])) {
    nested_ = true;
    return finish(at_);
  }
  if (!in_xml_name(rest[1])) return residue();
  key_.from = ++at_;
  place_ = Place::key;
  return begin() ? Step::paused : Step::on;
}

ToolActionReader::Step ToolActionReader::key(std::string_view block) {
  while (at_ < block.size() && in_xml_name(block[at_])) ++at_;
  if (at_ == block.size()) return Step::wait;
  key_.to = at_;
  const char c = block[at_];
  if (!is_xml_name(key_.of(block)) || !(is_white(c) || c == '>' || c == '/')) return residue();
  has_value_ = false;
  blank_ = false;
  return go(Place::tag);
}

// Reads a value up to its end tag, or to the end tag of the block.
ToolActionReader::Step ToolActionReader::content(std::string_view block) {
  at_ = finder_.find(block, at_);
  if (at_ == block.size()) return Step::wait;
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  const Fit own = fit_end_tag(rest, key_.of(block), length);
  if (own == Fit::yes) {
    const Range text{content_, at_};
    if (has_value_ && !trim(text.of(block)).empty()) fault("malformed_argument");
    fields_.push_back({key_, has_value_ ? value_ : text, !has_value_});
    at_ += length;
    return go(Place::between);
  }
  const Fit all = fit_end_tag(rest, kName, length);
  if (all == Fit::yes) {
    fault("unterminated_argument");
    lost_from = content_;
    lost_to = at_;
    return finish(at_ + length);
  }
  if (own == Fit::partial || all == Fit::partial) return Step::wait;
  ++at_;
  return Step::on;
}

BlockReader::Rest ToolActionReader::rest(std::string_view block) const {
  if (!begun) return {};
  switch (place_) {
    case Place::quoted: return {written_.from, Quotation::until({std::string(1, quote_)})};
    case Place::bare: return {written_.from};
    case Place::content: {
      const std::string closer = "</" + std::string(key_.of(block)) + ">";
      return {content_, Quotation::until({closer, "</" + std::string(kName) + ">"})};
    }
    default: return {at_};
  }
}

void ToolActionReader::close(std::string_view block, std::string_view how) {
  if (closer_ == SIZE_MAX) closer_ = at_;
  arguments_to = closer_;
  ParsedCall call;
  call.name = name;
  call.raw_arguments = block.substr(arguments_from, closer_ - arguments_from);
  call.reason = !how.empty() ? how : !named ? std::string_view("missing_tool_name") : fault_;
  if (type_) {
    ObjectWriter reserved(call.reserved);
    append_text(reserved.value("type"), from_xml(type_->of(block)));
    reserved.close();
  }
  write_arguments(block, call.arguments);
  calls.push_back(std::move(call));
}

void ToolActionReader::write_arguments(std::string_view block, std::string &out) {
  std::vector<const Field *> kept;
  std::map<std::string_view, size_t> places;
  for (const Field &field : fields_) {
    const std::string_view key = field.key.of(block);
    const auto [place, is_new] = places.try_emplace(key, kept.size());
    if (is_new) {
      kept.push_back(&field);
      continue;
    }
    notes.push_back({"duplicate_argument", std::string(key), field.key.from});
    if (!options_.first_duplicate.value_or(false)) kept[place->second] = &field;
  }
  out += '{';
  for (const Field *field : kept) {
    if (out.size() > 1) out += ',';
    append_text(out, field->key.of(block));
    out += ':';
    std::string_view text = field->value.of(block);
    if (field->content && options_.trim.value_or(true)) text = trim(text);
    append_text(out, from_xml(text));
  }
  out += '}';
}

}  // namespace

std::unique_ptr<BlockReader> make_tool_action_reader(const ProtocolOptions &options) {
  return std::make_unique<ToolActionReader>(options);
}

}  // namespace sluice
