#include "protocol/spelling.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr char kNoMark = '\x01';    // in the place of a quotation mark
constexpr size_t kMostDigits = 64;  // of a numeric reference, leading zeros included

struct Entity {
  std::string_view name;
  char byte;
  bool plain = false;  // HTML reads it in capitals and without a semicolon as well
};

// Of the characters that markers consist of.
constexpr Entity kMarkerEntities[] = {
    {"amp", '&', true}, {"lt", '<', true}, {"gt", '>', true}, {"quot", '"', true}, {"apos", '\''},  {"lbrack", '['},
    {"lsqb", '['},      {"rbrack", ']'},   {"rsqb", ']'},     {"lbrace", '{'},     {"lcub", '{'},   {"rbrace", '}'},
    {"rcub", '}'},      {"lpar", '('},     {"rpar", ')'},     {"vert", '|'},       {"verbar", '|'}, {"colon", ':'},
    {"comma", ','},     {"equals", '='},   {"lowbar", '_'},   {"grave", '`'},      {"sol", '/'},    {"bsol", '\\'},
    {"num", '#'},       {"period", '.'},   {"Tab", '\t'},     {"NewLine", '\n'}};

bool read_hex4(std::string_view rest, uint32_t &out) {
  out = 0;
  return rest.size() >= 6 && rest[0] == '\\' && rest[1] == 'u' &&
         std::all_of(rest.begin() + 2, rest.begin() + 6, is_hex_digit) && read_integer(rest.substr(2, 4), out, 16);
}

}  // namespace

Decoded::Decoded(std::string_view source, Spelling how) : how_(how) {
  const std::string_view stops = how == Spelling::json ? "\\\"" : how == Spelling::code_points ? "\\" : "&";
  const std::string_view first = how == Spelling::xml ? "&" : "\\";
  if (source.find(first) == source.npos) return;
  while (true) {
    const size_t next = std::min(source.find_first_of(stops, at_), source.size());
    text_.append(source, at_, next - at_);
    at_ = next;
    if (at_ == source.size()) break;
    const std::string_view rest = source.substr(at_);
    if (rest[0] == '"') {
      end_string();
      text_ += kNoMark;
      ++at_;
    } else if (!(how == Spelling::xml ? read_reference(rest) : read_escape(rest, how == Spelling::json))) {
      // An escaped backslash escapes nothing itself.
      const size_t length = rest.starts_with("\\\\") ? 2 : 1;
      text_.append(rest, 0, length);
      at_ += length;
    }
  }
  end_string();
}

// A string that ends here contains one escaped quotation mark: it encloses nothing, as in {\"name": …
void Decoded::end_string() {
  if (quotes_ == 1) text_[quote_] = kNoMark;
  quotes_ = 0;
}

// `all`: not only \uXXXX.
bool Decoded::read_escape(std::string_view rest, bool all) {
  uint32_t unit = 0, low = 0;
  if (read_hex4(rest, unit)) {
    const bool high = unit >= 0xD800 && unit < 0xDC00;
    if (high && read_hex4(rest.substr(6), low) && low >= 0xDC00 && low < 0xE000) {
      append_code_point(text_, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
      return add(12), true;
    }
    append_code_point(text_, unit >= 0xD800 && unit < 0xE000 ? 0xFFFD : unit);
    return add(6), true;
  }
  constexpr std::string_view kLetters = "\"\\/bfnrt", kBytes = "\"\\/\b\f\n\r\t";
  const size_t which = all && rest.size() > 1 ? kLetters.find(rest[1]) : kLetters.npos;
  if (which == kLetters.npos) return false;
  if (rest[1] == '"' && quotes_++ == 0) quote_ = text_.size();
  text_ += kBytes[which];
  return add(2), true;
}

bool Decoded::read_reference(std::string_view rest) {
  if (rest.starts_with("&#")) {
    const bool hex = rest.size() > 2 && lower(rest[2]) == 'x';
    const size_t from = hex ? 3 : 2;
    size_t to = from;
    while (to < rest.size() && to - from < kMostDigits && (hex ? is_hex_digit(rest[to]) : is_digit(rest[to]))) ++to;
    uint32_t point = 0;
    if (to == from || !read_integer(rest.substr(from, to - from), point, hex ? 16 : 10)) return false;
    if (point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
    append_code_point(text_, point);
    return add(to < rest.size() && rest[to] == ';' ? to + 1 : to), true;
  }
  for (const Entity &entity : kMarkerEntities) {
    const std::string_view behind = rest.substr(1);
    if (fit(behind, entity.name, entity.plain) != Fit::yes) continue;
    const size_t end = 1 + entity.name.size();
    const bool closed = end < rest.size() && rest[end] == ';';
    if (!closed && !entity.plain) continue;
    text_ += entity.byte;
    return add(closed ? end + 1 : end), true;
  }
  return false;
}

void Decoded::insert(std::string_view changed, std::string &source) const {
  std::string out;
  size_t step = 0, done = 0, at = 0;
  for (size_t i = 0; i < changed.size();) {
    if (at < text_.size() && changed[i] == text_[at]) {
      ++at, ++i;
      continue;
    }
    while (step < steps_.size() && steps_[step].at <= at) ++step;
    const size_t place = step == 0 ? at : steps_[step - 1].source + (at - steps_[step - 1].at);
    out.append(source, done, place - done);
    done = place;
    for (; i < changed.size() && (at == text_.size() || changed[i] != text_[at]); ++i) {
      if (changed[i] == '\\' && how_ != Spelling::xml) out += '\\';
      out += changed[i];
    }
  }
  source = out.append(source, done);
}

}  // namespace sluice
