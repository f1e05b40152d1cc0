// Prompt caching: what a request says so that the server keeps the beginning of the conversation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/wire.h"

namespace sluice {

// The request with what its server wants to know of the cache: marks at the end of what stays the same, or a key that
// tells which conversation it is. The host's own members stay as they are, and where it marks anything itself, nothing
// is added.
std::string with_cached_prefix(std::string request, const Dialect &dialect, const CacheWish &wish);

// Do the words of a refusal name what that adds?
bool refuses_cached_prefix(std::string_view words);

}  // namespace sluice
