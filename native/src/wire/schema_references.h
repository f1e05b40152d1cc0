// References within a JSON Schema.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// The strings of a list; other items are ignored.
std::vector<std::string> json_texts(std::string_view list);
void append_json_texts(std::string &out, const std::vector<std::string> &texts);

// if, then and else mean something only together.
bool is_condition(std::string_view key);

// Finds what references of one schema name. Reads each container once.
class SchemaReferences {
 public:
  explicit SchemaReferences(std::string_view root);

  // The schema that "#/$defs/a" names; nullopt: nothing, a value that is no schema, or a place in another document.
  std::optional<std::string_view> find(std::string_view reference);

 private:
  using Members = std::map<std::string, std::string_view, std::less<>>;

  const Members &members_of(std::string_view container);

  const std::string_view root_;
  std::map<const char *, Members> known_;
};

// The schema that a reference names, joined with the members beside the reference. Where both have a keyword and it
// cannot hold both values, the member beside wins, and `lost` gets the keyword unless it restricts nothing.
std::string with_siblings(std::string_view named, std::string_view beside, std::vector<std::string> &lost);

}  // namespace sluice
