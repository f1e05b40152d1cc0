// Tools that a provider defines and the host runs: a shell, an editor, a memory. A provider's own models were trained
// on them, under names and arguments of its own. Here they have one form for all.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

struct ProviderKind {
  std::string_view id;              // as the host declares it: "shell"
  std::string_view description;     // for servers that get it as a function
  std::string_view parameters;      // JSON Schema of the arguments, for every server
  std::string_view anthropic_name;  // by which Anthropic's models call it; empty: they have none of this kind
  bool as_function = true;          // a server that does not define it gets it as a function
  bool runs = true;                 // the host runs it; if not, the decision about a call is its result
};

// nullptr: there is no such kind.
const ProviderKind *find_provider_kind(std::string_view id);
std::string provider_kinds();  // "shell | …", for messages

}  // namespace sluice
