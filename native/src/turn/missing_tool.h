// Calls of a tool that does not exist, or that this model may not see.
#pragma once

#include "turn/log.h"
#include "turn/setup.h"

namespace sluice {

// Why the model cannot call this tool: not_found, not_callable or disabled; empty: it can.
std::string_view why_missing(const Setup &setup, const Tool *tool);
// Why this call cannot have its tool. A nested call may have those of the model, and those that its caller's tool names
// in `calls`, if they are switched on.
std::string_view why_missing(const Setup &setup, const Log &log, const Card &card);

// Ends a `ready` call whose tool is missing, as not found, and returns true. The model reads the nearest names.
bool settle_missing(const Setup &setup, Log &log, Card &card);

}  // namespace sluice
