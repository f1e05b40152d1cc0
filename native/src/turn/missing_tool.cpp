#include "turn/missing_tool.h"

#include <algorithm>

#include "base/text.h"

namespace sluice {
namespace {

// The bytes of a tag in front of its value.
std::string_view opener_of(const Card &tag) {
  const std::string_view raw = tag.raw(), value = tag.raw_arguments;
  const size_t at = value.empty() ? raw.npos : raw.find(value);
  return raw.substr(0, at);
}

// Reports a tag whose tool is missing, once for each of the turn's rules: a model repeats the tags that it knows.
void tell_unknown_tag(Log &log, const Card &tag, std::string_view why) {
  const std::string_view opener = opener_of(tag);
  const auto &cards = log.message().cards;
  const bool reported = std::any_of(cards.begin(), cards.end(), [&](const auto &other) {
    return other.get() != &tag && other->is_tag() && other->state() == CardState::not_found &&
           other->requested_name() == tag.requested_name() && opener_of(*other) == opener;
  });
  if (reported) return;
  log.diagnostic("unknown_tag",
                 in_quotes(opener) + " calls " + tag.requested_name() + ", which this model cannot call (" +
                     std::string(why) + ")",
                 tag.call);
}

}  // namespace

std::string_view why_missing(const Setup &setup, const Tool *tool) {
  return tool == nullptr ? "not_found" : setup.hidden(*tool);
}

std::string_view why_missing(const Setup &setup, const Log &log, const Card &card) {
  const std::string_view why = why_missing(setup, card.tool);
  if (!card.is_nested() || card.tool == nullptr) return why;
  if (card.tool->provider != nullptr && !card.tool->provider->runs) return "not_callable";  // nobody here runs it
  const Card *const caller = log.find(card.caller);
  const bool named = caller->tool != nullptr &&
                     std::any_of(caller->tool->calls.begin(), caller->tool->calls.end(),
                                 [&](const std::string &name) { return setup.find_tool(name) == card.tool; });
  return named && switched_on(*card.tool, setup.config.exposure) ? std::string_view() : why;
}

bool settle_missing(const Setup &setup, Log &log, Card &card) {
  const std::string_view why = why_missing(setup, log, card);
  if (why.empty()) return false;
  const Wording &words = setup.config.words;
  const bool found = card.tool != nullptr;
  std::string text = words(found ? Word::not_available : Word::not_found, card.requested_name());
  if (!found) {
    card.set_near(
        nearest_names(setup.registry(), setup.config.exposure, card.requested_name(), setup.calls_commands()));
    std::string names;
    for (const std::string &name : card.near()) names.append(names.empty() ? "" : words(Word::separator)).append(name);
    if (!names.empty()) text += words(Word::nearest, names);
  }
  card.set_error(text);
  if (card.is_tag()) tell_unknown_tag(log, card, why);
  log.settle(card, Trigger::miss, why, std::move(text));
  return true;
}

}  // namespace sluice
