#include "protocol/scan/fence.h"

#include <algorithm>

#include "base/text.h"
#include "protocol/scan/saved_machine.h"

namespace sluice {
namespace {

// What its first line says behind the back-ticks.
std::string_view word_of(std::string_view fence) {
  const std::string_view line = fence.substr(0, fence.find_first_of("\r\n"));
  if (line.empty()) return line;
  return trim(line.substr(std::min(line.find_first_not_of(line.front()), line.size())));
}

}  // namespace

bool CallFence::near(const ScanRules &rules, Offset done, Offset at) const {
  return known() && begin_ >= done && at - begin_ <= std::min(ScanRules::kProse, rules.limits.candidate_bytes);
}

bool CallFence::reads(const ScanRules &rules, const KeptText &kept, size_t protocol) const {
  const Protocol &one = *rules.active[protocol];
  return one.code() == CodeMode::whole && one.reads_fence(word_of(kept.rest(begin_)));
}

bool CallFence::alive(const ScanRules &rules, const KeptText &kept, const Context &context, Offset done, Offset at,
                      size_t alive) const {
  if (!near(rules, done, at)) return false;
  if (!in_body_) return context.fence_possible();
  if (body_ != kNowhere && at - alive != body_) return false;
  for (size_t i = 0; i < rules.active.size(); ++i)
    if (reads(rules, kept, i)) return true;
  return false;
}

bool CallFence::begins_body(const ScanRules &rules, const KeptText &kept, int marker, Offset from, Offset done,
                            Offset at) const {
  return in_body_ && near(rules, done, at) && from == body_ && reads(rules, kept, rules.markers.owner(marker));
}

// ---- saved ----

void CallFence::save(std::string &out, const ScanRules &rules) const {
  ObjectWriter object(out);
  each_field(*this, SaveFields{object});
  if (known()) save_numbers(before_, object.value("before"));
  if (held.any()) held.save(object.value("held"), rules);
  object.close();
}

void CallFence::load(std::string_view saved, const ScanRules &rules, const KeptText &kept, Offset at) {
  const SavedReader reader(saved);
  each_field(*this, LoadFields{reader});
  before_.load(read_saved_numbers(reader.nested("before")));
  if (!kept.holds(begin_)) leave();
  held.load(reader.nested("held"), rules, kept, at);
}

void HeldFences::save(std::string &out, const ScanRules &rules) const {
  ObjectWriter object(out);
  object.number("from", static_cast<int64_t>(from));
  save_numbers(before, object.value("before"));
  std::string &list = object.value("openers");
  list += '[';
  for (const Opener &opener : openers) {
    if (list.back() != '[') list += ',';
    ObjectWriter one(list);
    one.number("at", static_cast<int64_t>(opener.at)).text("protocol", rules.active[opener.protocol]->id()).close();
  }
  list += ']';
  object.close();
}

void HeldFences::load(std::string_view saved, const ScanRules &rules, const KeptText &kept, Offset at) {
  if (saved.empty()) return;
  const SavedReader reader(saved);
  HeldFences held;
  reader.get("from", held.from);
  if (!kept.holds(held.from) || held.from > at || !held.before.load(read_saved_numbers(reader.nested("before"))))
    return;
  for (JsonSlices list(reader.nested("openers")); list.next();) {
    const SavedReader one(list.value());
    Opener opener{};
    std::string id;
    one.get("at", opener.at);
    one.text("protocol", id);
    opener.protocol = rules.markers.protocol(id);
    if (opener.protocol != ActiveMarkers::kNobody) held.openers.push_back(opener);
  }
  *this = std::move(held);
}

}  // namespace sluice
