// One event of an openai-chat stream, or the body of an answer that was not streamed, as a flat record.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/call_assembler.h"
#include "wire/content_pieces.h"
#include "wire/json_event.h"
#include "wire/openai_chat_aliases.h"
#include "wire/unread.h"
#include "wire/wire.h"

namespace sluice {

struct ChatMember {
  std::string_view key;
  std::string_view value;  // JSON text
};

// A `delta` or a `message`.
struct ChatMessage {
  std::vector<ContentPiece> content;  // in order
  AliasTexts texts{};
  std::vector<ContentPiece> details;  // the texts of reasoning_details
  std::vector<CallDelta> calls;
  std::vector<std::string_view> unknown_calls;  // types of calls that are no functions
  std::vector<ChatMember> opaque;               // members that the next request repeats as they came
  std::vector<Media> pictures;
  bool lost_calls = false;  // it may have held a piece of a call, in a shape that nobody reads

  std::string_view reasoning_content() const { return texts[kReasoningContent]; }
  bool has_reasoning_content() const { return texts[kReasoningContent].data() != nullptr; }  // it may be empty
  std::string_view plain_reasoning() const { return first_text(texts, true); }
  std::string_view other_text() const { return first_text(texts, false); }
  void clear();
};

// Views live as long as the event that was read.
struct ChatChunk {
  bool known = false;  // it is an object of this format: the answer has begun
  bool whole = false;  // it holds a whole message, not a delta
  std::string_view model;
  ChatMessage delta;
  ChatMessage message;
  std::string_view finish, native_finish;  // the second: the word of the server behind a gateway
  std::optional<Usage> usage;
  std::vector<Source> sources;
  std::string_view error;   // JSON text; empty: none
  bool odd = false;         // a member of a call, or what holds calls, has the wrong type
  bool surrogates = false;  // strings may hold lone surrogates, as three bytes each

  // The text of a chunk that says nothing else, and says it of a call that goes on or of no call; nullptr: any other.
  std::string_view *only_text();
  void clear();
};

// What read_chunk knows of an event.
std::span<const ReadMembers> known_chunk_members();

void read_chunk(const JsonEvent &event, ChatChunk &chunk);

}  // namespace sluice
