// What a protocol gives the scanner: the markers its blocks begin with, and a reader for one block.
#pragma once

#include "protocol/protocol.h"
#include "protocol/quotation.h"

namespace sluice {

// Reads one block as it comes in. It holds no text: the scanner keeps the block and hands it in again, longer.
class BlockReader {
 public:
  enum class State : uint8_t {
    open,
    closed,
    rejected,  // no call: shown as it was written
    hidden,    // no call: a tag that is taken out of the text, which goes on behind it; `code` as for a rejected block
    markup,    // no call: a token of the format that is never shown, such as the beginning of reasoning
  };
  struct Note {
    std::string_view code;
    std::string detail;
    size_t at;
  };

  virtual ~BlockReader() = default;

  // Goes on where the last call stopped. `block` begins with the opener and has grown; `ended`: nothing follows, so the
  // answer cannot be `open`. Returns right behind the name, so that the scanner's limits hit the same byte at any
  // split.
  virtual State read(std::string_view block, bool ended) = 0;
  // Closes a named block at its end as it stands, for the scanner's own reason.
  virtual void cut(std::string_view block, std::string_view reason) = 0;

  // Where the scan goes on in a block that is no call: outside of every string and value that was read, and of the one
  // that is open there. Asked for when the block was rejected, by its reader or by the scanner.
  struct Rest {
    size_t at = 0;        // 0: nothing was read, no field, key, string, value or bracket: right behind the opener
    Quotation open = {};  // begins at `at`
    bool tag = false;     // a tag begins at `at`
    bool name = false;    // nothing but a name was read, so that the block's own closer may still tell what it is
  };
  virtual Rest rest(std::string_view block) const = 0;

  // -- before the first read
  bool follows = false;      // nothing but white space stands between the block and a call or a mark of its protocol
  bool begins_line = false;  // nothing but white space stands before the block on its line
  // In and out: the answer has ended, and the reader of an earlier block read all of it. No closer of a value is left
  // over behind that block.
  bool ends_known = false;

  // All positions count from the opener's first byte.
  // -- while open
  bool begun = false;  // a first field, attribute or name came: this was no prose
  bool named = false;
  std::string name;
  size_t arguments_from = 0;  // raw arguments known so far: [from, to), without what may still be the closer
  size_t arguments_to = 0;
  // -- closed
  size_t end = 0;
  bool by_end = false;            // its closer is missing: only the end of the answer says that it is complete
  std::vector<ParsedCall> calls;  // at least one
  std::vector<Note> notes;
  // A value that its own closer did not end: what it holds may be a quotation that goes on behind the block.
  size_t lost_from = 0, lost_to = 0;
  bool unsure = false;  // every call behind the block may be the rest of such a quotation
  // -- rejected
  std::string_view code;  // of the diagnostic; empty: none, this looked like nothing
  size_t decided = 0;     // the byte that decided it
  // -- hidden, markup: `end` as well
  bool reasoning = false;  // what follows is reasoning, up to a closer of it
  // A thought of the markup, without the marks around it.
  size_t thought_from = 0, thought_to = 0;

 protected:
  // What another reader found in the block is what this one found.
  void take(BlockReader &other) {
    begun = other.begun;
    named = other.named;
    name = other.name;
    arguments_from = other.arguments_from;
    arguments_to = other.arguments_to;
    end = other.end;
    by_end = other.by_end;
    ends_known = ends_known || other.ends_known;
    lost_from = other.lost_from;
    lost_to = other.lost_to;
    unsure = other.unsure;
    if (!other.calls.empty()) {
      calls = std::move(other.calls);
      notes = std::move(other.notes);
    }
    code = other.code;
    decided = other.decided;
    reasoning = other.reasoning;
    thought_from = other.thought_from;
    thought_to = other.thought_to;
  }
};

}  // namespace sluice
