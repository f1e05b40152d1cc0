#include "wire/sent_ids.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr size_t kNine = 9;

bool is_nine(std::string_view id) { return id.size() == kNine && std::all_of(id.begin(), id.end(), is_alnum); }

// functions.NAME:12
bool is_named(std::string_view id) {
  const size_t colon = id.rfind(':');
  return id.starts_with("functions.") && colon != id.npos && colon + 1 < id.size() &&
         std::all_of(id.begin() + static_cast<std::ptrdiff_t>(colon) + 1, id.end(), is_digit);
}

// An id that is too long, as a shorter one that no other has.
std::string shortened(std::string_view id) {
  constexpr size_t kKept = 24, kOfDigest = 12;
  size_t end = std::min(kKept, id.size());
  while (end > 0 && end < id.size() && continues_code_point(id[end])) --end;
  return std::string(id.substr(0, end)) + "_" + sha256_hex(id).substr(0, kOfDigest);
}

}  // namespace

std::string SentIds::legal(std::string_view own) const {
  if (rules_.form == IdRules::Form::nine) return is_nine(own) ? std::string(own) : sha256_hex(own).substr(0, kNine);
  std::string id = own.size() > rules_.most_bytes ? shortened(own) : std::string(own);
  if (rules_.in_id != nullptr)
    std::replace_if(
        id.begin(), id.end(), [&](char c) { return !rules_.in_id(c); }, '_');
  return id;
}

std::string SentIds::give(std::string_view own, std::string_view name) {
  const size_t number = calls_++;
  if (rules_.form == IdRules::Form::named && !is_named(own)) {
    std::string id = "functions." + std::string(name) + ":" + std::to_string(number);
    used_.insert(id);
    return id;
  }
  std::string id = own.empty() ? std::string() : legal(own);
  for (size_t fresh = number + 1; id.empty() || used_.contains(id); ++fresh)
    id = legal("call_" + std::to_string(fresh));
  used_.insert(id);
  return id;
}

}  // namespace sluice
