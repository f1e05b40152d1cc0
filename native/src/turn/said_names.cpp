#include "turn/said_names.h"

#include "base/text.h"

namespace sluice {

std::vector<std::string_view> meant_names(std::string_view said, bool native) {
  std::vector<std::string_view> names;
  std::string_view name = native ? trim(said.substr(0, said.find_first_of("<|"))) : said;
  bool prefixed = false;
  for (const std::string_view prefix : {"functions.", "default_api:", "default_api."})
    if (!prefixed && name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      prefixed = true;
    }
  if (name.empty()) return names;
  if (name.size() != said.size()) names.push_back(name);
  // read_file:3, read_file_3, read_file3
  std::string_view without = name;
  while (!without.empty() && is_digit(without.back())) without.remove_suffix(1);
  if (without.size() == name.size() || !(native || prefixed)) return names;
  if (!without.empty() && (without.back() == ':' || without.back() == '_')) {
    const std::string_view bare = without.substr(0, without.size() - 1);
    if (!bare.empty()) names.push_back(bare);
  }
  if (!without.empty() && without.back() != ':') names.push_back(without);
  return names;
}

}  // namespace sluice
