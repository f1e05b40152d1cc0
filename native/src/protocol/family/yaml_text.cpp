#include "protocol/family/yaml_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "protocol/block.h"
#include "protocol/family/word_json.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

// A plain scalar or key cannot begin with these.
constexpr std::string_view kIndicators = "&*!|>%@`\"'[]{},?#";

// Of these, a model can only have meant plain text: YAML reserves @ and `, % begins no value, and without anchors there
// are no aliases.
constexpr std::string_view kHarmless = "@`%*";

bool is_list_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

bool begins_with_key(std::string_view text) {
  if (text[0] == '"' || text[0] == '\'') {
    ValueEnd string;
    string.start(0);
    const size_t end = string.find(text);
    return end < text.size() && text[end] == ':';
  }
  return kIndicators.find(text[0]) == kIndicators.npos && (text.find(": ") != text.npos || text.ends_with(':'));
}

class Yaml {
 public:
  Yaml(std::string_view text, size_t depth, const ToolView &tools, std::string_view tool, std::string &out)
      : rest_(text), depth_(depth), tools_(tools), tool_(tool), out_(out) {}

  YamlFault read();

 private:
  struct Open {
    size_t indent;
    bool list;
    std::set<std::string> keys;
  };

  bool next_line();
  bool line();
  bool begin(size_t indent, bool list);
  void end();
  void separate() {
    if (out_.back() != '{' && out_.back() != '[') out_ += ',';
  }
  bool item(std::string_view text, size_t indent);
  bool entry(std::string_view text);
  bool value(std::string_view text);
  bool block_scalar(std::string_view header);
  bool quoted(std::string_view text);
  bool flow(std::string_view text);
  bool plain(std::string_view text);
  bool folded(std::string &text);
  void give_null() {
    if (pending_) out_ += "null";
    pending_ = false;
  }
  bool malformed() {
    fault_ = fault_ == YamlFault::none ? YamlFault::malformed : fault_;
    return false;
  }

  std::string_view rest_;
  const size_t depth_;
  const ToolView &tools_;
  const std::string_view tool_;
  std::string &out_;
  std::string_view line_;  // without its indentation and line end
  size_t indent_ = 0;
  bool last_ = false;     // the text ends without a line end
  bool pending_ = false;  // the value of the last entry or item may stand on the following lines
  std::string key_;       // the last key of the outermost mapping
  std::vector<Open> open_;
  YamlFault fault_ = YamlFault::none;
};

// Takes the next line from the text. Returns false if there is none.
bool Yaml::next_line() {
  if (rest_.empty()) return false;
  const size_t end = std::min(rest_.find('\n'), rest_.size());
  line_ = rest_.substr(0, end);
  last_ = end == rest_.size();
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  indent_ = std::min(line_.find_first_not_of(' '), line_.size());
  line_.remove_prefix(indent_);
  return true;
}

YamlFault Yaml::read() {
  while (fault_ == YamlFault::none && next_line()) {
    if (trim(line_).empty() || line_[0] == '#') continue;
    if (open_.empty() && line_ == "---") continue;
    if (open_.empty() && !begin(indent_, false)) break;
    if (line_[0] == '\t' || !line()) malformed();
  }
  if (fault_ != YamlFault::none) return fault_;
  give_null();
  if (open_.empty()) out_ = "{";
  while (!open_.empty()) end();
  if (out_ == "{") out_ = "{}";
  return fault_;
}

bool Yaml::begin(size_t indent, bool list) {
  if (open_.size() >= depth_) return malformed();
  open_.push_back({indent, list, {}});
  out_ += list ? '[' : '{';
  pending_ = false;
  return true;
}

void Yaml::end() {
  out_ += open_.back().list ? ']' : '}';
  open_.pop_back();
}

bool Yaml::line() {
  const bool is_item = is_list_item(line_);
  if (pending_) {
    const Open &top = open_.back();
    if (indent_ > top.indent && !is_item && !begins_with_key(line_)) {
      pending_ = false;
      return value(line_);
    }
    if (indent_ > top.indent || (is_item && !top.list && indent_ == top.indent)) {
      if (!begin(indent_, is_item)) return false;
    } else {
      give_null();
    }
  }
  // A list may stand at the indentation of the key that it belongs to.
  while (open_.size() > 1 &&
         (open_.back().indent > indent_ || (open_.back().indent == indent_ && open_.back().list && !is_item)))
    end();
  const Open &top = open_.back();
  if (top.indent != indent_ || top.list != is_item) return false;
  return is_item ? item(line_, indent_) : entry(line_);
}

// Reads an item: "- value", "- key: value" or "- - value".
bool Yaml::item(std::string_view text, size_t indent) {
  while (true) {
    separate();
    text.remove_prefix(1);
    const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(blanks);
    indent += 1 + blanks;
    if (text.empty() || text[0] == '#') {
      pending_ = true;
      return true;
    }
    if (!is_list_item(text)) break;
    if (!begin(indent, true)) return false;
  }
  if (!begins_with_key(text)) return value(text);
  return begin(indent, false) && entry(text);
}

bool Yaml::entry(std::string_view text) {
  std::string key;
  size_t colon = 0;
  if (text[0] == '"' || text[0] == '\'') {
    ValueEnd string;
    string.start(0);
    const size_t end = string.find(text);
    std::string json;
    if (end == text.npos || !json_from_literal(text.substr(0, end), depth_, json)) return false;
    key = json_text(json);
    colon = std::min(text.find_first_not_of(' ', end), text.size());
  } else {
    if (kIndicators.find(text[0]) != kIndicators.npos) return false;
    colon = text.find(':');
    while (colon != text.npos && colon + 1 < text.size() && !is_white(text[colon + 1]))
      colon = text.find(':', colon + 1);
    if (colon == text.npos) return false;
    key = trim(text.substr(0, colon));
    if (key.empty() || key.find(" #") != key.npos) return false;
  }
  if (colon >= text.size() || text[colon] != ':') return false;
  text.remove_prefix(colon + 1);
  if (!text.empty() && !is_white(text[0])) return false;
  if (!open_.back().keys.insert(key).second) {
    fault_ = YamlFault::duplicate;
    return false;
  }
  separate();
  append_text(out_, key);
  out_ += ':';
  if (open_.size() == 1) key_ = std::move(key);
  return value(trim(text));
}

bool Yaml::value(std::string_view text) {
  text = trim(text);
  if (text.empty() || text[0] == '#') {
    pending_ = true;
    return true;
  }
  switch (text[0]) {
    case '|':
    case '>': return block_scalar(text);
    case '"':
    case '\'': return quoted(text);
    case '[':
    case '{': return flow(text);
    default: return plain(text);
  }
}

// Reads a block scalar: `header` is | or > with its indicators, and the text is the lines that are indented further.
bool Yaml::block_scalar(std::string_view header) {
  const bool folded = header[0] == '>';
  char chomp = 0;
  size_t content = 0;  // indentation of the text; 0: its first line decides
  header = trim(header.substr(1, header.find(" #") - 1));
  for (const char c : header) {
    if ((c == '-' || c == '+') && chomp == 0)
      chomp = c;
    else if (c >= '1' && c <= '9' && content == 0)
      content = open_.back().indent + static_cast<size_t>(c - '0');
    else
      return false;
  }
  std::string text;
  size_t breaks = 0;  // line ends since the last text
  bool more = false;  // the last line was indented further than the text
  while (!rest_.empty()) {
    const std::string_view before = rest_;
    next_line();
    if (line_.empty()) {
      ++breaks;
      continue;
    }
    if (content == 0 && indent_ > open_.back().indent) content = indent_;
    if (content == 0 || indent_ < content) {
      // Blank lines before the end of the block are not text.
      if (!trim(line_).empty()) rest_ = before;
      if (indent_ > open_.back().indent && !trim(line_).empty()) return false;
      if (!trim(line_).empty()) break;
      continue;
    }
    // This line has no end: what looked like the end of the call may stand in the middle of the text.
    if (last_) return false;
    const bool further = indent_ > content || line_[0] == '\t';
    if (folded && !text.empty() && !more && !further && breaks > 0)
      text += breaks == 1 ? std::string(" ") : std::string(breaks - 1, '\n');
    else
      text.append(breaks, '\n');
    text.append(indent_ - content, ' ').append(line_);
    breaks = 1;
    more = further;
  }
  if (chomp == '+')
    text.append(breaks, '\n');
  else if (chomp == 0 && !text.empty())
    text += '\n';
  append_text(out_, text);
  return true;
}

// Reads a quoted scalar, which must end on its line.
bool Yaml::quoted(std::string_view text) {
  std::string decoded;
  size_t end = 1;
  if (text[0] == '"') {
    ValueEnd string;
    string.start(0);
    end = string.find(text);
    if (end == text.npos || !json_from_literal(text.substr(0, end), depth_, decoded)) return false;
    out_ += decoded;
  } else {
    for (; end < text.size(); ++end) {
      if (text[end] == '\'' && text.substr(end + 1).starts_with('\''))
        ++end;
      else if (text[end] == '\'')
        break;
      decoded += text[end];
    }
    if (end == text.size()) return false;
    ++end;
    append_text(out_, decoded);
  }
  const std::string_view behind = text.substr(end);
  return trim(behind).empty() || trim(behind)[0] == '#';
}

// Reads a flow collection, which may span lines.
bool Yaml::flow(std::string_view text) {
  std::string all(text);
  ValueEnd brackets;
  brackets.start(0);
  size_t end = brackets.find(all);
  while (end == std::string_view::npos) {
    if (!next_line()) return false;
    all.append("\n").append(line_);
    end = brackets.find(all);
  }
  const std::string_view behind = trim(std::string_view(all).substr(end));
  if (!behind.empty() && behind[0] != '#') return false;
  std::string json;
  const size_t depth = depth_ > open_.size() ? depth_ - open_.size() : 0;
  const std::string_view written = std::string_view(all).substr(0, end);
  if (!json_from_literal(written, depth, json) && !json_from_words(written, {}, depth, json)) return false;
  out_ += compact_json(json);
  return true;
}

// Appends the lines that continue a plain text: those that are indented further. Returns false if one of them looks
// like something else.
bool Yaml::folded(std::string &text) {
  size_t breaks = 1;
  while (!rest_.empty()) {
    const std::string_view before = rest_;
    next_line();
    const std::string_view more = trim(line_);
    if (!more.empty() && indent_ <= open_.back().indent) {
      rest_ = before;
      return true;
    }
    if (more.empty()) {
      ++breaks;
      continue;
    }
    if (more[0] == '#' || is_list_item(more) || begins_with_key(more) || more.find(" #") != more.npos) return false;
    text += breaks == 1 ? std::string(" ") : std::string(breaks - 1, '\n');
    text += more;
    breaks = 1;
  }
  return true;
}

bool Yaml::plain(std::string_view text) {
  const size_t comment = std::min(text.find(" #"), text.size());
  // By the rules of YAML, "#3" in `issue #3` is a comment; the model meant text.
  if (comment + 2 < text.size() && !is_white(text[comment + 2])) return false;
  std::string all(trim(text.substr(0, comment)));
  const bool indicator = kIndicators.find(all[0]) != kIndicators.npos;
  if ((indicator && kHarmless.find(all[0]) == kHarmless.npos) || is_list_item(all)) return false;
  const bool goes_on = comment == text.size() && !indicator && !begins_with_key(all);
  if (goes_on && !folded(all)) return false;
  text = all;
  const bool null = text == "null" || text == "Null" || text == "NULL";
  const bool yes = text == "true" || text == "True" || text == "TRUE";
  const bool no = text == "false" || text == "False" || text == "FALSE";
  const bool number = (text[0] == '-' || is_digit(text[0])) && check_json(text, 1).ok();
  if (text == "~")
    out_ += "null";
  else if (open_.size() == 1 && tools_.declares(tool_, key_))
    append_text(out_, text);
  else if (null || yes || no)
    out_ += null ? "null" : yes ? "true" : "false";
  else if (number)
    out_ += text;
  else
    append_text(out_, text);
  return true;
}

}  // namespace

YamlFault json_from_yaml(std::string_view text, size_t depth, const ToolView &tools, std::string_view tool,
                         std::string &out) {
  out.clear();
  return Yaml(text, depth, tools, tool, out).read();
}

}  // namespace sluice
