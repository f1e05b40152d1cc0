// JSON with words in the place of strings: {key:value,list:[a,b]}.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Strict JSON text for it. StringTracker may stand in `quote` (where it is not empty) or in ordinary quotes; a word is a
// number, a literal, or else a string. Accepted where nothing is in doubt: a text that lost the first of its quotes, no
// comma behind a quote, and (key=value) for the outermost brackets. false: a bracket, a quote or a value is missing, or
// something is in the way.
bool json_from_words(std::string_view text, std::string_view quote, size_t depth, std::string &out);

// What a word holds none of.
inline constexpr std::string_view kNoWord = "{}[]<>,\"'`";

}  // namespace sluice
