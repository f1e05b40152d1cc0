// The block log as messages, and a conversation as what goes into the next request.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "turn/config.h"
#include "turn/message.h"
#include "wire/wire.h"

namespace sluice {

// The messages that this turn adds, in OpenAI's shape, each as JSON text. Valid at any moment: a call that has no
// result yet gets a result that says so. `split_last`: the last round's calls were all fire-and-forget and the turn
// ended on them: its text behind the calls stands in a message of its own, so that no result is left unanswered.
// `stored`: with all metadata, for the host to keep; else with what request_messages reads of it.
std::vector<std::string> history_messages(const Message &message, size_t rounds, bool split_last, bool stored);

// Ids of calls that stand in `messages` (a checked JSON array).
std::set<std::string, std::less<>> used_ids(std::string_view messages);

// Calls without results of the assistant message that the conversation ends in (with, perhaps, some results behind it).
struct OpenCall {
  std::string id, name, arguments;
};
std::vector<OpenCall> open_calls(std::string_view messages);

// Is `id` one that a provider takes back?
bool is_legal_id(std::string_view id);

// What a conversation looks like to a provider.
struct Conversation {
  std::string_view host;                    // request.messages: checked JSON array
  const std::vector<std::string> *history;  // of this turn
  bool text_calls = false;                  // text mode: calls and results travel as text
  bool strict_roles = false;                // an assistant message must stand between results and a user's message
  const Protocols *protocols = nullptr;     // of text calls; the first writes definitions, calls and results
  const Protocols *parsed = nullptr;  // what this turn parses text for, in any mode: results are harmless for these
  std::string definitions;            // text mode: what {{tools}} stands for where no macro asks for it; else empty
  Inject inject = Inject::bottom;
  const Registry *registry = nullptr;  // for the macros
  const Exposure *exposure = nullptr;
  bool macros = false;    // {{tools}} is a macro: an app without tools may write that as it likes
  bool commands = false;  // the text calls tools by their vcpCommand
  bool expand = false;    // it becomes the definitions; false: it becomes nothing
};

// Every message to send, in a valid order: results right behind the message that asked for them, calls without a result
// closed, results without a call left out. Views point into `conversation` or into `owned`, which must outlive them.
std::vector<std::string_view> request_messages(const Conversation &conversation, std::deque<std::string> &owned);

// What every provider asks of a conversation: each call has its one result right behind its message, and no result
// stands anywhere else.
bool is_valid_order(const std::vector<std::string_view> &messages);

}  // namespace sluice
