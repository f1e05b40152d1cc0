// A tool as a request offers it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sluice {

// Keys of arguments that are renamed for a server: the host's, and the server's.
using KeyNames = std::vector<std::pair<std::string, std::string>>;

// The views live as long as the engine, or as the turn where a server wants another form.
struct ToolOffer {
  std::string_view name;       // the engine's: live2d.expression
  std::string_view wire_name;  // unique, and legal for the provider: live2d_expression
  std::string_view description;
  std::string_view parameters;     // JSON Schema as the host wrote it, or as its server takes it: spliced as text
  const KeyNames *keys = nullptr;  // of `parameters`, where some are renamed; nullptr: none is
  std::string_view declared = {};  // JSON of a tool that this provider defines; empty: it goes out as a function
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
