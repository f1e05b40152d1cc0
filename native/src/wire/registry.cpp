// The list of all wires.
#include <algorithm>
#include <iterator>
#include <span>

#include "wire/anthropic.h"
#include "wire/gemini.h"
#include "wire/ollama.h"
#include "wire/openai_chat.h"
#include "wire/openai_responses.h"
#include "wire/text.h"
#include "wire/wire.h"

namespace sluice {

std::string_view to_text(Finish finish) {
  switch (finish) {
    case Finish::none: return {};
    case Finish::stop: return "stop";
    case Finish::tool_calls: return "tool_calls";
    case Finish::length: return "length";
    case Finish::content_filter: return "content_filter";
    case Finish::pause: return "pause";
    case Finish::malformed: return "malformed";
    case Finish::other: break;
  }
  return "unknown";
}

namespace {

std::span<const Wire *const> all_wires() {
  static const OpenAiChatWire chat;
  static const OpenAiResponsesWire responses;
  static const AnthropicWire anthropic;
  static const GeminiWire gemini;
  static const OllamaWire ollama;
  static const TextWire text;
  static const Wire *const kWires[] = {&chat, &responses, &anthropic, &gemini, &ollama, &text};
  return kWires;
}

}  // namespace

const Wire *find_wire(std::string_view id) {
  const auto wires = all_wires();
  const auto found = std::find_if(wires.begin(), wires.end(), [&](const Wire *wire) { return wire->id() == id; });
  return found == wires.end() ? nullptr : *found;
}

std::string wire_names() {
  std::string names;
  for (const Wire *wire : all_wires()) names.append(names.empty() ? "" : ", ").append(wire->id());
  return names;
}

}  // namespace sluice
