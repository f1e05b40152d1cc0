#include "wire/shown_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace sluice {

std::optional<std::string> ShownText::rest_of_part(std::string_view part) {
  const std::string whole = join_surrogates(part);
  if (!known_ || whole.empty()) return std::string();
  const std::string last = join_surrogates(std::string_view(text_).substr(part_));
  if (whole.starts_with(last) && (!last.empty() || !holds(whole))) {
    part_ = text_.size() + whole.size() - last.size();
    return whole.substr(last.size());
  }
  if (last.starts_with(whole)) {  // more parts followed before this one was repeated
    part_ += whole.size();
    return std::string();
  }
  if (holds(whole)) return std::string();
  part_ = text_.size();
  return std::nullopt;
}

bool ShownText::holds(std::string_view part) const {
  return join_surrogates(text_).find(join_surrogates(part)) != std::string::npos;
}

std::optional<std::string> ShownText::rest_of_whole(std::string_view whole) const {
  const std::string joined = join_surrogates(whole);
  if (!known_ || joined.empty()) return std::string();
  const std::string shown = join_surrogates(text_);
  return joined.starts_with(shown) ? std::optional(joined.substr(shown.size())) : std::nullopt;
}

bool ShownText::begins(std::string_view whole) const {
  return known_ && join_surrogates(whole).starts_with(join_surrogates(text_));
}

void ShownText::save(std::string_view key, ObjectWriter &saved) const {
  if (empty()) return;
  ObjectWriter one(saved.value(key));
  append_saved_bytes(one.value("text"), text_);
  one.number("part", static_cast<int64_t>(part_)).boolean("known", known_).close();
}

void ShownText::load(std::string_view key, const SavedReader &saved) {
  const SavedReader one(saved.nested(key));
  one.get("text", text_);
  one.get("part", part_);
  part_ = std::min(part_, text_.size());
  one.get("known", known_);
}

}  // namespace sluice
