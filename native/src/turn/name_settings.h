// The setting `names`: how far the name in a call may be from that of its tool.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tools/discovery.h"

namespace sluice {

// An object of anyCase and lenient; what it leaves out is false. null: both are.
Status read_names(std::string_view value, NameRules &out);
// Writes null where both are false.
void write_names(const NameRules &names, std::string &out);

}  // namespace sluice
