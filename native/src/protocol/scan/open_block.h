// A block of a protocol: its opener, the reader that reads it, and what the readers of this opener came to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/scan/context.h"
#include "protocol/scan/kept.h"
#include "protocol/scan/losses.h"
#include "protocol/scan/rules.h"
#include "protocol/scan/skip.h"

namespace sluice {

struct OpenBlock {
  // What tells a reader about its place.
  struct Place {
    size_t trails = ActiveMarkers::kNobody;  // protocol of the card that only white space separates from here
    Offset line = kNowhere;                  // the first byte of the line that is not white
  };

  // Begins with the opener in [from, to).
  void begin(Offset from, Offset to, const Context &context, const StringTracker &strings);
  // A reader of the marker's protocol reads it from the beginning.
  void start_reader(const ScanRules &rules, int marker, const Place &place);
  // Reads the block once more, looking for its closer only. `code`, `decided`: why no reader understood it.
  void read_for_closer(const ScanRules &rules, const StringTracker &strings, std::string_view code, size_t decided);
  BlockReader::State read(const KeptText &kept, std::string_view block, bool ended);
  // Notes where each call's raw arguments stand in the block: the text moves until the card closes.
  void place_calls(const KeptText &kept);
  // Points them into the text again.
  void find_arguments(const KeptText &kept);

  // The reader never sees more than this, so every limit hits the same byte at any cut. It only grows: a reader may
  // have looked beyond the name. `room`: so much fences may still hold back.
  size_t limit(const ScanRules &rules, size_t room) const;
  // The byte behind a common opener may tell that no call begins.
  bool may_begin(const ScanRules &rules, const KeptText &kept) const {
    return opener_end == kept.end() || rules.markers.may_follow(opener, kept[opener_end]);
  }
  bool in_code(const ScanRules &rules) const { return rules.markers.kind(opener) == Markers::Kind::code_opener; }

  // -- of a block that no reader understood
  // Nothing follows the opener, or those that follow it.
  bool says_nothing(const KeptText &kept, std::string_view code, size_t decided) const;
  bool names_tool(const ScanRules &rules, const KeptText &kept) const;
  // The closed block holds an opener behind those that it begins with.
  bool holds_opener(ScanRules &rules, const KeptText &kept) const;
  std::vector<std::string> openers_and_trailers(const ScanRules &rules) const;
  // A call as its protocol writes it.
  std::string example() const;
  // The opener began no call, but strings in the value or tag that it began are strings all the same.
  void enter_strings(const KeptText &kept, StringTracker &strings) const;

  // -- of a block that is closed
  // The call whose arguments lost bytes is invalid; where they were lost elsewhere in [from, to), all calls are.
  void tell_losses(const KeptText &kept, const Losses &losses, Offset from, Offset to);
  void give_reason(std::string_view reason);  // to the calls that have none

  void save(std::string &out, const ScanRules &rules) const;
  // Loads all but the reader, which reads the block again. Returns false where it does not stand in the kept text in
  // front of `at`.
  bool load(std::string_view saved, ScanRules &rules, const KeptText &kept, Offset at, const Place &place);

  std::unique_ptr<BlockReader> reader;
  const Protocol *protocol = nullptr;
  int opener = 0;  // its marker
  Offset from = kNowhere;
  Offset opener_end = kNowhere;
  size_t sent = 0;      // of the block: raw arguments up to here were passed on
  bool opened = false;  // its card is open
  bool whole = false;   // it may be the whole body of a fence
  Context before;       // behind the opener
  StringTracker strings_before;
  BlockReader::Rest rest;                      // of the readers of this opener that found no call, the furthest
  bool unread = false;                         // no reader understood it: `reader` looks for its closer
  bool left_open = false;                      // the end of the answer left one of them open
  size_t ends_known = ActiveMarkers::kNobody;  // protocol a reader of which read up to the end of the answer
  Skip skip;
};

}  // namespace sluice
