// Words of providers, held against tables of phrases. A list of phrases is one text: "a|b" means a or b, in small
// letters.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

inline constexpr size_t kMostRefusalBytes = 4000;  // of a provider's words that are read

// Does the text hold one of the phrases?
inline bool holds(std::string_view text, std::string_view phrases) {
  for (;;) {
    const size_t end = phrases.find('|');
    if (text.find(phrases.substr(0, end)) != text.npos) return true;
    if (end == phrases.npos) return false;
    phrases.remove_prefix(end + 1);
  }
}

}  // namespace sluice
