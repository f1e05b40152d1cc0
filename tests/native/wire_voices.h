// One answer in the words of each wire, for tests that play the same answer on all of them.
#pragma once

#include <string>
#include <vector>

#include "conversation.h"

namespace sluice_test {

struct SpokenAnswer {
  std::vector<Json> deltas;  // in the shape of openai-chat: content, reasoning_content, tool_calls with an index
  std::string finish;        // in its words; empty: none is told
  bool usage = false;
  bool end = true;  // the mark behind everything ([DONE], message_stop, …)
};

// The body of the answer.
std::string spoken(const std::string &wire, const SpokenAnswer &answer);

}  // namespace sluice_test
