#include "protocol/marker_text.h"

#include <algorithm>

#include "base/text.h"

namespace sluice {
void split_tokens(std::string &text, std::string_view token, size_t split, std::string_view insert, bool fold) {
  std::string out;
  size_t from = 0;
  const bool letter = fold && is_letter(token[0]);
  for (size_t at = 0; at < text.size(); ++at) {
    if (!letter) at = text.find(token[0], at);
    if (at == std::string::npos) break;
    if (fit(std::string_view(text).substr(at), token, fold) != Fit::yes) continue;
    out.append(text, from, at + split - from).append(insert);
    from = at + split;
  }
  if (from != 0) text = out.append(text, from);
}

void break_marker(std::string &text, std::string_view marker) {
  marker = trim(marker);
  if (marker.empty()) return;
  const size_t first = code_point_length(marker[0]);
  if (marker.size() > first) split_tokens(text, marker, first, " ", false);
}

bool is_rare_mark(std::string_view mark) {
  return std::any_of(mark.begin(), mark.end(), [](char c) { return c == '_' || c == '|' || is_beyond_ascii(c); });
}

void add_result_marker(std::string_view open, std::string_view close, std::vector<Marker> &out) {
  const auto token = [](std::string_view word) { return word.find_first_of("|\xEF") != word.npos; };
  const std::string_view mark = trim(open), end = trim(close);
  if (is_rare_mark(mark))
    out.push_back({.bytes = std::string(mark), .end = std::string(token(mark) && token(end) ? end : "")});
}

Defuse defuse_all(const Protocols &active, const Protocol &own) {
  return [&](std::string &text) {
    for (const auto &protocol : active) protocol->defuse(text);
    own.defuse(text);
  };
}

}  // namespace sluice
