// A provider's word for the end of an answer → what it means. One table for each wire; a word in no table is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/wire.h"

namespace sluice {

enum class Endings : uint8_t { openai_chat, openai_responses, anthropic, gemini, gemini_interactions, ollama };

// The classes of the setting `finishReasons`, by their names; `good` is Finish::stop.
std::optional<Finish> finish_of_class(std::string_view name);
std::string_view class_of(Finish finish);
std::string finish_classes();  // "good | …", for messages

// Compares words without regard to case. `calls`: the answer holds calls, so that a good end is theirs.
Finish finish_of(Endings wire, std::string_view words, bool calls = false);

}  // namespace sluice
