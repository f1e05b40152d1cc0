#include "wire/openai_responses_event.h"

#include <algorithm>

#include "base/text.h"

namespace sluice {
namespace {

constexpr std::string_view kItem =
    "type id status role phase call_id name arguments input output summary encrypted_content namespace caller agent "
    "agent_name";
constexpr std::string_view kPartTexts = "text content refusal transcript", kPartOthers = "type annotations logprobs";
constexpr ReadMembers kKnown[] = {
    {"", "delta text refusal arguments input",
     "type event_id response_id item_id obfuscation part logprobs annotation error code message"},
    {"item", "content", kItem},
    {"item.content", kPartTexts, kPartOthers},
    {"delta", "text", "type"},
    {"response", "", "*"},
    {"response.output", "content", kItem},
    {"response.output.content", kPartTexts, kPartOthers},
};
constexpr ReadMembers kKnownBody[] = {
    {"", "", "*"},
    {"output", "content", kItem},
    {"output.content", kPartTexts, kPartOthers},
};
constexpr ReadMembers kForeign[] = {{"", "", "type event_id response_id item_id obfuscation logprobs response"}};

}  // namespace

Piece piece_of(std::string_view type) {
  if (type == "output_text.delta") return Piece::text;
  if (type == "refusal.delta") return Piece::refusal;
  if (type == "function_call_arguments.delta") return Piece::arguments;
  if (type == "custom_tool_call_input.delta") return Piece::input;
  if (type == "reasoning_text.delta") return Piece::thought;
  if (type == "audio.transcript.delta") return Piece::transcript;
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

std::span<const ReadMembers> known_response_members(JsonView root, std::string_view &foreign_type) {
  std::string_view type = root["type"].string();
  if (type.empty() && root["object"].string() == "response") return kKnownBody;
  if (type.starts_with("response.")) type.remove_prefix(std::string_view("response.").size());
  const bool known = piece_of(type) != Piece::none || type.starts_with("reasoning") ||
                     type.starts_with("content_part.") ||
                     is_one_of(type, {"output_text.done", "refusal.done", "function_call_arguments.done",
                                      "custom_tool_call_input.done", "output_item.added", "output_item.done", "created",
                                      "queued", "output_text.annotation.added", "image_generation_call.partial_image",
                                      "in_progress", "completed", "incomplete", "failed", "cancelled", "error", ""});
  if (known) return kKnown;
  foreign_type = type;
  return kForeign;
}

}  // namespace sluice
