#include "protocol/profiles.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "protocol/family/family.h"

namespace sluice {
namespace {

std::string normalized(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '_' || c == ' ' ? '-' : lower(c);
  return out;
}

// The model alone, of a normalized name: without who made it, and with its number right behind its word: one server
// says llama3.1, another one meta-llama/Llama-3.1.
std::string model_of(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  std::string out;
  for (size_t i = 0; i < name.size(); ++i)
    if (name[i] != '-' || out.empty() || !is_small_letter(out.back()) || i + 1 == name.size() || !is_digit(name[i + 1]))
      out += name[i];
  return out;
}

// Returns whether the part of the name that a pattern means ends at `at`. `7b` and `2501` say how large and how old the
// model is; any other number makes it another generation, which may write in another way.
bool ends_at(std::string_view name, size_t at) {
  const char last = at == 0 ? '.' : name[at - 1];
  if (at == name.size()) return true;
  if (is_digit(last))
    return !is_digit(name[at]) && (name[at] != '.' || at + 1 == name.size() || !is_digit(name[at + 1]));
  if (!is_small_letter(last)) return true;
  if (!is_digit(name[at])) return !is_small_letter(name[at]);
  size_t end = at, digits = 0;
  for (; end < name.size() && (is_digit(name[end]) || name[end] == '.' || name[end] == 'x'); ++end)
    digits += is_digit(name[end]);
  const auto year = [&name](size_t from) {  // 08-2024
    return name.size() - from > 4 && name[from] == '-' && std::all_of(&name[from + 1], &name[from + 5], is_digit);
  };
  return digits >= 4 || year(end) || (end < name.size() && (name[end] == 'b' || name[end] == 'm'));
}

// `anywhere`: a part of a word counts as well.
bool fits(std::string_view name, std::string_view pattern, bool anywhere, size_t from = 0) {
  const std::string_view part = pattern.substr(0, pattern.find('*'));
  const bool last = part.size() == pattern.size(), first = from == 0;
  for (size_t at = from; (at = name.find(part, at)) != name.npos; ++at) {
    const size_t end = at + part.size();
    if (!anywhere && first && at != 0 && is_small_letter(name[at - 1])) continue;
    if (!last && fits(name, pattern.substr(part.size() + 1), anywhere, end)) return true;
    if (last && (anywhere || part.empty() || ends_at(name, end))) return true;
  }
  return false;
}

// Constant data: code that makes the strings one by one is 16 KB.
struct BuiltIn {
  std::string_view match, protocol;
  bool starts_in_reasoning = false, results_as_tool_role = false, whole = false;
};
constexpr BuiltIn kBuiltIn[] = {
    {"qwen2.5-coder", "generic-json"},
    {"qwen3-coder", "qwen3-coder"},
    {"qwen3.5", "qwen3-coder"},
    {"qwen3.6", "qwen3-coder"},
    {"qwen3.7", "qwen3-coder"},
    {"qwen3.8", "qwen3-coder"},
    {"deepseek*distill*llama", "llama3"},
    {"deepseek*distill", "hermes"},
    // -- those that are named after what they were made of
    {"hermes2", "hermes"},
    {"hermes3", "hermes"},
    {"hermes4", "hermes"},
    {"hermes4.", "hermes"},
    {"deephermes3", "hermes"},
    {"functiongemma", "functiongemma"},
    {"xlam1", "xlam"},
    {"xlam2", "xlam"},
    {"xlam", "xlam"},
    {"toolace2", "pythonic"},
    {"toolace2.", "pythonic"},
    {"toolace", "pythonic"},
    {"llama3*nemotron", "nemotron-nano-v2"},
    {"nemotron*nano*v2", "nemotron-nano-v2"},
    {"nemotron-h", "nemotron-nano-v2"},
    {"nemotron3", "nemotron3-nano"},
    {"nemotron3.5", "nemotron3-nano"},
    {"cogito-v2", "cogito"},
    {"cogito-v2.1", "cogito"},
    {"cogito2.1", "cogito"},
    // -- the others
    {"deepseek*v4", "deepseek-v4"},
    {"deepseek*v4.1", "deepseek-v4"},
    {"deepseek*v3.2", "deepseek-v3.2"},
    {"deepseek*v3.1", "deepseek-v3.1"},
    {"deepseek*v3", "deepseek-v3"},
    {"deepseek*v2.5", "deepseek-v3"},
    {"deepseek*r1", "deepseek-v3"},
    {.match = "deepseek-chat", .protocol = "deepseek-v3.2", .whole = true},
    {.match = "deepseek-reasoner", .protocol = "deepseek-v3.2", .whole = true},
    {"kimi-k3", "kimi-k3"},
    {"kimi-k2", "kimi-k2"},
    {"kimi-k2.", "kimi-k2"},
    {"kimi-linear", "kimi-k2"},
    {"glm5", "glm-4.7"},
    {"glm5.", "glm-4.7"},
    {"glm4.7", "glm-4.7"},
    {"glm4.6", "glm-4.5"},
    {"glm4.5", "glm-4.5"},
    {"glm4", "glm-4-0414"},
    {"glm-z1", "glm-4-0414"},
    {"ling3", "glm-4.7"},
    {"ling3.", "glm-4.7"},
    {"ring3", "glm-4.7"},
    {"ring3.", "glm-4.7"},
    {"ling-*2.0", "hermes"},
    {"ring-*2.0", "hermes"},
    {"ling2.5", "hermes"},
    {"ring2.5", "hermes"},
    {"ling1t", "hermes"},
    {"ring1t", "hermes"},
    {"minimax-m1", "minimax-m1"},
    {"minimax-m2", "minimax-m2"},
    {"minimax-m2.", "minimax-m2"},
    {"minimax-m3", "minimax-m3"},
    {"gpt-oss", "gpt-oss-harmony"},
    {"llm-jp4", "gpt-oss-harmony"},
    {"llm-jp4.", "gpt-oss-harmony"},
    {.match = "mistral", .protocol = "mistral", .whole = true},
    {"mistral7b", "mistral"},
    {"mistral-nemo", "mistral"},
    {"mistral-small", "mistral"},
    {"mistral-small3", "mistral"},
    {"mistral-small3.", "mistral"},
    {"mistral-small4", "mistral"},
    {"mistral-medium", "mistral"},
    {"mistral-medium3", "mistral"},
    {"mistral-medium3.", "mistral"},
    {"mistral-large", "mistral"},
    {"mistral-large2", "mistral"},
    {"mistral-large3", "mistral"},
    {"ministral", "mistral"},
    {"ministral3", "mistral"},
    {"mixtral", "mistral"},
    {"magistral", "mistral"},
    {"devstral", "mistral"},
    {"devstral2", "mistral"},
    {"codestral", "mistral"},
    {"pixtral", "mistral"},
    {"voxtral", "mistral"},
    {"functionary*v3.1", "functionary-v3.1"},
    {"functionary*v3", "functionary-v3.2"},
    {"functionary*v3.2", "functionary-v3.2"},
    {"firefunction-v2", "firefunction-v2"},
    {"muse-glimmer", "muse-glimmer"},
    {"llama4", "llama4-pythonic"},
    {"llama3", "llama3"},
    {"llama3.", "llama3"},
    {"gemma3", "gemma-3"},
    {"gemma4", "gemma-4"},
    {"olmo3", "olmo3"},
    {"olmo3.", "olmo3"},
    {"lfm2", "lfm2"},
    {"lfm2.5", "lfm2"},
    {"seed-oss", "seed-oss"},
    {"mimo-v2", "mimo"},
    {"mimo-v2.", "mimo"},
    {"step3", "step3"},
    {"step3.5", "step3.5"},
    {"step3.7", "step3.5"},
    {"step-deepresearch", "step3"},
    {"step-audio2", "step-audio-2"},
    {"granite20b", "granite-20b-fc"},
    {"granite3", "granite-3"},
    {"granite3.", "granite-3"},
    {"granite4", "granite-4"},
    {"granite4.0", "granite-4"},
    {"granite4.1", "granite-4"},
    {"granite4.2", "qwen3-coder"},
    {"phi4", "phi4-mini"},
    {"jamba1.", "jamba"},
    {"jamba2", "jamba"},
    {"jamba-mini", "jamba"},
    {"jamba-mini1.", "jamba"},
    {"jamba-large", "jamba"},
    {"jamba-large1.", "jamba"},
    {"jamba-reasoning", "jamba"},
    {"internlm2", "internlm2"},
    {"internlm2.5", "internlm2"},
    {"internlm3", "internlm2"},
    {"intern-s1", "internlm2"},
    {"hy3", "hunyuan-v3"},
    {"hy4", "hunyuan-v3"},
    {"hunyuan*v3", "hunyuan-v3"},
    {"hunyuan*v4", "hunyuan-v3"},
    {"hunyuan-a13b", "hunyuan-a13b"},
    {"hunyuan7b", "hunyuan-a13b"},
    {"hunyuan4b", "hunyuan-a13b"},
    {"hunyuan1.8b", "hunyuan-a13b"},
    {"hunyuan0.5b", "hunyuan-a13b"},
    {"ernie4.5", "ernie-4.5"},
    {"apertus", "apertus"},
    {"apertus1.5", "apertus"},
    {"apriel1.5", "apriel-1.5"},
    {"apriel1.6", "apriel-1.6"},
    {"command-r7b", "command-r7b"},
    {"command-a", "command-r7b"},
    {"command-r-plus", "command-r-plus"},
    {"command-r+", "command-r-plus"},
    {"command-r08", "command-r-plus"},
    {"command-r-v01", "command-r-plus"},
    {.match = "command-r", .protocol = "command-r-plus", .whole = true},
    {"gigachat3", "gigachat3"},
    {"gigachat3.1", "gigachat3"},
    {"gigachat3.5", "gigachat3.5"},
    {"exaone4", "hermes"},
    {"exaone4.", "hermes"},
    {"k-exaone", "hermes"},
    {"k-exaone2", "k-exaone-2"},
    {"longcat-flash", "longcat"},
    {"longcat2", "longcat"},
    {"longcat2.", "longcat"},
    {"minicpm5", "minicpm5"},
    {"minicpm-v4.6", "qwen3-coder"},
    {"reka-edge", "reka-edge"},
    {"laguna", "laguna"},
    {"poolside", "poolside-v1"},
    {"inkling", "inkling"},
    {"claude*", "anthropic-xml"},
    {"smollm3", "smollm3"},
    {"solar-open", "solar-open"},
    {"solar-open2", "solar-open2"},
    {"k2-horizon", "k2-horizon"},
    {"dots3", "dots"},
    {"dots3.", "dots"},
    {"rwkv7-g1", "rwkv-7"},
    {"trinity", "hermes"},
    {"spark2.5", "glm-4.5"},
    {"spark3", "glm-4.5"},
    {"hyperclovax*32b", "glm-4.5"},
    {"hyperclovax*14b", "hyperclovax"},
    {"plamo3", "plamo-3"},
    {"iquest-coder-v1-40b-instruct", "hermes"},
    {"iquest-coder-v1", "qwen3-coder"},
    {"iquest-coder-v2", "iquest"},
    {"iquest*q1", "iquest"},
    {"openpangu", "pangu"},
    {"openpangu2.0", "pangu"},
    {"mirothinker", "mcp-xml"},
    {"kolibri1", "hermes"},
    {"nouscoder", "hermes"},
    {"tongyi-deepresearch", "hermes"},
    {"ornith", "qwen3-coder"},
    {"ornith1.0", "qwen3-coder"},
    {"berrylm", "qwen3-coder"},
    {"falcon-h1", "hermes"},
    {"falcon3", "hermes"},
    {"nanbeige4", "hermes"},
    {"nanbeige4.", "hermes"},
    {"jan-v1", "hermes"},
    {"jan-v2", "hermes"},
    {"jan-v3", "hermes"},
    {"jan-nano", "hermes"},
    {"qwen3", "hermes"},
    {"qwen2.5", "hermes"},
    {"qwen2", "hermes"},
    {"qwq", "hermes"},
};

}  // namespace

const std::vector<Profile> &profiles() {
  static const std::vector<Profile> table = [] {
    std::vector<Profile> all;
    for (const BuiltIn &one : kBuiltIn)
      all.push_back({std::string(one.match), std::string(one.protocol), one.starts_in_reasoning,
                     one.results_as_tool_role, one.whole});
    return all;
  }();
  return table;
}

const Profile *find_profile(std::string_view model, const std::vector<Profile> &own) {
  const std::string name = normalized(model), bare = model_of(name);
  for (const Profile &profile : own)
    if (fits(name, normalized(profile.match), true)) return &profile;
  for (const Profile &profile : profiles())
    if (profile.whole ? bare.substr(0, bare.find(':')) == profile.match : fits(bare, profile.match, false))
      return &profile;
  return nullptr;
}

void write_profile(const Profile &profile, std::string &out) {
  ObjectWriter object(out);
  object.text("match", profile.match).text("protocol", profile.protocol);
  bool starts = profile.starts_in_reasoning;
  std::string tags;
  for (const Family &family : families()) {
    if (family.id != profile.protocol) continue;
    starts = starts || family.starts_in_reasoning;
    for (size_t i = 0; i < std::min(family.think.size(), family.think_ends.size()); ++i)
      tags +=
          (tags.empty() ? "[" : ",[") + json_string(family.think[i]) + "," + json_string(family.think_ends[i]) + "]";
  }
  object.raw("reasoning", "[" + tags + "]").boolean("startsInReasoning", starts);
  object.text("resultRole", profile.results_as_tool_role ? "tool" : "user").close();
}

}  // namespace sluice
