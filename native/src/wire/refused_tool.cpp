#include "wire/refused_tool.h"

#include <algorithm>

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

// The number behind a list's name: tools[14], tools.14, tools.14.custom. nullopt: none stands there.
std::optional<size_t> index_behind(std::string_view words, std::string_view list) {
  constexpr size_t kMostPlaceDigits = 6;
  for (size_t at = 0; (at = words.find(list, at)) != words.npos; at += list.size()) {
    const bool begins = at == 0 || !(is_alnum(words[at - 1]) || words[at - 1] == '_');
    std::string_view rest = words.substr(at + list.size());
    if (!begins || rest.empty() || (rest.front() != '[' && rest.front() != '.')) continue;
    rest.remove_prefix(1);
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || digits > kMostPlaceDigits) continue;
    size_t index = 0;
    for (const char digit : rest.substr(0, digits)) index = index * 10 + static_cast<size_t>(digit - '0');
    return index;
  }
  return std::nullopt;
}

// The first name in quotes that is a tool's.
std::string quoted_name(std::string_view words, const std::function<bool(std::string_view)> &is_tool) {
  constexpr std::string_view kQuotes = "'\"`";
  for (size_t at = 0; (at = words.find_first_of(kQuotes, at)) != words.npos; ++at) {
    const size_t end = words.find(words[at], at + 1);
    if (end == words.npos) continue;
    if (const std::string_view name = words.substr(at + 1, end - at - 1); is_tool(name)) return std::string(name);
  }
  return {};
}

// "string too long. Expected a string with maximum length 1024, but got one with length 3000"
size_t most_description(std::string_view small) {
  if (small.find("description") == small.npos) return 0;
  for (const std::string_view phrase :
       {"maximum length of ", "maximum length ", "at most ", "max length ", "less than or equal to "}) {
    const size_t at = small.find(phrase);
    if (at == small.npos) continue;
    size_t most = 0;
    for (const char c : small.substr(at + phrase.size(), 7)) {
      if (!is_digit(c)) break;
      most = most * 10 + static_cast<size_t>(c - '0');
    }
    return most;
  }
  return 0;
}

}  // namespace

std::optional<RefusedTool> refused_tool(std::string_view words, const std::function<bool(std::string_view)> &is_tool) {
  words = words.substr(0, kMostRefusalBytes);
  const std::string small = lower_case(words);
  if (holds(small, "parametersjsonschema|parameters_json_schema")) return std::nullopt;  // a member that no tool has
  RefusedTool tool;
  tool.at = index_behind(small, "tools");
  for (const std::string_view list : {"function_declarations", "functiondeclarations", "functions"})
    if (!tool.function_at) tool.function_at = index_behind(small, list);
  // A message of the history is refused with the names of its calls, too.
  if (holds(small, "schema|invalid_function_parameters")) tool.name = quoted_name(words, is_tool);
  if (!tool.at && !tool.function_at && tool.name.empty()) return std::nullopt;
  tool.most_description = most_description(small);
  return tool;
}

bool wants_tools_for_calls(std::string_view words) {
  const std::string small = lower_case(words.substr(0, kMostRefusalBytes));
  return holds(small,
               "without `tools=`|without tools=|without the tools param|without `tools`|"
               "toolconfig field must be defined");
}

}  // namespace sluice
