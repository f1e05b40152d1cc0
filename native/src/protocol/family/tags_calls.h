// Parameters as tags of their own: <NAME><KEY>value</KEY></NAME>, and the same behind a prefix with values that nest.
#pragma once

#include "protocol/family/family.h"

namespace sluice {

// For ElementCalls::Style::tags. What is passed outlives the reader.
std::unique_ptr<BlockReader> make_tags_reader(const Family &, const ElementCalls &, const ProtocolOptions &,
                                              const ToolView &, const ScanLimits &);
void write_tags_call(const Family &, const ElementCalls &, const CallText &call, std::string &out);

// The part of it where every tag has a prefix (nested_calls.cpp).
std::unique_ptr<BlockReader> make_nested_reader(const Family &, const ElementCalls &, const ProtocolOptions &,
                                                const ToolView &, const ScanLimits &);
void write_nested_call(const Family &, const ElementCalls &, const CallText &call, std::string &out);

}  // namespace sluice
