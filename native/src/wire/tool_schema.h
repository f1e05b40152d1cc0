// A tool in the form in which its server takes it. The engine checks arguments against the host's own schema, so that
// a schema that says less is safe to send.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/tool_offer.h"
#include "wire/dialect.h"

namespace sluice {

struct SentTool {
  std::string unsendable;   // why no form of it is taken; empty: it is sent
  std::string description;  // valid where `changes` is not empty, as are the next two
  std::string parameters;
  KeyNames keys;
  std::vector<std::string> changes;  // in words: "items added at /ids"; empty: it goes out as the host wrote it
  bool keeps_refs = false;           // without its references it would be too large: a server may refuse it
};

// `tool.parameters`: checked JSON of an object.
SentTool sent_tool(const ToolOffer &tool, const ToolRules &rules);

// Does every server take the schema as the host wrote it?
bool is_plain(const ToolOffer &tool);

// `text`, cut to `most` UTF-16 units, the last of which is then "…". 0: as it is.
std::string cut_description(std::string_view text, size_t most);

}  // namespace sluice
