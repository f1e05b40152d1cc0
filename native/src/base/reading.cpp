#include "base/reading.h"

#include <cmath>

#include "base/nearest.h"
#include "base/real.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr size_t kShown = 80;

}  // namespace

std::string shown(std::string_view value) {
  value = trim_json(value);
  // A large value is cut first and not made compact: it may be megabytes.
  std::string text = value.size() <= 4096 ? compact_json(value) : std::string(value.substr(0, kShown + 4));
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return shortened(text, kShown);
}

std::string shown_text(std::string_view utf8) { return json_string(shortened(utf8, kShown)); }

Status unexpected(std::string_view value, std::string_view expected, std::string path) {
  return error(Code::json, "found " + shown(value) + ", expected " + std::string(expected), std::move(path));
}

Status read_bool(std::string_view value, bool &out) {
  const char kind = json_kind(value);
  if (kind != 't' && kind != 'f') return unexpected(value, "true | false");
  out = kind == 't';
  return {};
}

Status read_text(std::string_view value, std::string &out) {
  if (json_kind(value) != '"') return unexpected(value, "a string");
  out = json_text(trim_json(value));
  return {};
}

Status read_texts(std::string_view value, std::vector<std::string> &out) {
  if (json_kind(value) != '[') return unexpected(value, "an array of strings");
  out.clear();
  JsonSlices slices(value);
  for (size_t i = 0; slices.next(); ++i) {
    std::string text;
    Status status = read_text(slices.value(), text);
    if (!status.ok()) return std::move(status).inside("[" + std::to_string(i) + "]");
    out.push_back(std::move(text));
  }
  return {};
}

Status read_whole(std::string_view value, int64_t least, int64_t most, int64_t &out) {
  const auto refuse = [&] {
    if (most >= kMostWhole) return unexpected(value, "a whole number of at least " + std::to_string(least));
    return unexpected(value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  };
  if (json_kind(value) != '0') return refuse();
  value = trim_json(value);
  int64_t number = 0;
  if (!read_integer(value, number)) {
    double real = 0;
    const auto result = read_real(value.data(), value.data() + value.size(), real);
    if (result.ec != std::errc() || std::trunc(real) != real || std::abs(real) > 9007199254740992.0) return refuse();
    number = static_cast<int64_t>(real);
  }
  if (number < least || number > most) return refuse();
  out = number;
  return {};
}

Status unknown_member(std::string_view name, const std::vector<std::string_view> &known) {
  std::string message = "unknown member";
  if (const std::string_view near = nearest(name, known); !near.empty())
    message.append("; did you mean ").append(near).append("?");
  return error(Code::json, std::move(message), std::string(name));
}

}  // namespace sluice
