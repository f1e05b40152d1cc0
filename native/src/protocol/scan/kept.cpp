#include "protocol/scan/kept.h"

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {
namespace {

constexpr Offset kFurthest = Offset{1} << 52;  // no text is that long, and sums with it do not overflow

struct Saved {
  std::string kept;
  Offset from = 0;
  int64_t last = 0;
  Status status;
};

Saved read(std::string_view saved) {
  const SavedReader reader(saved);
  Saved out;
  reader.get("text", out.kept);
  reader.get("from", out.from);
  reader.get("last", out.last);
  out.status = reader.fits();
  if (out.from > kFurthest) out.from = 0;
  return out;
}

}  // namespace

void KeptText::save(std::string &out) const {
  ObjectWriter object(out);
  append_saved_bytes(object.value("text"), kept_);
  object.number("from", static_cast<int64_t>(from_)).number("last", static_cast<int64_t>(last_)).close();
}

void KeptText::load(std::string_view saved) {
  Saved one = read(saved);
  kept_ = std::move(one.kept);
  from_ = one.from;
  look_at(kept_);
  last_ = static_cast<char>(one.last);
}

Status KeptText::check(std::string_view saved) { return read(saved).status; }

}  // namespace sluice
