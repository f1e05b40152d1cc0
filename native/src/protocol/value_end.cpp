#include "protocol/value_end.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {

size_t ValueEnd::find(std::string_view text) {
  while (at_ < text.size()) {
    const char c = text[at_];
    switch (place_) {
      case Place::outside:
        if (comments_ && c == '/' && depth_ != 0 && text[at_ - 1] != ':') {
          if (at_ + 1 == text.size()) return std::string_view::npos;
          const char next = text[at_ + 1];
          place_ = next == '/' ? Place::line : next == '*' ? Place::block : Place::outside;
          at_ += place_ == Place::outside ? 1 : 2;
          break;
        }
        ++at_;
        if (c == '"' || c == '\'') {
          quote_ = c;
          place_ = triple_ ? Place::opening : Place::quoted;
        } else if (c == '{' || c == '[' || c == '(') {
          ++depth_;
        } else if ((c == '}' || c == ']' || c == ')') && depth_ != 0 && --depth_ == 0) {
          return at_;
        }
        break;
      case Place::line:
        if (c == '\n') place_ = Place::outside;
        ++at_;
        break;
      case Place::block:
        if (c == '*' && at_ + 1 == text.size()) return std::string_view::npos;
        if (c == '*' && text[at_ + 1] == '/') {
          place_ = Place::outside;
          ++at_;
        }
        ++at_;
        break;
      case Place::opening:
        place_ = c == quote_ ? Place::empty : Place::quoted;
        if (c == quote_) ++at_;
        break;
      case Place::empty:
        place_ = c == quote_ ? Place::tripled : Place::outside;
        quotes_ = 0;
        if (c == quote_)
          ++at_;
        else if (depth_ == 0)
          return at_;
        break;
      case Place::quoted:
      case Place::tripled:
        ++at_;
        if (escaped_) {
          escaped_ = false;
          quotes_ = 0;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c != quote_) {
          quotes_ = 0;
        } else if (place_ == Place::quoted || ++quotes_ == 3) {
          place_ = Place::outside;
          quotes_ = 0;
          if (depth_ == 0) return at_;
        }
        break;
    }
  }
  return std::string_view::npos;
}

void ValueEnd::save(std::string &out) const {
  ObjectWriter object(out);
  object.number("place", static_cast<int64_t>(place_)).boolean("triple", triple_).boolean("escaped", escaped_);
  if (comments_) object.boolean("comments", true);
  object.number("quote", quote_).number("quotes", quotes_).number("depth", static_cast<int64_t>(depth_));
  object.close();
}

void ValueEnd::load(std::string_view saved) {
  const SavedReader reader(saved);
  int64_t place = 0;
  reader.get("place", place);
  reader.get("triple", triple_);
  reader.get("comments", comments_);
  reader.get("escaped", escaped_);
  reader.get("quote", quote_);
  reader.get("quotes", quotes_);
  reader.get("depth", depth_);
  place_ = static_cast<Place>(std::clamp<int64_t>(place, 0, static_cast<int64_t>(Place::block)));
}

}  // namespace sluice
