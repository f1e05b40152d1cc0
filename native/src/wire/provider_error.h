// A provider's words for why it does not answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

struct ProviderError {
  std::string words;               // as the provider wrote them: one paragraph, at most 2,000 bytes, UTF-8
  bool tools_refused = false;      // this model or server takes no tools
  bool signature_refused = false;  // it refuses a signature or an encrypted part of an earlier answer
  bool schema_refused = false;     // it does not know the member of a tool that has its schema
  bool transient = false;          // asking again may help
  int64_t retry_after_ms = -1;     // -1: the body does not say

  // The code of a WireError; `otherwise` where nothing special was refused.
  std::string_view code(std::string_view otherwise) const {
    return schema_refused      ? "schema_refused"
           : tools_refused     ? "tools_unsupported"
           : signature_refused ? "signature_refused"
                               : otherwise;
  }
};

// `body`: an error object, a JSON document around one, plain text or HTML; any bytes. `http_status` is 0 where the
// error came in the stream of an answer.
ProviderError read_provider_error(std::string_view body, int32_t http_status);

}  // namespace sluice
