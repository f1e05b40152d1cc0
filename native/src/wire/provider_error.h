// What a provider says when it cannot or will not answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

struct ProviderError {
  std::string words;           // its own, one paragraph of sane length, UTF-8
  bool tools_refused = false;  // it says that this model or server takes no tools
  bool transient = false;      // asking again may help
};

// `body`: an error object, a JSON document around one, plain text or HTML; any bytes. `http_status` 0: the error came
// inside of an answer that began well.
ProviderError read_provider_error(std::string_view body, int32_t http_status);

// Does `words` say that tools cannot be used at all? Not: that one of them was written wrongly.
bool refuses_tools(std::string_view words);

// At most `max_bytes` of it, repaired, cut between code points.
std::string bounded_text(std::string_view bytes, size_t max_bytes);

}  // namespace sluice
