// The JSON Schema of a tool's parameters, compiled once. Checks arguments, and turns strings of text protocols into the
// types that the schema asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sluice {

struct ArgumentFault {
  std::string pointer;  // JSON pointer into the arguments: "/city"; "" for the whole
  std::string message;  // one line: what was expected, what was found
  bool facade =
      false;  // the schema wants an object or array, which flat fields cannot hold: flat parameters would help
};

// What a string in the arguments may stand for.
enum class Strings : uint8_t {
  strings,  // only itself: the format has other types, and its models use them
  quoted,   // itself, or a value that the model quoted: "3" where a number is wanted
  written,  // any value: the format has only text
};

class Schema {
 public:
  Schema();
  ~Schema();
  Schema(Schema &&) noexcept;
  Schema &operator=(Schema &&) noexcept;

  // `text`: checked JSON. An unreadable schema is an error with a path into it. `max_depth`: limits.depth, for JSON
  // that stands in strings.
  static Status compile(std::string_view text, Schema &out, size_t max_depth = 128);

  // Checks arguments (checked JSON of an object) against the schema. Returns true and sets `out`, or returns false and
  // sets `fault`.
  // Strings become the type that the schema asks for at their place: "3" → 3, "true" → true, JSON text → object. Where
  // the schema allows strings too they stay strings, except `written` strings that are null, an object or a list that
  // it allows. Members that are null, optional and not allowed to be null are left out. `out` is compact JSON with keys
  // and numbers as written; a repeated key stands once.
  bool check(std::string_view arguments, Strings strings, std::string &out, ArgumentFault &fault) const;

  bool declares(std::string_view parameter) const;  // is it a member of the top-level `properties`?
  // The only required member, or the only member of `properties`, if it is a string. Empty: none, or several.
  std::string text_parameter() const;
  // The only required member that is a string, or else the only one of all members. Empty: none, or several.
  std::string only_text() const;
  bool takes_list(std::string_view parameter) const;  // true also if the schema does not restrict its type
  // Only a list is allowed; `of_texts`: and only strings in it.
  bool only_list(std::string_view parameter, bool of_texts) const;
  const std::vector<std::string> &unchecked() const;  // keywords that it ignores: pattern, format, ...

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace sluice
