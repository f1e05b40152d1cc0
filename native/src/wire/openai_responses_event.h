// The members that most events of a response have.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/json_event.h"
#include "wire/unread.h"

namespace sluice {

constexpr int64_t kAnyIndex = -1;  // the event does not say

// What a delta adds to.
enum class Piece : uint8_t { none, text, refusal, arguments, input, thought, summary, transcript };

Piece piece_of(std::string_view type);  // `type`: without "response."

// Views live as long as the event.
struct Fields {
  std::string_view type;
  int64_t index = kAnyIndex;
  std::string_view id;                   // item_id
  JsonView delta, done, part, response;  // done: the whole of what the deltas brought
};

Fields read_fields(JsonView root);

// What is known of an event. Sets `foreign_type` to its type where that is unknown.
std::span<const ReadMembers> known_response_members(JsonView root, std::string_view &foreign_type);

}  // namespace sluice
