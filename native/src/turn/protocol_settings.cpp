// What a turn makes of the protocols in its configuration, once it knows its model.
#include <algorithm>

#include "base/json.h"
#include "base/json_writer.h"
#include "protocol/own/known_calls.h"
#include "turn/config.h"

namespace sluice {
namespace {

// Adds the seal to the text that a protocol is made from.
std::string with_seal(std::string_view text, std::string_view seal) {
  std::string out;
  ObjectWriter object(out);
  if (json_kind(text) == '"')
    object.raw("id", text);
  else
    for (JsonSlices member(text); member.next();)
      if (member.key() != "\"markerWord\"") object.raw(member.key_text(), member.value());
  object.text("markerWord", seal).close();
  return out;
}

}  // namespace

bool has_protocol(const Protocols &protocols, std::string_view id) {
  return std::any_of(protocols.begin(), protocols.end(), [&](const auto &one) { return one->id() == id; });
}

Status check_protocols(const Config &config, const ToolView &tools) {
  if (config.declared.empty()) return {};
  Protocols active = config.protocols;
  for (const auto &also : config.also_parse)
    if (!has_protocol(active, also->id())) active.push_back(also);
  size_t other = 0;
  return check_overlaps(active, tools, other).inside(other < config.protocols.size() ? "protocol" : "alsoParse");
}

Status seal_protocols(Config &config) {
  config.unsealed.clear();
  if (config.seal.empty()) return {};
  for (Protocols *const list : {&config.protocols, &config.also_parse})
    for (std::shared_ptr<const Protocol> &protocol : *list) {
      if (protocol->id() == "inline_tags") continue;  // a quoted tag only moves a face
      const std::string sealed = with_seal(config.protocol_texts.at(protocol.get()), config.seal);
      std::shared_ptr<const Protocol> own;
      if (Status status = make_protocol(sealed, config.declared, own); !status.ok())
        return error(Code::json,
                     std::string(protocol->id()) +
                         " cannot have a marker word: models were trained on it; expected one of vcp, tool_action, "
                         "xml_tag, json_strict, or a declared protocol with openers of its own");
      config.unsealed.push_back(protocol);
      config.protocol_texts[own.get()] = sealed;
      protocol = std::move(own);
    }
  return {};
}

Status choose_protocol(std::string_view model, Config &config) {
  if (!config.auto_protocol) return {};
  const Profile *const profile = find_profile(model, config.profiles);
  const std::string_view id = profile != nullptr ? std::string_view(profile->protocol) : kProtocolOfUnknownModels;
  std::shared_ptr<const Protocol> protocol;
  if (Status status = make_protocol(json_string(id), config.declared, protocol); !status.ok()) return status;
  config.protocol_texts[protocol.get()] = json_string(id);
  std::erase_if(config.protocols, [&](const auto &other) { return other->id() == id; });
  config.protocols.insert(config.protocols.begin(), std::move(protocol));
  config.protocol_chosen = true;
  if (profile == nullptr) {
    config.unknown_model = model;
    return {};
  }
  config.starts_in_reasoning = config.starts_in_reasoning || profile->starts_in_reasoning;
  config.results_as_tool_role = config.results_as_tool_role || profile->results_as_tool_role;
  return {};
}

Status make_model_format(std::string_view model, std::string_view wire, const ToolView &tools,
                         std::function<bool(std::string_view)> exposed, Config &config) {
  if (config.model_format == ModelFormat::unsaid)
    config.model_format = config.mode == Mode::automatic ? ModelFormat::read : ModelFormat::unread;
  config.model_protocol = nullptr;
  if (config.model_format == ModelFormat::unread || config.mode == Mode::text) return {};
  if (config.protocol_named) {
    config.model_protocol = config.protocols[config.protocol_chosen ? 1 : 0];
    return {};
  }
  const Profile *const profile = find_profile(model, config.profiles);
  const bool local = wire == "openai-chat" || wire == "ollama";
  if (profile == nullptr || !local || !config.seal.empty() || has_protocol(config.also_parse, profile->protocol))
    return {};
  std::string text;
  ObjectWriter(text).text("id", profile->protocol).text("code", "ignore").close();
  std::shared_ptr<const Protocol> protocol;
  if (!make_protocol(text, config.declared, protocol).ok()) return {};  // it has no such option: nothing is read
  Protocols beside = config.also_parse;
  beside.push_back(protocol);
  size_t other = 0;
  if (!check_overlaps(beside, tools, other).ok()) return {};  // the host declared calls that begin alike
  config.model_protocol = known_calls(std::move(protocol), std::move(exposed));
  config.protocol_texts[config.model_protocol.get()] = "[\"auto\"," + json_string(profile->protocol) + "]";
  return {};
}

}  // namespace sluice
