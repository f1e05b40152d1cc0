#include "protocol/loose_json.h"

#include <algorithm>
#include <map>

#include "base/json.h"

namespace sluice {

bool read_value(std::string_view written, const ValueRules &rules, std::string &json) {
  if (!rules.strict) return json_from_literal(written, rules.depth, json);
  if (!check_json(written, rules.depth).ok()) return false;
  json = trim_json(written);
  return true;
}

void settle_arguments(ParsedCall &call, std::string_view written, const ValueRules &rules, size_t at,
                      std::vector<BlockReader::Note> &notes) {
  call.arguments = "{}";
  std::string json;
  const auto empty = [](std::string_view text) { return std::all_of(text.begin(), text.end(), is_white); };
  const auto wrong = [&call](std::string_view reason) {
    if (call.reason.empty()) call.reason = reason;
  };
  if (empty(written)) return;
  if (!read_value(written, rules, json)) return wrong("invalid_json");
  if (json_kind(json) == '"') {  // the arguments are a string that holds them
    const std::string inner = json_text(json);
    if (empty(inner)) return;
    if (!read_value(inner, rules, json)) return wrong("invalid_json");
  }
  if (json_kind(json) == 'n') return;
  if (json_kind(json) != '{') return wrong("arguments_not_object");
  call.arguments = settle_duplicates(json, rules.first, at, notes);
}

std::string settle_duplicates(const std::string &object, bool first, size_t at, std::vector<BlockReader::Note> &notes) {
  std::map<std::string, size_t> counts;
  std::string kept;
  for (JsonSlices member(object); member.next();) {
    std::string key = member.key_text();
    const size_t count = ++counts[key];
    if (count == 2) notes.push_back({"duplicate_argument", std::move(key), at});
    if (first && count == 1)
      kept.append(kept.empty() ? "{" : ",").append(member.key()).append(":").append(member.value());
  }
  return compact_json(kept.empty() ? object : kept + '}');
}

}  // namespace sluice
