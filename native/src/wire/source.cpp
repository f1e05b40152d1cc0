#include "wire/source.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr size_t kMostUrl = 2048, kMostTitle = 500, kMostCited = 500;  // bytes; of `cited`: UTF-16 units

constexpr std::string_view kKinds[] = {"web", "file", "document", "map"};

std::string_view first_of(JsonView object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const std::string_view text = object[key].string(); !text.empty()) return text;
  return {};
}

int64_t first_number(JsonView object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto number = object[key].integer(); number && *number >= 0) return *number;
  return -1;
}

std::string short_text(std::string_view text, size_t most) { return bounded_text(join_surrogates(text), most); }

// An address that a page may link to, else nothing.
std::string safe_url(std::string_view url) {
  const std::string scheme = lower_case(url.substr(0, url.find("//")));
  const bool plain = std::all_of(url.begin(), url.end(),
                                 [](char byte) { return static_cast<unsigned char>(byte) > 0x20 && byte != 0x7F; });
  return plain && url.size() <= kMostUrl && (scheme == "http:" || scheme == "https:") ? repair_utf8(url)
                                                                                      : std::string();
}

void add(Source source, std::vector<Source> &out) {
  if (source.end >= 0 && source.start < 0) source.start = 0;  // Gemini leaves a zero out
  if (source.end < source.start) source.start = source.end = -1;
  if (!source.url.empty() || !source.title.empty() || !source.id.empty()) out.push_back(std::move(source));
}

Source::Kind kind_of(std::string_view type, const Source &source) {
  if (is_one_of(type, {"char_location", "page_location", "content_block_location"})) return Source::Kind::document;
  if (type.find("file") != std::string_view::npos) return Source::Kind::file;
  if (type == "search_result_location" && source.url.empty()) return Source::Kind::document;
  return source.url.empty() && !source.id.empty() ? Source::Kind::file : Source::Kind::web;
}

void read_one(JsonView item, std::vector<Source> &out) {
  Source source;
  if (item.kind() == '"') {
    source.url = safe_url(item.string());
    return add(std::move(source), out);
  }
  if (!item.is_object()) return;
  JsonView inner = item;
  for (const std::string_view key : {"url_citation", "file_citation", "container_file_citation", "file_path"})
    if (item[key].is_object()) inner = item[key];
  source.url = safe_url(first_of(inner, {"url", "uri", "link", "source"}));
  source.title = short_text(first_of(inner, {"title", "document_title", "filename"}), kMostTitle);
  source.id = short_text(first_of(inner, {"file_id"}), kMostTitle);
  source.cited = short_text(first_of(inner, {"cited_text", "quote"}), kMostCited);
  source.start = first_number(inner, {"start_index", "startIndex", "index"});
  source.end = first_number(inner, {"end_index", "endIndex", "index"});
  source.kind = kind_of(item["type"].string(), source);
  add(std::move(source), out);
}

}  // namespace

std::string_view to_text(Source::Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

void read_sources(JsonView value, std::vector<Source> &out) {
  if (value.kind() == '[')
    value.items([&](JsonView item) { read_one(item, out); });
  else
    read_one(value, out);
}

void read_gemini_sources(JsonView candidate, std::vector<Source> &out) {
  const JsonView grounding = candidate["groundingMetadata"];
  std::vector<Source> chunks;
  grounding["groundingChunks"].items([&](JsonView chunk) {
    Source &source = chunks.emplace_back();
    JsonView inner = chunk["web"];
    for (const auto &[key, kind] : {std::pair{"retrievedContext", Source::Kind::document}, {"maps", Source::Kind::map}})
      if (chunk[key].is_object()) inner = chunk[key], source.kind = kind;
    source.url = safe_url(first_of(inner, {"uri"}));
    source.title = short_text(first_of(inner, {"title"}), kMostTitle);
    source.unit = Source::Unit::bytes;
  });
  std::vector<bool> placed(chunks.size());
  grounding["groundingSupports"].items([&](JsonView support) {
    const JsonView segment = support["segment"];
    support["groundingChunkIndices"].items([&](JsonView index) {
      const auto at = static_cast<uint64_t>(index.integer().value_or(-1));
      if (at >= chunks.size() || segment["partIndex"].integer().value_or(0) != 0) return;
      placed[at] = true;
      Source source = chunks[at];
      source.start = first_number(segment, {"startIndex"});
      source.end = first_number(segment, {"endIndex"});
      add(std::move(source), out);
    });
  });
  for (size_t at = 0; at < chunks.size(); ++at)
    if (!placed[at]) add(std::move(chunks[at]), out);
  for (const std::string_view key : {"citations", "citationSources"}) {
    const size_t before = out.size();
    read_sources(candidate["citationMetadata"][key], out);
    for (size_t at = before; at < out.size(); ++at) out[at].unit = Source::Unit::bytes;
  }
  candidate["urlContextMetadata"]["urlMetadata"].items([&](JsonView page) {
    Source source;
    source.url = safe_url(first_of(page, {"retrievedUrl"}));
    if (is_one_of(page["urlRetrievalStatus"].string(), {"", "URL_RETRIEVAL_STATUS_SUCCESS"}))
      add(std::move(source), out);
  });
}

void read_interaction_sources(JsonView value, std::vector<Source> &out) {
  if (value.kind() == '[') return value.items([&](JsonView item) { read_interaction_sources(item, out); });
  const std::string_view type = value["type"].string();
  if (!value.is_object() || is_one_of(type, {"speech_metadata", "word_info"})) return;  // of a sound
  Source source;
  source.unit = Source::Unit::bytes;
  source.url = safe_url(first_of(value, {"url", "document_uri"}));
  source.title = short_text(first_of(value, {"title", "name", "file_name"}), kMostTitle);
  if (type == "file_citation") {
    source.kind = Source::Kind::file;
    if (source.url.empty()) source.id = short_text(first_of(value, {"document_uri", "media_id"}), kMostTitle);
  } else if (type == "place_citation") {
    source.kind = Source::Kind::map;
  }
  source.start = first_number(value, {"start_index"});
  source.end = first_number(value, {"end_index"});
  add(std::move(source), out);
}

}  // namespace sluice
