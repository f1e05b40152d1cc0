#include "turn/message_content.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_writer.h"

namespace sluice {
namespace {

// Makes a stranger's URL safe in a message: characters that are not allowed in URLs, and the brackets of markers,
// become escapes. The brackets of an IPv6 address stay.
std::string harmless_url(std::string_view url) {
  constexpr std::string_view kEscaped = " <>\"{}|\\^`[]";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const size_t host = url.find("://[");
  const size_t host_end = host == std::string_view::npos ? 0 : std::min(url.find(']', host), url.size());
  std::string out;
  for (size_t i = 0; i < url.size(); ++i) {
    const auto byte = static_cast<unsigned char>(url[i]);
    const bool in_host = host_end != 0 && i <= host_end && i > host;
    if (in_host || (byte > 0x20 && byte < 0x7F && kEscaped.find(url[i]) == std::string_view::npos))
      out += url[i];
    else
      out.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out;
}

}  // namespace

std::string with_content(std::string_view message, std::string_view content,
                         std::initializer_list<std::string_view> left_out) {
  std::string out;
  ObjectWriter changed(out);
  changed.reserve(content.size());
  bool done = false;
  for (JsonSlices members(message); members.next();) {
    const std::string_view key = members.bare_key();
    if (key == "content") {
      if (!done) changed.raw(key, content);
      done = true;
    } else if (std::find(left_out.begin(), left_out.end(), key) == left_out.end()) {
      changed.raw(key, members.value());
    }
  }
  if (!done) changed.raw("content", content);
  changed.close();
  return out;
}

std::string plain_content(std::string_view message) {
  const auto content = json_member(message, "content");
  if (!content) return {};
  if (json_kind(*content) == '"') return json_text(*content);
  std::string out;
  for (JsonSlices parts(*content); parts.next();) out += json_member_text(parts.value(), "text");
  return out;
}

namespace {

// A message's content as a list of parts, without the brackets.
std::string content_parts(std::string_view message) {
  const auto content = json_member(message, "content");
  if (!content || json_kind(*content) == 'n' || trim_json(*content) == "\"\"") return {};
  if (json_kind(*content) == '"') return R"({"type":"text","text":)" + std::string(trim_json(*content)) + "}";
  const std::string_view array = trim_json(*content);
  return std::string(trim_json(array.substr(1, array.size() - 2)));
}

}  // namespace

std::string with_text(std::string_view message, const std::string &more, bool top) {
  const auto content = json_member(message, "content");
  if (!content || json_kind(*content) != '[') {
    const std::string text = content && json_kind(*content) == '"' ? json_text(*content) : std::string();
    if (text.empty()) return with_content(message, json_string(more));
    return with_content(message, json_string(top ? more + "\n\n" + text : text + "\n\n" + more));
  }
  const std::string part = R"({"type":"text","text":)" + json_string(more) + "}", inner = content_parts(message);
  const std::string comma = inner.empty() ? "" : ",";
  return with_content(message, "[" + (top ? part + comma + inner : inner + comma + part) + "]");
}

std::string joined_messages(std::string_view first, std::string_view second, bool as_parts) {
  const std::string parts = content_parts(first), more = content_parts(second);
  if (more.empty()) return std::string(first);
  const std::string_view content = *json_member(second, "content");
  if (parts.empty()) return with_content(first, content);
  const bool text = json_kind(content) == '"';
  if (text && !as_parts && json_kind(*json_member(first, "content")) == '"')
    return with_content(first, json_string(plain_content(first) + "\n\n" + json_text(content)));
  const std::string array = "[" + parts + "]";
  std::string_view last;
  for (JsonSlices all(array); all.next();) last = all.value();
  const std::string added = text && json_member(last, "text")
                                ? R"({"type":"text","text":)" + json_string("\n\n" + json_text(content)) + "}"
                                : more;
  return with_content(first, "[" + parts + "," + added + "]");
}

std::string picture_part(std::string_view part) {
  if (json_member_text(part, "type") != "image") return {};
  std::string url = json_member_text(part, "url");
  if (const std::string data = url.empty() ? json_member_text(part, "data") : std::string(); !data.empty())
    url = "data:" + json_member_text(part, "mediaType") + ";base64," + data;
  if (url.empty()) return {};
  std::string out;
  ObjectWriter picture(out);
  picture.text("type", "image_url");
  ObjectWriter(picture.value("image_url")).text("url", harmless_url(url)).close();
  picture.close();
  return out;
}

}  // namespace sluice
