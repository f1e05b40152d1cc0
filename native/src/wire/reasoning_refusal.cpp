#include "wire/reasoning_refusal.h"

#include <string>

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {

ReasoningWish reasoning_wish(std::string_view words) {
  const std::string small = lower_case(words.substr(0, kMostRefusalBytes));
  if (!holds(small, "reasoning_content|content[].thinking")) return ReasoningWish::by_dialect;
  if (holds(small, "passed back|missing|require|must be provided|must be present")) return ReasoningWish::required;
  if (holds(small, "unknown|unrecognized|unsupported|not supported|not permitted|not allowed|unexpected|extra inputs"))
    return ReasoningWish::refused;
  return ReasoningWish::by_dialect;
}

}  // namespace sluice
