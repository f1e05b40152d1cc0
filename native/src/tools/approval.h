// Judges a call by policy and remembered decisions: run it, ask, or refuse. The caller acts on the judgement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tools/tool.h"

namespace sluice {

struct Rule {
  enum class Effect : uint8_t { deny, ask, allow };
  Effect effect = Effect::allow;
  std::string tool;        // a name, or a beginning and *
  std::string scope;       // turn | session | always
  std::string arguments;   // canonical JSON; empty: any
  std::string values;      // the same with numbers by value: 1, 1.0 and 10e-1 are equal
  std::string definition;  // allow: hash of the definition that was allowed; empty: any

  bool operator==(const Rule &) const = default;
};

// Reads one rule of the configuration. Paths of errors are relative to the rule.
Status read_rule(std::string_view json, Rule &out);
void write_rule(const Rule &rule, std::string &out);

// Does the rule name the tool? Rules that deny or ask match any of its names.
bool names(const Rule &rule, const Tool &tool);

// The arguments of a call in the spellings that rules compare.
class RuledArguments {
 public:
  explicit RuledArguments(std::string_view canonical)
      : canonical_(canonical) {}  // canonical_json of the arguments; must outlive this object
  std::string_view canonical() const { return canonical_; }
  std::string_view values();  // as Rule::values; made when first asked for, because arguments may be megabytes

 private:
  const std::string_view canonical_;
  std::string values_;
};

// Rules that deny or ask compare by value and never expire. Rules that allow match exactly what was shown.
bool matches(const Rule &rule, const Tool &tool, RuledArguments &arguments);

struct Verdict {
  enum class Way : uint8_t { run, ask, deny };
  Way way = Way::ask;
  ExecutionApproval policy = ExecutionApproval::ask_always;
  std::string_view by;  // what judged: "policy" | "rule"
};

// Deny beats ask, and ask beats allow. Tools with ask_always ask whatever was remembered. `confirm_all`:
// requireConfirmation.
Verdict execution_gate(const Tool &tool, std::string_view canonical, const std::vector<Rule> &rules, bool confirm_all);

// SHA-256 of tool name, NUL, canonical arguments, NUL, definition hash: of what the user was shown.
std::string approval_digest(const Tool &tool, std::string_view canonical);

// The first 32 digits of the SHA-256 of tool name, NUL, canonical arguments: what a call does, whatever the definition
// says about it.
std::string action_digest(const Tool &tool, std::string_view canonical);

}  // namespace sluice
