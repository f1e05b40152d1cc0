// What a person can do about a request that a provider refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// `wire`: of the request. `status`: of HTTP, or 0 where the error stood in an answer. `words`: the provider's. Empty if
// nothing is known that helps.
std::string refusal_hint(std::string_view wire, int32_t status, std::string_view words);

}  // namespace sluice
