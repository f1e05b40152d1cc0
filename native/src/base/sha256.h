#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace sluice {

// SHA-256 (FIPS 180-4) of the joined pieces, as 64 lower-case hex digits.
std::string sha256_hex(std::initializer_list<std::string_view> pieces);
inline std::string sha256_hex(std::string_view data) { return sha256_hex({data}); }

}  // namespace sluice
