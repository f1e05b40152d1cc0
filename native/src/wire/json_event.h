// The JSON of one event of a stream, parsed to be looked at once. simdjson reads it; what simdjson refuses although it
// is legal (lone surrogates, huge numbers), and what is too large for it, is sliced instead. With SLUICE_SMALL,
// JsonTree stands in simdjson's place.
#pragma once

#ifdef SLUICE_SMALL
#  include "wire/json_tree.h"
#else
#  include <simdjson.h>
#endif

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace sluice {

// Whole numbers of an event are smaller: doubles, in which other readers hold them, have each below it, and sums of
// them do not overflow.
inline constexpr int64_t kMostInteger = int64_t{1} << 53;

// One value of an event. Lives as long as its JsonEvent reads no other text.
class JsonView {
 public:
  JsonView() = default;  // absent: kind() is 0
#ifdef SLUICE_SMALL
  JsonView(const JsonNode &node, std::deque<std::string> &strings)
      : node_(&node), text_(node.token), strings_(&strings), way_(Way::parsed) {}
#else
  explicit JsonView(simdjson::dom::element element) : element_(element), way_(Way::parsed) {}
#endif
  JsonView(std::string_view text, std::deque<std::string> &strings)
      : text_(text), strings_(&strings), way_(Way::sliced) {}

  explicit operator bool() const { return way_ != Way::absent; }
  // '{' '[' '"' 'n' (null) 't' (true or false), '0' for any number, or 0 where the value is absent.
  char kind() const;
  bool is_object() const { return kind() == '{'; }
  // The decoded string; empty for any other kind. Sliced ones may hold lone surrogates, as three bytes each.
  std::string_view string() const;
  std::optional<int64_t> integer() const;  // the whole part of a number: 1.0 and 1e0 are 1; none from kMostInteger on
  bool is_true() const;
  // The value as it stands in the event; empty where simdjson read it (JsonEvent::sliced() has it).
  std::string_view text() const { return way_ == Way::sliced ? trim_json(text_) : std::string_view(); }
  // A member of an object, the last one where the key repeats; absent for anything else.
  JsonView operator[](std::string_view key) const;

  template <class Use>
  void members(Use use) const {  // of an object: use(key, value)
    if (way_ == Way::parsed) {
#ifdef SLUICE_SMALL
      if (!node_->is('{')) return;
      for (const JsonNode *key = node_ + 1; key != node_->end(); key = key[1].end())
        use(JsonView(*key, *strings_).string(), JsonView(key[1], *strings_));
#else
      simdjson::dom::object object;
      if (element_.get_object().get(object) != simdjson::SUCCESS) return;
      for (const auto &[key, value] : object) use(std::string_view(key), JsonView(value));
#endif
    } else if (way_ == Way::sliced && json_kind(text_) == '{') {
      for (JsonSlices slices(text_); slices.next();)
        use(JsonView(slices.key(), *strings_).string(), JsonView(slices.value(), *strings_));
    }
  }
  template <class Use>
  void items(Use use) const {  // of an array: use(value)
    if (way_ == Way::parsed) {
#ifdef SLUICE_SMALL
      if (!node_->is('[')) return;
      for (const JsonNode *item = node_ + 1; item != node_->end(); item = item->end()) use(JsonView(*item, *strings_));
#else
      simdjson::dom::array array;
      if (element_.get_array().get(array) != simdjson::SUCCESS) return;
      for (const simdjson::dom::element item : array) use(JsonView(item));
#endif
    } else if (way_ == Way::sliced && json_kind(text_) == '[') {
      for (JsonSlices slices(text_); slices.next();) use(JsonView(slices.value(), *strings_));
    }
  }

 private:
  enum class Way : uint8_t { absent, parsed, sliced };

#ifndef SLUICE_SMALL
  char parsed_kind() const;
#endif

#ifdef SLUICE_SMALL
  const JsonNode *node_ = nullptr;
#else
  simdjson::dom::element element_;
#endif
  std::string_view text_;
  std::deque<std::string> *strings_ = nullptr;  // keeps decoded strings
  Way way_ = Way::absent;
};

class JsonEvent {
 public:
  explicit JsonEvent(size_t max_depth);
  ~JsonEvent();
  JsonEvent(const JsonEvent &) = delete;
  JsonEvent &operator=(const JsonEvent &) = delete;

  enum class Result : uint8_t { ok, no_json, no_utf8 };
  // Reads one value. `text` must stay as it is until the next read.
  Result read(std::string_view text);
  JsonView root() const;
  // The same value, sliced: its parts know their text.
  JsonView sliced() const;
  std::string_view text() const { return text_; }
  // Strings of root() may hold lone surrogates.
  bool has_surrogates() const { return !parsed_; }

 private:
  struct Parser;

  // -- set once
  const size_t max_depth_;
  // -- of the text that was read last; the buffers are used again
  const std::unique_ptr<Parser> parser_;
  std::string_view text_;
  bool parsed_ = false;  // by simdjson
  mutable std::deque<std::string> strings_;
};

}  // namespace sluice
