// Settings of a turn about its server: what its finish reasons mean, and what it is told of its prompt cache.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/status.h"
#include "wire/wire.h"

namespace sluice {

using FinishReasons = std::map<std::string, Finish, std::less<>>;  // keys in lower case

// The host's own finish reasons: word → class.
Status read_finish_reasons(std::string_view value, FinishReasons &out);
void write_finish_reasons(const FinishReasons &reasons, ObjectWriter &object);

// "auto", "off", or an object with ttl and key.
Status read_cache(std::string_view value, CacheWish &out);
void write_cache(const CacheWish &cache, ObjectWriter &object);

}  // namespace sluice
