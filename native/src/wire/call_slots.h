// Finds the slot of the call that an event is about: by the index of a call that ended, or by the id of a call that
// the provider runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {

// The calls that ended, by the index of their block or step: a piece of arguments that follows is lost.
class EndedCalls {
 public:
  void add(int64_t index, uint32_t slot) {
    if (calls_.size() < kMost) calls_.emplace_back(index, slot);
  }
  // The slot of the last call that had this index.
  std::optional<uint32_t> find(int64_t index) const {
    const auto call = std::find_if(calls_.rbegin(), calls_.rend(), [&](const auto &one) { return one.first == index; });
    return call == calls_.rend() ? std::nullopt : std::optional(call->second);
  }

  void save(ObjectWriter &saved) const {
    std::string &out = saved.value("endedCalls");
    out += '[';
    for (const auto &[index, slot] : calls_) {
      if (out.back() != '[') out += ',';
      ObjectWriter(out).number("index", index).number("slot", slot).close();
    }
    out += ']';
  }
  void load(const SavedReader &from) {
    for (JsonSlices calls(from.nested("endedCalls")); calls.next();) {
      auto &[index, slot] = calls_.emplace_back();
      const SavedReader call(calls.value());
      call.get("index", index);
      call.get("slot", slot);
    }
  }

 private:
  static constexpr size_t kMost = 4096;  // that are remembered
  std::vector<std::pair<int64_t, uint32_t>> calls_;
};

// The ids of the calls that the provider runs, by slot.
class ProvidedCalls {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;  // the slot of a call beyond the limit

  explicit ProvidedCalls(size_t limit) : limit_(limit) {}

  // Returns the slot of a new call; kNone if there are as many as the limit allows.
  uint32_t add(std::string id) {
    if (ids_.size() >= limit_) return kNone;
    ids_.push_back(std::move(id));
    return static_cast<uint32_t>(ids_.size() - 1);
  }
  std::optional<uint32_t> find(std::string_view id) const {
    const auto known = std::find(ids_.begin(), ids_.end(), id);
    return known == ids_.end() ? std::nullopt : std::optional(static_cast<uint32_t>(known - ids_.begin()));
  }
  std::optional<uint32_t> last() const {
    return ids_.empty() ? std::nullopt : std::optional(static_cast<uint32_t>(ids_.size() - 1));
  }
  bool empty() const { return ids_.empty(); }
  const std::string &id(uint32_t slot) const { return ids_[slot]; }

  void save(ObjectWriter &saved) const {
    std::string &out = saved.value("provided");
    out += '[';
    for (const std::string &id : ids_) append_json_string(out.append(&id == ids_.data() ? "" : ","), id);
    out += ']';
  }
  // An element of another kind is a call without an id: the slots of the others stay.
  void load(const SavedReader &from) {
    for (JsonSlices ids(from.nested("provided")); ids.next();)
      ids_.push_back(json_kind(ids.value()) == '"' ? json_text(ids.value()) : std::string());
  }

 private:
  const size_t limit_;
  std::vector<std::string> ids_;
};

}  // namespace sluice
