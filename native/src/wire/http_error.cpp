#include "wire/http_error.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr size_t kMaxId = 200;
constexpr size_t kMaxBody = 65536;  // the error stands at the beginning

bool names_usage(std::string_view body) {
  return body.find("stream_options") != body.npos || body.find("include_usage") != body.npos;
}

}  // namespace

void HttpError::response(int32_t status, std::string_view headers) {
  status_ = status;
  const auto header = [&](std::string_view name) {
    const auto value = json_member(headers, name);
    return value && json_kind(*value) == '"' ? json_text(*value) : std::string();
  };
  const auto number = [&](std::string_view name, int64_t unit) {
    uint32_t value = 0;
    if (read_integer(header(name), value) && retry_after_ms_ < 0) retry_after_ms_ = value * unit;
  };
  number("retry-after-ms", 1);
  number("retry-after", 1000);
  if (status >= 300 && status <= 399) {
    const std::string location = header("location");
    location_ = repair_utf8(std::string_view(location).substr(0, location.find_first_of("?#")).substr(0, kMaxId));
  }
  for (const std::string_view name : {"x-request-id", "request-id"})
    if (request_id_.empty()) request_id_ = repair_utf8(header(name).substr(0, kMaxId));
}

WireError HttpError::tell(std::string_view code, std::string_view detail, const ProviderError &error) const {
  const int64_t retry_after_ms = retry_after_ms_ >= 0 ? retry_after_ms_ : error.retry_after_ms;
  return {code, detail, error.transient, active() ? status_ : 0, retry_after_ms, request_id_, error.words};
}

WireReader::Refusal HttpError::refusal() const {
  if (!active()) return WireReader::Refusal::none;
  return progress_.closed() ? WireReader::Refusal::whole : WireReader::Refusal::open;
}

void HttpError::feed(std::string_view bytes) {
  body_ += bytes.substr(0, kMaxBody - std::min(kMaxBody, body_.size()));
  progress_.read(body_);
}

void HttpError::report(WireSink &sink) const {
  const ProviderError error = read_provider_error(body_, status_);
  std::string detail = "HTTP " + std::to_string(status_);
  if (!location_.empty()) detail += ", to " + location_;
  if (!error.words.empty()) detail += ": " + error.words;
  const bool usage = (status_ == 400 || status_ == 422) && names_usage(body_);
  sink.on_error(tell(usage ? "usage_refused" : error.code("http"), detail, error));
}

void HttpError::save(ObjectWriter &saved) const {
  saved.number("status", status_).number("retryAfterMs", retry_after_ms_);
  append_saved_bytes(saved.value("requestId"), request_id_);
  if (!location_.empty()) append_saved_bytes(saved.value("location"), location_);
  append_saved_bytes(saved.value("errorBody"), body_);
}

void HttpError::load(const SavedReader &saved) {
  saved.get("status", status_);
  saved.get("retryAfterMs", retry_after_ms_);
  saved.text("requestId", request_id_);
  saved.text("location", location_);
  saved.get("errorBody", body_);
  progress_.read(body_);
}

}  // namespace sluice
