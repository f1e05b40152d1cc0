#include "protocol/scan/tag_reader.h"

#include <string_view>

#include "base/ascii.h"

namespace sluice {

TagReader::State TagReader::step(char c) {
  constexpr std::string_view kIng = "ing";
  switch (place_) {
    case Place::name:
      if (ing_ < kIng.size() && (c | 0x20) == kIng[ing_]) {
        ++ing_;
        return State::open;
      }
      if (ing_ != 0 && ing_ != kIng.size()) return State::none;
      place_ = c == ':' ? Place::suffix : Place::blanks;
      if (c == '>') return State::tag;
      if (c == ':') return State::open;
      return is_white(c) ? State::open : State::none;
    case Place::suffix:  // some checkpoints add one of their own: <think:6124c78e>
      if (c == '>') return State::tag;
      return in_identifier(c) ? State::open : State::none;
    case Place::blanks:
      if (c == '>') return State::tag;
      if (is_white(c)) return State::open;
      if (closing_ || c == '=' || c == '"' || c == '\'' || c == '<' || c == '/') return State::none;
      place_ = Place::attribute;
      return State::open;
    case Place::attribute:
      if (c == '>' || c == '<' || c == '"' || c == '\'') return State::none;
      if (c == '=')
        place_ = Place::behind_equals;
      else if (is_white(c))
        place_ = Place::behind_attribute;
      return State::open;
    case Place::behind_attribute:
      if (c == '=')
        place_ = Place::behind_equals;
      else if (!is_white(c))
        return State::none;  // words, not attributes
      return State::open;
    case Place::behind_equals:
      if (is_white(c)) return State::open;
      if (c == '>' || c == '<') return State::none;
      quote_ = c;
      place_ = c == '"' || c == '\'' ? Place::quoted : Place::bare;
      return State::open;
    case Place::quoted:
      if (c == quote_) place_ = Place::blanks;
      return State::open;
    case Place::bare:
      if (c == '>') return State::tag;
      if (c == '<') return State::none;
      if (is_white(c)) place_ = Place::blanks;
      return State::open;
  }
  return State::none;
}

}  // namespace sluice
