// Values as models write them: JSON, and what they take for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_literal.h"
#include "protocol/block.h"
#include "protocol/value_end.h"

namespace sluice {

// How a value is read.
struct ValueRules {
  size_t depth;         // limits.depth
  bool first = false;   // of members with one name the first one counts, not the last
  bool strict = false;  // nothing but JSON
};

// One value as strict JSON. false: it is none.
bool read_value(std::string_view written, const ValueRules &rules, std::string &json);

// The arguments of one call from what the model wrote: an object, a string that holds one, or nothing ("", null).
// Sets call.arguments, and call.reason where it is none yet and they are wrong (invalid_json, arguments_not_object).
// `at`: where they stand, for notes of members that stand twice.
void settle_arguments(ParsedCall &call, std::string_view written, const ValueRules &rules, size_t at,
                      std::vector<BlockReader::Note> &notes);

// The checked object without white space, every member once; a note for each that stood twice.
std::string settle_duplicates(const std::string &object, bool first, size_t at, std::vector<BlockReader::Note> &notes);

}  // namespace sluice
