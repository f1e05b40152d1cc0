// The block log as messages: what this turn adds to the conversation.
#pragma once

#include <string>
#include <vector>

#include "turn/message.h"
#include "turn/setup.h"

namespace sluice {

// The messages of the first `rounds` rounds, in OpenAI's shape, each as JSON text. Valid at any moment: a call that has
// no result yet gets one that says so. `split_last`: the turn ended on a round whose calls were all fire-and-forget;
// its text behind the calls becomes a message of its own, so that the last message answers the results. `stored`: with
// all metadata, for the host to keep; else only what Conversation reads of it.
std::vector<std::string> history_messages(const Setup &setup, const Message &message, size_t rounds, bool split_last,
                                          bool stored);

}  // namespace sluice
