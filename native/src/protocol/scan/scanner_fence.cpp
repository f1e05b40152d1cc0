// Fences whose whole body is calls (CodeMode::whole). They are calls only as the last thing of an answer that ended
// well: until then the text is held back, then the fences are read again.
#include <algorithm>

#include "base/text.h"
#include "protocol/family/words.h"
#include "protocol/scan/scanner.h"

namespace sluice {

// The fence began no further back than an opener may, and nothing of it was shown.
bool Scanner::near_fence() const {
  return fence_ != kNowhere && fence_ >= done_ && at_ - fence_ <= std::min(kProse, limits_.candidate_bytes);
}

// The whole body of the fence may still be a call.
bool Scanner::alive_fence() const {
  if (!near_fence()) return false;
  if (!in_body_) return context_.fence_possible();
  if (fence_body_ != kNowhere && at_ - markers_.alive(match_, Markers::Kind::opener) != fence_body_)
    return false;
  for (size_t i = 0; i < active_.size(); ++i)
    if (reads_fence(i)) return true;
  return false;
}

// What its first line says behind the back-ticks.
std::string_view Scanner::fence_word() const {
  std::string_view line = kept_.rest(fence_);
  line = line.substr(0, line.find_first_of("\r\n"));
  if (line.empty()) return line;
  return trim(line.substr(std::min(line.find_first_not_of(line.front()), line.size())));
}

bool Scanner::reads_fence(size_t protocol) const {
  return active_[protocol]->code() == CodeMode::whole && active_[protocol]->reads_fence(fence_word());
}

// The opener is the first thing in a fence that may be calls.
bool Scanner::begins_body(int marker, size_t at) const {
  return in_body_ && near_fence() && at == fence_body_ && reads_fence(markers_.owner(marker));
}

// Under CodeMode::whole a fence that calls a tool that does not exist is an example.
bool Scanner::calls_tools() const {
  if (protocol_->code() != CodeMode::whole || tools_.names().empty()) return true;
  return std::all_of(reader_->calls.begin(), reader_->calls.end(),
                     [this](const ParsedCall &call) { return tools_.known(call.name); });
}

// How many bytes from block_ (in text: from at_) on may be held back with the fences.
size_t Scanner::fence_room() const {
  const size_t held = (mode_ == Mode::block ? block_ : at_) - std::min(held_.from, fence_);
  return limits_.candidate_bytes - std::min(limits_.candidate_bytes, held);
}

// Behind a block that begins a fence only its trailers and the end of the fence may follow.
bool Scanner::read_tail(bool ended) {
  while (at_ < kept_.end()) {
    // A token that ends a turn does not count as part of the line: the fence may still end on it.
    const size_t token = markers_.begins(kept_.rest(at_), Markers::Kind::turn_end);
    if (token != 0 && (token != std::string_view::npos || !ended)) {
      if (token == std::string_view::npos) return false;
      at_ += token;
      continue;
    }
    const unsigned effect = context_.step(kept_[at_]);
    if ((effect & Context::kFenceClosed) != 0) {
      end_fence();
      return true;
    }
    match_ = markers_.step(match_, kept_[at_]);
    const int marker = markers_.complete(match_);
    if (marker >= 0 && markers_.kind(marker) == Markers::Kind::trailer && belongs_to(marker, markers_.owner(opener_))) {
      match_ = 0;
    } else if (context_.in_fence_words() && !is_white(kept_[at_]) &&
               markers_.alive(match_, Markers::Kind::trailer) == 0) {
      give_back("in_code", at_ - block_);
      return true;
    }
    ++at_;
    if (fence_room() == 0 && protocol_->code() == CodeMode::whole) {
      give_back("oversize", at_ - block_);
      return true;
    }
  }
  if (!ended) return false;
  if ((context_.finish() & Context::kFenceClosed) != 0) {
    end_fence();
    return true;
  }
  for (ParsedCall &call : reader_->calls)
    if (call.reason.empty()) call.reason = "unterminated_block";
  release_fences();
  close_block();
  return true;
}

// The fence is closed, and its whole body is calls.
void Scanner::end_fence() {
  if (again_ || protocol_->code() != CodeMode::whole) return close_block();
  if (!holds_fences()) {
    held_.from = fence_;
    held_.before = before_fence_;
  }
  held_.openers.push_back({block_, markers_.owner(opener_)});
  reader_.reset();
  leave_fence();
  enter(Trigger::wait);
}

// Behind fences of calls: white space, tokens that end the turn, and what may be another such fence.
bool Scanner::read_ends(bool ended) {
  while (at_ < kept_.end()) {
    const char c = kept_[at_];
    const size_t token = markers_.begins(kept_.rest(at_), Markers::Kind::turn_end);
    if (token == std::string_view::npos && !ended) return false;
    if (token != 0 && token != std::string_view::npos) {
      for (const size_t end = at_ + token; at_ < end; ++at_) context_.step(kept_[at_]);
    } else if (is_white(c)) {
      context_.step(c);
      ++at_;
    } else {
      enter(Trigger::read);
      match_ = 0;
      if (c != '`' && c != '~') release_fences();
      return true;
    }
    if (fence_room() != 0) continue;
    release_fences();
    return true;
  }
  if (!ended) return false;
  if (end_ == TextEnd::well)
    read_fences_again();
  else
    release_fences();
  return true;
}

// The answer ended well, so they are calls.
void Scanner::read_fences_again() {
  at_ = held_.from;
  context_ = held_.before;
  held_ = {};
  again_ = true;
  enter(Trigger::read);
  match_ = 0;
  strings_ = {};
  ends_ = ends_word_ = kNowhere;
}

// Something else follows the fences: they are text.
void Scanner::release_fences() {
  if (!holds_fences()) return;
  const std::vector<HeldFences::Opener> openers = std::move(held_.openers);
  held_ = {};
  if (mode_ == Mode::ends) enter(Trigger::read);
  show_unheld();
  for (const HeldFences::Opener &opener : openers) diagnostic("in_code", active_[opener.protocol]->id(), opener.at);
}

}  // namespace sluice
