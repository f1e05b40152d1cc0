#include "wire/openai_responses_event.h"

#include <algorithm>

#include "base/text.h"

namespace sluice {

Piece piece_of(std::string_view type) {
  if (type == "output_text.delta") return Piece::text;
  if (type == "refusal.delta") return Piece::refusal;
  if (type == "function_call_arguments.delta") return Piece::arguments;
  if (type == "custom_tool_call_input.delta") return Piece::input;
  if (type == "reasoning_text.delta") return Piece::thought;
  return type == "reasoning_summary_text.delta" ? Piece::summary : Piece::none;
}

Fields read_fields(JsonView root) {
  Fields fields;
  root.members([&](std::string_view key, JsonView value) {
    if (key == "type")
      fields.type = value.string();
    else if (key == "delta")
      fields.delta = value;
    else if (key == "output_index")
      fields.index = std::max(value.integer().value_or(kAnyIndex), kAnyIndex);
    else if (key == "item_id")
      fields.id = value.string();
    else if (key == "part")
      fields.part = value;
    else if (is_one_of(key, {"text", "refusal", "arguments", "input"}))
      fields.done = value;
    else if (key == "response")
      fields.response = value;
  });
  return fields;
}

}  // namespace sluice
