#include "wire/json_tree.h"

#include "base/json.h"
#include "base/text.h"

namespace sluice {
namespace {

// Whether a string's token has an escape of a surrogate, alone or in a pair.
bool escapes_surrogate(std::string_view token) {
  for (size_t at = token.find("\\u"); at != std::string_view::npos; at = token.find("\\u", at + 2))
    if ((token[at + 2] | 0x20) == 'd' && token[at + 3] >= '8') return true;
  return false;
}

}  // namespace

bool JsonTree::read(std::string_view text, size_t max_depth) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());  // as simdjson does
  if (!check_json(text, max_depth).ok()) return false;
  nodes_.clear();
  open_.clear();
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ',' || c == ':' || is_json_white(c)) {
      ++at;
    } else if (c == '}' || c == ']') {
      JsonNode &node = nodes_[open_.back()];
      node.token = {node.token.data(), static_cast<size_t>(text.data() + ++at - node.token.data())};
      node.span = nodes_.size() - open_.back();
      open_.pop_back();
    } else {
      const bool opens = c == '{' || c == '[';
      if (opens) open_.push_back(nodes_.size());
      const std::string_view token = text.substr(at, opens ? 1 : json_token_length(text.substr(at)));
      if (c == '"' && escapes_surrogate(token)) return false;
      nodes_.push_back({token, 1});
      at += token.size();
    }
  }
  return true;
}

}  // namespace sluice
