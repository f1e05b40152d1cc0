// The name of a tool or a field without what models put around it.
#pragma once

#include <string_view>

namespace sluice {

// Without quotes, back-ticks, stars and commas at both ends.
std::string_view without_noise(std::string_view text);

// "-", "+", "1." or "2)"
bool is_list_mark(std::string_view token);

// Also without white space, brackets, halves of the words around a value (「始, 末}), and a list mark in front of it.
std::string_view plain_name(std::string_view text);

}  // namespace sluice
