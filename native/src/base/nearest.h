// Finds the known name that a misspelled one probably means.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sluice {

// The number of edits between two names, or `most` + 1 if there are more. Compares only the first 64 bytes.
size_t edit_distance(std::string_view a, std::string_view b, size_t most);

// The name of `known` that differs from `name` by at most two edits, ignoring case. Empty: there is none.
std::string_view nearest(std::string_view name, const std::vector<std::string_view> &known);

}  // namespace sluice
