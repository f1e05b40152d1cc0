// Where in a text a byte stands: line start, fence, behind open back-ticks. Byte by byte, bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

class Context {
 public:
  // What a byte did, as bits.
  enum : unsigned {
    kRunEnded = 1,    // a run of back-ticks ended before this byte: run_length()
    kRunMatched = 2,  // ... and it closed inline code: matched()
    kLineEnd = 4,
    kFenceOpened = 8,  // the line that ended here was the first of a fence
    kFenceClosed = 16,
  };

  unsigned step(char c) {
    if (idle() && c != '`' && c != '\n' && c != '\r') return 0;
    return step_slowly(c);
  }
  // The text ends: like the end of a line.
  unsigned finish() { return step_slowly('\n'); }

  // Only a back-tick or a line end would change anything.
  bool idle() const { return place_ == Place::words && run_ == 0; }
  // Nothing but blanks so far on this line.
  bool line_blank() const { return blank_; }

  // Behind the `>` that a line begins with.
  bool in_quote() const { return quoted_; }

  bool in_fence() const { return fence_.length != 0; }
  // In a fence: this line is neither empty so far nor may it close the fence.
  bool in_fence_words() const { return in_fence() && place_ == Place::words; }
  // A fence may begin on this line: where it does at its end, the whole line is code.
  bool fence_possible() const { return fence_possible_ || (place_ == Place::run && !in_fence()); }
  // What comes next may be the run of back-ticks or tildes that a fence begins with.
  bool in_lead() const { return place_ == Place::lead && !in_fence(); }

  // Inline code in doubt. open(0) is the outermost open run; open(1) is the open run in case open(0) is never closed,
  // and so on: all lengths differ, since a run of the same length would have closed the other.
  size_t open_count() const { return open_count_; }
  size_t open(size_t i) const { return open_[i]; }
  size_t run_length() const { return ended_run_; }
  // Runs from this one on were inside of the code that ended.
  size_t matched() const { return matched_; }

  // Behind a card or a reasoning tag: a new text begins, in the same fence where there is one.
  void start_line() {
    place_ = Place::lead;
    run_ = 0;
    column_ = 0;
    blank_ = true;
    quoted_ = false;
    open_count_ = 0;
    fence_possible_ = false;
  }
  // As numbers, and back.
  void save(std::vector<int64_t> &out) const;
  bool load(const std::vector<int64_t> &saved);

  // In mid-line, no run open.
  void start_words() {
    start_line();
    place_ = Place::words;
    blank_ = false;
  }

 private:
  enum class Place : uint8_t {
    lead,    // blanks, `>` and list marks
    mark,    // behind a list mark that a blank must follow
    digits,  // of a list mark
    run,     // the back-ticks or tildes that a line begins with
    tail,    // behind a closing run
    words,
  };
  struct Fence {
    size_t length = 0;  // 0: none
    size_t column = 0;
    char mark = 0;
    bool quoted = false;
  };
  // Deeper runs count as plain text; each has another length.
  static constexpr size_t kMaxOpen = 32;

  unsigned step_slowly(char c);
  unsigned end_run();
  unsigned end_line();
  void lead(char c);
  void fence_lead(char c);
  void advance(char c) { column_ = c == '\t' ? (column_ / 4 + 1) * 4 : column_ + 1; }

  // -- position in the text
  Place place_ = Place::lead;
  bool blank_ = true;
  bool quoted_ = false;
  bool fence_possible_ = false;
  char run_mark_ = 0;
  size_t column_ = 0;
  size_t run_ = 0;  // length so far of the run we are in
  size_t run_column_ = 0;
  size_t ended_run_ = 0;
  Fence fence_;
  std::array<size_t, kMaxOpen> open_{};
  size_t open_count_ = 0;
  size_t matched_ = 0;
};

}  // namespace sluice
