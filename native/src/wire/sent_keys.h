// Names for the keys of a tool's arguments that a server refuses, and what the top of a schema says with them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/tool_offer.h"
#include "wire/schema_references.h"

namespace sluice {

class SentKeys {
 public:
  // `references`: of the host's schema; it must live as long as this.
  explicit SentKeys(SchemaReferences &references) : references_(references) {}

  // Collects the names of members that this keyword of the top is about.
  void collect(std::string_view key, std::string_view value, std::set<std::string> &names) {
    collect_of(key, value, 0, names);
  }

  // Names the keys, in their order. A legal key keeps its own. `taken`: names that no key gets.
  void name(const std::vector<std::string> &keys, std::set<std::string> taken);

  const KeyNames &names() const { return names_; }
  const std::string &sent(const std::string &key) const;
  std::vector<std::string> sent(std::vector<std::string> keys) const;

  // Can the keyword of the top say the same about the names that are sent?
  bool fits(std::string_view key, std::string_view value);

  // Writes the value of a keyword of the top, with the names that are sent. Where keys have names, it must fit.
  void write(std::string_view key, std::string_view value, std::string &out);

 private:
  void collect_in(std::string_view part, size_t level, std::set<std::string> &names);
  void collect_of(std::string_view key, std::string_view value, size_t level, std::set<std::string> &names);
  bool is_about_names(std::string_view part, size_t level);
  void write_part(std::string_view schema, std::string &out);

  SchemaReferences &references_;
  KeyNames names_;
  std::map<std::string, std::string> sent_;
  size_t parts_ = 0;  // that were looked into
};

}  // namespace sluice
