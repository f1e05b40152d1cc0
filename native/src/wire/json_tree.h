// A text of JSON as a tree over the text: reads what simdjson reads where there is none (SLUICE_SMALL).
#pragma once

#include <string_view>
#include <vector>

namespace sluice {

// A value, or a member's key in front of its value. What it contains follows it.
struct JsonNode {
  std::string_view token;  // as it stands in the text
  size_t span;             // nodes up to the next beside it, this one included

  bool is(char opener) const { return token.front() == opener; }
  const JsonNode *end() const { return this + span; }
};

class JsonTree {
 public:
  // Returns whether it could: not if `text` is no JSON nested at most `max_depth` deep, or may hold a lone surrogate.
  // `text` must stay as it is until the next read.
  bool read(std::string_view text, size_t max_depth);
  const JsonNode *root() const { return nodes_.data(); }

 private:
  std::vector<JsonNode> nodes_;
  std::vector<size_t> open_;  // containers
};

}  // namespace sluice
