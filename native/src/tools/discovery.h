// Which tools a turn exposes to the model, and what a host is told about them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "tools/registry.h"

namespace sluice {

// The settings that expose tools.
struct Exposure {
  bool enabled = true;
  std::map<std::string, bool, std::less<>> toggles;  // by any name of the tool: has_name
  bool default_enabled = true;
  std::set<std::string, std::less<>> unsendable;  // by name: what this server takes in no form
};

// Why a tool is hidden: "not_callable", "disabled" or "unsendable". Empty: it is exposed.
std::string_view hidden_reason(const Tool &tool, const Exposure &exposure);

// Do the host's settings leave the tool on? A tool that no model may call can be on: other tools may call it.
bool switched_on(const Tool &tool, const Exposure &exposure);

// The exposed tools, sorted by name; with `tag`, only those that carry it.
std::vector<const Tool *> exposed_tools(const Registry &registry, const Exposure &exposure, std::string_view tag = {});

// How far a name may be from that of its tool.
struct NameRules {
  bool any_case = false;  // A-Z and a-z are the same, if that leaves one exposed tool
  bool lenient = false;   // what models put around a name goes: plain_name
  bool any() const { return any_case || lenient; }
};

// The tool that a name means by these rules alone: Registry::find found none. nullptr: none, or several.
const Tool *find_loosely(const Registry &registry, const Exposure &exposure, const NameRules &rules,
                         std::string_view asked);

// At most three exposed names that are near to an unknown one. `commands`: the model knows tools by vcpCommand.
std::vector<std::string> nearest_names(const Registry &registry, const Exposure &exposure, std::string_view asked,
                                       bool commands = false);

// Estimates the tokens of a text: one per four bytes of ASCII, one per other code point.
size_t estimate_tokens(std::string_view text);

// Writes the members "hash" and "tools" of SLUICE_GET_TOOLS: "tools" is a list of { name, wireName, exposed, reason,
// ipc, unchecked, unseen, sent, changes, estimatedTokens }. `unseen`: the keywords of a schema that do not reach the
// model. `form` writes how the server gets a tool, which is exposed or unsendable.
using Unseen = std::function<std::set<std::string>(std::string_view schema)>;
using ToolForm = std::function<void(const Tool &tool, ObjectWriter &out)>;
void list_tools(const Registry &registry, const Exposure &exposure, const Unseen &unseen, const ToolForm &form,
                ObjectWriter &out);

}  // namespace sluice
