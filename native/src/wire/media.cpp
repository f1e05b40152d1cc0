#include "wire/media.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "wire/data_url.h"

namespace sluice {
namespace {

constexpr size_t kMostFileName = 500;  // bytes

// "type/subtype", as RFC 6838 spells it.
bool is_media_type(std::string_view word) {
  const size_t slash = word.find('/');
  return word.size() <= 100 && slash != std::string_view::npos && slash > 0 && slash + 1 < word.size() &&
         std::count(word.begin(), word.end(), '/') == 1 && std::all_of(word.begin(), word.end(), [](char byte) {
           return is_alnum(byte) || std::string_view("/!#$&-^_.+").find(byte) != std::string_view::npos;
         });
}

bool is_base64(std::string_view data) {
  return std::all_of(data.begin(), data.end(), [](char byte) {
    return is_alnum(byte) || std::string_view("+/=-_\r\n").find(byte) != std::string_view::npos;
  });
}

}  // namespace

std::optional<Media> media_at(std::string_view url, bool picture) {
  if (const auto data = read_data_url(url))
    return Media{.media_type = data->media_type,
                 .data = data->data,
                 .url = {},
                 .id = {},
                 .name = {},
                 .picture = data->media_type.empty() ? picture : data->media_type.starts_with("image/")};
  if (const std::string scheme = lower_case(url.substr(0, url.find("//"))); scheme != "http:" && scheme != "https:")
    return std::nullopt;
  Media media;
  media.url = url;
  media.picture = picture;
  return media;
}

Media picture_of(std::string_view base64, std::string_view format) {
  constexpr std::pair<std::string_view, std::string_view> kBeginnings[] = {
      {"/9j/", "image/jpeg"}, {"R0lG", "image/gif"}, {"UklG", "image/webp"}, {"iVBOR", "image/png"}};
  Media media;
  media.picture = true;
  media.data = base64;
  media.media_type = format == "jpeg" ? "image/jpeg" : format == "webp" ? "image/webp" : "image/png";
  for (const auto &[beginning, type] : kBeginnings)
    if (base64.starts_with(beginning)) media.media_type = type;
  return media;
}

std::optional<Media> read_picture(JsonView value) {
  std::string_view text = value.string();
  for (const std::string_view key : {"image_url", "url", "b64_json"}) {
    const JsonView inner = value[key];
    if (text.empty()) text = inner.is_object() ? inner["url"].string() : inner.string();
  }
  if (text.empty()) return std::nullopt;
  if (text.find(':') == std::string_view::npos) return picture_of(text);
  return media_at(text, true);
}

std::string media_part(const Media &media, bool too_long) {
  const bool whole = !too_long && is_base64(media.data) && is_media_type(media.media_type) && !media.data.empty();
  std::string out;
  ObjectWriter part(out);
  part.text("type", media.picture && (whole || !media.url.empty()) ? "image" : "file");
  if (is_media_type(media.media_type)) part.text("mediaType", media.media_type);
  if (!media.id.empty()) part.text("id", bounded_text(repair_utf8(media.id), kMostFileName));
  if (!media.name.empty()) part.text("name", bounded_text(repair_utf8(media.name), kMostFileName));
  if (whole)
    part.text("data", media.data);
  else if (!media.url.empty() && !too_long)
    part.text("url", repair_utf8(media.url));
  part.close();
  return out;
}

}  // namespace sluice
