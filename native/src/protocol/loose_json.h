// Values as models write them: JSON, and what they take for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_literal.h"
#include "protocol/block.h"

namespace sluice {

// Finds the end of a bracketed value (an object, a list, a tuple) or of a string in a text that grows, looking at each
// byte once. Both quotes are quotes; what stands in one is data.
class ValueEnd {
 public:
  // The value's first byte: one of `{ [ ( " '`. `triple`: Python's triple quotes are quotes as well; the end of an
  // empty string is then known one byte later. Without: text that holds them ends somewhere, and is no literal unless
  // it ended in the right place.
  void start(size_t at, bool triple = false) {
    *this = ValueEnd();
    at_ = at;
    triple_ = triple;
  }
  // Position behind the value; npos: it goes on.
  size_t find(std::string_view text);
  // What came last stands in a string.
  bool quoted() const { return place_ == Place::quoted || place_ == Place::tripled; }

 private:
  enum class Place : uint8_t { outside, opening, empty, quoted, tripled };  // opening: `"`, empty: `""`

  Place place_ = Place::outside;
  bool triple_ = false, escaped_ = false;
  char quote_ = 0;
  unsigned quotes_ = 0;  // tripled: in a row
  size_t depth_ = 0;
  size_t at_ = 0;
};

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
