// A conversation as it goes into a request: the host's messages and those of this turn, in an order that providers
// take, and in text mode with calls and results as text.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "turn/setup.h"

namespace sluice {

// Ids of calls that stand in `messages` (a checked JSON array).
std::set<std::string, std::less<>> used_ids(std::string_view messages);

// Calls without results of the assistant message that the conversation ends in; some of its results may follow it.
struct OpenCall {
  std::string id, name, arguments;
};
std::vector<OpenCall> open_calls(std::string_view messages);

class Conversation {
 public:
  // `history`: the messages of this turn. `final_answer`: the tools are not described, for no call will run.
  Conversation(const Setup &setup, std::vector<std::string> history, bool final_answer);
  Conversation(const Conversation &) = delete;
  Conversation &operator=(const Conversation &) = delete;

  // Every message to send: results right behind the message that asked for them, calls without a result closed, results
  // without a call left out. They point into the host's request, or into what this object keeps.
  const std::vector<std::string_view> &messages() const { return messages_; }

 private:
  const std::vector<std::string> history_;
  std::deque<std::string> owned_;
  std::vector<std::string_view> messages_;
};

// Does each call have its one result right behind its message, and does no result stand anywhere else? Every provider
// asks for that.
bool is_valid_order(const std::vector<std::string_view> &messages);

}  // namespace sluice
