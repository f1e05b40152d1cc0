// The one scanner. Text that may still mean something is kept; everything else is passed on at once, as views of the
// input. See README.md for how a byte travels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/block.h"
#include "protocol/scan/active_markers.h"
#include "protocol/scan/backtick_doubt.h"
#include "protocol/scan/context.h"
#include "protocol/scan/kept.h"
#include "protocol/scan/losses.h"
#include "protocol/scan/mode.h"
#include "protocol/scan/tag_reader.h"
#include "protocol/thought_calls.h"

namespace sluice {

class SavedReader;

// The first `bytes` of the text, less a code point that is cut there.
std::string_view whole_code_points(std::string_view text, size_t bytes);

class Scanner final : public TextScanner {
 public:
  Scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits, const ScanOptions &options,
          ScanSink &sink);
  void feed(std::string_view utf8) override;
  void lose() override;
  void interrupt() override;
  void finish(TextEnd end = TextEnd::well) override;
  void restart() override;
  bool in_call() const override { return mode_ == Mode::skip || (mode_ == Mode::block && opened_); }
  bool in_value() const override { return in_call() || (mode_ == Mode::block && (reader_->named || reader_->begun)); }
  bool in_block() const override { return mode_ == Mode::skip || mode_ == Mode::block; }
  void save(std::string &out) const override;
  void load(std::string_view saved) override;

 private:
  // An opener whose first field does not come within so many bytes was prose. A candidate up to this length is scanned
  // again behind its opener, a longer one is not: so every byte is looked at a bounded number of times.
  static constexpr size_t kProse = 1024;

  using Mode = ScanMode;
  using Trigger = ScanTrigger;
  enum class May : uint8_t { start, wait, not_here };  // of an opener
  enum class Closer : uint8_t {                        // what a closer of reasoning in the text is:
    first,                                             // only white space came before: the prompt opened the tag
    owed,                                              // something other than text opened the tag
    text,                                              // its opener was shown as text, or there was none
  };

  // -- scanner.cpp: text
  void run(bool ended);
  // Nothing else sets the mode, but for a load.
  void enter(Trigger trigger);
  void keep();
  bool read_text(bool ended);
  bool read_tag(bool ended);
  bool take_quotation();
  std::pair<bool, Offset> pass_quotation(Offset at);
  void walk(size_t to);
  size_t held() const;
  void on_effect(unsigned effect);
  void on_line_end(bool fence);
  void waited_too_long();
  void waiting_is_code();
  void report_results();
  void on_marker(int marker);
  void on_opener(int marker, size_t at);
  bool try_opener(int marker, size_t at);
  bool in_string(int marker) const { return strings_.inside() && (strings_.bound() || markers_.common(marker)); }
  May may_start(int marker, size_t at) const;
  bool may_think(size_t at) const;
  bool may_close(size_t at);
  bool is_blank_until(size_t at) const;
  bool may_trail() const;
  size_t alive_trailer() const;
  bool belongs_to(int marker, size_t protocol) const;
  void on_trailer(int marker, size_t at);
  void watch_end(char c, int marker);
  bool at_turn_end() const { return ends_ != kNowhere && ends_word_ == kNowhere; }
  bool is_code(int marker, size_t at);
  void on_reasoning_end(size_t at, size_t end, int marker);
  void start_reasoning(bool reasoning);
  void on_made_up_result(size_t at, int marker);
  void end_made_up();
  // Its blocks are read in reasoning: calls, or headers that may end it.
  bool reads_reasoning(size_t protocol) const {
    return calls_in_reasoning_ || (!inside_reasoning_ && active_[protocol]->has_channels());
  }
  bool in_draft(size_t at);
  bool closes_draft(int marker, size_t at);
  bool holds_opener(std::string_view text, bool certain = false);
  void show(size_t to);
  void show_unheld() { show(held()); }
  void drop(size_t to);
  void start_line();
  void diagnostic(std::string_view code, std::string_view detail, size_t at, std::string_view raw = {});

  // -- scanner_block.cpp: blocks
  bool read_block(bool ended);
  bool read_skip();
  void start_block(int marker, size_t at);
  void start_reader(int marker);
  BlockReader::State read_more(std::string_view block, bool ended);
  void place_calls();
  std::string_view block_text() const;
  size_t block_limit() const;
  void open_call(std::string_view name);
  void stream_arguments();
  void close_block();
  void tell_lost_bytes(size_t start, size_t end);
  std::string_view why_no_markup() const;
  bool is_draft() const { return reasoning_ && !calls_in_reasoning_ && !opened_ && !unread_; }
  void leave_to_thoughts();
  void pass_markup();
  void show_thought(const BlockReader &reader);
  void pass_hidden();
  void outgrown();
  void start_skipping();
  void give_back(std::string_view code, size_t length, bool ended = false);
  bool try_grown();
  bool may_begin() const;
  bool may_be_closed() const;
  bool says_nothing(std::string_view code, size_t decided) const;
  bool names_tool() const;
  std::vector<std::string> openers_and_trailers() const;
  void read_for_closer(std::string_view code, size_t decided);
  std::string example() const;
  void enter_strings();

  // -- scanner_fence.cpp: fences whose whole body may be calls
  bool near_fence() const;
  bool alive_fence() const;
  std::string_view fence_word() const;
  bool reads_fence(size_t protocol) const;
  bool begins_body(int marker, size_t at) const;
  bool calls_tools() const;
  bool holds_fences() const { return held_.from != kNowhere; }
  size_t fence_room() const;
  bool read_tail(bool ended);
  void end_fence();
  bool read_ends(bool ended);
  void read_fences_again();
  void release_fences();
  void leave_fence() {
    fence_ = kNowhere;
    in_body_ = false;
  }

  // -- scanner_saved.cpp
  struct SavedMode {  // where in a tag, a block or a skipped block the text is
    Mode mode;
    int tag = -1, opener = -1;  // markers
    size_t tag_at = 0, tag_read = 0, block = 0, opener_end = 0;
    bool whole = false;
  };
  template <class Self, class Field>
  static void each_number(Self &self, const Field &field);
  void load_rest(const SavedReader &reader, const SavedMode &place);
  void load_block(const SavedReader &reader, const SavedMode &place);
  void save_fences(std::string &out) const;
  void load_fences(std::string_view saved);
  void read_again();

  // -- set once
  const Protocols active_;
  const ToolView &tools_;
  const ScanLimits limits_;
  ScanSink &sink_;
  ActiveMarkers markers_;
  ByteFinder interesting_;
  const bool calls_in_reasoning_;
  const bool inside_reasoning_;
  bool thinks_ = false;  // the models of an active protocol open reasoning in mid-line, too
  bool lone_closer_is_text_ = false;
  bool any_whole_ = false;     // a fence may be a call
  bool plain_quotes_ = false;  // no marker begins with a quote: a quote only opens and closes strings
  bool any_reads_reasoning_ = false;

  // -- the text that is kept, and where the scan is in it
  KeptText kept_;
  Losses losses_;
  Offset at_ = 0;     // next byte to look at
  Offset done_ = 0;   // shown or dropped up to here
  Offset white_ = 0;  // [done_, white_) is white space that waits for its text

  // -- position in the grammar
  Mode mode_ = Mode::text;
  Context context_;
  Markers::State match_ = 0;
  bool reasoning_ = false;
  bool reasoning_open_ = false;  // this pair of tags has a block
  bool text_open_ = false;       // what was shown last is text: more text joins it
  Closer closer_ = Closer::first;
  size_t blank_at_ = kNowhere;    // offset of the first byte of its line that is not white
  LastBytes line_;                // where tags count in mid-line: the end of the line in front of the kept text
  size_t line_from_ = 0;          // where the line of line_ goes on: text before it belongs to another line
  size_t trails_ = kNowhere;      // protocol whose card closed last, while only white space followed
  size_t ends_known_ = kNowhere;  // protocol a reader of which read up to the end of the answer (BlockReader)
  int made_up_ = -1;              // marker of the made-up result that the text is in
  size_t reported_ = 0;           // diagnostics
  StringTracker strings_;
  Quotation quotation_;          // the open value of a block that was given back
  bool quoted_ = false;          // what follows may be the rest of a quotation: its calls do not run
  TextEnd end_ = TextEnd::well;  // how the answer ended
  bool quoted_in_line_ = false;  // the last line has an open run of back-ticks: only calls that may stand in code run

  std::unique_ptr<ThoughtCalls> thoughts_;  // unless calls in reasoning are calls at once

  // -- tokens that end a turn, and white space: text if anything else follows
  size_t ends_ = kNowhere;       // index of the first
  size_t ends_word_ = kNowhere;  // index of what may still become another one

  BacktickDoubt doubt_;

  // -- a fence whose whole body may be a call
  size_t fence_ = kNowhere;       // index where it begins
  size_t fence_body_ = kNowhere;  // offset of the first byte of its body that is not white
  bool in_body_ = false;
  Context before_fence_;  // in front of the fence
  // Fences that are calls if nothing but white space and tokens that end the turn follows. Then they are read again.
  struct HeldFences {
    size_t from = kNowhere;  // index where the first one begins; kNowhere: there is none
    Context before;          // in front of it
    struct Opener {
      size_t at;  // its offset
      size_t protocol;
    };
    std::vector<Opener> openers;  // of the block in each of them
  };
  HeldFences held_;
  bool again_ = false;  // the answer ended well, and they are read again

  // -- in a tag
  TagReader tag_;
  size_t tag_at_ = 0;
  size_t tag_read_ = 0;  // tag_ was given the bytes up to here
  int tag_marker_ = 0;

  // -- in a block
  std::unique_ptr<BlockReader> reader_;
  const Protocol *protocol_ = nullptr;
  int opener_ = 0;  // its marker
  size_t block_ = 0;
  size_t opener_end_ = 0;
  size_t sent_ = 0;  // of the block: raw arguments up to here were passed on
  bool opened_ = false;
  bool whole_ = false;
  Context before_;  // behind the opener
  StringTracker strings_before_;
  BlockReader::Rest rest_;  // of the readers of this opener that found no call, the furthest
  bool unread_ = false;     // no reader understood it: reader_ looks for its closer
  bool left_open_ = false;  // the end of the answer left one of them open

  // -- skipping
  Markers skip_;
  Markers::State skip_match_ = 0;
};

}  // namespace sluice
