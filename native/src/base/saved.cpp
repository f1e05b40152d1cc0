#include "base/saved.h"

#include <algorithm>
#include <functional>

#include "base/sort.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_base64(std::string &out, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (size_t j = 0; j < 4; ++j) out += i + j <= bytes.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
}

std::string read_base64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

// An order of keys in which most comparisons need only the lengths.
int compare(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return one.size() < other.size() ? -1 : 1;
  return one.compare(other);
}

}  // namespace

void append_saved_bytes(std::string &out, std::string_view bytes) {
  if (is_utf8(bytes)) return append_json_string(out, bytes);
  out += R"({"base64":")";
  append_base64(out, bytes);
  out += "\"}";
}

void append_saved_numbers(std::string &out, const std::vector<int64_t> &numbers) {
  out += '[';
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i != 0) out += ',';
    append_number(out, numbers[i]);
  }
  out += ']';
}

std::vector<int64_t> read_saved_numbers(std::string_view array) {
  std::vector<int64_t> out;
  for (JsonSlices one(array); one.next();) {
    int64_t number = 0;
    read_integer(one.value(), number);
    out.push_back(number);
  }
  return out;
}

SavedReader::SavedReader(std::string_view object) {
  if (!object.empty() && json_kind(object) != '{') other("", "an object");
  for (JsonSlices members(object); members.next();)
    if (const std::string_view key = members.key(); key.size() >= 2)
      members_.emplace_back(key.substr(1, key.size() - 2), members.value());
  sort_all(members_, [](const auto &one, const auto &other) {
    const int order = compare(one.first, other.first);
    return order != 0 ? order < 0 : std::less<>()(one.first.data(), other.first.data());
  });
}

std::optional<std::string_view> SavedReader::member(std::string_view key) const {
  const auto behind =
      std::upper_bound(members_.begin(), members_.end(), key,
                       [](std::string_view wanted, const auto &one) { return compare(wanted, one.first) < 0; });
  if (behind == members_.begin() || std::prev(behind)->first != key) return std::nullopt;
  return std::prev(behind)->second;
}

void SavedReader::get(std::string_view key, std::string &bytes) const {
  const auto value = member(key);
  if (!value) return;
  if (json_kind(*value) == '"') {
    bytes = json_text(*value);
  } else if (const auto coded = json_member(*value, "base64"); coded && json_kind(*coded) == '"') {
    bytes = read_base64(json_text(*coded));
  } else {
    other(key, "a string");
  }
}

void SavedReader::text(std::string_view key, std::string &utf8) const {
  const auto value = member(key);
  if (!value) return;
  if (json_kind(*value) == '"')
    utf8 = json_text(*value);
  else
    other(key, "a string");
}

void SavedReader::get(std::string_view key, bool &value) const {
  const auto token = member(key);
  if (!token) return;
  const char kind = json_kind(*token);
  if (kind == 't' || kind == 'f')
    value = kind == 't';
  else
    other(key, "true or false");
}

void SavedReader::get(std::string_view key, std::optional<int64_t> &value) const {
  const auto token = member(key);
  if (!token) return;
  int64_t read = 0;
  if (read_integer(trim_json(*token), read))
    value = read;
  else
    other(key, "a whole number");
}

void SavedReader::other(std::string_view key, std::string_view expected) const {
  if (fits_.ok()) fits_ = error(Code::json, "expected " + std::string(expected), std::string(key));
}

std::string_view SavedReader::nested(std::string_view key) const {
  const auto value = member(key);
  if (!value) return {};
  if (json_kind(*value) == '{' || json_kind(*value) == '[') return *value;
  other(key, "an object or an array");
  return {};
}

}  // namespace sluice
