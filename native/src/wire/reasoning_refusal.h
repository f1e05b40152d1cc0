// What does a refusal say of the reasoning of earlier answers?
#pragma once

#include <string_view>

#include "wire/wire.h"

namespace sluice {

// `by_dialect`: nothing.
ReasoningWish reasoning_wish(std::string_view words);

}  // namespace sluice
