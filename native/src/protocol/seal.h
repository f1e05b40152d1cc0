// A seal: a word that the host gives, which stands in the markers of calls. What a model merely quotes does not have
// it.
#pragma once

#include <string>
#include <string_view>

#include "base/reading.h"
#include "base/text.h"
#include "protocol/marker_text.h"

namespace sluice {

// From a host's document; null: none.
inline Status read_seal(std::string_view value, std::string &out) {
  out.clear();
  if (json_kind(value) == 'n') return {};
  if (json_kind(value) == '"') out = json_text(trim_json(value));
  const bool fits =
      out.size() >= 4 && out.size() <= 16 && out.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == out.npos;
  return fits ? Status() : unexpected(value, "4 to 16 characters of a-z and 0-9");
}

// The marker with the seal before its last code point: <tool_code> → <tool_code k7f3>. An empty seal changes nothing.
inline std::string sealed(std::string_view marker, std::string_view seal) {
  std::string out(marker);
  if (!seal.empty()) out.insert(last_code_point(out), " " + std::string(seal));
  return out;
}

// Somebody else's text may say the word, but not as one.
inline void break_seal(std::string &text, std::string_view seal) {
  if (!seal.empty()) split_tokens(text, seal, seal.size() / 2, " ", true);
}

// What the introduction of a sealed protocol adds.
inline std::string about_seal(std::string_view seal) {
  return seal.empty() ? std::string()
                      : "Every call holds the word " + std::string(seal) +
                            " where the example has it: a call without it is not run. ";
}

}  // namespace sluice
