// What a server takes, by who serves the model. No other file asks for the name of a provider or of a model's family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice {

// The form in which a server takes tools. What a rule leaves undone goes out as the host wrote it.
struct ToolRules {
  bool merge_top = false;             // no anyOf, oneOf, allOf, enum, const, not at the top of a schema
  bool legal_keys = false;            // the keys of arguments are [a-zA-Z0-9_.-]{1,64}
  bool inline_refs = false;           // no $ref
  bool knows_refs = true;             // the server reads a $ref; else a large schema keeps none
  bool known_required = false;        // `required` is not empty, and names only what `properties` has
  size_t most_description_units = 0;  // UTF-16 units of a tool's description; 0: any number
  size_t most_tools = 0;              // in one request; 0: any number
};

// Which earlier answers go back with their reasoning, in the member `reasoning_content`: those with calls, all of a
// turn that had calls, or every one.
enum class Thoughts : uint8_t { with_calls, in_turns_with_calls, always };

// How a server learns what of a request stays the same: it finds out unasked, by marks in blocks, by marks in parts of
// text alone, or by a key of the conversation.
enum class Caching : uint8_t { unasked, marks, marks_of_texts, key };

// Where a server takes instructions, which are messages of the system or the developer: anywhere, as one message at the
// beginning, or nowhere. Others are text of the user, in front of the message that follows.
enum class Instructions : uint8_t { anywhere, first, nowhere };

// Which roles may follow each other: any; not the user after the user; the user only after the assistant ("Unexpected
// role 'user' after role 'tool'").
enum class Roles : uint8_t { any, one_of_user, alternating };

struct Dialect {
  ToolRules tools;
  Thoughts thoughts = Thoughts::with_calls;
  Caching caching = Caching::unasked;
  bool signed_thoughts = false;  // it signs its thoughts, and takes none without a signature
  bool empty_thoughts = false;   // a message with calls has the member, empty where nothing was thought
  bool short_call_ids = false;   // "Tool call id … must be a-z, A-Z, 0-9, with a length of 9"
  bool named_call_ids = false;   // functions.NAME:N, N counts all calls
  Instructions instructions = Instructions::anywhere;
  Roles roles = Roles::any;
};

// `dialect`: who serves the model, as the host says: "openai", "azure", "openrouter" …; empty: unknown. `model`: its
// name, as the request has it.
const Dialect &dialect_of(std::string_view wire, std::string_view dialect, std::string_view model);

}  // namespace sluice
