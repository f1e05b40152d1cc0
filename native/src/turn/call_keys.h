// The keys of the calls of a round: "<round>:<action>", and ":2", ":3" … behind it for calls that run the same. A call
// keeps its key, whatever the others do later.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sluice {

class CallKeys {
 public:
  // The round whose keys it knows; 0: none.
  uint32_t round() const { return round_; }
  void begin(uint32_t round) {
    round_ = round;
    numbers_.clear();
  }
  void add(std::string_view key) {
    if (const auto [base, number] = parts(key); number != 0) numbers_[std::string(base)].insert(number);
  }
  void remove(std::string_view key) {
    const auto [base, number] = parts(key);
    if (const auto known = numbers_.find(base); known != numbers_.end()) known->second.erase(number);
  }
  // The first key of this action that no call of the round has.
  std::string next(std::string_view action) {
    std::string key = std::to_string(round_) + ":" + std::string(action);
    const uint32_t number = free_number(numbers_[key]);
    if (number > 1) key += ":" + std::to_string(number);
    return key;
  }

 private:
  struct Parts {
    std::string_view base;
    uint32_t number;  // 0: no key of this round
  };
  Parts parts(std::string_view key) const {
    const size_t action = key.find(':');
    if (action == key.npos || key.substr(0, action) != std::to_string(round_)) return {{}, 0};
    const size_t colon = key.find(':', action + 1);
    if (colon == key.npos) return {key, 1};
    Parts out{key.substr(0, colon), 0};
    std::from_chars(key.data() + colon + 1, key.data() + key.size(), out.number);
    return out;
  }
  static uint32_t free_number(const std::set<uint32_t> &taken) {
    if (taken.empty() || *taken.rbegin() == taken.size()) return static_cast<uint32_t>(taken.size()) + 1;
    uint32_t number = 1;
    for (const uint32_t one : taken) {
      if (one != number) break;
      ++number;
    }
    return number;
  }

  uint32_t round_ = 0;
  std::map<std::string, std::set<uint32_t>, std::less<>> numbers_;  // by the key without its number
};

}  // namespace sluice
