#include "wire/dialect.h"

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

// The first row that fits counts. `model`: parts of its name, "a|b"; a text that is empty fits any.
struct DialectRow {
  std::string_view wire, dialect, model;
  Dialect says;
};

constexpr ToolRules kMerged = {.merge_top = true};
constexpr ToolRules kGeminiTools = {.inline_refs = true, .known_required = true};
constexpr ToolRules kClaudeTools = {.merge_top = true, .legal_keys = true, .inline_refs = true};

constexpr ToolRules most(size_t tools, size_t description = 0) {
  return {.merge_top = true, .most_description_units = description, .most_tools = tools};
}

constexpr Dialect kDeepSeek = {.tools = kMerged, .thoughts = Thoughts::in_turns_with_calls, .empty_thoughts = true};
constexpr Dialect kThinks = {.tools = kMerged, .thoughts = Thoughts::always, .empty_thoughts = true};
constexpr Dialect kKimi = {
    .tools = kMerged, .thoughts = Thoughts::always, .empty_thoughts = true, .named_call_ids = true};

constexpr std::string_view kMistral = "mistral|ministral|mixtral|magistral|codestral|devstral|pixtral";
// Their templates say "System message must be at the beginning".
constexpr std::string_view kSystemFirst = "qwen3.5|qwen3.6|qwen3.7|qwen3.8|qwen-3.5|qwen-3.6|qwen-3.7|qwen-3.8|ornith";
constexpr Dialect kGemma = {.tools = kMerged, .instructions = Instructions::first, .roles = Roles::alternating};
// "System role not supported", "Developer instruction is not enabled"
constexpr Dialect kGemmaAlone = {.tools = kMerged, .instructions = Instructions::nowhere, .roles = Roles::alternating};

constexpr std::string_view kGemma2 = "gemma-2-|gemma-2b|gemma2|gemma:2b";
constexpr Dialect kThinksAsClaude = {.tools = kClaudeTools, .empty_thoughts = true};
constexpr std::string_view kOldDeepSeek = "deepseek-r1|deepseek-v2|deepseek-v3-|deepseek-v3.1|deepseek-chat-v3";
constexpr std::string_view kThinkingKimi = "kimi-k2-thinking|kimi-thinking|kimi-k2.|kimi-k2p|kimi-k3|kimi-for-coding";

constexpr DialectRow kDialects[] = {
    {"openai-chat",
     "",
     kMistral,
     {.tools = kMerged, .short_call_ids = true, .instructions = Instructions::first, .roles = Roles::alternating}},
    {"openai-chat", "gemini", "gemma", kGemmaAlone},
    {"openai-chat", "", kGemma2, kGemmaAlone},
    {"openai-chat", "", "gemma", kGemma},
    {"openai-chat", "", kSystemFirst, {.tools = kMerged, .instructions = Instructions::first}},
    {"openai-chat", "openrouter", "claude", {.tools = kClaudeTools, .caching = Caching::marks_of_texts}},
    {"openai-chat", "", "claude", {.tools = kClaudeTools}},
    {"openai-chat", "", kOldDeepSeek, {.tools = kMerged}},
    {"openai-chat", "", "deepseek", kDeepSeek},
    {"openai-chat", "deepseek", "", kDeepSeek},
    {"openai-chat", "", kThinkingKimi, kKimi},
    {"openai-chat", "", "kimi-k2", {.tools = kMerged, .named_call_ids = true}},
    {"openai-chat", "", "mimo|glm-4.5|glm-4.6|glm-4.7|glm-4.8|glm-4.9|glm-5|glm-6", kThinks},
    {"openai-chat", "", "gemini", {.tools = {.merge_top = true, .inline_refs = true, .known_required = true}}},
    {"openai-chat", "openai", "", {.tools = most(128), .caching = Caching::key}},
    {"openai-chat", "azure", "", {.tools = most(128, 1024), .caching = Caching::key}},
    {"openai-chat", "groq", "", {.tools = most(128)}},
    {"openai-chat", "xai", "", {.tools = most(200)}},
    {"openai-chat", "", "", {.tools = kMerged}},

    {"openai-responses",
     "",
     kMistral,
     {.tools = kMerged, .instructions = Instructions::first, .roles = Roles::alternating}},
    {"openai-responses", "", kGemma2, kGemmaAlone},
    {"openai-responses", "", "gemma", kGemma},
    {"openai-responses", "", kSystemFirst, {.tools = kMerged, .instructions = Instructions::first}},
    {"openai-responses", "openai", "", {.tools = most(128), .caching = Caching::key}},
    {"openai-responses", "azure", "", {.tools = most(128, 1024)}},
    {"openai-responses", "xai", "", {.tools = most(200)}},
    {"openai-responses", "", "", {.tools = kMerged}},

    // This wire has blocks for instructions and users' messages, and joins neighbours itself.
    {"anthropic", "anthropic", "", {.tools = kClaudeTools, .caching = Caching::marks, .signed_thoughts = true}},
    {"anthropic", "", kOldDeepSeek, {.tools = kClaudeTools, .caching = Caching::marks}},
    {"anthropic", "", "deepseek|mimo", kThinksAsClaude},
    {"anthropic", "deepseek", "", kThinksAsClaude},
    {"anthropic", "", kThinkingKimi, kThinksAsClaude},
    {"anthropic", "", "", {.tools = kClaudeTools, .caching = Caching::marks}},

    {"gemini",
     "",
     "gemma",
     {.tools = kGeminiTools, .instructions = Instructions::nowhere, .roles = Roles::one_of_user}},
    {"gemini", "", "", {.tools = kGeminiTools, .instructions = Instructions::first, .roles = Roles::one_of_user}},

    {"gemini-interactions", "", "gemma", {.tools = kGeminiTools, .instructions = Instructions::nowhere}},
    {"gemini-interactions", "", "", {.tools = kGeminiTools, .instructions = Instructions::first}},

    {"ollama", "", "", {.tools = {.merge_top = true, .inline_refs = true, .knows_refs = false}}},

    {"", "", "", {}},
};

}  // namespace

const Dialect &dialect_of(std::string_view wire, std::string_view dialect, std::string_view model) {
  const std::string name = lower_case(model);
  const DialectRow *row = kDialects;
  while (!((row->wire.empty() || row->wire == wire) && (row->dialect.empty() || row->dialect == dialect) &&
           holds(name, row->model)))
    ++row;
  return row->says;
}

}  // namespace sluice
