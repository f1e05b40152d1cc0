// JSON Schema of a tool's parameters: compiled once; checks arguments and turns the strings of text protocols into what
// the schema asks for.
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
  std::string message;  // what was expected and what came, one line
  bool facade = false;  // flat fields cannot say what the schema wants (objects, arrays): a flat facade would help
};

// What a string among the arguments is.
enum class Strings : uint8_t {
  strings,  // a string: the format has types of its own, and its models use them
  quoted,   // a string, or what the model put into quotes: "3" where a number is wanted
  written,  // the text of a field: all that the format has
};

class Schema {
 public:
  Schema();
  ~Schema();
  Schema(Schema &&) noexcept;
  Schema &operator=(Schema &&) noexcept;

  // `text`: checked JSON. A schema that cannot be read is an error with a path inside of it. `max_depth`: limits.depth,
  // for JSON text that coercion reads.
  static Status compile(std::string_view text, Schema &out, size_t max_depth = 128);

  // Arguments (checked JSON object text) against the schema. Strings that may be something else become it where the
  // schema says so, at any depth, and only there: "3" → 3, "true" → true, JSON text → object. Where it allows strings
  // as well they stay strings, but for `written` ones that say null, or are an object or a list that it allows. On
  // Members that are null, may not be and need not be there are left out. On
  // success `out` is the object as compact JSON: key order as written, numbers as written, members that stand twice
  // once. Returns no fault, or the first one.
  bool check(std::string_view arguments, Strings strings, std::string &out, ArgumentFault &fault) const;

  bool declares(std::string_view parameter) const;  // a member of the top-level `properties`
  // The one member that is required, or the one of `properties`, where it is a string; empty: none, or more.
  std::string text_parameter() const;
  bool takes_list(std::string_view parameter) const;  // true as well where nothing is said of its type
  bool only_list(std::string_view parameter) const;   // of strings, and nothing else
  const std::vector<std::string> &unchecked() const;  // keywords that are not checked: pattern, format, ...

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace sluice
