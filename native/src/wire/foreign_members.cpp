#include "wire/foreign_members.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/json.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 6> kWires = {"openai-chat", "openai-responses",    "anthropic",
                                                    "gemini",      "gemini-interactions", "ollama"};

// What one thing is called on each wire, in the order of kWires; empty: that wire does not have it. A wire with more
// than one name for it has several rows.
using MemberRow = std::array<std::string_view, 6>;
constexpr MemberRow kMemberRows[] = {
    {"max_completion_tokens", "max_output_tokens", "max_tokens", "generationConfig.maxOutputTokens",
     "generation_config.max_output_tokens", "options.num_predict"},
    {"max_tokens", "max_output_tokens", "max_tokens", "generationConfig.maxOutputTokens",
     "generation_config.max_output_tokens", "options.num_predict"},
    {"temperature", "temperature", "temperature", "generationConfig.temperature", "generation_config.temperature",
     "options.temperature"},
    {"top_p", "top_p", "top_p", "generationConfig.topP", "generation_config.top_p", "options.top_p"},
    {"top_k", "", "top_k", "generationConfig.topK", "", "options.top_k"},
    {"stop", "", "stop_sequences", "generationConfig.stopSequences", "generation_config.stop_sequences",
     "options.stop"},
    {"seed", "", "", "generationConfig.seed", "generation_config.seed", "options.seed"},
    {"n", "", "", "generationConfig.candidateCount", "", ""},
    {"presence_penalty", "", "", "generationConfig.presencePenalty", "", "options.presence_penalty"},
    {"frequency_penalty", "", "", "generationConfig.frequencyPenalty", "", "options.frequency_penalty"},
    {"logit_bias", "", "", "", "", ""},
    {"logprobs", "", "", "generationConfig.responseLogprobs", "", "logprobs"},
    {"response_format", "text.format", "output_config.format", "generationConfig.responseJsonSchema", "response_format",
     "format"},
    {"reasoning_effort", "reasoning.effort", "thinking", "generationConfig.thinkingConfig",
     "generation_config.thinking_level", "think"},
    {"tool_choice", "tool_choice", "tool_choice", "toolConfig.functionCallingConfig", "generation_config.tool_choice",
     ""},
    {"parallel_tool_calls", "parallel_tool_calls", "tool_choice.disable_parallel_tool_use", "", "", ""},
    {"stream_options", "stream_options", "", "", "", ""},
    {"messages with role system", "messages with role system", "system", "systemInstruction", "system_instruction",
     "messages with role system"},
    {"messages with role system", "instructions", "system", "systemInstruction", "system_instruction",
     "messages with role system"},
    {"messages", "messages", "messages", "contents", "messages", "messages"},
    {"messages", "input", "messages", "messages", "input", "messages"},
    {"", "", "", "safetySettings", "safety_settings", ""},
    {"", "", "", "cachedContent", "cached_content", ""},
    {"", "previous_response_id", "", "", "previous_interaction_id", ""},
    {"", "store", "", "", "store", ""},
    {"", "", "", "", "", "keep_alive"},
    {"", "", "mcp_servers", "", "", ""},
};

// Servers of openai-chat are many and take members of their own: only what none of them takes is refused there.
constexpr std::array<std::string_view, 8> kNeverChat = {
    "generationConfig", "systemInstruction", "contents", "toolConfig",
    "safetySettings",   "max_output_tokens", "input",    "instructions"};

std::string_view first_step(std::string_view path) { return path.substr(0, path.find('.')); }

size_t place_of(std::string_view wire) {
  size_t place = 0;
  while (place < kWires.size() && kWires[place] != wire) ++place;
  return place;
}

bool has_on(size_t wire, std::string_view member) {
  for (const MemberRow &row : kMemberRows)
    if (first_step(row[wire]) == member) return true;
  return false;
}

// Does the body hold what this path names? `member`: the first step of the path, with this value.
bool stands(std::string_view path, std::string_view member, std::string_view value) {
  return path.size() == member.size() || json_member(value, path.substr(member.size() + 1)).has_value();
}

}  // namespace

Status check_foreign_members(std::string_view body, std::string_view wire) {
  const size_t here = place_of(wire);
  if (here == kWires.size()) return {};
  for (JsonSlices members(body); members.next();) {
    const std::string member = members.key_text();
    if (member == "messages" || has_on(here, member)) continue;
    if (here == 0 && std::find(kNeverChat.begin(), kNeverChat.end(), member) == kNeverChat.end()) continue;
    std::string_view found, owner, named;
    for (size_t other = 0; other < kWires.size() && named.empty(); ++other)
      for (const MemberRow &row : kMemberRows) {
        if (other == here || first_step(row[other]) != member) continue;
        if (owner.empty()) owner = kWires[other], found = member;
        if (!stands(row[other], member, members.value())) continue;
        found = row[other];
        named = row[here];
        owner = kWires[other];
        break;
      }
    if (owner.empty()) continue;
    const std::string detail = "a member of " + std::string(owner);
    return error(Code::json,
                 named.empty() ? detail + "; " + std::string(wire) + " has nothing like it"
                               : detail + "; " + std::string(wire) + " calls it " + std::string(named),
                 std::string(found));
  }
  return {};
}

}  // namespace sluice
