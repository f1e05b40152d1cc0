// What may follow a card, and what may end the turn: trailers, tokens that end a turn, results that the model made up.
#pragma once

#include "protocol/scan/context.h"
#include "protocol/scan/kept.h"
#include "protocol/scan/rules.h"

namespace sluice {

class Ending {
 public:
  // -- trailers: dropped behind a card of their protocol while only white space follows
  size_t trails() const { return trails_; }  // kNobody: no trailer counts here
  bool trails_any() const { return trails_ != ActiveMarkers::kNobody; }
  void on_card(size_t protocol) { trails_ = protocol; }
  void on_text() { trails_ = ActiveMarkers::kNobody; }
  // Trailers count where the calls of their protocol may stand.
  bool may_trail(const ScanRules &rules, const Context &context) const {
    return trails_any() && (!context.in_fence() || rules.active[trails_]->code() == CodeMode::parse);
  }

  // -- tokens that end a turn, and white space: text if anything else follows, and dropped at the end of the answer
  bool waits() const { return token_ != kNowhere; }
  Offset from() const { return token_; }  // the first of them; the text from here on is held back
  bool at_turn_end() const { return waits() && word_ == kNowhere; }
  // The byte `c` in front of `at` was read; `marker` ends with it (-1: none). `alive`: so many of the last bytes may
  // become such a token. Behind open back-ticks (`code`) a token is a quotation.
  void watch(const ScanRules &rules, char c, int marker, Offset at, size_t alive, bool code);
  void forget_tokens() { token_ = word_ = kNowhere; }

  // -- a result that the model made up
  bool in_result() const { return result_ >= 0; }
  bool ends_result(const ScanRules &rules, int marker) const {
    return in_result() && rules.markers.bytes(marker) == rules.markers.result_end(result_);
  }
  void begin_result(int marker) { result_ = marker; }
  void end_result() { result_ = -1; }

  void save(std::string &out, const ScanRules &rules) const;
  // A token that does not stand in the kept text is none.
  void load(std::string_view saved, const ScanRules &rules, const KeptText &kept);

 private:
  template <class Self, class Field>
  static void each_field(Self &self, const Field &field) {
    field("token", self.token_, kNowhere);
    field("word", self.word_, kNowhere);
  }

  size_t trails_ = ActiveMarkers::kNobody;  // protocol whose card closed last, while only white space followed
  Offset token_ = kNowhere;
  Offset word_ = kNowhere;  // what follows the tokens and may still become another one
  int result_ = -1;         // the marker that began the result
};

}  // namespace sluice
