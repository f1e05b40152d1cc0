#include "wire/openai_responses_item.h"

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace sluice {

ResponsesItem responses_item(std::string_view type) {
  if (type == "message") return ResponsesItem::message;
  if (type == "reasoning") return ResponsesItem::reasoning;
  if (type == "function_call") return ResponsesItem::function_call;
  if (type == "custom_tool_call") return ResponsesItem::custom_call;
  return type.ends_with("_output") ? ResponsesItem::output : ResponsesItem::provider;
}

bool has_output_item(std::string_view type) {
  return is_one_of(type, {"shell_call", "local_shell_call", "apply_patch_call", "computer_call", "tool_search_call",
                          "mcp_approval_request", "program"});
}

bool is_for_host(std::string_view type, std::string_view item) {
  if (type == "shell_call") {
    const auto environment = json_member(item, "environment");
    return !environment || !json_member_text(*environment, "type").starts_with("container");
  }
  if (type == "tool_search_call") return json_member_text(item, "execution") == "client";
  return is_one_of(type, {"local_shell_call", "apply_patch_call", "computer_call", "mcp_approval_request"});
}

std::string_view text_of_part(JsonView part, std::string_view key) {
  if (key != "text") return part[key].string();
  if (part.kind() == '"') return part.string();
  for (const std::string_view name : {"text", "content", "transcript"})
    if (const std::string_view text = part[name].string(); !text.empty()) return text;
  return {};
}

std::string responses_text(std::string_view message) {
  const std::string_view content = json_member(message, "content").value_or("[]");
  if (json_kind(content) == '"') return json_text(content);
  std::string text;
  for (JsonSlices parts(content); parts.next();)
    text += json_member_text(parts.value(), "text") + json_member_text(parts.value(), "refusal");
  return text;
}

std::string untied_item(std::string_view item) {
  std::string out;
  ObjectWriter untied(out);
  if (json_member_text(item, "type") == "message") {
    const std::string text = responses_text(item);
    if (text.empty()) return {};
    untied.text("role", "assistant").text("content", text);
    if (const auto phase = json_member(item, "phase")) untied.raw("phase", *phase);
  } else {
    for (JsonSlices members(item); members.next();) {
      const std::string_view key = members.bare_key();
      if (key != "id" && key != "status") untied.raw(key, members.value());
    }
  }
  untied.close();
  return out;
}

}  // namespace sluice
