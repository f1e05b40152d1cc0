#include "tools/schema/value.h"

namespace sluice::json_schema {

std::string_view Value::key(uint32_t i, std::string &room) const {
  std::string_view token = key_token(i);
  if (token.find('\\') == token.npos) return token.substr(1, token.size() - 2);
  room = json_text(token);
  return room;
}

std::string Value::pointer_to(uint32_t target) const {
  std::string out, room;
  for (uint32_t at = 0; at != target;) {
    uint32_t child = at + 1, index = 0;
    for (; items_[child].next <= target; ++index) child = items_[child].next;
    out += '/';
    if (kind(at) == '[') {
      append_number(out, index);
    } else {
      for (const char c : key(child, room)) {
        if (c == '~')
          out += "~0";
        else if (c == '/')
          out += "~1";
        else
          out += c;
      }
    }
    at = child;
  }
  return out;
}

void Value::read() {
  std::vector<uint32_t> open;
  uint32_t at = 0, key = 0, key_end = 0;
  const auto skip_string = [&] {
    for (++at; text_[at] != '"'; ++at)
      if (text_[at] == '\\') ++at;
    ++at;
  };
  const auto read_key = [&] {
    key = at;
    skip_string();
    key_end = at;
    ++at;  // the colon
  };
  const auto size = static_cast<uint32_t>(text_.size());
  while (at < size) {
    const auto index = static_cast<uint32_t>(items_.size());
    items_.push_back({key, key_end, at, 0, index + 1, static_cast<uint32_t>(open.size())});
    key = key_end = 0;
    const char c = text_[at];
    if (c == '{' || c == '[') {
      ++at;
      if (text_[at] != '}' && text_[at] != ']') {
        open.push_back(index);
        if (c == '{') read_key();
        continue;
      }
      ++at;
    } else if (c == '"') {
      skip_string();
    } else {
      while (at < size && text_[at] != ',' && text_[at] != '}' && text_[at] != ']') ++at;
    }
    items_[index].end = at;
    while (!open.empty() && text_[at] != ',') {
      items_[open.back()].end = ++at;
      items_[open.back()].next = static_cast<uint32_t>(items_.size());
      open.pop_back();
    }
    if (open.empty()) break;
    ++at;  // the comma
    if (text_[items_[open.back()].begin] == '{') read_key();
  }
}

}  // namespace sluice::json_schema
