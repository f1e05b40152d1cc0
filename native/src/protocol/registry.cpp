// The protocols there are: one line each, and the families of the table.
#include "protocol/registry.h"

#include <algorithm>

#include "base/json.h"
#include "base/nearest.h"
#include "base/reading.h"
#include "base/sort.h"
#include "protocol/declared/declaration.h"
#include "protocol/own/inline_tags.h"
#include "protocol/own/json_strict.h"
#include "protocol/own/tool_action.h"
#include "protocol/own/vcp.h"
#include "protocol/own/xml_tag.h"
#include "protocol/seal.h"

namespace sluice {
namespace {

// Reads the value of one option into the protocol's own options.
template <class Options>
struct Option {
  std::string_view name;
  Status (*read)(std::string_view value, Options &options);
};

template <class Options, size_t n>
Status read_options(std::string_view id, std::string_view config, const Option<Options> (&table)[n], Options &out) {
  for (JsonSlices member(config); member.next();) {
    const std::string name = member.key_text();
    if (name == "id" || name.starts_with("x-")) continue;
    const auto option =
        std::find_if(std::begin(table), std::end(table), [&](const auto &one) { return one.name == name; });
    if (option == std::end(table)) {
      std::string message(id);
      message += " has no such option; expected one of: ";
      for (const auto &one : table) message.append(&one == table ? "" : ", ").append(one.name);
      return error(Code::json, std::move(message), name);
    }
    Status status = option->read(member.value(), out).inside(name);
    if (!status.ok()) return status;
  }
  return {};
}

// -- what every protocol has

constexpr Choice<CodeMode> kCodes[] = {
    {"ignore", CodeMode::ignore}, {"whole", CodeMode::whole}, {"parse", CodeMode::parse}};
constexpr Choice<bool> kDuplicates[] = {{"last", false}, {"first", true}};  // the value: does the first one count?

template <class Options>
Status read_code(std::string_view value, Options &options) {
  CodeMode code{};
  Status status = read_choice(value, kCodes, code);
  if (status.ok()) options.code = code;
  return status;
}

template <class Options>
Status read_duplicates(std::string_view value, Options &options) {
  bool first = false;
  Status status = read_choice(value, kDuplicates, first);
  if (status.ok()) options.first_duplicate = first;
  return status;
}

template <class Options>
Status read_trim(std::string_view value, Options &options) {
  bool trim = false;
  Status status = read_bool(value, trim);
  if (status.ok()) options.trim = trim;
  return status;
}

constexpr Option<ProtocolOptions> kOptions[] = {
    {"code", read_code<ProtocolOptions>},
    {"duplicates", read_duplicates<ProtocolOptions>},
    {"trim", read_trim<ProtocolOptions>},
};

template <class Options>
Status read_own_seal(std::string_view value, Options &options) {
  return read_seal(value, options.seal);
}

// Of formats that no model was trained on.
constexpr Option<ProtocolOptions> kOwnOptions[] = {
    kOptions[0], kOptions[1], kOptions[2], {"markerWord", read_own_seal<ProtocolOptions>}};

using Make = std::shared_ptr<const Protocol> (*)(const ProtocolOptions &options);

// -- vcp

constexpr Option<VcpOptions> kVcpOptions[] = {
    {"code", read_code<VcpOptions>},
    {"duplicates", read_duplicates<VcpOptions>},
    {"trim", read_trim<VcpOptions>},
    {"lenient", [](std::string_view value, VcpOptions &options) { return read_bool(value, options.lenient); }},
    {"plain", [](std::string_view value, VcpOptions &options) { return read_bool(value, options.plain); }},
    {"serial",
     [](std::string_view value, VcpOptions &options) {
       options.split = json_kind(value) != 'n';
       const bool fine = !options.split || (json_kind(value) == '"' && json_text(value) == "split");
       return fine ? Status() : unexpected(value, "split | null");
     }},
    {"markerWord", read_own_seal<VcpOptions>},
};

Status read_vcp(std::string_view config, std::shared_ptr<const Protocol> &out) {
  VcpOptions options;
  Status status = read_vcp_options("vcp", config, options);
  if (status.ok()) out = make_vcp(options);
  return status;
}

// -- inline_tags

struct InlineOptions : ProtocolOptions {
  std::vector<TagRule> rules;
};

constexpr Option<InlineOptions> kInlineOptions[] = {
    {"code", read_code<InlineOptions>},
    {"duplicates", read_duplicates<InlineOptions>},
    {"trim", read_trim<InlineOptions>},
    {"rules", [](std::string_view value, InlineOptions &options) { return read_tag_rules(value, options.rules); }},
};

Status read_inline_tags(std::string_view config, std::shared_ptr<const Protocol> &out) {
  InlineOptions options;
  Status status = read_options("inline_tags", config, kInlineOptions, options);
  if (status.ok()) out = make_inline_tags(std::move(options.rules), options);
  return status;
}

// -- the list

struct Entry {
  std::string_view id;
  Status (*read)(std::string_view config, std::shared_ptr<const Protocol> &out);
  Make make;  // without `read`: the protocol has the options of every protocol
};

constexpr Entry kProtocols[] = {
    {"vcp", read_vcp, nullptr},
    {"tool_action", nullptr, make_tool_action},
    {"json_strict", nullptr, make_json_strict},
    {"xml_tag", nullptr, make_xml_tag},
    {"inline_tags", read_inline_tags, nullptr},
};

}  // namespace

Status read_own_options(std::string_view id, std::string_view config, ProtocolOptions &out) {
  return read_options(id, config, kOwnOptions, out);
}

Status read_vcp_options(std::string_view id, std::string_view config, VcpOptions &out) {
  return read_options(id, config, kVcpOptions, out);
}

std::vector<std::string_view> protocol_ids() {
  std::vector<std::string_view> ids;
  for (const Entry &entry : kProtocols) ids.push_back(entry.id);
  std::vector<std::string_view> of_families;
  for (const Family &family : families()) of_families.push_back(family.id);
  sort_all(of_families);
  ids.insert(ids.end(), of_families.begin(), of_families.end());
  return ids;
}

Status make_protocol(std::string_view config, const Declarations &declared, std::shared_ptr<const Protocol> &out) {
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
  if (json_kind(said) != '"') return unexpected(said, "the id of a protocol", path);
  id = json_text(said);
  ProtocolOptions options;
  for (const Entry &entry : kProtocols) {
    if (entry.id != id) continue;
    if (entry.read) return entry.read(config, out);
    Status status = read_options(id, config, kOwnOptions, options);
    if (status.ok()) out = entry.make(options);
    return status;
  }
  if (const Family *const family = find_family(id)) {
    Status status = read_options(id, config, kOptions, options);
    if (status.ok()) out = make_family(*family, options);
    return status;
  }
  for (const auto &declaration : declared)
    if (declaration->id == id) return make_declared_use(declaration, config, out);
  std::vector<std::string_view> known = protocol_ids();
  for (const auto &declaration : declared) known.push_back(declaration->id);
  std::string message = "found " + shown(said) + ", expected the id of a protocol; ";
  if (const std::string_view near = nearest(id, known); !near.empty())
    return error(Code::json, message.append("did you mean ").append(near).append("?"), path);
  message += "there are ";
  for (const std::string_view &one : known) message.append(one).append(&one == &known.back() ? "" : ", ");
  return error(Code::json, std::move(message), path);
}

}  // namespace sluice
