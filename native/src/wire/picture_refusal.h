// Does a provider say that its model takes no pictures?
#pragma once

#include <string_view>

namespace sluice {

// True where `words` say that pictures cannot be sent at all; false where they say that something is wrong with one.
bool refuses_pictures(std::string_view words);

}  // namespace sluice
