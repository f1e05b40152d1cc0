// What models of Gemini take, on each of their wires.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Gemini 3 and later refuse a step whose first call has no signature. This one stands for a call that has none because
// another model or format made it; the documentation names it. JSON.
inline constexpr std::string_view kNoGeminiSignature = R"("skip_thought_signature_validator")";

// The number in the model's name: 3 of "gemini-3-pro"; 0: it has none.
uint32_t gemini_version(std::string_view model);

// The name of a call and of its result: as it came where Gemini takes it, which is [A-Za-z_][A-Za-z0-9_.:-]{0,127}.
std::string gemini_name(std::string name);

}  // namespace sluice
