// The conversation of a request: the host's messages and those of this turn, in an order that providers accept, and in
// text mode with calls and results as text.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "turn/setup.h"
#include "wire/wire.h"

namespace sluice {

// The ids of all calls and results in `messages` (a checked JSON array).
std::set<std::string, std::less<>> used_ids(std::string_view messages);

// A call without a result in the conversation's last assistant message; results of its other calls may follow it.
struct OpenCall {
  std::string id, name, arguments;
  bool waits = true;  // false: its metadata says that an earlier turn went further with it
};
std::vector<OpenCall> open_calls(std::string_view messages);

class Conversation {
 public:
  // `history`: the messages of this turn. `final_answer`: no call of this answer will run, so tools are not described.
  Conversation(const Setup &setup, std::vector<std::string> history, bool final_answer);
  Conversation(const Conversation &) = delete;
  Conversation &operator=(const Conversation &) = delete;

  // The messages to send. Each result stands right after the message with its call, a call without a result gets one,
  // and a result without a call is left out. They are views of the host's request and of this object.
  const std::vector<std::string_view> &messages() const { return messages_; }
  // Whom each of them comes from.
  const std::vector<Origin> &origins() const { return origins_; }
  // How many of them are the assistant's, from before this turn.
  size_t earlier_answers() const { return earlier_answers_; }

 private:
  void add(std::string_view message, Origin origin);
  void add(std::string message, Origin origin);  // one that was written anew
  void add_definitions(const Setup &setup, bool wanted, size_t instruction);

  const std::vector<std::string> history_;
  std::deque<std::string> owned_;
  std::vector<std::string_view> messages_;
  std::vector<Origin> origins_;
  size_t earlier_answers_ = 0;
};

// Does each call have exactly one result, right after its message, and is there no other result? Every provider
// requires that.
bool is_valid_order(const std::vector<std::string_view> &messages);

}  // namespace sluice
