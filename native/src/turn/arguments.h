// The arguments of a call: whether they are complete, and whether its tool accepts them.
#pragma once

#include <string>

#include "tools/schema.h"
#include "turn/log.h"
#include "turn/setup.h"

namespace sluice {

// The call was read to its end: coerces its arguments to the tool's schema. Returns false if they do not fit; the call
// has ended then.
bool complete_call(const Setup &setup, Log &log, Card &card, std::string arguments);

// Completes a call if its arguments, which were streamed or stored, are one JSON object. `at_end`: no more of them will
// come, so anything else invalidates the call.
void complete_streamed_call(const Setup &setup, Log &log, Card &card, bool at_end);

// Does the tool accept the arguments that the call would run with? `checked`: these, coerced.
bool arguments_fit(const Setup &setup, const Card &card, std::string &checked, ArgumentFault &fault);

}  // namespace sluice
