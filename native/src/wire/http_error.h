// The body of an answer whose HTTP status says that it is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/saved.h"
#include "wire/wire.h"

namespace sluice {

class HttpError {
 public:
  void response(int32_t status) { status_ = status; }
  bool active() const { return status_ >= 400; }
  void feed(std::string_view bytes);
  void report(WireSink &sink) const;

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  // -- position in the stream (saved with the turn)
  int32_t status_ = 200;
  std::string body_;  // its beginning
};

}  // namespace sluice
