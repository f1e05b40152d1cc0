#include "wire/event_shape.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "wire/json_event.h"

namespace sluice {
namespace {

constexpr size_t kMostBytes = 4096;  // of an event; comparing a larger one saves little
constexpr size_t kMostDigits = 16;   // of a number that is handed over, which is below kMostInteger
// Where events differ elsewhere, each is learned in vain: after 32 of those only every 16th is.
constexpr unsigned kMostInVain = 32, kOneOf = 16;

// The bytes in front of the quote that ends a JSON string. npos: there is none, or they cannot stand in a string, or
// there is \u among them: half a surrogate pair needs more care.
size_t plain_size(std::string_view rest, bool &escaped) {
  bool ascii = true;
  for (size_t i = 0; i < rest.size(); ++i) {
    const auto byte = static_cast<unsigned char>(rest[i]);
    if (byte == '"') return ascii || is_utf8(rest.substr(0, i)) ? i : std::string_view::npos;
    if (byte < 0x20) break;
    if (byte == '\\') {
      escaped = true;
      if (++i == rest.size() || std::string_view("\"\\/bfnrt").find(rest[i]) == std::string_view::npos) break;
    }
    ascii = ascii && byte < 0x80;
  }
  return std::string_view::npos;
}

// The bytes of the whole number at the beginning; 0: there is none.
size_t number_size(std::string_view rest, int64_t &value) {
  const bool negative = rest.starts_with('-');
  size_t at = negative;
  value = 0;
  while (at < rest.size() && is_digit(rest[at]) && at - negative < kMostDigits) value = value * 10 + (rest[at++] - '0');
  if (at == negative || (rest[negative] == '0' && at - negative > 1) || value >= kMostInteger) return 0;
  if (negative) value = -value;
  return at;
}

// The string token that begins with the quote at `at`, in JSON. Sets `escaped` if it has escapes.
std::string_view token_at(std::string_view json, size_t at, bool &escaped) {
  size_t end = json.find('"', at + 1);
  escaped = json.substr(at, end - at).find('\\') != std::string_view::npos;
  if (escaped)
    for (end = at + 1; json[end] != '"';) end += json[end] == '\\' ? 2 : 1;
  return json.substr(at, end + 1 - at);
}

std::string_view without_quotes(std::string_view token) { return token.substr(1, token.size() - 2); }

// Returns false if the bit was set before.
bool mark(uint32_t &bits, size_t bit) {
  const uint32_t before = std::exchange(bits, bits | 1U << bit);
  return before != bits;
}

size_t behind_blanks(std::string_view json, size_t at) {
  return std::min(json.find_first_not_of(" \t\r\n", at), json.size());
}

}  // namespace

std::optional<std::string_view> EventShape::text_of(std::string_view type, std::string_view event) {
  numbers_.clear();
  if (holes_.empty() || event.size() > kMostBytes || type != type_) return std::nullopt;
  const std::string_view fixed = fixed_;
  std::string_view text;
  bool text_escaped = false;
  size_t from = 0;
  for (const Hole &hole : holes_) {
    const std::string_view before = fixed.substr(from, hole.at - from);
    if (!event.starts_with(before)) return std::nullopt;
    event.remove_prefix(before.size());
    from = hole.at;
    size_t size = 0;
    if (hole.kind == Hole::Kind::number) {
      Number number{hole.member, 0};
      size = number_size(event, number.value);
      if (size == 0) return std::nullopt;
      numbers_.push_back(number);
    } else {
      bool escaped = false;
      size = plain_size(event, escaped);
      if (size == std::string_view::npos) return std::nullopt;
      if (hole.kind == Hole::Kind::text) text = event.substr(0, size), text_escaped = escaped;
    }
    event.remove_prefix(size);
  }
  if (text.empty() || event != fixed.substr(from)) return std::nullopt;
  in_vain_ = 0;
  if (!text_escaped) return text;
  text_.clear();
  append_json_text({text.data() - 1, text.size() + 2}, false, text_);
  return text_;
}

void EventShape::learn(std::string_view type, std::string_view event, std::string_view text) {
  forget();
  if (event.size() > kMostBytes) return;
  if (++in_vain_ > kMostInVain && in_vain_ % kOneOf != 0) return;
  if (!find_holes(event, text)) return forget();
  type_ = type;
}

std::optional<size_t> EventShape::loose_member(size_t depth, std::string_view object, std::string_view key) const {
  const bool nested = depth == 2 && !object.empty();
  if (depth != 1 && !nested) return std::nullopt;
  for (size_t i = 0; i < loose_.size(); ++i)
    if (loose_[i].key == key && loose_[i].object == (nested ? object : std::string_view())) return i;
  return std::nullopt;
}

// Only where no other string of the event reads the same, keys included, is it certain which of them is the text; and
// which number counts, only where its member and the object around it come once.
bool EventShape::find_holes(std::string_view event, std::string_view text) {
  fixed_.clear();
  bool has_text = false;
  uint32_t seen = 0, held = 0;  // a bit for each loose member: it came; the object around it came
  size_t depth = 0, at = 0;     // of the next byte, and its place
  size_t taken = 0;             // bytes of the event that are in fixed_, or in a hole
  std::string_view object;      // the last key at depth 1
  const auto open = [&](Hole::Kind kind, size_t begin, size_t end, size_t member) {
    fixed_ += event.substr(taken, begin - taken);
    taken = end;
    holes_.push_back({kind, fixed_.size(), member});
  };
  for (;;) {
    const size_t quote = std::min(event.find('"', at), event.size());
    for (; at < quote; ++at) {  // a bit tells [ from {, and ] from }
      const char bracket = static_cast<char>(event[at] | 0x20);
      depth += bracket == '{';
      depth -= bracket == '}';
    }
    if (quote == event.size()) break;
    bool escaped = false;
    const std::string_view token = token_at(event, quote, escaped);
    const std::string_view inner = without_quotes(token);
    const bool same = escaped ? json_text(token) == text : inner == text;
    if (same && std::exchange(has_text, true)) return false;
    at = quote + token.size();
    const size_t colon = behind_blanks(event, at);
    const bool is_key = colon < event.size() && event[colon] == ':';
    if (!is_key) {
      if (same) open(Hole::Kind::text, quote + 1, at - 1, 0);
      continue;
    }
    if (same || escaped) return false;
    if (depth == 1) {
      object = inner;
      for (size_t i = 0; i < loose_.size(); ++i)
        if (!inner.empty() && loose_[i].object == inner && !mark(held, i)) return false;
    }
    const std::optional<size_t> member = loose_member(depth, object, inner);
    if (!member) continue;
    if (!mark(seen, *member)) return false;
    const size_t value = behind_blanks(event, colon + 1);
    if (event[value] == '"') {
      at = value + token_at(event, value, escaped).size();
      open(Hole::Kind::string, value + 1, at - 1, 0);
    } else if (event[value] == '-' || is_digit(event[value])) {
      const size_t end = std::min(event.find_first_of(",}] \t\r\n", value), event.size());
      int64_t number = 0;
      if (number_size(event.substr(value), number) == end - value) open(Hole::Kind::number, value, end, *member);
      at = end;
    }
  }
  fixed_ += event.substr(taken);
  return has_text;
}

}  // namespace sluice
