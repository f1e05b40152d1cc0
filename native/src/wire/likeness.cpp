#include "wire/likeness.h"

namespace sluice {

std::string_view looks_like(JsonView event) {
  if (event.kind() == '[') {  // of events, as a whole body
    std::string_view found;
    event.items([&](JsonView item) {
      if (found.empty() && item.is_object()) found = looks_like(item);
    });
    return found;
  }
  const std::string_view type = event["type"].string();
  if (event["choices"].kind() == '[') return "openai-chat";
  if (type.starts_with("response.") || event["object"].string() == "response") return "openai-responses";
  if (type.starts_with("message_") || type.starts_with("content_block_")) return "anthropic";
  if (type == "message" && event["content"].kind() == '[') return "anthropic";
  const std::string_view named = event["event_type"].string();
  if (named.starts_with("interaction.") || named.starts_with("step.") || event["object"].string() == "interaction")
    return "gemini-interactions";
  if (event["candidates"].kind() == '[' || event["usageMetadata"].is_object() || event["promptFeedback"].is_object())
    return "gemini";
  const char done = event["done"].kind();
  if ((done == 't' || done == 'f') && (event["message"].is_object() || event["response"].kind() == '"'))
    return "ollama";
  return {};
}

std::string_view likeness_of(std::string_view id) {
  for (const std::string_view wire :
       {"openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions", "ollama"})
    if (wire == id) return wire;
  return {};
}

}  // namespace sluice
