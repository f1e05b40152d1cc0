// The text that is kept: what was neither shown nor dropped, and the piece of this call. Every position in it is an
// offset in the text of the round, so that no position changes when text is forgotten.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/release.h"
#include "base/shared_text.h"
#include "base/status.h"

namespace sluice {

using Offset = size_t;  // bytes since the beginning of the round's text
inline constexpr Offset kNowhere = SIZE_MAX;

class KeptText {
 public:
  KeptText() { look_at(kept_); }
  KeptText(const KeptText &) = delete;  // it points into kept_
  KeptText &operator=(const KeptText &) = delete;

  Offset from() const { return from_; }
  Offset end() const { return end_; }
  bool empty() const { return from_ == end_; }
  // Is it a place in this text, or its end?
  bool holds(Offset at) const { return at >= from_ && at <= end_; }

  char operator[](Offset at) const { return *byte(at); }
  char before(Offset at) const { return at > from_ ? *byte(at - 1) : last_; }
  // The kept bytes between two places; none where `to` comes first.
  std::string_view view(Offset from, Offset to) const {
    from = std::max(from, from_);
    to = std::min(to, end_);
    return to > from ? std::string_view(byte(from), to - from) : std::string_view();
  }
  std::string_view rest(Offset from) const { return {byte(from), end_ - from}; }

  // Adds a piece, which must live until forget() is called.
  void append(std::string_view piece) {
    if (kept_.empty()) return look_at(piece);
    append_large(kept_, piece);
    look_at(kept_);
  }
  // Forgets what stands in front of `to`, and copies what is left of the last piece.
  void forget(Offset to) {
    if (to != from_) last_ = *byte(to - 1);
    if (byte(from_) != kept_.data())
      kept_ = rest(to);
    else if (to == end_)
      release_text(kept_, kMostUnused);
    else if (to != from_)
      kept_.erase(0, to - from_);
    from_ = to;
    look_at(kept_);
  }

  // As JSON, and back: what forget() left.
  void save(std::string &out) const;
  void load(std::string_view saved);
  static Status check(std::string_view saved);

 private:
  static constexpr size_t kMostUnused = size_t{1} << 20;  // bytes of memory that an empty text keeps

  const char *byte(Offset at) const { return reinterpret_cast<const char *>(origin_ + at); }
  void look_at(std::string_view text) {
    origin_ = reinterpret_cast<uintptr_t>(text.data()) - from_;
    end_ = from_ + text.size();
  }

  std::string kept_;
  uintptr_t
      origin_;  // where the first byte of the round's text would stand; the kept ones stand in kept_ or in the piece
  Offset from_ = 0, end_ = 0;
  char last_ = 0;  // the byte in front of from_
};

}  // namespace sluice
