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

namespace {

int64_t part_of(JsonView index) { return std::clamp<int64_t>(index.integer().value_or(0), 0, kMostParts); }

}  // namespace

Fields read_fields(JsonView root) {
  Fields fields;
  root.members([&](std::string_view key, JsonView value) {
    if (key == "type")
      fields.type = value.string();
    else if (key == "delta")
      fields.delta = value;
    else if (key == "output_index")
      fields.index = std::max(value.integer().value_or(kAnyIndex), kAnyIndex);
    else if (key == "content_index")
      fields.part = part_of(value);
    else if (key == "summary_index")
      fields.summary = part_of(value);
    else if (is_one_of(key, {"text", "refusal", "arguments", "input"}))
      fields.done = value;
    else if (key == "response")
      fields.response = value;
  });
  return fields;
}

}  // namespace sluice
