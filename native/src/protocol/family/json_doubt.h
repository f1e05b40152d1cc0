// A JSON object in ordinary text: most are no calls, and those that are not must be shown at once.
#pragma once

#include "protocol/family/family.h"

namespace sluice {

// The member that holds the call itself in the form of one wire: {"function": {"name": …, "arguments": …}}.
inline constexpr std::string_view kFunctionMember = "function";
// The member that holds the seal, in front of the wrapper.
inline constexpr std::string_view kSealMember = "seal";

class JsonDoubt {
 public:
  // The grammar outlives it.
  JsonDoubt(const JsonCalls &grammar, bool sealed) : grammar_(grammar), sealed_(sealed) {}

  // The block begins with a bracket, not with a marker of the format.
  void start() { plain_ = true; }
  void on_wrapper() { wrapped_ = true; }
  void on_name() { named_ = true; }

  bool plain() const { return plain_; }
  // Nothing has shown yet that the object is a call.
  bool open() const { return plain_ && !wrapped_ && !named_; }
  // Only calls in a wrapper, {"tool_calls": […]}, or (`in_list`) in an array count.
  bool needs_wrapper(bool in_list) const { return plain_ && !wrapped_ && !in_list && !grammar_.alone; }
  // Returns false if `key`, the beginning of a key, becomes none that a call has.
  bool may_begin(std::string_view key, bool in_list) const;
  // A result that the model made up.
  bool is_result(std::string_view key) const;
  // A name is known. In ordinary text it does not make a call: many objects have one.
  bool is_call(bool has_arguments) const { return !open() || has_arguments; }

 private:
  const JsonCalls &grammar_;
  const bool sealed_;
  bool plain_ = false, wrapped_ = false, named_ = false;
};

}  // namespace sluice
