#include "turn/definitions.h"

#include <deque>
#include <map>
#include <vector>

#include "protocol/harmless.h"

namespace sluice {

std::string render_tools(const Registry &registry, const Exposure &exposure, const Protocols &active,
                         std::string_view tag) {
  const Protocol &writer = *active.front();
  // The writer breaks its own markers in the tools' texts; the markers of the other protocols are broken here.
  const Defuse defuse = [&](std::string &text) {
    for (size_t i = 1; i < active.size(); ++i) active[i]->defuse(text);
  };
  std::vector<ToolText> tools;
  for (const Tool *tool : exposed_tools(registry, exposure, tag))
    tools.push_back({tool->name, tool->vcp_command, tool->description, tool->parameters});
  std::deque<std::string> owned;
  if (active.size() > 1) tools = harmless_tools(tools, defuse, owned);
  std::string out;
  if (!tools.empty()) writer.write_definitions(tools, out);
  return out;
}

std::string expand_macros(std::string_view text, const RenderTools &render, bool &found) {
  constexpr std::string_view kOpen = "{{tools";
  std::string out;
  std::map<std::string, std::string, std::less<>> rendered;
  while (true) {
    const size_t open = text.find(kOpen);
    if (open == text.npos) break;
    // A tag holds no braces and no line break, so that no byte is looked at twice.
    const std::string_view rest = text.substr(open + kOpen.size());
    const size_t end = rest.find_first_of("{}\n");
    std::string_view tag = rest.substr(0, std::min(end, rest.size()));
    const bool closed = end != rest.npos && rest.substr(end).starts_with("}}");
    const bool macro = closed && (tag.empty() || (tag.starts_with("::") && tag.size() > 2));
    out += text.substr(0, open);
    if (macro) {
      found = true;
      tag.remove_prefix(tag.empty() ? 0 : 2);
      auto place = rendered.find(tag);
      if (place == rendered.end()) place = rendered.emplace(std::string(tag), render(tag)).first;
      out += place->second;
      text = rest.substr(end + 2);
    } else {
      out += kOpen;
      text = rest;
    }
  }
  return out.append(text);
}

}  // namespace sluice
