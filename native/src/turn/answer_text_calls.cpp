// The calls that the scanner found in an answer's text, and the results that a server wrote into it.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "protocol/own/server_results.h"
#include "turn/answer.h"
#include "turn/arguments.h"
#include "turn/missing_tool.h"

namespace sluice {

void Answer::on_call_open(std::string_view protocol, std::string_view name, size_t start) {
  if (ignores_bytes() || protocol == kServerResults) return;
  // A damaged state may say that a call is open whose block the scanner does not know.
  if (text_call_ != nullptr && text_call_->state() == CardState::streaming)
    log_.invalidate(*text_call_, "unterminated_block");
  text_call_ = open_card(protocol, name);
  if (text_call_ == nullptr) {
    if (SharedText &written = log_.round().raw; is_cut() && setup_.calls_from_text() && start < written.size())
      written = written.part(0, start);  // the next request does not show a call that got no answer
    return;
  }
  text_call_->set_start(start);
  log_.give_id(*text_call_);
  log_.tell(*text_call_);
}

void Answer::on_call_arguments(std::string_view piece, size_t offset) {
  Card *const card = text_call_;
  if (ignores_bytes() || card == nullptr || card->state() != CardState::streaming) return;
  log_.append_written_arguments(*card, piece, offset);
}

void Answer::on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw,
                           size_t start, size_t end) {
  if (ignores_bytes()) return;
  if (protocol == kServerResults) return take_server_results(calls);
  if (setup_.text_mode()) log_.round().text_calls = true;
  bool complete_one = false;
  for (ParsedCall &call : calls) {
    const bool first = &call == &calls.front();
    // A block with a hundred calls is kept once, not a hundred times.
    const bool keeps_raw = first || calls.size() * raw.size() <= setup_.config.limits.argument_bytes;
    Card *const card = take_call(protocol, call, first, keeps_raw ? raw : std::string_view(), start, end);
    if (card == nullptr) continue;
    const bool idle_tag = card->is_tag() && !setup_.parser && !why_missing(setup_, card->tool).empty();
    if (!call.reason.empty() && !idle_tag)
      log_.invalidate(*card, call.reason,
                      call.example.empty() ? std::string() : setup_.config.words(Word::nameless, call.example));
    else if (complete_call(setup_, log_, *card, std::move(call.arguments)) && !card->fire_and_forget())
      complete_one = true;
  }
  text_call_ = nullptr;
  if (complete_one && setup_.config.stop_after_call && !calls_of_thoughts_) {
    cut("stopAfterCall");
    if (SharedText &written = log_.round().raw; setup_.calls_from_text() && end < written.size())
      written = written.part(0, end);  // drops what followed in the same piece
  }
  listener_.on_calls_complete();
}

// Matches results of a server to calls, in order and by name. A result without a call gets a card of its own.
void Answer::take_server_results(const std::vector<ParsedCall> &results) {
  for (const ParsedCall &result : results) {
    if (result.name.empty()) {
      log_.diagnostic(result.reason, "a block of results names no tool");
      continue;
    }
    const auto &running = log_.open_cards().running();
    const auto call = std::find_if(running.begin(), running.end(), [&](uint32_t one) {
      const Card &card = *log_.find(one);
      return card.requested_name() == result.name || card.name() == result.name;
    });
    Card *card = call == running.end() ? nullptr : log_.find(*call);
    const bool summary = json_member(result.arguments, "summary").has_value();
    if (card == nullptr && summary && mark_summarized(result.name)) continue;
    if (card == nullptr) {
      card = open_card(kServerResults, result.name);
      if (card == nullptr) return;
      log_.give_id(*card);
      log_.tell(*card);
      complete_call(setup_, log_, *card, "{}");
      listener_.on_calls_complete();
    }
    if (summary) card->summarized_at = log_.now();
    listener_.on_server_result(*card, result);
  }
}

// Finds the first card of this answer whose result the server wrote before it summed up the calls. Returns false if
// there is none.
bool Answer::mark_summarized(std::string_view name) {
  const auto &cards = log_.message().cards;
  const auto card = std::find_if(cards.begin(), cards.end(), [&](const auto &one) {
    return one->round == log_.round_number() && one->final() && !one->summarized_at &&
           (one->requested_name() == name || one->name() == name);
  });
  if (card == cards.end()) return false;
  (*card)->summarized_at = log_.now();
  return true;
}

// Completes the card of a call in a block that has ended. nullptr: the call is dropped, or its card has ended.
Card *Answer::take_call(std::string_view protocol, ParsedCall &call, bool first, std::string_view raw, size_t start,
                        size_t end) {
  Card *const streamed = first ? std::exchange(text_call_, nullptr) : nullptr;
  if (first && streamed == nullptr && call.name.empty() && !setup_.config.report_malformed) return nullptr;
  Card *const card = streamed != nullptr ? streamed : open_card(protocol, call.name);
  if (card == nullptr || card->final()) return nullptr;
  if (card->requested_name() != call.name) card->rename(call.name, card->tool);
  if (!call.id.empty()) card->set_wire_id(call.id);
  log_.give_id(*card);
  SharedText block;
  block.append_part(log_.round().raw, start, raw);
  if (card->raw_arguments != call.raw_arguments) {
    card->raw_arguments = {};
    card->raw_arguments.append_part(block, call.raw_at, call.raw_arguments);
  }
  if (streamed == nullptr) {
    log_.tell(*card);
    if (!card->raw_arguments.empty()) log_.tell_arguments(*card, card->raw_arguments);
  }
  card->set_reserved(std::move(call.reserved));
  card->set_raw(std::move(block), start, end, static_cast<int64_t>(utf16_before(start)));
  card->typed = call.typed;
  return card;
}

// The UTF-16 units in front of a place in the text in which calls are found. Calls come in the order of their places,
// so each byte is counted once.
size_t Answer::utf16_before(size_t at) {
  if (at < counted_.bytes) counted_ = {};
  const size_t wanted = at - counted_.bytes;
  if (calls_of_thoughts_) {
    size_t left = wanted;
    for (std::string_view piece : last_thoughts(thought_bytes_ - std::min(counted_.bytes, thought_bytes_))) {
      piece = piece.substr(0, left);
      counted_.units += utf16_length(piece);
      left -= piece.size();
    }
  } else {
    const std::string_view text = log_.round().raw;
    counted_.units += utf16_length(text.substr(std::min(counted_.bytes, text.size()), wanted));
  }
  counted_.bytes = at;
  return counted_.units;
}

}  // namespace sluice
