// The items of an answer in the provider's own shape, collected while it streams: WireSink::on_native.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {

// Levels of JSON that stand around a call's arguments: the list of items, the item, and with Gemini the call in it.
inline constexpr size_t kAroundArguments = 3;

// An item with some members set anew: in their places, else behind the others.
class ItemText {
 public:
  explicit ItemText(std::string_view item) : item_(item) {}  // a JSON object, which must outlive this
  void set(std::string_view key, std::string json) { members_.emplace_back(key, std::move(json)); }
  std::string write() {
    std::string out = "{";
    for (JsonSlices members(item_); members.next();) {
      const auto set = std::find_if(members_.begin(), members_.end(),
                                    [&](const auto &one) { return one.first == members.key_text(); });
      out.append(out.size() > 1 ? "," : "").append(members.key()).append(":");
      out.append(set == members_.end() ? members.value() : std::string_view(set->second));
      if (set != members_.end()) members_.erase(set);
    }
    for (const auto &[key, json] : members_)
      out.append(out.size() > 1 ? ",\"" : "\"").append(key).append("\":").append(json);
    return out + "}";
  }

 private:
  const std::string_view item_;
  std::vector<std::pair<std::string_view, std::string>> members_;
};

class NativeItems {
 public:
  explicit NativeItems(size_t limit) : limit_(limit) {}

  // Counts bytes that will become items. Returns false once, when they come to more than the limit: then no items are
  // kept, since half of an answer cannot go back.
  bool reserve(size_t bytes) {
    const bool fitted = bytes_ <= limit_;
    bytes_ += bytes;
    if (bytes_ > limit_) list_ = {};
    return !fitted || bytes_ <= limit_;
  }
  bool full() const { return bytes_ > limit_; }  // no item is kept
  void add(std::string_view item) {              // one JSON object
    if (bytes_ > limit_) return;
    list_ += list_.empty() ? "" : ",";
    list_ += item;
  }
  void clear() { list_.clear(); }
  bool empty() const { return list_.empty(); }
  std::string array() const { return "[" + list_ + "]"; }

  // Saved as a string: a host that parses and prints the state again may change numbers and spaces in it otherwise.
  void save(ObjectWriter &saved) const { saved.text("items", list_).number("itemBytes", static_cast<int64_t>(bytes_)); }
  void load(const SavedReader &saved, size_t max_depth) {
    saved.text("items", list_);
    saved.get("itemBytes", bytes_);
    if (!list_.empty() && !check_json(array(), max_depth + kAroundArguments).ok()) list_.clear();
  }

 private:
  const size_t limit_;
  std::string list_;  // JSON objects with commas between them
  size_t bytes_ = 0;
};

}  // namespace sluice
