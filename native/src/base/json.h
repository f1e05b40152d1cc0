// JSON as text. What has to travel as it came (a host's request, schemas, opaque provider fields, arguments) stays
// text: it is checked once, then sliced, spliced and compared without ever being parsed into numbers and printed again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sluice {

// Is `text` one JSON value, in UTF-8, nested at most `max_depth` deep? Numbers of any size and lone surrogate escapes
// are fine: they are JSON. Never recurses, linear. `cut`: set where more text could still make it one.
Status check_json(std::string_view text, size_t max_depth, bool *cut = nullptr);

// ---- Slices. All of these take text that check_json accepted (surrounding white space is fine). ----

// The value without white space around it.
std::string_view trim_json(std::string_view text);

// One step through an object or array; a view of the checked text, nothing is copied.
class JsonSlices {
 public:
  explicit JsonSlices(std::string_view container);  // an object or an array; anything else has no elements
  bool next();                                      // moves to the next element; false: there is none
  std::string_view key() const { return key_; }     // objects: the key's token with its quotes, as written
  std::string key_text() const;                     // the key, decoded
  std::string_view value() const { return value_; }

 private:
  std::string_view rest_;
  std::string_view key_, value_;
  bool object_ = false;
};

// The value of a member; where it stands twice, the last one. nullopt: absent, or not an object.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

// First character decides: '{' '[' '"' 'n' 't' 'f', or '0' for any number.
char json_kind(std::string_view value);

// The text of a string token. A lone surrogate becomes U+FFFD, or with `keep_surrogates` three bytes that Utf8Joiner
// knows.
std::string json_text(std::string_view token, bool keep_surrogates = false);
void append_json_text(std::string_view token, bool keep_surrogates, std::string &out);

// The same value without white space; members that stand twice appear once, at the first place with the last value.
// Numbers and strings as written.
std::string compact_json(std::string_view text);

// One spelling for equal values: members sorted by the bytes of their keys, no white space, numbers as written, strings
// with the fewest escapes.
std::string canonical_json(std::string_view text);

// ---- Writing ----

// `utf8` as a JSON string with its quotes. Must be valid UTF-8 (see utf8.h). Does not allocate beyond `out`.
void append_json_string(std::string &out, std::string_view utf8);
std::string json_string(std::string_view utf8);
size_t json_string_size(std::string_view utf8);               // of that
void append_unicode_escape(std::string &out, uint32_t unit);  // \uXXXX
void append_number(std::string &out, int64_t value);

}  // namespace sluice
