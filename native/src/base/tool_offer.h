// A tool as a request offers it.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace sluice {

// Views live as long as the engine.
struct ToolOffer {
  std::string_view name;       // the engine's: live2d.expression
  std::string_view wire_name;  // legal for the provider and unique: live2d_expression
  std::string_view description;
  std::string_view parameters;  // JSON Schema as the host wrote it: spliced as text
};

inline constexpr size_t kMostNameBytes = 64;

// `name` in the characters that most providers take for a function's name, [A-Za-z0-9_-]{1,64}: each other code point
// becomes one '_'.
inline std::string legal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (out.size() == kMostNameBytes) break;
    if (!continues_code_point(c)) out += in_identifier(c) ? c : '_';
  }
  return out.empty() ? "_" : out;
}

}  // namespace sluice
