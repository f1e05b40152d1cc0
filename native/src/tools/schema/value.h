// A JSON value as a table that a schema can walk without reading the text again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace sluice::json_schema {

inline constexpr size_t kLargest = 0xFFFFFFF0u;  // bytes of a value: its places are 32 bits

// Places are bytes of the text. A container stands before what it holds.
struct Item {
  uint32_t key, key_end;  // the key's token; equal: this is no member
  uint32_t begin, end;
  uint32_t next;  // index of the first item after this one and all that it holds
  uint32_t depth;
};

class Value {
 public:
  // `text`: compact JSON of at most kLargest bytes.
  explicit Value(std::string text) : text_(std::move(text)) { read(); }
  // Gives the text back; the value is empty then.
  std::string release() && { return std::move(text_); }

  const Item &item(uint32_t i) const { return items_[i]; }
  std::string_view text(uint32_t i) const { return slice(items_[i].begin, items_[i].end); }
  char kind(uint32_t i) const { return json_kind(text(i)); }
  std::string_view key_token(uint32_t i) const { return slice(items_[i].key, items_[i].key_end); }
  // The key, decoded. A key with escapes is decoded into `room`, and the view points there.
  std::string_view key(uint32_t i, std::string &room) const;
  // The JSON pointer to an item.
  std::string pointer_to(uint32_t target) const;

 private:
  std::string_view slice(uint32_t begin, uint32_t end) const {
    return std::string_view(text_).substr(begin, end - begin);
  }
  void read();

  std::string text_;
  std::vector<Item> items_;
};

}  // namespace sluice::json_schema
