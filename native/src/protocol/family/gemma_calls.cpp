#include <algorithm>

#include "base/json.h"
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
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Place : uint8_t { head, name, arguments, string, quoted, behind };
  enum class Step : uint8_t { on, wait, done };

  State head(std::string_view block, bool ended);
  Step arguments(std::string_view block, bool ended);
  Step string(std::string_view block);
  Step quoted(std::string_view block);
  Step behind(std::string_view block, bool ended);
  Step marker(std::string_view block, bool ended);
  size_t arguments_end() const { return args_end_ != 0 ? args_end_ : at_; }

  const ProtocolOptions &options_;
  const std::string_view quote_;
  Place place_ = Place::head;
  size_t name_ = 0;
  size_t depth_ = 0;
  bool fresh_ = false;    // a key or a value may begin here
  char string_ = 0;       // the quote of an ordinary string
  bool escaped_ = false;  // in a string
  size_t args_end_ = 0;
  bool residue_ = false;  // behind the arguments
  bool nested_ = false;
};

BlockReader::State GemmaReader::body(std::string_view block, bool ended) {
  if (place_ == Place::head || place_ == Place::name) return head(block, ended);
  Step step = Step::on;
  while (step == Step::on) {
    switch (place_) {
      case Place::string: step = string(block); break;
      case Place::quoted: step = quoted(block); break;
      case Place::behind: step = behind(block, ended); break;
      default: step = arguments(block, ended);
    }
  }
  arguments_to = std::max(arguments_to, arguments_end());
  if (step == Step::wait && !ended) return State::open;
  if (step == Step::wait) end = at_ = block.size();
  // Only the closer may be missing at the end.
  const bool cut = step == Step::wait && (args_end_ == 0 || residue_);
  close(block, nested_ ? "nested_opener" : cut ? std::string_view("unterminated_block") : std::string_view());
  return State::closed;
}

BlockReader::State GemmaReader::head(std::string_view block, bool ended) {
  if (place_ == Place::head) {
    skip_white(block);
    size_t length = 0;
    const Fit found = fit(block.substr(at_), {"call:"}, length);
    if (found == Fit::no) return reject("missing_tool_name", at_);
    if (found == Fit::partial) return ended ? reject("unterminated_block", at_) : State::open;
    name_ = at_ += length;
    place_ = Place::name;
  }
  while (at_ < block.size() && !is_white(block[at_]) && kNoWord.find(block[at_]) == kNoWord.npos) ++at_;
  const size_t name_end = at_;
  size_t brace = at_;
  while (brace < block.size() && is_white(block[brace])) ++brace;
  if (brace == block.size()) return ended ? reject("unterminated_block", at_) : State::open;
  name = repaired(block.substr(name_, name_end - name_));
  if (name.empty() || block[brace] != '{') return reject("missing_tool_name", brace);
  begun = named = true;
  arguments_from = arguments_to = at_ = brace;
  place_ = Place::arguments;
  return State::open;
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
    fresh_ = c == '{' || c == '[' || c == ',' || c == ':';
    if (c == '{' || c == '[') ++depth_;
    if ((c != '}' && c != ']') || --depth_ != 0) continue;
    args_end_ = ++at_;
    place_ = Place::behind;
    return Step::on;
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

// Nothing but the quote is looked for.
GemmaReader::Step GemmaReader::quoted(std::string_view block) {
  while ((at_ = std::min(block.find(quote_[0], at_), block.size())) < block.size()) {
    const std::string_view rest = block.substr(at_);
    if (rest.starts_with(quote_)) {
      at_ += quote_.size();
      fresh_ = false;
      place_ = Place::arguments;
      return Step::on;
    }
    if (quote_.starts_with(rest)) break;
    ++at_;
  }
  return Step::wait;
}

GemmaReader::Step GemmaReader::behind(std::string_view block, bool ended) {
  skip_white(block);
  if (at_ == block.size()) return Step::wait;
  if (block[at_] == '<') return marker(block, ended);
  residue_ = true;
  at_ = std::min(block.find('<', at_), block.size());
  return Step::on;
}

// Outside of strings, at a <.
GemmaReader::Step GemmaReader::marker(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  bool partial = false;
  const auto is = [&](const Words &words) {
    const Fit found = fit(rest, words, length);
    partial = partial || found == Fit::partial;
    return found == Fit::yes;
  };
  if (is(family_.closers)) {
    end = at_ + length;
    return Step::done;
  }
  if (is(family_.openers)) {
    end = at_;
    nested_ = true;
    return Step::done;
  }
  if (place_ == Place::arguments && is({quote_})) {
    at_ += length;
    place_ = Place::quoted;
    return Step::on;
  }
  if (partial && !ended) return Step::wait;
  residue_ = residue_ || place_ == Place::behind;
  ++at_;
  return Step::on;
}

void GemmaReader::close(std::string_view block, std::string_view reason) {
  ParsedCall call;
  call.name = name;
  call.typed = true;
  call.arguments = "{}";
  call.reason = reason;
  arguments_to = arguments_end();
  const std::string_view written = block.substr(arguments_from, arguments_to - arguments_from);
  call.raw_arguments = written;
  std::string json;
  if (args_end_ != 0 && json_from_words(written, quote_, limits_.depth, json))
    call.arguments = settle_duplicates(json, options_.first_duplicate.value_or(false), arguments_from, notes);
  else if (call.reason.empty())
    call.reason = "malformed_argument";
  if (residue_ && call.reason.empty()) call.reason = "residue_in_block";
  calls.push_back(std::move(call));
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
