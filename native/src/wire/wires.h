// Every wire, from the source that is named after it.
#pragma once

#include "wire/wire.h"

namespace sluice {

const Wire &openai_chat_wire();
const Wire &openai_responses_wire();
const Wire &anthropic_wire();
const Wire &gemini_wire();
const Wire &gemini_interactions_wire();
const Wire &ollama_wire();
const Wire &text_wire();

}  // namespace sluice
