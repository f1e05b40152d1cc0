#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "protocol/family/arguments_reader.h"

namespace sluice {
namespace {

bool in_name(char c) {
  return is_alnum(c) || is_beyond_ascii(c) || std::string_view("_-.:/@$").find(c) != std::string_view::npos;
}

std::string_view without_digits(std::string_view text) {
  while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
  return text;
}

const JsonCalls &json_calls() {
  static const JsonCalls calls = {.array = true};
  return calls;
}

class NamedReader final : public ArgumentsReader {
 public:
  NamedReader(const Family &family, const NamedCalls &grammar, const ProtocolOptions &options, const ToolView &tools,
              const ScanLimits &limits)
      : ArgumentsReader(family, options, tools, limits), grammar_(grammar), options_(options) {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override { return json_ ? json_->rest(block) : ArgumentsReader::rest(block); }
  void close(std::string_view block, std::string_view reason) override;
  void settle(ParsedCall &call, std::string_view written) override;

 private:
  enum class Place : uint8_t { lead, section, name, behind_name, id, arguments, json };
  enum class Step : uint8_t { on, wait, rejected, markup, named };

  Step step(std::string_view block, bool ended);
  Step lead(std::string_view block, bool ended);
  Step section(std::string_view block, bool ended);
  Step name_run(std::string_view block, bool ended);
  Step behind_name(std::string_view block, bool ended);
  Step on_separator(std::string_view block, bool ended, size_t length);
  Step on(Place next) {
    place_ = next;
    return Step::on;
  }
  Step no_call(std::string_view why) {
    reject(why, at_);
    return Step::rejected;
  }
  // Returns whether the header is a tool's name behind a mark of calls: the call lost its arguments.
  bool is_whole(std::string_view header) const {
    return grammar_.adjacent && !family_.bare && !kind_ && !header.empty() && tools_.known(header);
  }
  Step named_as(std::string_view header);
  std::string_view tool_of(std::string_view header) const;
  State read_json(std::string_view block, bool ended);

  const NamedCalls &grammar_;
  const ProtocolOptions options_;

  Place place_ = Place::lead;
  size_t name_ = 0, name_end_ = 0;
  size_t searched_ = 0;        // in a section: no token before it
  bool kind_ = false;          // a kind was read
  bool in_arguments_ = false;  // the arguments hold the name, and the arguments
  bool noise_ = false;         // in a section: something stands before the first opener
  std::string header_;
  std::unique_ptr<BlockReader> json_;
};

BlockReader::State NamedReader::body(std::string_view block, bool ended) {
  while (true) {
    if (place_ == Place::arguments) return arguments(block, ended);
    if (place_ == Place::json) return read_json(block, ended);
    switch (step(block, ended)) {
      case Step::on: break;
      case Step::wait: return State::open;
      case Step::rejected: return State::rejected;
      case Step::markup: return State::markup;
      case Step::named: return State::open;
    }
  }
}

NamedReader::Step NamedReader::step(std::string_view block, bool ended) {
  switch (place_) {
    case Place::lead: return lead(block, ended);
    case Place::section: return section(block, ended);
    case Place::name: return name_run(block, ended);
    case Place::behind_name: return behind_name(block, ended);
    case Place::id:
      while (at_ < block.size() && in_name(block[at_])) ++at_;
      if (at_ == block.size() && !ended) return Step::wait;
      id_ = repair_utf8(block.substr(searched_, at_ - searched_));
      return on(Place::behind_name);
    case Place::arguments:
    case Place::json: break;
  }
  return Step::on;
}

NamedReader::Step NamedReader::lead(std::string_view block, bool ended) {
  for (const std::string_view section : grammar_.sections) {
    if (!block.substr(0, at_).ends_with(section)) continue;
    searched_ = at_;
    return on(Place::section);
  }
  if (family_.bare) {
    name_ = at_;
    return on(Place::name);
  }
  skip_white(block);
  name_ = at_;
  if (!grammar_.json) return on(Place::name);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return ended ? no_call("unterminated_block") : Step::wait;
  size_t length = 0;
  WordList own(family_.openers.begin(), family_.openers.end());
  own.insert(own.end(), grammar_.separators.begin(), grammar_.separators.end());
  own.push_back(grammar_.id_mark);
  const Fit found = fit(rest, own, length);
  if (found == Fit::partial && !ended) return Step::wait;
  if (found != Fit::yes) return on(rest[0] == '[' || rest[0] == '{' ? Place::json : Place::name);
  if (fit(rest, family_.openers, length) != Fit::yes) return on(Place::name);
  at_ += length;  // the opener stands twice
  return Step::on;
}

// Text between the section's opener and that of its first call belongs to the card, but is no call that lost its
// opener. If no opener follows at all, the name may stand there.
NamedReader::Step NamedReader::section(std::string_view block, bool ended) {
  const Token found = find_token(block, searched_, ended);
  if (found.partial || (found.kind == Token::Kind::none && !ended)) return Step::wait;
  skip_white(block);
  const std::string_view inside = at_ < searched_ ? block.substr(at_, searched_ - at_) : std::string_view();
  const bool separated = std::any_of(grammar_.separators.begin(), grammar_.separators.end(),
                                     [&](std::string_view one) { return inside.find(one) != std::string_view::npos; });
  noise_ = noise_ || !inside.empty();
  if (found.kind == Token::Kind::opener) {
    if (separated || inside.find_first_of("{\"'") != std::string_view::npos) fault_ = "residue_in_block";
    at_ = searched_ + found.length;
    return on(Place::lead);
  }
  if (!noise_) {  // an empty section
    end = searched_ + found.length;
    return Step::markup;
  }
  if (!separated) return no_call("missing_tool_name");
  name_ = at_;
  return on(Place::name);
}

NamedReader::Step NamedReader::name_run(std::string_view block, bool ended) {
  if (!family_.bare && name_ == at_) {
    skip_white(block);
    name_ = at_;
  }
  while (at_ < block.size() && in_name(block[at_])) ++at_;
  if (at_ == block.size() && !ended) return Step::wait;
  name_end_ = at_;
  const std::string_view header = block.substr(name_, name_end_ - name_);
  if (at_ == block.size()) return is_whole(header) ? named_as(header) : no_call("unterminated_block");
  return on(Place::behind_name);
}

NamedReader::Step NamedReader::behind_name(std::string_view block, bool ended) {
  const std::string_view header = block.substr(name_, name_end_ - name_);
  if (!header.empty() && header == grammar_.text_name && block[name_end_] == '\n') {
    end = name_end_ + 1;
    return Step::markup;
  }
  skip_white(block);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return ended ? no_call("unterminated_block") : Step::wait;
  size_t length = 0;
  WordList marks(grammar_.separators.begin(), grammar_.separators.end());
  for (const std::string_view mark : {grammar_.id_mark, grammar_.name_mark})
    if (!mark.empty() && id_.empty()) marks.push_back(mark);
  const Fit mark = kind_ ? Fit::no : fit(rest, marks, length);
  if (mark == Fit::partial && !ended) return Step::wait;
  if (mark == Fit::yes && rest.substr(0, length) == grammar_.name_mark) {
    id_ = repair_utf8(header);
    name_ = at_ += length;
    return on(Place::name);
  }
  if (mark == Fit::yes) {
    if (rest.substr(0, length) != grammar_.id_mark) return on_separator(block, ended, length);
    searched_ = at_ += length;
    return on(Place::id);
  }
  if (header.empty()) return no_call("missing_tool_name");
  const bool object = rest[0] == '{';
  if (kind_) {
    const Fit fence = fit(rest, "```", length);
    if (fence == Fit::partial && !ended) return Step::wait;
    if (object || fence == Fit::yes) return named_as(header);
  }
  if (object && grammar_.adjacent) {
    if (may_be(header)) return named_as(header);
    foreign_ = at_;
    return no_call({});
  }
  const Token found = token(rest, ended);
  if (found.partial) return Step::wait;
  const bool ends = found.kind == Token::Kind::opener || found.kind == Token::Kind::section_end;
  if (!grammar_.certain && ends && is_whole(header)) return named_as(header);
  if (!grammar_.certain || (!object && found.kind == Token::Kind::none))
    return no_call(family_.bare ? std::string_view() : "missing_tool_name");
  fault_ = "malformed_argument";
  return named_as(header);
}

// Behind the name, or behind the kind of call, which the name follows.
NamedReader::Step NamedReader::on_separator(std::string_view block, bool ended, size_t length) {
  const std::string_view header = block.substr(name_, name_end_ - name_);
  if (!grammar_.kind.empty() && header == grammar_.kind) {
    size_t next = at_ + length;
    while (next < block.size() && is_white(block[next])) ++next;
    if (next == block.size() && !ended) return Step::wait;
    if (next < block.size() && in_name(block[next])) {
      kind_ = true;
      name_ = at_ = next;
      return on(Place::name);
    }
  }
  at_ += length;
  return named_as(header);
}

NamedReader::Step NamedReader::named_as(std::string_view header) {
  place_ = Place::arguments;
  fenced_ = grammar_.fenced;
  after_value_ = grammar_.after_arguments;
  std::string_view tool = header;
  if (!grammar_.prefix.empty()) {
    id_ = header_ = repair_utf8(header);
    tool = tool_of(header);
    in_arguments_ = tool.empty() && !header.empty();
  }
  open_call(tool);
  return Step::named;
}

// Returns the tool that an id names, functions.NAME:0 and its variants. Empty: the name must stand elsewhere.
std::string_view NamedReader::tool_of(std::string_view header) const {
  std::string_view tool = header;
  if (tool.starts_with(grammar_.prefix)) tool.remove_prefix(grammar_.prefix.size());
  const std::string_view counted = without_digits(tool);
  if (counted.size() > 1 && counted.size() < tool.size() && counted.back() == ':')
    tool = counted.substr(0, counted.size() - 1);
  if (tool.size() != header.size() || tools_.known(tool)) return tool;
  const std::string_view word = grammar_.prefix.substr(0, grammar_.prefix.size() - 1);  // without its dot
  if (tool.starts_with(word) && tool.size() > word.size()) {
    tool.remove_prefix(word.size());
    if (tool.front() == '_') tool.remove_prefix(1);
    // A name may end in digits itself.
    const std::string_view least = without_digits(tool);
    for (size_t length = tool.size(); length >= least.size(); --length) {
      std::string_view one = tool.substr(0, length);
      if (tools_.known(one)) return one;
      if (one.ends_with('_')) one.remove_suffix(1);
      if (tools_.known(one) || length == least.size()) return one;
    }
  }
  return tools_.names().empty() && !tool.starts_with("call_") ? tool : std::string_view();
}

// ---- the name stands in the arguments: {"name": …, "arguments": {…}}, or nowhere ----

void NamedReader::close(std::string_view block, std::string_view reason) {
  if (json_) {
    json_->cut(block, reason);
    return take(*json_);
  }
  if (in_arguments_) {
    std::string json;
    std::optional<std::string_view> tool;
    const bool valid = json_from_literal(written(block), limits_.depth, json) && json_kind(json) == '{';
    if (valid) tool = json_member(json, "name");
    in_arguments_ = tool && json_kind(trim_json(*tool)) == '"';
    const bool numbered = without_digits(header_).empty();  // only the call's place in the conversation
    name = in_arguments_ ? json_text(trim_json(*tool)) : numbered ? std::string() : header_;
  }
  ArgumentsReader::close(block, reason);
}

void NamedReader::settle(ParsedCall &call, std::string_view written) {
  if (!in_arguments_) return ArgumentsReader::settle(call, written);
  std::string json;
  if (!json_from_literal(written, limits_.depth, json)) return;  // close has read it
  for (JsonSlices member(json); member.next();) {
    const std::string key = member.key_text();
    if (key == "arguments" || key == "parameters")
      ArgumentsReader::settle(call, member.value());
    else if (key != "name" && key != "id" && key != "type" && call.reason.empty())
      call.reason = "malformed_argument";
  }
}

// ---- JSON calls behind the opener ----

BlockReader::State NamedReader::read_json(std::string_view block, bool ended) {
  if (!json_) json_ = make_reader(family_, json_calls(), options_, tools_, limits_);
  const State state = json_->read(block, ended);
  take(*json_);
  return state;
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const NamedCalls &calls, const ProtocolOptions &options,
                                         const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<NamedReader>(family, calls, options, tools, limits);
}

void write_call(const Family &family, const NamedCalls &calls, const CallText &call, std::string &out) {
  const auto opener = std::find_if(family.openers.begin(), family.openers.end(), [&](std::string_view one) {
    return std::find(calls.sections.begin(), calls.sections.end(), one) == calls.sections.end();
  });
  const std::string_view separator = calls.separators.empty() ? std::string_view("\n") : calls.separators.front();
  if (!calls.sections.empty()) out += calls.sections.front();
  out += *opener;
  if (calls.kind_written) out.append(calls.kind).append(separator);
  if (!calls.name_mark.empty()) out.append(call.id).append(calls.name_mark);
  if (calls.prefix.empty()) {
    out += call.name;
  } else if (call.id.starts_with(calls.prefix)) {
    out += call.id;
  } else {
    const std::string_view number = call.id.substr(without_digits(call.id).size());
    out.append(calls.prefix).append(call.name).append(":").append(number.empty() ? "0" : number);
  }
  if (calls.kind_written)
    out.append("\n```json\n").append(call.arguments).append("\n```");
  else
    out.append(separator).append(call.arguments);
  if (!family.closers.empty()) out += family.closers.front();
  if (!calls.sections.empty() && !family.section_ends.empty()) out += family.section_ends.front();
}

}  // namespace sluice
