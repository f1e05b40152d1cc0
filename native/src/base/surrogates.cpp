#include "base/surrogates.h"

#include <charconv>

#include "base/json.h"

namespace sluice {
namespace {

// The unit of the escape \uXXXX at `at`; 0: another escape.
uint32_t unit_at(std::string_view json, size_t at) {
  uint32_t unit = 0;
  if (at + 6 <= json.size() && json[at] == '\\' && json[at + 1] == 'u')
    std::from_chars(json.data() + at + 2, json.data() + at + 6, unit, 16);
  return unit;
}

bool is_high(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// The next lone surrogate from `at` on; npos: none.
size_t next_lone(std::string_view json, size_t at) {
  while ((at = json.find('\\', at)) != json.npos) {
    const uint32_t unit = unit_at(json, at);
    if (is_high(unit) && is_low(unit_at(json, at + 6)))
      at += 12;
    else if (is_high(unit) || is_low(unit))
      return at;
    else
      at += 2;
  }
  return at;
}

}  // namespace

void replace_lone_surrogates(std::string &json) {
  for (size_t at = 0; (at = next_lone(json, at)) != json.npos; at += 6) json.replace(at, 6, "\\ufffd");
}

std::optional<std::string> name_with_lone_surrogate(std::string_view json) {
  if (next_lone(json, 0) == json.npos) return std::nullopt;
  for (JsonSlices items(json); items.next();) {
    if (next_lone(items.key(), 0) != json.npos) return items.key_text();
    if (const auto within = name_with_lone_surrogate(items.value())) return within;
  }
  return std::nullopt;
}

}  // namespace sluice
