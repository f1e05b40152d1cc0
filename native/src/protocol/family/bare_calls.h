// JSON objects in ordinary text that a format without markers takes for calls.
#pragma once

#include <string>

#include "protocol/family/family.h"

namespace sluice {

// Puts a backslash in front of the first key of each object that would be a call if every name were a tool's:
// {\"name": …
void break_bare_calls(std::string &text, const JsonCalls &grammar);

}  // namespace sluice
