#include "protocol/family/json_doubt.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::string_view kResult = "tool_call_result";

}  // namespace

bool JsonDoubt::may_begin(std::string_view key, bool in_list) const {
  const auto some = [key](Words words) {
    return std::any_of(words.begin(), words.end(), [key](std::string_view word) { return word.starts_with(key); });
  };
  if (!open() || some(grammar_.wrappers)) return true;
  if (sealed_ && kSealMember.starts_with(key)) return true;
  if (needs_wrapper(in_list)) return false;
  if (grammar_.strict) return kResult.starts_with(key);
  return some(grammar_.names) || some(grammar_.arguments) || some(grammar_.ids) || some(grammar_.others) ||
         kFunctionMember.starts_with(key);
}

bool JsonDoubt::is_result(std::string_view key) const { return open() && grammar_.strict && key == kResult; }

}  // namespace sluice
