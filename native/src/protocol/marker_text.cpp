#include "protocol/marker_text.h"

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace sluice {
namespace {

// ---- JSON that says the same in other characters ----

// A piece of JSON text that can be written in another way, or cannot: one code point or one escape in a string, or
// anything outside of strings.
struct Unit {
  size_t length;
  bool in_string;
};

// Steps through compact JSON text.
class Units {
 public:
  explicit Units(std::string_view json) : json_(json) {}
  bool next() {
    at_ += unit_.length;
    if (at_ >= json_.size()) return false;
    const char c = json_[at_];
    if (c == '"') {
      inside_ = !inside_;
      unit_ = {1, false};
    } else if (!inside_) {
      unit_ = {1, false};
    } else if (c == '\\') {
      unit_ = {json_[at_ + 1] == 'u' ? size_t{6} : size_t{2}, true};
    } else {
      unit_ = {code_point_length(c), true};
    }
    return true;
  }
  size_t at() const { return at_; }
  std::string_view text() const { return json_.substr(at_, unit_.length); }
  bool in_string() const { return unit_.in_string; }
  bool is_hex() const { return unit_.length == 6; }

 private:
  std::string_view json_;
  size_t at_ = 0;
  Unit unit_{0, false};
  bool inside_ = false;
};

// One code point or escape of a string as \uXXXX.
void append_escaped(std::string &out, std::string_view unit) {
  const std::string decoded = json_text("\"" + std::string(unit) + "\"");
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(decoded[i]); };
  unsigned point = byte(0);
  if (decoded.size() > 1) {
    point &= decoded.size() == 2 ? 0x1Fu : decoded.size() == 3 ? 0x0Fu : 0x07u;
    for (size_t i = 1; i < decoded.size(); ++i) point = point << 6 | (byte(i) & 0x3Fu);
  }
  if (point < 0x10000) return append_unicode_escape(out, point);
  append_unicode_escape(out, 0xD800 + ((point - 0x10000) >> 10));
  append_unicode_escape(out, 0xDC00 + (point & 0x3FF));
}

constexpr size_t kReplaced = 4;   // bytes that a protocol's defuse takes away at one place
constexpr size_t kInserted = 16;  // and that it puts there
constexpr size_t kAgreed = 8;     // bytes that show where both texts go on together

// The places behind which `changed` differs from `text`. A guess if changes stand close together: the caller checks the
// result.
std::vector<size_t> find_changes(std::string_view text, std::string_view changed) {
  std::vector<size_t> places;
  size_t i = 0, j = 0;
  while (true) {
    while (i < text.size() && j < changed.size() && text[i] == changed[j]) ++i, ++j;
    if (i == text.size() && j == changed.size()) return places;
    size_t most = 0, gone = 1, more = 1;
    for (size_t a = 0; a <= kReplaced && a <= text.size() - i; ++a)
      for (size_t b = 0; b <= kInserted && b <= changed.size() - j; ++b) {
        const std::string_view left = text.substr(i + a, kAgreed), right = changed.substr(j + b, kAgreed);
        size_t agreed = 0;
        while (agreed < left.size() && agreed < right.size() && left[agreed] == right[agreed]) ++agreed;
        if (left == right) agreed = kAgreed;
        if (agreed <= most) continue;
        most = agreed;
        gone = a;
        more = b;
      }
    if (gone == 0) places.push_back(i);
    for (size_t one = 1; one <= gone && i + one <= text.size(); ++one) places.push_back(i + one);
    i = std::min(i + gone, text.size());
    j = std::min(j + more, changed.size());
  }
}

// Escapes the unit before each place, or the one behind it. Returns false if neither is in a string.
bool escape_at(std::string_view json, const std::vector<size_t> &places, std::string &out) {
  out.clear();
  size_t place = 0;
  bool owed = false;  // the unit before the place could not be escaped
  for (Units unit(json); unit.next();) {
    const size_t end = unit.at() + unit.text().size();
    const bool can = unit.in_string() && !unit.is_hex();
    bool wanted = owed;
    if (owed && !can) return false;
    owed = false;
    while (place < places.size() && places[place] <= end) {
      if (can)
        wanted = true;
      else
        owed = true;
      ++place;
    }
    if (wanted && can)
      append_escaped(out, unit.text());
    else
      out += unit.text();
  }
  return !owed;
}

// Everything in the strings that could be a part of a marker.
std::string escape_all(std::string_view json) {
  std::string out;
  for (Units unit(json); unit.next();) {
    const char c = unit.text()[0];
    const bool plain = c == '\\' ? unit.is_hex() : c == ' ' || is_digit(c);
    if (unit.in_string() && !plain)
      append_escaped(out, unit.text());
    else
      out += unit.text();
  }
  return out;
}

// Returns false if a marker stands outside its strings.
bool defuse_strings(std::string &json, const Defuse &defuse) {
  const auto harmful = [&](const std::string &text, std::string &changed) {
    changed = text;
    defuse(changed);
    return changed != text;
  };
  std::string changed, out;
  if (!harmful(json, changed)) return true;
  if (!escape_at(json, find_changes(json, changed), out)) return false;
  if (harmful(out, changed)) {
    out = escape_all(out);
    if (harmful(out, changed)) return false;
  }
  json = std::move(out);
  return true;
}

}  // namespace

void split_tokens(std::string &text, std::string_view token, size_t split, std::string_view insert, bool fold) {
  std::string out;
  size_t from = 0;
  const bool letter = fold && is_letter(token[0]);
  for (size_t at = 0; at < text.size(); ++at) {
    if (!letter) at = text.find(token[0], at);
    if (at == std::string::npos) break;
    if (fit(std::string_view(text).substr(at), token, fold) != Fit::yes) continue;
    out.append(text, from, at + split - from).append(insert);
    from = at + split;
  }
  if (from != 0) text = out.append(text, from);
}

void break_marker(std::string &text, std::string_view marker) {
  marker = trim(marker);
  if (marker.empty()) return;
  const size_t first = code_point_length(marker[0]);
  if (marker.size() > first) split_tokens(text, marker, first, " ", false);
}

bool is_rare_mark(std::string_view mark) {
  return std::any_of(mark.begin(), mark.end(), [](char c) { return c == '_' || c == '|' || is_beyond_ascii(c); });
}

void add_result_marker(std::string_view open, std::string_view close, std::vector<Marker> &out) {
  const auto token = [](std::string_view word) { return word.find_first_of("|\xEF") != word.npos; };
  const std::string_view mark = trim(open), end = trim(close);
  if (is_rare_mark(mark))
    out.push_back({.bytes = std::string(mark), .end = std::string(token(mark) && token(end) ? end : "")});
}

Defuse defuse_all(const Protocols &active, const Protocol &own) {
  return [&](std::string &text) {
    for (const auto &protocol : active) protocol->defuse(text);
    own.defuse(text);
  };
}

std::string defuse_texts(std::string_view json, const Defuse &defuse, bool described) {
  std::string out;
  std::string_view key;
  for (size_t at = 0; at < json.size();) {
    const size_t quote = std::min(json.find('"', at), json.size());
    out.append(json, at, quote - at);
    size_t end = quote;
    while (end < json.size() && (end == quote || json[end] != '"')) end += json[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, json.size());
    const std::string_view token = json.substr(quote, end - quote);
    const size_t next = json.find_first_not_of(" \t\r\n", end);
    const bool is_key = next != std::string_view::npos && json[next] == ':';
    const bool wanted = !described || (!is_key && (key == "\"description\"" || key == "\"title\""));
    std::string text = wanted && token.size() > 2 ? json_text(token) : std::string();
    const std::string before = text;
    if (!text.empty()) defuse(text);
    if (text == before)
      out += token;
    else
      append_json_string(out, text);
    key = is_key ? token : std::string_view();
    at = end;
  }
  return out;
}

std::string harmless_json(std::string_view json, const Defuse &defuse) {
  std::string out = compact_json(json);
  if (defuse_strings(out, defuse)) return out;
  out = json_string(out);
  defuse_strings(out, defuse);
  return out;
}

}  // namespace sluice
