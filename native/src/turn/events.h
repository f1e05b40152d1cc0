// Events that wait to be polled. Neighbouring deltas of the same block become one event. An event that no longer
// applies is withdrawn. An event gets its `seq` when it is polled. A piece of text waits as plain text, and is polled
// as JSON or as it is. Slots are used again with their strings, so that a steady stream allocates nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "turn/lent_text.h"

namespace sluice {

class EventQueue {
 public:
  // Saved as numbers. A `progress` or `head` event replaces a neighbouring one of the same call.
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
    refusal,     // text of a block with this mark
    fabricated,  // text of a block with this mark
    ipc,
    final_answer,
    commentary,       // text of a block of this phase
    of_final_answer,  // text of a block of this phase
    of_block,         // of block `key`: its sources, or a part of its media
    resolve
  };

  // Appends to block `key` (text, reasoning), or to the arguments of call `key`.
  void delta(Kind kind, uint32_t key, std::string_view utf8);

  // Opens an event. The caller appends a JSON object without its closing brace to the returned text; for `progress` the
  // plain text.
  std::string &open(Kind kind, uint32_t key = 0);

  // Large texts of the event that was opened last. They are inserted at their places when the event is polled or saved.
  LentTexts &lent() { return events_[tail_ - 1].lent; }

  // Removes an event that nobody has polled. Returns false if there is none.
  bool withdraw(Kind kind, uint32_t key);
  uint64_t last_seq() const { return seq_; }  // of the event that was polled last
  bool drained() const { return head_ == tail_; }
  bool waits(Kind kind, uint32_t key) const;
  // Is the newest event that waits of this kind and for `key`?
  bool is_last(Kind kind, uint32_t key) const;

  void save(std::string &out) const;  // a JSON object
  // The turn that the events are about. load() refuses events about other calls or blocks, and cards with other
  // arguments.
  struct About {
    size_t calls, blocks;
    bool done;
    std::function<std::string_view(size_t call)> arguments;  // as the card of a call has them
  };
  Status load(std::string_view saved, const About &about);

  struct Polled {
    Kind kind;
    uint32_t key;
  };
  // Polls the next event as JSON into `out`. Returns false if none waits.
  bool next(std::string &out, Polled &polled);

  enum class Next : uint8_t {
    none,
    piece,  // it was polled
    other,
    task  // an event that may be withdrawn
  };
  // Polls the next event if it is a piece of text without a mark: exchanges `out` for the text.
  Next next_piece(std::string &out, Polled &polled);

 private:
  struct Event {
    Kind kind = Kind::other;
    uint32_t key = 0;
    bool withdrawn = false;
    std::string text;
    LentTexts lent;
  };

  // Appends the document of a piece of text, without its closing brace.
  static void write_piece(const Event &event, std::string &out);
  // Appends the event's document with the lent texts in their places.
  static void write_whole(const Event &event, std::string &out);
  Event *front();     // the next event; nullptr: none waits
  void drop_front();  // the next event was polled
  Event &slot();
  Event &add(Kind kind, uint32_t key);
  // The waiting event of this kind, which must be one that may be withdrawn, and for `key`; nullptr: none. There is at
  // most one.
  Event *find(Kind kind, uint32_t key);

  std::vector<Event> events_;  // [head_, tail_) wait; the others are spare
  size_t head_ = 0, tail_ = 0;
  size_t moved_ = 0;  // events before events_[0]: places count from the first event of the turn
  std::unordered_map<uint64_t, size_t> places_;  // kind and key → place of the events that may be withdrawn
  uint64_t seq_ = 0;
};

}  // namespace sluice
