// Tools and defaults, compiled once and shared by every turn.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tools/registry.h"
#include "turn/config.h"

namespace sluice {

struct Engine {
  Registry registry;
  Config defaults;
  std::vector<bool> plain_tools;  // of each tool: no server wants another form of its schema

  static Status compile(std::string_view document, Engine &out);
};

}  // namespace sluice
