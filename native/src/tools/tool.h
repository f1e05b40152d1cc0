// A tool as the host declared it: compiled once with the engine, immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tools/provider_kind.h"
#include "tools/schema.h"

namespace sluice {

enum class Permission : uint8_t { open, moderate, sensitive };  // "public" | "moderate" | "sensitive"
enum class ExecutionApproval : uint8_t { automatic, ask_once, ask_always };
enum class ResultApproval : uint8_t { never, on_error, always };

std::string_view to_text(Permission value);
std::string_view to_text(ExecutionApproval value);
std::string_view to_text(ResultApproval value);

struct IpcItem {
  bool argument = false;  // { "arg": "name" }: the value of that argument
  std::string text;       // the argument's name, or a literal JSON value
};

struct Ipc {
  std::string channel;
  std::vector<IpcItem> payload;
};

struct Tool {
  std::string name;  // or toolId_method
  std::string tool_id, method;
  std::string title;  // annotations.title: for people
  std::string description;
  std::string parameters;  // JSON Schema as the host wrote it; {"type":"object","properties":{}} where it gave none
  Schema schema;
  Permission permission = Permission::sensitive;
  ExecutionApproval execution =
      ExecutionApproval::ask_always;  // by level or the tool's own setting, tightened by hints
  ResultApproval result = ResultApproval::never;
  bool callable = false;  // agentCallable
  std::optional<bool> enabled;
  std::vector<std::string> tags, aliases;
  std::vector<std::string> calls;  // tools that it may call beside those of the model, hidden ones too
  std::optional<int64_t> timeout_ms;
  bool immediate = false, idempotent = false, read_only = false;
  std::string vcp_command;
  std::optional<Ipc> ipc;
  std::string wire_name;  // ^[A-Za-z0-9_-]{1,64}$, unique among all tools
  std::string identity;   // the host's name for the code that runs it: a tool with another identity is another tool
  const ProviderKind *provider = nullptr;  // it is one that a provider defines; nullptr: the host defined it
  std::string provider_options;            // of that, a JSON object; empty: none
  std::string definition_hash;             // hex; changes with everything that the user is shown or that acts
};

// Calls `named` with each name by which a host's rules and toggles find the tool, until it returns true: its own name,
// toolId, the name on the wire, vcpCommand, aliases. Returns whether it did.
template <class Named>
bool has_name(const Tool &tool, const Named &named) {
  const auto given = [&](const std::string &name) { return !name.empty() && named(std::string_view(name)); };
  if (given(tool.name) || given(tool.tool_id) || given(tool.wire_name) || given(tool.vcp_command)) return true;
  for (const std::string &alias : tool.aliases)
    if (given(alias)) return true;
  return false;
}

}  // namespace sluice
