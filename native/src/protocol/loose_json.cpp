#include "protocol/loose_json.h"

#include "base/json.h"
#include "protocol/block.h"

namespace sluice {

size_t ValueEnd::find(std::string_view text) {
  while (at_ < text.size()) {
    const char c = text[at_];
    switch (place_) {
      case Place::outside:
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

void settle_arguments(ParsedCall &call, std::string_view written, size_t depth) {
  call.arguments = "{}";
  while (!written.empty() && is_white(written.front())) written.remove_prefix(1);
  while (!written.empty() && is_white(written.back())) written.remove_suffix(1);
  if (written.empty()) return;
  const auto wrong = [&call](std::string_view reason) {
    if (call.reason.empty()) call.reason = reason;
  };
  std::string json;
  if (!json_from_literal(written, depth, json)) return wrong("invalid_json");
  if (json_kind(json) == '"') {  // arguments as a string that holds them
    const std::string inner = json_text(json);
    if (trim_json(inner).empty()) return;
    if (!json_from_literal(inner, depth, json)) return wrong("invalid_json");
  }
  if (json_kind(json) == 'n') return;
  if (json_kind(json) != '{') return wrong("arguments_not_object");
  call.arguments = compact_json(json);
}

}  // namespace sluice
