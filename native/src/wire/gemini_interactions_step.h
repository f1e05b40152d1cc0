// The steps of an interaction of Gemini: which kinds there are, and how the pieces of a step become what goes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/utf8.h"
#include "wire/media.h"
#include "wire/source.h"

namespace sluice {

// Saved as a number.
enum class StepKind : uint8_t { output, thought, call, provider_call, provider_result, other };

StepKind step_kind(std::string_view type);

// The name of the tool that the provider ran in a call or a result: `google_search` of `google_search_result`. `step`:
// the step itself, where a server of MCP has the name.
std::string tool_of_step(JsonView step);

// A step from its start to its stop.
struct InteractionStep {
  int64_t index = 0;
  StepKind kind = StepKind::other;
  uint32_t slot = 0;      // of a call
  bool announced = true;  // false: a delta began it
  bool closed = false;
  bool paragraph = false;   // its reasoning follows that of another step
  std::string start;        // the step as it started, with the members that deltas set; a JSON object
  std::string parts;        // finished contents of an output or a thought, with commas between them
  std::string text;         // of the content that is open, or JSON of the arguments
  std::string annotations;  // of the open text, with commas between them
  Utf8Joiner joiner;        // of the arguments
  std::string item;         // what goes back; empty until it is closed, and where nothing does

  // Ends the text that is open: what comes next is another content.
  void end_text();
  // Adds a content that is no text: its JSON.
  void add_part(std::string_view json);
  // The output or the thought, with all its contents. Empty: it says nothing. `whole`: it came to its end.
  std::string said(bool whole);
  // The call, with the arguments that were streamed.
  std::string called(size_t max_depth) const;

  void save(std::string &out) const;
  void load(const SavedReader &from, size_t max_depth);
};

// A picture, a sound or a file of an answer. nullopt: it is none.
std::optional<Media> read_interaction_media(JsonView content);

// What a tool of the provider gave: texts for people, and its pictures and files. The page of suggestions that a search
// wants shown is neither.
struct ProvidedResult {
  std::string text;
  std::vector<Media> media;  // lives as long as `result`
};
ProvidedResult read_provided_result(JsonView result);

// The pages of a result: those that were read or found, and the places of a map. `type`: of the step.
void read_provided_sources(std::string_view type, JsonView result, std::vector<Source> &out);

}  // namespace sluice
