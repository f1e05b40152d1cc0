#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

std::string_view skip_space(std::string_view text) {
  size_t i = 0;
  while (i < text.size() && is_json_white(text[i])) ++i;
  return text.substr(i);
}

// Length of the string token that `text` begins with, or npos where it has no end. An even number of back-slashes
// before a quote means that it closes the string. Each back-slash is counted for one quote only, so this is linear.
size_t string_length(std::string_view text) {
  size_t from = 1;
  while (true) {
    const size_t quote = text.find('"', from);
    if (quote == std::string_view::npos) return quote;
    size_t slashes = 0;
    while (text[quote - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return quote + 1;
    from = quote + 1;
  }
}

// Checks the whole grammar without recursion: a parser that recurses would overflow the stack before it knew the depth.
class Checker {
 public:
  Checker(std::string_view text, size_t max_depth) : text_(text), max_depth_(max_depth) {}

  bool ended_early() const { return !message_.empty() && at_ == text_.size(); }

  Status run() {
    bool value_wanted = true;
    while (true) {
      space();
      if (value_wanted) {
        if (!value(value_wanted)) return failure();
        if (value_wanted) continue;
      } else if (open_.empty()) {
        if (at_ < text_.size()) fail("nothing more");
        return failure();
      } else if (!after_value(value_wanted)) {
        return failure();
      }
    }
  }

 private:
  // Reads one value, or the beginning of a container; `wanted` stays true where its first element comes next.
  bool value(bool &wanted) {
    if (at_ == text_.size()) return fail("a value");
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      if (open_.size() == max_depth_) return too_deep();
      open_.push_back(c);
      ++at_;
      space();
      if (at_ < text_.size() && text_[at_] == (c == '{' ? '}' : ']')) {
        ++at_;
        open_.pop_back();
        wanted = false;
        return true;
      }
      return c == '[' || key();
    }
    wanted = false;
    if (c == '"') return string();
    if (c == '-' || is_digit(c)) return number();
    for (std::string_view word : {"true", "false", "null"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return true;
      } else if (word.starts_with(text_.substr(at_))) {
        at_ = text_.size();
      }
    return fail("a value");
  }

  bool after_value(bool &wanted) {
    const bool object = open_.back() == '{';
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      wanted = true;
      if (!object) return true;
      space();
      return key();
    }
    if (at_ < text_.size() && text_[at_] == (object ? '}' : ']')) {
      ++at_;
      open_.pop_back();
      return true;
    }
    return fail(object ? "',' or '}'" : "',' or ']'");
  }

  bool key() {
    if (at_ == text_.size() || text_[at_] != '"') return fail("a member's name in quotes");
    if (!string()) return false;
    space();
    if (at_ == text_.size() || text_[at_] != ':') return fail("':'");
    ++at_;
    return true;
  }

  bool string() {
    ++at_;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < 0x20) return fail("no control character inside of a string");
      ++at_;
      if (c != '\\') continue;
      if (at_ == text_.size()) break;
      const char escape = text_[at_++];
      if (escape == 'u') {
        for (int i = 0; i < 4; ++i, ++at_)
          if (at_ == text_.size() || !is_hex_digit(text_[at_])) return fail("four hex digits");
      } else if (std::strchr("\"\\/bfnrt", escape) == nullptr || escape == 0) {
        --at_;
        return fail("an escape of JSON");
      }
    }
    return fail("the end of the string");
  }

  bool number() {
    if (text_[at_] == '-') ++at_;
    if (at_ < text_.size() && text_[at_] == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (!digits()) return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!digits()) return false;
    }
    return true;
  }

  bool digits() {
    if (at_ == text_.size() || !is_digit(text_[at_])) return fail("a digit");
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return true;
  }

  void space() {
    while (at_ < text_.size() && is_json_white(text_[at_])) ++at_;
  }

  bool fail(std::string_view wanted) {
    message_ = "expected " + std::string(wanted) + " at byte " + std::to_string(at_) + ", found ";
    if (at_ == text_.size()) {
      message_ += "the end of the text";
    } else {
      // Show one byte, repaired: the text is UTF-8, but this place may lie inside a character.
      message_ += '\'' + repair_utf8(text_.substr(at_, 1)) + '\'';
    }
    return false;
  }
  bool too_deep() {
    message_ = "nested deeper than " + std::to_string(max_depth_) + " at byte " + std::to_string(at_);
    return false;
  }
  Status failure() const { return message_.empty() ? Status{} : error(Code::json, message_); }

  const std::string_view text_;
  const size_t max_depth_;
  size_t at_ = 0;
  std::string open_;  // the open containers: '{' and '['
  std::string message_;
};

uint32_t hex4(std::string_view digits) {
  uint32_t value = 0;
  read_integer(digits.substr(0, 4), value, 16);
  return value;
}

// Appends a string token in its shortest spelling. Lone surrogates stay escapes, so that different strings stay
// different.
void append_canonical_string(std::string &out, std::string_view token) {
  if (token.find('\\') == std::string_view::npos) {
    out += token;
    return;
  }
  std::string text;
  append_json_text(token, true, text);
  std::string_view rest = text;
  out += '"';
  while (true) {
    size_t lone = 0;
    while (lone + 2 < rest.size() && !(rest[lone] == '\xED' && static_cast<unsigned char>(rest[lone + 1]) >= 0xA0))
      ++lone;
    if (lone + 2 >= rest.size()) break;
    std::string piece;
    append_json_string(piece, rest.substr(0, lone));
    out.append(piece, 1, piece.size() - 2);
    const uint32_t value = 0xD000U | (static_cast<uint32_t>(rest[lone + 1]) & 0x3FU) << 6 |
                           (static_cast<uint32_t>(rest[lone + 2]) & 0x3FU);
    append_unicode_escape(out, value);
    rest = rest.substr(lone + 3);
  }
  std::string piece;
  append_json_string(piece, rest);
  out.append(piece, 1, piece.size() - 1);
}

// Appends a string token as written. A lone surrogate, which many readers of JSON refuse, becomes U+FFFD.
void append_readable_string(std::string &out, std::string_view token) {
  const size_t escape = token.find("\\u");
  if (escape != std::string_view::npos && json_text(token) != json_text(token, true))
    append_json_string(out, json_text(token));
  else
    out += token;
}

constexpr size_t kFewMembers = 8;  // of an object that are looked through one by one

struct Member {
  std::string key;
  std::string_view token, value;
};

// Where each container of a text ends, found once: a walk level by level must not search again on every level.
class Ends {
 public:
  explicit Ends(std::string_view text) : text_(text) {
    std::vector<size_t> open;
    for (size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c == '{' || c == '[') {
        open.push_back(ends_.size());
        ends_.push_back({at++, 0});
      } else if (c == '}' || c == ']') {
        End &end = ends_[open.back()];
        end.to = ++at;
        if (end.to - end.from <= kShort)
          ends_.pop_back();  // it is the last entry: containers inside it are shorter and were removed
        open.pop_back();
      } else {
        at += c == ',' || c == ':' || is_json_white(c) ? 1 : json_token_length(text.substr(at));
      }
    }
  }

  // Length of the value that `rest`, a part of the text, begins with.
  size_t length(std::string_view rest) const {
    if (rest.front() != '{' && rest.front() != '[') return json_token_length(rest);
    const auto from = static_cast<size_t>(rest.data() - text_.data());
    const auto known = std::lower_bound(ends_.begin(), ends_.end(), from,
                                        [](const End &end, size_t begin) { return end.from < begin; });
    if (known != ends_.end() && known->from == from) return known->to - from;
    size_t at = 0, depth = 0;
    do {
      const char c = rest[at];
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      at += c == '"' ? string_length(rest.substr(at)) : 1;
    } while (depth > 0);
    return at;
  }

 private:
  struct End {
    size_t from, to;
  };
  static constexpr size_t kShort = 64;

  const std::string_view text_;
  std::vector<End> ends_;  // containers longer than kShort, in the order of the text
};

// The elements of a container, one by one.
class Elements {
 public:
  Elements(std::string_view container, const Ends &ends)
      : object_(container.front() == '{'), rest_(container.substr(1, container.size() - 2)), ends_(&ends) {}

  bool next() {
    rest_ = skip_space(rest_);
    if (rest_.empty()) return false;
    if (rest_.front() == ',') rest_ = skip_space(rest_.substr(1));
    if (object_) {
      key_ = rest_.substr(0, string_length(rest_));
      rest_ = skip_space(skip_space(rest_.substr(key_.size())).substr(1));  // skip the colon
    }
    value_ = rest_.substr(0, ends_->length(rest_));
    rest_ = rest_.substr(value_.size());
    return true;
  }
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  bool object_;
  std::string_view rest_, key_, value_;
  const Ends *ends_;
};

// The members of an object in written order, each key once, with its last value. Keys are compared as they are written
// out: without `canonical`, lone surrogates are all the same character.
std::vector<Member> members_of(Elements members, bool canonical) {
  std::vector<Member> out;
  // Of larger objects. No hash table: the keys are the model's, and could be chosen to collide.
  std::map<std::string, size_t> places;
  const auto place_of = [&](const std::string &key) {
    if (out.size() < kFewMembers) {
      const auto same = std::find_if(out.begin(), out.end(), [&](const Member &member) { return member.key == key; });
      return static_cast<size_t>(same - out.begin());
    }
    if (places.empty())
      for (size_t i = 0; i < out.size(); ++i) places.emplace(out[i].key, i);
    return places.try_emplace(key, out.size()).first->second;
  };
  while (members.next()) {
    std::string key;
    append_json_text(members.key(), canonical, key);
    const size_t place = place_of(key);
    if (place == out.size())
      out.push_back({std::move(key), members.key(), members.value()});
    else
      out[place].value = members.value();
  }
  if (canonical) sort_all(out, [](const Member &a, const Member &b) { return a.key < b.key; });
  return out;
}

// Writes a value in another spelling. Does not recurse: the model chooses how deep a value is.
class Respelling {
 public:
  Respelling(std::string_view value, bool canonical, std::string &out)
      : value_(trim_json(value)), ends_(value_), out_(out), canonical_(canonical) {}

  void write() {
    begin(value_);
    while (!open_.empty()) {
      Container &container = open_.back();
      if (container.object ? container.at == container.members.size() : !container.items.next()) {
        out_ += container.object ? '}' : ']';
        open_.pop_back();
        continue;
      }
      if (container.at++ > 0) out_ += ',';
      if (!container.object) {
        begin(container.items.value());
        continue;
      }
      const Member &member = container.members[container.at - 1];
      string(member.token);
      out_ += ':';
      begin(member.value);
    }
  }

 private:
  struct Container {
    bool object;
    size_t at;  // how many of its values were written
    Elements items;
    std::vector<Member> members;
  };

  // Writes a scalar, or opens a container.
  void begin(std::string_view value) {
    const char kind = json_kind(value);
    if (kind == '{' || kind == '[') {
      out_ += kind;
      const bool object = kind == '{';
      const Elements items(value, ends_);
      open_.push_back({object, 0, items, object ? members_of(items, canonical_) : std::vector<Member>{}});
    } else if (kind == '"') {
      string(value);
    } else {
      out_ += value;
    }
  }

  void string(std::string_view token) {
    if (canonical_)
      append_canonical_string(out_, token);
    else
      append_readable_string(out_, token);
  }

  const std::string_view value_;
  const Ends ends_;
  std::string &out_;
  const bool canonical_;
  std::vector<Container> open_;
};

// 0: the byte goes out as it is; 'u': as \u00XX; else the letter after the back-slash.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> table{};
  for (size_t i = 0; i < 0x20; ++i) table[i] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}();

// The place of the first byte from `from` on that goes out escaped, or the text's size. Looks at eight bytes at a time:
// a byte below 0x20, a quote or a back-slash sets the highest bit of some byte.
size_t next_escape(std::string_view utf8, size_t from) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHighest = 0x8080808080808080;
  const auto zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
  for (uint64_t bytes = 0; from + sizeof bytes <= utf8.size(); from += sizeof bytes) {
    std::memcpy(&bytes, utf8.data() + from, sizeof bytes);
    const uint64_t control = (bytes - kOnes * 0x20) & ~bytes;
    if (((control | zero(bytes ^ kOnes * '"') | zero(bytes ^ kOnes * '\\')) & kHighest) != 0) break;
  }
  while (from < utf8.size() && kEscapes[static_cast<unsigned char>(utf8[from])] == 0) ++from;
  return from;
}

}  // namespace

Status check_json(std::string_view text, size_t max_depth, bool *cut) {
  if (cut != nullptr) *cut = false;
  if (!is_utf8(text)) {
    Utf8Joiner joiner;
    joiner.feed(text);
    const size_t at = joiner.replaced().empty() ? text.size() - joiner.held().size() : joiner.replaced().front();
    return error(Code::json, "expected UTF-8 at byte " + std::to_string(at));
  }
  Checker checker(text, max_depth);
  Status status = checker.run();
  if (cut != nullptr) *cut = checker.ended_early();
  return status;
}

std::string_view trim_json(std::string_view text) { return trim(text, is_json_white); }

size_t json_token_length(std::string_view text) {
  if (text.front() == '"') return string_length(text);
  return std::min(text.find_first_of(",:]} \t\n\r"), text.size());
}

JsonSlices::JsonSlices(std::string_view container) {
  container = trim_json(container);
  if (container.empty() || (container.front() != '{' && container.front() != '[')) return;
  object_ = container.front() == '{';
  rest_ = container.substr(1, container.size() - 2);
}

bool JsonSlices::next() {
  rest_ = skip_space(rest_);
  if (rest_.empty()) return false;
  if (rest_.front() == ',') rest_ = skip_space(rest_.substr(1));
  if (object_) {
    const size_t length = string_length(rest_);
    key_ = rest_.substr(0, length);
    rest_ = skip_space(rest_.substr(length));
    rest_ = skip_space(rest_.substr(1));  // the colon
  }
  size_t at = 0;
  size_t depth = 0;
  do {
    switch (rest_[at]) {
      case '"': at += string_length(rest_.substr(at)); break;
      case '{':
      case '[':
        ++depth;
        ++at;
        break;
      case '}':
      case ']':
        --depth;
        ++at;
        break;
      case ',':
      case ':':
      case ' ':
      case '\t':
      case '\n':
      case '\r': ++at; break;
      default:
        while (at < rest_.size() && std::strchr(",:]} \t\n\r", rest_[at]) == nullptr) ++at;
    }
  } while (depth > 0);
  value_ = rest_.substr(0, at);
  rest_ = rest_.substr(at);
  return true;
}

std::string JsonSlices::key_text() const { return json_text(key_); }

std::optional<std::string_view> json_member(std::string_view object, std::string_view key) {
  std::optional<std::string_view> found;
  if (json_kind(object) != '{') return found;
  const bool plain = key.find('\\') == std::string_view::npos;
  for (JsonSlices members(object); members.next();) {
    const std::string_view token = members.key();
    const std::string_view inner = token.substr(1, token.size() - 2);
    const bool same = plain && inner.find('\\') == std::string_view::npos ? inner == key : members.key_text() == key;
    if (same) found = members.value();
  }
  return found;
}

std::optional<std::string> repeated_name(std::string_view object) {
  std::set<std::string> names;
  for (JsonSlices members(object); members.next();)
    if (const auto [name, is_new] = names.insert(members.key_text()); !is_new) return *name;
  return std::nullopt;
}

std::string json_member_text(std::string_view object, std::string_view key) {
  const auto value = json_member(object, key);
  return value && json_kind(*value) == '"' ? json_text(*value) : std::string();
}

char json_kind(std::string_view value) {
  value = skip_space(value);
  if (value.empty()) return 0;
  const char c = value.front();
  return c == '-' || is_digit(c) ? '0' : c;
}

std::string json_text(std::string_view token, bool keep_surrogates) {
  std::string out;
  out.reserve(token.size());
  append_json_text(token, keep_surrogates, out);
  return out;
}

void append_json_text(std::string_view token, bool keep_surrogates, std::string &out) {
  token = trim_json(token);
  std::string_view rest = token.substr(1, token.size() - 2);
  while (true) {
    const size_t slash = rest.find('\\');
    out += rest.substr(0, slash);
    if (slash == std::string_view::npos) return;
    const char escape = rest[slash + 1];
    rest = rest.substr(slash + 2);
    switch (escape) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        uint32_t c = hex4(rest);
        rest = rest.substr(4);
        const bool high = c >= 0xD800 && c < 0xDC00;
        if (high && rest.size() >= 6 && rest[0] == '\\' && rest[1] == 'u') {
          const uint32_t low = hex4(rest.substr(2));
          if (low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            rest = rest.substr(6);
          }
        }
        if (c >= 0xD800 && c < 0xE000 && !keep_surrogates) c = 0xFFFD;
        append_code_point(out, c);
        break;
      }
      default: out += escape;
    }
  }
}

std::string compact_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Respelling(text, false, out).write();
  return out;
}

std::string canonical_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Respelling(text, true, out).write();
  return out;
}

void append_json_string(std::string &out, std::string_view utf8) {
  constexpr size_t kLarge = 65536, kBehind = 16;
  if (utf8.size() >= kLarge)  // let it grow once, with room for what closes it
    if (const size_t size = out.size() + json_string_size(utf8) + kBehind; size > out.capacity()) out.reserve(size);
  out += '"';
  size_t from = 0;
  for (size_t at = 0; (at = next_escape(utf8, at)) < utf8.size(); from = ++at) {
    const auto byte = static_cast<unsigned char>(utf8[at]);
    out.append(utf8, from, at - from);
    out += '\\';
    out += kEscapes[byte];
    if (kEscapes[byte] == 'u') {
      out += "00";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    }
  }
  out.append(utf8, from);
  out += '"';
}

size_t json_string_size(std::string_view utf8) {
  size_t size = 2 + utf8.size();
  for (size_t at = 0; (at = next_escape(utf8, at)) < utf8.size(); ++at)
    size += kEscapes[static_cast<unsigned char>(utf8[at])] == 'u' ? 5 : 1;
  return size;
}

void append_unicode_escape(std::string &out, uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[unit >> shift & 15];
}

std::string json_string(std::string_view utf8) {
  std::string out;
  out.reserve(json_string_size(utf8));
  append_json_string(out, utf8);
  return out;
}

void append_number(std::string &out, int64_t value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

}  // namespace sluice
