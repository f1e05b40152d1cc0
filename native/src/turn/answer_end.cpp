// How an answer ended: what it gave, what is wrong with it, and what it asked for that nobody reads.
#include <algorithm>

#include "base/text.h"
#include "protocol/other_format.h"
#include "protocol/tool_text.h"
#include "turn/answer.h"

namespace sluice {
namespace {

constexpr size_t kMostThought = 65536;  // bytes at the end of reasoning in which a call is looked for

}  // namespace

// Decides how an answer ended. `whole`: the answer itself said that it is over; else the host said how its body ended.
// After this, only usage and opaque members are read until finish.
void Answer::conclude(bool whole, End how) {
  if (!is_open() || has_ended()) return;
  const bool ours = is_cut();
  const Finish finish = log_.finish();
  if (!ours) {
    if (!error_ && how == End::complete) error_ = fault_of_end();
    const bool never_ended = !whole && finish == Finish::none && setup_.wire->has_end();
    const bool cut =
        error_ || how != End::complete || never_ended || finish == Finish::length || finish == Finish::content_filter;
    end_text(cut ? TextEnd::cut : ended_well(finish, setup_.wire->has_end(), how) ? TextEnd::well : TextEnd::over);
    if (!is_open()) return;
    if (!cut && log_.end_sources()) shown_ = true;
  }
  apply(AnswerTrigger::end);
  const bool says_all = how == End::complete && finish != Finish::pause && finish != Finish::malformed;
  std::string_view code = "provider_error";
  if (!error_ && !ours && how == End::complete) {
    const bool unfinished = !whole && finish == Finish::none && setup_.wire->has_end();
    const bool nothing = says_all && !gave_something() && reader_->media().empty();
    if (unfinished) code = "unfinished";
    const bool foreign = nothing && !reader_->likeness().empty();
    if (setup_.parser && unfinished && !foreign)  // nothing runs, and the input may be a piece of a recording
      log_.diagnostic("unfinished", "the answer has no end");
    else if (setup_.parser && nothing && setup_.wire->has_end())  // a text of nobody may be empty
      log_.diagnostic("empty_answer",
                      nothing_came() + (foreign ? "; it looks like " + std::string(reader_->likeness()) : ""));
    else if (nothing && !setup_.parser)
      error_ = {"empty_answer", nothing_came(), "", true, false};
    else if (unfinished)
      error_ = {"unfinished", "the answer broke off: its end never came", "", false, false};
  }
  if (error_) {
    error_->retryable = error_->retryable && !shown_;
    // The error block follows at finish: until then the host may ask for the answer again.
    ObjectWriter event(log_.event(Log::Event::other));
    event.text("type", "diagnostic").text("code", code).text("detail", error_->detail);
    event.boolean("retryable", error_->retryable);
    if (!error_->words.empty()) event.text("words", error_->words);
  }
  const bool broken = error_ || how != End::complete;
  // What the provider runs may go on in its next answer: code of it waits for the calls.
  const bool goes_on = finish == Finish::pause || (finish == Finish::tool_calls && calls_ > 0);
  if (broken || ours || !goes_on) log_.lose_provided(broken ? "stream_broken" : "no_result");
  if (!setup_.parser && !ours && !error_ && finish == Finish::malformed && !calls_for_results())
    log_.round().note = setup_.config.words(Word::malformed_answer);
  if (!ours && !error_ && calls_ == 0) {
    Protocols read = parsed_;
    if (says_all && !gave_something() && !reader_->media().empty())
      log_.diagnostic("no_answer",
                      "the answer is a picture or a sound that Sluice does not show: " + std::string(reader_->media()));
    if (says_all && only_thought()) {
      log_.diagnostic("no_answer", "the answer is reasoning alone");
      std::string thoughts;
      for (const std::string_view piece : last_thoughts(kMostThought)) thoughts += piece;
      tell_other_format(thoughts, read);
    }
    read.insert(read.end(), watched_.begin(), watched_.end());
    tell_other_format(log_.text_of_round(), read);
  }
  if (!ours && !error_) note_unsealed();
  if (!error_) log_.retract_repeated();
  log_.end_answer();
}

// Why an answer that gave nothing did so. The provider may have answered in members that nobody reads.
std::string Answer::nothing_came() const {
  const std::string unread = reader_->unread();
  return "the provider answered nothing" + (unread.empty() ? "" : " that Sluice reads; not read: " + unread);
}

// What came in place of an answer in the format of the wire; empty: nothing did, or it was in that format. It counts
// all bytes, so it is asked for when the body is over.
std::string Answer::bytes_hint() const {
  const std::string_view like = reader_->likeness();
  if (empty_bytes_ == 0 || (like.empty() && reader_->knows())) return {};
  std::string hint = with_commas(empty_bytes_) + (empty_bytes_ == 1 ? " byte came, not" : " bytes came, none");
  hint.append(" in the format of ").append(setup_.wire->id());
  if (!like.empty()) hint.append("; they look like ").append(like);
  return hint + '.';
}

// Did the answer give reasoning, and nothing else?
bool Answer::only_thought() const {
  const auto &blocks = log_.message().blocks;
  bool thought = false;
  for (auto block = blocks.rbegin(); block != blocks.rend() && block->round == log_.round_number(); ++block) {
    if (block->kind != Block::Kind::reasoning) return false;
    thought = true;
  }
  return thought && log_.round().hidden.empty();
}

// What the finish reason says against the answer. An ending that nobody knows is not a good one.
std::optional<TurnError> Answer::fault_of_end() const {
  const Finish finish = log_.finish();
  TurnError fault;
  fault.code = "provider";
  fault.detail = "the answer ended with \"" + finish_word_ + '"';
  if (!finish_explanation_.empty()) fault.detail += ": " + finish_explanation_;
  fault.words = finish_explanation_;
  switch (finish) {
    case Finish::failed: fault.retryable = true; break;
    case Finish::other:
      fault.retryable = true;
      fault.hint = "Sluice does not know this word: if the server means a good end, say so with finishReasons: { " +
                   json_string(finish_word_) + ": \"good\" }";
      break;
    case Finish::content_filter:
      if (finish_explanation_.empty() && gave_something()) return std::nullopt;
      if (finish_explanation_.empty())
        fault.code = "empty_answer";
      else
        fault.detail = finish_explanation_;
      break;
    case Finish::length:
      if (gave_something()) return std::nullopt;
      fault.code = "empty_answer";
      if (const std::string unread = reader_->unread(); !unread.empty()) fault.detail += "; not read: " + unread;
      break;
    default: return std::nullopt;
  }
  return fault;
}

void Answer::end_text(TextEnd end) {
  scanner_->finish(end);
  if (watcher_) watcher_->finish(end);
  if (!is_open() || !thoughts_) return;
  if (end != TextEnd::well) return thoughts_->give_up();
  const Message &message = log_.message();
  const size_t first = message.cards.size();
  calls_of_thoughts_ = true;
  counted_ = {};
  thoughts_->finish(*this);
  calls_of_thoughts_ = false;
  if (!setup_.calls_from_text() || message.cards.size() == first) return;
  // The next request shows the model its reasoning from the first call on.
  for (const std::string_view piece : last_thoughts(thought_bytes_ - message.cards[first]->start()))
    log_.round().raw.append(piece);
}

// Does the answer call a tool for its result? A tag, or another fire-and-forget call, stands beside a malformed one.
bool Answer::calls_for_results() const {
  const auto &cards = log_.message().cards;
  return std::any_of(cards.begin() + static_cast<std::ptrdiff_t>(log_.first_card()), cards.end(), [](const auto &card) {
    return !card->is_provided() && !card->is_nested() && !card->fire_and_forget();
  });
}

// The last bytes of this round's reasoning.
std::vector<std::string_view> Answer::last_thoughts(size_t bytes) const {
  const auto &blocks = log_.message().blocks;
  std::vector<std::string_view> pieces;
  for (size_t i = blocks.size(); i-- > 0 && bytes > 0 && blocks[i].round == log_.round_number();) {
    if (blocks[i].kind != Block::Kind::reasoning) continue;
    pieces.push_back(last_bytes(blocks[i].text, bytes));
    bytes -= pieces.back().size();
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

// Reports a call in `text` in none of the formats `read`: the model may write the one that it was trained on.
void Answer::tell_other_format(const std::string &text, const Protocols &read) {
  if (!setup_.has_tools()) return;
  if (const std::string_view id = find_other_format(text, read, setup_.tools(), setup_.scan_limits()); !id.empty())
    log_.diagnostic("other_format", id);
}

// Calls without the seal do not run, and the model reads how to write them. Those inside a call are quotations.
void Answer::note_unsealed() {
  const auto &cards = log_.message().cards;
  std::erase_if(unsealed_, [&](const Unsealed &one) {
    return std::any_of(cards.begin() + static_cast<std::ptrdiff_t>(log_.first_card()), cards.end(),
                       [&](const auto &card) { return card->start() < one.at && one.at < card->end(); });
  });
  for (const Unsealed &one : unsealed_) log_.diagnostic("unsealed", one.name, 0, one.at);
  const auto sealed =
      std::find_if(parsed_.begin(), parsed_.end(), [](const auto &one) { return !one->seal().empty(); });
  if (setup_.parser || unsealed_.empty() || sealed == parsed_.end())
    return;  // a changed state may have no such protocol
  std::string example;
  if (!setup_.offers.empty())
    (*sealed)->write_call("call_1", setup_.offers.front().name, example_arguments(setup_.offers.front().parameters),
                          example);
  log_.round().note = setup_.config.words(Word::unsealed, example);
}

}  // namespace sluice
