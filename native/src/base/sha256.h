#pragma once

#include <string>
#include <string_view>

namespace sluice {

// SHA-256 (FIPS 180-4) as 64 lower-case hex digits.
std::string sha256_hex(std::string_view data);

}  // namespace sluice
