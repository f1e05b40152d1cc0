// A tool as a request offers it.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace sluice {

// The views live as long as the engine.
struct ToolOffer {
  std::string_view name;       // the engine's: live2d.expression
  std::string_view wire_name;  // unique, and legal for the provider: live2d_expression
  std::string_view description;
  std::string_view parameters;  // JSON Schema as the host wrote it: spliced as text
};

inline constexpr size_t kMostNameBytes = 64;

// `name` as [A-Za-z0-9_-]{1,64}, which nearly every provider accepts as a function's name: each other code point
// becomes one '_'.
inline std::string legal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (out.size() == kMostNameBytes) break;
    if (!continues_code_point(c)) out += in_identifier(c) ? c : '_';
  }
  return out.empty() ? "_" : out;
}

// A legal name that begins with a letter or '_', as Gemini wants it besides.
inline std::string wire_name_of(std::string_view name) {
  std::string out = legal_name(name);
  if (out.front() == '-' || is_digit(out.front())) out = legal_name("_" + out);
  return out;
}

}  // namespace sluice
