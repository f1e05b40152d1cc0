// Reads one reasoning tag, `<think …>` or `</think …>`, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// `<think attr="x">`, `<thinking>`, `<think:6124c78e>`, `</thinking >`.
class TagReader {
 public:
  enum class State : uint8_t {
    open,  // it may still become a tag
    tag,   // the byte that was read completed it
    none,  // it is no tag
  };
  // Goes behind `<think`, or (`closing`) behind `</think`.
  void start(bool closing) {
    place_ = Place::name;
    closing_ = closing;
    ing_ = 0;
  }
  State step(char c);

 private:
  enum class Place : uint8_t {
    name,
    suffix,  // behind a colon
    blanks,
    attribute,
    behind_attribute,
    behind_equals,
    quoted,
    bare,  // a value without quotes
  };
  Place place_ = Place::name;
  bool closing_ = false;
  size_t ing_ = 0;  // bytes read of the rest of `thinking`
  char quote_ = 0;
};

}  // namespace sluice
