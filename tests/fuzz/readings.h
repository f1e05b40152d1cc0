// What a reader may take a text for: the text itself, what its JSON strings, escapes or entities stand for, and the
// same once more. And the other way round: texts spelled so.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "protocol/xml_text.h"

namespace sluice_test {

inline std::string json_literal(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The text, if it is the inside of a JSON string.
inline std::string as_json_string(const std::string &text) {
  const auto value = nlohmann::json::parse("\"" + text + "\"", nullptr, false);
  return value.is_string() ? value.get<std::string>() : text;
}

// With each JSON string in it replaced by its text.
inline std::string json_strings(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (text[at] == '"' && end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (text[at] == '"' && end < text.size()) {
      const auto value = nlohmann::json::parse(text.substr(at, end + 1 - at), nullptr, false);
      if (value.is_string()) {
        out += value.get<std::string>();
        at = end + 1;
        continue;
      }
    }
    out += text[at++];
  }
  return out;
}

inline std::string code_points(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t pair = text.compare(at, 2, "\\\\") == 0 ? 2 : text.compare(at, 2, "\\u") == 0 ? 6 : 1;
    const std::string piece = text.substr(at, pair);
    out += pair == 6 ? as_json_string(piece) : piece;
    at += pair;
  }
  return out;
}

inline std::string entities(const std::string &text) { return sluice::from_xml(text); }

struct Reading {
  std::string how, text;
};

inline std::vector<Reading> readings(const std::string &text) {
  static constexpr std::pair<const char *, std::string (*)(const std::string &)> kWays[] = {
      {"a JSON string", as_json_string},
      {"JSON strings", json_strings},
      {"code points", code_points},
      {"entities", entities}};
  std::vector<Reading> out = {{"as it is", text}};
  for (const auto &[way, read] : kWays) out.push_back({way, read(text)});
  for (const auto &[way, read] : kWays)
    for (const auto &[then, read_again] : kWays)
      out.push_back({std::string(way) + ", then " + then, read_again(read(text))});
  return out;
}

// The text in a spelling: 0 as it is, then JSON escapes, \uXXXX for everything that is no letter, entities, numbers in
// entities, and escapes of escapes.
inline constexpr size_t kSpellings = 7;
inline std::string spelled(const std::string &text, size_t how) {
  const auto inside = [](const std::string &said) {
    const std::string literal = json_literal(said);
    return literal.substr(1, literal.size() - 2);
  };
  if (how == 1) return inside(text);
  if (how == 3) return sluice::to_xml(text, true);
  if (how == 5) return inside(spelled(text, 2));
  if (how == 6) return sluice::to_xml(spelled(text, 4));
  if (how != 2 && how != 4) return text;
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || sluice::is_alnum(c))
      out += c;
    else if (how == 4)
      out += "&#" + std::to_string(byte) + ";";
    else
      sluice::append_unicode_escape(out, byte);
  }
  return out;
}

}  // namespace sluice_test
