// The members in which servers send one and the same text of a chat message. A new name is a new row here, and a name
// in kMessageTexts of openai_chat_chunk.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sluice {

struct TextAlias {
  std::string_view name;
  bool is_reasoning;
  std::string_view inside;  // the member that has the text where the value is an object; empty: only texts are read
};

// Of the reasoning the first one with a text is shown. The others count where the message has no `content`: the text of
// a legacy completion, and the words of speech.
inline constexpr TextAlias kTextAliases[] = {{"reasoning_content", true, {}},
                                             {"reasoning", true, "content"},
                                             {"reasoning_text", true, {}},
                                             {"thinking", true, "content"},
                                             {"text", false, {}},
                                             {"audio", false, "transcript"}};

// The texts of a message, in the order of kTextAliases.
using AliasTexts = std::array<std::string_view, std::size(kTextAliases)>;

// Requests repeat the reasoning as `reasoning_content`; a legacy completion has its `text` beside no message.
inline constexpr size_t kReasoningContent = 0, kText = 4;
static_assert(kTextAliases[kReasoningContent].name == "reasoning_content" && kTextAliases[kText].name == "text",
              "kReasoningContent and kText are the rows of these names: a row before them moves them");

// The first text that is reasoning, or that is not.
inline std::string_view first_text(const AliasTexts &texts, bool reasoning) {
  for (size_t at = 0; at < texts.size(); ++at)
    if (kTextAliases[at].is_reasoning == reasoning && !texts[at].empty()) return texts[at];
  return {};
}

}  // namespace sluice
