// The keys of a call's arguments, where a server got other names for them.
#pragma once

#include <string>
#include <string_view>

#include "base/tool_offer.h"

namespace sluice {

// `arguments`: checked JSON of an object. A name of the server's becomes the host's, unless the host's is there as
// well.
std::string with_host_keys(std::string_view arguments, const KeyNames &keys);
std::string with_sent_keys(std::string_view arguments, const KeyNames &keys);

}  // namespace sluice
