// Whether the text is reasoning, which tags open and close it, and the calls that models draft in it.
#pragma once

#include <memory>

#include "protocol/scan/kept.h"
#include "protocol/scan/rules.h"
#include "protocol/scan/tag_reader.h"
#include "protocol/thought_calls.h"

namespace sluice {

class Reasoning {
 public:
  enum class Tag : uint8_t {
    more,  // more of the text would tell
    none,
    opens,
    closes,
  };

  Reasoning(const ScanRules &rules, bool on);

  bool on() const { return on_; }
  // Behind a tag the other one begins.
  void begin(bool on) {
    on_ = on;
    if (on) closer_ = Closer::owed;
  }
  // What follows is text, and nothing of it came.
  void begin_text() {
    on_ = false;
    closer_ = Closer::first;
  }
  void stop() { on_ = false; }
  // A closer, or a block that holds a thought, has ended. Drafts in front of it are none any more.
  void on_end(const ScanRules &rules) {
    closer_ = rules.thinks ? Closer::text : Closer::first;
    restart();
  }

  // -- closers in the text
  // A closer in the text counts only if its opener was not shown as text.
  bool closer_is_text() const { return closer_ == Closer::text; }
  void on_opener_as_text() { closer_ = Closer::text; }
  // Text came, or waits in front of a closer.
  void on_text(const ScanRules &rules) {
    if (rules.lone_closer_is_text && closer_ == Closer::first) closer_ = Closer::text;
  }

  // -- the tag that is read
  Offset tag() const { return tag_at_; }
  int tag_marker() const { return tag_marker_; }
  Offset tag_end() const { return tag_read_; }  // behind a tag that was read
  void begin_tag(const ScanRules &rules, int marker, Offset at);
  Tag read_tag(const ScanRules &rules, const KeptText &kept, bool ended);

  // -- drafts of calls in it; none where calls in reasoning are calls at once
  bool in_draft() const { return thoughts_ && thoughts_->in_block(); }
  bool any_draft() const { return thoughts_ && thoughts_->any(); }
  void on_thought(std::string_view piece, Offset at) {
    if (thoughts_) thoughts_->feed(piece, at);
  }
  void lose() {
    if (thoughts_) thoughts_->lose();
  }
  void interrupt() {
    if (thoughts_) thoughts_->interrupt();
  }
  void restart() {
    if (thoughts_) thoughts_->restart();
  }
  // The answer has ended well; reasoning that ends in a call has ended, too.
  void finish(ScanSink &sink) {
    if (thoughts_ && thoughts_->finish(sink)) on_ = false;
  }

  // `in_tag`: also the tag. Loading returns whether it is one.
  void save(std::string &out, const ScanRules &rules, bool in_tag) const;
  bool load(std::string_view saved, const ScanRules &rules, const KeptText &kept, bool in_tag);

 private:
  enum class Closer : uint8_t {  // what a closer in the text is:
    first,                       // only white space came before: the prompt opened the tag
    owed,                        // something other than text opened the tag
    text,                        // its opener was shown as text, or there was none
  };
  template <class Self, class Field>
  static void each_field(Self &self, const Field &field) {
    field("on", self.on_, false);
    field("closer", self.closer_, Closer::first);
  }

  bool on_;
  Closer closer_ = Closer::first;
  TagReader tag_;
  Offset tag_at_ = kNowhere;
  Offset tag_read_ = kNowhere;  // tag_ was given the bytes up to here
  int tag_marker_ = 0;
  std::unique_ptr<ThoughtCalls> thoughts_;
};

}  // namespace sluice
