#pragma once

#include <cstddef>
#include <string>

namespace sluice {

// Empties a text, and frees its memory if that is more than `keep`. Assigning an empty string would keep the memory:
// short strings are copied, not moved.
inline void release_text(std::string &text, size_t keep = 0) {
  if (text.capacity() > keep)
    std::string().swap(text);
  else
    text.clear();
}

}  // namespace sluice
