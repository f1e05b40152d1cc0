#include "tools/approval.h"

#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "base/json.h"
#include "base/reading.h"
#include "base/real.h"
#include "base/sha256.h"
#include "tools/schema/number.h"

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

// The double that most readers of JSON make of a number; out of range it is infinite, or zero.
std::string number_by_value(std::string_view token) {
  double value = 0;
  if (read_real(token.data(), token.data() + token.size(), value).ec != std::errc()) {
    const json_schema::Number exact = json_schema::read_number(token);
    if (exact.point > 0) return exact.negative ? "-inf" : "inf";
  }
  if (value == 0) value = 0;  // -0 is 0
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);  // the library that emscripten 3.1.6 brings has no std::bit_cast
  return std::to_string(bits);
}

// Canonical JSON with every number spelled by its value.
std::string by_value(std::string_view canonical) {
  std::string out;
  for (size_t at = 0; at < canonical.size();) {
    const char c = canonical[at];
    size_t end = at + 1;
    if (c == '"') {
      while (canonical[end] != '"') end += canonical[end] == '\\' ? 2 : 1;
      out.append(canonical, at, ++end - at);
    } else if (c == '-' || is_digit(c)) {
      while (end < canonical.size() &&
             std::string_view("+-.eE0123456789").find(canonical[end]) != std::string_view::npos)
        ++end;
      out += number_by_value(canonical.substr(at, end - at));
    } else {
      out += c;
    }
    at = end;
  }
  return out;
}

constexpr std::string_view kNul("\0", 1);

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
        out.arguments = canonical_json(value), out.values = by_value(out.arguments);
    } else if (name == "definition") {
      status = read_text(value, out.definition);
    } else if (!name.starts_with("x-")) {
      return unknown_member(name, kNames);
    }
    if (!status.ok()) return std::move(status).inside(name);
  }
  out.scope = scope;
  if (out.tool.empty()) return error(Code::json, "found none, expected a tool's name, or its beginning and *", "tool");
  // A rule must state its effect: none is assumed.
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

bool names(const Rule &rule, const Tool &tool) {
  const auto named = [&](std::string_view name) {
    return rule.tool.ends_with('*') ? name.starts_with(std::string_view(rule.tool).substr(0, rule.tool.size() - 1))
                                    : rule.tool == name;
  };
  return rule.effect == Rule::Effect::allow ? named(tool.name) : has_name(tool, named);
}

std::string_view RuledArguments::values() {
  if (values_.empty()) values_ = by_value(canonical_);
  return values_;
}

bool matches(const Rule &rule, const Tool &tool, RuledArguments &arguments) {
  if (!names(rule, tool)) return false;
  const bool allows = rule.effect == Rule::Effect::allow;
  if (allows && !rule.definition.empty() && rule.definition != tool.definition_hash) return false;
  if (rule.arguments.empty() || rule.arguments == arguments.canonical()) return true;
  return !allows && rule.values == arguments.values();
}

Verdict execution_gate(const Tool &tool, std::string_view canonical, const std::vector<Rule> &rules, bool confirm_all) {
  RuledArguments arguments(canonical);
  const auto any = [&](Rule::Effect effect) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule &rule) { return rule.effect == effect && matches(rule, tool, arguments); });
  };
  ExecutionApproval policy = tool.execution;
  if (confirm_all && policy == ExecutionApproval::automatic) policy = ExecutionApproval::ask_once;
  if (any(Rule::Effect::deny)) return {Verdict::Way::deny, policy, "rule"};
  // A rule that asks beats every remembered approval.
  if (any(Rule::Effect::ask)) return {Verdict::Way::ask, ExecutionApproval::ask_always, "rule"};
  switch (policy) {
    case ExecutionApproval::automatic: return {Verdict::Way::run, policy, "policy"};
    case ExecutionApproval::ask_once:
      if (any(Rule::Effect::allow)) return {Verdict::Way::run, policy, "rule"};
      break;
    case ExecutionApproval::ask_always: break;
  }
  return {Verdict::Way::ask, policy, "policy"};
}

std::string approval_digest(const Tool &tool, std::string_view canonical) {
  return sha256_hex({tool.name, kNul, canonical, kNul, tool.definition_hash});
}

std::string action_digest(const Tool &tool, std::string_view canonical) {
  return sha256_hex({tool.name, kNul, canonical}).substr(0, 32);
}

}  // namespace sluice
