#include <algorithm>

#include "base/plain_name.h"
#include "base/text.h"
#include "protocol/byte_finder.h"
#include "protocol/own/vcp_fields.h"
#include "protocol/seal.h"

namespace sluice {
namespace {

using namespace vcp;

constexpr std::string_view kQuotes[] = {"\"", "'", "`", "“", "”", "‘", "’"};

// Half of the words around a value, that is: no tool has such a name.
bool holds_bracket(std::string_view name) {
  for (const std::string_view bracket : {"{", "}", "<", ">", "「", "」"})
    if (name.find(bracket) != name.npos) return true;
  return false;
}

class VcpReader final : public BlockReader {
 public:
  VcpReader(const VcpOptions &options, const ToolView &tools, const ScanLimits &limits)
      : options_(options),
        words_(options.words),
        start_(sealed(words_.start, options.seal)),
        end_(sealed(words_.end, options.seal)),
        tools_(tools),
        delimiters_{kColon, kComma},
        fields_(options, tools, limits, notes) {
    for (const VcpPair &pair : words_.values)
      for (const std::string_view bracket : {bracket_of(pair), last_bracket_of(pair)}) delimiters_.push_back(bracket);
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
  char mark_of(std::string_view marker) const { return words_.in_angles ? '<' : marker.front(); }
  bool begins_marker(char c) const { return c == mark_of(end_) || c == mark_of(start_); }
  bool skip_noise(std::string_view rest, bool ended, bool &partial);
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }
  void begin() {
    if (!begun) arguments_from = key_;
    begun = true;
  }
  void begin_value(size_t length, const VcpPair *pair);
  bool in_value() const {
    return place_ == Place::value || place_ == Place::escape_value || place_ == Place::bare_json;
  }
  State rejected_as(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }
  void close(std::string_view block, std::string_view how);

  // -- set once
  const VcpOptions &options_;
  const VcpWords &words_;
  const std::string start_, end_;
  const ToolView &tools_;
  std::vector<std::string_view> delimiters_;  // that no key holds
  // -- position in the block
  Place place_ = Place::opener;
  size_t at_ = 0;
  size_t brackets_ = 0;
  size_t key_ = 0, key_end_ = 0, value_ = 0;
  const VcpPair *pair_ = nullptr;  // around the value; of an escape_value: none
  ByteFinder finder_;              // of what may end the value
  bool new_line_ = false;          // between the colon and here
  bool swallowed_ = false;         // the value holds the opener of another
  size_t json_depth_ = 0;
  bool json_string_ = false, json_escape_ = false;
  size_t closer_ = 0;
  bool nested_ = false;
  // -- what was read
  VcpFields fields_;
  std::string_view fault_;  // the first
};

BlockReader::State VcpReader::read(std::string_view block, bool ended) {
  if (place_ == Place::opener && at_ == 0) {
    at_ = words_.in_angles ? block.find(']') + 1 : start_.size();  // the scanner matched the opener
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
  std::vector<std::string> closers = {escape ? words_.close_escape : pair_->close};
  if (!escape) closers.push_back(words_.in_angles ? "<<<" + end_ + ">>>" : end_);
  return {value_, Quotation::until(std::move(closers), true)};
}

VcpReader::Step VcpReader::step(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  switch (place_) {
    case Place::opener:
    case Place::closer:
      if (words_.in_angles && brackets_ < (options_.lenient ? 4 : 3)) {
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

// The marker that `rest` begins with, which begins with the first byte of one.
VcpReader::MarkerFit VcpReader::marker(std::string_view rest) const {
  if (!words_.in_angles) {
    const Fit ends = fit(rest, end_, options_.lenient);
    const Fit starts = ends == Fit::yes ? Fit::no : fit(rest, start_, options_.lenient);
    if (ends == Fit::partial || starts == Fit::partial) return {Fit::partial, ends == Fit::partial, 0};
    return {ends == Fit::yes || starts == Fit::yes ? Fit::yes : Fit::no, ends == Fit::yes, end_.size()};
  }
  size_t open = 0;
  while (open < rest.size() && open < 5 && rest[open] == '<') ++open;
  const size_t least = options_.lenient ? 2 : 3, most = options_.lenient ? 4 : 3;
  if (open > most) return {Fit::no, false, 0};
  if (open == rest.size()) return {Fit::partial, false, 0};
  if (open < least) return {Fit::no, false, 0};
  for (const std::string_view word : {std::string_view(end_), std::string_view(start_)}) {
    const bool closes = word == end_;
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
  const auto opens = [&](std::string_view token) {
    const Fit said = fit(rest, token, true);
    if (said == Fit::partial && !ended) partial = true;
    return said == Fit::yes;
  };
  for (const VcpPair &pair : words_.values)
    if (opens(pair.open)) return begin_value(pair.open.size(), &pair), true;
  if (!opens(words_.open_escape)) return false;
  begin_value(words_.open_escape.size(), nullptr);
  return true;
}

void VcpReader::begin_value(size_t length, const VcpPair *pair) {
  begin();
  at_ += length;
  value_ = at_;
  swallowed_ = false;
  pair_ = pair;
  place_ = pair == nullptr ? Place::escape_value : Place::value;
  finder_ = {};
  if (pair == nullptr) return finder_.add(words_.close_escape.front());
  finder_.add(pair->open.front());
  finder_.add(pair->close.front());
  finder_.add(mark_of(end_));
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
  if (begins_marker(c)) {
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
  }
  for (const std::string_view token : delimiters_) {
    const Fit said = fit(rest, token, false);
    if (said == Fit::partial && !ended) return Step::wait;
    if (said == Fit::yes) delimiter = true;
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
  const bool is_name = fit(key, words_.name, true) == Fit::yes && key.size() == words_.name.size();
  const bool bare = options_.lenient && !begins_marker(rest[0]) &&
                    (is_name || fit(rest, bracket_of(words_.values.front()), false) == Fit::no);
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
  at_ = finder_.find(block, at_);
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  if (!escape && begins_marker(rest[0])) {
    const MarkerFit found = marker(rest);
    if (found.fit == Fit::partial) return Step::wait;
    if (found.fit == Fit::yes && found.end) {
      fault("unterminated_argument");
      lose(at_);
      return on_marker(found);
    }
  }
  const std::string_view token = escape ? words_.close_escape : pair_->close;
  Fit said = fit(rest, token, true);
  if (said == Fit::yes) {
    if (swallowed_) lose(at_);  // the closer is that of what it swallowed
    return end_field(block, at_, at_ + token.size(), escape);
  }
  if (said == Fit::no && !escape) {
    said = fit(rest, pair_->open, false);
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
    if (begins_marker(c)) {
      const MarkerFit found = marker(rest);
      if (found.fit == Fit::partial && !ended) return Step::wait;
      over = found.fit != Fit::no;
    }
    for (const std::string_view token : {kComma, bracket_of(words_.values.front())}) {
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
        fields_.add({key_, key_end_, value_, at_ + 1, false, true});
        ++at_;
        place_ = Place::between;
        return Step::on;
      }
    } else if (begins_marker(c)) {  // END ends the block here too, and the value is lost
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
  const bool is_name = options_.lenient ? key.size() == words_.name.size() && fit(key, words_.name, true) == Fit::yes
                                        : key == words_.name;
  if (!is_name) {
    fields_.add(field);
    return Step::on;
  }
  if (swallowed_) return Step::on;  // no name: the fault is known
  std::string said = fields_.text_of(block, field);
  std::string_view given = trim(said);
  if (options_.lenient) given = plain_name(given);
  if (given.empty()) return Step::on;
  if (holds_bracket(given) && !tools_.known(given)) {
    fault("missing_tool_name");
    return Step::on;
  }
  if (named) {
    if (given != name) fault("duplicate_argument");  // two calls that ran together
    notes.push_back({"duplicate_argument", words_.name, field.key});
    return Step::on;
  }
  name = given;
  named = true;
  return Step::paused;
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
  calls = fields_.write_calls(block, arguments_from, std::move(first));
}

}  // namespace

std::unique_ptr<BlockReader> make_vcp_reader(const VcpOptions &options, const ToolView &tools,
                                             const ScanLimits &limits) {
  return std::make_unique<VcpReader>(options, tools, limits);
}

}  // namespace sluice
