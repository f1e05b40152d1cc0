#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "protocol/byte_finder.h"
#include "protocol/family/family.h"
#include "protocol/family/yaml_text.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

// Could a mapping begin with `text`, a colon and `next`? Comments may stand before its first key. Several words before
// a colon are prose, and 12:00 is not a key.
bool is_key(std::string_view text, char next) {
  const bool new_line = text.substr(0, text.find_first_not_of(" \t")).empty() ||
                        text.substr(0, text.find_first_not_of(" \t\r\n")).find('\n') != text.npos;
  if (!new_line) return false;
  text = trim(text);
  while (text.starts_with('#') || text.starts_with("---"))
    text = trim(text.substr(std::min(text.find('\n'), text.size())));
  if (text.empty()) return false;
  if (text[0] == '"' || text[0] == '\'' || text[0] == '{') return true;
  return is_white(next) && std::none_of(text.begin(), text.end(), is_white);
}

// Does the last line of `text` begin a comment?
bool in_comment(std::string_view text) { return trim(text.substr(text.rfind('\n') + 1)).starts_with('#'); }

// Does the text hold no argument: nothing, or a comment?
bool says_nothing(std::string_view text) {
  text = trim(text);
  return text.empty() || text[0] == '#';
}

// Reads <NAME> to </NAME>, with YAML between them.
class YamlReader final : public FamilyReader {
 public:
  YamlReader(const Family &family, const ProtocolOptions &options, const ToolView &tools, const ScanLimits &limits)
      : FamilyReader(family, tools, limits), options_(options) {
    finder_.add('<');
  }

 protected:
  State body(std::string_view block, bool ended) override;
  void close(std::string_view block, std::string_view reason) override;
  Rest rest(std::string_view block) const override {
    return elements_ ? elements_->rest(block) : FamilyReader::rest(block);
  }

 private:
  enum class Place : uint8_t {
    tool,
    behind_tool,
    first,  // before the first colon
    text,
    done,
  };

  State tool(std::string_view block, bool ended);
  State text(std::string_view block, bool ended);
  State call() {
    begun = named = true;
    return State::open;
  }
  State finish(std::string_view block, size_t next) {
    closer_ = at_;
    end = at_ = next;
    place_ = Place::done;
    if (!named) return call();
    close(block, {});
    return State::closed;
  }

  // Elements in the place of YAML, whose names are parameters of the tool.
  bool may_be_elements(std::string_view block, bool ended, bool &wait) const;

  static constexpr TagElements kElements{.entities = true, .repeats = true};
  const ProtocolOptions &options_;
  std::unique_ptr<BlockReader> elements_;
  ByteFinder finder_;
  Place place_ = Place::tool;
  bool slash_ = false;
  size_t closer_ = SIZE_MAX;
};

BlockReader::State YamlReader::body(std::string_view block, bool ended) {
  if (place_ == Place::done) {
    close(block, {});
    return State::closed;
  }
  if (place_ == Place::tool || place_ == Place::behind_tool) {
    const State state = tool(block, ended);
    if (state != State::open || place_ == Place::tool || place_ == Place::behind_tool || place_ == Place::done)
      return state;
  }
  if (place_ == Place::first && !elements_) {
    bool wait = false;
    if (may_be_elements(block, ended, wait)) elements_ = make_reader(family_, kElements, options_, tools_, limits_);
    if (wait) return State::open;
  }
  if (!elements_) return text(block, ended);
  const State state = elements_->read(block, ended);
  take(*elements_);
  return state;
}

bool YamlReader::may_be_elements(std::string_view block, bool ended, bool &wait) const {
  constexpr size_t kLongest = 256;
  const size_t from = std::min(block.find_first_not_of(" \t\r\n", arguments_from), block.size());
  size_t to = from + 1;
  while (to < block.size() && in_xml_name(block[to])) ++to;
  if (to >= block.size()) wait = !ended && (from == block.size() || block[from] == '<') && to - from < kLongest;
  return to < block.size() && to - from < kLongest && block[from] == '<' && block[to] == '>' &&
         tools_.declares(name, block.substr(from + 1, to - from - 1));
}

BlockReader::State YamlReader::tool(std::string_view block, bool ended) {
  const auto wait = [&] { return ended ? reject("unterminated_block", at_) : State::open; };
  if (place_ == Place::tool) {
    size_t to = payload_ + 1;
    while (to < block.size() && block[to] != '>' && block[to] != '/' && !is_white(block[to])) ++to;
    if (to == block.size()) return wait();
    name = repaired(block.substr(payload_ + 1, to - payload_ - 1));
    at_ = to;
    place_ = Place::behind_tool;
  }
  for (; at_ < block.size(); ++at_) {
    const char c = block[at_];
    if (c == '>') {
      arguments_from = arguments_to = ++at_;
      if (slash_) return finish(block, at_);
      place_ = Place::first;
      return State::open;
    }
    if (slash_ || (c != '/' && !is_white(c))) return reject("malformed_argument", at_);
    slash_ = c == '/';
  }
  return wait();
}

// Reads the YAML. The first line decides whether this is a call: a mapping begins with a key, prose does not.
BlockReader::State YamlReader::text(std::string_view block, bool ended) {
  while (true) {
    const size_t from = at_;
    at_ = finder_.find(block, at_);
    if (place_ == Place::first) {
      const auto before = [&](size_t to) { return block.substr(arguments_from, to - arguments_from); };
      size_t colon = std::min(block.substr(0, at_).find(':', from), at_);
      while (colon < at_ && in_comment(before(colon))) colon = std::min(block.substr(0, at_).find(':', colon + 1), at_);
      if (colon < at_ && colon + 1 == block.size() && !ended) {
        at_ = colon;
        return State::open;
      }
      if (colon < at_) {
        if (!is_key(before(colon), colon + 1 < block.size() ? block[colon + 1] : '\n'))
          return reject("malformed_argument", colon);
        at_ = colon + 1;
        place_ = Place::text;
        return call();
      }
    }
    arguments_to = at_;
    if (at_ == block.size()) break;
    size_t length = 0;
    const Fit closes = fit_end_tag(block.substr(at_), name, length);
    if (closes == Fit::yes) {
      if (!named && !says_nothing(block.substr(arguments_from, at_ - arguments_from)))
        return reject("malformed_argument", at_);
      return finish(block, at_ + length);
    }
    if (closes == Fit::partial) break;
    ++at_;
  }
  if (!ended) return State::open;
  if (!named) return reject("unterminated_block", at_);
  closer_ = at_;
  end = at_ = block.size();
  // Without the end tag the last value may be cut off, so the call is invalid.
  close(block, "unterminated_block");
  return State::closed;
}

void YamlReader::close(std::string_view block, std::string_view reason) {
  if (elements_) {
    elements_->cut(block, reason);
    return take(*elements_);
  }
  arguments_to = std::min(closer_, block.size());
  ParsedCall call;
  call.name = name;
  call.reason = reason;
  call.arguments = "{}";
  call.raw_arguments = block.substr(arguments_from, arguments_to - arguments_from);
  std::string json;
  if (slash_) {
    call.raw_arguments = {};
  } else if (const std::string_view body = trim(call.raw_arguments);
             reason.empty() && body.starts_with('{') && read_value(body, {limits_.depth}, json)) {
    call.typed = true;
    settle_arguments(call, body, {limits_.depth}, arguments_from, notes);
  } else if (reason.empty()) {
    const YamlFault fault = json_from_yaml(repaired(call.raw_arguments), limits_.depth, tools_, name, json);
    if (fault == YamlFault::none)
      call.arguments = json;
    else
      call.reason = fault == YamlFault::duplicate ? "duplicate_argument" : "malformed_argument";
  }
  calls.push_back(std::move(call));
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const YamlCalls &, const ProtocolOptions &options,
                                         const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<YamlReader>(family, options, tools, limits);
}

void write_call(const Family &, const YamlCalls &, const CallText &call, std::string &out) {
  out.append("<").append(call.name).append(">\n");
  for (JsonSlices argument(call.arguments); argument.next();) {
    const std::string key = argument.key_text();
    out += is_xml_name(key) ? key : argument.key();
    out += ": ";
    // JSON is YAML, too. `</` could end the call, so the slash is escaped.
    const std::string json = compact_json(argument.value());
    for (const char c : json) {
      if (c == '/' && out.ends_with('<')) out += '\\';
      out += c;
    }
    out += '\n';
  }
  out.append("</").append(call.name).append(">\n");
}

}  // namespace sluice
