// The texts of a `content`, in the shapes in which servers send one: a text, a part of it, or a list of those.
#pragma once

#include <string_view>
#include <vector>

#include "wire/json_event.h"

namespace sluice {

struct ContentPiece {
  bool reasoning = false;
  std::string_view text = {};
  bool refusal = false;
};

// Appends what is not empty, in order. `kind`: of a text that does not say what it is. Views live as long as `content`.
void read_content(JsonView content, ContentPiece kind, std::vector<ContentPiece> &out);

}  // namespace sluice
