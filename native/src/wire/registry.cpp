// The list of all wires.
#include <algorithm>
#include <iterator>
#include <span>

#include "wire/wires.h"

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
    case Finish::failed: return "error";
    case Finish::other: break;
  }
  return "unknown";
}

namespace {

std::span<const Wire *const> all_wires() {
  static const Wire *const kEveryWire[] = {&openai_chat_wire(), &openai_responses_wire(),    &anthropic_wire(),
                                           &gemini_wire(),      &gemini_interactions_wire(), &ollama_wire(),
                                           &text_wire()};
  return kEveryWire;
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
