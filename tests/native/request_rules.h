// What a request must keep on its wire: rules that the providers state, and that every script is held against.
#pragma once

#include <string>

#include "conversation.h"

namespace sluice_test {

// Empty, or the rule that this body breaks.
std::string broken_rule(const std::string &wire, const Json &body);

// What the server reads of the conversation, flat and in order: with the same configuration each request begins with
// the one before it.
Json flat_conversation(const std::string &wire, const Json &body);

}  // namespace sluice_test
