// A short digest of a text: tells whether a stored message was changed.
#pragma once

#include <string>
#include <string_view>

#include "base/sha256.h"

namespace sluice {

inline std::string text_digest(std::string_view content) { return sha256_hex(content).substr(0, 16); }

}  // namespace sluice
