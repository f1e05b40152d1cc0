// Members of a provider's message or call that the next request repeats byte for byte.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace sluice {

// Marks a call of a custom tool in what the next request repeats: it goes back as one.
inline constexpr std::string_view kCustomCall = "sluice_custom";

using OpaqueMembers = std::vector<std::pair<std::string, std::string>>;  // key, JSON text

// Saved as strings: a host that parses and prints the state again may change numbers and spaces, but not the content of
// strings.
inline void save_members(std::string &out, const OpaqueMembers &members) {
  out += '{';
  for (const auto &[key, value] : members) {
    if (&key != &members.front().first) out += ',';
    append_json_string(out, key);
    out += ':';
    append_json_string(out, value);
  }
  out += '}';
}

inline OpaqueMembers load_members(std::string_view saved, size_t max_depth) {
  OpaqueMembers members;
  for (JsonSlices slices(saved); slices.next();) {
    if (slices.key().empty() || json_kind(slices.value()) != '"') continue;
    if (std::string value = json_text(slices.value()); check_json(value, max_depth).ok())
      members.emplace_back(slices.key_text(), std::move(value));
  }
  return members;
}

}  // namespace sluice
