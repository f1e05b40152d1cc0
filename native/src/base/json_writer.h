// Writes JSON: objects member by member, arrays value by value. Keys are literals of this program and need no escapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace sluice {

class ObjectWriter {
 public:
  explicit ObjectWriter(std::string &out) : out_(out) { out_ += '{'; }

  // Makes room for `bytes` more and a few small members, so that a large document grows once.
  void reserve(size_t bytes) {
    if (bytes > kLarge) out_.reserve(out_.size() + bytes + kLarge);
  }

  ObjectWriter &raw(std::string_view key, std::string_view json) {
    name(key);
    out_ += json;
    return *this;
  }
  ObjectWriter &text(std::string_view key, std::string_view utf8) {
    name(key);
    append_json_string(out_, utf8);
    return *this;
  }
  ObjectWriter &number(std::string_view key, int64_t value) {
    name(key);
    append_number(out_, value);
    return *this;
  }
  ObjectWriter &boolean(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  // Begins a member; the caller appends its value.
  std::string &value(std::string_view key) {
    name(key);
    return out_;
  }
  void close() { out_ += '}'; }

 private:
  void name(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += key;
    out_ += "\":";
  }

  static constexpr size_t kLarge = 4096;

  std::string &out_;
  bool first_ = true;
};

// Writes a JSON array, value by value.
class ListWriter {
 public:
  std::string &next() {  // begins a value; the caller appends it
    if (!out_.empty()) out_ += ',';
    ++count_;
    return out_;
  }
  size_t count() const { return count_; }  // of the values
  bool empty() const { return out_.empty(); }
  size_t size() const { return out_.size(); }
  const std::string &values() const { return out_; }  // without the brackets
  std::string array() const { return "[" + out_ + "]"; }

 private:
  std::string out_;
  size_t count_ = 0;
};

}  // namespace sluice
