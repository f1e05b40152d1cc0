#include "protocol/xml_text.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
constexpr size_t kMostBlanks = 32;
constexpr size_t kLongestName = 256;
constexpr size_t kLongest = 12;  // &#x0010ffff; with room for a few zeros

// `name`: between & and ;. false: it stands for nothing.
bool append_entity(std::string &out, std::string_view name) {
  for (const auto &[entity, c] : kEntities)
    if (name == entity) return out += c, true;
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  uint32_t point = 0;
  if (!read_integer(name, point, hex ? 16 : 10)) return false;
  if (point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
  append_code_point(out, point);
  return true;
}

}  // namespace

std::string from_xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const size_t at = text.find('&');
    out += text.substr(0, at);
    if (at == text.npos) return out;
    text.remove_prefix(at);
    const size_t end = text.substr(0, kLongest).find(';');
    const bool known = end != text.npos && append_entity(out, text.substr(1, end - 1));
    if (!known) out += '&';
    text.remove_prefix(known ? end + 1 : 1);
  }
}

std::string to_xml(std::string_view text, bool attribute) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (attribute && c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

void break_tags(std::string &text, std::initializer_list<std::string_view> names) {
  std::string out;
  size_t from = 0;
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    std::string_view behind = std::string_view(text).substr(at + 1);
    if (behind.starts_with('/')) behind.remove_prefix(1);
    if (std::none_of(names.begin(), names.end(), [&](auto name) { return behind.starts_with(name); })) continue;
    out.append(text, from, at + 1 - from).append(" ");
    from = at + 1;
  }
  if (from != 0) text = out.append(text, from);
}

bool is_xml_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name[0] != '-' && name[0] != '.' && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), in_xml_name);
}

Fit fit_end_tag(std::string_view rest, std::string_view name, size_t &length) {
  for (const std::string_view piece : {std::string_view("</"), name}) {
    if (!rest.starts_with(piece)) return piece.starts_with(rest) ? Fit::partial : Fit::no;
    rest.remove_prefix(piece.size());
  }
  for (length = 0; length < rest.size() && length < kMostBlanks; ++length)
    if (!is_white(rest[length])) break;
  if (length == rest.size()) return Fit::partial;
  if (rest[length] != '>') return Fit::no;
  length += name.size() + std::string_view("</>").size();
  return Fit::yes;
}

std::string repaired(std::string_view text) { return is_utf8(text) ? std::string(text) : repair_utf8(text); }

void append_text(std::string &out, std::string_view text) {
  if (is_utf8(text))
    append_json_string(out, text);
  else
    append_json_string(out, repair_utf8(text));
}

}  // namespace sluice
