// Fences whose whole body is calls (CodeMode::whole). They are calls only as the last thing of an answer that ended
// well: until then the text is held back, then the fences are read again.
#include <algorithm>

#include "base/ascii.h"
#include "protocol/scan/scanner.h"

namespace sluice {

// Under CodeMode::whole a fence that calls a tool that does not exist is an example.
bool Scanner::calls_tools() const {
  if (block_.protocol->code() != CodeMode::whole || rules_.tools.names().empty()) return true;
  const std::vector<ParsedCall> &calls = block_.reader->calls;
  return std::all_of(calls.begin(), calls.end(),
                     [this](const ParsedCall &call) { return rules_.tools.known(call.name); });
}

// How many bytes from the block (in text: from at_) on may be held back with the fences.
size_t Scanner::fence_room() const {
  const Offset here = mode_ == Mode::block ? block_.from : at_;
  const size_t held = here - std::min(fence_.held.from, fence_.begin());
  return rules_.limits.candidate_bytes - std::min(rules_.limits.candidate_bytes, held);
}

// Behind a block that begins a fence only its trailers and the end of the fence may follow.
bool Scanner::read_tail(bool ended) {
  using Kind = Markers::Kind;
  ActiveMarkers &markers = rules_.markers;
  while (at_ < kept_.end()) {
    // A token that ends a turn does not count as part of the line: the fence may still end on it.
    const size_t token = markers.begins(kept_.rest(at_), Kind::turn_end);
    if (token != 0 && (token != std::string_view::npos || !ended)) {
      if (token == std::string_view::npos) return false;
      at_ += token;
      continue;
    }
    const char c = kept_[at_];
    if ((context_.step(c) & Context::kFenceClosed) != 0) {
      end_fence();
      return true;
    }
    match_ = markers.step(match_, c);
    const int marker = markers.complete(match_);
    if (marker >= 0 && markers.kind(marker) == Kind::trailer &&
        rules_.belongs_to(marker, markers.owner(block_.opener))) {
      match_ = 0;
    } else if (context_.in_fence_words() && !is_white(c) && markers.alive(match_, Kind::trailer) == 0) {
      give_back("in_code", at_ - block_.from);
      return true;
    }
    ++at_;
    if (fence_room() == 0 && block_.protocol->code() == CodeMode::whole) {
      give_back("oversize", at_ - block_.from);
      return true;
    }
  }
  if (!ended) return false;
  if ((context_.finish() & Context::kFenceClosed) != 0) {
    end_fence();
    return true;
  }
  block_.give_reason("unterminated_block");
  release_fences();
  close_block();
  return true;
}

// The fence is closed, and its whole body is calls.
void Scanner::end_fence() {
  if (fence_.again || block_.protocol->code() != CodeMode::whole) return close_block();
  HeldFences &held = fence_.held;
  if (!held.any()) {
    held.from = fence_.begin();
    held.before = fence_.before();
  }
  held.openers.push_back({block_.from, rules_.markers.owner(block_.opener)});
  block_.reader.reset();
  fence_.leave();
  enter(Trigger::wait);
}

// Behind fences of calls: white space, tokens that end the turn, and what may be another such fence.
bool Scanner::read_ends(bool ended) {
  while (at_ < kept_.end()) {
    const char c = kept_[at_];
    const size_t token = rules_.markers.begins(kept_.rest(at_), Markers::Kind::turn_end);
    if (token == std::string_view::npos && !ended) return false;
    if (token != 0 && token != std::string_view::npos) {
      for (const Offset end = at_ + token; at_ < end; ++at_) context_.step(kept_[at_]);
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
  at_ = fence_.held.from;
  context_ = fence_.held.before;
  fence_.held = {};
  fence_.again = true;
  enter(Trigger::read);
  match_ = 0;
  quoting_.strings = {};
  ending_.forget_tokens();
}

// Something else follows the fences: they are text.
void Scanner::release_fences() {
  if (!fence_.held.any()) return;
  const HeldFences held = std::exchange(fence_.held, {});
  if (mode_ == Mode::ends) enter(Trigger::read);
  show_unheld();
  for (const HeldFences::Opener &opener : held.openers)
    output_.diagnostic("in_code", rules_.active[opener.protocol]->id(), opener.at);
}

}  // namespace sluice
