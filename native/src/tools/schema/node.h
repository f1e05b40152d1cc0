// A compiled schema: what it requires of one value, and the schemas that judge parts of that value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/schema/number.h"

namespace sluice::json_schema {

enum Type : uint8_t {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kNumber = 8,
  kString = 16,
  kArray = 32,
  kObject = 64,
};

struct NamedType {
  std::string_view name;
  uint8_t type;
};
inline constexpr NamedType kTypes[] = {{"null", kNull},     {"boolean", kBoolean}, {"integer", kInteger},
                                       {"number", kNumber}, {"string", kString},   {"array", kArray},
                                       {"object", kObject}};
// Names of types in programming languages: some generators of schemas write them.
inline constexpr NamedType kTypesOfOthers[] = {
    {"int", kInteger}, {"long", kInteger}, {"float", kNumber}, {"double", kNumber}, {"bool", kBoolean},
    {"str", kString},  {"list", kArray},   {"tuple", kArray},  {"dict", kObject},   {"map", kObject}};

// "string or null": for messages.
std::string names_of(uint8_t types);

inline constexpr size_t kListed = 2000;  // bytes of allowed values that a message lists for the model

struct Bound {
  Number number;
  std::string text;  // as written
};

struct Node {
  bool never = false;     // the schema `false`
  bool nullable = false;  // of OpenAPI: null is allowed besides the types
  bool loose = false;  // it, or a schema that it applies, has keywords that are not checked: a value may fit by mistake
  uint8_t types = 0;   // 0: any

  std::set<std::string, std::less<>> values;  // of enum or const, as equality_key() spells them
  std::string values_text;                    // the same for messages; empty: any value is allowed
  uint8_t value_types = 0;

  std::optional<Bound> least, most, above, below, multiple;
  std::optional<size_t> min_length, max_length, min_items, max_items, min_members, max_members;
  bool unique = false;
  // The types that it asks for, through references and choices too; 0: any. Set once the whole schema is compiled.
  mutable uint8_t wanted = 0;

  std::vector<const Node *> tuple;
  const Node *items = nullptr;  // of the items after the tuple
  const Node *contains = nullptr;

  std::map<std::string, const Node *, std::less<>> members;
  const Node *more = nullptr;  // additionalProperties
  const Node *names = nullptr;
  std::map<std::string, size_t, std::less<>> required;  // names, and their place in the schema's list
  std::map<std::string, std::vector<std::string>, std::less<>> needs;
  std::map<std::string, const Node *, std::less<>> needs_schema;

  const Node *ref = nullptr;
  std::vector<const Node *> all, any, one;
  const Node *negated = nullptr, *when = nullptr, *then = nullptr, *otherwise = nullptr;

  bool has_logic() const { return ref || !all.empty() || !any.empty() || !one.empty() || negated || when; }

  // Calls `visit` with every schema that is applied to the same value as this one.
  template <class Visit>
  void same_value(Visit visit) const {
    if (ref) visit(*ref);
    for (const auto *list : {&all, &any, &one})
      for (const Node *node : *list) visit(*node);
    for (const Node *node : {negated, when, then, otherwise})
      if (node) visit(*node);
    for (const auto &[name, node] : needs_schema) visit(*node);
  }

  // Calls `visit` with every schema that is applied to a part of the value.
  template <class Visit>
  void parts(Visit visit) const {
    for (const Node *node : tuple) visit(*node);
    for (const auto &[name, node] : members) visit(*node);
    for (const Node *node : {items, contains, more, names})
      if (node) visit(*node);
  }
};

// Appends one spelling for all values that JSON Schema calls equal: 1, 1.0 and 10e-1 get the same.
void equality_key(std::string_view value, std::string &out);

// The types that a value has: a whole number is an integer and a number.
uint8_t type_of(std::string_view value);

}  // namespace sluice::json_schema
