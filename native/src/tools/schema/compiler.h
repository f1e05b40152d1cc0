// The text of a schema → its nodes.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "tools/schema/node.h"

namespace sluice::json_schema {

// Reads every keyword of `text` (checked JSON). Refuses a schema that cannot be read, or that refers to itself without
// end. `nodes` owns what is made, `root` is the node of the whole; `unchecked` gets the keywords that are not checked.
Status compile_schema(std::string_view text, std::deque<Node> &nodes, std::set<std::string> &unchecked,
                      const Node *&root);

}  // namespace sluice::json_schema
