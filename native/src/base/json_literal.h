// Literals as models write them → JSON.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Strict JSON text for a value that is JSON, or nearly: Python's literals (True, False, None, strings in any of its
// quotes with its escapes, tuples, numbers such as 0x1F and 1_000), raw control characters inside of strings, a comma
// before a closing bracket. Nothing is guessed: text that lost a bracket, a quote or a value is none. `depth`:
// limits.depth.
bool json_from_literal(std::string_view text, size_t depth, std::string &out);

// The same where only Python can be meant: a set is a list, and 07 is 7 (but 010 is nothing).
bool json_from_python(std::string_view text, size_t depth, std::string &out);

}  // namespace sluice
