#include "tools/approval.h"

#include <algorithm>

#include "base/json.h"
#include "base/sha256.h"
#include "tools/reading.h"

namespace sluice {
namespace {

constexpr Choice<Rule::Effect> kEffects[] = {
    {"deny", Rule::Effect::deny}, {"ask", Rule::Effect::ask}, {"allow", Rule::Effect::allow}};
constexpr Choice<std::string_view> kScopes[] = {{"turn", "turn"}, {"session", "session"}, {"always", "always"}};

std::string_view to_text(Rule::Effect effect) {
  for (const auto &choice : kEffects)
    if (choice.value == effect) return choice.text;
  return {};
}

}  // namespace

Status read_rule(std::string_view json, Rule &out) {
  static const std::vector<std::string_view> kNames = {"tool", "effect", "scope", "arguments", "definition"};
  if (json_kind(json) != '{') return unexpected(json, "an object");
  out = {};
  std::string_view scope = "always";
  bool has_effect = false;
  JsonSlices slices(json);
  while (slices.next()) {
    const std::string name = slices.key_text();
    const std::string_view value = slices.value();
    Status status;
    if (name == "tool") {
      status = read_text(value, out.tool);
    } else if (name == "effect") {
      status = read_choice(value, kEffects, out.effect);
      has_effect = true;
    } else if (name == "scope") {
      status = read_choice(value, kScopes, scope);
    } else if (name == "arguments") {
      if (json_kind(value) != '{')
        status = unexpected(value, "an object");
      else
        out.arguments = canonical_json(value);
    } else if (name == "definition") {
      status = read_text(value, out.definition);
    } else if (!name.starts_with("x-")) {
      return unknown_member(name, kNames);
    }
    if (!status.ok()) return std::move(status).inside(name);
  }
  out.scope = scope;
  if (out.tool.empty()) return error(Code::json, "found none, expected a tool's name, or its beginning and *", "tool");
  // A rule that says nothing must not come to mean the most that it could.
  if (!has_effect) return error(Code::json, "found none, expected deny | ask | allow", "effect");
  return {};
}

void write_rule(const Rule &rule, std::string &out) {
  out += "{\"tool\":";
  append_json_string(out, rule.tool);
  out.append(",\"effect\":\"").append(to_text(rule.effect)).append("\",\"scope\":");
  append_json_string(out, rule.scope);
  if (!rule.arguments.empty()) out.append(",\"arguments\":").append(rule.arguments);
  if (!rule.definition.empty()) {
    out += ",\"definition\":";
    append_json_string(out, rule.definition);
  }
  out += '}';
}

bool matches(const Rule &rule, const Tool &tool, std::string_view canonical) {
  const bool named =
      rule.tool.ends_with('*')
          ? std::string_view(tool.name).starts_with(std::string_view(rule.tool).substr(0, rule.tool.size() - 1))
          : rule.tool == tool.name;
  return named && (rule.arguments.empty() || rule.arguments == canonical) &&
         (rule.definition.empty() || rule.definition == tool.definition_hash);
}

Gate execution_gate(const Tool &tool, std::string_view canonical, const std::vector<Rule> &rules, bool confirm_all) {
  const auto any = [&](Rule::Effect effect) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule &rule) { return rule.effect == effect && matches(rule, tool, canonical); });
  };
  ExecutionApproval policy = tool.execution;
  if (confirm_all && policy == ExecutionApproval::automatic) policy = ExecutionApproval::ask_once;
  if (any(Rule::Effect::deny)) return {Gate::Way::deny, policy, "rule"};
  // No grant outlives a rule that asks: it asks always.
  if (any(Rule::Effect::ask)) return {Gate::Way::ask, ExecutionApproval::ask_always, "rule"};
  switch (policy) {
    case ExecutionApproval::automatic: return {Gate::Way::run, policy, "policy"};
    case ExecutionApproval::ask_once:
      if (any(Rule::Effect::allow)) return {Gate::Way::run, policy, "rule"};
      break;
    case ExecutionApproval::ask_always: break;
  }
  return {Gate::Way::ask, policy, "policy"};
}

std::string approval_digest(const Tool &tool, std::string_view canonical) {
  std::string shown_call = tool.name;
  shown_call.append(1, '\0').append(canonical).append(1, '\0').append(tool.definition_hash);
  return sha256_hex(shown_call);
}

}  // namespace sluice
