// The members of the configuration that an engine gives as defaults and a turn may replace.
#pragma once

#include <cstdint>
#include <functional>
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
#include "wire/text_fallback.h"
#include "wire/wire.h"

namespace sluice {

enum class Mode : uint8_t { native, text, automatic };
enum class Dispatch : uint8_t { round, block, end };
// What becomes of a picture that the model made, where the provider's own item does not go back: it goes as a message
// of the user, or its model reads that it was made. `automatic`: as a message where the conversation has other
// pictures.
enum class MadePictures : uint8_t { automatic, send, name };
enum class Inject : uint8_t { by_protocol, top, bottom, off };

// The most that `limits.callsPerRound` may be: each call costs some hundred bytes, and a card.
inline constexpr int64_t kMostCallsPerRound = 4096;
// The most that `limits.nested` may be: messages are written card within card.
inline constexpr int64_t kMostNested = 16;

struct Limits {
  size_t argument_bytes = 16777216;
  size_t text_bytes = 8388608;
  size_t result_bytes = 16777216;
  size_t candidate_bytes = 65536;
  size_t depth = 128;
  size_t calls_per_round = 128;
  size_t line_bytes = 33554432;
  size_t blocks = 100000;
  size_t nested = 4;  // how deep tools call tools
};

// The format that a model writes calls in beside native ones: read in mode auto if the host says nothing.
enum class ModelFormat : uint8_t { unsaid, read, unread };

// Members and defaults are listed in js/docs/options.md. A comment names the member where the field has another name.
struct Config {
  Exposure exposure;  // enabled, toolToggles, defaultToolEnabled
  NameRules names;
  Mode mode = Mode::automatic;
  Protocols protocols;            // protocol: the active ones; vcp if none is given
  bool auto_protocol = false;     // protocol: "auto": choose_protocol puts the model's own one first
  bool protocol_chosen = false;   // choose_protocol did
  std::string unknown_model;      // the model's name, if no profile matched it
  Declarations declared;          // protocols: the host's own
  std::vector<Profile> profiles;  // the host's own: they come before the built-in ones
  bool protocol_named = false;    // protocol has a format that the host chose
  Protocols also_parse;
  ModelFormat model_format = ModelFormat::unsaid;  // alsoParse: "auto"
  // The format that "auto" reads, set by make_model_format; nullptr: none.
  std::shared_ptr<const Protocol> model_protocol;
  std::map<const Protocol *, std::string> protocol_texts;  // what make_protocol was given for each
  uint8_t fallback_reasons = 0;                            // autoFallback: a set of FallbackReason
  bool user_mediated = false;                              // loop
  Inject inject = Inject::by_protocol;
  Dispatch dispatch = Dispatch::round;
  bool stop_after_call = false;
  bool parallel = false;
  uint32_t max_concurrent = 4;
  bool one_by_one = false;
  bool confirm_all = false;
  std::optional<ResultApproval> result_approval;
  std::vector<Rule> rules;
  uint32_t max_rounds = 5;
  uint32_t max_requests = 0;  // 0: no limit
  bool force_final_answer = true;
  uint32_t max_calls = 32;
  uint32_t repeat_limit = 3;
  int64_t timeout_ms = 30000;
  int64_t approval_timeout_ms = 0;
  int64_t first_byte_timeout_ms = 300000;
  int64_t idle_timeout_ms = 90000;
  CacheWish cache;
  std::map<std::string, Finish, std::less<>> finish_reasons;  // finishReasons; keys in lower case
  bool report_malformed = true;
  size_t result_max_bytes = 65536;
  bool results_as_tool_role = false;
  MadePictures made_pictures = MadePictures::automatic;
  bool tell_provided = true;  // providerCards: what the provider's tools did is told to other providers as text
  bool starts_in_reasoning = false;
  bool calls_in_reasoning = false;  // reasoningCalls: execute
  bool ask_usage = false;           // usage
  Wording words;
  std::string definitions;  // the host's own guide to its tools; empty: the protocol writes one
  bool check_final = false;
  bool check_arguments = false;  // the host resolves the arguments of each call before the gate judges it
  std::string seal;              // empty: none
  Protocols unsealed;            // what seal_protocols replaced, without the seal
  std::string observed;          // observeOnly as the host wrote it; empty: false
  std::shared_ptr<const Protocol> server_results;  // observeOnly: reads the server's results; nullptr: calls run here
  Limits limits;
};

// Reads the members of `document` (text of a checked JSON object) into `config`, which holds the defaults: a turn's
// members replace the engine's, `limits` and `toolToggles` merge. `own`: members that the caller reads itself (tools,
// wire, ...). An unknown member is an error with its path, unless its name begins with "x-".
Status read_config(std::string_view document, const std::vector<std::string_view> &own, Config &config);

// Writes the configuration, defaults included, as read_config reads it; without rules, which are decisions of users.
void write_config(const Config &config, std::string &out);

// Reads an array of rules. Paths in errors are relative to it.
Status read_rules(std::string_view value, std::vector<Rule> &out);

// Reads the protocols of an answer that was saved while it was open.
Status read_saved_protocols(std::string_view list, Config &config, Protocols &out);

// With protocol: "auto", puts the protocol of this model first, and applies the rest of its profile. Called once per
// turn.
Status choose_protocol(std::string_view model, Config &config);

// Refuses a declared protocol whose calls begin like those of another protocol that the turn reads.
Status check_protocols(const Config &config, const ToolView &tools);

// Joins the tags of `protocol` and those of `alsoParse`, where both read tags.
Status join_parsed_tags(Config &config);

// Gives the active protocols the seal. Called once per turn, after choose_protocol.
Status seal_protocols(Config &config);

bool has_protocol(const Protocols &protocols, std::string_view id);

// With alsoParse: "auto", makes model_protocol: the format that the host named in `protocol`; else that of the model's
// profile, of which calls in code, and calls of names that are not `exposed`, are text. Called once per turn, last.
Status make_model_format(std::string_view model, std::string_view wire, const ToolView &tools,
                         std::function<bool(std::string_view)> exposed, Config &config);

// Reads limits.depth of a document before the rest: the document must then pass check_json with it, but for the
// metadata of a turn's messages.
size_t document_depth(std::string_view text, size_t fallback);

}  // namespace sluice
