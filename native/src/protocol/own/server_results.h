// Results that a server writes into the answer, which ran the calls itself (observeOnly): a block of entries, each with
// the name of a tool, a status and what the tool returned. To the scanner it is a protocol: each entry comes as a call
// of that name, its arguments {"status":"success"|"error"|"timeout"|"denied","output":"..."}; an entry of a summary has
// "summary":true as well.
#pragma once

#include <vector>

#include "protocol/block.h"

namespace sluice {

inline constexpr std::string_view kServerResults = "server_results";

// How such a block is written.
struct ResultFormat {
  std::string open, close;
  // What a line of an entry begins with. A name begins an entry; what was returned goes on to the next name.
  std::string name, status, body;
  // Words in a status: the call succeeded, ran out of time, was refused. Any other status is an error; an entry without
  // a status is a success. Empty: no status says so.
  std::string success, timeout = {}, denied = {};
  // What may stand around the block, and is not shown. Empty: nothing.
  std::string before = {}, behind = {};
  // Of a summary, whose entries are no lines: what stands between two entries, and behind the last one (may be empty).
  // `name` is then the pattern of an entry: {name}, {status} and {body}, with the text between them. `body` is what the
  // value of {body} may begin with, and what is left out of it.
  std::string separator = {}, end = {};
  bool lines = false;  // a line end separates entries as well

  bool is_summary() const { return !separator.empty(); }
};

// All that a server writes.
struct ServerFormat {
  std::vector<ResultFormat> results;
  // Marks that are never shown. One that is alone on its line takes the line along.
  std::vector<std::string> marks = {};
};

// Results, summaries and marks as VCP servers write them.
ServerFormat vcp_server();

// Returns whether the pattern holds {name}, no placeholder twice, and text between any two of them.
bool is_entry_pattern(std::string_view pattern);

std::shared_ptr<const Protocol> make_server_results(ServerFormat format);

}  // namespace sluice
