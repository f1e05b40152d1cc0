// Which format a model writes calls in, told by its name: what `protocol: "auto"` looks up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct Profile {
  // Letters in any case, `_` and white space as `-`, anywhere in the name; `*` stands for anything. The built-in ones
  // are lower case, with no `-` before a number, and know generations one by one: `qwen3` is neither qwen3.7 nor
  // qwen32, and `granite3.` is any granite-3.x.
  std::string match;
  std::string protocol;  // an id
  bool starts_in_reasoning = false;
  bool results_as_tool_role = false;
  bool whole = false;  // built in: the name is nothing else, but for a tag behind a colon
};

// The built-in table; the first that fits counts.
const std::vector<Profile> &profiles();

// The profile of a model: of `own` first. nullptr: nothing is known about it; a generation that is not in the table is
// not taken for the one before.
const Profile *find_profile(std::string_view model, const std::vector<Profile> &own);

// { match, protocol, reasoning: [[opener, closer]...], startsInReasoning, resultRole }; reasoning: the
// tags besides <think>.
void write_profile(const Profile &profile, std::string &out);

// What is used where nothing is known.
inline constexpr std::string_view kProtocolOfUnknownModels = "vcp";

}  // namespace sluice
