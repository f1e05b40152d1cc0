// Where a value ends, as models write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Finds the end of a bracketed value (an object, a list, a tuple) or of a string in a text that grows, looking at each
// byte once. Both quotes are quotes; what stands in one is data.
class ValueEnd {
 public:
  // The value's first byte: one of `{ [ ( " '`. `triple`: Python's triple quotes are quotes as well; the end of an
  // empty string is then known one byte later. Without: text that holds them ends somewhere, and is no literal unless
  // it ended in the right place. `comments`: of JSON5; behind a colon `//` is none, for it may be an address.
  void start(size_t at, bool triple = false, bool comments = false) {
    *this = ValueEnd();
    at_ = at;
    triple_ = triple;
    comments_ = comments;
  }
  // Position behind the value; npos: it goes on.
  size_t find(std::string_view text);
  // Goes on at another place of the text, where it was cut.
  void move(size_t at) { at_ = at; }
  // As JSON, and back, but for the place in the text.
  void save(std::string &out) const;
  void load(std::string_view saved);
  // What came last stands in a string.
  bool quoted() const { return place_ == Place::quoted || place_ == Place::tripled; }

 private:
  enum class Place : uint8_t { outside, opening, empty, quoted, tripled, line, block };  // opening: `"`, empty: `""`

  Place place_ = Place::outside;
  bool triple_ = false, comments_ = false, escaped_ = false;
  char quote_ = 0;
  unsigned quotes_ = 0;  // tripled: in a row
  size_t depth_ = 0;
  size_t at_ = 0;
};

}  // namespace sluice
