#include "wire/gemini_model.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "base/tool_offer.h"

namespace sluice {

uint32_t gemini_version(std::string_view model) {
  constexpr std::string_view kGeminis = "gemini-";
  const std::string small = lower_case(model);
  uint32_t version = 0;
  if (const size_t at = small.find(kGeminis); at != std::string::npos) {
    const std::string_view number = std::string_view(small).substr(at + kGeminis.size());
    read_integer(number.substr(0, number.find_first_not_of("0123456789")), version);
  }
  return version;
}

std::string gemini_name(std::string name) {
  constexpr size_t kMost = 128;
  const auto inside = [](char c) { return in_identifier(c) || c == '.' || c == ':'; };
  const bool taken = !name.empty() && name.size() <= kMost && (is_letter(name.front()) || name.front() == '_') &&
                     std::all_of(name.begin(), name.end(), inside);
  return taken ? name : wire_name_of(name);
}

}  // namespace sluice
