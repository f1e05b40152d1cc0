#include "turn/repeats.h"

#include <utility>

namespace sluice {
namespace {

void save_counts(const std::map<std::string, uint32_t> &counts, std::string &out) {
  ObjectWriter object(out);
  for (const auto &[key, count] : counts) object.number(key, count);
  object.close();
}

// Reads counts by digest; digests are hexadecimal.
Status load_counts(const SavedReader &saved, std::string_view key, std::map<std::string, uint32_t> &counts) {
  const std::string_view object = saved.nested(key);
  const SavedReader members(object);
  for (JsonSlices member(object); members.fits().ok() && member.next();) {
    const std::string digest = member.key_text();
    if (digest.empty() || digest.find_first_not_of("0123456789abcdef") != digest.npos)
      return error(Code::json, "expected counts by digest", std::string(key));
    members.get(digest, counts[digest]);
  }
  return Status(members.fits()).inside(key);
}

uint32_t running_in(const std::map<std::string, uint32_t> &before, const std::string &digest) {
  const auto found = before.find(digest);
  return found == before.end() ? 1 : found->second + 1;
}

std::string digest_of(const Card &card) { return approval_digest(*card.tool, card.canonical_arguments()); }

}  // namespace

Repeats::Round::Counts &Repeats::Round::counts() {
  for (const Card *card : first_) counts_[approval_digest(*card->tool, canonical_json(card->arguments()))] = 1;
  first_.clear();
  return counts_;
}

void Repeats::begin_round() { before_ = std::exchange(now_, {}); }

uint32_t Repeats::running(const Card &card) const {
  return before_.empty() ? 1 : running_in(before_.counts(), digest_of(card));
}

uint32_t Repeats::count(const Card &card) {
  if (before_.empty() && !card.edited()) {
    now_.add_first(card);
    return 1;
  }
  const std::string digest = digest_of(card);
  return now_.counts()[digest] = running_in(before_.counts(), digest);
}

void Repeats::save(ObjectWriter &object) const {
  save_counts(before_.counts(), object.value("repeats"));
  save_counts(now_.counts(), object.value("repeatsNow"));
}

Status Repeats::load(const SavedReader &saved) {
  if (Status status = load_counts(saved, "repeats", before_.counts()); !status.ok()) return status;
  return load_counts(saved, "repeatsNow", now_.counts());
}

}  // namespace sluice
