#include "protocol/harmless.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "protocol/spelling.h"
#include "protocol/value_end.h"

namespace sluice {
namespace {

constexpr int kLevels = 2;  // an encoded text that quotes an encoded text
constexpr int kMostPasses = 8;

// Returns whether it changed the text.
bool change(std::string &text, const Defuse &defuse, int levels) {
  const size_t before = text.size();
  defuse(text);
  for (const std::string_view mark : kForgedResults) break_marker(text, mark);
  if (levels > 0)
    for (const Spelling how : kSpellings) {
      const Decoded decoded(text, how);
      if (!decoded.differs()) continue;
      std::string said = decoded.text();
      if (change(said, defuse, levels - 1)) decoded.insert(said, text);
    }
  return text.size() != before;
}

// Replaces each object that `changed` breaks behind its brace by a string that contains the changed object. Empty: it
// breaks something else.
std::string with_calls_as_strings(const std::string &json, const std::string &changed, const Defuse &defuse) {
  std::string out;
  size_t i = 0, k = 0;
  while (k < changed.size()) {
    if (i < json.size() && json[i] == changed[k]) {
      out += json[i];
      ++i, ++k;
      continue;
    }
    if (i == 0 || json[i - 1] != '{') return {};
    ValueEnd end;
    end.start(i - 1);
    const size_t to = end.find(json);
    if (to == std::string::npos) return {};
    out.pop_back();
    append_json_string(out, harmless_text(std::string_view(json).substr(i - 1, to - (i - 1)), defuse));
    for (; i < to; ++k) i += json[i] == changed[k];
  }
  return out;
}

}  // namespace

// What one pass inserts may complete an escape: `[u0066(` becomes `[\u0066(`. So there is another one.
std::string harmless_text(std::string_view text, const Defuse &defuse) {
  std::string out(text);
  for (int passes = 0; passes < kMostPasses && change(out, defuse, kLevels);) ++passes;
  return out;
}

std::string harmless_strings(std::string_view json, const Defuse &defuse, bool described) {
  std::string out;
  std::string_view key;
  for (size_t at = 0; at < json.size();) {
    const size_t quote = std::min(json.find('"', at), json.size());
    out.append(json, at, quote - at);
    size_t end = quote;
    while (end < json.size() && (end == quote || json[end] != '"')) end += json[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, json.size());
    const std::string_view token = json.substr(quote, end - quote);
    const size_t next = json.find_first_not_of(" \t\r\n", end);
    const bool is_key = next != std::string_view::npos && json[next] == ':';
    const bool wanted = !described || (!is_key && (key == "\"description\"" || key == "\"title\""));
    const std::string before = wanted && token.size() > 2 ? json_text(token) : std::string();
    const std::string text = before.empty() ? before : harmless_text(before, defuse);
    if (text == before)
      out += token;
    else
      append_json_string(out, text);
    key = is_key ? token : std::string_view();
    at = end;
  }
  return out;
}

std::string harmless_json(std::string_view json, const Defuse &defuse) {
  const std::string said = harmless_strings(compact_json(json), defuse);
  if (json_kind(said) == '"') return said;
  std::string changed = said;
  defuse(changed);
  const std::string out = changed == said ? said : with_calls_as_strings(said, changed, defuse);
  changed = harmless_text(out.empty() ? said : out, defuse);
  return changed == out ? out : json_string(harmless_text(said, defuse));
}

std::string harmless_name(std::string_view name, const Defuse &defuse) {
  std::string text(name);
  for (char &c : text)
    if (!is_word(c) && std::string_view("-.:/").find(c) == std::string_view::npos) c = '_';
  std::string out = harmless_text(text + "{", defuse);
  out.pop_back();
  return out;
}

std::string harmless_result(const ResultText &result, const Defuse &defuse) {
  if (!result.json) return harmless_text(result.content, defuse);
  const std::string json = harmless_json(result.content, defuse);
  if (json == compact_json(result.content)) return std::string(result.content);
  return json_kind(json) == '"' ? json_text(json) : json;
}

std::string harmless_content(const ResultText &result, const Defuse &defuse) {
  return result.json ? harmless_json(result.content, defuse) : json_string(harmless_text(result.content, defuse));
}

std::vector<ToolText> harmless_tools(const std::vector<ToolText> &tools, const Defuse &defuse,
                                     std::deque<std::string> &owned) {
  const auto text = [&](std::string_view said) -> std::string_view {
    return said.empty() ? said : owned.emplace_back(harmless_text(said, defuse));
  };
  std::vector<ToolText> out;
  for (const ToolText &tool : tools)
    out.push_back({text(tool.name), text(tool.command), text(tool.description),
                   owned.emplace_back(harmless_json(tool.parameters, defuse))});
  return out;
}

}  // namespace sluice
