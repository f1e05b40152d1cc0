#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "protocol/family/family.h"
#include "protocol/family/word_json.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

class GemmaReader final : public FamilyReader {
 public:
  GemmaReader(const Family &family, const GemmaCalls &grammar, const ProtocolOptions &options, const ToolView &tools,
              const ScanLimits &limits)
      : FamilyReader(family, tools, limits), options_(options), quote_(grammar.quote) {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view) const override {
    const bool quoted = place_ == Place::quoted || place_ == Place::behind_closer;
    if (quoted) return {quoted_from_, Quotation::until({std::string(quote_)})};
    if (place_ == Place::arguments || place_ == Place::string) return {calls_.back().from, Quotation::value()};
    return FamilyReader::rest({});
  }
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Place : uint8_t {
    head,
    name,
    arguments,
    string,
    quoted,
    behind_closer,  // in the quote, behind what ends the block if the quote's end is missing
    behind,
    residue,
  };
  enum class Step : uint8_t { on, wait, named, rejected, done };
  struct Call {
    size_t name, name_end;
    size_t from = 0, to = 0;  // its arguments; to: 0 while they are open
  };

  Step step(std::string_view block, bool ended);
  Step head(std::string_view block, bool ended);
  Step head_ends(std::string_view block, size_t name_end, bool ended);
  Step arguments(std::string_view block, bool ended);
  Step string(std::string_view block);
  Step quoted(std::string_view block);
  Step behind_closer(std::string_view block);
  Step behind(std::string_view block, bool ended);
  Step marker(std::string_view block, bool ended);
  Step no_name(std::string_view why);
  Step residue();
  ParsedCall call_of(std::string_view block, const Call &call);
  size_t arguments_end() const {
    if (calls_.front().to != 0) return calls_.front().to;
    return place_ == Place::behind_closer ? closer_ : at_;
  }
  bool open() const { return calls_.back().to == 0; }

  const ProtocolOptions &options_;
  const std::string_view quote_;
  Place place_ = Place::head;
  bool plain_ = false;  // it began without its token
  std::vector<Call> calls_;
  size_t name_ = 0;
  bool round_ = false;  // the arguments stand in (…)
  size_t depth_ = 0;
  bool fresh_ = false;    // a key or a value may begin here
  char string_ = 0;       // the quote of an ordinary string
  bool escaped_ = false;  // in a string
  size_t quoted_from_ = 0;
  size_t closer_ = 0;     // what may end the block, in a quote
  bool residue_ = false;  // behind the arguments: something is
  bool nested_ = false, cut_ = false;
};

BlockReader::State GemmaReader::body(std::string_view block, bool ended) {
  Step step = Step::on;
  while (step == Step::on) step = this->step(block, ended);
  if (step == Step::rejected) return State::rejected;
  if (named) arguments_to = std::max(arguments_to, arguments_end());
  if (step == Step::named || (step == Step::wait && !ended)) return State::open;
  if (!named && (step == Step::wait || nested_ || calls_.empty()))
    return reject(plain_ ? "" : nested_ ? "nested_opener" : "unterminated_block", at_);
  if (step == Step::wait) {
    cut_ = true;
    end = at_ = block.size();
  }
  close(block, nested_ ? "nested_opener" : cut_ ? std::string_view("unterminated_block") : std::string_view());
  return State::closed;
}

GemmaReader::Step GemmaReader::step(std::string_view block, bool ended) {
  switch (place_) {
    case Place::head:
    case Place::name: return head(block, ended);
    case Place::arguments: return arguments(block, ended);
    case Place::string: return string(block);
    case Place::quoted: return quoted(block);
    case Place::behind_closer: return behind_closer(block);
    case Place::behind: return behind(block, ended);
    case Place::residue: return pass_to_tag(block) ? marker(block, ended) : Step::wait;
  }
  return Step::wait;
}

GemmaReader::Step GemmaReader::head(std::string_view block, bool ended) {
  if (place_ == Place::head) {
    if (calls_.empty()) plain_ = block.starts_with(kGemmaCall);
    size_t length = 0;
    if (!block.substr(0, at_).ends_with(kGemmaCall)) {
      skip_white(block);
      const Fit found = fit(block.substr(at_), words<"call:", ":call:">, length);
      if (found == Fit::no) return no_name("missing_tool_name");
      if (found == Fit::partial) return Step::wait;
    }
    name_ = at_ += length;
    place_ = Place::name;
  }
  while (at_ < block.size() && !is_white(block[at_]) && kNoWord.find(block[at_]) == kNoWord.npos && block[at_] != '(')
    ++at_;
  return head_ends(block, at_, ended);
}

GemmaReader::Step GemmaReader::head_ends(std::string_view block, size_t name_end, bool ended) {
  size_t brace = name_end;
  while (!plain_ && brace < block.size() && is_white(block[brace])) ++brace;
  if (brace == block.size()) return Step::wait;
  const std::string tool = repaired(block.substr(name_, name_end - name_));
  size_t length = 0;
  const Fit closer = plain_ ? Fit::no : fit(block.substr(brace), family_.closers, length);
  if (closer == Fit::partial && !ended) return Step::wait;
  const bool opens = block[brace] == '{' || (block[brace] == '(' && !plain_);
  if ((tool.empty() && (plain_ || !opens)) || (!opens && closer != Fit::yes)) return no_name("missing_tool_name");
  if (plain_ && !tools_.known(tool) && !tools_.names().empty()) {
    foreign_ = opens ? brace : 0;
    return no_name({});
  }
  calls_.push_back({name_, name_end, brace, opens ? 0 : brace});
  at_ = brace;
  round_ = block[brace] == '(';
  place_ = opens ? Place::arguments : Place::behind;
  if (calls_.size() > 1) return Step::on;
  name = tool;
  begun = true;
  named = !name.empty();
  arguments_from = arguments_to = brace;
  return Step::named;
}

// No call follows, or no other one.
GemmaReader::Step GemmaReader::no_name(std::string_view why) {
  if (calls_.empty()) {
    reject(plain_ ? std::string_view() : why, at_);
    return Step::rejected;
  }
  return residue();
}

GemmaReader::Step GemmaReader::residue() {
  residue_ = true;
  start_residue();
  place_ = Place::residue;
  return Step::on;
}

GemmaReader::Step GemmaReader::arguments(std::string_view block, bool ended) {
  for (; at_ < block.size(); ++at_) {
    const char c = block[at_];
    if (is_white(c)) continue;
    if (c == '<') return marker(block, ended);
    if ((c == '"' || c == '\'') && fresh_) {
      ++at_;
      string_ = c;
      escaped_ = false;
      place_ = Place::string;
      return Step::on;
    }
    const bool first = depth_ == 0, last = c == '}' || c == ']' || (c == ')' && round_ && depth_ == 1);
    fresh_ = first || c == '{' || c == '[' || c == ',' || c == ':' || (c == '=' && round_ && depth_ == 1);
    if (first || c == '{' || c == '[') ++depth_;
    if (!last || --depth_ != 0) continue;
    calls_.back().to = end = ++at_;
    place_ = Place::behind;
    return plain_ ? Step::done : Step::on;
  }
  return Step::wait;
}

GemmaReader::Step GemmaReader::string(std::string_view block) {
  for (; at_ < block.size(); ++at_) {
    if (escaped_) {
      escaped_ = false;
    } else if (block[at_] == '\\') {
      escaped_ = true;
    } else if (block[at_] == string_) {
      ++at_;
      fresh_ = false;
      place_ = Place::arguments;
      return Step::on;
    }
  }
  return Step::wait;
}

// Looks for the end of the quote, and for a stop.
GemmaReader::Step GemmaReader::quoted(std::string_view block) {
  while ((at_ = std::min(block.find('<', at_), block.size())) < block.size()) {
    const std::string_view rest = block.substr(at_);
    if (rest.starts_with(quote_)) {
      at_ += quote_.size();
      fresh_ = false;
      place_ = Place::arguments;
      return Step::on;
    }
    size_t length = 0;
    const Fit closer = fit(rest, family_.closers, length);
    if (closer == Fit::yes) {
      closer_ = at_;
      at_ += length;
      end = at_;
      place_ = Place::behind_closer;
      return Step::on;
    }
    if (closer == Fit::partial || quote_.starts_with(rest)) break;
    ++at_;
  }
  return Step::wait;
}

// The closer is part of the text, unless another call follows.
GemmaReader::Step GemmaReader::behind_closer(std::string_view block) {
  skip_white(block);
  size_t length = 0;
  const Fit opener = fit(block.substr(at_), family_.openers.front(), length);
  if (opener == Fit::partial) return Step::wait;
  if (opener == Fit::yes) {
    lost_from = quoted_from_;
    lost_to = at_;
    at_ = closer_;
    cut_ = true;
    return Step::done;
  }
  place_ = Place::quoted;
  return Step::on;
}

GemmaReader::Step GemmaReader::behind(std::string_view block, bool ended) {
  skip_white(block);
  if (at_ == block.size()) return Step::wait;
  if (block[at_] == '<') return marker(block, ended);
  size_t comma = at_;
  if (block[comma] == ',' || block[comma] == ';') ++comma;
  while (comma < block.size() && is_white(block[comma])) ++comma;
  size_t length = 0;
  const Fit next = fit(block.substr(comma), kGemmaCall, length);
  if (next == Fit::partial && !ended) return Step::wait;
  if (next == Fit::yes) {
    at_ = comma;
    place_ = Place::head;
    return Step::on;
  }
  return residue();
}

// Outside strings, at a `<`.
GemmaReader::Step GemmaReader::marker(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  bool partial = false;
  const auto is = [&](const auto &words) {
    const Fit found = fit(rest, words, length);
    partial = partial || found == Fit::partial;
    return found == Fit::yes;
  };
  if (is(family_.closers)) {
    end = at_ + length;
    return Step::done;
  }
  const bool opens = is(family_.openers);
  if (opens || is(family_.section_ends)) {
    end = at_;
    (opens ? nested_ : cut_) = open() || (opens && residue_);
    return Step::done;
  }
  if (place_ == Place::arguments && is(quote_)) {
    at_ += length;
    quoted_from_ = at_;
    if (fresh_) place_ = Place::quoted;  // else the quote ends a text that lost its beginning
    return Step::on;
  }
  if (partial && !ended) return Step::wait;
  fresh_ = false;
  ++at_;
  return place_ == Place::arguments ? Step::on : residue();
}

void GemmaReader::close(std::string_view block, std::string_view reason) {
  arguments_to = arguments_end();
  for (const Call &call : calls_) {
    ParsedCall parsed = call_of(block, call);
    if (!reason.empty()) parsed.reason = reason;
    if (residue_ && parsed.reason.empty()) parsed.reason = "residue_in_block";
    calls.push_back(std::move(parsed));
  }
}

ParsedCall GemmaReader::call_of(std::string_view block, const Call &call) {
  ParsedCall out;
  out.name = repaired(block.substr(call.name, call.name_end - call.name));
  out.typed = true;
  out.arguments = "{}";
  out.raw_arguments = block.substr(call.from, (call.to != 0 ? call.to : at_) - call.from);
  std::string json;
  if (call.to != 0 && json_from_words(out.raw_arguments, quote_, limits_.depth, json))
    out.arguments = settle_duplicates(json, options_.first_duplicate.value_or(false), call.from, notes);
  else
    out.reason = "malformed_argument";
  if (out.name.empty()) out.reason = "missing_tool_name";
  return out;
}

void write_string(std::string_view token, bool key, std::string_view quote, std::string &out) {
  const std::string text = json_text(token);
  const bool bare = !text.empty() && text.find_first_of(kNoWord) == text.npos && text.find(':') == text.npos &&
                    std::none_of(text.begin(), text.end(), is_white);
  if (key ? bare : text.find(quote) == text.npos)
    out.append(key ? "" : quote).append(text).append(key ? "" : quote);
  else
    out += token;
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const GemmaCalls &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  return std::make_unique<GemmaReader>(family, grammar, options, tools, limits);
}

void write_call(const Family &family, const GemmaCalls &grammar, const CallText &call, std::string &out) {
  out.append(family.openers.front()).append("call:").append(call.name);
  const std::string json = compact_json(call.arguments);
  for (size_t at = 0; at < json.size();) {
    if (json[at] != '"') {
      out += json[at++];
      continue;
    }
    ValueEnd string;
    string.start(at);
    const size_t end = string.find(json);
    write_string(std::string_view(json).substr(at, end - at), end < json.size() && json[end] == ':', grammar.quote,
                 out);
    at = end;
  }
  out.append(family.closers.front());
}

}  // namespace sluice
