#include "turn/config.h"

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/reading.h"
#include "protocol/own/server_results.h"
#include "protocol/own/tag_rules.h"
#include "protocol/seal.h"
#include "turn/name_settings.h"
#include "turn/server_settings.h"

namespace sluice {
namespace {

constexpr int64_t kMostDepth = 1024;  // of limits.depth: code that recurses into JSON must not overflow the stack

constexpr Choice<Mode> kModes[] = {{"native", Mode::native}, {"text", Mode::text}, {"auto", Mode::automatic}};
constexpr Choice<Inject> kInjects[] = {{"top", Inject::top}, {"bottom", Inject::bottom}, {"off", Inject::off}};
constexpr Choice<ResultApproval> kResultApprovals[] = {
    {"never", ResultApproval::never}, {"on_error", ResultApproval::on_error}, {"always", ResultApproval::always}};
// Errors after which mode auto may go on in mode text; "text" means all of them.
constexpr Choice<FallbackReason> kFallbackReasons[] = {
    {to_text(FallbackReason::tools_unsupported), FallbackReason::tools_unsupported},
    {to_text(FallbackReason::signature), FallbackReason::signature},
    {to_text(FallbackReason::bad_template), FallbackReason::bad_template},
    {to_text(FallbackReason::schema), FallbackReason::schema}};
constexpr Choice<Dispatch> kDispatches[] = {
    {"round", Dispatch::round}, {"block", Dispatch::block}, {"end", Dispatch::end}};
// Pairs of choices; the second one sets the flag.
constexpr Choice<bool> kLoops[] = {{"automatic", false}, {"user_mediated", true}};
constexpr Choice<bool> kExecutions[] = {{"serial", false}, {"parallel", true}};
constexpr Choice<bool> kQuestionOrders[] = {{"together", false}, {"one_by_one", true}};
constexpr Choice<bool> kMalformed[] = {{"drop", false}, {"report", true}};
constexpr Choice<bool> kResultRoles[] = {{"user", false}, {"tool", true}};
constexpr Choice<MadePictures> kMadePictures[] = {
    {"auto", MadePictures::automatic}, {"send", MadePictures::send}, {"name", MadePictures::name}};
constexpr Choice<bool> kProviderCards[] = {{"text", true}, {"off", false}};
constexpr Choice<bool> kReasoningCalls[] = {{"ignore", false}, {"execute", true}};

std::string indexed(size_t i) { return "[" + std::to_string(i) + "]"; }

bool is_null(std::string_view value) { return json_kind(value) == 'n'; }

constexpr std::string_view kTags = "inline_tags";

// Adds the rules of a configuration of inline_tags to those of a protocol. An app and its tools bring rules each.
Status join_tags(std::string_view more, Config &config, std::shared_ptr<const Protocol> &tags) {
  std::string joined;
  if (Status status = join_tag_rules(config.protocol_texts.at(tags.get()), more, joined); !status.ok()) return status;
  if (Status status = make_protocol(joined, config.declared, tags); !status.ok()) return status;
  config.protocol_texts[tags.get()] = joined;
  return {};
}

Status read_protocol(std::string_view value, Config &config, Protocols &out) {
  const char kind = json_kind(value);
  if (kind != '"' && kind != '{') return unexpected(value, "a protocol: an id, or an object with one");
  std::shared_ptr<const Protocol> protocol;
  Status status = make_protocol(trim_json(value), config.declared, protocol);
  if (!status.ok()) return status;
  for (auto &other : out) {
    if (other->id() == kTags && protocol->id() == kTags) return join_tags(trim_json(value), config, other);
    if (other->id() == protocol->id()) return unexpected(value, "each protocol once");
  }
  config.protocol_texts[protocol.get()] = trim_json(value);
  out.push_back(std::move(protocol));
  return {};
}

bool is_auto(std::string_view value) { return json_kind(value) == '"' && json_text(trim_json(value)) == "auto"; }

// `by_model`: becomes true if one of them is "auto"; nullptr: "auto" is not allowed.
Status read_protocols(std::string_view value, Config &config, Protocols &out, bool *by_model) {
  out.clear();
  JsonSlices slices(value);
  for (size_t i = 0; slices.next(); ++i) {
    if (by_model != nullptr && is_auto(slices.value())) {
      *by_model = true;
      continue;
    }
    Status status = read_protocol(slices.value(), config, out);
    if (!status.ok()) return std::move(status).inside(indexed(i));
  }
  return {};
}

Status read_profile(std::string_view value, const Declarations &declared, Profile &out) {
  static const std::vector<std::string_view> kNames = {"match", "protocol", "startsInReasoning", "resultRole"};
  if (json_kind(value) != '{') return unexpected(value, "an object with match and protocol");
  for (JsonSlices member(value); member.next();) {
    const std::string name = member.key_text();
    Status status;
    if (name == "match" || name == "protocol") {
      if (json_kind(member.value()) != '"') return unexpected(member.value(), "a string").inside(name);
      (name == "match" ? out.match : out.protocol) = json_text(trim_json(member.value()));
    } else if (name == "startsInReasoning") {
      status = read_bool(member.value(), out.starts_in_reasoning);
    } else if (name == "resultRole") {
      status = read_choice(member.value(), kResultRoles, out.results_as_tool_role);
    } else if (!name.starts_with("x-")) {
      return unknown_member(name, kNames);
    }
    if (!status.ok()) return std::move(status).inside(name);
  }
  if (out.match.empty()) return unexpected(value, "a match that is not empty");
  std::shared_ptr<const Protocol> protocol;
  return make_protocol(json_string(out.protocol), declared, protocol).inside("protocol");
}

Status read_profiles(std::string_view value, const Declarations &declared, std::vector<Profile> &out) {
  if (json_kind(value) != '[') return unexpected(value, "an array of profiles");
  out.clear();
  JsonSlices slices(value);
  for (size_t i = 0; slices.next(); ++i) {
    Status status = read_profile(slices.value(), declared, out.emplace_back());
    if (!status.ok()) return std::move(status).inside(indexed(i));
  }
  return {};
}

}  // namespace

Status read_rules(std::string_view value, std::vector<Rule> &out) {
  if (json_kind(value) != '[') return unexpected(value, "an array of rules");
  out.clear();
  JsonSlices slices(value);
  for (size_t i = 0; slices.next(); ++i) {
    Status status = read_rule(slices.value(), out.emplace_back());
    if (!status.ok()) return std::move(status).inside(indexed(i));
  }
  return {};
}

namespace {

Status read_toggles(std::string_view value, Exposure &out) {
  if (json_kind(value) != '{') return unexpected(value, "an object of true | false");
  JsonSlices slices(value);
  while (slices.next()) {
    std::string name = slices.key_text();
    bool on = false;
    Status status = read_bool(slices.value(), on);
    if (!status.ok()) return std::move(status).inside(name);
    out.toggles.insert_or_assign(std::move(name), on);
  }
  return {};
}

struct LimitMember {
  std::string_view name;
  size_t Limits::*limit;
  int64_t least = 1;
  int64_t most = kMostWhole;
};

constexpr LimitMember kLimits[] = {
    {"argumentBytes", &Limits::argument_bytes},  {"textBytes", &Limits::text_bytes},
    {"resultBytes", &Limits::result_bytes},      {"candidateBytes", &Limits::candidate_bytes},
    {"depth", &Limits::depth, 1, kMostDepth},    {"callsPerRound", &Limits::calls_per_round, 1, kMostCallsPerRound},
    {"lineBytes", &Limits::line_bytes},          {"blocks", &Limits::blocks},
    {"nested", &Limits::nested, 0, kMostNested},
};

Status read_limits(std::string_view value, Limits &out) {
  if (json_kind(value) != '{') return unexpected(value, "an object");
  for (JsonSlices slices(value); slices.next();) {
    const std::string name = slices.key_text();
    const auto *const known =
        std::find_if(std::begin(kLimits), std::end(kLimits), [&](const LimitMember &one) { return one.name == name; });
    if (known == std::end(kLimits)) {
      if (name.starts_with("x-")) continue;
      std::vector<std::string_view> names;
      for (const LimitMember &one : kLimits) names.push_back(one.name);
      return unknown_member(name, names);
    }
    int64_t limit = 0;
    if (Status status = read_whole(slices.value(), known->least, known->most, limit); !status.ok())
      return std::move(status).inside(name);
    constexpr uint64_t kHolds = std::numeric_limits<size_t>::max();
    out.*known->limit = static_cast<size_t>(std::min(static_cast<uint64_t>(limit), kHolds));
  }
  return {};
}

// Reads entries: what stands between the entries of a summary, and behind the last one.
Status read_entries(std::string_view value, ResultFormat &out) {
  if (json_kind(value) != '{') return unexpected(value, "an object with separator and end");
  for (JsonSlices given(value); given.next();) {
    const std::string name = given.key_text();
    if (name.starts_with("x-")) continue;
    if (name != "separator" && name != "end") return unknown_member(name, {"separator", "end"});
    std::string &text = name == "end" ? out.end : out.separator;
    if (Status status = read_text(given.value(), text); !status.ok()) return std::move(status).inside(name);
  }
  if (out.separator.empty()) return error(Code::json, "expected a text that is not empty", "separator");
  return {};
}

Status read_result_format(std::string_view value, ResultFormat &out) {
  if (json_kind(value) != '{') return unexpected(value, "an object with open, close, name and body");
  const std::pair<std::string_view, std::string *> members[] = {
      {"open", &out.open},       {"close", &out.close},     {"name", &out.name},     {"status", &out.status},
      {"success", &out.success}, {"timeout", &out.timeout}, {"denied", &out.denied}, {"body", &out.body},
      {"before", &out.before},   {"behind", &out.behind}};
  std::vector<std::string_view> known = {"entries"};
  for (const auto &member : members) known.push_back(member.first);
  for (JsonSlices given(value); given.next();) {
    const std::string name = given.key_text();
    if (name.starts_with("x-")) continue;
    if (name == "entries") {
      if (Status status = read_entries(given.value(), out); !status.ok()) return std::move(status).inside(name);
      continue;
    }
    const auto member =
        std::find_if(std::begin(members), std::end(members), [&](const auto &one) { return one.first == name; });
    if (member == std::end(members)) return unknown_member(name, known);
    if (Status status = read_text(given.value(), *member->second); !status.ok()) return std::move(status).inside(name);
  }
  const bool summary = out.is_summary();
  for (const auto &[name, text] : members)
    if (text->empty() && (name == "open" || name == "close" || name == "name" || (name == "body" && !summary)))
      return error(Code::json, "expected a text that is not empty", std::string(name));
  if (summary) {
    for (const auto &[name, text] : members)
      if (!text->empty() && (name == "status" || name == "body"))
        return error(Code::json, "expected it in the pattern of name, since there are entries", std::string(name));
    if (!is_entry_pattern(out.name))
      return error(Code::json, "expected a pattern like {name} {status} ({body})", "name");
  }
  const bool status = summary ? out.name.find("{status}") != out.name.npos : !out.status.empty();
  if (status == out.success.empty())
    return error(Code::json, "expected status and success together", status ? "success" : "status");
  return {};
}

// One format, or a list of them.
Status read_results(std::string_view value, std::vector<ResultFormat> &out) {
  if (json_kind(value) != '[') return read_result_format(value, out.emplace_back());
  size_t index = 0;
  for (JsonSlices given(value); given.next(); ++index)
    if (Status status = read_result_format(given.value(), out.emplace_back()); !status.ok())
      return std::move(status).inside("[" + std::to_string(index) + "]");
  if (out.empty()) return unexpected(value, "an object with open, close, name and body, or a list of them");
  return {};
}

// Reads observeOnly: a boolean, or {"results": ...} if the server writes results in its own format.
Status read_observed(std::string_view value, Config &config) {
  config.server_results = nullptr;
  config.observed.clear();
  ServerFormat format;
  if (json_kind(value) == '{') {
    const auto results = json_member(value, "results");
    for (JsonSlices member(value); member.next();)
      if (const std::string name = member.key_text(); name != "results" && !name.starts_with("x-"))
        return unknown_member(name, {"results"});
    if (!results) return unexpected(value, "true | false | an object with results");
    if (Status status = read_results(*results, format.results); !status.ok())
      return std::move(status).inside("results");
  } else {
    bool observes = false;
    if (Status status = read_bool(value, observes); !status.ok()) return status;
    if (!observes) return {};
    format = vcp_server();
  }
  config.server_results = make_server_results(std::move(format));
  config.observed = trim_json(value);
  config.protocol_texts[config.server_results.get()] = json_string(kServerResults);
  return {};
}

// null, "text", or {"on": [reasons]}.
Status read_fallback(std::string_view value, uint8_t &out) {
  constexpr std::string_view kExpected = "null | text | an object with on";
  out = json_kind(value) == '"' && json_text(trim_json(value)) == "text" ? kEveryReason : 0;
  if (out != 0 || is_null(value)) return {};
  if (json_kind(value) != '{') return unexpected(value, kExpected);
  bool given = false;
  for (JsonSlices member(value); member.next();) {
    const std::string name = member.key_text();
    if (name.starts_with("x-")) continue;
    if (name != "on") return unknown_member(name, {"on"});
    if (json_kind(member.value()) != '[') return unexpected(member.value(), "an array of reasons").inside(name);
    given = true;
    out = 0;
    JsonSlices reasons(member.value());
    for (size_t i = 0; reasons.next(); ++i) {
      FallbackReason reason{};
      if (Status status = read_choice(reasons.value(), kFallbackReasons, reason); !status.ok())
        return std::move(status).inside(name + indexed(i));
      out = static_cast<uint8_t>(out | static_cast<uint8_t>(reason));
    }
  }
  return given ? Status() : unexpected(value, kExpected);
}

// "auto", or a list in which it may be.
Status read_also_parse(std::string_view value, Config &config) {
  bool by_model = is_auto(value);
  config.also_parse.clear();
  if (!by_model && json_kind(value) != '[') return unexpected(value, "an array of protocols, or auto");
  Status status = by_model ? Status() : read_protocols(value, config, config.also_parse, &by_model);
  config.model_format = by_model ? ModelFormat::read : ModelFormat::unread;
  return status;
}

// Reads one member. `known` becomes false if no member has this name.
Status read_member(std::string_view name, std::string_view value, Config &config, bool &known) {
  Status status;
  if (name == "enabled") return read_bool(value, config.exposure.enabled);
  if (name == "mode") {
    status = read_choice(value, kModes, config.mode);
    if (!status.ok() && json_kind(value) == '"' && json_text(trim_json(value)) == "manual")
      status.message += R"(; who runs the calls is told by "loop")";
    return status;
  }
  if (name == "protocol") {
    config.protocol_named = !is_auto(value);
    config.auto_protocol = is_auto(value);
    if (json_kind(value) != '[') {
      config.protocols.clear();
      return config.auto_protocol ? status : read_protocol(value, config, config.protocols);
    }
    status = read_protocols(value, config, config.protocols, &config.auto_protocol);
    config.protocol_named = !config.protocols.empty();
    if (status.ok() && !config.protocol_named && !config.auto_protocol)
      return unexpected(value, "at least one protocol");
    return status;
  }
  if (name == "profiles") return read_profiles(value, config.declared, config.profiles);
  if (name == "alsoParse") return read_also_parse(value, config);
  if (name == "autoFallback") return read_fallback(value, config.fallback_reasons);
  if (name == "injectTools") {
    config.inject = Inject::by_protocol;
    return is_null(value) ? Status{} : read_choice(value, kInjects, config.inject);
  }
  if (name == "loop") return read_choice(value, kLoops, config.user_mediated);
  if (name == "dispatch") return read_choice(value, kDispatches, config.dispatch);
  if (name == "stopAfterCall") return read_bool(value, config.stop_after_call);
  if (name == "observeOnly") return read_observed(value, config);
  if (name == "markerWord") return read_seal(value, config.seal);
  if (name == "execution") return read_choice(value, kExecutions, config.parallel);
  if (name == "maxConcurrentTools") return read_whole_into(value, 1, config.max_concurrent);
  if (name == "questionOrder") return read_choice(value, kQuestionOrders, config.one_by_one);
  if (name == "requireConfirmation") return read_bool(value, config.confirm_all);
  if (name == "resultApproval") {
    config.result_approval.reset();
    return is_null(value) ? Status{} : read_choice(value, kResultApprovals, config.result_approval.emplace());
  }
  if (name == "rules") return read_rules(value, config.rules);
  if (name == "toolToggles") return read_toggles(value, config.exposure);
  if (name == "defaultToolEnabled") return read_bool(value, config.exposure.default_enabled);
  if (name == "maxRounds") return read_whole_into(value, 1, config.max_rounds);
  if (name == "maxRequests")
    return is_null(value) ? (config.max_requests = 0, Status{}) : read_whole_into(value, 1, config.max_requests);
  if (name == "forceFinalAnswer") return read_bool(value, config.force_final_answer);
  if (name == "maxCalls") return read_whole_into(value, 1, config.max_calls);
  if (name == "repeatLimit") return read_whole_into(value, 1, config.repeat_limit);
  if (name == "timeoutMs") return read_whole_into(value, 0, config.timeout_ms);
  if (name == "approvalTimeoutMs") return read_whole_into(value, 0, config.approval_timeout_ms);
  if (name == "firstByteTimeoutMs") return read_whole_into(value, 0, config.first_byte_timeout_ms);
  if (name == "cache") return read_cache(value, config.cache);
  if (name == "finishReasons") return read_finish_reasons(value, config.finish_reasons);
  if (name == "idleTimeoutMs") return read_whole_into(value, 0, config.idle_timeout_ms);
  if (name == "names") return read_names(value, config.names);
  if (name == "malformed") return read_choice(value, kMalformed, config.report_malformed);
  if (name == "resultMaxBytes") return read_whole_into(value, 1, config.result_max_bytes);
  if (name == "providerCards") return read_choice(value, kProviderCards, config.tell_provided);
  if (name == "madePictures") return read_choice(value, kMadePictures, config.made_pictures);
  if (name == "resultRole") return read_choice(value, kResultRoles, config.results_as_tool_role);
  if (name == "reasoningCalls") {
    bool execute = false;
    status = read_choice(value, kReasoningCalls, execute);
    config.calls_in_reasoning = execute;
    return status;
  }
  if (name == "startsInReasoning") return read_bool(value, config.starts_in_reasoning);
  if (name == "usage") return read_bool(value, config.ask_usage);
  if (name == "words") return config.words.read(value);
  if (name == "definitions")
    return is_null(value) ? (config.definitions.clear(), status) : read_text(value, config.definitions);
  if (name == "checkFinal") return read_bool(value, config.check_final);
  if (name == "checkArguments") return read_bool(value, config.check_arguments);
  if (name == "limits") return read_limits(value, config.limits);
  known = false;
  return {};
}

constexpr std::string_view kMembers[] = {"profiles",
                                         "cache",
                                         "madePictures",
                                         "enabled",
                                         "mode",
                                         "protocol",
                                         "alsoParse",
                                         "autoFallback",
                                         "injectTools",
                                         "loop",
                                         "dispatch",
                                         "stopAfterCall",
                                         "observeOnly",
                                         "execution",
                                         "questionOrder",
                                         "rules",
                                         "maxConcurrentTools",
                                         "requireConfirmation",
                                         "resultApproval",
                                         "toolToggles",
                                         "maxRounds",
                                         "maxRequests",
                                         "defaultToolEnabled",
                                         "forceFinalAnswer",
                                         "maxCalls",
                                         "repeatLimit",
                                         "timeoutMs",
                                         "approvalTimeoutMs",
                                         "firstByteTimeoutMs",
                                         "idleTimeoutMs",
                                         "finishReasons",
                                         "names",
                                         "malformed",
                                         "resultRole",
                                         "resultMaxBytes",
                                         "providerCards",
                                         "reasoningCalls",
                                         "startsInReasoning",
                                         "usage",
                                         "markerWord",
                                         "words",
                                         "definitions",
                                         "checkFinal",
                                         "checkArguments",
                                         "limits"};

// A name that other programs use for a member.
struct Alias {
  std::string_view name, ours;
};
constexpr Alias kAliases[] = {
    {"maxIterations", "maxRounds"}, {"timeout", "timeoutMs"}, {"parallelExecution", "execution: \"parallel\""}};

Status unknown(std::string_view name, const std::vector<std::string_view> &own) {
  for (const Alias &alias : kAliases)
    if (alias.name == name)
      return error(Code::json, "unknown member; Sluice calls it " + std::string(alias.ours), std::string(name));
  std::vector<std::string_view> names(std::begin(kMembers), std::end(kMembers));
  names.insert(names.end(), own.begin(), own.end());
  return unknown_member(name, names);
}

}  // namespace

Status read_config(std::string_view document, const std::vector<std::string_view> &own, Config &config) {
  if (json_kind(document) != '{') return unexpected(document, "an object");
  JsonSlices slices(document);
  while (slices.next()) {
    const std::string name = slices.key_text();
    const std::string_view value = slices.value();
    if (name.starts_with("x-")) continue;
    if (std::find(own.begin(), own.end(), name) != own.end()) continue;
    bool known = true;
    Status status = read_member(name, value, config, known);
    if (!known) return unknown(name, own);
    if (!status.ok()) return std::move(status).inside(name);
  }
  if (config.protocols.empty() && !config.auto_protocol) return read_protocol("\"vcp\"", config, config.protocols);
  return {};
}

namespace {

template <class T, size_t N>
std::string_view text_of(const Choice<T> (&choices)[N], T value) {
  return std::find_if(choices, choices + N, [&](const Choice<T> &choice) { return choice.value == value; })->text;
}

template <class List, class Write>
void write_array(const List &list, std::string &out, Write write) {
  out += '[';
  for (const auto &item : list) {
    if (out.back() != '[') out += ',';
    write(item);
  }
  out += ']';
}

// The text that the host gave for a protocol, without the seal.
std::string_view host_text(const Config &config, const std::shared_ptr<const Protocol> &protocol) {
  for (const auto &unsealed : config.unsealed)
    if (unsealed->id() == protocol->id()) return config.protocol_texts.at(unsealed.get());
  return config.protocol_texts.at(protocol.get());
}

// "auto" alone, or first in the list.
void write_also_parse(const Config &config, std::string &out) {
  const bool by_model = config.model_format == ModelFormat::read;
  if (by_model && config.also_parse.empty()) return append_json_string(out, "auto");
  std::vector<std::string> texts;
  if (by_model) texts.push_back("\"auto\"");
  for (const auto &protocol : config.also_parse) texts.emplace_back(host_text(config, protocol));
  write_array(texts, out, [&](const std::string &text) { out += text; });
}

// Writes the protocols as the host gave them: "auto" in place of the one that choose_protocol added.
void write_protocols(const Config &config, std::string &out) {
  std::vector<std::string> texts;
  if (config.auto_protocol) texts.push_back("\"auto\"");
  for (size_t i = config.protocol_chosen ? 1 : 0; i < config.protocols.size(); ++i)
    texts.emplace_back(host_text(config, config.protocols[i]));
  if (texts.size() == 1)
    out += texts.front();
  else
    write_array(texts, out, [&](const std::string &text) { out += text; });
}

void write_profiles(const std::vector<Profile> &profiles, std::string &out) {
  write_array(profiles, out, [&](const Profile &profile) {
    ObjectWriter object(out);
    object.text("match", profile.match).text("protocol", profile.protocol);
    object.boolean("startsInReasoning", profile.starts_in_reasoning);
    object.text("resultRole", text_of(kResultRoles, profile.results_as_tool_role)).close();
  });
}

void write_toggles(const std::map<std::string, bool, std::less<>> &toggles, std::string &out) {
  out += '{';
  for (const auto &[name, on] : toggles) {
    if (out.back() != '{') out += ',';
    append_json_string(out, name);
    out += on ? ":true" : ":false";
  }
  out += '}';
}

void write_limits(const Limits &limits, std::string &out) {
  ObjectWriter object(out);
  for (const LimitMember &one : kLimits) object.number(one.name, static_cast<int64_t>(limits.*one.limit));
  object.close();
}

}  // namespace

namespace {

void write_fallback(uint8_t reasons, std::string &out) {
  if (reasons == 0 || reasons == kEveryReason) {
    out += reasons == 0 ? "null" : "\"text\"";
    return;
  }
  ListWriter on;
  for (const auto &reason : kFallbackReasons)
    if ((reasons & static_cast<uint8_t>(reason.value)) != 0) append_json_string(on.next(), reason.text);
  ObjectWriter(out).raw("on", on.array()).close();
}

}  // namespace

void write_config(const Config &config, std::string &out) {
  ObjectWriter object(out);
  const auto choice = [&](std::string_view name, const auto &choices, auto value) {
    object.text(name, text_of(choices, value));
  };
  object.boolean("enabled", config.exposure.enabled);
  choice("mode", kModes, config.mode);
  write_protocols(config, object.value("protocol"));
  write_profiles(config.profiles, object.value("profiles"));
  write_also_parse(config, object.value("alsoParse"));
  write_fallback(config.fallback_reasons, object.value("autoFallback"));
  if (config.inject == Inject::by_protocol)
    object.raw("injectTools", "null");
  else
    choice("injectTools", kInjects, config.inject);
  choice("loop", kLoops, config.user_mediated);
  choice("dispatch", kDispatches, config.dispatch);
  object.boolean("stopAfterCall", config.stop_after_call);
  choice("execution", kExecutions, config.parallel);
  object.number("maxConcurrentTools", config.max_concurrent);
  choice("questionOrder", kQuestionOrders, config.one_by_one);
  object.boolean("requireConfirmation", config.confirm_all);
  if (config.result_approval)
    choice("resultApproval", kResultApprovals, *config.result_approval);
  else
    object.raw("resultApproval", "null");
  write_toggles(config.exposure.toggles, object.value("toolToggles"));
  object.boolean("defaultToolEnabled", config.exposure.default_enabled);
  object.number("maxRounds", config.max_rounds);
  object.raw("maxRequests", config.max_requests == 0 ? "null" : std::to_string(config.max_requests));
  object.boolean("forceFinalAnswer", config.force_final_answer);
  object.number("maxCalls", config.max_calls);
  object.number("repeatLimit", config.repeat_limit);
  object.number("timeoutMs", config.timeout_ms);
  object.number("approvalTimeoutMs", config.approval_timeout_ms);
  object.number("firstByteTimeoutMs", config.first_byte_timeout_ms);
  object.number("idleTimeoutMs", config.idle_timeout_ms);
  write_cache(config.cache, object);
  write_finish_reasons(config.finish_reasons, object);
  write_names(config.names, object.value("names"));
  choice("malformed", kMalformed, config.report_malformed);
  object.number("resultMaxBytes", static_cast<int64_t>(config.result_max_bytes));
  choice("resultRole", kResultRoles, config.results_as_tool_role);
  choice("providerCards", kProviderCards, config.tell_provided);
  choice("madePictures", kMadePictures, config.made_pictures);
  choice("reasoningCalls", kReasoningCalls, config.calls_in_reasoning);
  object.boolean("startsInReasoning", config.starts_in_reasoning);
  object.boolean("usage", config.ask_usage);
  config.words.write(object.value("words"));
  object.raw("definitions", config.definitions.empty() ? "null" : json_string(config.definitions));
  object.raw("markerWord", config.seal.empty() ? "null" : json_string(config.seal));
  object.raw("observeOnly", config.observed.empty() ? "false" : config.observed);
  object.boolean("checkFinal", config.check_final);
  object.boolean("checkArguments", config.check_arguments);
  write_limits(config.limits, object.value("limits"));
  object.close();
}

Status read_saved_protocols(std::string_view list, Config &config, Protocols &out) {
  std::string others = "[";
  bool results = false, own = false;
  for (JsonSlices saved(list); saved.next();) {
    const std::string_view text = trim_json(saved.value());
    if (json_kind(text) == '[') {  // the format of the model, as make_model_format notes it
      if (config.model_protocol == nullptr || config.protocol_texts.at(config.model_protocol.get()) != text)
        return error(Code::json, "the open answer was read in another format of the model");
      own = true;
      continue;
    }
    if (text == json_string(kServerResults)) {
      results = true;
      continue;
    }
    others.append(others.size() > 1 ? "," : "").append(saved.value());
  }
  if (Status status = read_protocols(others + "]", config, out, nullptr); !status.ok()) return status;
  if (own) out.push_back(config.model_protocol);
  if (results && config.server_results == nullptr) return error(Code::json, "found results of a server, expected none");
  if (results) out.push_back(config.server_results);
  return {};
}

Status join_parsed_tags(Config &config) {
  const auto is_tags = [](const auto &protocol) { return protocol->id() == kTags; };
  const auto own = std::find_if(config.protocols.begin(), config.protocols.end(), is_tags);
  const auto also = std::find_if(config.also_parse.begin(), config.also_parse.end(), is_tags);
  if (own == config.protocols.end() || also == config.also_parse.end() || *own == *also) return {};
  const std::string more = config.protocol_texts.at(also->get());
  if (Status status = join_tags(more, config, *own); !status.ok()) return status;
  *also = *own;
  return {};
}

size_t document_depth(std::string_view text, size_t fallback) {
  // A request may hold megabytes of images: skip the second read if there is no such member.
  if (text.find("\"limits\"") == text.npos || !check_json(text, 2 * kMostDepth).ok()) return fallback;
  const auto limits = json_member(text, "limits");
  const auto depth = limits ? json_member(*limits, "depth") : std::nullopt;
  int64_t number = 0;
  return depth && read_whole(*depth, 1, kMostDepth, number).ok() ? static_cast<size_t>(number) : fallback;
}

}  // namespace sluice
