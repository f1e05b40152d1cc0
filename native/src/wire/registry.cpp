// The list of all wires.
#include <algorithm>
#include <iterator>

#include "wire/openai_chat.h"
#include "wire/text.h"
#include "wire/wire.h"

namespace sluice {
namespace {

constexpr std::string_view kPlanned[] = {"openai-responses", "anthropic", "gemini", "ollama"};

}  // namespace

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

const Wire *find_wire(std::string_view id) {
  static const OpenAiChatWire chat;
  static const TextWire text;
  static const Wire *const kWires[] = {&chat, &text};
  const auto found =
      std::find_if(std::begin(kWires), std::end(kWires), [&](const Wire *wire) { return wire->id() == id; });
  return found == std::end(kWires) ? nullptr : *found;
}

bool is_planned_wire(std::string_view id) {
  return std::find(std::begin(kPlanned), std::end(kPlanned), id) != std::end(kPlanned);
}

}  // namespace sluice
