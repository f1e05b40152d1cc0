// Names of tools as models and servers say them: with rests of a template, a prefix, or a number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// What may be meant by a name that is no tool's, the nearest first; each is to be looked up. `native`: a server named
// it, so that a number behind it may be the server's.
std::vector<std::string_view> meant_names(std::string_view said, bool native);

}  // namespace sluice
