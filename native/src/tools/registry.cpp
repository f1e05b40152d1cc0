#include "tools/registry.h"

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/reading.h"
#include "base/sha256.h"
#include "base/sort.h"
#include "base/surrogates.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr Choice<Permission> kPermissions[] = {
    {"public", Permission::open}, {"moderate", Permission::moderate}, {"sensitive", Permission::sensitive}};
constexpr Choice<ExecutionApproval> kExecutionApprovals[] = {{"auto", ExecutionApproval::automatic},
                                                             {"ask_once", ExecutionApproval::ask_once},
                                                             {"ask_always", ExecutionApproval::ask_always}};
constexpr Choice<ResultApproval> kResultApprovals[] = {
    {"never", ResultApproval::never}, {"on_error", ResultApproval::on_error}, {"always", ResultApproval::always}};

ExecutionApproval of_level(Permission permission) {
  switch (permission) {
    case Permission::open: return ExecutionApproval::automatic;
    case Permission::moderate: return ExecutionApproval::ask_once;
    case Permission::sensitive: break;
  }
  return ExecutionApproval::ask_always;
}

// Names stand in prompts, digests and markers, so they have no control characters.
Status read_name(std::string_view value, std::string &out) {
  std::string text = json_kind(value) == '"' ? json_text(trim_json(value)) : std::string();
  const bool fine = !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (!fine) return unexpected(value, "a name: a string that is not empty, without control characters");
  out = std::move(text);
  return {};
}

Status read_names(std::string_view value, std::vector<std::string> &out) {
  if (json_kind(value) != '[') return unexpected(value, "an array of names");
  JsonSlices slices(value);
  std::set<std::string> known(out.begin(), out.end());
  for (size_t i = 0; slices.next(); ++i) {
    std::string name;
    Status status = read_name(slices.value(), name);
    if (!status.ok()) return std::move(status).inside("[" + std::to_string(i) + "]");
    if (known.insert(name).second) out.push_back(std::move(name));
  }
  return {};
}

// Calls `read` with the name and value of every member except x-...; `read` sets `known` to false for an unknown name.
template <class Read>
Status read_members(std::string_view object, const std::vector<std::string_view> &names, Read read) {
  if (json_kind(object) != '{') return unexpected(object, "an object");
  JsonSlices slices(object);
  while (slices.next()) {
    const std::string name = slices.key_text();
    if (name.starts_with("x-")) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) return unknown_member(name, names);
    Status status = read(std::string_view(name), slices.value());
    if (!status.ok()) return std::move(status).inside(name);
  }
  return {};
}

struct Hints {
  bool read_only = false, destructive = false;
  std::string title;
};

Status read_annotations(std::string_view value, Hints &out) {
  static const std::vector<std::string_view> kNames = {"title", "readOnlyHint", "destructiveHint", "idempotentHint",
                                                       "openWorldHint"};
  return read_members(value, kNames, [&](std::string_view name, std::string_view member) {
    bool ignored = false;
    if (name == "title") return read_text(member, out.title);
    return read_bool(member, name == "readOnlyHint"      ? out.read_only
                             : name == "destructiveHint" ? out.destructive
                                                         : ignored);
  });
}

Status read_ipc(std::string_view value, Ipc &out) {
  static const std::vector<std::string_view> kNames = {"channel", "payload"};
  Status status = read_members(value, kNames, [&](std::string_view name, std::string_view member) -> Status {
    if (name == "channel") return read_name(member, out.channel);
    if (json_kind(member) != '[') return unexpected(member, "an array");
    out.payload.clear();
    JsonSlices slices(member);
    while (slices.next()) {
      const std::string_view item = slices.value();
      const auto argument = json_member(item, "arg");
      JsonSlices members(item);
      if (argument && json_kind(*argument) == '"' && members.next() && !members.next())
        out.payload.push_back({true, json_text(trim_json(*argument))});
      else
        out.payload.push_back({false, compact_json(item)});
    }
    return {};
  });
  if (status.ok() && out.channel.empty()) return error(Code::json, "found none, expected a name", "channel");
  return status;
}

constexpr std::string_view kAnyObject = R"({"type":"object","properties":{}})";

// Arguments are an object, so a schema of another type could never be met.
Status check_parameters(std::string_view schema) {
  const auto type = json_member(schema, "type");
  if (!type || json_kind(*type) == '{') return {};  // absent, or wrong: the compiler of the schema reports it
  const bool object = json_kind(*type) == '"'
                          ? json_text(trim_json(*type)) == "object"
                          : json_kind(*type) != '[' || type->find("\"object\"") != std::string_view::npos;
  if (object) return {};
  return error(Code::json,
               "found a schema of type " + shown(*type) + R"(, expected {"type":"object","properties":{…}})", "type");
}

Status read_tool(std::string_view text, size_t max_depth, Tool &out) {
  static const std::vector<std::string_view> kNames = {
      "name",      "description", "parameters", "agentCallable", "permission", "executionApproval",
      "toolId",    "method",      "enabled",    "tags",          "timeoutMs",  "resultApproval",
      "immediate", "idempotent",  "aliases",    "vcpCommand",    "ipc",        "annotations",
      "wireName",  "identity",    "provider",   "options",       "calls"};
  std::string annotations, ipc;  // in canonical JSON
  std::optional<ExecutionApproval> execution;
  Hints hints;
  bool describes = false;
  out.parameters = kAnyObject;
  Status status = read_members(text, kNames, [&](std::string_view name, std::string_view value) -> Status {
    const bool null = json_kind(value) == 'n';
    if (name == "name") return read_name(value, out.name);
    if (name == "toolId") return read_name(value, out.tool_id);
    if (name == "method") return read_name(value, out.method);
    if (name == "description") {
      describes = describes || !null;
      return read_text(value, out.description);
    }
    if (name == "parameters") {
      describes = describes || !null;
      out.parameters = trim_json(value);
      return {};
    }
    if (name == "provider") {
      if (null) return {};
      out.provider = json_kind(value) == '"' ? find_provider_kind(json_text(value)) : nullptr;
      return out.provider != nullptr ? Status() : unexpected(value, provider_kinds());
    }
    if (name == "options") {
      if (null) return {};
      if (json_kind(value) != '{') return unexpected(value, "an object");
      out.provider_options = trim_json(value);
      return {};
    }
    if (name == "agentCallable") return read_bool(value, out.callable);
    if (name == "permission") return read_choice(value, kPermissions, out.permission);
    if (name == "executionApproval") {
      if (!null) return read_choice(value, kExecutionApprovals, execution.emplace());
      execution.reset();
      return {};
    }
    if (name == "resultApproval") {
      out.result = ResultApproval::never;
      return null ? Status{} : read_choice(value, kResultApprovals, out.result);
    }
    if (name == "enabled") return read_bool(value, out.enabled.emplace());
    if (name == "tags") return read_texts(value, out.tags);
    if (name == "timeoutMs") return read_whole_into(value, 0, out.timeout_ms.emplace());
    if (name == "immediate") return read_bool(value, out.immediate);
    if (name == "idempotent") return read_bool(value, out.idempotent);
    if (name == "aliases") return read_names(value, out.aliases);
    if (name == "calls") return null ? Status{} : read_names(value, out.calls);
    if (name == "vcpCommand") return read_name(value, out.vcp_command);
    if (name == "identity") return read_text(value, out.identity);
    if (name == "wireName") {
      Status read = read_name(value, out.wire_name);
      if (read.ok() && legal_name(out.wire_name) != out.wire_name)
        return unexpected(value, "letters, digits, _ and -, at most 64");
      return read;
    }
    if (name == "annotations") {
      annotations = canonical_json(value);
      return read_annotations(value, hints);
    }
    ipc = canonical_json(value);
    out.ipc.reset();
    return null ? Status{} : read_ipc(value, out.ipc.emplace());
  });
  if (!status.ok()) return status;
  if (out.provider != nullptr) {
    if (describes)
      return error(Code::json, "found a description or parameters beside provider, which defines both", "provider");
    out.description = out.provider->description;
    out.parameters = out.provider->parameters;
    if (out.name.empty() && out.tool_id.empty()) out.name = out.provider->id;
    out.wire_name = out.provider->anthropic_name;
  } else if (!out.provider_options.empty()) {
    return error(Code::json, "found options of a tool without provider", "options");
  }

  if (!out.name.empty()) {
    if (!out.tool_id.empty() || !out.method.empty())
      return error(Code::json, "found name beside " + std::string(out.tool_id.empty() ? "method" : "toolId") +
                                   ", expected name, or toolId and method");
  } else {
    if (out.tool_id.empty() || out.method.empty())
      return error(Code::json, "found " +
                                   std::string(!out.tool_id.empty()  ? "toolId alone"
                                               : !out.method.empty() ? "method alone"
                                                                     : "neither") +
                                   ", expected name, or toolId and method");
    out.name = out.tool_id + "_" + out.method;
  }
  status = check_parameters(out.parameters).inside("parameters");
  if (const auto name = status.ok() ? name_with_lone_surrogate(out.parameters) : std::nullopt)
    status = error(Code::json, "found half a character in the name " + *name + ", expected whole ones", "parameters");
  if (!status.ok()) return status;
  status = Schema::compile(out.parameters, out.schema, max_depth).inside("parameters");
  if (!status.ok()) return status;
  if (out.ipc) {
    for (size_t i = 0; i < out.ipc->payload.size(); ++i) {
      const IpcItem &item = out.ipc->payload[i];
      if (item.argument && !out.schema.declares(item.text))
        return error(Code::json, "found " + shown_text(item.text) + ", expected a member of parameters.properties",
                     "ipc.payload[" + std::to_string(i) + "].arg");
    }
  }
  out.execution = execution.value_or(of_level(out.permission));
  out.title = std::move(hints.title);
  // Hints can make the policy stricter, never weaker.
  if (hints.destructive) out.execution = std::max(out.execution, ExecutionApproval::ask_once);
  out.read_only = hints.read_only && !hints.destructive;
  std::string definition = out.name;
  definition.append(1, '\0').append(out.description).append(1, '\0');
  definition.append(canonical_json(out.parameters)).append(1, '\0').append(to_text(out.permission));
  for (const std::string_view part :
       {to_text(out.execution), to_text(out.result), std::string_view(annotations), std::string_view(ipc),
        std::string_view(out.vcp_command), std::string_view(out.identity)})
    definition.append(1, '\0').append(part);
  if (out.provider != nullptr)
    definition.append(out.provider->id)
        .append(1, '\0')
        .append(canonical_json(out.provider_options.empty() ? "{}" : out.provider_options));
  definition.append(out.immediate ? "\1" : "\2").append(out.idempotent ? "\1" : "\2");
  for (const std::string &alias : out.aliases) definition.append(alias).append(1, '\0');
  for (const std::string &call : out.calls) definition.append(1, '\3').append(call).append(1, '\0');
  out.definition_hash = sha256_hex(definition);
  return {};
}

std::string_view without_noise(std::string_view name) {
  constexpr std::string_view kAround = " \t\n\r\v\f`\"'";
  constexpr std::string_view kBefore[] = {"functions.", "default_api:", "default_api."};
  for (size_t before = 0; before != name.size();) {
    before = name.size();
    while (!name.empty() && kAround.find(name.front()) != kAround.npos) name.remove_prefix(1);
    while (!name.empty() && kAround.find(name.back()) != kAround.npos) name.remove_suffix(1);
    for (const std::string_view prefix : kBefore)
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return name;
}

// Names that the number of a call may have been written behind: functions.NAME:0, functions.NAME_0, functions.NAME0.
// The longest first.
std::vector<std::string_view> without_number(std::string_view asked) {
  constexpr std::string_view kBefore = "functions.";
  constexpr size_t kMostDigits = 4;
  std::vector<std::string_view> out;
  const size_t before = asked.find(kBefore);
  if (before == asked.npos || !without_noise(asked.substr(0, before)).empty()) return out;
  std::string_view name = without_noise(asked.substr(before));
  for (size_t digits = 0; digits < kMostDigits && !name.empty() && is_digit(name.back()); ++digits) {
    name.remove_suffix(1);
    out.push_back(name);
    if (name.ends_with(':') || name.ends_with('_')) out.push_back(name.substr(0, name.size() - 1));
  }
  return out;
}

template <class Value>
const Value *find_asked(const std::map<std::string, Value, std::less<>> &names, std::string_view asked) {
  auto found = names.find(asked);
  if (found == names.end()) found = names.find(without_noise(asked));
  if (found == names.end())
    for (const std::string_view name : without_number(asked))
      if (found = names.find(name); found != names.end()) break;
  return found == names.end() ? nullptr : &found->second;
}

}  // namespace

const std::string *find_tool_name(const ToolNames &names, std::string_view asked) { return find_asked(names, asked); }

Status Registry::compile(std::string_view tools, size_t max_depth, Registry &out) {
  if (json_kind(tools) != '[') return unexpected(tools, "an array of tools");
  Registry made;
  std::map<std::string, std::string, std::less<>> places;  // of the first tool with each name: "[3].aliases"
  const auto claim = [&](const std::string &name, const std::string &tool, const std::string &member) -> Status {
    const auto [place, fresh] = places.emplace(name, tool + "." + member);
    if (fresh) return {};
    return error(Code::json, "the name " + shown_text(name) + " is taken by tools" + place->second,
                 tool + "." + member);
  };
  JsonSlices slices(tools);
  for (size_t i = 0; slices.next(); ++i) {
    const std::string place = "[" + std::to_string(i) + "]";
    Tool tool;
    Status status = read_tool(slices.value(), max_depth, tool).inside(place);
    if (status.ok()) status = claim(tool.name, place, tool.tool_id.empty() ? "name" : "toolId");
    std::erase(tool.aliases, tool.name);
    for (const std::string &alias : tool.aliases)
      if (status.ok()) status = claim(alias, place, "aliases");
    const bool own = tool.vcp_command == tool.name ||
                     std::find(tool.aliases.begin(), tool.aliases.end(), tool.vcp_command) != tool.aliases.end();
    if (status.ok() && !tool.vcp_command.empty() && !own) status = claim(tool.vcp_command, place, "vcpCommand");
    const bool named = tool.wire_name == tool.vcp_command || tool.wire_name == tool.name ||
                       std::find(tool.aliases.begin(), tool.aliases.end(), tool.wire_name) != tool.aliases.end();
    if (status.ok() && !tool.wire_name.empty() && !named) status = claim(tool.wire_name, place, "wireName");
    if (!status.ok()) return status;
    made.tools_.push_back(std::move(tool));
  }
  sort_all(made.tools_, [](const Tool &a, const Tool &b) { return a.name < b.name; });

  for (size_t i = 0; i < made.tools_.size(); ++i) {
    const Tool &tool = made.tools_[i];
    made.by_name_.emplace(tool.name, i);
    for (const std::string &alias : tool.aliases) made.by_name_.emplace(alias, i);
    if (!tool.vcp_command.empty()) made.by_name_.emplace(tool.vcp_command, i);
    if (!tool.wire_name.empty()) made.by_name_.emplace(tool.wire_name, i);
  }
  std::map<std::string, size_t> numbers;  // base → the first number to try
  // A wire name differs from every other name of every tool. Legal names stay as they are.
  for (size_t i = 0; i < made.tools_.size(); ++i) {
    Tool &tool = made.tools_[i];
    if (!tool.wire_name.empty()) continue;  // given by the host
    const std::string base = wire_name_of(tool.name);
    tool.wire_name = base;
    for (size_t &number = numbers.try_emplace(base, 2).first->second;
         made.by_name_.emplace(tool.wire_name, i).first->second != i; ++number) {
      const std::string suffix = "_" + std::to_string(number);
      tool.wire_name = base.substr(0, kMostNameBytes - suffix.size()) + suffix;
    }
  }
  for (const Tool &tool : made.tools_) {
    const bool object = json_kind(tool.parameters) == '{';  // no provider takes true or false
    made.offers_.push_back({tool.name, tool.wire_name, tool.description, object ? tool.parameters : kAnyObject});
  }
  out = std::move(made);
  return {};
}

const Tool *Registry::find(std::string_view asked) const {
  const size_t *const index = find_asked(by_name_, asked);
  return index == nullptr ? nullptr : &tools_[*index];
}

const Tool *Registry::named(std::string_view own) const {
  const auto found = by_name_.find(own);
  return found != by_name_.end() && tools_[found->second].name == own ? &tools_[found->second] : nullptr;
}

ToolNames Registry::tool_names() const {
  ToolNames names;
  for (const auto &[name, index] : by_name_) names.emplace_hint(names.end(), name, tools_[index].name);
  return names;
}

std::vector<std::string_view> Registry::names() const {
  std::vector<std::string_view> out;
  for (const auto &[name, index] : by_name_) out.push_back(name);
  return out;
}

bool Registry::declares(std::string_view tool, std::string_view parameter) const {
  const Tool *found = find(tool);
  return found && found->schema.declares(parameter);
}

std::string Registry::text_parameter(std::string_view tool) const {
  const Tool *found = find(tool);
  return found ? found->schema.text_parameter() : std::string();
}

std::string Registry::only_text(std::string_view tool) const {
  const Tool *found = find(tool);
  return found ? found->schema.only_text() : std::string();
}

ToolView::List Registry::takes_list(std::string_view tool, std::string_view parameter) const {
  const Tool *found = find(tool);
  if (!found) return List::maybe;
  if (!found->schema.takes_list(parameter)) return List::no;
  if (!found->schema.only_list(parameter, false)) return List::maybe;
  return found->schema.only_list(parameter, true) ? List::of_texts : List::only;
}

std::string Registry::spelled(std::string_view tool, std::string_view parameter, std::string_view value) const {
  const Tool *const found = find(tool);
  const auto properties = found ? json_member(found->parameters, "properties") : std::nullopt;
  const auto property = properties ? json_member(*properties, parameter) : std::nullopt;
  const auto allowed = property ? json_member(*property, "enum") : std::nullopt;
  std::optional<std::string> alike;
  if (allowed && json_kind(*allowed) == '[')
    for (JsonSlices one(*allowed); one.next();) {
      if (json_kind(one.value()) != '"') continue;
      std::string text = json_text(trim_json(one.value()));
      if (text == value) return text;
      if (text.size() != value.size() || fit(text, value, true) != Fit::yes) continue;
      if (alike) return std::string(value);  // case tells them apart
      alike = std::move(text);
    }
  return alike.value_or(std::string(value));
}

}  // namespace sluice
