#include "protocol/profiles.h"

#include <algorithm>

#include "base/json_writer.h"
#include "protocol/family/family.h"

namespace sluice {
namespace {

std::string normalized(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c + 32);
    else
      out += c == '_' || c == ' ' ? '-' : c;
  }
  return out;
}

bool fits(std::string_view name, std::string_view pattern) {
  size_t at = 0;
  while (!pattern.empty()) {
    const std::string_view part = pattern.substr(0, pattern.find('*'));
    pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
    const size_t found = name.find(part, at);
    if (found == std::string_view::npos) return false;
    at = found + part.size();
  }
  return true;
}

}  // namespace

const std::vector<Profile> &profiles() {
  static const std::vector<Profile> table = {
      {"qwen3-coder", "qwen3-coder"},
      {"qwen3.5", "qwen3-coder"},
      {"qwen3.6", "qwen3-coder"},
      {"qwen3.8", "qwen3-coder"},
      {"deepseek*distill*llama", "llama3"},
      {"deepseek*distill", "hermes"},
      {"hermes", "hermes"},  // whatever it was made of
      {"apriel*1.6", "apriel-1.6"},
      {"apriel", "apriel-1.5"},
      {"nemotron*nano-v2", "nemotron-nano-v2"},
      {"nemotron*nano*-v2", "nemotron-nano-v2"},
      {"nemotron-3", "nemotron3-nano"},
      {"nemotron3", "nemotron3-nano"},
      {"nemotron", "nemotron-nano-v2"},
      {"cogito", "cogito"},
      {"deepseek*v4", "deepseek-v4"},
      {"deepseek*v3.2", "deepseek-v3.2"},
      {"deepseek*v3.1", "deepseek-v3.1"},
      {"deepseek-chat", "deepseek-v3.2"},
      {"deepseek-reasoner", "deepseek-v3.2"},
      {"deepseek", "deepseek-v3"},
      {"kimi", "kimi-k2"},
      {"glm-5", "glm-4.7"},
      {"glm-4.7", "glm-4.7"},
      {"glm", "glm-4.5"},
      {"minimax*m1", "minimax-m1"},
      {"minimax*m3", "minimax-m3"},
      {"minimax", "minimax-m2"},
      {"gpt-oss", "gpt-oss-harmony"},
      {"mistral", "mistral"},
      {"ministral", "mistral"},
      {"mixtral", "mistral"},
      {"magistral", "mistral"},
      {"devstral", "mistral"},
      {"codestral", "mistral"},
      {"pixtral", "mistral"},
      {"functionary*v3.1", "functionary-v3.1"},
      {"functionary", "functionary-v3.2"},
      {"firefunction", "firefunction-v2"},
      {"xlam", "xlam"},
      {"llama-4", "llama4-pythonic"},
      {"llama4", "llama4-pythonic"},
      {"toolace", "pythonic"},
      {"llama-3", "llama3"},
      {"llama3", "llama3"},
      {"functiongemma", "functiongemma"},
      {"gemma-4", "gemma-4"},
      {"gemma4", "gemma-4"},
      {"olmo-3", "olmo3"},
      {"olmo3", "olmo3"},
      {"lfm2", "lfm2"},
      {"seed-oss", "seed-oss"},
      {"step-3.5", "step3.5"},
      {"step3.5", "step3.5"},
      {"step-3.7", "step3.5"},
      {"step3.7", "step3.5"},
      {"step3", "step3"},
      {"step-3", "step3"},
      {"granite-20b", "granite-20b-fc"},
      {"granite-4.2", "qwen3-coder"},
      {"granite4.2", "qwen3-coder"},
      {"granite-4", "granite-4"},
      {"granite4", "granite-4"},
      {"granite", "granite-3"},
      {"phi-4", "phi4-mini"},
      {"phi4", "phi4-mini"},
      {"jamba", "jamba"},
      {"internlm", "internlm2"},
      {"hunyuan*v3", "hunyuan-v3"},
      {"hy3", "hunyuan-v3"},
      {"hy4", "hunyuan-v3"},
      {"hunyuan", "hunyuan-a13b"},
      {"ernie-4.5", "ernie-4.5"},
      {"apertus", "apertus"},
      {"command-r-plus", "command-r-plus"},
      {"command", "command-r7b"},
      {"gigachat", "gigachat3"},
      {"k-exaone-2", "k-exaone-2"},
      {"exaone", "hermes"},
      {"longcat", "longcat"},
      {"minicpm5", "minicpm5"},
      {"minicpm-5", "minicpm5"},
      {"reka", "reka-edge"},
      {"laguna", "laguna"},
      {"poolside", "poolside-v1"},
      {"inkling", "inkling"},
      {"claude", "anthropic-xml"},
      {"smollm3", "smollm3"},
      {"qwen", "hermes"},
      {"qwq", "hermes"},
  };
  return table;
}

const Profile *find_profile(std::string_view model, const std::vector<Profile> &own) {
  const std::string name = normalized(model);
  for (const std::vector<Profile> *table : {&own, &profiles()})
    for (const Profile &profile : *table)
      if (fits(name, normalized(profile.match))) return &profile;
  return nullptr;
}

void write_profile(const Profile &profile, std::string &out) {
  ObjectWriter object(out);
  object.text("match", profile.match).text("protocol", profile.protocol);
  bool starts = profile.starts_in_reasoning, ends = false;
  std::string tags;
  for (const Family &family : families()) {
    if (family.id != profile.protocol) continue;
    starts = starts || family.starts_in_reasoning;
    ends = family.ends_reasoning;
    for (size_t i = 0; i < std::min(family.think.size(), family.think_ends.size()); ++i)
      tags +=
          (tags.empty() ? "[" : ",[") + json_string(family.think[i]) + "," + json_string(family.think_ends[i]) + "]";
  }
  object.raw("reasoning", "[" + tags + "]").boolean("startsInReasoning", starts).boolean("endsReasoning", ends);
  object.text("resultRole", profile.results_as_tool_role ? "tool" : "user").close();
}

}  // namespace sluice
