// Events that wait to be polled. Neighbouring deltas of the same block become one event; an event that lost its meaning
// is withdrawn; `seq` is given when an event is polled. Slots keep their strings: no allocation in steady state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "turn/lent_text.h"

namespace sluice {

class EventQueue {
 public:
  // Saved as numbers. Of neighbouring `progress` and `head` events of a call the last one counts.
  enum class Kind : uint8_t {
    text,
    reasoning,
    args,
    request,
    execute,
    approval,
    abort_tool,
    other,
    progress,
    head,
    refusal,     // text of such a block
    fabricated,  // the same
    ipc,
    final_answer
  };

  // More of block `key` (text, reasoning) or of the arguments of call `key`.
  void delta(Kind kind, uint32_t key, std::string_view utf8);

  // A new event: the text of a JSON object without its closing brace, to be appended to what is returned.
  std::string &open(Kind kind, uint32_t key = 0);

  // Large texts of the event that was opened last: they stand in it as if they were written at their places.
  LentTexts &lent() { return events_[tail_ - 1].lent; }

  // Takes back what nobody polled yet. True: there was one.
  bool withdraw(Kind kind, uint32_t key);
  uint64_t last_seq() const { return seq_; }
  bool waits(Kind kind, uint32_t key) const;
  // Is the event that was told last, and waits, one of this kind for `key`?
  bool is_last(Kind kind, uint32_t key) const;

  void save(std::string &out) const;  // a JSON object
  // Of the turn that it is about: an event that names something else is an error.
  struct About {
    size_t calls, blocks;
    bool done;
  };
  Status load(std::string_view saved, const About &about);

  struct Polled {
    Kind kind;
    uint32_t key;
  };
  // The next event as JSON in `out`; false: none.
  bool next(std::string &out, Polled &polled);

 private:
  struct Event {
    Kind kind = Kind::other;
    uint32_t key = 0;
    bool withdrawn = false;
    std::string text;
    LentTexts lent;
  };

  // The document with what was lent to it.
  static void write_whole(const Event &event, std::string &out);
  Event &slot();
  Event &add(Kind kind, uint32_t key);
  // The event of this kind that waits for `key`; nullptr: none. At most one of a kind that may be withdrawn does.
  Event *find(Kind kind, uint32_t key);

  std::vector<Event> events_;  // [head_, tail_) wait; the others are spare
  size_t head_ = 0, tail_ = 0;
  size_t moved_ = 0;  // events that stood in front of events_[0]: places count from the first event of the turn
  std::unordered_map<uint64_t, size_t> places_;  // kind and key → place, of what may be withdrawn
  uint64_t seq_ = 0;
};

}  // namespace sluice
