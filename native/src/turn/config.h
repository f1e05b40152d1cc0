// The members of the configuration that an engine gives as defaults and a turn may replace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protocol/profiles.h"
#include "protocol/protocol.h"
#include "tools/approval.h"
#include "tools/discovery.h"
#include "turn/wording.h"

namespace sluice {

enum class Mode : uint8_t { native, text, automatic };
enum class Inject : uint8_t { by_protocol, top, bottom, off };

struct Limits {
  size_t argument_bytes = 16777216;
  size_t text_bytes = 8388608;
  size_t result_bytes = 16777216;
  size_t candidate_bytes = 65536;
  size_t depth = 128;
  size_t calls_per_round = 128;
  size_t line_bytes = 33554432;
  size_t blocks = 100000;
};

struct Config {  // names and defaults: engine.md §5
  Exposure exposure;
  Mode mode = Mode::automatic;
  Protocols protocols;            // the active ones; vcp unless told
  bool auto_protocol = false;     // in front of them, the one that the model's name asks for: choose_protocol
  bool protocol_chosen = false;   // it is there
  std::string unknown_model;      // nothing was known about it
  Declarations declared;          // protocols of the host's own
  std::vector<Profile> profiles;  // the host's own, in front of the built-in ones
  Protocols also_parse;
  std::map<const Protocol *, std::string> protocol_texts;  // of each: what make_protocol was given
  bool fall_back_to_text = false;                          // autoFallback
  bool user_mediated = false;                              // loop
  Inject inject = Inject::by_protocol;
  bool dispatch_block = false;
  bool stop_after_call = false;
  bool parallel = false;
  uint32_t max_concurrent = 4;
  bool one_by_one = false;
  bool confirm_all = false;
  std::optional<ResultApproval> result_approval;
  std::vector<Rule> rules;
  uint32_t max_rounds = 5;
  bool force_final_answer = true;
  uint32_t max_calls = 32;
  uint32_t repeat_limit = 3;
  int64_t timeout_ms = 30000;
  int64_t approval_timeout_ms = 0;
  int64_t first_byte_timeout_ms = 300000;
  int64_t idle_timeout_ms = 90000;
  bool report_malformed = true;
  size_t result_max_bytes = 65536;
  bool results_as_tool_role = false;
  bool starts_in_reasoning = false;
  bool calls_in_reasoning = false;  // reasoningCalls: execute
  bool ask_usage = false;           // usage
  Wording words;
  std::string definitions;  // the host's own, in place of those that the protocol writes
  bool check_final = false;
  std::string seal;                                // of the protocols that can be sealed; empty: none
  Protocols unsealed;                              // those of them that are active, without it: seal_protocols
  std::string observed;                            // observeOnly, as the host wrote it; empty: false
  std::shared_ptr<const Protocol> server_results;  // observeOnly: how a server writes them; nullptr: calls run here
  Limits limits;
};

// Reads the members of `document` (checked JSON object text) over what `config` already holds: a turn's document over
// the engine's defaults. `limits` and `toolToggles` merge. `own`: members that the caller reads itself (tools, wire,
// ...). A member that is not known is an error with its path; "x-..." is ignored.
Status read_config(std::string_view document, const std::vector<std::string_view> &own, Config &config);

// The configuration as read_config would take it, defaults included; without rules, which are decisions of people.
void write_config(const Config &config, std::string &out);

// An array of rules; paths are relative to it.
Status read_rules(std::string_view value, std::vector<Rule> &out);

// The protocols of an answer that was saved while it was open.
Status read_saved_protocols(std::string_view list, Config &config, Protocols &out);

// protocol: "auto" → the protocol of this model, and what else its profile says. Once per turn.
Status choose_protocol(std::string_view model, Config &config);

// Refuses a declared protocol that begins its calls as another one does that the turn reads.
Status check_protocols(const Config &config, const ToolView &tools);

// Gives the active protocols the seal. Once per turn, behind choose_protocol.
Status seal_protocols(Config &config);

// limits.depth of a document, read before anything deeper is looked at: the document must pass check_json with it.
size_t document_depth(std::string_view text, size_t fallback);

}  // namespace sluice
