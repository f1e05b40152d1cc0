// What keeps a quotation from being a call: strings, values that a rejected block left open, code between back-ticks.
#pragma once

#include "protocol/quotation.h"
#include "protocol/scan/backtick_doubt.h"
#include "protocol/scan/context.h"
#include "protocol/scan/kept.h"
#include "protocol/scan/rules.h"

namespace sluice {

struct Quoting {
  struct Passed {
    bool over;  // the value has ended; else more text is needed
    Offset to;
  };

  // Passes over the value that is open, from `at` on.
  Passed pass(const KeptText &kept, Offset at);
  // One byte of text.
  void step(const ScanRules &rules, const KeptText &kept, Offset at) {
    if (rules.markers.any_common() || strings.bound()) strings.step(kept.before(at), kept[at]);
  }
  // No opener like this one counts in the string that is open.
  bool in_string(const ScanRules &rules, int marker) const {
    return strings.inside() && (strings.bound() || rules.markers.common(marker));
  }
  // Is the marker at `at` code, or does it wait for the end of the line to tell?
  bool is_code(int marker, Offset at, const Context &context);
  // A call here may be a part of a quotation. `in_code`: it may stand in code.
  bool doubts_call(bool in_code) const { return quoted || (quoted_in_line && !in_code); }

  void save(std::string &out, const ScanRules &rules) const;
  void load(std::string_view saved, const ScanRules &rules, const KeptText &kept, Offset at);

  StringTracker strings;
  Quotation open;               // the open value of a block that was given back
  bool quoted = false;          // what follows may be the rest of a quotation: its calls do not run
  bool quoted_in_line = false;  // the last line has an open run of back-ticks: only calls that may stand in code run
  BacktickDoubt doubt;
};

}  // namespace sluice
