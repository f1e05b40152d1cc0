// Tracks where a byte stands in Markdown: at the start of a line, in a fence, after open back-ticks. Reads byte by
// byte, in bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

class Context {
 public:
  // Effects of a byte, as bits.
  enum : unsigned {
    kRunEnded = 1,    // a run of back-ticks ended before this byte: see run_length()
    kRunMatched = 2,  // ... and it closed inline code: see matched()
    kLineEnd = 4,
    kFenceOpened = 8,  // the line that ends here opened a fence
    kFenceClosed = 16,
  };

  unsigned step(char c) {
    if (idle() && c != '`' && c != '\n' && c != '\r') return 0;
    return step_slowly(c);
  }
  // Ends the text, like the end of a line.
  unsigned finish() { return step_slowly('\n'); }

  // In the words of a line, where only a back-tick or a line end has an effect.
  bool idle() const { return place_ == Place::words && run_ == 0; }
  // The line holds only blanks so far.
  bool line_blank() const { return blank_; }

  // The line begins with `>`.
  bool in_quote() const { return quoted_; }

  bool in_fence() const { return fence_.length != 0; }
  // In a fence, on a line that is not blank and does not close the fence.
  bool in_fence_words() const { return in_fence() && place_ == Place::words; }
  // This line may open a fence. If it does, the whole line is code; its end tells.
  bool fence_possible() const { return fence_possible_ || (place_ == Place::run && !in_fence()); }
  // The next byte may begin the run of back-ticks or tildes that opens a fence.
  bool in_lead() const { return place_ == Place::lead && !in_fence(); }

  // Open runs of back-ticks, each of which may begin inline code. open(0) is the outermost one; open(1) counts if
  // open(0) is never closed, and so on. All lengths differ, because a run of the same length would have closed the
  // other.
  size_t open_count() const { return open_count_; }
  size_t open(size_t i) const { return open_[i]; }
  size_t run_length() const { return ended_run_; }
  // The open runs from this index on were inside the inline code that was closed.
  size_t matched() const { return matched_; }

  // A new text begins, after a card or a reasoning tag. An open fence stays open.
  void start_line() {
    place_ = Place::lead;
    run_ = 0;
    column_ = 0;
    blank_ = true;
    quoted_ = false;
    open_count_ = 0;
    fence_possible_ = false;
  }
  // Saves and restores the position as numbers.
  void save(std::vector<int64_t> &out) const;
  bool load(const std::vector<int64_t> &saved);

  // Goes on in the middle of a line, with no run open.
  void start_words() {
    start_line();
    place_ = Place::words;
    blank_ = false;
  }

 private:
  enum class Place : uint8_t {
    lead,    // blanks, `>` and list marks
    mark,    // after a list mark, which a blank must follow
    digits,  // in the number of a list mark
    run,     // in the back-ticks or tildes at the beginning of a line
    tail,    // after the run that may close a fence
    words,
  };
  struct Fence {
    size_t length = 0;  // 0: none
    size_t column = 0;
    char mark = 0;
    bool quoted = false;
  };
  // Further open runs count as plain text.
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
  size_t run_ = 0;  // length so far of the current run; 0: none
  size_t run_column_ = 0;
  size_t ended_run_ = 0;
  Fence fence_;
  std::array<size_t, kMaxOpen> open_{};
  size_t open_count_ = 0;
  size_t matched_ = 0;
};

}  // namespace sluice
