#include "wire/event_shape.h"

#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr size_t kMostBytes = 4096;   // of an event; comparing a larger one saves little
// Where events differ elsewhere, such as in a running number, each is learned in vain: after 32 of those only every 16th is.
constexpr unsigned kMostInVain = 32, kOneOf = 16;

// Can these bytes stand between the quotes of a JSON string? False for \u as well: half a surrogate pair needs more
// care.
bool is_plain(std::string_view inner) {
  bool ascii = true;
  for (size_t i = 0; i < inner.size(); ++i) {
    const auto byte = static_cast<unsigned char>(inner[i]);
    if (byte < 0x20 || byte == '"') return false;
    if (byte == '\\' &&
        (++i == inner.size() || std::string_view("\"\\/bfnrt").find(inner[i]) == std::string_view::npos))
      return false;
    ascii = ascii && byte < 0x80;
  }
  return ascii || is_utf8(inner);
}

// The string token that begins with the quote at `at`, in JSON. Sets `escaped` if it has escapes.
std::string_view token_at(std::string_view json, size_t at, bool &escaped) {
  size_t end = json.find('"', at + 1);
  escaped = json.substr(at, end - at).find('\\') != std::string_view::npos;
  if (escaped)
    for (end = at + 1; json[end] != '"';) end += json[end] == '\\' ? 2 : 1;
  return json.substr(at, end + 1 - at);
}

}  // namespace

std::optional<std::string_view> EventShape::text_of(std::string_view event) {
  const size_t around = before_.size() + after_.size();
  if (around == 0 || event.size() <= around || event.size() > kMostBytes) return std::nullopt;
  if (!event.starts_with(before_) || !event.ends_with(after_)) return std::nullopt;
  const std::string_view token = event.substr(before_.size() - 1, event.size() - around + 2);
  const std::string_view inner = token.substr(1, token.size() - 2);
  if (!is_plain(inner)) return std::nullopt;
  in_vain_ = 0;
  if (inner.find('\\') == std::string_view::npos) return inner;
  text_.clear();
  append_json_text(token, false, text_);
  return text_;
}

// Only where no other string of the event reads the same, keys included, is it certain which of them is the text.
void EventShape::learn(std::string_view event, std::string_view text) {
  forget();
  if (event.size() > kMostBytes) return;
  if (++in_vain_ > kMostInVain && in_vain_ % kOneOf != 0) return;
  std::string_view found;
  for (size_t at = event.find('"'); at != std::string_view::npos;) {
    bool escaped = false;
    const std::string_view token = token_at(event, at, escaped);
    if (escaped ? json_text(token) == text : token.substr(1, token.size() - 2) == text) {
      if (!found.empty()) return;
      found = token;
    }
    at = event.find('"', at + token.size());
  }
  if (found.empty()) return;
  const auto begin = static_cast<size_t>(found.data() - event.data());
  before_ = event.substr(0, begin + 1);
  after_ = event.substr(begin + found.size() - 1);
}

}  // namespace sluice
