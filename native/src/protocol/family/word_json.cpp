#include "protocol/family/word_json.h"

#include <algorithm>

#include "base/json.h"
#include "protocol/block.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

bool is_number(std::string_view text) {
  return (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) && check_json(text, 1).ok();
}

class WordJson {
 public:
  WordJson(std::string_view text, std::string_view quote, size_t depth) : text_(text), quote_(quote), depth_(depth) {}

  // false: something in it is not what the format knows.
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
  bool word(std::string &out);
  void skip_white() {
    while (at_ < text_.size() && is_white(text_[at_])) ++at_;
  }
  void separate(std::string &out) const {
    if (out.back() != '{' && out.back() != '[') out += ',';
  }

  const std::string_view text_, quote_;
  const size_t depth_;
  size_t at_ = 0;
  std::string open_;  // the brackets that are open
};

bool WordJson::write(std::string &out) {
  for (Place place = Place::value; place != Place::wrong;) {
    skip_white();
    if (place == Place::behind && open_.empty()) return at_ == text_.size();
    if (at_ == text_.size()) return false;
    const char c = text_[at_];
    if (c == '}' || c == ']') {  // a comma may stand before it
      place = place == Place::value ? Place::wrong : close(out);
    } else if (place == Place::behind) {
      ++at_;
      place = c != ',' ? Place::wrong : open_.back() == '{' ? Place::key : Place::element;
    } else if (place == Place::key) {
      separate(out);
      place = key(out) ? Place::value : Place::wrong;
    } else {
      if (place == Place::element) separate(out);
      place = c == '{' || c == '[' ? open(out) : value(out) ? Place::behind : Place::wrong;
    }
  }
  return false;
}

WordJson::Place WordJson::open(std::string &out) {
  if (open_.size() == depth_) return Place::wrong;
  open_ += text_[at_];
  out += text_[at_++];
  return open_.back() == '{' ? Place::key : Place::element;
}

WordJson::Place WordJson::close(std::string &out) {
  if (open_.empty() || (open_.back() == '{') != (text_[at_] == '}')) return Place::wrong;
  open_.pop_back();
  out += text_[at_++];
  return Place::behind;
}

bool WordJson::key(std::string &out) {
  if (is_quote()) {
    if (!quoted(out)) return false;
    skip_white();
  } else {
    const size_t end = text_.find(':', at_);
    if (end == text_.npos) return false;
    const std::string_view key = without_white(text_.substr(at_, end - at_));
    if (key.empty() || key.find_first_of(kNoWord) != key.npos) return false;
    append_text(out, key);
    at_ = end;
  }
  if (at_ == text_.size() || text_[at_] != ':') return false;
  ++at_;
  out += ':';
  return true;
}

bool WordJson::value(std::string &out) { return is_quote() ? quoted(out) : word(out); }

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
  const size_t end = string.find(text_);
  std::string json;
  if (end == text_.npos || !json_from_literal(repaired(text_.substr(at_, end - at_)), depth_, json)) return false;
  out += json;
  at_ = end;
  return true;
}

// A number, a literal, or a string that the model wrote without its quotes.
bool WordJson::word(std::string &out) {
  const size_t end = std::min(text_.find_first_of(",}]", at_), text_.size());
  const std::string_view word = without_white(text_.substr(at_, end - at_));
  if (word.empty() || word.find_first_of(kNoWord) == 0 || word.find_first_of("{[<\"\n\r") != word.npos) return false;
  // A comma that is missing before the next key.
  if (word.find(':') != word.npos && std::any_of(word.begin(), word.end(), is_white)) return false;
  at_ = end;
  if (word == "true" || word == "True")
    out += "true";
  else if (word == "false" || word == "False")
    out += "false";
  else if (word == "null" || word == "None")
    out += "null";
  else if (is_number(word))
    out += word;
  else
    append_text(out, word);
  return true;
}

}  // namespace

bool json_from_words(std::string_view text, std::string_view quote, size_t depth, std::string &out) {
  out.clear();
  return WordJson(text, quote, depth).write(out);
}

}  // namespace sluice
