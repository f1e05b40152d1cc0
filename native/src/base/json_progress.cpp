#include "base/json_progress.h"

namespace sluice {

void JsonProgress::read(std::string_view whole) {
  for (; at_ < whole.size(); ++at_) {
    const char c = whole[at_];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    residue_ = residue_ || closed_;
    last_ = c;
    if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      open_ += c;
    } else if ((c == '}' || c == ']') && !open_.empty()) {
      open_.pop_back();
      closed_ = closed_ || open_.empty();
    }
  }
}

}  // namespace sluice
