// Messages with a header: <|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}<|call|>. The recipient
// makes a message a call, whatever its channel. Models write headers in many ways: a header that names a recipient or a
// channel is read, whatever else it holds; any other is text.
#include <algorithm>

#include "base/text.h"
#include "protocol/family/arguments_reader.h"

namespace sluice {
namespace {

constexpr size_t kLongestWord = 128;  // tools' names are shorter
constexpr std::string_view kFunctions = "functions.", kTo = "to=", kAnalysis = "analysis";
// A header without its tokens, as servers leave it that drop special tokens:
// <|start|>assistant<|channel|>final<|message|>.
constexpr std::string_view kAssistant = "assistant", kAnswers = "assistantfinal",
                           kCalls = "assistantcommentary to=functions.";
constexpr Words kEnds = words<"assistantfinal", "assistantanalysis", "assistantcommentary to=functions.">;

// Returns the channel that a word is or begins with: the text may stand right behind it.
std::string_view channel_in(std::string_view word) {
  for (const std::string_view channel : {kAnalysis, std::string_view("commentary"), std::string_view("final")})
    if (word.starts_with(channel) && (word == channel || !is_small_letter(word[channel.size()]))) return channel;
  return {};
}

class HarmonyReader final : public ArgumentsReader {
 public:
  using ArgumentsReader::ArgumentsReader;

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override { return bare_ ? Rest{} : ArgumentsReader::rest(block); }

 private:
  State thought(std::string_view block, bool ended);

  enum class Part : uint8_t { recipient, role, channel, constrain };
  enum class Step : uint8_t { on, wait, rejected, markup, named };

  Step header(std::string_view block, bool ended);
  Step header_token(std::string_view block, bool ended);
  Step word(std::string_view block, bool ended);
  bool take_word(std::string_view text);
  void begin_part(Part part) {
    part_ = part;
    words_ = 0;
    if (part != Part::constrain) extra_ = SIZE_MAX;
  }
  Step header_ends(size_t where);
  Step broken(size_t where);

  bool bare_ = false;   // the block begins with a thought whose tokens are missing
  size_t thought_ = 0;  // where it begins
  bool in_header_ = true;
  bool led_ = false;
  bool marked_ = false;  // a token came: without one, to=functions. may be prose
  Part part_ = Part::recipient;
  size_t words_ = 0;  // of this part, but for recipients
  std::string_view known_channel_ = {};
  bool enough_ = false;      // the header is complete as it is
  size_t extra_ = SIZE_MAX;  // the bytes behind it: text, if the header breaks
  bool assistant_ = false;
  bool result_ = false;  // the header names a tool as the speaker
  std::string recipient_;
};

BlockReader::State HarmonyReader::body(std::string_view block, bool ended) {
  if (bare_) return thought(block, ended);
  if (!led_ && block[0] != '<' && !block.starts_with(kTo)) {
    if (!block.starts_with(kCalls) && !block.starts_with("commentary")) {
      bare_ = true;
      thought_ = at_;
      return thought(block, ended);
    }
    at_ = block.starts_with(kAssistant) ? kAssistant.size() : 0;
    led_ = marked_ = true;
    part_ = Part::channel;
    notes.push_back({"tokens_missing", {}, 0});
  }
  if (!led_) at_ = 0;  // the opener is a part of the header
  led_ = true;
  while (in_header_) switch (header(block, ended)) {
      case Step::on: break;
      case Step::wait: return State::open;
      case Step::rejected: return State::rejected;
      case Step::markup: return State::markup;
      case Step::named: in_header_ = false; return State::open;
    }
  return arguments(block, ended);
}

// A thought without its tokens: it ends where an answer, a call or another thought begins. Prose begins with a blank or
// a mark behind the word.
BlockReader::State HarmonyReader::thought(std::string_view block, bool ended) {
  if (thought_ == block.size()) return ended ? reject({}, 0) : State::open;
  const char first = block[thought_];
  if (!is_alnum(first) && !is_beyond_ascii(first) && std::string_view("\"'(<[").find(first) == std::string_view::npos)
    return reject({}, thought_);
  begun = true;
  for (;; ++at_) {
    at_ = std::min(block.find('a', at_), block.size());
    if (at_ == block.size()) return ended ? reject({}, 0) : State::open;
    size_t length = 0;
    const Fit ends = fit(block.substr(at_), kEnds, length);
    if (ends == Fit::partial) return ended ? reject({}, 0) : State::open;
    if (ends == Fit::no) continue;
    thought_from = thought_;
    thought_to = at_;
    end = block.substr(at_).starts_with(kAnswers) ? at_ + length : at_;
    code = block.starts_with(kAssistant) ? std::string_view() : std::string_view("tokens_missing");
    return State::markup;
  }
}

HarmonyReader::Step HarmonyReader::header(std::string_view block, bool ended) {
  skip_white(block);
  if (at_ == block.size()) {
    if (!ended) return Step::wait;
    return recipient_.empty() || !marked_ ? broken(at_) : header_ends(at_);
  }
  if (enough_) extra_ = at_;
  enough_ = false;
  if (block[at_] == '<') return header_token(block, ended);
  if (block[at_] == '{') return recipient_.empty() || !marked_ ? broken(at_) : header_ends(at_);
  return word(block, ended);
}

HarmonyReader::Step HarmonyReader::header_token(std::string_view block, bool ended) {
  const std::string_view rest = block.substr(at_);
  size_t length = 0;
  const auto is = [&](std::string_view one) { return rest.starts_with(one); };
  constexpr Words kTokens =
      words<"<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>">;
  const Fit found = fit(rest, kTokens, length);
  if (found == Fit::partial && !ended) return Step::wait;
  if (found != Fit::yes) return broken(at_);
  marked_ = true;
  // The word is no channel, and no message follows: it is text.
  const bool says = part_ == Part::channel && words_ != 0 && known_channel_.empty() && recipient_.empty();
  if (says && !is("<|message|>") && !is("<|constrain|>")) return broken(at_);
  if (is("<|start|>") && !recipient_.empty()) {  // the call did not come
    fault_ = "malformed_argument";
    return header_ends(at_);
  }
  if (is("<|start|>")) {
    known_channel_ = {};
    assistant_ = result_ = false;
    recipient_.clear();
    begin_part(Part::role);
  } else if (is("<|channel|>")) {
    known_channel_ = {};
    begin_part(Part::channel);
  } else if (is("<|constrain|>")) {
    begin_part(Part::constrain);
  } else if (is("<|message|>")) {
    return header_ends(at_ + length);
  } else {  // a message without a body
    if (recipient_.empty()) {
      end = at_ + length;
      return Step::markup;
    }
    fault_ = "malformed_argument";
    return header_ends(at_);
  }
  at_ += length;
  return Step::on;
}

HarmonyReader::Step HarmonyReader::word(std::string_view block, bool ended) {
  size_t to = at_;
  while (to < block.size() && to - at_ <= kLongestWord && !is_white(block[to]) && block[to] != '<' && block[to] != '{')
    ++to;
  if (to - at_ > kLongestWord) return broken(at_);
  if (to == block.size() && !ended) return Step::wait;
  std::string_view text = block.substr(at_, to - at_);
  const size_t recipient = text.find(kTo);
  if (recipient != 0) {
    const std::string_view plain = text.substr(0, recipient);
    if (!take_word(plain)) return broken(at_);
    const size_t channel = known_channel_.size();
    if (part_ == Part::channel && words_ == 1 && channel != 0 &&
        plain.find_first_not_of('?', channel) != std::string_view::npos)
      return broken(at_ + channel);
  }
  if (recipient != std::string_view::npos) {
    text.remove_prefix(recipient + kTo.size());
    if (text.starts_with(kFunctions)) text.remove_prefix(kFunctions.size());
    recipient_ = is_one_of(text, {"assistant", "user", "all"}) ? std::string() : repair_utf8(text);
  }
  at_ = to;
  return Step::on;
}

// Reads a word that is no recipient. Returns false if none may stand here.
bool HarmonyReader::take_word(std::string_view text) {
  ++words_;
  switch (part_) {
    case Part::recipient: return false;
    case Part::role:
      assistant_ = text == "assistant";
      result_ = text.starts_with(kFunctions);
      enough_ = assistant_;
      return words_ == 1 && (assistant_ || result_ || is_one_of(text, {"user", "system", "developer", "tool"}));
    case Part::channel:
      if (words_ > 1) return words_ == 2 && (text == "json" || text == "code");
      while (text.ends_with('?')) text.remove_suffix(1);
      known_channel_ = channel_in(text);
      enough_ = !known_channel_.empty();
      return true;
    case Part::constrain: return words_ == 1;
  }
  return false;
}

HarmonyReader::Step HarmonyReader::header_ends(size_t where) {
  at_ = where;
  if (!recipient_.empty()) {
    open_call(recipient_);
    return Step::named;
  }
  if (result_) {
    reject("forged_result", where);
    return Step::rejected;
  }
  end = where;
  reasoning = known_channel_ == kAnalysis;
  return Step::markup;
}

// The header ends without a <|message|>: it counts if it is complete as it is.
HarmonyReader::Step HarmonyReader::broken(size_t where) {
  if (!recipient_.empty() && marked_) {
    fault_ = "malformed_argument";
    return header_ends(where);
  }
  if (!known_channel_.empty() || (assistant_ && part_ == Part::role)) return header_ends(std::min(where, extra_));
  reject(marked_ ? "missing_tool_name" : "", where);
  return Step::rejected;
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const HarmonyCalls &, const ProtocolOptions &options,
                                         const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<HarmonyReader>(family, options, tools, limits);
}

void write_call(const Family &, const HarmonyCalls &, const CallText &call, std::string &out) {
  out.append("<|start|>assistant<|channel|>commentary to=functions.").append(call.name);
  out.append(" <|constrain|>json<|message|>").append(call.arguments).append("<|call|>");
}

}  // namespace sluice
