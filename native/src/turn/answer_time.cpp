// How long an answer may be silent, and what its silence means.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "turn/answer.h"

namespace sluice {
namespace {

// Usage may follow a finish reason at once. After this silence the answer has ended, even if its connection stays open.
constexpr int64_t kSilenceMs = 1000;
// A host whose tick is later than this was busy: bytes may wait in its socket.
constexpr int64_t kBusyMs = 100;

}  // namespace

// How long the provider may be silent; 0: for ever.
int64_t Answer::silence() const {
  if (!is_open() || setup_.parser || is_cut() || !waiting_since_) return 0;
  const WireReader::Refusal refusal = reader_->refusal();
  if (!has_ended() && (last_word_ || refusal == WireReader::Refusal::whole)) return kSilenceMs;
  const bool begun = state_ >= AnswerState::streaming || refusal != WireReader::Refusal::none;
  return begun ? setup_.config.idle_timeout_ms : setup_.config.first_byte_timeout_ms;
}

// White space is no content: a model that has lost its way writes it without end.
void Answer::note_content(std::string_view piece) {
  if (blank(piece)) return;
  said_at_ = log_.now();
  empty_bytes_ = 0;
}

std::optional<Answer::Wait> Answer::wait() const {
  const int64_t timeout = silence();
  if (timeout == 0 && (!is_open() || setup_.parser || is_cut() || !waiting_since_)) return std::nullopt;
  std::optional<Wait> wait;
  if (timeout > 0) wait = Wait{*waiting_since_, timeout, false};
  const int64_t patience = setup_.config.first_byte_timeout_ms;
  if (said_at_ && patience > 0 && (!wait || *said_at_ + patience < wait->since + wait->timeout))
    wait = Wait{*said_at_, patience, true};
  return wait;
}

std::optional<int64_t> Answer::deadline() const {
  const std::optional<Wait> next = wait();
  return next ? std::optional(next->since + next->timeout) : std::nullopt;
}

void Answer::shift_deadline(int64_t gap) {
  if (!is_open()) return;
  waiting_since_ = waiting_since_ ? *waiting_since_ + gap : *log_.now();
  if (said_at_) *said_at_ += gap;
}

std::optional<TurnError> Answer::expire() {
  const int64_t now = *log_.now();
  for (auto next = wait(); next && now - next->since >= next->timeout; next = wait()) {
    const bool host_was_busy = now - next->since > next->timeout + kBusyMs && now - *waiting_since_ > kBusyMs;
    if (!late_ && host_was_busy) {
      late_ = true;
      (next->says_nothing ? said_at_ : waiting_since_) = now - next->timeout + std::min(next->timeout, kSilenceMs);
    } else if (has_ended()) {
      cut("ended");  // the host did not stop reading at "round"
    } else if (log_.finish() != Finish::none || reader_->refusal() != WireReader::Refusal::none) {
      reader_->end();
      conclude(true);  // its reader has reported the end before, and does not do so again
      said_at_.reset();
    } else {
      const bool begun = state_ >= AnswerState::streaming;
      return TurnError{begun ? "idle_timeout" : "first_byte_timeout",
                       next->says_nothing ? with_commas(empty_bytes_) + " bytes came, and none of them said anything"
                                          : "the provider sent nothing for " + std::to_string(next->timeout) + " ms",
                       "", !shown_, false};
    }
  }
  return std::nullopt;
}

}  // namespace sluice
