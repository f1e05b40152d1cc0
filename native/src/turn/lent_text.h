// Large texts of a waiting event. They are shared, and inserted when the event is polled or saved.
#pragma once

#include <cstddef>
#include <vector>

#include "base/shared_text.h"

namespace sluice {

// A text that belongs at the place `at` of a document.
struct LentText {
  size_t at;
  SharedText text;
  bool quoted;  // write it as a JSON string; else it is JSON
};
using LentTexts = std::vector<LentText>;
constexpr size_t kLendsFrom = 65536;  // bytes: shorter texts are copied

}  // namespace sluice
