// A picture or a file that a model made, as the answer holds it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wire/json_event.h"

namespace sluice {

// Views live as long as the event that was read.
struct Media {
  std::string_view media_type;  // "image/png"; empty: unknown
  std::string_view data;        // base64; empty: it stands elsewhere
  std::string_view url;         // http: or https:
  std::string_view id, name;    // of a file at the provider
  bool picture = false;
};

// Reads `url`: a data: URL, or an address of the web. nullopt: neither.
std::optional<Media> media_at(std::string_view url, bool picture);
// Reads base64 without a media type, which its first bytes tell.
Media picture_of(std::string_view base64, std::string_view format = {});
// A picture in one of the shapes of OpenAI's servers: a text, {url}, {image_url: {url}}, {b64_json}.
std::optional<Media> read_picture(JsonView value);

// The part of a message, as JSON. `too_long`: what it holds is left out.
std::string media_part(const Media &media, bool too_long);

}  // namespace sluice
