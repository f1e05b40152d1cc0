#include "base/plain_name.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"

namespace sluice {
namespace {

using Words = std::initializer_list<std::string_view>;

// Cuts the first of the words that the text begins or ends with. Returns false if there is none.
bool cut(std::string_view &text, bool front, const Words &words) {
  const auto found = std::find_if(words.begin(), words.end(), [&](std::string_view word) {
    return front ? text.starts_with(word) : text.ends_with(word);
  });
  if (found == words.end()) return false;
  front ? text.remove_prefix(found->size()) : text.remove_suffix(found->size());
  return true;
}

// A bracket with the half of a word beside it: 「始, 始」. A half alone is a part of the name.
bool cut_bracket(std::string_view &text, bool front) {
  const Words halves = {"始", "末"};
  std::string_view rest = text;
  cut(rest, front, halves);
  if (!cut(rest, front, {"「", "」", "『", "』", "【", "】", "{", "}", "<", ">"})) return false;
  cut(rest, front, halves);
  text = rest;
  return true;
}

bool cut_list_mark(std::string_view &text) {
  const size_t end = text.find_first_of(" \t");
  if (end == text.npos || !(is_list_mark(text.substr(0, end)) || text.substr(0, end) == "*")) return false;
  text.remove_prefix(end);
  return true;
}

}  // namespace

std::string_view without_noise(std::string_view text) {
  const Words noise = {"\"", "'", "`", "*", ",", "“", "”", "‘", "’", "，"};
  while (cut(text, true, noise)) continue;
  while (cut(text, false, noise)) continue;
  return text;
}

bool is_list_mark(std::string_view token) {
  if (token == "-" || token == "+") return true;
  const size_t digits = token.find_first_not_of("0123456789");
  return digits != 0 && digits == token.size() - 1 && (token.back() == '.' || token.back() == ')');
}

std::string_view plain_name(std::string_view text) {
  do text = trim(without_noise(trim(text)));
  while (cut_list_mark(text) || cut_bracket(text, true) || cut_bracket(text, false));
  return text;
}

}  // namespace sluice
