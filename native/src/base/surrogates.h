// Lone surrogates in JSON: half of a character, which no UTF-8 can say and servers refuse.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Writes U+FFFD in place of each escape that is a lone surrogate. `json`: checked JSON; nothing else of it changes.
void replace_lone_surrogates(std::string &json);

// A name of a member, at any depth, that has one.
std::optional<std::string> name_with_lone_surrogate(std::string_view json);

}  // namespace sluice
