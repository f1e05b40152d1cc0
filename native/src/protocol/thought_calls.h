// Calls at the end of reasoning that nobody closed. Many models call without closing their reasoning; others draft a
// call and think on. Only the end of the answer tells which: whole calls at the end of open reasoning
// are calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/protocol.h"

namespace sluice {

class ThoughtCalls final : public ScanSink {
 public:
  // All of `active` read together; those run whose models call in open reasoning. `anywhere` (reasoningCalls: execute):
  // all of them, and drafts count. `drafts` hears of calls that do not run (in_reasoning).
  ThoughtCalls(const Protocols &active, const ToolView &tools, const ScanLimits &limits, bool anywhere = false,
               ScanSink *drafts = nullptr);
  ~ThoughtCalls() override;
  // Reasoning, of which `offset` bytes came before. A piece that does not follow the last one begins new reasoning.
  void feed(std::string_view utf8, size_t offset);
  // Here bytes of the reasoning were lost: a call that stands around this place does not run.
  void lose() {
    if (scanner_) scanner_->lose();
  }
  // The reasoning is inside a call now, in its value or anywhere in its block.
  bool in_value() const { return scanner_ && !deaf_ && scanner_->in_value(); }
  bool in_block() const { return scanner_ && !deaf_ && scanner_->in_block(); }
  // There are calls that run if the answer ends here.
  bool any() const { return !blocks_.empty(); }
  // Something other than reasoning came: the calls so far are drafts.
  void interrupt();
  // The answer was cut: nothing of it runs.
  void give_up();
  // The next reasoning has nothing to do with this one.
  void restart();
  // The answer has ended in this reasoning. Returns false if its last thing is no call.
  bool finish(ScanSink &sink);

  void save(std::string &out) const;
  void load(std::string_view saved);

 private:
  struct Block {
    std::string protocol, raw;
    size_t start = 0, end = 0;  // of the scanned text
    std::vector<ParsedCall> calls;
    std::vector<std::string> reasons, written;  // of each call
  };

  void make();
  bool may_run(std::string_view protocol) const;
  void forget();
  void tell_draft(std::string_view protocol, std::string_view raw, size_t start);
  void think_on();
  void on_scan_text(std::string_view utf8) override;
  void on_scan_reasoning(std::string_view, bool) override { think_on(); }
  void on_call_open(std::string_view, std::string_view, size_t) override {}
  void on_call_arguments(std::string_view, size_t) override {}
  void on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw, size_t start,
                     size_t end) override;
  void on_scan_diagnostic(std::string_view, std::string_view, size_t, std::string_view) override {}

  // -- set once
  Protocols active_;
  const ToolView &tools_;
  ScanLimits limits_;
  const bool anywhere_;
  ScanSink *const drafts_;
  // -- while it goes on
  std::unique_ptr<TextScanner> scanner_;  // made when the first reasoning comes
  size_t scanned_ = 0;                    // bytes it was given
  size_t next_ = 0;                       // the offset behind them
  bool lost_ = false;                     // some calls since the last text must not run
  bool deaf_ = false;  // ignores the rest of this reasoning: its beginning is not known, or a call broke off
  bool ending_ = false;
  size_t bytes_ = 0;  // of blocks_
  std::vector<Block> blocks_;
};

}  // namespace sluice
