#include "protocol/vcp.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "protocol/markers.h"

namespace sluice {
namespace {

constexpr std::string_view kOpen = "「始」", kClose = "「末」";
constexpr std::string_view kOpenEscape = "「始ESCAPE」", kCloseEscape = "「末ESCAPE」";
constexpr std::string_view kStart = "[TOOL_REQUEST]", kEnd = "[END_TOOL_REQUEST]";
constexpr std::string_view kColon = "：", kComma = "，";
// What no key holds besides white space and ASCII colons and commas.
constexpr std::string_view kDelimiters[] = {kColon, kComma, "「", "」"};
constexpr std::string_view kQuotes[] = {"\"", "'", "`", "“", "”", "‘", "’"};
constexpr std::string_view kReserved[] = {"archery",        "ink",           "river", "vref",
                                          "timely_contact", "tool_password", "maid",  "valet"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

enum class Fit : uint8_t { no, partial, yes };

// Does `text` begin with `token`? partial: it ends before that is known.
Fit fit(std::string_view text, std::string_view token, bool fold) {
  const size_t n = std::min(text.size(), token.size());
  for (size_t i = 0; i < n; ++i)
    if (fold ? lower(text[i]) != lower(token[i]) : text[i] != token[i]) return Fit::no;
  return n == token.size() ? Fit::yes : Fit::partial;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

size_t code_point_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

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

bool is_list_mark(std::string_view token) {
  if (token == "-" || token == "+") return true;
  const size_t digits = token.find_first_not_of("0123456789");
  return digits != 0 && digits == token.size() - 1 && (token.back() == '.' || token.back() == ')');
}

void append_text(std::string &out, std::string_view text) {
  if (is_utf8(text))
    append_json_string(out, text);
  else
    append_json_string(out, repair_utf8(text));
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

struct Field {
  size_t key, key_end, value, value_end;
  bool escape;
};

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
  Step bare_json(std::string_view rest);
  Step end_field(std::string_view block, size_t value_end, size_t next, bool escape);
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
  State rejected_as(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }
  void close(std::string_view block, std::string_view how);
  void write_calls(std::string_view block, ParsedCall first);
  std::string text_of(std::string_view block, const Field &field) const;

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
  std::vector<Field> fields_;
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
    if (!named) return rejected_as("unterminated_block", block.size());
    const bool open_value = place_ == Place::value || place_ == Place::escape_value || place_ == Place::bare_json;
    at_ = block.size();
    close(block, open_value ? "unterminated_argument" : "unterminated_block");
    return State::closed;
  }
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
    case Place::bare_json: return bare_json(rest);
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

VcpReader::Step VcpReader::between(std::string_view rest, bool ended) {
  if (rest.empty()) return Step::wait;
  bool partial = false;
  if (rest[0] == ',') {
    ++at_;
    return Step::on;
  }
  if (skip_noise(rest, ended, partial)) return Step::on;
  if (partial) return Step::wait;
  place_ = Place::key;
  key_ = at_;
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
    width = std::min(code_point_length(c), rest.size());
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
  for (const bool escape : {false, true}) {
    const std::string_view token = escape ? kOpenEscape : kOpen;
    const Fit said = fit(rest, token, true);
    if (said == Fit::no) continue;
    if (said == Fit::partial) {
      if (!ended) return Step::wait;
      continue;
    }
    begin();
    at_ += token.size();
    value_ = at_;
    swallowed_ = false;
    place_ = escape ? Place::escape_value : Place::value;
    return Step::on;
  }
  bool partial = false;
  if (rest[0] == '\n' || rest[0] == '\r') new_line_ = true;
  if (skip_noise(rest, ended, partial)) return Step::on;
  if (partial) return Step::wait;
  const std::string_view key = without_noise(block.substr(key_, key_end_ - key_));
  const bool is_name = fit(key, "tool_name", true) == Fit::yes && key.size() == 9;
  const bool bare = options_.lenient && rest[0] != '<' && fit(rest, "「", false) == Fit::no;
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
      return on_marker(found);
    }
    ++at_;
    return Step::on;
  }
  const std::string_view token = escape ? kCloseEscape : kClose;
  Fit said = fit(rest, token, true);
  if (said == Fit::yes) return end_field(block, at_, at_ + token.size(), escape);
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
      over = over || said == Fit::yes;
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
VcpReader::Step VcpReader::bare_json(std::string_view rest) {
  for (const char c : rest) {
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
        fields_.push_back({key_, key_end_, value_, at_ + 1, false});
        ++at_;
        place_ = Place::between;
        return Step::on;
      }
    } else if (c == '<') {
      return Step::on;
    }
    ++at_;
  }
  return Step::wait;
}

VcpReader::Step VcpReader::end_field(std::string_view block, size_t value_end, size_t next, bool escape) {
  const Field field{key_, key_end_, value_, value_end, escape};
  at_ = next;
  place_ = Place::between;
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
  std::string_view given = trimmed(said);
  if (options_.lenient) given = trimmed(without_noise(given));
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

std::string VcpReader::text_of(std::string_view block, const Field &field) const {
  const std::string_view text = block.substr(field.value, field.value_end - field.value);
  std::string out = field.escape ? unescaped(text, options_.lenient) : std::string(text);
  return options_.trim ? std::string(trimmed(out)) : out;
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

void VcpReader::write_calls(std::string_view block, ParsedCall first) {
  struct Argument {
    std::string_view key;
    std::string json;
  };
  std::vector<Argument> arguments;
  std::unordered_map<std::string_view, size_t> places;
  std::vector<std::pair<std::string_view, std::string>> reserved;
  std::optional<std::string> input;

  const auto put = [&](std::string_view key, std::string json, size_t at) {
    const auto [place, is_new] = places.try_emplace(key, arguments.size());
    if (is_new) {
      arguments.push_back({key, std::move(json)});
      return;
    }
    notes.push_back({"duplicate_argument", std::string(key), at});
    if (!options_.first_duplicate) arguments[place->second].json = std::move(json);
  };
  for (const Field &field : fields_) {
    std::string_view key = block.substr(field.key, field.key_end - field.key);
    if (options_.lenient) key = without_noise(key);
    std::string text = text_of(block, field);
    const bool own = std::find(std::begin(kReserved), std::end(kReserved), key) != std::end(kReserved);
    if (own && !tools_.declares(name, key)) {
      const auto same =
          std::find_if(reserved.begin(), reserved.end(), [&](const auto &one) { return one.first == key; });
      if (same == reserved.end()) {
        reserved.emplace_back(key, std::move(text));
      } else {
        notes.push_back({"duplicate_argument", std::string(key), field.key});
        if (!options_.first_duplicate) same->second = std::move(text);
      }
      continue;
    }
    if (options_.lenient && key == "input_json") {
      if (input) notes.push_back({"duplicate_argument", std::string(key), field.key});
      if (!input || !options_.first_duplicate) input = std::move(text);
      continue;
    }
    std::string json;
    append_text(json, text);
    put(key, std::move(json), field.key);
  }

  // maid is filled from valet
  const auto value_of = [&](std::string_view key) {
    return std::find_if(reserved.begin(), reserved.end(), [&](const auto &one) { return one.first == key; });
  };
  if (const auto valet = value_of("valet");
      valet != reserved.end() && !valet->second.empty() && !tools_.declares(name, "maid")) {
    const auto maid = value_of("maid");
    const std::string who = valet->second;
    if (maid == reserved.end())
      reserved.emplace_back("maid", who);
    else if (trimmed(maid->second).empty())
      maid->second = who;
  }
  if (!reserved.empty()) {
    ObjectWriter object(first.reserved);
    for (const auto &[key, text] : reserved) append_text(object.value(key), text);
    object.close();
  }

  std::string all;
  const auto append = [](std::string &out, std::string_view key, std::string_view json) {
    out += out.empty() ? "{" : ",";
    append_text(out, key);
    out += ':';
    out += json;
  };
  if (input) {
    if (!check_json(*input, depth_limit_).ok()) {
      if (first.reason.empty()) first.reason = "invalid_json";
    } else if (json_kind(*input) != '{') {
      if (first.reason.empty()) first.reason = "arguments_not_object";
    } else if (arguments.empty()) {
      first.typed = true;
      all = compact_json(*input);
    } else {
      for (JsonSlices members(*input); members.next();) {
        const std::string key = members.key_text();
        if (places.count(key) == 0)
          append(all, key, members.value());
        else
          notes.push_back({"duplicate_argument", key, 0});
      }
    }
  }

  // command1 path1 command2 path2: the numbers that have a command.
  constexpr std::string_view kCommand = "command";
  const auto number_of = [](std::string_view key, size_t &base) {
    base = key.find_last_not_of("0123456789") + 1;
    const std::string_view digits = key.substr(base);
    uint32_t number = 0;
    const auto [p, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (base == 0 || digits.empty() || wrong != std::errc() || (digits[0] == '0' && digits.size() > 1))
      return int64_t{-1};
    return static_cast<int64_t>(number);
  };
  std::map<int64_t, std::vector<std::pair<std::string_view, const Argument *>>> numbered;
  if (options_.split) {
    size_t base = 0;
    for (const Argument &argument : arguments)
      if (const int64_t n = number_of(argument.key, base); n >= 0 && argument.key.substr(0, base) == kCommand)
        numbered[n];
  }
  std::vector<const Argument *> shared;
  for (const Argument &argument : arguments) {
    size_t base = 0;
    const auto group = numbered.empty() ? numbered.end() : numbered.find(number_of(argument.key, base));
    if (group != numbered.end())
      group->second.emplace_back(argument.key.substr(0, base), &argument);
    else
      shared.push_back(&argument);
  }

  if (numbered.empty()) {
    if (!first.typed) {
      for (const Argument *argument : shared) append(all, argument->key, argument->json);
      all += all.empty() ? "{}" : "}";
    }
    first.arguments = std::move(all);
    calls.push_back(std::move(first));
    return;
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
    std::string members = all;
    for (const Argument *argument : shared) {
      const bool covered =
          std::any_of(own.begin(), own.end(), [&](const auto &one) { return one.first == argument->key; });
      if (!covered) append(members, argument->key, argument->json);
    }
    for (const auto &[key, argument] : own) append(members, key, argument->json);
    call.arguments = members + '}';
    bytes += call.arguments.size();
  }
}

// ---- writing ----

bool is_key(std::string_view key) {
  if (key.empty()) return false;
  for (const char c : key)
    if (is_white(c) || c == ':' || c == ',') return false;
  for (const std::string_view token : kDelimiters)
    if (key.find(token) != std::string_view::npos) return false;
  return true;
}

constexpr size_t kEscapeSplit = std::string_view("「末").size();

// Puts `insert` into every place of `text` where `token` stands (in any case): behind its first `split` bytes.
void split_tokens(std::string &text, std::string_view token, size_t split, std::string_view insert) {
  std::string out;
  size_t from = 0, at = 0;
  while ((at = text.find(token[0], at)) != std::string::npos) {
    if (fit(std::string_view(text).substr(at), token, true) == Fit::yes) {
      out.append(text, from, at + split - from).append(insert);
      from = at + split;
      at += token.size();
    } else {
      ++at;
    }
  }
  if (from != 0) text = out.append(text, from);
}

// Every spelling of a marker that any reader of this protocol takes for one.
void defuse_markers(std::string &text) {
  for (const std::string_view name : {"TOOL_REQUEST", "END_TOOL_REQUEST", "TOOL_RESULT", "END_TOOL_RESULT",
                                      "TOOL_DEFINITION", "END_TOOL_DEFINITION"}) {
    const std::string token = "[" + std::string(name) + "]>";
    split_tokens(text, token, token.size() - 2, "_ESCAPE");
  }
}

// A value that reads back as `text`, and that nothing inside can end.
void append_value(std::string &out, std::string_view text) {
  std::string markers(text);
  defuse_markers(markers);
  if (text.find(kOpen) == text.npos && text.find(kClose) == text.npos && markers.size() == text.size()) {
    out.append(kOpen).append(text).append(kClose);
    return;
  }
  std::string inside(text);
  split_tokens(inside, kCloseEscape, kEscapeSplit, " ");
  out.append(kOpenEscape).append(inside).append(kCloseEscape);
}

void append_field(std::string &out, std::string_view key, std::string_view text) {
  out.append(key).append(":");
  append_value(out, text);
  out += ",\n";
}

std::string text_or_json(std::string_view value) {
  return json_kind(value) == '"' ? json_text(trim_json(value)) : compact_json(value);
}

std::string_view type_of(std::string_view schema) {
  const auto type = json_member(schema, "type");
  if (!type) return {};
  return trim_json(*type);
}

// Something the schema accepts, as far as one can tell without solving it.
std::string example_of(std::string_view schema, std::string_view name) {
  if (json_kind(schema) != '{') return std::string(name);
  for (const std::string_view key : {"const", "default"})
    if (const auto value = json_member(schema, key)) return text_or_json(*value);
  for (const std::string_view key : {"examples", "enum"})
    if (const auto values = json_member(schema, key); values && json_kind(*values) == '[')
      if (JsonSlices first(*values); first.next()) return text_or_json(first.value());
  std::string_view type = type_of(schema);
  if (!type.empty() && type[0] == '[')
    if (JsonSlices first(type); first.next()) type = first.value();
  if (type == "\"integer\"" || type == "\"number\"") {
    for (const std::string_view key : {"minimum", "maximum"})
      if (const auto bound = json_member(schema, key)) return std::string(trim_json(*bound));
    return "1";
  }
  if (type == "\"boolean\"") return "true";
  if (type == "\"array\"") return "[]";
  if (type == "\"object\"") return "{}";
  if (type == "\"null\"") return "null";
  return std::string(name);
}

class Vcp final : public Protocol {
 public:
  explicit Vcp(const VcpOptions &options) : options_(options) {}

  std::string_view id() const override { return "vcp"; }
  CodeMode code() const override { return options_.code; }
  std::vector<Marker> openers() const override { return markers(kStart); }
  std::vector<Marker> closers() const override { return markers(kEnd); }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return std::make_unique<VcpReader>(options_, tools, limits);
  }

  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override {
    defuse_markers(text);
    split_tokens(text, kCloseEscape, kEscapeSplit, " ");
  }

 private:
  std::vector<Marker> markers(std::string_view name) const {
    if (!options_.lenient) return {{"<<<" + std::string(name) + ">>>", false}};
    std::vector<Marker> out;
    for (const std::string_view brackets : {"<<", "<<<", "<<<<"})
      out.push_back({std::string(brackets).append(name).append(">>"), true});
    return out;
  }
  void write_definition(const ToolText &tool, std::string &out) const;

  const VcpOptions options_;
};

void Vcp::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  out +=
      "You can call the tools below. To call one, write a block exactly as in its example: the markers on lines of "
      "their own, each field as key:「始」value「末」, only the parameters that are defined. Write a value that holds "
      "「始」, 「末」 or a marker as 「始ESCAPE」value「末ESCAPE」. Write several blocks for several calls. Do not put "
      "a "
      "call into a code block, and never write results yourself: they come in the next message, as TOOL_RESULT "
      "blocks.\n";
  for (const ToolText &tool : tools) {
    out += '\n';
    write_definition(tool, out);
  }
}

void Vcp::write_definition(const ToolText &tool, std::string &out) const {
  const std::string_view name = tool.command.empty() ? tool.name : tool.command;
  std::vector<std::string> required;
  if (const auto names = json_member(tool.parameters, "required"); names && json_kind(*names) == '[')
    for (JsonSlices one(*names); one.next();)
      if (json_kind(one.value()) == '"') required.push_back(json_text(trim_json(one.value())));

  std::string parameters, example;
  const auto properties = json_member(tool.parameters, "properties");
  if (properties)
    for (JsonSlices property(*properties); property.next();) {
      const std::string key = property.key_text();
      const bool needed = std::find(required.begin(), required.end(), key) != required.end();
      const std::string_view schema = property.value();
      parameters += parameters.empty() ? "[" : ",";
      parameters += "\n  ";
      ObjectWriter object(parameters);
      object.raw("name", property.key());
      if (const std::string_view type = type_of(schema); !type.empty()) object.raw("type", compact_json(type));
      object.boolean("required", needed);
      for (const std::string_view member : {"description", "enum"})
        if (const auto value = json_member(schema, member)) object.raw(member, compact_json(*value));
      object.close();
      if (needed && is_key(key)) {
        example += ",\n" + key + ":";
        append_value(example, example_of(schema, key));
      }
    }
  parameters += parameters.empty() ? "[]" : "\n]";

  std::string description(tool.description);
  defuse(description);
  defuse(parameters);
  out += "<<<[TOOL_DEFINITION]>>>\n";
  append_field(out, "tool_name", name);
  if (!description.empty()) append_field(out, "description", description);
  append_field(out, "parameters", parameters);
  out.append("example:\n<<<[TOOL_REQUEST]>>>\ntool_name:");
  append_value(out, name);
  out.append(example).append("\n<<<[END_TOOL_REQUEST]>>>\n<<<[END_TOOL_DEFINITION]>>>\n");
}

void Vcp::write_call(std::string_view, std::string_view name, std::string_view arguments, std::string &out) const {
  out += "<<<[TOOL_REQUEST]>>>\ntool_name:";
  append_value(out, name);
  for (JsonSlices argument(arguments); argument.next();) {
    const std::string key = argument.key_text();
    if (!is_key(key)) continue;  // no field can have this name
    out += ",\n" + key + ":";
    append_value(out, text_or_json(argument.value()));
  }
  out += "\n<<<[END_TOOL_REQUEST]>>>\n";
}

void Vcp::write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const {
  const auto harmless = [&](std::string_view text) {
    std::string said(text);
    for (const auto &protocol : active) protocol->defuse(said);
    defuse(said);
    return said;
  };
  for (const ResultText &result : results) {
    out += "<<<[TOOL_RESULT]>>>\n";
    append_field(out, "tool_name", harmless(result.tool));
    append_field(out, "call_id", harmless(result.call_id));
    append_field(out, "status", result.status);
    out.append("result:").append(kOpenEscape).append(harmless(result.content)).append(kCloseEscape);
    out += "\n<<<[END_TOOL_RESULT]>>>\n";
  }
}

}  // namespace

std::shared_ptr<const Protocol> make_vcp(const VcpOptions &options) { return std::make_shared<Vcp>(options); }

}  // namespace sluice
