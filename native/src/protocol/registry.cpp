// The protocols there are: one line each.
#include <algorithm>

#include "base/json.h"
#include "protocol/vcp.h"

namespace sluice {
namespace {

struct Option {
  std::string_view name;
  std::string_view allowed;
};

constexpr Option kVcpOptions[] = {
    {"code", "\"ignore\" | \"whole\" | \"parse\""},
    {"duplicates", "\"last\" | \"first\""},
    {"trim", "true | false"},
    {"lenient", "true | false"},
    {"serial", "\"split\" | null"},
};

bool read_bool(std::string_view value, bool &out) {
  out = value == "true";
  return out || value == "false";
}

bool read_word(std::string_view value, std::initializer_list<std::string_view> words, size_t &out) {
  if (json_kind(value) != '"') return false;
  const std::string text = json_text(value);
  const auto found = std::find(words.begin(), words.end(), text);
  out = static_cast<size_t>(found - words.begin());
  return found != words.end();
}

bool set_vcp(VcpOptions &options, std::string_view name, std::string_view value) {
  size_t word = 0;
  if (name == "code") {
    if (!read_word(value, {"ignore", "whole", "parse"}, word)) return false;
    options.code = static_cast<CodeMode>(word);
  } else if (name == "duplicates") {
    if (!read_word(value, {"last", "first"}, word)) return false;
    options.first_duplicate = word == 1;
  } else if (name == "trim") {
    return read_bool(value, options.trim);
  } else if (name == "lenient") {
    return read_bool(value, options.lenient);
  } else if (name == "serial") {
    options.split = value != "null";
    return !options.split || read_word(value, {"split"}, word);
  }
  return true;
}

constexpr size_t kShown = 60;  // bytes of a wrong value that a message repeats

std::string found(std::string_view value) {
  if (value.size() <= kShown) return "found " + std::string(value);
  size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;
  return "found " + std::string(value.substr(0, end)) + "…";
}

Status read_vcp(std::string_view config, std::shared_ptr<const Protocol> &out) {
  VcpOptions options;
  for (JsonSlices member(config); member.next();) {
    const std::string name = member.key_text();
    if (name == "id" || name.starts_with("x-")) continue;
    const auto option = std::find_if(std::begin(kVcpOptions), std::end(kVcpOptions),
                                     [&](const Option &one) { return one.name == name; });
    if (option == std::end(kVcpOptions)) {
      std::string all;
      for (const Option &one : kVcpOptions) all.append(all.empty() ? "" : ", ").append(one.name);
      return error(Code::json, "vcp has no such option; expected one of: " + all, name);
    }
    const std::string_view value = trim_json(member.value());
    if (!set_vcp(options, name, value))
      return error(Code::json, found(value) + ", expected " + std::string(option->allowed), name);
  }
  out = make_vcp(options);
  return {};
}

using Read = Status (*)(std::string_view config, std::shared_ptr<const Protocol> &out);
struct Entry {
  std::string_view id;
  Read read;
};

constexpr Entry kProtocols[] = {
    {"vcp", read_vcp},
};

// Named by the design, not here yet.
constexpr std::string_view kPlanned[] = {
    "auto",
    "tool_action",
    "json_strict",
    "xml_tag",
    "inline_tags",
    "anthropic-xml",
    "apertus",
    "apriel-1.5",
    "apriel-1.6",
    "calling-tool-bracket",
    "cogito",
    "cohere2moe",
    "command-r7b",
    "command-r-plus",
    "deepseek-v3",
    "deepseek-v3.1",
    "deepseek-v3.2",
    "deepseek-v4",
    "ernie-4.5",
    "firefunction-v2",
    "functionary-v3",
    "functionary-v3.1",
    "functionary-v3.2",
    "functiongemma",
    "gemma-4",
    "generic-json",
    "gigachat3",
    "glm-4.5",
    "glm-4.7",
    "gpt-oss-harmony",
    "granite-20b-fc",
    "granite-3",
    "granite-4",
    "hermes",
    "hunyuan-a13b",
    "hunyuan-v3",
    "inkling",
    "internlm2",
    "jamba",
    "json-array",
    "k-exaone-2",
    "kimi-k2",
    "laguna",
    "lfm2",
    "llama3",
    "llama3-function-tag",
    "llama4-pythonic",
    "longcat",
    "minicpm5",
    "minimax-m1",
    "minimax-m2",
    "minimax-m3",
    "mistral",
    "morph-xml",
    "nemotron-nano-v2",
    "nemotron-xml",
    "nemotron3-nano",
    "olmo3",
    "phi4-mini",
    "poolside-v1",
    "pythonic",
    "qwen3-coder",
    "reka-edge",
    "seed-oss",
    "step3",
    "step3.5",
    "think-only",
    "xlam",
    "yaml-xml",
};

}  // namespace

Status make_protocol(std::string_view config, std::shared_ptr<const Protocol> &out) {
  config = trim_json(config);
  std::string id;
  std::string_view said = config;
  std::string path;
  if (json_kind(config) == '{') {
    path = "id";
    const auto member = json_member(config, "id");
    if (!member) return error(Code::json, "found no id, expected the id of a protocol", path);
    said = trim_json(*member);
  }
  std::string known;
  for (const Entry &entry : kProtocols) known.append(known.empty() ? "" : ", ").append(entry.id);
  if (json_kind(said) != '"') return error(Code::json, found(said) + ", expected the id of a protocol: " + known, path);
  id = json_text(said);
  for (const Entry &entry : kProtocols)
    if (entry.id == id) return entry.read(config, out);
  if (std::find(std::begin(kPlanned), std::end(kPlanned), id) != std::end(kPlanned))
    return error(Code::unsupported, "protocol \"" + id + "\" is not in this version yet", path);
  return error(Code::json, found(said) + ", expected one of: " + known, path);
}

}  // namespace sluice
