#include "wire/http_error.h"

#include <algorithm>

#include "wire/provider_error.h"

namespace sluice {
namespace {

constexpr size_t kMaxBody = 65536;  // the words of an error stand at its beginning

}  // namespace

void HttpError::feed(std::string_view bytes) { body_ += bytes.substr(0, kMaxBody - std::min(kMaxBody, body_.size())); }

void HttpError::report(WireSink &sink) const {
  const ProviderError error = read_provider_error(body_, status_);
  std::string detail = "HTTP " + std::to_string(status_);
  if (!error.words.empty()) detail += ": " + error.words;
  sink.on_error({error.tools_refused ? "tools_unsupported" : "http", detail, error.transient});
}

void HttpError::save(ObjectWriter &saved) const {
  saved.number("status", status_);
  append_saved_bytes(saved.value("errorBody"), body_);
}

void HttpError::load(const SavedReader &saved) {
  saved.get("status", status_);
  saved.get("errorBody", body_);
}

}  // namespace sluice
