#include "wire/finish.h"

#include <algorithm>
#include <span>

#include "base/text.h"

namespace sluice {
namespace {

struct EndingRow {
  std::string_view word;  // lower case; with a star at its end: every word that begins so
  Finish finish;
};

constexpr EndingRow kOpenAiChat[] = {
    {"stop", Finish::stop},
    {"eos", Finish::stop},
    {"eos_token", Finish::stop},
    {"end_turn", Finish::stop},
    {"stop_sequence", Finish::stop},
    {"complete", Finish::stop},
    {"completed", Finish::stop},
    {"done", Finish::stop},
    {"tool_calls", Finish::tool_calls},
    {"tool_call", Finish::tool_calls},
    {"tool_use", Finish::tool_calls},
    {"function_call", Finish::tool_calls},
    {"length", Finish::length},
    {"max_tokens", Finish::length},
    {"max_output_tokens", Finish::length},
    {"model_length", Finish::length},
    {"model_context_window_exceeded", Finish::length},
    {"content_filter", Finish::content_filter},
    {"safety", Finish::content_filter},
    {"sensitive", Finish::content_filter},
    {"refusal", Finish::content_filter},
    {"recitation", Finish::content_filter},
    {"prohibited_content", Finish::content_filter},
    {"error", Finish::failed},
    {"abort", Finish::failed},
    {"aborted", Finish::failed},
    {"cancelled", Finish::failed},
    {"network_error", Finish::failed},
    {"insufficient_system_resource", Finish::failed},
    {"timeout", Finish::failed},
    {"load", Finish::failed},
    {"unload", Finish::failed},
    {"server_error", Finish::failed},
    {"malformed_function_call", Finish::malformed},
    {"tool_use_failed", Finish::malformed},
    {"pause", Finish::pause},
    {"pause_turn", Finish::pause},
};

// The status of a response, or the reason why it is incomplete.
constexpr EndingRow kOpenAiResponses[] = {
    {"completed", Finish::stop}, {"max_output_tokens", Finish::length},      {"max_messages", Finish::length},
    {"length", Finish::length},  {"content_filter", Finish::content_filter}, {"*", Finish::failed},
};

constexpr EndingRow kAnthropic[] = {
    {"end_turn", Finish::stop},
    {"stop_sequence", Finish::stop},
    {"tool_use", Finish::tool_calls},
    {"max_tokens", Finish::length},
    {"model_context_window_exceeded", Finish::length},
    {"refusal", Finish::content_filter},
    {"error", Finish::failed},
    {"abort", Finish::failed},
    {"pause_turn", Finish::pause},
    {"compaction", Finish::pause},
};

constexpr EndingRow kGemini[] = {
    {"stop", Finish::stop},
    {"max_tokens", Finish::length},
    {"continuation", Finish::length},
    {"safety", Finish::content_filter},
    {"recitation", Finish::content_filter},
    {"blocklist", Finish::content_filter},
    {"prohibited_content", Finish::content_filter},
    {"spii", Finish::content_filter},
    {"model_armor", Finish::content_filter},
    {"image_*", Finish::content_filter},
    {"other", Finish::failed},
    {"language", Finish::failed},
    {"escalation", Finish::failed},
    {"missing_thought_signature", Finish::failed},
    {"malformed_function_call", Finish::malformed},
    {"malformed_response", Finish::malformed},
    {"unexpected_tool_call", Finish::malformed},
    {"too_many_tool_calls", Finish::malformed},
};

// The status of an interaction.
constexpr EndingRow kGeminiInteractions[] = {
    {"completed", Finish::stop}, {"requires_action", Finish::tool_calls}, {"incomplete", Finish::length},
    {"failed", Finish::failed},  {"cancelled", Finish::failed},           {"budget_exceeded", Finish::failed},
};

constexpr EndingRow kOllama[] = {
    {"stop", Finish::stop},     {"length", Finish::length}, {"load", Finish::failed},
    {"unload", Finish::failed}, {"error", Finish::failed},
};

std::span<const EndingRow> rows_of(Endings wire) {
  switch (wire) {
    case Endings::openai_chat: return kOpenAiChat;
    case Endings::openai_responses: return kOpenAiResponses;
    case Endings::anthropic: return kAnthropic;
    case Endings::gemini: return kGemini;
    case Endings::gemini_interactions: return kGeminiInteractions;
    case Endings::ollama: break;
  }
  return kOllama;
}

struct Class {
  std::string_view name;
  Finish finish;
};
constexpr Class kClasses[] = {
    {"good", Finish::stop},      {"length", Finish::length},       {"filter", Finish::content_filter},
    {"failure", Finish::failed}, {"malformed", Finish::malformed}, {"pause", Finish::pause},
    {"unknown", Finish::other},
};

}  // namespace

std::optional<Finish> finish_of_class(std::string_view name) {
  for (const Class &one : kClasses)
    if (one.name == name) return one.finish;
  return std::nullopt;
}

std::string_view class_of(Finish finish) {
  for (const Class &one : kClasses)
    if (one.finish == finish) return one.name;
  return "good";
}

std::string finish_classes() {
  std::string names;
  for (const Class &one : kClasses) names.append(names.empty() ? "" : " | ").append(one.name);
  return names;
}

Finish finish_of(Endings wire, std::string_view words, bool calls) {
  const std::string small = lower_case(words);
  const std::span<const EndingRow> rows = rows_of(wire);
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const EndingRow &one) {
    return one.word.ends_with('*') ? small.starts_with(one.word.substr(0, one.word.size() - 1)) : small == one.word;
  });
  const Finish finish = row == rows.end() ? Finish::other : row->finish;
  return finish == Finish::stop && calls ? Finish::tool_calls : finish;
}

}  // namespace sluice
