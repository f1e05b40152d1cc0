// Turns literals as models write them into JSON.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Writes strict JSON for a value that is JSON, or nearly JSON: literals of Python (True, False, None, its string quotes
// and escapes, tuples, numbers such as 0x1F and 1_000), raw control characters in strings, a comma before a closing
// bracket. Guesses nothing: returns false for text that lacks a bracket, a quote or a value. `depth`: limits.depth.
bool json_from_literal(std::string_view text, size_t depth, std::string &out);

// The same for text that can only be Python: a set becomes a list, and 07 is 7 (010 is refused).
bool json_from_python(std::string_view text, size_t depth, std::string &out);

}  // namespace sluice
