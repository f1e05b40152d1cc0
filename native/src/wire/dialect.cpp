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
constexpr ToolRules kClaude = {.merge_top = true, .legal_keys = true, .inline_refs = true};

constexpr ToolRules most(size_t tools, size_t description = 0) {
  return {.merge_top = true, .most_description_units = description, .most_tools = tools};
}

constexpr Dialect kDeepSeek = {.tools = kMerged, .thoughts = Thoughts::in_turns_with_calls, .empty_thoughts = true};
constexpr Dialect kThinks = {.tools = kMerged, .thoughts = Thoughts::always, .empty_thoughts = true};
constexpr Dialect kKimi = {
    .tools = kMerged, .thoughts = Thoughts::always, .empty_thoughts = true, .named_call_ids = true};

constexpr DialectRow kDialects[] = {
    {"openai-chat",
     "",
     "mistral|ministral|mixtral|magistral|codestral|devstral|pixtral",
     {.tools = kMerged, .short_call_ids = true, .strict_roles = true}},
    {"openai-chat", "openrouter", "claude", {.tools = kClaude, .caching = Caching::marks_of_texts}},
    {"openai-chat", "", "claude", {.tools = kClaude}},
    {"openai-chat", "", "deepseek-r1|deepseek-v2|deepseek-v3-|deepseek-v3.1|deepseek-chat-v3", {.tools = kMerged}},
    {"openai-chat", "", "deepseek", kDeepSeek},
    {"openai-chat", "deepseek", "", kDeepSeek},
    {"openai-chat", "", "kimi-k2-thinking|kimi-thinking|kimi-k2.|kimi-k2p|kimi-k3|kimi-for-coding", kKimi},
    {"openai-chat", "", "kimi-k2", {.tools = kMerged, .named_call_ids = true}},
    {"openai-chat", "", "mimo|glm-4.5|glm-4.6|glm-4.7|glm-4.8|glm-4.9|glm-5|glm-6", kThinks},
    {"openai-chat", "", "gemini", {.tools = {.merge_top = true, .inline_refs = true, .known_required = true}}},
    {"openai-chat", "openai", "", {.tools = most(128), .caching = Caching::key}},
    {"openai-chat", "azure", "", {.tools = most(128, 1024), .caching = Caching::key}},
    {"openai-chat", "groq", "", {.tools = most(128)}},
    {"openai-chat", "xai", "", {.tools = most(200)}},
    {"openai-chat", "", "", {.tools = kMerged}},

    {"openai-responses", "openai", "", {.tools = most(128), .caching = Caching::key}},
    {"openai-responses", "azure", "", {.tools = most(128, 1024)}},
    {"openai-responses", "xai", "", {.tools = most(200)}},
    {"openai-responses", "", "", {.tools = kMerged}},

    {"anthropic", "anthropic", "", {.tools = kClaude, .caching = Caching::marks, .signed_thoughts = true}},
    {"anthropic", "", "", {.tools = kClaude, .caching = Caching::marks}},

    {"gemini", "", "gemma", {.tools = {.inline_refs = true, .known_required = true}, .system_in_messages = true}},
    {"gemini", "", "", {.tools = {.inline_refs = true, .known_required = true}}},

    {"ollama", "", "", {.tools = {.merge_top = true, .inline_refs = true}}},

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
