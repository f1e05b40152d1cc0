// f(a=1, b='x'): calls as Python writes them, in a list or one behind the other. A literal of a list, a link and prose
// in brackets begin like a bare list of calls: that is one only where `[f(` goes on with `)` or with `key=` and
// something that may be a value, or an object of all arguments.
#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "protocol/family/family.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

// Python's names have no dots and dashes, but tools' names do.
bool in_python_name(char c) { return is_word(c) || c == '.' || c == '-'; }

bool is_python_name(std::string_view text) {
  if (text.empty() || !begins_word(text[0])) return false;
  for (const char c : text)
    if (!in_python_name(c)) return false;
  return true;
}

bool begins_value(char c) { return is_alnum(c) || std::string_view("\"'[{(+-.").find(c) != std::string_view::npos; }

// The only bytes of a call outside strings, besides its brackets.
bool in_call(char c) {
  return in_python_name(c) || is_white(c) || std::string_view(",=:+*").find(c) != std::string_view::npos;
}

class PythonReader final : public FamilyReader {
 public:
  PythonReader(const Family &family, const PythonCalls &grammar, const ProtocolOptions &options, const ToolView &tools,
               const ScanLimits &limits)
      : FamilyReader(family, tools, limits), grammar_(grammar), options_(options) {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override {
    if (json_) return json_->rest(block);
    if (calls_.empty() || calls_.back().from == 0) return {};
    if (place_ == Place::arguments) return {calls_.back().from - 1, Quotation::value(true)};
    return {at_};
  }
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Place : uint8_t {
    start,
    name,
    // a bare list, behind the first call's name: it may still be text
    promised_key,
    promised_name,
    promised_equals,
    promised_value,
    arguments,
    between,
    lost,  // the brackets do not match: only the closer ends the block
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected };
  struct Call {
    size_t name, name_end;
    size_t from = 0, to = 0;  // what stands between its parentheses; to = 0: they are open
    size_t fields = 0;        // the first one of fields_
    bool wrong = false;
  };
  struct Field {
    size_t from, equals, to;  // key=value; equals = npos: an object of all arguments
  };
  enum class Mark : uint8_t { none, partial, closer, section_end, opener };
  enum class Quote : uint8_t { unknown, end, inner };

  Step step(std::string_view block);
  Step start(std::string_view block);
  Step tool_name(std::string_view block);
  Step promised(std::string_view block);
  Step promised_end(std::string_view block);
  Step open_call(std::string_view block);
  Step arguments(std::string_view block);
  Step open_call_ends(Mark found, size_t length);
  Step string(std::string_view block);
  Step doubtful_string(std::string_view block);
  Quote quote(std::string_view block, size_t at);
  Step bracket(std::string_view block);
  Step on_mark(Mark mark, size_t length, std::string_view at_closer);
  Step between(std::string_view block);
  Step lost(std::string_view block);
  Step no_call() {
    reject(bare_ ? "" : "missing_tool_name", at_);
    return Step::rejected;
  }
  Step done(size_t where, std::string_view reason = {}) {
    end = where;
    reason_ = reason;
    return Step::done;
  }
  Step residue();
  Step broken(size_t where);
  State finish(std::string_view block);
  State read_json(std::string_view block, bool ended);
  Mark mark(std::string_view rest, size_t &length) const;
  // The name, without the method that is called of the tool.
  std::string tool_of(std::string_view block, const Call &call) const {
    std::string_view tool = block.substr(call.name, call.name_end - call.name);
    const std::string_view method = grammar_.method;
    if (!method.empty() && tool.size() > method.size() && tool.ends_with(method) && !tools_.known(tool))
      tool.remove_suffix(method.size());
    return repaired(tool);
  }
  void end_field(std::string_view block, bool last);
  std::string_view escaped(std::string_view block, size_t from, size_t to, std::string &held) const;
  void write_arguments(std::string_view block, const Call &call, size_t fields_end, ParsedCall &out);

  // -- set once
  const PythonCalls &grammar_;
  const ProtocolOptions &options_;
  bool bare_ = false;  // this block began with an ordinary bracket
  // -- position in the block
  Place place_ = Place::start;
  bool listed_ = false;   // in a list that is open
  std::string brackets_;  // that are open, from the call's own parenthesis
  bool in_string_ = false;
  ValueEnd string_;
  size_t string_from_ = 0, string_to_ = 0;  // to: behind a quote that may end it
  size_t behind_quote_ = 0;                 // white space, up to here
  // The string holds an unescaped quote; an inner quote is open; a backslash came last.
  bool doubtful_ = false, quoting_ = false, escape_ = false;
  size_t field_ = 0, equals_ = std::string_view::npos;
  // -- what was read
  std::vector<Call> calls_;
  std::vector<Field> fields_;
  std::vector<size_t> inner_quotes_;  // of strings
  std::string_view fault_;            // of the whole block
  std::string_view reason_;           // how it ended
  std::unique_ptr<BlockReader> json_;
};

BlockReader::State PythonReader::body(std::string_view block, bool ended) {
  if (at_ == payload_ && place_ == Place::start) {
    listed_ = payload_ != 0 && block[payload_ - 1] == '[';
    bare_ = listed_ && block[0] == '[';
  }
  while (!json_) {
    const Step next = step(block);
    if (named && calls_.size() == 1) arguments_to = calls_[0].to != 0 ? calls_[0].to : at_;
    switch (next) {
      case Step::on: break;
      case Step::paused: return State::open;
      case Step::wait: return ended ? finish(block) : State::open;
      case Step::done: close(block, reason_); return State::closed;
      case Step::rejected: return State::rejected;
    }
  }
  return read_json(block, ended);
}

PythonReader::Step PythonReader::step(std::string_view block) {
  switch (place_) {
    case Place::start: return start(block);
    case Place::name: return tool_name(block);
    case Place::promised_key:
    case Place::promised_name:
    case Place::promised_equals:
    case Place::promised_value: return promised(block);
    case Place::arguments: return arguments(block);
    case Place::between: return between(block);
    case Place::lost: return lost(block);
  }
  return Step::wait;
}

// The answer has ended, and the block is open.
BlockReader::State PythonReader::finish(std::string_view block) {
  if (!named) return reject(bare_ ? "" : "unterminated_block", at_);
  end = block.size();
  const bool complete = place_ == Place::between && !listed_ && (family_.closers.empty() || family_.stops);
  by_end = complete && !family_.closers.empty();
  close(block, complete ? std::string_view() : "unterminated_block");
  return State::closed;
}

BlockReader::State PythonReader::read_json(std::string_view block, bool ended) {
  const State state = json_->read(block, ended);
  take(*json_);
  return state;
}

PythonReader::Mark PythonReader::mark(std::string_view rest, size_t &length) const {
  bool partial = false;
  for (const auto &[words, kind] :
       {std::pair{&family_.closers, Mark::closer}, std::pair{&family_.section_ends, Mark::section_end},
        std::pair{&family_.openers, Mark::opener}})
    for (const std::string_view word : *words) {
      if (word.size() == 1) continue;  // a bracket
      const Fit found = fit_mark(rest, word, length);
      if (found == Fit::yes) return kind;
      partial = partial || found == Fit::partial;
    }
  return partial ? Mark::partial : Mark::none;
}

// `at_closer`: what the block lacks where a closer or the section's end comes here.
PythonReader::Step PythonReader::on_mark(Mark mark, size_t length, std::string_view at_closer) {
  if (mark == Mark::opener) return done(at_, "nested_opener");
  return done(mark == Mark::closer ? at_ + length : at_, at_closer);
}

PythonReader::Step PythonReader::start(std::string_view block) {
  skip_white(block);
  if (at_ == block.size()) return Step::wait;
  const char c = block[at_];
  if (c == '[' && !listed_) {
    listed_ = true;
    ++at_;
    return Step::on;
  }
  if (c == '{' && grammar_.json && !bare_) {
    static const JsonCalls kJsonCalls;
    json_ = make_reader(family_, kJsonCalls, options_, tools_, limits_);
    return Step::on;
  }
  if (in_python_name(c)) {
    calls_.push_back({at_, at_});
    place_ = Place::name;
    return Step::on;
  }
  if (bare_ || listed_) return no_call();  // an empty list calls nothing
  size_t length = 0;
  switch (mark(block.substr(at_), length)) {
    case Mark::partial: return Step::wait;
    case Mark::closer: return done(at_ + length, "missing_tool_name");
    default: return no_call();
  }
}

PythonReader::Step PythonReader::tool_name(std::string_view block) {
  while (at_ < block.size() && in_python_name(block[at_])) ++at_;
  if (at_ == block.size()) return Step::wait;
  Call &call = calls_.back();
  call.name_end = at_;
  if (block[at_] != '(') {
    if (!named) return no_call();
    at_ = call.name;
    calls_.pop_back();
    return residue();
  }
  call.from = ++at_;
  if (grammar_.known && !named && !exists(tool_of(block, call))) {
    reject({}, at_);
    return Step::rejected;
  }
  if (!bare_ || named) return open_call(block);
  if (!may_be(block.substr(call.name, call.name_end - call.name))) return no_call();
  place_ = Place::promised_key;
  return Step::on;
}

PythonReader::Step PythonReader::promised(std::string_view block) {
  if (place_ == Place::promised_name) {
    while (at_ < block.size() && in_python_name(block[at_])) ++at_;
    if (at_ < block.size()) place_ = Place::promised_equals;
  }
  skip_white(block);
  if (at_ == block.size()) return Step::wait;
  const char c = block[at_];
  if (place_ == Place::promised_key && begins_word(c)) {
    place_ = Place::promised_name;
  } else if (place_ == Place::promised_equals && c == '=') {
    place_ = Place::promised_value;
    ++at_;
  } else if (place_ == Place::promised_value && begins_value(c)) {
    return open_call(block);
  } else if (place_ == Place::promised_key) {
    return promised_end(block);
  } else {
    return no_call();
  }
  return Step::on;
}

// No arguments, or one object of all.
PythonReader::Step PythonReader::promised_end(std::string_view block) {
  constexpr std::string_view kObject = "**{";
  const std::string_view rest = block.substr(at_);
  const Call &call = calls_.back();
  const bool object =
      rest[0] == '{' && tools_.known(block.substr(call.name, call.name_end - call.name)) && !tools_.names().empty();
  if (rest[0] == ')' || object || rest.starts_with(kObject)) return open_call(block);
  return kObject.starts_with(rest) ? Step::wait : no_call();
}

PythonReader::Step PythonReader::open_call(std::string_view block) {
  Call &call = calls_.back();
  call.fields = fields_.size();
  place_ = Place::arguments;
  brackets_ = "(";
  field_ = at_ = call.from;
  equals_ = std::string_view::npos;
  if (named) return Step::on;
  name = tool_of(block, call);
  begun = named = true;
  arguments_from = arguments_to = call.from;
  return Step::paused;
}

PythonReader::Step PythonReader::arguments(std::string_view block) {
  if (in_string_) return doubtful_ ? doubtful_string(block) : string(block);
  if (at_ == block.size()) return Step::wait;
  const char c = block[at_];
  if (c == '"' || c == '\'') {
    string_.start(at_, true);
    string_from_ = at_;
    string_to_ = 0;
    in_string_ = true;
    quoting_ = escape_ = false;
    return Step::on;
  }
  if (std::string_view("()[]{}").find(c) != std::string_view::npos) return bracket(block);
  const bool outermost = brackets_.size() == 1;
  if (c == ',' && outermost) {
    end_field(block, false);
    field_ = at_ + 1;
  } else if (c == '=' && outermost && equals_ == std::string_view::npos) {
    equals_ = at_;
  } else if (!in_call(c)) {
    size_t length = 0;
    const Mark found = mark(block.substr(at_), length);
    if (found == Mark::partial) return Step::wait;
    if (found != Mark::none) return open_call_ends(found, length);
    calls_.back().wrong = true;
  }
  ++at_;
  return Step::on;
}

// A stop stands in a call, which is broken, or where a call ended without its closer.
PythonReader::Step PythonReader::open_call_ends(Mark found, size_t length) {
  calls_.back().to = at_;
  calls_.back().wrong = true;
  if (calls_.size() > 1) {
    calls_.pop_back();
    fault_ = "residue_in_block";
  }
  return on_mark(found, length, {});
}

// Reads up to the string's quote.
PythonReader::Step PythonReader::string(std::string_view block) {
  if (string_to_ == 0) {
    const size_t behind = string_.find(block);
    at_ = std::min(behind, block.size());
    if (behind == std::string_view::npos) return Step::wait;
    string_to_ = behind_quote_ = behind;
  }
  const char mark = block[string_from_];
  const bool raw = string_from_ != 0 && (block[string_from_ - 1] | 0x20) == 'r';
  const bool triple = block[string_from_ + 1] == mark;  // or empty
  const Quote found = raw || triple ? Quote::end : quote(block, string_to_ - 1);
  if (found == Quote::unknown) return Step::wait;
  in_string_ = doubtful_ = found == Quote::inner;
  return Step::on;
}

// A quote of the string's own kind was text: a stop ends such a string as well.
PythonReader::Step PythonReader::doubtful_string(std::string_view block) {
  for (; at_ < block.size(); ++at_) {
    const char c = block[at_];
    if (escape_ || c == '\\') {
      escape_ = !escape_;
      continue;
    }
    if (c == block[string_from_]) {
      behind_quote_ = std::max(behind_quote_, at_ + 1);
      const Quote found = quote(block, at_);
      if (found == Quote::unknown) return Step::wait;
      if (found == Quote::inner) continue;
      in_string_ = doubtful_ = false;
      ++at_;
      return Step::on;
    }
    size_t length = 0;
    const Mark found = mark(block.substr(at_), length);
    if (found == Mark::partial) return Step::wait;
    if (found == Mark::none) continue;
    lost_from = string_from_;
    lost_to = at_;
    calls_.back().to = at_;
    return on_mark(found, length, "unterminated_block");
  }
  return Step::wait;
}

// Models forget to escape quotes in strings: apostrophes, and pairs that quote something. If an expression may follow
// the quote, it ends the string, and the value is wrong.
PythonReader::Quote PythonReader::quote(std::string_view block, size_t at) {
  constexpr std::string_view kBefore = " \t\n\r=([{,:|&;<>/\"'`", kNoValue = "+%\"'";
  if (at + 1 == block.size()) return Quote::unknown;
  const char before = block[at - 1], behind = block[at + 1];
  const bool apostrophe = is_word(before) && is_word(behind);
  if (!apostrophe && !quoting_) {
    while (behind_quote_ < block.size() && is_white(block[behind_quote_])) ++behind_quote_;
    if (behind_quote_ == block.size()) return Quote::unknown;
    const bool ends = std::string_view(",)]}:").find(block[behind_quote_]) != std::string_view::npos;
    const bool opens = kBefore.find(before) != std::string_view::npos && !is_white(behind) &&
                       kNoValue.find(behind) == std::string_view::npos;
    if (ends || !opens) return Quote::end;
  }
  if (!apostrophe) quoting_ = !quoting_;
  inner_quotes_.push_back(at);
  return Quote::inner;
}

PythonReader::Step PythonReader::bracket(std::string_view block) {
  const char c = block[at_];
  if (c == '(' || c == '[' || c == '{') {
    if (brackets_.size() > limits_.depth) calls_.back().wrong = true;
    brackets_ += c;
    ++at_;
    return Step::on;
  }
  const char opened = c == ')' ? '(' : c == ']' ? '[' : '{';
  if (brackets_.back() != opened) return broken(at_ + 1);
  brackets_.pop_back();
  if (brackets_.empty()) {
    end_field(block, true);
    calls_.back().to = at_;
    place_ = Place::between;
  }
  ++at_;
  return Step::on;
}

// `last`: the call ends here, and nothing may stand behind its last comma.
void PythonReader::end_field(std::string_view block, bool last) {
  Call &call = calls_.back();
  const Field field{field_, equals_, at_};
  equals_ = std::string_view::npos;
  if (call.wrong) return;
  const std::string_view text = trim(block.substr(field.from, field.to - field.from));
  if (text.empty() && last) return;
  const bool alone = fields_.size() == call.fields;
  if (field.equals == std::string_view::npos)
    call.wrong = !alone || !(text.starts_with('{') || text.starts_with("**"));
  else
    call.wrong = (!alone && fields_.back().equals == std::string_view::npos) ||
                 !is_python_name(trim(block.substr(field.from, field.equals - field.from))) ||
                 trim(block.substr(field.equals + 1, field.to - field.equals - 1)).empty();
  if (!call.wrong) fields_.push_back(field);
}

PythonReader::Step PythonReader::between(std::string_view block) {
  while (at_ < block.size() && (is_white(block[at_]) || block[at_] == ',')) ++at_;
  if (at_ == block.size()) return Step::wait;
  const char c = block[at_];
  if (in_python_name(c)) {
    calls_.push_back({at_, at_});
    place_ = Place::name;
    return Step::on;
  }
  if (listed_ ? c == ']' : c == '[') {
    ++at_;
    listed_ = !listed_;
    return family_.closers.empty() || bare_ ? done(at_) : Step::on;
  }
  if (bare_) return residue();
  size_t length = 0;
  const Mark found = mark(block.substr(at_), length);
  if (found == Mark::partial) return Step::wait;
  if (found == Mark::none) return residue();
  return on_mark(found, length, listed_ ? "unterminated_block" : std::string_view());
}

// Text stands behind a call. A bare list ends before it.
PythonReader::Step PythonReader::residue() {
  fault_ = "residue_in_block";
  if (bare_ || family_.closers.empty()) return done(calls_.back().to + 1);
  start_residue();
  place_ = Place::lost;
  return Step::on;
}

PythonReader::Step PythonReader::broken(size_t where) {
  calls_.back().wrong = true;
  calls_.back().to = at_;
  if (bare_ || family_.closers.empty()) return done(where);
  start_residue();
  place_ = Place::lost;
  return Step::on;
}

PythonReader::Step PythonReader::lost(std::string_view block) {
  Mark found = Mark::none;
  size_t length = 0;
  const bool ends = pass_residue(block, [&](std::string_view rest, bool quoted) {
    found = mark(rest, length);
    if (found == Mark::partial) return Fit::partial;
    return found == Mark::none || (found == Mark::opener && quoted) ? Fit::no : Fit::yes;
  });
  return ends ? on_mark(found, length, {}) : Step::wait;
}

// ---- calls ----

void PythonReader::close(std::string_view block, std::string_view reason) {
  if (json_) {
    json_->cut(block, reason);
    return take(*json_);
  }
  if (named && calls_.back().from == 0) calls_.pop_back();  // only a name
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Call &one = calls_[i];
    const size_t to = one.to != 0 ? one.to : end;
    ParsedCall call;
    call.name = tool_of(block, one);
    call.raw_arguments = block.substr(one.from, to - one.from);
    call.arguments = "{}";
    call.typed = true;
    call.reason = !reason.empty() ? reason : one.wrong ? "malformed_argument" : std::string_view();
    if (call.reason.empty())
      write_arguments(block, one, i + 1 < calls_.size() ? calls_[i + 1].fields : fields_.size(), call);
    if (call.reason.empty()) call.reason = fault_;
    calls.push_back(std::move(call));
  }
  if (!calls.empty()) {
    arguments_to = arguments_from + calls[0].raw_arguments.size();
    return;
  }
  calls.emplace_back().arguments = "{}";
  calls.back().typed = true;
  calls.back().reason = reason;
}

// Returns the string with a backslash before each quote that lacks it.
std::string_view PythonReader::escaped(std::string_view block, size_t from, size_t to, std::string &held) const {
  auto quote = std::lower_bound(inner_quotes_.begin(), inner_quotes_.end(), from);
  if (quote == inner_quotes_.end() || *quote >= to) return block.substr(from, to - from);
  held.clear();
  for (; quote != inner_quotes_.end() && *quote < to; ++quote) {
    held.append(block, from, *quote - from).append("\\");
    from = *quote;
  }
  return held.append(block, from, to - from);
}

void PythonReader::write_arguments(std::string_view block, const Call &call, size_t fields_end, ParsedCall &out) {
  std::string object, held;
  for (size_t i = call.fields; i < fields_end; ++i) {
    const Field &field = fields_[i];
    const bool all = field.equals == std::string_view::npos;  // an object of all arguments
    const size_t from = all ? field.from : field.equals + 1;
    std::string_view text = trim(escaped(block, from, field.to, held));
    if (all && text.starts_with("**")) text.remove_prefix(2);
    std::string json;
    if (!json_from_python(text, limits_.depth - (all ? 0 : 1), json) || (all && json_kind(json) != '{')) {
      out.reason = "malformed_argument";
      return;
    }
    if (!all) {
      append_text(object += i == call.fields ? '{' : ',', trim(block.substr(field.from, field.equals - field.from)));
      object += ':';
    }
    object += json;
    if (!all && i + 1 == fields_end) object += '}';
  }
  if (!object.empty())
    out.arguments = settle_duplicates(object, options_.first_duplicate.value_or(false), call.from, notes);
}

// ---- writing ----

// JSON as Python writes it; its strings are the same in both.
void append_python(std::string &out, std::string_view json) {
  const std::string text = compact_json(json);
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      ValueEnd string;
      string.start(at);
      const size_t end = string.find(text);
      out.append(text, at, end - at);
      at = end;
      continue;
    }
    const std::string_view rest = std::string_view(text).substr(at);
    const std::string_view word = rest.starts_with("true")    ? "True"
                                  : rest.starts_with("false") ? "False"
                                  : rest.starts_with("null")  ? "None"
                                                              : rest.substr(0, 1);
    out += word;
    at += word.size();
  }
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const PythonCalls &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  return std::make_unique<PythonReader>(family, grammar, options, tools, limits);
}

void write_call(const Family &family, const PythonCalls &grammar, const CallText &call, std::string &out) {
  if (grammar.json && !is_python_name(call.name)) return write_call(family, JsonCalls{}, call, out);
  const std::string_view opener = family.openers.front();
  out += opener;
  if (grammar.list && opener != "[") out += '[';
  out.append(call.name).append("(");
  bool named = true;
  for (JsonSlices argument(call.arguments); argument.next();) named = named && is_python_name(argument.key_text());
  if (!named) {
    out += "**";
    append_python(out, call.arguments);
  } else {
    bool first = true;
    for (JsonSlices argument(call.arguments); argument.next(); first = false) {
      if (!first) out += ", ";
      out.append(argument.key_text()).append("=");
      append_python(out, argument.value());
    }
  }
  out += ')';
  if (grammar.list) out += ']';
  if (!family.closers.empty()) out += family.closers.front();
  out += '\n';
}

}  // namespace sluice
