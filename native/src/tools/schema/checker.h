// Holds arguments against the nodes of a schema.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/schema/node.h"
#include "tools/schema/value.h"

namespace sluice::json_schema {

struct Fault {
  uint32_t at = 0;       // the item of the value
  uint8_t types = 0;     // the expected types, where only the type is wrong
  bool telling = false;  // a value of enum or const is wrong: it says which kind of thing this is
  std::string tags;      // of a telling fault: the values that are allowed
  bool by_type = false;
  std::string message;
};

// Judges each pair of schema and item once: with recursion through anyOf, judging again on every level would double the
// work with each level. Of several faults it reports the one that helps the model most.
class Checker {
 public:
  // `value` must outlive the checker.
  explicit Checker(const Value &value) : value_(value) {}

  // nullptr: the item fits. The fault lives as long as the checker.
  const Fault *check(const Node &node, uint32_t at = 0);

 private:
  struct Pair {
    const Node *node;
    uint32_t at;
    bool operator==(const Pair &) const = default;
  };
  struct Hash {
    size_t operator()(const Pair &pair) const {
      return std::hash<const void *>()(pair.node) * 31 + static_cast<size_t>(uint64_t{pair.at} * 0x9E3779B97F4A7C15u);
    }
  };

  const Fault *judge(const Node &node, uint32_t at);
  const Fault *judge_value(const Node &node, uint32_t at);
  const Fault *judge_object(const Node &node, uint32_t at);
  const Fault *judge_array(const Node &node, uint32_t at);
  const Fault *judge_logic(const Node &node, uint32_t at);
  const Fault *judge_needs(const Node &node, uint32_t at);
  const Fault *judge_choices(const std::vector<const Node *> &choices, bool only_one, uint32_t at);
  const Fault *count(uint32_t at, size_t size, const std::optional<size_t> &least, const std::optional<size_t> &most,
                     std::string_view what);
  const Fault *not_allowed(const Node &node, uint32_t at, std::string_view name);
  const Fault *all_tags(const std::vector<const Node *> &choices, uint32_t at, const Fault &best);
  const Fault *fault(uint32_t at, std::string message);
  const Fault *type_fault(uint32_t at, uint8_t types);
  Fault &unfit(uint32_t at, std::string_view expected);
  std::string found(uint32_t at) const;

  const Value &value_;
  std::deque<Fault> faults_;  // never move
  std::unordered_map<Pair, const Fault *, Hash> judged_;
  uintptr_t bottom_ = 0;  // where on the stack the first judgement stood
};

}  // namespace sluice::json_schema
