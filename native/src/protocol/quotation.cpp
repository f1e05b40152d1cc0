#include "protocol/quotation.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/text.h"

namespace sluice {
namespace {

// b'…', Rb"…", 1"…": no apostrophe.
bool is_prefix(char c) { return std::string_view("bBfFrRuU0123456789").find(c) != std::string_view::npos; }

}  // namespace

// ---- the open value ----

Quotation Quotation::until(std::vector<std::string> words, bool fold) {
  Quotation out;
  out.kind_ = Kind::words;
  out.words_ = std::move(words);
  out.fold_ = fold;
  return out;
}

Quotation Quotation::value(bool triple) {
  Quotation out;
  out.kind_ = Kind::value;
  out.value_.start(0, triple);
  return out;
}

bool Quotation::pass(std::string_view text, size_t &at) {
  if (kind_ == Kind::value) {
    value_.move(at);
    const size_t end = value_.find(text);
    at = std::min(end, text.size());
    if (end == text.npos) return false;
    *this = {};
    return true;
  }
  std::string first_bytes;
  for (const std::string &word : words_) first_bytes += word[0];
  for (; at < text.size(); ++at) {
    at = std::min(text.find_first_of(first_bytes, at), text.size());
    for (const std::string &word : words_) {
      const Fit found = fit(text.substr(at), word, fold_);
      if (found == Fit::no) continue;
      if (found == Fit::partial) return false;
      at += word.size();
      *this = {};
      return true;
    }
  }
  at = text.size();
  return false;
}

void Quotation::save(std::string &out) const {
  ObjectWriter object(out);
  std::string words;
  for (const std::string &word : words_) words += word + '\n';
  object.number("kind", static_cast<int64_t>(kind_)).text("words", words).boolean("fold", fold_);
  value_.save(object.value("value"));
  object.close();
}

void Quotation::load(std::string_view saved) {
  *this = {};
  const SavedReader reader(saved);
  int64_t kind = 0;
  std::string words;
  reader.get("kind", kind);
  reader.get("words", words);
  reader.get("fold", fold_);
  for (size_t at = 0, end = 0; (end = words.find('\n', at)) != words.npos; at = end + 1)
    if (end != at) words_.push_back(words.substr(at, end - at));
  value_.load(reader.nested("value"));
  if (kind == static_cast<int64_t>(Kind::value)) kind_ = Kind::value;
  if (kind == static_cast<int64_t>(Kind::words) && !words_.empty()) kind_ = Kind::words;
}

// ---- quotations in a line ----

bool ends_in_quotation(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kQuotes[] = {
      {"\"", "\""}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}};
  constexpr std::string_view kFirstBytes = "\"'\xE2\xE3\xC2", kBefore = "([{<>=:,/*_-~";
  const std::string_view line = text.substr(text.find_last_of("\r\n") + 1);
  for (size_t at = 0; (at = line.find_first_of(kFirstBytes, at)) != line.npos;) {
    const std::string_view rest = line.substr(at);
    const auto *const quote = std::find_if(std::begin(kQuotes), std::end(kQuotes),
                                           [rest](const auto &one) { return rest.starts_with(one.first); });
    // An apostrophe, a mark of inches, the end of a quotation that nobody saw begin: behind a word none begins.
    const char before = at == 0 ? ' ' : line[at - 1];
    const bool wide = is_beyond_ascii(before) && line[at] == '"';
    const bool ascii = quote != std::end(kQuotes) && quote->first == quote->second;
    if (quote == std::end(kQuotes) ||
        (ascii && ((rest.size() > 1 && is_white(rest[1])) ||
                   (!wide && !is_white(before) && kBefore.find(before) == kBefore.npos)))) {
      ++at;
      continue;
    }
    const size_t close = line.find(quote->second, at + quote->first.size());
    if (close == line.npos) return true;
    at = close + quote->second.size();
  }
  return false;
}

// ---- strings ----

void StringTracker::step(char before, char c) {
  if (quote_ != 0) {
    const bool line_ends = place_ == Place::line && (c == '\n' || c == '\r');
    if (line_ends || (c == quote_ && !escaped_)) {
      quote_ = 0;
      if (place_ == Place::value && depth_ == 0) place_ = Place::line;
    }
    escaped_ = !escaped_ && c == '\\' && place_ != Place::tag;
    return;
  }
  escaped_ = false;
  const bool quote = c == '"' || c == '\'';
  switch (place_) {
    case Place::line:
      if (quote && !is_word(before)) quote_ = c;
      return;
    case Place::expected:
      if (is_white(c)) return;
      place_ = c == '<' ? Place::tag : Place::value;
      if (place_ == Place::tag) return;
      if (c == '{' || c == '[' || c == '(')
        depth_ = 1;
      else if (quote)
        quote_ = c;
      else
        *this = {};
      return;
    case Place::value:
      if (c == '{' || c == '[' || c == '(') ++depth_;
      if ((c == '}' || c == ']' || c == ')') && --depth_ == 0) *this = {};
      if (quote && (!is_word(before) || prefix_)) quote_ = c;
      prefix_ = is_prefix(c) && (prefix_ || !is_word(before));
      return;
    case Place::tag:
      if (c == '>') enter(Place::expected);
      if (quote && !is_word(before)) quote_ = c;
      return;
  }
}

void StringTracker::save(std::vector<int64_t> &out) const {
  for (const int64_t value : {static_cast<int64_t>(place_), int64_t{quote_}, int64_t{escaped_},
                              static_cast<int64_t>(depth_), int64_t{prefix_}})
    out.push_back(value);
}

void StringTracker::load(const std::vector<int64_t> &saved) {
  *this = {};
  if (saved.size() != 5) return;
  place_ = static_cast<Place>(std::clamp<int64_t>(saved[0], 0, static_cast<int64_t>(Place::tag)));
  quote_ = static_cast<char>(saved[1]);
  escaped_ = saved[2] != 0;
  depth_ = static_cast<size_t>(saved[3]);
  prefix_ = saved[4] != 0;
}

}  // namespace sluice
