// JSON with bare words in place of strings: {key:value,list:[a,b]}.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Rewrites `text` as strict JSON. Strings may stand in `quote` (if it is not empty) or in ordinary quotes; a bare word
// is a number, a literal, or else a string. Also accepted, if the meaning is certain: a string without its first quote,
// a missing comma after a quote, and (key=value) as the outermost brackets. Returns false if a bracket, a quote or a
// value is missing, or if anything else does not fit.
bool json_from_words(std::string_view text, std::string_view quote, size_t depth, std::string &out);

// Characters that no bare word contains.
inline constexpr std::string_view kNoWord = "{}[]<>,\"'`";

}  // namespace sluice
