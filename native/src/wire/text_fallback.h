// After which refusals may the same request, with calls and results as text, be taken?
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

// A reason of `autoFallback`. The numbers are bits of a set.
enum class FallbackReason : uint8_t { tools_unsupported = 1, signature = 2, bad_template = 4, schema = 8 };
inline constexpr uint8_t kEveryReason = 15;

constexpr std::string_view to_text(FallbackReason reason) {
  switch (reason) {
    case FallbackReason::tools_unsupported: return "tools_unsupported";
    case FallbackReason::signature: return "signature";
    case FallbackReason::bad_template: return "template";
    case FallbackReason::schema: break;
  }
  return "schema";
}

// `code`: of the error. nullopt: none of them.
std::optional<FallbackReason> fallback_reason(std::string_view code, int32_t status, std::string_view words);

}  // namespace sluice
