// Collects what an error needs from a response: its headers, and the body where the HTTP status says it is no answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_progress.h"
#include "base/json_writer.h"
#include "base/saved.h"
#include "wire/provider_error.h"
#include "wire/wire.h"

namespace sluice {

class HttpError {
 public:
  void response(int32_t status, std::string_view headers);
  bool active() const { return status_ < 200 || status_ > 299; }
  WireReader::Refusal refusal() const;
  void feed(std::string_view bytes);
  void report(WireSink &sink) const;
  // Makes an error that stands in the body of a good response; adds status, retry time and request id of its head.
  WireError tell(std::string_view code, std::string_view detail, const ProviderError &error) const;

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  // -- position in the stream (saved with the turn)
  int32_t status_ = 200;
  int64_t retry_after_ms_ = -1;
  std::string request_id_;
  std::string location_;   // where a redirect points, without its query
  std::string body_;       // at most its first 64 KiB
  JsonProgress progress_;  // of body_; not saved, for it reads body_ again
};

}  // namespace sluice
