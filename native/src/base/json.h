// JSON as text. A host's request, schemas, opaque provider fields and arguments must travel as they came, so they stay
// text: checked once, then sliced, spliced and compared, never parsed into numbers and printed again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sluice {

// Is `text` one JSON value, in UTF-8, nested at most `max_depth` deep? Numbers of any size and lone surrogate escapes
// are allowed. Linear, without recursion. Sets `cut` if more text could still complete the value.
Status check_json(std::string_view text, size_t max_depth, bool *cut = nullptr);

// ---- Slices. These functions take text that check_json accepted, with or without white space around it. ----

// The value without white space around it.
std::string_view trim_json(std::string_view text);

// Length of the string, number or word that `text` begins with.
size_t json_token_length(std::string_view text);

// Steps through the elements of an object or array. Copies nothing: keys and values are views of the text.
class JsonSlices {
 public:
  explicit JsonSlices(std::string_view container);  // any other value has no elements
  bool next();                                      // moves to the next element; false: the end
  std::string_view key() const { return key_; }     // objects: the key's token with its quotes, as written
  std::string_view bare_key() const {
    return key_.size() < 2 ? key_ : key_.substr(1, key_.size() - 2);
  }                              // without them
  std::string key_text() const;  // the key, decoded
  std::string_view value() const { return value_; }

 private:
  std::string_view rest_;
  std::string_view key_, value_;
  bool object_ = false;
};

// The value of a member, of the last one where a key repeats. nullopt: absent, or `object` is no object.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

// The text of a member that is a string; empty for any other.
std::string json_member_text(std::string_view object, std::string_view key);

// The kind of a value by its first character: '{' '[' '"' 'n' 't' 'f', or '0' for any number.
char json_kind(std::string_view value);

// The first name that a second member of the object has as well.
std::optional<std::string> repeated_name(std::string_view object);

// Decodes a string token. A lone surrogate becomes U+FFFD, or with `keep_surrogates` the three bytes that Utf8Joiner
// pairs.
std::string json_text(std::string_view token, bool keep_surrogates = false);
void append_json_text(std::string_view token, bool keep_surrogates, std::string &out);

// The same value without white space. A repeated key appears once, at its first place, with its last value; lone
// surrogates of keys are the same character. Numbers and strings stay as written.
std::string compact_json(std::string_view text);

// One spelling for equal values: members sorted by the bytes of their keys, no white space, strings with the fewest
// escapes. Numbers stay as written.
std::string canonical_json(std::string_view text);

// ---- Writing ----

// Appends `utf8`, which must be valid UTF-8, as a JSON string with its quotes. Allocates nothing but `out`.
void append_json_string(std::string &out, std::string_view utf8);
std::string json_string(std::string_view utf8);
size_t json_string_size(std::string_view utf8);               // bytes of json_string(utf8)
void append_unicode_escape(std::string &out, uint32_t unit);  // \uXXXX
void append_number(std::string &out, int64_t value);

}  // namespace sluice
