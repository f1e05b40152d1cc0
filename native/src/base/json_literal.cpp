#include "base/json_literal.h"

#include <charconv>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace sluice {

namespace {

// Rewrites a literal as JSON in one pass, without recursion. Each function returns false if the text is no literal.
class Literal {
 public:
  Literal(std::string_view text, size_t depth, bool python, std::string &out)
      : text_(text), depth_(depth), python_(python), out_(out) {}
  bool write();

 private:
  struct Container {
    char opened;     // its bracket; < for a set
    bool separated;  // it holds a comma: (1,) is a tuple, (1) is 1
    size_t out;      // place of its bracket in the output
  };

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_white() {
    do {
      while (at_ < text_.size() && is_white(text_[at_])) ++at_;
    } while (skip_comment());
  }
  bool skip_comment();
  bool value();
  bool key();
  bool begins_set();
  bool open(char bracket);
  bool close();
  bool behind_value();
  bool at_string() const;
  bool string();
  bool escape();
  bool unicode(size_t digits);
  bool number(std::string &out);
  bool number_in_base(bool negative, unsigned base, std::string &out);
  bool digits(std::string &out);
  bool word();

  // -- set once
  const std::string_view text_;
  const size_t depth_;
  const bool python_;
  std::string &out_;
  // -- position in the text
  size_t at_ = 0;
  bool element_ = false;  // the key that was just read has no colon: it is an element
  std::vector<Container> containers_;
};

// A byte that a JSON string can hold as it is.
bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\'' && c != '\\'; }

// Appends one character of a JSON string.
void append_character(std::string &out, uint32_t c) {
  if (c == '"' || c == '\\') {
    out += '\\';
    out += static_cast<char>(c);
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c < 0x20 || (c >= 0xD800 && c < 0xE000)) {  // two surrogate escapes make one character, as in JSON
    append_unicode_escape(out, c);
  } else {
    append_code_point(out, c);
  }
}

// A comment of JSON5, which has an end.
bool Literal::skip_comment() {
  if (peek() != '/' || (peek(1) != '/' && peek(1) != '*')) return false;
  const std::string_view end = peek(1) == '/' ? "\n" : "*/";
  const size_t to = text_.find(end, at_ + 2);
  if (to == text_.npos) return false;
  at_ = to + end.size();
  return true;
}

bool Literal::write() {
  while (true) {
    skip_white();
    if (!containers_.empty() && close()) {  // an empty container, or a comma before its bracket
      if (!behind_value()) return false;
    } else if (!containers_.empty() && containers_.back().opened == '{' && !key()) {
      if (!begins_set() || !behind_value()) return false;
    } else {
      const char c = peek();
      if (c == '{' || c == '[' || c == '(') {
        if (!open(c)) return false;
        continue;
      }
      if (!value() || !behind_value()) return false;
    }
    if (containers_.empty()) return at_ == text_.size();
  }
}

// After a value: closes the containers that end here and passes the next comma.
bool Literal::behind_value() {
  while (true) {
    skip_white();
    if (containers_.empty()) return true;
    if (close()) continue;
    if (peek() != ',') return false;
    ++at_;
    containers_.back().separated = true;
    out_ += ',';
    return true;
  }
}

bool Literal::open(char bracket) {
  if (containers_.size() == depth_) return false;
  containers_.push_back({bracket, false, out_.size()});
  out_ += bracket == '(' ? '[' : bracket;
  ++at_;
  return true;
}

bool Literal::close() {
  const Container inner = containers_.back();
  const char closer = inner.opened == '{' || inner.opened == '<' ? '}' : inner.opened == '[' ? ']' : ')';
  if (peek() != closer) return false;
  ++at_;
  containers_.pop_back();
  const bool empty = out_.size() == inner.out + 1;
  if (closer == ')' && !inner.separated && !empty) {
    out_[inner.out] = ' ';
    return true;
  }
  if (out_.back() == ',') out_.pop_back();
  out_ += closer == ')' || inner.opened == '<' ? ']' : closer;
  return true;
}

bool Literal::key() {
  if (at_string()) {
    if (!string()) return false;
  } else {
    std::string text;
    if (!number(text)) return false;
    skip_white();
    out_ += peek() == ':' ? '"' + text + '"' : text;
  }
  skip_white();
  if (peek() != ':') {
    element_ = true;
    return false;
  }
  ++at_;
  out_ += ':';
  skip_white();
  return true;
}

// The value in place of the first key is an element of a set.
bool Literal::begins_set() {
  Container &inner = containers_.back();
  if (!python_ || !element_ || inner.separated) return false;
  inner.opened = '<';
  out_[inner.out] = '[';
  return true;
}

bool Literal::value() {
  if (at_string()) return string();
  const char c = peek();
  if (is_digit(c) || c == '+' || c == '-' || c == '.') return number(out_);
  return word();
}

bool Literal::word() {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"True", "true"}, {"False", "false"}, {"None", "null"}, {"true", "true"}, {"false", "false"}, {"null", "null"},
  };
  for (const auto &[said, json] : kWords) {
    if (!text_.substr(at_).starts_with(said)) continue;
    at_ += said.size();
    out_ += json;
    return true;  // a letter after it fails later: no value may follow
  }
  return false;
}

// ---- strings ----

bool Literal::at_string() const {
  size_t quote = 0;
  for (const char prefix : {'r', 'R', 'u', 'U'})
    if (peek() == prefix) quote = 1;
  return peek(quote) == '"' || peek(quote) == '\'';
}

bool Literal::string() {
  const bool raw = (peek() | 0x20) == 'r';
  if (peek() != '"' && peek() != '\'') ++at_;
  const char quote = peek();
  const bool triple = peek(1) == quote && peek(2) == quote;
  at_ += triple ? 3 : 1;
  out_ += '"';
  while (true) {
    const size_t from = at_;
    while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
    out_ += text_.substr(from, at_ - from);
    if (at_ == text_.size()) return false;
    const char c = text_[at_];
    if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
      at_ += triple ? 3 : 1;
      out_ += '"';
      return true;
    }
    if (c == '\\' && !raw) {
      ++at_;
      if (!escape()) return false;
      continue;
    }
    if (c == '\\') {  // the backslash stays, and the next character closes nothing
      out_ += "\\\\";
      if (++at_ == text_.size()) return false;
      if (is_plain(text_[at_])) continue;
    }
    append_character(out_, static_cast<unsigned char>(text_[at_++]));
  }
}

// Reads what follows a backslash.
bool Literal::escape() {
  constexpr std::string_view kNames = "ntrabfv\\'\"/", kMeant = "\n\t\r\a\b\f\v\\'\"/";
  if (at_ == text_.size()) return false;
  const char c = text_[at_++];
  if (const size_t name = kNames.find(c); name != std::string_view::npos) {
    append_character(out_, static_cast<unsigned char>(kMeant[name]));
    return true;
  }
  if (c >= '0' && c <= '7') {
    auto code = static_cast<uint32_t>(c - '0');
    for (int more = 0; more < 2 && peek() >= '0' && peek() <= '7'; ++more)
      code = code * 8 + static_cast<uint32_t>(text_[at_++] - '0');
    append_character(out_, code);
    return true;
  }
  switch (c) {
    case 'x': return unicode(2);
    case 'u': return unicode(4);
    case 'U': return unicode(8);
    case 'N': return false;  // a character by its name: we have no list of names
    case '\r':
      if (peek() == '\n') ++at_;
      return true;
    case '\n': return true;
    default:
      --at_;
      out_ += "\\\\";
      return true;
  }
}

bool Literal::unicode(size_t digits) {
  uint32_t code = 0;
  if (text_.size() - at_ < digits || !read_integer(text_.substr(at_, digits), code, 16) || code > 0x10FFFF)
    return false;
  at_ += digits;
  append_character(out_, code);
  return true;
}

// ---- numbers ----

// Digits with single underscores between them.
bool Literal::digits(std::string &out) {
  const size_t from = at_;
  const auto digit_at = [this](size_t ahead) { return is_digit(peek(ahead)); };
  while (digit_at(0) || (peek() == '_' && at_ > from && digit_at(1))) {
    if (peek() != '_') out += peek();
    ++at_;
  }
  return at_ != from;
}

bool Literal::number(std::string &out) {
  const bool negative = peek() == '-';
  if (negative || peek() == '+') ++at_;
  if (peek() == '0') {
    const int base = peek(1) | 0x20;
    if (base == 'x' || base == 'o' || base == 'b')
      return number_in_base(negative, base == 'x' ? 16 : base == 'o' ? 8 : 2, out);
  }
  if (negative) out += '-';
  const size_t from = out.size();
  const bool digits_before = digits(out);
  if (!digits_before) out += '0';
  const bool whole = peek() != '.' && (peek() | 0x20) != 'e';
  const size_t nonzero = out.find_first_not_of('0', from);
  if (nonzero == std::string::npos)
    out.resize(from + 1);  // Python's 00
  else if (nonzero != from && whole && !(python_ && out.size() - nonzero == 1))
    return false;  // neither octal nor decimal: an error in Python too
  else
    out.erase(from, nonzero - from);
  if (whole) return digits_before;
  if (peek() == '.') {
    ++at_;
    out += '.';
    const bool digits_behind = digits(out);
    if (!digits_behind) out += '0';
    if (!digits_before && !digits_behind) return false;
  } else if (!digits_before) {
    return false;
  }
  if ((peek() | 0x20) != 'e') return true;
  out += text_[at_++];
  if (peek() == '+' || peek() == '-') out += text_[at_++];
  return digits(out);
}

bool Literal::number_in_base(bool negative, unsigned base, std::string &out) {
  at_ += 2;
  uint64_t value = 0;
  bool digit_before = true;  // 0x_1 is a number
  for (bool any = false;; ++at_) {
    const char c = peek();
    const int digit = c >= '0' && c <= '9'                     ? c - '0'
                      : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                               : 99;
    if (c == '_' && digit_before) {
      digit_before = false;
      continue;
    }
    if (digit >= static_cast<int>(base)) {
      if (!any || !digit_before || digit != 99) return false;
      break;
    }
    if (value > (UINT64_MAX - static_cast<unsigned>(digit)) / base) return false;
    value = value * base + static_cast<unsigned>(digit);
    any = digit_before = true;
  }
  if (negative && value != 0) out += '-';
  out += std::to_string(value);
  return true;
}

bool from_literal(std::string_view text, size_t depth, bool python, std::string &out) {
  if (check_json(text, depth).ok()) {
    out = trim_json(text);
    return true;
  }
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  std::string json;
  json.reserve(text.size() + text.size() / 8);
  if (!Literal(text, depth, python, json).write() || !check_json(json, depth).ok()) return false;
  out = trim_json(json);
  return true;
}

}  // namespace

bool json_from_literal(std::string_view text, size_t depth, std::string &out) {
  return from_literal(text, depth, false, out);
}

bool json_from_python(std::string_view text, size_t depth, std::string &out) {
  return from_literal(text, depth, true, out);
}

}  // namespace sluice
