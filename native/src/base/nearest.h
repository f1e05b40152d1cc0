// Which name somebody meant.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sluice {

// Edits between two names, or `most` + 1 where they are more. Bounded work: long names are compared by their beginning.
size_t edit_distance(std::string_view a, std::string_view b, size_t most);

// The one of `known` that differs from `name` by a slip or two, in any case; empty: none.
std::string_view nearest(std::string_view name, const std::vector<std::string_view> &known);

}  // namespace sluice
