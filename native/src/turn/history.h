// Writes the log as messages: what this turn adds to the conversation.
#pragma once

#include <string>
#include <vector>

#include "turn/message.h"
#include "turn/setup.h"

namespace sluice {

// The messages of the first `rounds` rounds, in OpenAI's shape, each as JSON text. They are valid at any moment: a call
// without a result gets one that says so. `split_last`: the turn ended with a round of fire-and-forget calls; its text
// after the calls becomes a message of its own, which follows the results. `stored`: with all metadata, for the host to
// keep; else with what Conversation reads of it.
std::vector<std::string> history_messages(const Setup &setup, const Message &message, size_t rounds, bool split_last,
                                          bool stored);

}  // namespace sluice
