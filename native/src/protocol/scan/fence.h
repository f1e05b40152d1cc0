// A fence whose whole body may be a call (CodeMode::whole, Marker::fence), and those that are calls only if the answer
// ends well behind them.
#pragma once

#include <vector>

#include "protocol/scan/context.h"
#include "protocol/scan/kept.h"
#include "protocol/scan/rules.h"

namespace sluice {

// Fences that are calls if nothing but white space and tokens that end the turn follows. Then they are read again.
struct HeldFences {
  struct Opener {
    Offset at;
    size_t protocol;
  };
  Offset from = kNowhere;       // where the first one begins; kNowhere: there is none
  Context before;               // in front of it
  std::vector<Opener> openers;  // of the block in each of them

  bool any() const { return from != kNowhere; }
  void save(std::string &out, const ScanRules &rules) const;
  // Nothing where the saved fences do not stand in the kept text in front of `at`.
  void load(std::string_view saved, const ScanRules &rules, const KeptText &kept, Offset at);
};

class CallFence {
 public:
  // Where it begins; kNowhere: there is none, or it was shown.
  Offset begin() const { return begin_; }
  bool known() const { return begin_ != kNowhere; }
  const Context &before() const { return before_; }
  // Its first line is over, and its end has not come.
  bool in_body() const { return in_body_; }
  // Only white space of the body came.
  bool awaits_body() const { return in_body_ && body_ == kNowhere; }

  // At `at` the run that opens one may begin.
  void may_begin(Offset at, const Context &before) {
    begin_ = at;
    before_ = before;
  }
  void on_body(Offset at) { body_ = at; }  // its first byte that is not white
  void on_opened() {
    in_body_ = true;
    body_ = kNowhere;
  }
  void on_line_end() {
    if (!in_body_) begin_ = kNowhere;
  }
  void leave() {
    begin_ = kNowhere;
    in_body_ = false;
  }
  // What stands in front of `done` was shown.
  void forget(Offset done) {
    if (begin_ < done) begin_ = kNowhere;
  }

  // It began no further in front of `at` than an opener may, and nothing of it was shown.
  bool near(const ScanRules &rules, Offset done, Offset at) const;
  // All of its body up to `at` may still be a call. `alive`: so many of the last bytes may become an opener.
  bool alive(const ScanRules &rules, const KeptText &kept, const Context &context, Offset done, Offset at,
             size_t alive) const;
  // The opener at `from`, which ends at `at`, is the first thing in a fence that may be calls.
  bool begins_body(const ScanRules &rules, const KeptText &kept, int marker, Offset from, Offset done, Offset at) const;

  void save(std::string &out, const ScanRules &rules) const;
  // A fence that does not begin in the kept text is none.
  void load(std::string_view saved, const ScanRules &rules, const KeptText &kept, Offset at);

  HeldFences held;
  bool again = false;  // the answer ended well, and the fences that were held are read again

 private:
  template <class Self, class Field>
  static void each_field(Self &self, const Field &field) {
    field("begin", self.begin_, kNowhere);
    field("body", self.body_, kNowhere);
    field("inBody", self.in_body_, false);
  }
  bool reads(const ScanRules &rules, const KeptText &kept, size_t protocol) const;

  Offset begin_ = kNowhere;
  Offset body_ = kNowhere;  // the first byte of its body that is not white
  bool in_body_ = false;
  Context before_;  // in front of the fence
};

}  // namespace sluice
