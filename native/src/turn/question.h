// Shared by the parts of the gate: refusals of a verb, and what a question says about its call.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/status.h"
#include "turn/card.h"
#include "turn/lent_text.h"
#include "turn/message.h"

namespace sluice {

inline Status not_now(std::string message) { return error(Code::state, std::move(message)); }
inline Status no_such_call(uint32_t call) { return error(Code::not_found, "there is no call " + std::to_string(call)); }
inline Status not_in_state(const Card &card, std::string_view what) {
  return not_now("call " + std::to_string(card.call) + " " + std::string(what) + ": it is " +
                 std::string(status_text(card.state())));
}

inline void write_arguments(const Card &card, ObjectWriter &event, LentTexts &lent) {
  if (!card.edited() && !card.resolved_arguments() && card.arguments().size() >= kLendsFrom)
    lent.push_back({event.value("arguments").size(), card.arguments(), false});
  else
    event.raw("arguments", card.effective_arguments());
}

// Writes what a question is about, with edited arguments, so that whoever answers it need not look for the card.
inline void write_question(const Card &card, ObjectWriter &event, LentTexts &lent) {
  if (card.is_nested()) write_caller(card, event.value("parent"));
  event.text("name", card.name());
  if (card.tool != nullptr) {
    if (!card.tool->title.empty()) event.text("title", card.tool->title);
    event.text("description", card.tool->description);
  }
  write_arguments(card, event, lent);
  if (card.resolved_arguments()) event.raw("written", card.arguments().view());
  if (!card.reserved().empty()) event.raw("protocolFields", card.reserved());
}

// A reserved field of the protocol in a call, such as `archery` of vcp; empty: the call has none.
inline std::string reserved_text(const Card &card, std::string_view key) {
  const auto value = card.reserved().empty() ? std::nullopt : json_member(card.reserved(), key);
  return value && json_kind(*value) == '"' ? json_text(*value) : std::string();
}

}  // namespace sluice
