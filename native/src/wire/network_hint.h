// What a person can do about a connection that was not made, or broke.
#pragma once

#include <string_view>

namespace sluice {

// `words`: the host's, for what went wrong. `heard`: bytes of the answer came. Empty if nothing is known that helps.
// The view lives for ever.
std::string_view network_hint(std::string_view words, bool heard);

}  // namespace sluice
