#include "protocol/scan/context.h"

#include <algorithm>

#include "base/ascii.h"

namespace sluice {
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
      fence_possible_ = true;  // a fence for certain: its body begins on the next line
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

void Context::save(std::vector<int64_t> &out) const {
  const auto put = [&out](auto value) { out.push_back(static_cast<int64_t>(value)); };
  for (const auto value : {column_, run_, run_column_, ended_run_, matched_, fence_.length, fence_.column}) put(value);
  for (const bool value : {blank_, quoted_, fence_possible_, fence_.quoted}) put(value);
  for (const char value : {run_mark_, fence_.mark}) put(value);
  put(place_);
  for (size_t i = 0; i < open_count_; ++i) put(open_[i]);
}

bool Context::load(const std::vector<int64_t> &saved) {
  constexpr size_t kFixed = 14;
  if (saved.size() < kFixed || saved.size() - kFixed > kMaxOpen) return false;
  size_t i = 0;
  for (size_t *value : {&column_, &run_, &run_column_, &ended_run_, &matched_, &fence_.length, &fence_.column})
    *value = static_cast<size_t>(saved[i++]);
  for (bool *value : {&blank_, &quoted_, &fence_possible_, &fence_.quoted}) *value = saved[i++] != 0;
  for (char *value : {&run_mark_, &fence_.mark}) *value = static_cast<char>(saved[i++]);
  place_ = static_cast<Place>(std::clamp<int64_t>(saved[i++], 0, static_cast<int64_t>(Place::words)));
  for (open_count_ = 0; i < saved.size(); ++i) open_[open_count_++] = static_cast<size_t>(saved[i]);
  return true;
}

}  // namespace sluice
