// Does a provider say that it takes no tools?
#pragma once

#include <string_view>

namespace sluice {

// True where `words` say that tools cannot be used at all; false where they say that one tool was written wrongly.
bool refuses_tools(std::string_view words);

}  // namespace sluice
