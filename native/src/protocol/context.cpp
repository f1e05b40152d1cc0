#include "protocol/context.h"

namespace sluice {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

unsigned Context::step_slowly(char c) {
  unsigned effect = 0;
  if (run_ != 0) {
    if (c == run_mark_) {
      ++run_;
      ++column_;
      return 0;
    }
    effect = end_run();
  }
  if (c == '\n' || c == '\r') return effect | end_line();
  switch (place_) {
    case Place::lead:
      if (in_fence())
        fence_lead(c);
      else
        lead(c);
      break;
    case Place::digits:
      if (is_digit(c)) break;
      if (c == '.' || c == ')') {
        place_ = Place::mark;
        break;
      }
      place_ = Place::words;
      break;
    case Place::mark: place_ = is_blank(c) ? Place::lead : Place::words; break;
    case Place::tail:
      if (!is_blank(c)) place_ = Place::words;
      break;
    default: break;
  }
  if (place_ == Place::words && c == '`' && !in_fence() && run_ == 0) {
    run_mark_ = '`';
    run_ = 1;
    fence_possible_ = false;
  }
  if (!is_blank(c)) blank_ = false;
  advance(c);
  return effect;
}

void Context::lead(char c) {
  if (is_blank(c)) return;
  if (c == '>') {
    quoted_ = true;
  } else if (c == '-' || c == '*' || c == '+') {
    place_ = Place::mark;
  } else if (is_digit(c)) {
    place_ = Place::digits;
  } else if (c == '`' || c == '~') {
    place_ = Place::run;
    run_mark_ = c;
    run_ = 1;
    run_column_ = column_;
  } else {
    place_ = Place::words;
  }
}

void Context::fence_lead(char c) {
  if (is_blank(c) || (c == '>' && fence_.quoted)) return;
  if (c == fence_.mark && column_ <= fence_.column + 3) {
    place_ = Place::run;
    run_mark_ = c;
    run_ = 1;
  } else {
    place_ = Place::words;
  }
}

unsigned Context::end_run() {
  const size_t length = run_;
  const bool first = place_ == Place::run;
  run_ = 0;
  if (in_fence()) {
    place_ = length >= fence_.length ? Place::tail : Place::words;
    return 0;
  }
  place_ = Place::words;
  if (run_mark_ == '~') {
    if (length >= 3) {
      fence_ = {length, run_column_, '~', quoted_};
      fence_possible_ = true;  // the fence is certain; its body begins with the next line
    }
    return 0;
  }
  ended_run_ = length;
  if (first && length >= 3) fence_possible_ = true;
  for (size_t i = 0; i < open_count_; ++i)
    if (open_[i] == length) {
      open_count_ = matched_ = i;
      return kRunEnded | kRunMatched;
    }
  if (open_count_ < kMaxOpen) open_[open_count_++] = length;
  return kRunEnded;
}

unsigned Context::end_line() {
  unsigned effect = kLineEnd;
  if (fence_possible_) {
    if (!in_fence()) fence_ = {open_[0], run_column_, '`', quoted_};
    effect |= kFenceOpened;
  } else if (in_fence() && place_ == Place::tail) {
    fence_ = {};
    effect |= kFenceClosed;
  }
  start_line();
  return effect;
}

}  // namespace sluice
