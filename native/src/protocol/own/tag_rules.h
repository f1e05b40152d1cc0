// The rules of inline_tags: which tags there are, and which tool each of them calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sluice {

inline constexpr size_t kMostTagCodePoints = 4096;

struct TagRule {
  std::string open, close;
  std::optional<std::string> tool;  // nullopt: the tag is taken out of the text and calls nothing
  std::string argument;             // the parameter that gets the value; empty: there is no tool, or `json`
  bool json = false;                // the value is a JSON object with all arguments
  size_t max = 64;                  // the most code points of a value
  bool lines = false;               // the value may hold line ends
  bool any_case = false;            // A-Z and a-z in `open` are the same, and so they are in a value of an enum
  bool hide_broken = false;         // a tag that the end of the answer cut, or whose JSON is broken, is not shown

  bool operator==(const TagRule &) const = default;
};

// The tags of a Live2D pet: [表情:name] and [动作:group].
std::vector<TagRule> pet_tag_rules();

// Reads the `rules` of a configuration.
Status read_tag_rules(std::string_view value, std::vector<TagRule> &out);

// Joins two configurations of inline_tags into one. Of rules that have an opener in common, one with a tool replaces
// one without, and a given rule replaces a rule of the pet; else the first counts. Refuses an opener that calls two
// tools.
Status join_tag_rules(std::string_view first, std::string_view second, std::string &joined);

}  // namespace sluice
