// Whether a call may run, must be asked about, or is refused: policy and remembered decisions. Decides nothing by
// itself.
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
  std::string tool;        // a name, or ends in *
  std::string scope;       // turn | session | always
  std::string arguments;   // canonical JSON; empty: any
  std::string values;      // the same with numbers by their value: 1, 1.0 and 10e-1 are one
  std::string definition;  // allow: hash of the definition it was given for; empty: any

  bool operator==(const Rule &) const = default;
};

// One rule of the configuration; paths are relative to it.
Status read_rule(std::string_view json, Rule &out);
void write_rule(const Rule &rule, std::string &out);

// Is the tool one that the rule means? What refuses or asks means it by any of its names.
bool names(const Rule &rule, const Tool &tool);

// The arguments of a call as rules read them.
class RuledArguments {
 public:
  explicit RuledArguments(std::string_view canonical)
      : canonical_(canonical) {}  // canonical_json; it must outlive this
  std::string_view canonical() const { return canonical_; }
  std::string_view values();  // Rule::values, made when first asked for: they may be many megabytes

 private:
  const std::string_view canonical_;
  std::string values_;
};

// What refuses or asks matches by value, and never expires; what allows matches what was shown, to the letter.
bool matches(const Rule &rule, const Tool &tool, RuledArguments &arguments);

struct Gate {
  enum class Way : uint8_t { run, ask, deny };
  Way way = Way::ask;
  ExecutionApproval policy = ExecutionApproval::ask_always;
  std::string_view by;  // what decided: "policy" | "rule"
};

// deny before ask before allow; ask_always tools always ask, whatever was remembered. `confirm_all`:
// requireConfirmation.
Gate execution_gate(const Tool &tool, std::string_view canonical, const std::vector<Rule> &rules, bool confirm_all);

// SHA-256 of tool name, NUL, canonical arguments, NUL, definition hash: what the person was shown.
std::string approval_digest(const Tool &tool, std::string_view canonical);

}  // namespace sluice
