// The one scanner. It alone acts: it moves on in the text, enters modes, shows and drops, opens and closes cards; the
// parts of its position answer what it asks. README.md tells how a byte travels.
#pragma once

#include <memory>
#include <string>

#include "protocol/block.h"
#include "protocol/scan/context.h"
#include "protocol/scan/ending.h"
#include "protocol/scan/fence.h"
#include "protocol/scan/kept.h"
#include "protocol/scan/line.h"
#include "protocol/scan/losses.h"
#include "protocol/scan/mode.h"
#include "protocol/scan/open_block.h"
#include "protocol/scan/output.h"
#include "protocol/scan/quoting.h"
#include "protocol/scan/reasoning.h"
#include "protocol/scan/rules.h"

namespace sluice {

class SavedReader;

class Scanner final : public TextScanner {
 public:
  Scanner(const Protocols &active, const ToolView &tools, const ScanLimits &limits, const ScanOptions &options,
          ScanSink &sink);
  void feed(std::string_view utf8) override;
  void lose() override;
  void interrupt() override;
  void finish(TextEnd end = TextEnd::well) override;
  void restart() override;
  bool in_call() const override { return mode_ == Mode::skip || (mode_ == Mode::block && block_.opened); }
  bool in_value() const override {
    return in_call() || (mode_ == Mode::block && (block_.reader->named || block_.reader->begun));
  }
  bool in_block() const override { return mode_ == Mode::skip || mode_ == Mode::block; }
  std::string_view held_back() const override { return in_call() ? std::string_view() : kept_.rest(output_.done()); }
  void save(std::string &out) const override;
  void load(std::string_view saved) override;

 private:
  using Mode = ScanMode;
  using Trigger = ScanTrigger;
  enum class May : uint8_t { start, wait, not_here };  // of an opener

  // -- scanner.cpp: text
  void run(bool ended);
  // Nothing else sets the mode, but for a load.
  void enter(Trigger trigger);
  void keep();
  bool read_text(bool ended);
  bool take_quotation();
  void walk(Offset to);
  Offset held() const;
  size_t alive_marker() const;
  void on_effect(unsigned effect);
  void on_line_end(bool fence);
  void waited_too_long();
  void waiting_is_code();
  void report_results();
  bool waits_too_long() const { return quoting_.doubt.holds_more_than(rules_.limits.candidate_bytes, at_); }
  void show(Offset to);
  void show_unheld() { show(held()); }
  void go_on(Offset at);
  void start_line();

  // -- scanner_marker.cpp: markers in text, and reasoning
  void on_marker(int marker);
  void on_opener(int marker, Offset at);
  bool try_opener(int marker, Offset at);
  May may_start(int marker, Offset at) const;
  void on_think(int marker, Offset at, bool closes);
  bool may_think(Offset at) const;
  bool may_close(Offset at);
  bool is_blank_until(Offset at) const;
  size_t alive_trailer() const;
  void on_trailer(int marker, Offset at);
  bool read_tag(bool ended);
  void on_reasoning_end(Offset at, Offset end, int marker);
  void start_reasoning(bool reasoning);
  void on_made_up_result(Offset at, int marker);
  void end_made_up();
  bool in_draft(Offset at);
  bool closes_draft(int marker, Offset at);

  // -- scanner_block.cpp: blocks
  OpenBlock::Place place() const { return {ending_.trails(), line_.first()}; }
  bool read_block(bool ended);
  void on_block_closed();
  void on_markup(bool hidden);
  bool read_skip();
  void start_block(int marker, Offset at);
  std::string_view block_text() const;
  size_t block_limit() const { return block_.limit(rules_, fence_room()); }
  void open_call(std::string_view name);
  void stream_arguments();
  void close_block();
  void tell_calls(Offset start, Offset end);
  std::string_view why_no_markup() const;
  // A block in reasoning that may be a draft.
  bool is_draft() const { return reasoning_.on() && !rules_.calls_in_reasoning && !block_.opened && !block_.unread; }
  void leave_to_thoughts();
  void pass_markup();
  void show_thought(const BlockReader &reader);
  void pass_hidden();
  void outgrown();
  void start_skipping();
  void rewind_to_opener();
  void give_back(std::string_view code, size_t length, bool ended = false);
  bool try_grown();
  bool may_be_closed() const;
  void read_for_closer(std::string_view code, size_t decided);

  // -- scanner_fence.cpp: fences whose whole body may be calls
  bool fence_alive() const {
    return fence_.known() && fence_.alive(rules_, kept_, context_, output_.done(), at_,
                                          rules_.markers.alive(match_, Markers::Kind::opener));
  }
  bool calls_tools() const;
  size_t fence_room() const;
  bool read_tail(bool ended);
  void end_fence();
  bool read_ends(bool ended);
  void read_fences_again();
  void release_fences();

  // -- scanner_saved.cpp
  void load_block(const SavedReader &reader, Mode mode);
  void read_again();

  ScanRules rules_;
  // -- the text that is kept, and where the scan is in it
  KeptText kept_;
  Losses losses_;
  Offset at_ = 0;  // next byte to look at
  // -- position in the grammar
  Mode mode_ = Mode::text;
  Markers::State match_ = 0;
  Context context_;
  // -- its parts
  LineStart line_;
  ScanOutput output_;
  CallFence fence_;
  Reasoning reasoning_;
  Ending ending_;
  Quoting quoting_;
  OpenBlock block_;
  TextEnd end_ = TextEnd::well;  // how the answer ended
};

}  // namespace sluice
