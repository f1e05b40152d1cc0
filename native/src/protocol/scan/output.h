// What goes out: shows and drops the kept text in order, and tells diagnostics.
#pragma once

#include "protocol/protocol.h"
#include "protocol/scan/kept.h"

namespace sluice {

// The first `bytes` of the text, less a code point that is cut there.
std::string_view whole_code_points(std::string_view text, size_t bytes);

class ScanOutput {
 public:
  enum class Voice : uint8_t { text, reasoning, fabricated };
  enum class Shown : uint8_t {
    nothing,  // only white space came, which waits for its text
    more,     // text joined what was shown last
    first,    // it began a block
  };

  // `most_white`: so many bytes of white space wait.
  ScanOutput(ScanSink &sink, size_t most_white) : sink_(sink), most_white_(most_white) {}

  ScanSink &sink() { return sink_; }  // for calls
  // Shown or dropped up to here.
  Offset done() const { return done_; }
  Shown show(const KeptText &kept, Offset to, Voice voice);
  void drop(Offset to) { done_ = std::max(done_, to); }
  // The text goes on at `at`; what stands in front of it is not shown.
  void go_on(Offset at) { done_ = at; }

  // More text joins what was shown last.
  bool reasoning_open() const { return reasoning_open_; }
  void close_text() { text_open_ = false; }
  void close_reasoning() { reasoning_open_ = false; }
  void close() { text_open_ = reasoning_open_ = false; }

  // `at`: offset of the byte that it is about. A flood of them is cut.
  void diagnostic(std::string_view code, std::string_view detail, Offset at, std::string_view raw = {});

  void save(std::string &out) const;
  void load(std::string_view saved);

 private:
  template <class Self, class Field>
  static void each_field(Self &self, const Field &field) {
    field("text", self.text_open_, false);
    field("reasoning", self.reasoning_open_, false);
    field("told", self.told_, size_t{0});
  }

  ScanSink &sink_;
  const size_t most_white_;
  Offset done_ = 0;
  Offset white_ = 0;  // [done_, white_) is white space that waits for its text
  bool text_open_ = false, reasoning_open_ = false;
  size_t told_ = 0;  // diagnostics
};

}  // namespace sluice
