#include "wire/array_frame.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/release.h"

namespace sluice {

constexpr size_t kMostBeginning = 64;         // bytes; an array begins at once
constexpr size_t kSpareElementBytes = 65536;  // a buffer larger than this is freed after its element

bool ArrayFrame::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::beginning: bytes.remove_prefix(begin(bytes)); break;
      case State::between: {
        const char c = bytes.front();
        if (c == ']') {
          state_ = State::behind;
          sink_.on_array_end();
        } else if (c != ',' && !is_white(c)) {
          state_ = State::element;
          break;
        }
        bytes.remove_prefix(1);
        break;
      }
      case State::element:
        bytes.remove_prefix(read_element(bytes));
        if (held_.size() > most_bytes_) return false;
        break;
      case State::behind:
      case State::passing: sink_.on_no_array(bytes); return true;
    }
  }
  return true;
}

// Holds what may be the beginning of an array of objects. Returns how many bytes were taken.
size_t ArrayFrame::begin(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size(); ++at) {
    const bool open = held_.find('[') != held_.npos;
    const char c = bytes[at];
    if (open && c == '{') {
      held_.clear();
      state_ = State::element;
      return at;
    }
    if ((is_white(c) || (c == '[' && !open)) && held_.size() < kMostBeginning) {
      held_ += c;
      continue;
    }
    pass();
    return at;
  }
  return bytes.size();
}

void ArrayFrame::pass() {
  state_ = State::passing;
  if (!held_.empty()) sink_.on_no_array(held_);
  held_.clear();
}

// An object ends with its bracket, anything else before a comma or the array's end.
size_t ArrayFrame::read_element(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    if (in_string_ && !escaped_) at = std::min(bytes.find_first_of("\"\\", at), bytes.size());
    if (at == bytes.size()) break;
    const char c = bytes[at];
    const bool flat = depth_ == 0 && !in_string_;
    if (flat && (c == ',' || c == ']')) break;
    ++at;
    if (in_string_) {
      const bool was_escaped = std::exchange(escaped_, false);
      if (!was_escaped && c == '\\') escaped_ = true;
      if (!was_escaped && c == '"') in_string_ = false;
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && depth_ > 0 && --depth_ == 0) {
      held_ += bytes.substr(0, at);
      end_element();
      return at;
    }
  }
  held_ += bytes.substr(0, at);
  if (at < bytes.size()) end_element();
  return at;
}

void ArrayFrame::end_element() {
  state_ = State::between;
  if (held_.size() > most_bytes_) return;
  sink_.on_element(held_);
  release_text(held_, kSpareElementBytes);
}

void ArrayFrame::finish() {
  if (state_ == State::beginning) pass();
  if (state_ == State::element && !held_.empty()) sink_.on_element(held_);
  held_.clear();
}

void ArrayFrame::drop() {
  held_.clear();
  state_ = State::behind;
  depth_ = 0;
  in_string_ = escaped_ = false;
}

void ArrayFrame::save(ObjectWriter &saved) const {
  saved.number("array", static_cast<int64_t>(state_)).number("arrayDepth", depth_);
  saved.boolean("arrayString", in_string_).boolean("arrayEscaped", escaped_);
  append_saved_bytes(saved.value("arrayHeld"), held_);
}

void ArrayFrame::load(const SavedReader &saved) {
  uint32_t state = static_cast<uint32_t>(State::passing);  // a state of before there were arrays
  saved.get("array", state);
  state_ = static_cast<State>(std::min(state, static_cast<uint32_t>(State::passing)));
  saved.get("arrayDepth", depth_);
  depth_ = std::max<int64_t>(depth_, 0);
  saved.get("arrayString", in_string_);
  saved.get("arrayEscaped", escaped_);
  saved.get("arrayHeld", held_);
}

}  // namespace sluice
