// The arguments of a call: whether they are complete, and whether its tool accepts them.
#pragma once

#include <string>
#include <string_view>

#include "tools/schema.h"
#include "turn/log.h"
#include "turn/setup.h"

namespace sluice {

// The call was read to its end: coerces its arguments to the tool's schema. Returns false if they do not fit; the call
// has ended then.
bool complete_call(const Setup &setup, Log &log, Card &card, std::string arguments);

// Does this text say that a call has no arguments? Nothing, null, and an object without members do.
bool no_arguments(std::string_view text);

// Completes a call if its arguments, which were streamed or stored, are one JSON object. `at_end`: no more of them will
// come, so anything else invalidates the call. `may_lack`: that it has no arguments is certain.
void complete_streamed_call(const Setup &setup, Log &log, Card &card, bool at_end, bool may_lack);

// Does the tool accept the arguments that the call would run with? `checked`: these, coerced.
bool arguments_fit(const Setup &setup, const Log &log, const Card &card, std::string &checked, ArgumentFault &fault);

}  // namespace sluice
