#include "tools/discovery.h"

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/plain_name.h"
#include "base/reading.h"
#include "base/sha256.h"
#include "base/sort.h"
#include "base/text.h"

namespace sluice {
namespace {

// Lower case, with one kind of separator.
std::string plain(std::string_view name) {
  std::string out(name);
  for (char &c : out) {
    c = lower(c);
    if (c == '.' || c == '-' || c == ':' || c == '/' || c == ' ') c = '_';
  }
  return out;
}

// The words of a plain name that have at least three letters.
std::set<std::string> words(std::string_view name) {
  std::set<std::string> out;
  while (!name.empty()) {
    const size_t end = std::min(name.find('_'), name.size());
    if (end >= 3) out.emplace(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return out;
}

constexpr size_t kFar = 1000;  // listed only if no name is nearer

// The distance of two plain names; kFar: they are not similar.
size_t distance(const std::string &asked, const std::set<std::string> &asked_words, const std::string &name) {
  const size_t longer = std::max(asked.size(), name.size());
  const size_t most = std::max<size_t>(1, std::min<size_t>(longer, 64) / 3);
  const size_t edits = edit_distance(asked, name, most);
  if (edits <= most) return edits;
  const bool inside =
      asked.size() >= 3 && name.size() >= 3 && (asked.find(name) != asked.npos || name.find(asked) != name.npos);
  if (inside) return most + 1;
  for (const std::string &word : words(name))
    if (asked_words.count(word)) return most + 2;
  return kFar;
}

}  // namespace

bool switched_on(const Tool &tool, const Exposure &exposure) {
  if (!exposure.enabled) return false;
  // The first of its names that has a toggle decides.
  bool on = tool.enabled.value_or(exposure.default_enabled);
  if (!exposure.toggles.empty())
    has_name(tool, [&](std::string_view name) {
      const auto toggle = exposure.toggles.find(name);
      if (toggle == exposure.toggles.end()) return false;
      on = toggle->second;
      return true;
    });
  return on;
}

std::string_view hidden_reason(const Tool &tool, const Exposure &exposure) {
  if (!tool.callable) return "not_callable";
  if (!switched_on(tool, exposure)) return "disabled";
  return exposure.unsendable.contains(tool.name) ? "unsendable" : "";
}

std::vector<const Tool *> exposed_tools(const Registry &registry, const Exposure &exposure, std::string_view tag) {
  std::vector<const Tool *> out;
  for (const Tool &tool : registry.tools()) {
    if (!hidden_reason(tool, exposure).empty()) continue;
    if (tag.empty() || std::find(tool.tags.begin(), tool.tags.end(), tag) != tool.tags.end()) out.push_back(&tool);
  }
  return out;
}

const Tool *find_loosely(const Registry &registry, const Exposure &exposure, const NameRules &rules,
                         std::string_view asked) {
  const std::string_view wanted = rules.lenient ? plain_name(asked) : trim(asked);
  if (wanted.empty()) return nullptr;
  if (rules.lenient)
    if (const Tool *const tool = registry.find(wanted)) return tool;
  if (!rules.any_case) return nullptr;
  const auto is_it = [wanted](std::string_view name) {
    return name.size() == wanted.size() && fit(name, wanted, true) == Fit::yes;
  };
  const Tool *found = nullptr;
  for (const Tool &tool : registry.tools()) {
    const bool named = is_it(tool.name) || is_it(tool.wire_name) || is_it(tool.vcp_command) ||
                       std::any_of(tool.aliases.begin(), tool.aliases.end(), is_it);
    if (!named || !hidden_reason(tool, exposure).empty()) continue;
    if (found != nullptr) return nullptr;
    found = &tool;
  }
  return found;
}

std::vector<std::string> nearest_names(const Registry &registry, const Exposure &exposure, std::string_view asked,
                                       bool commands) {
  // A model may invent a name of any length; nothing is near to a very long one.
  const std::string wanted = plain(asked.substr(0, 256));
  const std::set<std::string> wanted_words = words(wanted);
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const Tool *tool : exposed_tools(registry, exposure)) {
    size_t best = distance(wanted, wanted_words, plain(tool->name));
    for (const std::string &alias : tool->aliases) best = std::min(best, distance(wanted, wanted_words, plain(alias)));
    if (!tool->vcp_command.empty()) best = std::min(best, distance(wanted, wanted_words, plain(tool->vcp_command)));
    near.emplace_back(best, commands && !tool->vcp_command.empty() ? tool->vcp_command : tool->name);
  }
  sort_all(near);
  std::vector<std::string> out;
  for (size_t i = 0; i < near.size() && i < 3; ++i)
    if (near[i].first < kFar || near.front().first == kFar) out.emplace_back(near[i].second);
  return out;
}

size_t estimate_tokens(std::string_view text) {
  size_t ascii = 0, others = 0;
  for (const char c : text) {
    if (!is_beyond_ascii(c))
      ++ascii;
    else if (!continues_code_point(c))
      ++others;
  }
  return (ascii + 3) / 4 + others;
}

void list_tools(const Registry &registry, const Exposure &exposure, const Unseen &unseen, const ToolForm &form,
                ObjectWriter &out) {
  std::string definitions;
  ListWriter list;
  for (const Tool &tool : registry.tools()) {
    const std::string_view reason = hidden_reason(tool, exposure);
    if (reason.empty()) definitions.append(tool.definition_hash).append("\n");
    ObjectWriter one(list.next());
    one.text("name", tool.name).text("wireName", tool.wire_name).boolean("exposed", reason.empty());
    if (!reason.empty()) one.text("reason", reason);
    const auto words = [&](std::string_view member, const auto &all) {
      if (all.empty()) return;
      ListWriter texts;
      for (const std::string &word : all) append_json_string(texts.next(), word);
      one.raw(member, texts.array());
    };
    if (tool.ipc) one.boolean("ipc", true);
    if (tool.provider != nullptr) one.text("provider", tool.provider->id);
    words("unchecked", tool.schema.unchecked());
    if (reason.empty()) words("unseen", unseen(tool.parameters));
    if (is_one_of(reason, {"", "unsendable"})) form(tool, one);
    one.number("estimatedTokens", static_cast<int64_t>(estimate_tokens(tool.name) + estimate_tokens(tool.description) +
                                                       estimate_tokens(compact_json(tool.parameters))));
    one.close();
  }
  out.text("hash", sha256_hex(definitions)).raw("tools", list.array());
}

}  // namespace sluice
