// Prefixes between bars, such as ｜DSML｜: models and servers write | and ‖ for the bars as well, one or two of them,
// and blanks around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace sluice {

// In a word: any bars, with a blank between and behind them or without; the second ones also with one before them.
inline constexpr char kBars = '\x01';

// Most words differ from the text in their first two bytes; then nobody looks whether they hold bars.
inline bool begins_otherwise(std::string_view rest, std::string_view word) {
  for (size_t i = 0; i < 2 && i < rest.size() && i < word.size() && word[i] != kBars; ++i)
    if (rest[i] != word[i]) return true;
  return false;
}

// Returns whether `rest` begins with a word that may hold kBars, and its length.
Fit fit_barred(std::string_view rest, std::string_view word, size_t &length);

// A word in each spelling that servers were seen to write.
std::vector<std::string> spell_bars(std::string_view word);

// `before`, the first bars and `core` in each of those spellings.
std::vector<std::string> begin_bars(std::string_view before, std::string_view core);

// Puts a space behind the bracket of every tag with this prefix, however its bars are written.
void break_barred_tags(std::string &text, std::string_view prefix);

}  // namespace sluice
