// Parts of messages that a wire cannot send. The model reads a note in the place of each, and an event tells the host.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sluice {

class Unsent {
 public:
  // `takes`: what the provider takes, as a sentence that goes on with "its model reads".
  explicit Unsent(std::string_view takes) : takes_(takes) {}

  // Returns the note that the model reads.
  std::string note(const std::string &what) {
    if (count_++ == 0) first_ = "[" + bounded_text(what, kMostQuoted) + "]";
    return "[" + what + "]";
  }
  // For the host. Empty: everything can be sent.
  std::string words() const {
    if (count_ == 0) return {};
    return std::string(takes_) + ": its model reads a note in the place of " + first_ +
           (count_ > 1 ? " and " + std::to_string(count_ - 1) + " more" : "");
  }

 private:
  static constexpr size_t kMostQuoted = 200;  // bytes of what cannot be sent, in words for the host

  std::string_view takes_;
  std::string first_;
  size_t count_ = 0;
};

// What a note calls a file. `file`: OpenAI's object, which has a name, an id or neither.
std::string file_note(std::string_view file);

}  // namespace sluice
