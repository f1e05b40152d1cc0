#include "protocol/scan/kept.h"

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {
namespace {

constexpr Offset kFurthest = kNowhere / 4;  // no text is that long, and sums with it do not overflow

}  // namespace

void KeptText::save(std::string &out) const {
  ObjectWriter object(out);
  append_saved_bytes(object.value("text"), kept_);
  object.number("from", static_cast<int64_t>(from_)).number("last", static_cast<int64_t>(last_)).close();
}

void KeptText::load(std::string_view saved) {
  const SavedReader reader(saved);
  reader.get("text", kept_);
  reader.get("from", from_);
  if (from_ > kFurthest) from_ = 0;
  int64_t last = 0;
  reader.get("last", last);
  last_ = static_cast<char>(last);
  look_at(kept_);
}

// A turn cuts its text behind whole code points.
Status KeptText::check(std::string_view saved) {
  const SavedReader reader(saved);
  std::string text;
  reader.text("text", text);
  return reader.fits();
}

}  // namespace sluice
