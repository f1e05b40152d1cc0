#include "wire/text_fallback.h"

#include <string>

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {

std::optional<FallbackReason> fallback_reason(std::string_view code, int32_t status, std::string_view words) {
  if (code == "tools_unsupported") return FallbackReason::tools_unsupported;
  if (!is_one_of(code, {"http", "provider"})) return std::nullopt;
  const std::string small = lower_case(words.substr(0, kMostRefusalBytes));
  if (status >= 500) return holds(small, "jinja|template") ? std::optional(FallbackReason::bad_template) : std::nullopt;
  if (status != 400 && status != 422) return std::nullopt;
  if (holds(small, "thought_signature|thoughtsignature|thought signature")) return FallbackReason::signature;
  // A schema of the answer is refused in words like these, too.
  if (holds(small, "schema|function_declarations|functiondeclarations") &&
      holds(small, "function|tool|parameters|input_schema") && !holds(small, "response_format|responsejsonschema"))
    return FallbackReason::schema;
  return std::nullopt;
}

}  // namespace sluice
