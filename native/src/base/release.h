#pragma once

#include <cstddef>
#include <string>

namespace sluice {

// Empties a text and gives its memory back where that is more than `keep`. Assigning an empty one never does: what is
// short is copied, not moved.
inline void release_text(std::string &text, size_t keep = 0) {
  if (text.capacity() > keep)
    std::string().swap(text);
  else
    text.clear();
}

}  // namespace sluice
