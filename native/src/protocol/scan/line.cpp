#include "protocol/scan/line.h"

#include "protocol/scan/saved_machine.h"

namespace sluice {

void LineStart::save(std::string &out) const {
  ObjectWriter object(out);
  each_field(*this, SaveFields{object});
  if (!said_.get().empty()) append_saved_bytes(object.value("said"), said_.get());
  object.close();
}

void LineStart::load(std::string_view saved, const KeptText &kept) {
  const SavedReader reader(saved);
  each_field(*this, LoadFields{reader});
  from_ = std::clamp(from_, kept.from(), kept.end());
  std::string said;
  reader.get("said", said);
  said_.add(said);
}

}  // namespace sluice
