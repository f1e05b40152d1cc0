#include "wire/key_names.h"

#include <map>
#include <set>

#include "base/json.h"

namespace sluice {
namespace {

using Renames = std::map<std::string_view, std::string_view>;

std::string renamed(std::string_view arguments, const Renames &renames) {
  std::set<std::string> own;
  for (JsonSlices members(arguments); members.next();) own.insert(members.key_text());
  std::string out = "{";
  for (JsonSlices members(arguments); members.next();) {
    if (out.size() > 1) out += ',';
    const auto found = renames.find(members.key_text());
    if (found == renames.end() || own.contains(std::string(found->second)))
      out += members.key();
    else
      append_json_string(out, found->second);
    out.append(":").append(members.value());
  }
  return out + "}";
}

}  // namespace

std::string with_host_keys(std::string_view arguments, const KeyNames &keys) {
  Renames renames;
  for (const auto &[own, sent] : keys) renames.emplace(sent, own);
  return renamed(arguments, renames);
}

std::string with_sent_keys(std::string_view arguments, const KeyNames &keys) {
  Renames renames;
  for (const auto &[own, sent] : keys) renames.emplace(own, sent);
  return renamed(arguments, renames);
}

}  // namespace sluice
