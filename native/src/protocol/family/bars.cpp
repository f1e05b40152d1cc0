#include "protocol/family/bars.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::string_view kRuns[] = {"｜", "｜｜", "｜ ｜", "|", "||", "| |", "‖", "‖‖"};

// Passes one bar at `at`. Its first byte tells which.
Fit pass_bar(std::string_view text, size_t &at) {
  if (at == text.size()) return Fit::partial;
  constexpr std::string_view kWide = "｜", kDouble = "‖";
  if (text[at] == '|') {
    ++at;
    return Fit::yes;
  }
  if (text[at] != kWide[0] && text[at] != kDouble[0]) return Fit::no;
  const std::string_view bar = text[at] == kWide[0] ? kWide : kDouble;
  const Fit found = fit(text.substr(at), bar);
  if (found == Fit::yes) at += bar.size();
  return found;
}

void pass_blank(std::string_view text, size_t &at) {
  if (at < text.size() && text[at] == ' ') ++at;
}

// Passes the bars and the blanks between and behind them. `inner`: also one in front of them. Behind the tag's bracket
// none may stand: a blank there is what breaks a marker.
Fit pass_bars(std::string_view text, size_t &at, bool inner) {
  if (inner) pass_blank(text, at);
  const Fit first = pass_bar(text, at);
  if (first != Fit::yes) return first;
  size_t next = at;
  pass_blank(text, next);
  const Fit second = pass_bar(text, next);
  if (second == Fit::partial) return second;
  if (second == Fit::yes) at = next;
  pass_blank(text, at);
  return Fit::yes;
}

}  // namespace

Fit fit_barred(std::string_view rest, std::string_view word, size_t &length) {
  size_t at = 0;
  bool inner = false;
  while (!word.empty()) {
    if (word[0] == kBars) {
      const Fit found = pass_bars(rest, at, inner);
      if (found != Fit::yes) return found;
      inner = true;
      word.remove_prefix(1);
      continue;
    }
    const std::string_view plain = word.substr(0, word.find(kBars));
    const Fit found = fit(rest.substr(at), plain);
    if (found != Fit::yes) return found;
    at += plain.size();
    word.remove_prefix(plain.size());
  }
  length = at;
  return Fit::yes;
}

// The bars on both sides are alike; blanks stand on their inner sides, behind both of them, or nowhere.
std::vector<std::string> spell_bars(std::string_view word) {
  std::vector<std::string> out;
  const size_t first = word.find(kBars), second = word.find(kBars, first + 1);
  if (second == word.npos) return {std::string(word)};
  const std::string_view before = word.substr(0, first), core = word.substr(first + 1, second - first - 1),
                         behind = word.substr(second + 1);
  for (const std::string_view run : kRuns)
    for (const std::string_view inner : {"", " "})
      for (const std::string_view last : {"", " "}) {
        std::string &one = out.emplace_back(before);
        one.append(run).append(inner).append(core).append(inner).append(run).append(last).append(behind);
      }
  return out;
}

std::vector<std::string> begin_bars(std::string_view before, std::string_view core) {
  std::vector<std::string> out;
  for (const std::string_view run : kRuns)
    for (const std::string_view inner : {"", " "})
      out.push_back(std::string(before).append(run).append(inner).append(core));
  return out;
}

void break_barred_tags(std::string &text, std::string_view prefix) {
  const size_t first = code_point_length(prefix[0]);
  const std::string_view core = prefix.substr(first, prefix.size() - 2 * first);
  const std::string pattern = kBars + std::string(core);
  std::string out;
  size_t from = 0;
  for (size_t at = 0; (at = text.find('<', at)) != text.npos; ++at) {
    const std::string_view rest = std::string_view(text).substr(at + 1);
    size_t length = 0;
    if (fit_barred(rest.substr(rest.starts_with('/')), pattern, length) != Fit::yes) continue;
    out.append(text, from, at + 1 - from).append(" ");
    from = at + 1;
  }
  if (from != 0) text = out.append(text, from);
}

}  // namespace sluice
