// The arguments of a call: whether they are complete, and whether its tool takes them.
#pragma once

#include <string>

#include "tools/schema.h"
#include "turn/log.h"
#include "turn/setup.h"

namespace sluice {

// The call was read to its end: its arguments become what the tool takes. Returns false if they do not fit the tool's
// schema; the call has ended then.
bool complete_call(const Setup &setup, Log &log, Card &card, std::string arguments);

// Completes a call whose arguments came piece by piece, or were stored, where they are one JSON object. `at_end`: no
// more of them will come, so that anything else invalidates the call.
void complete_streamed_call(const Setup &setup, Log &log, Card &card, bool at_end);

// Does the tool take what the call would run with? `checked`: as it takes them.
bool arguments_fit(const Setup &setup, const Card &card, std::string &checked, ArgumentFault &fault);

}  // namespace sluice
