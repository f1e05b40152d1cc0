#include "wire/likeness.h"

namespace sluice {
namespace {

constexpr std::string_view kChat = "openai-chat", kResponses = "openai-responses", kAnthropic = "anthropic",
                           kGemini = "gemini", kOllama = "ollama";

}  // namespace

std::string_view looks_like(JsonView event) {
  const std::string_view type = event["type"].string();
  if (event["choices"].kind() == '[') return kChat;
  if (type.starts_with("response.") || event["object"].string() == "response") return kResponses;
  if (type.starts_with("message_") || type.starts_with("content_block_")) return kAnthropic;
  if (type == "message" && event["content"].kind() == '[') return kAnthropic;
  if (event["candidates"].kind() == '[' || event["usageMetadata"].is_object()) return kGemini;
  if (event["done"].kind() == 't' && (event["message"].is_object() || event["response"].kind() == '"')) return kOllama;
  return {};
}

std::string_view likeness_of(std::string_view id) {
  for (const std::string_view wire : {kChat, kResponses, kAnthropic, kGemini, kOllama})
    if (wire == id) return wire;
  return {};
}

}  // namespace sluice
