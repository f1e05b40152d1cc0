// A schema in memory: what it says of one value, and the schemas it passes parts of it to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tools/number.h"

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
// What generators write that print the types of their own language.
inline constexpr NamedType kTypesOfOthers[] = {
    {"int", kInteger}, {"long", kInteger}, {"float", kNumber}, {"double", kNumber}, {"bool", kBoolean},
    {"str", kString},  {"list", kArray},   {"tuple", kArray},  {"dict", kObject},   {"map", kObject}};

inline std::string names_of(uint8_t types) {
  std::string out;
  for (const NamedType &type : kTypes)
    if (types & type.type) out.append(out.empty() ? "" : " or ").append(type.name);
  return out;
}

inline constexpr size_t kListed = 2000;  // bytes of the values that a message names: the model is to see what exists

struct Bound {
  Number number;
  std::string text;  // as written
};

struct Node {
  bool never = false;     // the schema `false`
  bool nullable = false;  // OpenAPI's word
  uint8_t types = 0;      // 0: any

  std::set<std::string, std::less<>> values;  // enum or const, as equality_key
  std::string values_text;                    // the same for messages; empty: any value
  uint8_t value_types = 0;

  std::optional<Bound> least, most, above, below, multiple;
  std::optional<size_t> min_length, max_length, min_items, max_items, min_members, max_members;
  bool unique = false;
  mutable uint8_t wanted =
      0;  // the types it speaks of, through references and choices; 0: any. Set when all is compiled

  std::vector<const Node *> tuple;
  const Node *items = nullptr;  // those behind the tuple
  const Node *contains = nullptr;

  std::map<std::string, const Node *, std::less<>> members;
  const Node *more = nullptr;  // additionalProperties
  const Node *names = nullptr;
  std::map<std::string, size_t, std::less<>> required;  // and their order
  std::map<std::string, std::vector<std::string>, std::less<>> needs;
  std::map<std::string, const Node *, std::less<>> needs_schema;

  const Node *ref = nullptr;
  std::vector<const Node *> all, any, one;
  const Node *negated = nullptr, *when = nullptr, *then = nullptr, *otherwise = nullptr;

  bool has_logic() const { return ref || !all.empty() || !any.empty() || !one.empty() || negated || when; }

  // Calls `visit` with every schema that judges the same value as this one, but for those of `names` and `contains`.
  template <class Visit>
  void same_value(Visit visit) const {
    if (ref) visit(*ref);
    for (const auto *list : {&all, &any, &one})
      for (const Node *node : *list) visit(*node);
    for (const Node *node : {negated, when, then, otherwise})
      if (node) visit(*node);
    for (const auto &[name, node] : needs_schema) visit(*node);
  }
};

// One spelling for values that JSON Schema calls equal: 1, 1.0 and 10e-1 are.
inline void equality_key(std::string_view value, std::string &out) {
  value = trim_json(value);
  switch (json_kind(value)) {
    case '0': {
      const Number number = read_number(value);
      out.append(number.negative ? "-" : "").append(number.digits);
      if (!number.digits.empty()) out += 'e';
      append_number(out, number.point);
      break;
    }
    case '"': append_json_string(out, json_text(value)); break;
    case '[': {
      out += '[';
      JsonSlices slices(value);
      while (slices.next()) {
        equality_key(slices.value(), out);
        out += ',';
      }
      out += ']';
      break;
    }
    case '{': {
      std::map<std::string, std::string_view> members;
      JsonSlices slices(value);
      while (slices.next()) members[slices.key_text()] = slices.value();
      out += '{';
      for (const auto &[name, member] : members) {
        append_json_string(out, name);
        out += ':';
        equality_key(member, out);
        out += ',';
      }
      out += '}';
      break;
    }
    default: out += value;
  }
}

inline uint8_t type_of(std::string_view value) {
  switch (json_kind(value)) {
    case 'n': return kNull;
    case 't':
    case 'f': return kBoolean;
    case '"': return kString;
    case '[': return kArray;
    case '{': return kObject;
    default: return read_number(trim_json(value)).whole() ? kInteger | kNumber : kNumber;
  }
}

}  // namespace sluice::json_schema
