// A data: URL with base64 content.
#pragma once

#include <optional>
#include <string_view>

namespace sluice {

// Views of the URL.
struct DataUrl {
  std::string_view media_type, data;
};

inline std::optional<DataUrl> read_data_url(std::string_view url) {
  constexpr std::string_view kBase64 = ";base64";
  const size_t comma = url.find(',');
  if (!url.starts_with("data:") || comma == std::string_view::npos) return std::nullopt;
  std::string_view head = url.substr(5, comma - 5);
  if (!head.ends_with(kBase64)) return std::nullopt;
  head.remove_suffix(kBase64.size());
  return DataUrl{head.substr(0, head.find(';')), url.substr(comma + 1)};
}

}  // namespace sluice
