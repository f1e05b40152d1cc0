// Large texts of an event that waits: lent, and written when it is polled or saved.
#pragma once

#include <cstddef>
#include <vector>

#include "base/shared_text.h"

namespace sluice {

// A text that stands at a place of a document, and is written there when the document is read.
struct LentText {
  size_t at;
  SharedText text;
  bool quoted;  // as a JSON string; else it is JSON
};
using LentTexts = std::vector<LentText>;
constexpr size_t kLendsFrom = 65536;  // bytes: what is shorter is copied

}  // namespace sluice
