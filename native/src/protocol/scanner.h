// The one scanner. Text that may still mean something is kept; everything else is passed on at once, as views of the
// input. See README.md for how a byte travels.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/block.h"
#include "protocol/context.h"
#include "protocol/markers.h"
#include "protocol/thought_calls.h"

namespace sluice {

// `<think attr="x">` and `</thinking >`, from behind `<think` and `</think`.
class TagReader {
 public:
  enum class State : uint8_t { open, tag, none };
  void start(bool closing) {
    place_ = Place::name;
    closing_ = closing;
    ing_ = 0;
  }
  State step(char c);

 private:
  enum class Place : uint8_t { name, suffix, blanks, attribute, behind_attribute, behind_equals, quoted, bare };
  Place place_ = Place::name;
  bool closing_ = false;
  size_t ing_ = 0;
  char quote_ = 0;
};

class Scanner final : public TextScanner {
 public:
  Scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits, const ScanOptions &options,
          ScanSink &sink);
  void feed(std::string_view utf8) override;
  void interrupt() override;
  void finish(bool cut = false) override;
  // What comes next has nothing to do with what came.
  void restart();
  // Is it in a call that was opened? Such a call goes on behind an interruption.
  bool in_call() const { return mode_ == Mode::skip || (mode_ == Mode::block && opened_); }
  void save(std::string &out) const override;
  void load(std::string_view saved) override;

 private:
  enum class Mode : uint8_t {
    text,
    tag,  // behind `<think` or `</think`
    block,
    tail,  // behind a block that may be the whole body of its fence
    skip,  // in a block that outgrew its limit
  };
  enum class May : uint8_t { start, wait, not_here };  // of an opener
  enum class Closer : uint8_t {                        // a closer of reasoning in the text:
    first,                                             // nothing but white space came: the prompt opened the tag
    owed,                                              // what opened the tag was no text
    text,                                              // what opened it was shown, or nothing did
  };
  struct Waiting {  // an opener or closer behind an open run of back-ticks: the end of its line decides
    size_t at;      // offset
    int marker;
  };
  struct Forged {
    size_t at;
    size_t depth;  // open runs before it
  };

  void run(bool ended);
  void keep();
  bool read_text(bool ended);
  bool read_tag(bool ended);
  bool read_block(bool ended);
  BlockReader::State read_more(std::string_view block, bool ended);
  void place_calls();
  bool read_tail(bool ended);
  bool read_skip();

  void on_effect(unsigned effect);
  void on_marker(int marker);
  void on_opener(int marker, size_t at);
  bool try_opener(int marker, size_t at);
  bool pass_quotation();
  void walk(size_t to);
  bool in_string(int marker) const {
    return strings_.inside() && (strings_.bound() || common_[static_cast<size_t>(marker)]);
  }
  May may_start(int marker, size_t at) const;
  bool may_think(size_t at) const;
  bool may_close(size_t at);
  bool is_blank_until(size_t at) const;
  bool at_reasoning_start(size_t at) const;
  bool may_trail() const;
  bool belongs_to(int marker, size_t protocol) const;
  void on_trailer(int marker, size_t at);
  void watch_end(char c, int marker);
  bool at_turn_end() const { return ends_ != SIZE_MAX && ends_word_ == SIZE_MAX; }
  bool is_code(int marker, size_t at);
  void on_reasoning_end(size_t at, size_t end, int marker);
  void start_reasoning(bool reasoning);
  void on_forged(size_t at, int marker);
  void end_made_up();
  void on_line_end(bool fence);
  bool in_code_on_known_line(size_t at) const;
  void wait(size_t at, int marker);
  void waited_too_long();
  void waiting_is_code();
  void tell_forged(size_t from_depth, bool code);

  void start_block(int marker, size_t at);
  void start_reader(int marker);
  bool may_follow(int marker, char c) const;
  std::string_view block_text() const;
  size_t block_limit() const;
  void open_call(std::string_view name);
  void stream_arguments();
  void close_block();
  std::string_view why_no_markup() const;
  void pass_markup();
  void outgrown();
  void start_skipping();
  void read_again();
  void give_back(std::string_view code, size_t length, bool ended = false);
  bool may_be_closed() const;
  void read_on(std::string_view code, size_t decided);
  std::string how_to_call() const;
  void enter_strings();
  bool holds_opener(std::string_view text, bool certain = false);
  void tell_lost_bytes(std::string_view raw);

  size_t held() const;
  bool near_fence() const;
  bool alive_fence() const;
  void show(size_t to);
  void drop(size_t to);
  void new_text();
  bool live_in_reasoning(size_t protocol) const { return calls_in_reasoning_ || active_[protocol]->ends_reasoning(); }
  size_t owner(int marker) const { return owner_[static_cast<size_t>(marker)]; }
  void settle() { show(held()); }
  void diagnostic(std::string_view code, std::string_view detail, size_t at, std::string_view raw = {});
  size_t offset(size_t index) const { return base_ + index; }

  // -- set once
  const Protocols active_;
  const ToolView &tools_;
  const ScanLimits limits_;
  ScanSink &sink_;
  Markers markers_;
  ByteFinder interesting_;
  const bool calls_in_reasoning_;
  const bool inside_reasoning_;
  bool thinks_ = false;                     // a protocol whose models open reasoning in mid-line, too, is active
  std::vector<size_t> owner_;               // opener, reasoning closer, trailer → index of its protocol
  size_t openers_ = 0;                      // the first markers
  std::vector<bool> common_;                // → Marker::common
  std::vector<bool> first_;                 // → Marker::first
  std::vector<bool> fences_;                // → Marker::fence
  std::vector<bool> ends_turn_;             // marker → has the bytes of one that ends a turn
  bool begins_ = false;                     // one of them is
  std::map<int, std::string> result_ends_;  // result → Marker::end
  std::vector<std::string> next_;           // opener → Marker::next
  std::vector<int> same_;                   // → the same one of the next protocol; -1: none
  bool any_whole_ = false;
  bool any_common_ = false;
  bool plain_quotes_ = false;  // no marker begins with a quote: it only opens and closes strings
  bool any_live_in_reasoning_ = false;

  // -- the text that is kept, and where we are in it
  std::string kept_;
  std::string_view text_;  // kept_, or the piece of this call
  size_t base_ = 0;        // offset of text_[0]
  size_t at_ = 0;          // next byte to look at
  size_t done_ = 0;        // shown or dropped up to here
  size_t white_ = 0;       // [done_, white_) is white space that waits for its text

  // -- position in the grammar
  Mode mode_ = Mode::text;
  Context context_;
  Markers::State match_ = 0;
  bool reasoning_ = false;
  bool reasoning_open_ = false;  // this pair of tags has a block
  bool text_open_ = false;       // what was shown last is text: more text joins it
  Closer closer_ = Closer::first;
  size_t blank_at_ = SIZE_MAX;  // offset of the byte that is the first thing on its line
  LastBytes line_;              // where tags count in mid-line: of this text, before text_[0]
  size_t line_from_ = 0;        // index: the text before it is another one
  size_t trails_ = SIZE_MAX;    // nothing but white space since a card of this protocol: its index
  int made_up_ = -1;            // the marker of the result that the model is making up
  size_t told_ = 0;             // diagnostics
  StringTracker strings_;
  char last_ = 0;        // the byte before text_[0]
  Quotation quotation_;  // of a block that was given back
  bool quoted_ = false;  // what follows may be the rest of a quotation: its calls do not run
  bool cut_ = false;     // the answer ended before its end
  bool quoted_in_line_ =
      false;  // ... but for those that may stand in code: the last line has an open run of back-ticks

  std::unique_ptr<ThoughtCalls> thoughts_;  // of protocols that are not live in reasoning

  // -- tokens that end a turn, and white space: text where anything else follows
  size_t ends_ = SIZE_MAX;       // index of the first
  size_t ends_word_ = SIZE_MAX;  // of what may still become another one

  // -- an opener that waits for the end of its line
  bool waits_ = false;
  size_t wait_ = 0;  // index of the first
  size_t wait_depth_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<Forged> forged_;
  size_t known_until_ = 0;              // the line was read up to this offset before: its runs are known
  size_t last_run_ = 0;                 // offset behind its last run
  std::map<size_t, size_t> last_runs_;  // length → offset behind the last run of it

  // -- a fence that may hold nothing but a call
  size_t fence_ = SIZE_MAX;       // index where it begins
  size_t fence_body_ = SIZE_MAX;  // offset of the first byte of its body that is not white
  bool in_body_ = false;

  // -- in a tag
  TagReader tag_;
  size_t tag_at_ = 0;
  size_t tag_read_ = 0;  // bytes up to here were given to tag_
  bool tag_closes_ = false;
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
