// The tool_action protocol: <tool_action name="NAME"><KEY value="…" /></tool_action>.
#pragma once

#include "protocol/family/family.h"

namespace sluice {

// `options` outlive the reader.
std::unique_ptr<BlockReader> make_tool_action_reader(const ProtocolOptions &options);
std::shared_ptr<const Protocol> make_tool_action(const ProtocolOptions &options);

}  // namespace sluice
