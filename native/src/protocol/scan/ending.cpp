#include "protocol/scan/ending.h"

#include "base/ascii.h"
#include "protocol/scan/saved_machine.h"

namespace sluice {

void Ending::watch(const ScanRules &rules, char c, int marker, Offset at, size_t alive, bool code) {
  if (marker >= 0 && rules.markers.ends_turn(marker) && !code) {
    const Offset from = at - rules.markers.length(marker);
    if (token_ == kNowhere || from > word_) token_ = from;
    word_ = kNowhere;
  } else if (token_ != kNowhere) {
    if (!is_white(c) && word_ == kNowhere) word_ = at - 1;
    const bool text = word_ != kNowhere && at - alive > word_;
    if (text || at - token_ > rules.limits.candidate_bytes) forget_tokens();
  }
}

void Ending::save(std::string &out, const ScanRules &rules) const {
  ObjectWriter object(out);
  each_field(*this, SaveFields{object});
  if (trails_any()) object.text("trails", rules.active[trails_]->id());
  if (in_result()) rules.markers.save(result_, object.value("result"));
  object.close();
}

void Ending::load(std::string_view saved, const ScanRules &rules, const KeptText &kept) {
  const SavedReader reader(saved);
  each_field(*this, LoadFields{reader});
  std::string id;
  reader.text("trails", id);
  if (!id.empty()) trails_ = rules.markers.protocol(id);
  result_ = rules.markers.load(reader.nested("result"), {Markers::Kind::result});
  if (!kept.holds(token_)) forget_tokens();
  if (!kept.holds(word_)) word_ = kNowhere;
}

}  // namespace sluice
