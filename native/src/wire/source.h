// Where the text of an answer comes from, as its provider says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json_event.h"

namespace sluice {

struct Source {
  enum class Kind : uint8_t { web, file, document, map };  // saved as a number
  // What `start` and `end` count, from the beginning of the text. Saved as a number.
  enum class Unit : uint8_t { characters, bytes };  // Unicode code points; bytes of UTF-8

  Kind kind = Kind::web;
  std::string url;    // http: or https:; empty: the provider gave none that a page may link to
  std::string title;  // of the page or the file
  std::string id;     // of a file
  std::string cited;  // the text that was quoted
  Unit unit = Unit::characters;
  int64_t start = -1, end = -1;  // the part of the text that it is for; -1: the provider did not say

  bool is_same_place(const Source &other) const {
    return url == other.url && id == other.id && start == other.start && end == other.end &&
           (!url.empty() || !id.empty() || title == other.title);
  }
};

// The word for a kind in documents.
std::string_view to_text(Source::Kind kind);

// Reads one source or a list of them, in any shape that a provider has: an address, an annotation of OpenAI, a citation
// of Anthropic, a result of a search. What names neither an address, a title nor a file is no source.
void read_sources(JsonView value, std::vector<Source> &out);

// Reads what a candidate of Gemini says of its sources: groundingMetadata, citationMetadata, urlContextMetadata.
void read_gemini_sources(JsonView candidate, std::vector<Source> &out);

// Reads annotations of Gemini's interactions, a page that was found, or a place of a map: one, or a list of them.
void read_interaction_sources(JsonView value, std::vector<Source> &out);

}  // namespace sluice
