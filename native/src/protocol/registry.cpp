// The protocols there are: one line each, and the families of the table.
#include <algorithm>

#include "base/json.h"
#include "base/nearest.h"
#include "protocol/inline_tags.h"
#include "protocol/json_strict.h"
#include "protocol/tool_action.h"
#include "protocol/vcp.h"
#include "protocol/xml_tag.h"

namespace sluice {
namespace {

constexpr size_t kShown = 60;  // bytes of a wrong value that a message repeats

std::string found(std::string_view value) {
  if (value.size() <= kShown) return "found " + std::string(value);
  size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;
  return "found " + std::string(value.substr(0, end)) + "…";
}

// An option reads its value into the protocol's own options; false: the value is not one of `allowed`.
template <class Options>
struct Option {
  std::string_view name;
  std::string_view allowed;
  bool (*read)(std::string_view value, Options &options);
};

template <class Options, size_t n>
Status read_options(std::string_view id, std::string_view config, const Option<Options> (&table)[n], Options &out) {
  for (JsonSlices member(config); member.next();) {
    const std::string name = member.key_text();
    if (name == "id" || name.starts_with("x-")) continue;
    const auto option =
        std::find_if(std::begin(table), std::end(table), [&](const auto &one) { return one.name == name; });
    if (option == std::end(table)) {
      std::string all;
      for (const auto &one : table) all.append(all.empty() ? "" : ", ").append(one.name);
      return error(Code::json, std::string(id) + " has no such option; expected one of: " + all, name);
    }
    const std::string_view value = trim_json(member.value());
    if (!option->read(value, out))
      return error(Code::json, found(value) + ", expected " + std::string(option->allowed), name);
  }
  return {};
}

bool read_bool(std::string_view value, bool &out) {
  out = value == "true";
  return out || value == "false";
}

bool read_word(std::string_view value, std::initializer_list<std::string_view> words, size_t &out) {
  if (json_kind(value) != '"') return false;
  const std::string text = json_text(value);
  const auto word = std::find(words.begin(), words.end(), text);
  out = static_cast<size_t>(word - words.begin());
  return word != words.end();
}

// -- what every protocol has

constexpr std::string_view kCodes = "\"ignore\" | \"whole\" | \"parse\"", kDuplicates = "\"last\" | \"first\"",
                           kBool = "true | false";

template <class Options>
bool read_code(std::string_view value, Options &options) {
  size_t word = 0;
  if (!read_word(value, {"ignore", "whole", "parse"}, word)) return false;
  options.code = static_cast<CodeMode>(word);
  return true;
}

template <class Options>
bool read_duplicates(std::string_view value, Options &options) {
  size_t word = 0;
  if (!read_word(value, {"last", "first"}, word)) return false;
  options.first_duplicate = word == 1;
  return true;
}

template <class Options>
bool read_trim(std::string_view value, Options &options) {
  bool trim = false;
  if (!read_bool(value, trim)) return false;
  options.trim = trim;
  return true;
}

constexpr Option<ProtocolOptions> kOptions[] = {
    {"code", kCodes, read_code<ProtocolOptions>},
    {"duplicates", kDuplicates, read_duplicates<ProtocolOptions>},
    {"trim", kBool, read_trim<ProtocolOptions>},
};

using Make = std::shared_ptr<const Protocol> (*)(const ProtocolOptions &options);

// -- vcp

constexpr Option<VcpOptions> kVcpOptions[] = {
    {"code", kCodes, read_code<VcpOptions>},
    {"duplicates", kDuplicates, read_duplicates<VcpOptions>},
    {"trim", kBool, read_trim<VcpOptions>},
    {"lenient", kBool, [](std::string_view value, VcpOptions &options) { return read_bool(value, options.lenient); }},
    {"serial", "\"split\" | null",
     [](std::string_view value, VcpOptions &options) {
       size_t word = 0;
       options.split = value != "null";
       return !options.split || read_word(value, {"split"}, word);
     }},
};

Status read_vcp(std::string_view config, std::shared_ptr<const Protocol> &out) {
  VcpOptions options;
  Status status = read_options("vcp", config, kVcpOptions, options);
  if (status.ok()) out = make_vcp(options);
  return status;
}

// -- inline_tags

struct InlineOptions : ProtocolOptions {
  std::vector<TagRule> rules;
};

bool read_rules(std::string_view value, InlineOptions &options) {
  if (json_kind(value) != '[') return false;
  for (JsonSlices rule(value); rule.next();) {
    TagRule one;
    if (json_kind(rule.value()) != '{') return false;
    for (JsonSlices member(rule.value()); member.next();) {
      std::string *const field = member.key() == "\"open\""       ? &one.open
                                 : member.key() == "\"close\""    ? &one.close
                                 : member.key() == "\"tool\""     ? &one.tool
                                 : member.key() == "\"argument\"" ? &one.argument
                                                                  : nullptr;
      if (!field || json_kind(member.value()) != '"') return false;
      *field = json_text(trim_json(member.value()));
    }
    if (one.open.empty() || one.close.empty() || one.tool.empty() || one.argument.empty()) return false;
    options.rules.push_back(std::move(one));
  }
  return !options.rules.empty();
}

constexpr Option<InlineOptions> kInlineOptions[] = {
    {"code", kCodes, read_code<InlineOptions>},
    {"duplicates", kDuplicates, read_duplicates<InlineOptions>},
    {"trim", kBool, read_trim<InlineOptions>},
    {"rules", "an array of { open, close, tool, argument }, none of them empty", read_rules},
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
  Make make;  // where there is no `read`: it has the options of every protocol
};

constexpr Entry kProtocols[] = {
    {"vcp", read_vcp, nullptr},
    {"tool_action", nullptr, make_tool_action},
    {"json_strict", nullptr, make_json_strict},
    {"xml_tag", nullptr, make_xml_tag},
    {"inline_tags", read_inline_tags, nullptr},
};

}  // namespace

std::vector<std::string_view> protocol_ids() {
  std::vector<std::string_view> ids;
  for (const Entry &entry : kProtocols) ids.push_back(entry.id);
  for (const Family &family : families()) ids.push_back(family.id);
  std::sort(ids.begin() + std::size(kProtocols), ids.end());
  return ids;
}

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
  if (json_kind(said) != '"') return error(Code::json, found(said) + ", expected the id of a protocol", path);
  id = json_text(said);
  ProtocolOptions options;
  for (const Entry &entry : kProtocols) {
    if (entry.id != id) continue;
    if (entry.read) return entry.read(config, out);
    Status status = read_options(id, config, kOptions, options);
    if (status.ok()) out = entry.make(options);
    return status;
  }
  for (const Family &family : families()) {
    if (family.id != id) continue;
    Status status = read_options(id, config, kOptions, options);
    if (status.ok()) out = make_family(family, options);
    return status;
  }
  const std::vector<std::string_view> known = protocol_ids();
  std::string message = found(said) + ", expected the id of a protocol; ";
  if (const std::string_view near = nearest(id, known); !near.empty())
    return error(Code::json, message.append("did you mean ").append(near).append("?"), path);
  message += "there are ";
  for (const std::string_view &one : known) message.append(one).append(&one == &known.back() ? "" : ", ");
  return error(Code::json, std::move(message), path);
}

}  // namespace sluice
