#include "protocol/family/word_json.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "protocol/block.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

// Appends a number as JSON. Also takes 1. and .5.
bool append_number(std::string_view text, std::string &out) {
  const std::string_view digits = text.substr(text[0] == '-' ? 1 : 0);
  if (digits.empty() || (digits[0] != '.' && !is_digit(digits[0]))) return false;
  std::string number(text);
  if (digits[0] == '.') number.insert(text.size() - digits.size(), 1, '0');
  if (number.back() == '.') number += '0';
  if (!check_json(number, 1).ok()) return false;
  out += number;
  return true;
}

// Appends a number or a literal. Returns false if the word is neither.
bool append_scalar(std::string_view word, std::string &out) {
  if (word == "true" || word == "True")
    out += "true";
  else if (word == "false" || word == "False")
    out += "false";
  else if (word == "null" || word == "None")
    out += "null";
  else
    return append_number(word, out);
  return true;
}

class WordJson {
 public:
  WordJson(std::string_view text, std::string_view quote, size_t depth) : text_(text), quote_(quote), depth_(depth) {}

  // Returns false if the text does not fit the format.
  bool write(std::string &out);

 private:
  enum class Place : uint8_t { value, element, key, behind, wrong };

  Place open(std::string &out);
  Place close(std::string &out);
  bool key(std::string &out);
  bool value(std::string &out);
  bool quoted(std::string &out);
  bool own_quote() const { return !quote_.empty() && text_.substr(at_).starts_with(quote_); }
  bool is_quote() const { return text_[at_] == '"' || text_[at_] == '\'' || own_quote(); }
  bool is_close(char c) const { return c == '}' || c == ']' || (c == ')' && round_ && open_.size() == 1); }
  bool word(std::string &out);
  size_t lost_quote();
  size_t word_end(size_t quote) const;
  void skip_white() {
    while (at_ < text_.size() && is_white(text_[at_])) ++at_;
  }
  void separate(std::string &out) const {
    if (out.back() != '{' && out.back() != '[') out += ',';
  }

  const std::string_view text_, quote_;
  const size_t depth_;
  size_t at_ = 0;
  bool round_ = false;       // the outermost brackets are (…)
  std::string open_;         // the open brackets
  bool behind_own_ = false;  // the last value ended in the format's own quote: a comma may be missing
  size_t next_quote_ = 0;    // the next quote of the format's own, from at_ on
  size_t last_key_ = 0;      // the last character before that quote that may end a key
};

bool WordJson::write(std::string &out) {
  for (Place place = Place::value; place != Place::wrong;) {
    skip_white();
    if (place == Place::behind && open_.empty()) return at_ == text_.size();
    if (at_ == text_.size()) return false;
    const char c = text_[at_];
    if (is_close(c) && !open_.empty()) {  // also after a trailing comma
      place = place == Place::value ? Place::wrong : close(out);
    } else if (place == Place::behind) {
      const bool object = open_.back() == '{', no_comma = object && behind_own_ && (is_quote() || begins_word(c));
      place = c != ',' ? (no_comma ? Place::key : Place::wrong) : object ? Place::key : Place::element;
      if (c == ',') ++at_;
    } else if (place == Place::key) {
      separate(out);
      place = key(out) ? Place::value : Place::wrong;
    } else {
      if (place == Place::element) separate(out);
      const bool brackets = c == '{' || c == '[' || (c == '(' && at_ == 0 && !quote_.empty());
      place = brackets ? open(out) : value(out) ? Place::behind : Place::wrong;
    }
  }
  return false;
}

WordJson::Place WordJson::open(std::string &out) {
  if (open_.size() == depth_) return Place::wrong;
  round_ = round_ || text_[at_] == '(';
  open_ += text_[at_] == '[' ? '[' : '{';
  out += open_.back();
  ++at_;
  return open_.back() == '{' ? Place::key : Place::element;
}

WordJson::Place WordJson::close(std::string &out) {
  const bool outermost = open_.size() == 1 && round_;
  const char wanted = open_.back() == '[' ? ']' : outermost ? ')' : '}';
  if (text_[at_] != wanted) return Place::wrong;
  out += open_.back() == '[' ? ']' : '}';
  open_.pop_back();
  ++at_;
  behind_own_ = false;
  return Place::behind;
}

// Reads a key and its separator: in round brackets `=`, as in Python, is one as well.
bool WordJson::key(std::string &out) {
  const auto separates = [this](char c) { return c == ':' || (c == '=' && round_ && open_.size() == 1); };
  if (is_quote()) {
    if (!quoted(out)) return false;
    skip_white();
  } else {
    size_t end = at_;
    while (end < text_.size() && !separates(text_[end]) && kNoWord.find(text_[end]) == kNoWord.npos) ++end;
    const std::string_view key = trim(text_.substr(at_, end - at_));
    if (key.empty()) return false;
    append_text(out, key);
    at_ = end;
  }
  if (at_ == text_.size() || !separates(text_[at_])) return false;
  ++at_;
  out += ':';
  return true;
}

bool WordJson::value(std::string &out) {
  behind_own_ = own_quote();
  return is_quote() ? quoted(out) : word(out);
}

bool WordJson::quoted(std::string &out) {
  if (own_quote()) {
    const size_t from = at_ + quote_.size(), to = text_.find(quote_, from);
    if (to == text_.npos) return false;
    append_text(out, text_.substr(from, to - from));
    at_ = to + quote_.size();
    return true;
  }
  ValueEnd string;
  string.start(at_);
  const size_t from = at_, end = string.find(text_);
  if (end == text_.npos) return false;
  at_ = end;
  if (own_quote()) {  // an ordinary quote began a text that the format's own quote ends: it counts as quoted by these
    append_text(out, text_.substr(from + 1, end - from - 2));
    at_ += quote_.size();
    return true;
  }
  std::string json;
  if (!json_from_literal(repaired(text_.substr(from, end - from)), depth_, json)) return false;
  out += json;
  return true;
}

// The place of the next quote, if it ends a text whose first quote is missing; npos: it begins a text, or there is no
// quote.
size_t WordJson::lost_quote() {
  if (quote_.empty()) return text_.npos;
  if (next_quote_ < at_) {
    next_quote_ = text_.find(quote_, at_);
    const size_t last = text_.substr(at_, next_quote_ - at_).find_last_of(round_ ? ":=" : ":");
    last_key_ = last == text_.npos ? 0 : at_ + last;
  }
  if (next_quote_ == text_.npos) return text_.npos;
  size_t before = next_quote_;
  while (before > at_ && is_white(text_[before - 1])) --before;
  const bool begins = before == at_ || std::string_view(":=,[{").find(text_[before - 1]) != std::string_view::npos;
  return begins ? text_.npos : next_quote_;
}

// Where a word ends that may be a text up to `quote`: there, or earlier if a number or literal ends earlier. Returns
// at_ if that is not certain.
size_t WordJson::word_end(size_t quote) const {
  size_t inner = 0;
  std::string scalar;
  for (size_t i = at_; i < quote; ++i) {
    const char c = text_[i];
    if (c == '{' || c == '[') ++inner;
    const bool closes = is_close(c) && c != ')';
    if (closes && inner != 0) {
      --inner;
      continue;
    }
    if (inner != 0 || (c != ',' && !closes && !(c == ')' && is_close(c)))) continue;
    const std::string_view word = trim(text_.substr(at_, i - at_));
    if (!word.empty() && append_scalar(word, scalar)) return i;
    if (c != ',' || open_.back() != '{' || i < last_key_) return at_;
  }
  return quote;
}

// Reads a number, a literal, or a string that lacks both quotes or the first one.
bool WordJson::word(std::string &out) {
  const size_t quote = lost_quote();
  if (quote != text_.npos) {
    for (size_t cut = 1; cut < quote_.size(); ++cut)
      if (text_.substr(at_).starts_with(quote_.substr(cut))) return false;  // the first quote is there, but cut
    const size_t end = word_end(quote);
    if (end == at_) return false;
    if (end == quote) {
      append_text(out, trim(text_.substr(at_, quote - at_)));
      at_ = quote + quote_.size();
      behind_own_ = true;
      return true;
    }
  }
  size_t end = at_;
  while (end < text_.size() && text_[end] != ',' && !is_close(text_[end])) ++end;
  const std::string_view word = trim(text_.substr(at_, end - at_));
  if (word.empty() || word.find_first_of(kNoWord) == 0 || word.find_first_of("{[<\"\n\r") != word.npos) return false;
  // The comma before the next key is missing.
  if (word.find(':') != word.npos && std::any_of(word.begin(), word.end(), is_white)) return false;
  at_ = end;
  if (!append_scalar(word, out)) append_text(out, word);
  return true;
}

}  // namespace

bool json_from_words(std::string_view text, std::string_view quote, size_t depth, std::string &out) {
  out.clear();
  return WordJson(text, quote, depth).write(out);
}

}  // namespace sluice
