#include <algorithm>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "base/release.h"
#include "base/text.h"
#include "protocol/loose_json.h"
#include "protocol/markers.h"
#include "protocol/vcp.h"
#include "protocol/vcp_tokens.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

using namespace vcp;

constexpr std::string_view kQuotes[] = {"\"", "'", "`", "“", "”", "‘", "’"};
constexpr std::string_view kReserved[] = {"archery",        "ink",           "river", "vref",
                                          "timely_contact", "tool_password", "maid",  "valet"};

// Without quotes, stars and commas at both ends.
std::string_view without_noise(std::string_view text) {
  const auto strip = [&](bool front) {
    for (const std::string_view noise : {"\"", "'", "`", "*", ",", "“", "”", "‘", "’", "，"}) {
      if (front && text.starts_with(noise)) return text.remove_prefix(noise.size()), true;
      if (!front && text.ends_with(noise)) return text.remove_suffix(noise.size()), true;
    }
    return false;
  };
  while (strip(true)) continue;
  while (strip(false)) continue;
  return text;
}

// Without brackets at both ends, and halves of those around a value: 「始, 始」, 」始.
std::string_view without_brackets(std::string_view text) {
  using Words = std::initializer_list<std::string_view>;
  const Words brackets = {"「", "」", "『", "』", "【", "】"}, words = {"始", "末"};
  const auto length = [](std::string_view at, bool front, const Words &some) {
    for (const std::string_view one : some)
      if (front ? at.starts_with(one) : at.ends_with(one)) return one.size();
    return size_t{0};
  };
  const auto strip = [&](bool front) {
    std::string_view rest = text;
    const auto cut = [&](const Words &some) {
      const size_t found = length(rest, front, some);
      front ? rest.remove_prefix(found) : rest.remove_suffix(found);
      return found != 0;
    };
    cut(words);
    if (!cut(brackets)) return false;
    cut(words);
    text = rest;
    return true;
  };
  do text = trim(without_noise(trim(text)));
  while (strip(true) || strip(false));
  return text;
}

// Without a fence around all of it.
std::string_view without_fence(std::string_view text) {
  text = trim(text);
  const size_t line = text.find('\n');
  if (!text.starts_with("```") || !text.ends_with("\n```") || line + 4 > text.size()) return text;
  return text.substr(line + 1, text.size() - line - 4);
}

bool is_list_mark(std::string_view token) {
  if (token == "-" || token == "+") return true;
  const size_t digits = token.find_first_not_of("0123456789");
  return digits != 0 && digits == token.size() - 1 && (token.back() == '.' || token.back() == ')');
}

// Text of an ESCAPE value → what it stands for.
std::string unescaped(std::string_view text, bool lenient) {
  std::string out;
  out.reserve(text.size());
  constexpr std::string_view kSuffix = "_ESCAPE]";
  size_t from = 0;
  while (from < text.size()) {
    const size_t at = text.find_first_of("_\xE3", from);
    if (at == std::string_view::npos) break;
    out += text.substr(from, at - from);
    const std::string_view rest = text.substr(at);
    from = at + 1;
    if (rest[0] != '_') {
      if (fit(rest, kOpenEscape, true) == Fit::yes) {
        out += kOpen;
        from = at + kOpenEscape.size();
        continue;
      }
    } else if (fit(rest, kSuffix, lenient) == Fit::yes) {
      const std::string_view behind = rest.substr(kSuffix.size());
      for (const std::string_view name : {kStart, kEnd}) {
        const size_t length = name.size() - 1;
        const size_t brackets = lenient ? 2 : 3;
        if (out.size() < length + brackets) continue;
        const std::string_view before = std::string_view(out).substr(out.size() - length - brackets);
        if (!before.starts_with(lenient ? "<<" : "<<<") || !behind.starts_with(lenient ? ">>" : ">>>")) continue;
        if (fit(before.substr(brackets), name.substr(0, length), lenient) != Fit::yes) continue;
        from = at + kSuffix.size() - 1;  // the bracket stays
        break;
      }
      if (from != at + 1) continue;
    }
    out += rest[0];
  }
  return out += text.substr(from);
}

struct VcpField {
  size_t key, key_end, value, value_end;
  bool escape;
  bool bare;  // JSON without brackets
};

struct Argument {
  std::string_view key;
  std::string json;
};
// An argument of one of several numbered commands, under its name without the number.
using Numbered = std::pair<std::string_view, const Argument *>;

// The fields of a block, sorted, duplicates settled.
struct Gathered {
  std::vector<Argument> arguments;
  std::map<std::string_view, size_t> places;                       // of arguments
  std::vector<std::pair<std::string_view, std::string>> reserved;  // few: they are found one by one
  std::optional<std::string> input;                                // lenient: input_json
  bool bare_input = false;

  std::string *reserved_field(std::string_view key) {
    for (auto &[name, text] : reserved)
      if (name == key) return &text;
    return nullptr;
  }
};

// The number that a key ends in, -1 where there is none; `base`: the length of the rest.
int64_t number_of(std::string_view key, size_t &base) {
  base = key.find_last_not_of("0123456789") + 1;
  const std::string_view digits = key.substr(base);
  uint32_t number = 0;
  if (base == 0 || (digits.size() > 1 && digits[0] == '0') || !read_integer(digits, number)) return -1;
  return number;
}

void append_member(std::string &out, std::string_view key, std::string_view json) {
  out += out.empty() ? "{" : ",";
  append_text(out, key);
  out += ':';
  out += json;
}

class VcpReader final : public BlockReader {
 public:
  VcpReader(const VcpOptions &options, const ToolView &tools, const ScanLimits &limits)
      : options_(options), tools_(tools), depth_limit_(limits.depth), most_bytes_(limits.argument_bytes) {
    finder_.add('\xE3');  // the first byte of 「
    finder_.add('<');
    escape_finder_.add('\xE3');
  }

  State read(std::string_view block, bool ended) override;
  void cut(std::string_view block, std::string_view reason) override {
    at_ = block.size();
    close(block, reason);
  }
  Rest rest(std::string_view block) const override;

 private:
  enum class Place : uint8_t {
    opener,  // the opener's last brackets
    between,
    key,
    behind_key,
    behind_colon,
    value,
    escape_value,
    bare_name,  // lenient: tool_name: x
    bare_json,  // lenient: input_json: {…}
    closer,     // the closer's last brackets
  };
  enum class Step : uint8_t { on, wait, paused, done };
  struct MarkerFit {
    Fit fit;
    bool end;  // END, or a nested START
    size_t length;
  };

  Step step(std::string_view block, bool ended);
  Step between(std::string_view rest, bool ended);
  Step key(std::string_view block, bool ended);
  Step behind_key(std::string_view block);
  Step behind_colon(std::string_view block, bool ended);
  Step value(std::string_view block);
  Step bare_name(std::string_view block, bool ended);
  Step bare_json(std::string_view block);
  Step end_field(std::string_view block, size_t value_end, size_t next, bool escape);
  bool value_opener(std::string_view rest, bool ended, bool &partial);
  void lose(size_t to) {
    if (lost_to == 0) lost_from = value_;
    lost_to = to;
  }
  Step on_marker(const MarkerFit &found);
  Step on_colon() {
    place_ = Place::behind_colon;
    new_line_ = false;
    return Step::on;
  }

  MarkerFit marker(std::string_view rest) const;
  bool skip_noise(std::string_view rest, bool ended, bool &partial);
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }
  void begin() {
    if (!begun) arguments_from = key_;
    begun = true;
  }
  bool in_value() const {
    return place_ == Place::value || place_ == Place::escape_value || place_ == Place::bare_json;
  }
  State rejected_as(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }
  void close(std::string_view block, std::string_view how);
  void write_calls(std::string_view block, ParsedCall first);
  void gather(std::string_view block, Gathered &out);
  void split(const Gathered &fields, std::map<int64_t, std::vector<Numbered>> numbered, const ParsedCall &first,
             const std::string &members);
  std::string text_of(std::string_view block, const VcpField &field) const;

  // -- set once
  const VcpOptions &options_;
  const ToolView &tools_;
  const size_t depth_limit_, most_bytes_;
  ByteFinder finder_, escape_finder_;
  // -- position in the block
  Place place_ = Place::opener;
  size_t at_ = 0;
  size_t brackets_ = 0;
  size_t key_ = 0, key_end_ = 0, value_ = 0;
  bool new_line_ = false;   // between the colon and here
  bool swallowed_ = false;  // the value holds the opener of another
  size_t json_depth_ = 0;
  bool json_string_ = false, json_escape_ = false;
  size_t closer_ = 0;
  bool nested_ = false;
  // -- what was read
  std::vector<VcpField> fields_;
  std::string_view fault_;  // the first
};

BlockReader::State VcpReader::read(std::string_view block, bool ended) {
  if (place_ == Place::opener && at_ == 0) {
    at_ = block.find(']') + 1;  // the scanner matched the opener
    brackets_ = 0;
  }
  while (true) {
    const Step next = step(block, ended);
    if (place_ != Place::closer) arguments_to = at_;
    if (next == Step::on) continue;
    if (next == Step::paused) return State::open;
    if (next == Step::done) {
      if (nested_ && !named) return rejected_as("nested_opener", closer_);
      close(block, nested_ ? "nested_opener" : std::string_view());
      return State::closed;
    }
    if (!ended) return State::open;
    const std::string_view how = in_value() ? "unterminated_argument" : "unterminated_block";
    at_ = block.size();
    if (!named) return rejected_as(how, at_);
    close(block, how);
    return State::closed;
  }
}

BlockReader::Rest VcpReader::rest(std::string_view) const {
  if (!begun) return {};
  if (!in_value()) return {at_};
  if (place_ == Place::bare_json) return {value_, Quotation::value()};
  const bool escape = place_ == Place::escape_value;
  std::vector<std::string> closers = {std::string(escape ? kCloseEscape : kClose)};
  if (!escape) closers.push_back("<<<" + std::string(kEnd) + ">>>");
  return {value_, Quotation::until(std::move(closers), true)};
}

VcpReader::Step VcpReader::step(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  switch (place_) {
    case Place::opener:
    case Place::closer:
      if (brackets_ < (options_.lenient ? 4 : 3)) {
        if (rest.empty() && !(ended && place_ == Place::closer)) return Step::wait;
        if (!rest.empty() && rest[0] == '>') {
          ++brackets_;
          ++at_;
          return Step::on;
        }
      }
      if (place_ == Place::closer) return Step::done;
      place_ = Place::between;
      return Step::on;
    case Place::between: return between(rest, ended);
    case Place::key: return key(block, ended);
    case Place::behind_key: return behind_key(block);
    case Place::behind_colon: return behind_colon(block, ended);
    case Place::value:
    case Place::escape_value: return value(block);
    case Place::bare_name: return bare_name(block, ended);
    case Place::bare_json: return bare_json(block);
  }
  return Step::wait;
}

// The marker that `rest` begins with, whose first byte is `<`.
VcpReader::MarkerFit VcpReader::marker(std::string_view rest) const {
  size_t open = 0;
  while (open < rest.size() && open < 5 && rest[open] == '<') ++open;
  const size_t least = options_.lenient ? 2 : 3, most = options_.lenient ? 4 : 3;
  if (open > most) return {Fit::no, false, 0};
  if (open == rest.size()) return {Fit::partial, false, 0};
  if (open < least) return {Fit::no, false, 0};
  for (const std::string_view word : {kEnd, kStart}) {
    const bool closes = word == kEnd;
    const Fit said = fit(rest.substr(open), word, options_.lenient);
    if (said == Fit::partial) return {said, closes, 0};
    if (said == Fit::no) continue;
    const Fit closed = fit(rest.substr(open + word.size()), options_.lenient ? ">>" : ">>>", false);
    return {closed, closes, open + word.size()};
  }
  return {Fit::no, false, 0};
}

VcpReader::Step VcpReader::on_marker(const MarkerFit &found) {
  closer_ = at_;
  arguments_to = at_;
  nested_ = !found.end;
  if (nested_) return Step::done;
  place_ = Place::closer;
  brackets_ = 0;
  at_ += found.length;
  return Step::on;
}

// Lenient: white space, commas, quotes and stars around keys and names.
bool VcpReader::skip_noise(std::string_view rest, bool ended, bool &partial) {
  if (is_white(rest[0])) return ++at_, true;
  if (!options_.lenient) return false;
  if (rest[0] == '*' || rest[0] == ',') return ++at_, true;
  for (const std::string_view noise :
       {kQuotes[0], kQuotes[1], kQuotes[2], kQuotes[3], kQuotes[4], kQuotes[5], kQuotes[6], kComma}) {
    const Fit said = fit(rest, noise, false);
    if (said == Fit::yes) return at_ += noise.size(), true;
    if (said == Fit::partial && !ended) partial = true;
  }
  return false;
}

// What opens a value opens one wherever it stands; without a key in front it is residue, and still quotes.
bool VcpReader::value_opener(std::string_view rest, bool ended, bool &partial) {
  for (const bool escape : {false, true}) {
    const std::string_view token = escape ? kOpenEscape : kOpen;
    const Fit said = fit(rest, token, true);
    if (said == Fit::partial && !ended) partial = true;
    if (said != Fit::yes) continue;
    begin();
    at_ += token.size();
    value_ = at_;
    swallowed_ = false;
    place_ = escape ? Place::escape_value : Place::value;
    return true;
  }
  return false;
}

VcpReader::Step VcpReader::between(std::string_view rest, bool ended) {
  if (rest.empty()) return Step::wait;
  bool partial = false;
  if (rest[0] == ',') {
    ++at_;
    return Step::on;
  }
  if (skip_noise(rest, ended, partial)) return Step::on;
  key_ = key_end_ = at_;
  if (value_opener(rest, ended, partial)) {
    fault("residue_in_block");
    return Step::on;
  }
  if (partial) return Step::wait;
  place_ = Place::key;
  return Step::on;
}

VcpReader::Step VcpReader::key(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  const char c = rest[0];
  bool delimiter = is_white(c) || c == ':' || c == ',';
  if (c == '<') {
    const MarkerFit found = marker(rest);
    if (found.fit == Fit::partial && !ended) return Step::wait;
    if (found.fit == Fit::yes) {
      const std::string_view before = block.substr(key_, at_ - key_);
      if (!before.empty() && !(options_.lenient && is_list_mark(before))) fault("residue_in_block");
      return on_marker(found);
    }
  }
  size_t width = 1;
  if (static_cast<unsigned char>(c) >= 0x80) {
    const size_t most = std::min(code_point_length(c), rest.size());
    while (width < most && continues_code_point(rest[width])) ++width;
    for (const std::string_view token : kDelimiters) {
      const Fit said = fit(rest, token, false);
      if (said == Fit::partial && !ended) return Step::wait;
      if (said == Fit::yes) delimiter = true;
    }
  }
  if (!delimiter) {
    at_ += width;
    return Step::on;
  }
  if (at_ == key_) {  // a delimiter where a key should be
    fault("residue_in_block");
    at_ += width;
    place_ = Place::between;
    return Step::on;
  }
  key_end_ = at_;
  place_ = Place::behind_key;
  return Step::on;
}

VcpReader::Step VcpReader::behind_key(std::string_view block) {
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  if (is_white(rest[0])) {
    // A list mark is over at the first blank: what follows is the key.
    if (options_.lenient && is_list_mark(block.substr(key_, key_end_ - key_))) {
      place_ = Place::between;
      return Step::on;
    }
    ++at_;
    return Step::on;
  }
  if (rest[0] == ':') {
    ++at_;
    return on_colon();
  }
  if (options_.lenient) {
    const Fit said = fit(rest, kColon, false);
    if (said == Fit::partial) return Step::wait;
    if (said == Fit::yes) {
      at_ += kColon.size();
      return on_colon();
    }
  }
  fault("residue_in_block");
  place_ = Place::between;
  return Step::on;
}

VcpReader::Step VcpReader::behind_colon(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  bool partial = false;
  if (value_opener(rest, ended, partial)) return Step::on;
  if (partial) return Step::wait;
  if (rest[0] == '\n' || rest[0] == '\r') new_line_ = true;
  if (skip_noise(rest, ended, partial)) return Step::on;
  if (partial) return Step::wait;
  const std::string_view key = without_noise(block.substr(key_, key_end_ - key_));
  const bool is_name = fit(key, "tool_name", true) == Fit::yes && key.size() == 9;
  const bool bare = options_.lenient && rest[0] != '<' && (is_name || fit(rest, "「", false) == Fit::no);
  if (bare && ((is_name && !new_line_) || key == "input_json")) {
    begin();
    value_ = at_;
    swallowed_ = false;
    json_depth_ = 0;
    json_string_ = json_escape_ = false;
    place_ = !is_name && (rest[0] == '{' || rest[0] == '[') ? Place::bare_json : Place::bare_name;
    return Step::on;
  }
  fault("residue_in_block");
  place_ = Place::between;
  return Step::on;
}

VcpReader::Step VcpReader::value(std::string_view block) {
  const bool escape = place_ == Place::escape_value;
  at_ = (escape ? escape_finder_ : finder_).find(block, at_);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  if (rest[0] == '<') {
    const MarkerFit found = marker(rest);
    if (found.fit == Fit::partial) return Step::wait;
    if (found.fit == Fit::yes && found.end) {
      fault("unterminated_argument");
      lose(at_);
      return on_marker(found);
    }
    ++at_;
    return Step::on;
  }
  const std::string_view token = escape ? kCloseEscape : kClose;
  Fit said = fit(rest, token, true);
  if (said == Fit::yes) {
    if (swallowed_) lose(at_);  // the closer is that of what it swallowed
    return end_field(block, at_, at_ + token.size(), escape);
  }
  if (said == Fit::no && !escape) {
    said = fit(rest, kOpen, false);
    if (said == Fit::yes) {
      fault("opener_in_value");
      swallowed_ = true;
    }
  }
  if (said == Fit::partial) return Step::wait;
  ++at_;
  return Step::on;
}

// A name without brackets ends at white space, a comma or a marker.
VcpReader::Step VcpReader::bare_name(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  if (!rest.empty()) {
    const char c = rest[0];
    bool over = is_white(c) || c == ',';
    if (c == '<') {
      const MarkerFit found = marker(rest);
      if (found.fit == Fit::partial && !ended) return Step::wait;
      over = found.fit == Fit::yes;
    }
    for (const std::string_view token : {kComma, std::string_view("「")}) {
      const Fit said = fit(rest, token, false);
      if (said == Fit::partial && !ended) return Step::wait;
      over = over || (said == Fit::yes && at_ != value_);
    }
    if (!over) {
      ++at_;
      return Step::on;
    }
  } else if (!ended) {
    return Step::wait;
  }
  return end_field(block, at_, at_, false);
}

// JSON without brackets ends where its own brackets do.
VcpReader::Step VcpReader::bare_json(std::string_view block) {
  for (; at_ < block.size(); ++at_) {
    const char c = block[at_];
    if (json_string_) {
      if (json_escape_)
        json_escape_ = false;
      else if (c == '\\')
        json_escape_ = true;
      else if (c == '"')
        json_string_ = false;
    } else if (c == '"') {
      json_string_ = true;
    } else if (c == '{' || c == '[') {
      ++json_depth_;
    } else if (c == '}' || c == ']') {
      if (--json_depth_ == 0) {
        fields_.push_back({key_, key_end_, value_, at_ + 1, false, true});
        ++at_;
        place_ = Place::between;
        return Step::on;
      }
    } else if (c == '<') {  // END ends the block here too, and the value is lost
      const MarkerFit found = marker(block.substr(at_));
      if (found.fit == Fit::partial) return Step::wait;
      if (found.fit == Fit::yes && found.end) {
        fault("unterminated_argument");
        lose(at_);
        return on_marker(found);
      }
    }
  }
  return Step::wait;
}

VcpReader::Step VcpReader::end_field(std::string_view block, size_t value_end, size_t next, bool escape) {
  const VcpField field{key_, key_end_, value_, value_end, escape, false};
  at_ = next;
  place_ = Place::between;
  if (key_end_ == key_) return Step::on;  // no argument
  std::string_view key = block.substr(key_, key_end_ - key_);
  if (options_.lenient) key = without_noise(key);
  const bool is_name =
      options_.lenient ? key.size() == 9 && fit(key, "tool_name", true) == Fit::yes : key == "tool_name";
  if (!is_name) {
    fields_.push_back(field);
    return Step::on;
  }
  if (swallowed_) return Step::on;  // no name: the fault is known
  std::string said = text_of(block, field);
  std::string_view given = trim(said);
  if (options_.lenient) given = without_brackets(given);
  if (given.empty()) return Step::on;
  if (named) {
    if (given != name) fault("duplicate_argument");  // two calls that ran together
    notes.push_back({"duplicate_argument", "tool_name", field.key});
    return Step::on;
  }
  name = given;
  named = true;
  return Step::paused;
}

// ---- the calls ----

std::string VcpReader::text_of(std::string_view block, const VcpField &field) const {
  const std::string_view text = block.substr(field.value, field.value_end - field.value);
  std::string out = field.escape ? unescaped(text, options_.lenient) : std::string(text);
  return options_.trim ? std::string(trim(out)) : out;
}

void VcpReader::close(std::string_view block, std::string_view how) {
  if (place_ != Place::closer && !nested_) closer_ = at_;
  end = nested_ ? closer_ : at_;
  ParsedCall first;
  first.name = name;
  if (!begun) arguments_from = closer_;
  arguments_to = closer_;
  first.raw_arguments = block.substr(arguments_from, closer_ - arguments_from);
  // How the block ended counts before what was wrong inside.
  first.reason = !how.empty() ? how : !named ? std::string_view("missing_tool_name") : fault_;
  write_calls(block, std::move(first));
}

void VcpReader::gather(std::string_view block, Gathered &out) {
  for (const VcpField &field : fields_) {
    std::string_view key = block.substr(field.key, field.key_end - field.key);
    if (options_.lenient) key = without_noise(key);
    std::string text = text_of(block, field);
    const bool reserved = std::find(std::begin(kReserved), std::end(kReserved), key) != std::end(kReserved);
    bool duplicate = false;
    if (reserved && !tools_.declares(name, key)) {
      std::string *const before = out.reserved_field(key);
      duplicate = before != nullptr;
      if (!duplicate)
        out.reserved.emplace_back(key, std::move(text));
      else if (!options_.first_duplicate)
        *before = std::move(text);
    } else if (options_.lenient && key == "input_json") {
      duplicate = out.input.has_value();
      if (!duplicate || !options_.first_duplicate) {
        out.input = std::move(text);
        out.bare_input = field.bare;
      }
    } else {
      const auto [place, is_new] = out.places.try_emplace(key, out.arguments.size());
      duplicate = !is_new;
      std::string json;
      append_text(json, text);
      if (is_new)
        out.arguments.push_back({key, std::move(json)});
      else if (!options_.first_duplicate)
        out.arguments[place->second].json = std::move(json);
    }
    if (duplicate) notes.push_back({"duplicate_argument", std::string(key), field.key});
  }
  // An empty or missing maid is filled from valet.
  const std::string *const valet = out.reserved_field("valet");
  if (valet == nullptr || valet->empty() || tools_.declares(name, "maid")) return;
  const std::string who = *valet;
  if (std::string *const maid = out.reserved_field("maid"); maid == nullptr)
    out.reserved.emplace_back("maid", who);
  else if (trim(*maid).empty())
    *maid = who;
}

void VcpReader::write_calls(std::string_view block, ParsedCall first) {
  Gathered fields;
  gather(block, fields);
  if (!fields.reserved.empty()) {
    ObjectWriter object(first.reserved);
    for (const auto &[key, text] : fields.reserved) append_text(object.value(key), text);
    object.close();
  }

  std::string members;  // of the arguments, from their `{` on
  if (fields.input) {
    // Without brackets nothing but strict JSON says where it ends.
    const ValueRules rules{depth_limit_, options_.first_duplicate, fields.bare_input};
    ParsedCall given;
    settle_arguments(given, without_fence(*fields.input), rules, arguments_from, notes);
    if (first.reason.empty()) first.reason = given.reason;
    if (given.reason.empty()) {
      first.typed = fields.arguments.empty();
      for (JsonSlices member(given.arguments); member.next();) {
        const std::string key = member.key_text();
        if (fields.places.count(key) == 0)
          append_member(members, key, member.value());
        else
          notes.push_back({"duplicate_argument", key, arguments_from});
      }
    }
  }

  // command1 path1 command2 path2: the numbers that have a command.
  std::map<int64_t, std::vector<Numbered>> numbered;
  size_t base = 0;
  if (options_.split)
    for (const Argument &argument : fields.arguments)
      if (const int64_t n = number_of(argument.key, base); n >= 0 && argument.key.substr(0, base) == "command")
        numbered[n];
  if (!numbered.empty()) return split(fields, std::move(numbered), first, members);

  size_t size = members.size() + 2;
  for (const Argument &argument : fields.arguments) size += argument.key.size() + argument.json.size() + 4;
  members.reserve(size);
  for (Argument &argument : fields.arguments) {
    append_member(members, argument.key, argument.json);
    release_text(argument.json);
  }
  first.arguments = std::move(members.empty() ? members += "{}" : members += '}');
  calls.push_back(std::move(first));
}

void VcpReader::split(const Gathered &fields, std::map<int64_t, std::vector<Numbered>> numbered,
                      const ParsedCall &first, const std::string &members) {
  std::vector<const Argument *> shared;
  for (const Argument &argument : fields.arguments) {
    size_t base = 0;
    const auto group = numbered.find(number_of(argument.key, base));
    if (group == numbered.end())
      shared.push_back(&argument);
    else
      group->second.emplace_back(argument.key.substr(0, base), &argument);
  }
  size_t bytes = 0;
  for (const auto &[number, own] : numbered) {
    ParsedCall &call = calls.emplace_back(first);
    if (bytes > most_bytes_) {  // what they share counts for each
      call.reason = "oversize";
      break;
    }
    bytes += call.raw_arguments.size();
    if (!call.reason.empty()) continue;
    std::set<std::string_view> names;
    for (const auto &[key, argument] : own) names.insert(key);
    call.arguments = members;
    for (const Argument *argument : shared)
      if (names.count(argument->key) == 0) append_member(call.arguments, argument->key, argument->json);
    for (const auto &[key, argument] : own) append_member(call.arguments, key, argument->json);
    call.arguments += '}';
    bytes += call.arguments.size();
  }
}

}  // namespace

std::unique_ptr<BlockReader> make_vcp_reader(const VcpOptions &options, const ToolView &tools,
                                             const ScanLimits &limits) {
  return std::make_unique<VcpReader>(options, tools, limits);
}

}  // namespace sluice
