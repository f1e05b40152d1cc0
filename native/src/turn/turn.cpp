#include "turn/turn.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>
#include <stdexcept>

#include "base/json_writer.h"
#include "base/release.h"
#include "base/sha256.h"
#include "base/text.h"
#include "protocol/marker_text.h"
#include "protocol/other_format.h"
#include "protocol/quiet_sink.h"
#include "turn/definitions.h"

namespace sluice {
namespace {

// A pause of this length, of a host that should have called long before its end, is a machine that slept and not a tool
// that hung. Timers of a host that is merely busy are late by less.
constexpr int64_t kSleepMs = 60000;
constexpr int64_t kLateMs = 10000;
// Behind a finish reason usage may still come, at once: after this silence the answer has ended, though its connection
// stays open.
constexpr int64_t kSilenceMs = 1000;
// A host that looks later than this has been busy, and what came may still lie in its socket.
constexpr int64_t kBusyMs = 100;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

constexpr std::string_view kUseText =
    "This provider or model takes no tools in the request: set \"mode\" to \"text\", which describes them in the "
    "prompt.";

// Native mode: a call in the text is not run, and a developer wants to know.
class Watcher final : public QuietSink {
 public:
  using Tell = void (*)(void *, std::string_view name, size_t start, std::string_view raw);
  Watcher(Tell tell, void *turn) : tell_(tell), turn_(turn) {}
  void on_call_close(std::string_view, std::vector<ParsedCall> &calls, std::string_view raw, size_t start,
                     size_t) override {
    if (!calls.empty()) tell_(turn_, calls.front().name, start, raw);
  }

 private:
  const Tell tell_;
  void *const turn_;
};

// How much an answer lost: what was filtered or cut stays so, whatever a gateway says behind it.
int loss(Finish finish) { return finish == Finish::content_filter ? 2 : finish == Finish::length ? 1 : 0; }

bool blank(std::string_view text) { return text.find_first_not_of(" \t\n\v\f\r") == text.npos; }

bool has_protocol(const Protocols &protocols, std::string_view id) {
  return std::any_of(protocols.begin(), protocols.end(), [&](const auto &protocol) { return protocol->id() == id; });
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string_view remember_text(Remember remember) {
  switch (remember) {
    case Remember::once: return "once";
    case Remember::turn: return "turn";
    case Remember::session: return "session";
    case Remember::always: return "always";
  }
  return {};
}

Status not_now(std::string message) { return error(Code::state, std::move(message)); }
Status no_such_call(uint32_t call) { return error(Code::not_found, "there is no call " + std::to_string(call)); }

// What runs is what was shown, and the model is told where that is not what it asked for.
std::string edited_note(const Card &card) {
  return card.edited ? "(The user changed the arguments to " + *card.edited + ")\n" : std::string();
}

// Content parts: what SLUICE_RESULT_PARTS takes.
Status check_parts(std::string_view json, std::string &text, bool &image) {
  if (json_kind(json) != '[') return error(Code::json, "expected an array of content parts");
  size_t index = 0;
  for (JsonSlices parts(json); parts.next(); ++index) {
    const std::string path = "[" + std::to_string(index) + "]";
    const auto string_member = [&](std::string_view key) -> std::optional<std::string> {
      const auto value = json_member(parts.value(), key);
      if (!value || json_kind(*value) != '"') return std::nullopt;
      return json_text(*value);
    };
    const auto type = string_member("type");
    if (type == "text") {
      const auto piece = string_member("text");
      if (!piece) return error(Code::json, "expected a text part with a string \"text\"", path);
      if (!text.empty()) text += '\n';
      text += *piece;
    } else if (type == "image") {
      const auto url = string_member("url");
      const auto media = string_member("mediaType");
      if (!url && !(string_member("data") && media))
        return error(Code::json, "expected an image part with \"url\", or with \"mediaType\" and \"data\"", path);
      // A provider refuses the whole request for an image that is none.
      const std::string_view kind = url ? std::string_view(*url) : std::string_view(*media);
      if (url ? kind.starts_with("data:") && !kind.starts_with("data:image/") : !kind.starts_with("image/"))
        return error(Code::json, "expected an image, found " + in_quotes(kind.substr(0, 60)), path);
      image = true;
    } else {
      return error(Code::json, "expected a part of type text or image, found " + (type ? in_quotes(*type) : "none"),
                   path);
    }
  }
  return {};
}

}  // namespace

Turn::~Turn() = default;

// ---- configuration ----

Status Turn::create(std::shared_ptr<const Engine> engine, std::string_view document, std::unique_ptr<Turn> &out) {
  std::unique_ptr<Turn> turn(new Turn(std::move(engine)));
  if (Status status = turn->configure(document); !status.ok()) return status;
  turn->warn_of_hidden_tools();
  turn->tell_unknown_names();
  if (turn->parser_) {
    turn->message_.rounds.emplace_back();
    turn->open_answer();
  } else if (auto calls = open_calls(turn->host_messages_); !calls.empty() && turn->config_.exposure.enabled) {
    turn->adopt(std::move(calls));
  } else {
    turn->begin_round(false);
  }
  out = std::move(turn);
  return {};
}

Status Turn::configure(std::string_view text) {
  document_ = text;
  const std::string_view document = document_;
  config_ = engine_->defaults;
  const size_t depth = document_depth(document, config_.limits.depth);
  if (Status status = check_json(document, depth); !status.ok()) return status;
  if (json_kind(document) != '{') return error(Code::json, "expected an object");
  if (Status status = read_config(document, {"wire", "request"}, config_); !status.ok()) return status;

  std::string wire = "openai-chat";
  if (const auto value = json_member(document, "wire")) {
    if (json_kind(*value) != '"') return error(Code::json, "expected the name of a wire, a string", "wire");
    wire = json_text(*value);
  }
  wire_ = find_wire(wire);
  if (wire_ == nullptr && is_planned_wire(wire))
    return error(Code::unsupported, "the wire " + in_quotes(wire) + " is not in this version", "wire");
  if (wire_ == nullptr) return error(Code::json, "found " + in_quotes(wire) + ", expected openai-chat or text", "wire");
  if (wire_->id() == "text") config_.mode = Mode::text;

  const Defuse defuse = [&](std::string &said) {
    for (const auto &protocol : config_.also_parse) protocol->defuse(said);
  };
  for (size_t i = 0; i < engine_->registry.tools().size(); ++i) {
    if (!hidden_reason(engine_->registry.tools()[i], config_.exposure).empty()) continue;
    ToolOffer offer = engine_->registry.offers()[i];
    if (!config_.also_parse.empty()) {  // what a tool says of itself must be no call where text is parsed beside it
      defuse(harmless_offers_.emplace_back(offer.description));
      offer.description = harmless_offers_.back();
      offer.parameters = harmless_offers_.emplace_back(defuse_texts(offer.parameters, defuse, true));
    }
    offers_.push_back(offer);
  }

  const auto request = json_member(document, "request");
  std::string model;
  if (const auto name = request ? json_member(*request, "model") : std::nullopt; name && json_kind(*name) == '"')
    model = json_text(*name);
  if (Status status = choose_protocol(model, config_); !status.ok()) return std::move(status).inside("protocol");
  configured_rules_ = config_.rules.size();
  parser_ = !request;
  if (parser_) return {};
  body_ = *request;
  const bool native = config_.exposure.enabled && !text_mode();
  const std::vector<ToolOffer> none;
  if (Status status = wire_->check(body_, native ? offers_ : none); !status.ok())
    return std::move(status).inside("request");
  host_messages_ = json_member(body_, "messages").value_or("[]");
  used_ids_ = used_ids(host_messages_);
  for (JsonSlices messages(host_messages_); messages.next();) ++host_message_count_;
  return {};
}

// The default of agentCallable hides a tool: whoever forgot it would wonder why no model ever calls.
void Turn::warn_of_hidden_tools() {
  const auto &tools = engine_->registry.tools();
  const bool forgotten =
      !tools.empty() && std::none_of(tools.begin(), tools.end(), [](const auto &tool) { return tool.callable; });
  if (!parser_ && forgotten)
    diagnostic("no_callable_tool", std::to_string(tools.size()) + (tools.size() == 1 ? " tool" : " tools") +
                                       ", none callable: models see only tools with \"agentCallable\": true");
}

// A rule or a switch that protects nothing must not look as if it did. What a person once allowed may outlive its tool.
void Turn::tell_unknown_names() {
  const std::vector<Tool> &tools = engine_->registry.tools();
  std::set<std::string_view> unknown;
  for (const auto &toggle : config_.exposure.toggles) unknown.insert(toggle.first);
  for (const Tool &tool : tools) {
    unknown.erase(tool.name);
    unknown.erase(tool.tool_id);
  }
  for (const std::string_view name : unknown)
    diagnostic("unknown_toggle", "no tool has the name or toolId " + in_quotes(name) + ", so its toggle does nothing");
  for (const Rule &rule : config_.rules)
    if (rule.definition.empty() &&
        std::none_of(tools.begin(), tools.end(), [&](const Tool &tool) { return names(rule, tool); }))
      diagnostic("unknown_rule", "no tool is called " + in_quotes(rule.tool) + ", so its rule does nothing");
}

// ---- answers and rounds ----

void Turn::begin_round(bool final_answer) {
  message_.rounds.emplace_back();
  final_answer_ = final_answer;
  limit_hit_ = false;
  first_card_ = message_.cards.size();
  open_.clear();
  repeats_ = std::move(repeats_now_);
  repeats_now_.clear();
  open_answer();
  if (message_.rounds.size() == 1) tell_unknown_model();
  request_ = std::make_shared<const std::string>(build_request());
  emit_request();
}

void Turn::tell_unknown_model() {
  if (config_.unknown_model.empty() || !text_mode()) return;
  diagnostic("unknown_model", "no profile for " + in_quotes(config_.unknown_model) + ": calls are written as " +
                                  std::string(kProtocolOfUnknownModels));
}

// A conversation that ends in calls without results: nothing but the messages carries state, so this turn takes them
// up, through the same gate. In a user-mediated loop a person has them on a button: each asks, and the host may hand in
// what it ran itself.
void Turn::adopt(std::vector<OpenCall> calls) {
  for (OpenCall &call : calls) {
    answer_.calls = 0;  // limits.callsPerRound is for answers
    Card &card = *new_card("native", call.name);
    card.adopted = true;
    card.wire_id = call.id;
    card.history_id = std::move(call.id);
    card.raw_arguments = SharedText(std::move(call.arguments));
    complete_native(card, true);
    if (!card.final()) admit(card);
  }
  pump();
  advance();
}

// What the text of an answer is parsed for.
Protocols Turn::active_protocols() const {
  if (!has_tools()) return {};
  Protocols active = text_mode() ? config_.protocols : Protocols();
  for (const auto &also : config_.also_parse)
    if (!has_protocol(active, also->id())) active.push_back(also);
  return active;
}

// The first of these writes what stands in text, harmless for all of them.
Protocols Turn::writing_protocols() const { return calls_from_text() ? active_protocols() : config_.protocols; }

void Turn::open_answer() {
  answer_ = Answer();
  WireLimits wire_limits;
  wire_limits.depth = config_.limits.depth;
  wire_limits.line_bytes = config_.limits.line_bytes;
  wire_limits.argument_bytes = config_.limits.argument_bytes;
  wire_limits.calls_per_round = config_.limits.calls_per_round;
  answer_.reader = wire_->read(*this, wire_limits);
  Protocols watched;
  if (config_.exposure.enabled && !text_mode() && !offers_.empty())
    for (const auto &protocol : config_.protocols)
      if (!has_protocol(config_.also_parse, protocol->id())) watched.push_back(protocol);
  ScanOptions options{config_.starts_in_reasoning, config_.calls_in_reasoning};
  if (text_mode())  // what is parsed besides says nothing about the prompt
    for (const auto &protocol : config_.protocols)
      options.starts_in_reasoning = options.starts_in_reasoning || protocol->starts_in_reasoning();
  read_with(active_protocols(), std::move(watched), options);
  answer_.open = true;
  answer_.waiting_since = now_;
}

void Turn::read_with(Protocols parsed, Protocols watched, ScanOptions options) {
  const ScanLimits limits{config_.limits.candidate_bytes, config_.limits.argument_bytes, config_.limits.depth};
  options.turn_ends.clear();
  for (const auto &protocol : watched)
    for (Marker &token : protocol->turn_ends()) options.turn_ends.push_back(std::move(token));
  answer_.scanner = make_scanner(parsed, engine_->registry, limits, options, *this);
  if (!parsed.empty())
    answer_.thoughts = std::make_unique<ThoughtCalls>(parsed, engine_->registry, limits, options.calls_in_reasoning,
                                                      static_cast<ScanSink *>(this));
  if (!watched.empty()) {
    const auto tell = [](void *turn, std::string_view name, size_t start, std::string_view raw) {
      static_cast<Turn *>(turn)->diagnostic("text_call_in_native_mode", name, 0, start, raw);
    };
    answer_.watch_sink = std::make_unique<Watcher>(tell, this);
    answer_.watcher = make_scanner(watched, engine_->registry, limits, options, *answer_.watch_sink);
  }
  answer_.parsed = std::move(parsed);
  answer_.watched = std::move(watched);
  answer_.options = options;
}

std::string Turn::build_request() const {
  const bool with_tools = config_.exposure.enabled && !offers_.empty();
  // Of the open round nothing is there yet, or (when a turn was restored) nothing that belongs into its own request.
  const std::vector<std::string> history = history_messages(message_, message_.rounds.size() - 1, false, false);
  const Protocols parsed = active_protocols();
  const Protocols active = writing_protocols();
  Conversation conversation;
  conversation.host = host_messages_;
  conversation.history = &history;
  conversation.text_calls = calls_from_text() && !config_.results_as_tool_role;
  conversation.protocols = &active;
  conversation.parsed = &parsed;
  conversation.registry = &engine_->registry;
  conversation.exposure = &config_.exposure;
  conversation.macros = !engine_->registry.tools().empty();
  conversation.expand = calls_from_text() && !final_answer_;
  conversation.strict_roles = wire_->has_strict_roles(body_);
  conversation.inject = config_.inject;
  if (config_.inject == Inject::by_protocol)
    conversation.inject = config_.protocols.front()->defines_on_top() ? Inject::top : Inject::bottom;
  if (conversation.expand && with_tools)
    conversation.definitions = render_tools(engine_->registry, config_.exposure, active);

  conversation.commands = calls_from_text() && shows_commands(*config_.protocols.front());

  std::deque<std::string> owned;
  RequestParts parts;
  parts.body = body_;
  parts.messages = request_messages(conversation, owned);
  assert(is_valid_order(parts.messages));
  parts.names = &engine_->registry.offers();
  if (with_tools && !text_mode()) parts.tools = &offers_;
  parts.forbid_calls = final_answer_;
  parts.ask_usage = asks_usage();
  return wire_->write(parts);
}

void Turn::emit_request() {
  message_.rounds.back().started_at = now_;
  ObjectWriter event(events_.open(EventQueue::Kind::request));
  event.text("type", "request");
  event.number("round", static_cast<int64_t>(message_.rounds.size()));
  event.number("bytes", static_cast<int64_t>(request_->size()));
}

void Turn::abort_request(std::string_view reason) {
  if (!answer_.open || answer_.closed_to_bytes) return;
  answer_.closed_to_bytes = true;
  if (parser_ || answer_.ending) return;
  if (events_.withdraw(EventQueue::Kind::request, 0)) return;  // it was never sent
  ObjectWriter event(events_.open(EventQueue::Kind::other));
  event.text("type", "abortRequest").text("reason", reason);
}

Status Turn::response(int32_t http_status, std::string_view headers) {
  if (done_) return {};
  if (!answer_.open) return not_now("no answer is open: expected a request event first");
  if (answer_.responded || answer_.bytes_seen) return not_now("the response of this answer was told already");
  if (!headers.empty()) {
    if (Status status = check_json(headers, config_.limits.depth); !status.ok()) return status;
    if (json_kind(headers) != '{') return error(Code::json, "expected an object of header names and values");
  }
  answer_.responded = true;
  answer_.waiting_since = now_;
  if (!answer_.closed_to_bytes) answer_.reader->response(http_status, headers);
  return {};
}

Status Turn::feed(std::string_view bytes) {
  if (done_) return {};
  if (!answer_.open) return not_now("no answer is open: expected a request event first");
  if (bytes.empty()) return {};
  answer_.bytes_seen = true;
  answer_.late = false;
  answer_.waiting_since = now_;
  if (!answer_.closed_to_bytes) answer_.reader->feed(bytes);
  return {};
}

Status Turn::finish(End how, std::string_view detail) {
  if (done_) return {};
  if (!answer_.open) return not_now("no answer is open: this one was finished already");
  if (how == End::retry) {
    if (parser_) return not_now("a turn without a request has nothing to ask again");
    if (answer_.shown) return not_now("something of this answer was shown or run: it cannot be forgotten");
    events_.withdraw(EventQueue::Kind::request, 0);
    message_.forget_answer();
    open_answer();
    emit_request();
    return {};
  }
  close_answer(how, detail);
  return {};
}

// The one place that says how an answer ended. `whole`: it says itself that it is over; else the host said how its body
// ended. What still comes before finish is heard for usage and opaque members.
void Turn::end_answer(bool whole, End how) {
  if (done_ || answer_.ended) return;
  const bool ours = answer_.closed_to_bytes;
  const Finish finish = message_.finish();
  if (!ours) {
    const bool never_ended = !whole && finish == Finish::none && wire_->has_end();
    end_text(answer_.error || how != End::complete || never_ended || finish == Finish::length ||
             finish == Finish::content_filter);
    if (done_) return;
  }
  answer_.ended = true;
  std::string_view told = "provider_error";
  const bool ends_here = !answer_.error && !ours && how == End::complete && finish == Finish::none && wire_->has_end();
  if (ends_here && (!whole || !answer_.shown)) {
    if (!whole) told = "unfinished";
    if (parser_)  // nothing runs, and what is parsed may be a piece of a recording
      diagnostic(whole ? "empty_answer" : "unfinished", "the answer has no end");
    else if (!answer_.shown)
      answer_.error = {"empty_answer", "the provider answered nothing", "", true, false};
    else
      answer_.error = {"unfinished", "the answer broke off: its end never came", "", false, false};
  }
  if (answer_.error) {
    answer_.error->retryable = answer_.error->retryable && !answer_.shown;
    // The block in the message waits for finish: until then the host may still have the answer forgotten.
    ObjectWriter event(events_.open(EventQueue::Kind::other));
    event.text("type", "diagnostic").text("code", told).text("detail", answer_.error->detail);
    event.boolean("retryable", answer_.error->retryable);
  }
  if (!ours && !answer_.error && answer_.calls == 0) tell_other_format();
  message_.rounds.back().ended_at = now_;
  ObjectWriter event(events_.open(EventQueue::Kind::other));
  event.text("type", "round").number("round", static_cast<int64_t>(message_.rounds.size()));
  if (finish != Finish::none) event.text("finishReason", to_text(finish));
}

// `cut`: more would have come, so that nobody knows whether its last call was a draft.
void Turn::end_text(bool cut) {
  answer_.scanner->finish(cut);
  if (answer_.watcher) answer_.watcher->finish(cut);
  if (done_ || !answer_.thoughts) return;
  if (cut) return answer_.thoughts->give_up();
  const size_t first = message_.cards.size();
  answer_.of_thoughts = true;
  answer_.thoughts->finish(*this);
  answer_.of_thoughts = false;
  if (!calls_from_text() || message_.cards.size() == first) return;
  // What the model wrote from its first call on is what it reads again.
  std::vector<std::string_view> pieces;
  size_t missing = answer_.thought_bytes - message_.cards[first]->start;
  for (size_t i = message_.blocks.size();
       i-- > 0 && missing > 0 && message_.blocks[i].round == message_.rounds.size();) {
    if (message_.blocks[i].kind != Block::Kind::reasoning) continue;
    pieces.push_back(last_bytes(message_.blocks[i].text, missing));
    missing -= pieces.back().size();
  }
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) message_.rounds.back().raw.append(*piece);
}

// Calls that nobody looked for: the model may have learned another format than the one it was asked for.
void Turn::tell_other_format() {
  if (!has_tools()) return;
  std::string text;
  auto block = message_.blocks.end();
  while (block != message_.blocks.begin() && std::prev(block)->round == message_.rounds.size()) --block;
  for (; block != message_.blocks.end(); ++block)
    if (block->kind == Block::Kind::text) text += block->text;
  Protocols read = answer_.parsed;
  read.insert(read.end(), answer_.watched.begin(), answer_.watched.end());
  const ScanLimits limits{config_.limits.candidate_bytes, config_.limits.argument_bytes, config_.limits.depth};
  if (const std::string_view id = find_other_format(text, read, engine_->registry, limits); !id.empty())
    diagnostic("other_format", id);
}

void Turn::close_answer(End how, std::string_view detail) {
  answer_.ending = true;
  const bool ours = answer_.closed_to_bytes;  // stopAfterCall: the end is where we cut it
  events_.withdraw(EventQueue::Kind::request, 0);
  answer_.reader->finish(how == End::complete && !ours);  // ours: only usage and opaque members are still heard
  if (done_) return;
  if (answer_.ended) how = End::complete;  // what breaks behind the end harms nothing
  end_answer(false, how);
  if (done_) return;
  if (how != End::complete && !ours && !answer_.error) {
    TurnError error;
    error.code = how == End::hook ? "hook" : "network";
    error.detail = !detail.empty()       ? repair_utf8(detail)
                   : how == End::aborted ? "the answer was aborted"
                   : how == End::hook    ? "a hook of the host failed"
                                         : "the connection broke";
    error.retryable = how != End::hook && !answer_.shown;
    answer_.error = std::move(error);
  } else if (answer_.error && answer_.error->code == "http" && !detail.empty()) {
    answer_.error->detail += " (" + repair_utf8(detail) + ")";
  }
  answer_.open = false;
  close_calls();
  if (answer_.error && fall_back()) return;
  if (answer_.error) {
    show_error(*answer_.error);
    end_turn("failed");
  } else if (parser_) {
    end_turn("completed");
  } else {
    for (const uint32_t call : open_.all()) {
      find_card(call)->ready = true;
      open_.stir(call);
    }
    pump();
    advance();
  }
}

bool Turn::fall_back() {
  if (parser_ || answer_.shown) return false;
  if (answer_.error->code == "usage_refused") {
    diagnostic("usage_refused", answer_.error->detail);
    usage_refused_ = true;
  } else if (answer_.error->code == "tools_unsupported" && config_.fall_back_to_text &&
             config_.mode == Mode::automatic) {
    diagnostic("fallback_to_text", answer_.error->detail);
    config_.mode = Mode::text;
    fell_back_ = true;
    tell_unknown_model();
  } else {
    return false;
  }
  message_.forget_answer();
  open_answer();
  request_ = std::make_shared<const std::string>(build_request());
  emit_request();
  return true;
}

void Turn::close_calls() {
  const bool filtered = message_.finish() == Finish::content_filter;
  for (const uint32_t call : OpenCards::Calls(open_.all())) {
    Card &card = *find_card(call);
    if (card.state() == CardState::streaming) complete_native(card, true);
    const bool waits = card.state() == CardState::pending || card.state() == CardState::awaiting_approval;
    if (waits && (filtered || answer_.error)) spoil(card, filtered ? "truncated" : "stream_broken");
  }
}

// The rules that join the machines: the answer is closed and every card is settled → the next request, or the end.
void Turn::advance() {
  if (done_ || parser_ || answer_.open) return;
  for (const uint32_t call : open_.all())
    if (!left_to_user(*find_card(call))) return;
  if (!open_.all().empty()) return end_turn("awaiting_user");
  bool any = false, all_fired = true, all_tags = true, all_malformed = true;
  size_t last_call = 0;
  for (size_t i = first_card_; i < message_.cards.size(); ++i) {
    const Card &card = *message_.cards[i];
    if (card.dropped) continue;
    any = true;
    last_call = card.block;
    all_fired =
        all_fired && card.fire_and_forget() && (card.state() == CardState::success || card.state() == CardState::error);
    all_tags = all_tags && card.is_tag();
    all_malformed = all_malformed && card.state() == CardState::invalid;
  }
  if (!any || final_answer_) return end_turn(final_answer_ ? "limit" : "completed");

  const auto visible = [&](const Block &block) { return block.kind == Block::Kind::text; };
  if (all_fired && (all_tags || std::any_of(message_.blocks.begin() + static_cast<std::ptrdiff_t>(last_call) + 1,
                                            message_.blocks.end(), visible))) {
    ended_on_fire_ = true;
    return end_turn("completed");
  }

  malformed_rounds_ = all_malformed ? malformed_rounds_ + 1 : 0;
  if (!limit_hit_ && !beyond_rounds() && malformed_rounds_ < 2) return begin_round(false);
  if (config_.force_final_answer) return begin_round(true);
  TurnError error;
  error.code = "max_rounds";
  error.detail = malformed_rounds_ >= 2 ? "two answers in a row held nothing but malformed calls"
                                        : "the model went on calling tools beyond the limit";
  show_error(std::move(error));
  end_turn("limit");
}

void Turn::end_turn(std::string_view outcome) {
  if (!parser_ && outcome != "awaiting_user")
    for (const auto &card : message_.cards) cancel_card(*card, "turn_ended", "Not run: the turn ended.");
  events_.withdraw(EventQueue::Kind::request, 0);
  answer_.open = false;
  done_ = true;
  message_.outcome = outcome;
  ObjectWriter event(events_.open(EventQueue::Kind::other));
  event.text("type", "done").text("outcome", outcome);
  if (message_.finish() != Finish::none) event.text("finishReason", to_text(message_.finish()));
}

void Turn::show_error(TurnError error) {
  Block &block = message_.blocks.emplace_back();
  block.kind = Block::Kind::error;
  block.round = static_cast<uint32_t>(message_.rounds.size());
  block.error = std::move(error);
  std::string &event = events_.open(EventQueue::Kind::other);
  event += R"({"type":"error","block":)";
  append_number(event, static_cast<int64_t>(message_.blocks.size()) - 1);
  event += ',';
  write_error(block.error, event);
}

void Turn::stop_with(TurnError error) {
  interrupt_text();
  answer_.error = error;
  abort_request(error.code);
  close_calls();
  show_error(std::move(error));
  end_turn("failed");
}

// ---- what a wire reports ----

// Something else than more arguments came: the finish reason was not the last word, and calls may be complete by it.
// false: what came is not heard any more.
bool Turn::goes_on() {
  if (deaf()) return false;
  answer_.last_word = false;
  complete_interrupted();
  return !deaf();
}

void Turn::on_text(std::string_view utf8) {
  if (!goes_on()) return;
  const std::string_view piece = within_text_limit(utf8);
  if (calls_from_text()) message_.rounds.back().raw.append(piece);
  if (answer_.thoughts && !blank(piece)) answer_.thoughts->interrupt();
  if (answer_.watcher) answer_.watcher->feed(piece);
  answer_.scanner->feed(piece);
  if (piece.size() < utf8.size() && !deaf()) too_long();
}

void Turn::on_reasoning(std::string_view utf8) {
  if (!goes_on()) return;
  interrupt_text();
  const std::string_view piece = within_text_limit(utf8);
  if (!piece.empty()) append(Block::Kind::reasoning, piece, false);
  if (answer_.thoughts) answer_.thoughts->feed(piece, answer_.thought_bytes);
  answer_.thought_bytes += piece.size();
  if (piece.size() < utf8.size()) too_long();
}

void Turn::on_refusal(std::string_view utf8) {
  if (!goes_on()) return;
  interrupt_text();
  const std::string_view piece = within_text_limit(utf8);
  if (answer_.thoughts && !blank(piece)) answer_.thoughts->interrupt();
  if (!piece.empty()) append(Block::Kind::text, piece, false, Block::Mark::refusal);
  if (piece.size() < utf8.size()) too_long();
}

std::string_view Turn::within_text_limit(std::string_view utf8) {
  const std::string_view piece =
      first_bytes(utf8, config_.limits.text_bytes - std::min(answer_.text_bytes, config_.limits.text_bytes));
  answer_.text_bytes += piece.size();
  return piece;
}

void Turn::too_long() {
  TurnError error;
  error.code = "oversize";
  error.detail = "the answer is longer than limits.textBytes, " + std::to_string(config_.limits.text_bytes);
  stop_with(std::move(error));
}

void Turn::on_call(uint32_t slot, std::string_view id, std::string_view name) {
  if (!goes_on()) return;
  interrupt_text();
  if (answer_.thoughts) answer_.thoughts->interrupt();
  if (answer_.slots.size() <= slot) answer_.slots.resize(slot + 1);
  Card *const card = new_card("native", name);
  answer_.slots[slot] = card;
  if (card == nullptr) return;
  answer_.open_calls.push_back(card);
  card->wire_id = id;
  give_id(*card);
  tell(*card);
}

void Turn::on_call_head(uint32_t slot, std::string_view id, std::string_view name) {
  if (deaf() || slot >= answer_.slots.size() || answer_.slots[slot] == nullptr) return;
  Card &card = *answer_.slots[slot];
  if (card.state() != CardState::streaming || (card.wire_id == id && card.asked == name)) return;
  card.asked = name;
  card.resolve(engine_->registry.find(name));
  if (card.wire_id != id) {
    card.wire_id = id;
    give_id(card);
  }
  card.dirty |= field::head;
  tell(card);
}

void Turn::on_arguments(uint32_t slot, std::string_view fragment) {
  answer_.last_word = false;
  if (deaf() || slot >= answer_.slots.size() || answer_.slots[slot] == nullptr || fragment.empty()) return;
  Card &card = *answer_.slots[slot];
  if (card.state() != CardState::streaming) {
    if (!card.late) diagnostic("late_arguments", "arguments went on when the call was closed already", card.call);
    card.late = true;
    return;
  }
  if (card.raw_arguments.size() + fragment.size() > config_.limits.argument_bytes) card.oversize = true;
  if (card.oversize) return;
  card.raw_arguments.append(fragment);
  events_.delta(EventQueue::Kind::args, card.call, fragment);
}

void Turn::on_arguments_replaced(uint32_t slot, std::string_view whole) {
  if (deaf() || slot >= answer_.slots.size() || answer_.slots[slot] == nullptr) return;
  Card &card = *answer_.slots[slot];
  if (card.state() == CardState::streaming && whole.starts_with(card.raw_arguments.view()))
    return on_arguments(slot, whole.substr(card.raw_arguments.size()));
  if (card.state() != CardState::streaming) return on_arguments(slot, whole);
  if (whole.size() > config_.limits.argument_bytes) card.oversize = true;
  if (card.oversize) return;
  card.raw_arguments = SharedText(std::string(whole));
  card.shape = {};
}

void Turn::on_call_members(uint32_t slot, std::string_view object) {
  if (deaf() || slot >= answer_.slots.size() || answer_.slots[slot] == nullptr) return;
  answer_.slots[slot]->members = object;
}

void Turn::on_call_broken(uint32_t slot, std::string_view reason) {
  if (deaf() || slot >= answer_.slots.size() || answer_.slots[slot] == nullptr) return;
  answer_.slots[slot]->broken = reason;
}

void Turn::on_message_members(std::string_view object) {
  if (!done_) message_.rounds.back().members = object;
}

void Turn::on_model(std::string_view name) {
  if (!deaf()) message_.rounds.back().model = name;
}

void Turn::on_finish(Finish reason, std::string_view) {
  if (deaf()) return;
  answer_.last_word = true;
  Finish &finish = message_.rounds.back().finish;
  if (loss(reason) < loss(finish)) return;
  finish = reason;
  complete_interrupted();
}

void Turn::on_end() { end_answer(true); }

// The tokens of this answer so far, not those since the last time.
void Turn::on_usage(const Usage &usage) {
  if (done_) return;
  Usage &known = message_.rounds.back().usage;
  for (const TokenKind &kind : kTokenKinds)
    if (usage.*kind.count >= 0 && usage.*kind.count < kMostNumber) known.*kind.count = usage.*kind.count;
  ObjectWriter event(events_.open(EventQueue::Kind::other));
  event.text("type", "usage").number("round", static_cast<int64_t>(message_.rounds.size()));
  write_usage(usage, event);
}

void Turn::on_error(const WireError &error) {
  if (deaf() || answer_.error) return;
  TurnError shown;
  shown.code = error.code;
  shown.detail = error.detail;
  shown.retryable = error.transient;
  shown.status = error.status;
  shown.retry_after_ms = error.retry_after_ms;
  shown.request_id = error.request_id;
  if (error.code == "usage_refused") {
    const bool asked =
        request_ != nullptr && json_member(*request_, "stream_options") && !json_member(body_, "stream_options");
    if (!asked) shown.code = "http";  // the host asked itself, or nobody did
  }
  if (error.code == "tools_unsupported") {
    const bool ours = config_.exposure.enabled && !text_mode() && !offers_.empty();
    if (ours)
      shown.hint = kUseText;
    else
      shown.code = "provider";
  }
  answer_.error = std::move(shown);
  end_answer(true);
}

void Turn::on_diagnostic(std::string_view code, std::string_view detail) {
  if (!done_ && !answer_.closed_to_bytes) diagnostic(code, detail);
}

// ---- what the scanner reports ----

void Turn::on_scan_text(std::string_view utf8) {
  if (!deaf()) append(Block::Kind::text, utf8, false);
}

void Turn::on_scan_fabricated(std::string_view utf8) {
  if (!deaf()) append(Block::Kind::text, utf8, false, Block::Mark::fabricated);
}

void Turn::on_scan_reasoning(std::string_view utf8, bool first) {
  if (!deaf()) append(Block::Kind::reasoning, utf8, first);
}

void Turn::on_call_open(std::string_view protocol, std::string_view name, size_t start) {
  if (deaf()) return;
  answer_.text_call = new_card(protocol, name);
  if (answer_.text_call == nullptr) return;
  answer_.text_call->start = start;
  give_id(*answer_.text_call);
  tell(*answer_.text_call);
}

void Turn::on_call_arguments(std::string_view piece, size_t offset) {
  Card *const card = answer_.text_call;
  if (deaf() || card == nullptr || card->state() != CardState::streaming) return;
  card->raw_arguments.append_part(message_.rounds.back().raw, offset, piece);
  events_.delta(EventQueue::Kind::args, card->call, piece);
}

void Turn::on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw, size_t start,
                         size_t end) {
  if (deaf()) return;
  if (text_mode()) message_.rounds.back().text_calls = true;
  bool complete_one = false;
  for (ParsedCall &call : calls) {
    const bool first = &call == &calls.front();
    if (first && answer_.text_call == nullptr && call.name.empty() && !config_.report_malformed) continue;
    const bool streamed = first && answer_.text_call != nullptr;
    Card *const card = streamed ? answer_.text_call : new_card(protocol, call.name);
    if (first) answer_.text_call = nullptr;
    if (card == nullptr || card->final()) continue;
    card->asked = call.name;
    if (!call.id.empty()) {
      card->wire_id = call.id;
      card->dirty |= field::head;
    }
    give_id(*card);
    card->reserved = std::move(call.reserved);
    if (first || calls.size() * raw.size() <= config_.limits.argument_bytes)  // not a hundred times
      card->raw.append_part(message_.rounds.back().raw, start, raw);
    card->start = start;
    card->end = end;
    if (card->raw_arguments != call.raw_arguments) {
      card->raw_arguments = {};
      card->raw_arguments.append_part(card->raw, call.raw_at, call.raw_arguments);
    }
    if (!streamed) {
      tell(*card);
      if (!card->raw_arguments.empty()) events_.delta(EventQueue::Kind::args, card->call, card->raw_arguments);
    }
    card->typed = call.typed;
    card->dirty |= field::raw | field::raw_arguments | field::reserved;
    if (!call.reason.empty()) {
      spoil(*card, call.reason, std::move(call.told));
      continue;
    }
    if (complete(*card, std::move(call.arguments)) && !card->fire_and_forget()) complete_one = true;
  }
  answer_.text_call = nullptr;
  if (complete_one && config_.stop_after_call && !answer_.of_thoughts) {
    abort_request("stopAfterCall");
    if (SharedText &written = message_.rounds.back().raw; calls_from_text() && end < written.size())
      written = written.part(0, end);  // what came in the same piece is dropped as well
  }
  pump();
}

void Turn::on_scan_diagnostic(std::string_view code, std::string_view detail, size_t offset, std::string_view raw) {
  if (!deaf()) diagnostic(code, detail, answer_.text_call != nullptr ? answer_.text_call->call : 0, offset, raw);
}

// ---- blocks ----

void Turn::append(Block::Kind kind, std::string_view utf8, bool fresh, Block::Mark mark) {
  const auto round = static_cast<uint32_t>(message_.rounds.size());
  if (fresh || message_.blocks.empty() || message_.blocks.back().kind != kind || message_.blocks.back().mark != mark ||
      message_.blocks.back().round != round) {
    Block &block = message_.blocks.emplace_back();
    block.kind = kind;
    block.mark = mark;
    block.round = round;
  }
  message_.blocks.back().text += utf8;
  answer_.shown = true;
  using Event = EventQueue::Kind;
  events_.delta(kind == Block::Kind::reasoning    ? Event::reasoning
                : mark == Block::Mark::refusal    ? Event::refusal
                : mark == Block::Mark::fabricated ? Event::fabricated
                                                  : Event::text,
                static_cast<uint32_t>(message_.blocks.size() - 1), utf8);
}

// What is not text comes next: what the scanners hold back as a mere possibility stands before it.
void Turn::interrupt_text() {
  answer_.scanner->interrupt();
  if (answer_.watcher) answer_.watcher->interrupt();
}

// ---- cards: opened, read, completed ----

Card *Turn::new_card(std::string_view source, std::string_view asked) {
  if (answer_.calls == config_.limits.calls_per_round) {
    diagnostic("oversize", "more calls in one answer than limits.callsPerRound: the rest is dropped");
    ++answer_.calls;  // told once
  }
  if (answer_.calls > config_.limits.calls_per_round) return nullptr;
  ++answer_.calls;
  auto card = std::make_unique<Card>();
  card->call = static_cast<uint32_t>(message_.cards.size() + 1);
  card->block = message_.blocks.size();
  card->round = static_cast<uint32_t>(message_.rounds.size());
  card->source = source;
  card->asked = asked;
  if (!asked.empty()) card->resolve(engine_->registry.find(asked));
  card->dirty = field::head | field::status;
  Block &block = message_.blocks.emplace_back();
  block.kind = Block::Kind::tool_use;
  block.round = card->round;
  block.card = message_.cards.size();
  open_.add(card->call, card->state());
  message_.cards.push_back(std::move(card));
  answer_.shown = true;
  return message_.cards.back().get();
}

Card *Turn::find_card(uint32_t call) const {
  return call == 0 || call > message_.cards.size() ? nullptr : message_.cards[call - 1].get();
}

// The id that goes back: the provider's where it may be used, else the first free one of ours.
void Turn::give_id(Card &card) {
  if (!card.history_id.empty() && card.history_id == card.wire_id) return;
  if (is_legal_id(card.wire_id) && !used_ids_.contains(card.wire_id)) {
    card.history_id = card.wire_id;
  } else if (card.history_id.empty()) {
    size_t number = host_message_count_;
    do card.history_id = "call_" + std::to_string(number++) + "_" + std::to_string(card.call);
    while (used_ids_.contains(card.history_id));
  }
  used_ids_.insert(card.history_id);
}

void Turn::tell(Card &card) {
  if (card.dirty == 0) return;
  card.asked_differed = card.asked_differed || card.name() != card.asked;
  // A name in pieces nobody polled is one patch: of a call whose arguments have not begun, head and status are all.
  const bool head = card.state() == CardState::streaming && (card.dirty & ~(field::head | field::status)) == 0;
  const auto kind = head ? EventQueue::Kind::head : EventQueue::Kind::other;
  if (head && events_.is_last(kind, card.call)) card.dirty |= field::status;
  std::string &event = events_.open(kind, head ? card.call : 0);
  event += R"({"type":"card","block":)";
  append_number(event, static_cast<int64_t>(card.block));
  event += R"(,"call":)";
  append_number(event, card.call);
  card.write(card.dirty, event, &events_.lent());
  card.dirty = 0;
}

void Turn::move(Card &card, Trigger trigger) {
  if (!card.apply(trigger)) throw std::logic_error("a card has no such transition");
  open_.moved(card.call, card.state());
}

void Turn::settle(Card &card, Trigger trigger, std::string_view reason, std::string told) {
  events_.withdraw(EventQueue::Kind::approval, card.call);
  const bool ran = card.state() == CardState::executing;
  move(card, trigger);
  card.reason = reason;
  release_text(card.canonical);
  card.told = ran ? edited_note(card) + told : std::move(told);
  card.has_told = true;
  card.ended_at = now_;
  card.dirty |= field::reason | field::told | field::ended;
  tell(card);
}

// A call that lost bytes, or whose arguments are wrong: it never runs, and the model is told so that it can try again.
void Turn::spoil(Card &card, std::string_view reason, std::string detail) {
  if (card.raw.empty())  // of a block in the text the scanner has told
    diagnostic(reason, detail.empty() ? "the call is not run" : detail, card.call);
  if (detail.empty())
    detail = "This call was not run, it is malformed (" + std::string(reason) + "). Write it again, whole.";
  card.dropped = !config_.report_malformed;
  card.error = detail;
  card.dirty |= field::error | field::raw_arguments;
  settle(card, Trigger::spoil, reason, std::move(detail));
}

bool Turn::complete(Card &card, std::string arguments) {
  card.dirty |= field::arguments | field::raw_arguments;
  std::string coerced;
  ArgumentFault fault;
  const bool exposed = card.tool != nullptr && (parser_ || hidden_reason(*card.tool, config_.exposure).empty());
  const Strings strings = card.source == "native" ? Strings::strings : card.typed ? Strings::quoted : Strings::written;
  const bool fits = !exposed || card.tool->schema.check(arguments, strings, coerced, fault);
  card.arguments = SharedText(exposed && fits ? std::move(coerced) : compact_json(arguments));
  release_text(arguments);
  move(card, Trigger::complete);
  if (fits) {
    card.ready = starts_in_answer(card);
    tell(card);
    return true;
  }
  std::string told;
  ObjectWriter object(told);
  object.text("error", "invalid_arguments").text("tool", card.tool->name);
  object.text("pointer", fault.pointer).text("message", fault.message);
  if (fault.facade)
    object.text("hint", "The arguments of this call are flat texts; a tool with flat parameters (a facade) would fit.");
  object.close();
  card.error = (fault.pointer.empty() ? "arguments" : fault.pointer) + ": " + fault.message;
  card.dirty |= field::error;
  // A fire-and-forget tool says what exists: nothing of it is malformed, the name is just not there.
  if (card.fire_and_forget()) {
    settle(card, Trigger::fail, "schema", std::move(told));
  } else {
    diagnostic("schema", card.error, card.call);
    card.dropped = !config_.report_malformed;
    settle(card, Trigger::spoil, "schema", std::move(told));
  }
  return false;
}

// A call of the wire: its arguments are complete when they are one JSON object and the answer, or something that is not
// for this call, came behind them.
void Turn::complete_native(Card &card, bool at_end) {
  if (at_end && card.source != "native") return spoil(card, "unterminated_block");  // its block never closed
  if (!card.broken.empty()) {
    if (at_end) spoil(card, card.broken);
    return;
  }
  if (card.oversize) {
    if (at_end) spoil(card, "oversize", "The arguments are longer than limits.argumentBytes.");
    return;
  }
  if (!at_end) {
    if (card.asked.empty() || card.tried == card.raw_arguments.size()) return;
    card.shape.read(card.raw_arguments);
    if (!card.shape.closed() || card.shape.has_residue()) return;
  }
  card.tried = card.raw_arguments.size();
  const bool finished = message_.finish() == Finish::stop || message_.finish() == Finish::tool_calls;
  if (at_end) card.raw_arguments.shrink();
  std::string_view text = trim_json(card.raw_arguments);
  if (at_end && (text.empty() || text == "null")) {
    // Nothing stands for {} only where the provider says that it has finished: else it may have been cut off.
    if (!finished && !card.adopted) return spoil(card, "truncated");
    text = "{}";
  }
  bool cut = false;
  if (const Status status = check_json(text, config_.limits.depth, &cut); !status.ok()) {
    if (at_end)
      spoil(card, cut ? "truncated" : "invalid_json", cut ? "" : "The arguments are no JSON: " + status.message);
    return;
  }
  if (json_kind(text) != '{') {
    if (at_end) spoil(card, "arguments_not_object", "The arguments must be a JSON object.");
    return;
  }
  if (card.asked.empty()) return spoil(card, "missing_tool_name");
  // {} may be a placeholder whose arguments were still to come.
  if (at_end && message_.finish() == Finish::length && !JsonSlices(text).next()) return spoil(card, "truncated");
  std::erase(answer_.open_calls, &card);
  complete(card, std::string(text));
}

bool Turn::starts_in_answer(const Card &card) const {
  return config_.dispatch_block || (card.tool != nullptr && card.tool->immediate);
}

void Turn::complete_interrupted() {
  if (answer_.open_calls.empty() || message_.finish() == Finish::content_filter || answer_.reader->has_orphans())
    return;
  const std::vector<Card *> open = answer_.open_calls;
  for (Card *card : open) {
    if (card->state() != CardState::streaming) {  // cancelled while it was written
      std::erase(answer_.open_calls, card);
      continue;
    }
    if (!starts_in_answer(*card) && !config_.stop_after_call) continue;
    complete_native(*card, false);
    if (card->state() == CardState::pending && config_.stop_after_call && !card->fire_and_forget()) {
      abort_request("stopAfterCall");
      break;
    }
  }
  pump();
}

// ---- the gate ----

// Is there such a tool, and may this model have it? Else the card says so.
bool Turn::known(Card &card) {
  if (card.tool == nullptr) {
    std::string told = "There is no tool " + in_quotes(card.asked) + ".";
    card.near = nearest_names(engine_->registry, config_.exposure, card.asked,
                              calls_from_text() && shows_commands(*config_.protocols.front()));
    for (size_t i = 0; i < card.near.size(); ++i) told += (i == 0 ? " Nearest names: " : ", ") + card.near[i];
    if (!card.near.empty()) told += '.';
    card.error = told;
    card.dirty |= field::error;
    settle(card, Trigger::miss, "not_found", std::move(told));
    return false;
  }
  if (const std::string_view hidden = hidden_reason(*card.tool, config_.exposure); !hidden.empty()) {
    card.error = "The tool " + in_quotes(card.asked) + " is not available.";
    card.dirty |= field::error;
    settle(card, Trigger::miss, hidden, card.error);
    return false;
  }
  return true;
}

void Turn::admit(Card &card) {
  card.admitted = true;
  const std::optional<Gate> gate = judge(card);
  if (!gate) return;
  card.policy = gate->policy;
  if (gate->way == Gate::Way::ask || (card.adopted && config_.user_mediated)) return ask(card);
  record(card, "execution", "approved", gate->by);
  card.approved = true;
}

std::optional<Gate> Turn::judge(Card &card) {
  if (final_answer_) {
    settle(card, Trigger::cancel, "max_rounds", "Not run: no further tool calls are allowed.");
    return std::nullopt;
  }
  if (beyond_rounds()) {
    settle(card, Trigger::cancel, "max_rounds",
           "Not run: the limit of " + std::to_string(config_.max_rounds) +
               " rounds of tool calls is reached. Answer now.");
    return std::nullopt;
  }
  if (!known(card)) return std::nullopt;
  card.spell();
  if (over_limits(card)) return std::nullopt;
  const Gate gate = execution_gate(*card.tool, card.canonical_arguments(), config_.rules, config_.confirm_all);
  if (gate.way != Gate::Way::deny) return gate;
  record(card, "execution", "denied", gate.by);
  settle(card, Trigger::deny, "policy", "Not run: a rule of the user refuses this call.");
  return std::nullopt;
}

// Are these arguments that the tool takes? `checked`: as it takes them.
bool Turn::fits(const Card &card, std::string &checked, ArgumentFault &fault) const {
  const std::string_view arguments = card.effective_arguments();
  checked = arguments;
  if (!hidden_reason(*card.tool, config_.exposure).empty()) return true;  // the gate will not have it anyway
  if (json_kind(arguments) != '{' || !check_json(arguments, config_.limits.depth).ok()) {  // only a state can say so
    fault.message = "expected an object";
    return false;
  }
  checked.clear();
  return card.tool->schema.check(arguments, Strings::strings, checked, fault);
}

uint32_t Turn::rounds_running(const std::string &digest) const {
  const auto before = repeats_.find(digest);
  return before == repeats_.end() ? 1 : before->second + 1;
}

std::string_view Turn::broken_limit(const Card &card) const {
  if (card.fire_and_forget()) return {};
  if (calls_run_ >= config_.max_calls) return "max_calls";
  return rounds_running(approval_digest(*card.tool, card.canonical_arguments())) >= config_.repeat_limit
             ? "repeat_limit"
             : "";
}

bool Turn::over_limits(Card &card) {
  const std::string_view limit = broken_limit(card);
  if (card.fire_and_forget()) return false;
  const std::string digest = approval_digest(*card.tool, card.canonical_arguments());
  const uint32_t running = rounds_running(digest);
  if (limit != "max_calls") repeats_now_[digest] = running;
  if (limit.empty()) {
    ++calls_run_;
    return false;
  }
  if (limit == "max_calls") {
    limit_hit_ = true;
    settle(card, Trigger::cancel, limit,
           "Not run: the limit of " + std::to_string(config_.max_calls) + " tool calls is reached. Answer now.");
  } else {
    settle(card, Trigger::cancel, limit,
           "Not run: the same call came in " + std::to_string(running) +
               " rounds running. Its result is above; go on with it, or do something else.");
  }
  return true;
}

void Turn::ask(Card &card) {
  move(card, Trigger::ask);
  card.asked_at = now_;
  card.asked_polled = false;
  tell(card);
  ask_event(card);
}

static void write_arguments(const Card &card, ObjectWriter &event, LentTexts &lent) {
  if (!card.edited && card.arguments.size() >= kLendsFrom)
    lent.push_back({event.value("arguments").size(), card.arguments, false});
  else
    event.raw("arguments", card.effective_arguments());
}

// What a question is about, so that whoever answers it need not look for the card. Edited arguments count.
static void write_question(const Card &card, ObjectWriter &event, LentTexts &lent) {
  event.text("name", card.name());
  if (card.tool != nullptr) {
    if (!card.tool->title.empty()) event.text("title", card.tool->title);
    event.text("description", card.tool->description);
  }
  write_arguments(card, event, lent);
}

void Turn::ask_event(const Card &card) {
  ObjectWriter event(events_.open(EventQueue::Kind::approval, card.call));
  event.text("type", "approval").number("call", card.call).text("stage", "execution");
  write_question(card, event, events_.lent());
  event.text("level", to_text(card.tool->permission)).text("policy", to_text(card.policy));
  event.text("digest", approval_digest(*card.tool, card.canonical_arguments()));
  if (card.asked_at && config_.approval_timeout_ms > 0)
    event.number("expiresAt", *card.asked_at + config_.approval_timeout_ms);
}

void Turn::record(Card &card, std::string_view stage, std::string_view decision, std::string_view by,
                  std::string_view remember, std::string_view reason) {
  card.approvals.push_back({stage, decision, by, remember, std::string(reason), now_});
  card.dirty |= field::approvals;
  open_.stir(card.call);
}

void Turn::approve_card(Card &card, std::string_view by, std::string_view remember) {
  events_.withdraw(EventQueue::Kind::approval, card.call);
  const bool once = !remember.empty() && card.policy == ExecutionApproval::ask_always;
  record(card, "execution", "approved", by, once ? std::string_view("once") : remember);
  card.approved = true;
  move(card, Trigger::approve);
}

// A decision is about what somebody may have seen: its question was polled.
Status Turn::check_asked(const Card &card) const {
  if (card.asked_polled) return {};
  return not_now("the approval event of call " + std::to_string(card.call) + " was not polled: nobody has seen it");
}

Status Turn::approve(uint32_t call, Remember remember, bool exact, std::optional<std::string_view> edited) {
  if (done_) return not_now("the turn is done");
  Card *const card = find_card(call);
  if (card == nullptr) return no_such_call(call);
  if (card->state() != CardState::awaiting_approval)
    return not_now("call " + std::to_string(call) + " does not wait for approval of its execution: it is " +
                   std::string(to_text(card->state())));
  if (Status status = check_asked(*card); !status.ok()) return status;
  if (edited) {
    if (Status status = check_json(*edited, config_.limits.depth); !status.ok()) return status;
    if (json_kind(*edited) != '{') return error(Code::json, "expected the edited arguments as an object");
    std::string checked;
    ArgumentFault fault;
    if (!card->tool->schema.check(*edited, Strings::strings, checked, fault))
      return error(Code::json, fault.message, fault.pointer);
    if (execution_gate(*card->tool, canonical_json(checked), config_.rules, config_.confirm_all).way == Gate::Way::deny)
      return not_now("a rule refuses the edited arguments");
    card->edited = std::move(checked);
    card->spell();
    card->dirty |= field::edited;
  }
  allow(*card, remember, exact);
  pump();
  advance();
  return {};
}

Status Turn::approve_all(Remember remember, bool exact) {
  if (done_) return not_now("the turn is done");
  std::vector<Card *> waiting;
  for (const uint32_t call : open_.asking())
    if (Card *const card = find_card(call); card->state() == CardState::awaiting_approval && card->asked_polled)
      waiting.push_back(card);
  if (waiting.empty()) return not_now("no call waits for approval of its execution");
  for (Card *card : waiting) {
    if (card->state() != CardState::awaiting_approval) continue;  // a grant before it settled it
    allow(*card, remember, exact);
  }
  pump();
  advance();
  return {};
}

void Turn::allow(Card &card, Remember remember, bool exact) {
  if (remember != Remember::once && card.policy == ExecutionApproval::ask_always) {
    diagnostic("not_remembered",
               in_quotes(remember_text(remember)) + " counted once: " + card.tool->name + " asks for every call",
               card.call);
    remember = Remember::once;
  }
  approve_card(card, "user", remember_text(remember));
  if (remember != Remember::once) grant(card, remember, exact);
}

// A decision that goes beyond its call: kept for the turn, settled for what waits, told to the host where it outlives
// the turn.
void Turn::grant(const Card &card, Remember remember, bool exact) {
  Rule rule;
  rule.tool = card.tool->name;
  rule.scope = remember_text(remember);
  if (exact) rule.arguments = card.canonical_arguments();  // what allows matches to the letter
  rule.definition = card.tool->definition_hash;
  if (remember != Remember::turn) {
    std::string &event = events_.open(EventQueue::Kind::other);
    event += R"({"type":"rule","rule":)";
    write_rule(rule, event);
  }
  const auto same = [&](const Rule &one) { return one == rule; };
  if (std::none_of(config_.rules.begin(), config_.rules.end(), same)) config_.rules.push_back(rule);
  for (const uint32_t call : OpenCards::Calls(open_.asking())) {
    Card *const other = find_card(call);
    if (other->state() != CardState::awaiting_approval) continue;
    if (RuledArguments arguments(other->canonical_arguments()); !matches(rule, *other->tool, arguments)) continue;
    const Gate gate = execution_gate(*other->tool, other->canonical_arguments(), config_.rules, config_.confirm_all);
    if (gate.way == Gate::Way::run) approve_card(*other, gate.by, {});
  }
}

Status Turn::release(uint32_t call) {
  if (done_) return not_now("the turn is done");
  Card *const card = find_card(call);
  if (card == nullptr) return no_such_call(call);
  if (card->state() != CardState::awaiting_result_approval)
    return not_now("call " + std::to_string(call) + " does not wait for the release of a result: it is " +
                   std::string(to_text(card->state())));
  if (Status status = check_asked(*card); !status.ok()) return status;
  record(*card, "result", "approved", "user");
  close_result(*card);
  return {};
}

Status Turn::deny(uint32_t call, std::string_view reason, bool by_person) {
  if (done_) return not_now("the turn is done");
  Card *const card = find_card(call);
  if (card == nullptr) return no_such_call(call);
  const bool waits =
      card->state() == CardState::awaiting_approval || card->state() == CardState::awaiting_result_approval;
  if (!waits)
    return not_now("call " + std::to_string(call) + " does not wait for a decision: it is " +
                   std::string(to_text(card->state())));
  if (Status status = check_asked(*card); !status.ok()) return status;
  const std::string why = repair_utf8(reason);
  const std::string because = why.empty() ? "." : ". Reason: " + why;
  const std::string_view by = by_person ? "user" : "policy";
  if (card->state() == CardState::awaiting_approval) {
    record(*card, "execution", "denied", by, {}, why);
    settle(*card, Trigger::deny, by,
           (by_person ? "Not run: the user refused this call" : "Not run: this call was refused by policy") + because);
  } else {
    record(*card, "result", "denied", by, {}, why);
    settle(*card, Trigger::reject, by,
           (by_person ? "The call was run, but the user does not release its result"
                      : "The call was run, but its result is not released by policy") +
               because);
  }
  pump();
  advance();
  return {};
}

// What the gate would say now: of the rules of this turn only those count that were made for the rest of it.
Status Turn::judge_by(uint32_t call, std::string_view rules, Gate::Way &way) const {
  const Card *const card = find_card(call);
  if (card == nullptr) return no_such_call(call);
  if (card->tool == nullptr) return not_now("call " + std::to_string(call) + " is of no tool that is there");
  if (Status status = check_json(rules, config_.limits.depth); !status.ok()) return status;
  std::vector<Rule> counting;
  if (Status status = read_rules(rules, counting); !status.ok()) return status;
  const auto decision = std::find_if(card->approvals.rbegin(), card->approvals.rend(),
                                     [](const ApprovalRecord &approval) { return approval.stage == "execution"; });
  if (decision != card->approvals.rend() && decision->by == "user") {
    way = decision->decision == "approved" ? Gate::Way::run : Gate::Way::deny;
    return {};
  }
  std::copy_if(config_.rules.begin() + static_cast<std::ptrdiff_t>(configured_rules_), config_.rules.end(),
               std::back_inserter(counting), [](const Rule &rule) { return rule.scope == "turn"; });
  way = execution_gate(*card->tool, canonical_json(card->effective_arguments()), counting, config_.confirm_all).way;
  return {};
}

// ---- execution ----

// The user-mediated loop: the call waits with a button, in the messages, for a turn that takes it up. Those that act at
// once are no business of a person's.
bool Turn::left_to_user(const Card &card) const {
  return config_.user_mediated && !final_answer_ && card.state() == CardState::pending && !card.admitted &&
         !card.tool_is_immediate();
}

// Lets what is ready through the gate, in order, and starts what may run while there is room.
void Turn::pump() {
  if (done_ || parser_) return;
  const size_t room = config_.parallel ? config_.max_concurrent : 1;
  for (uint32_t call = 0; (call = open_.next(call, open_.running().size() < room)) != 0;) {
    Card &card = *find_card(call);
    const bool first = open_.all().empty() || call <= *open_.all().begin();
    const bool in_turn = left_to_user(card) || !config_.one_by_one || first || card.tool_is_immediate();
    if (card.state() == CardState::pending && card.ready && !card.admitted && in_turn) {
      if (left_to_user(card))
        known(card);
      else
        admit(card);
    }
    const bool may_start = open_.running().size() < room || card.tool_is_immediate() || card.fire_and_forget();
    if (card.state() == CardState::pending && card.approved && may_start) start(card);
    tell(card);
    open_.looked_at(call, card.state() == CardState::pending && card.approved);
  }
}

int64_t Turn::timeout_of(const Card &card) const {
  return card.tool != nullptr ? card.tool->timeout_ms.value_or(config_.timeout_ms) : config_.timeout_ms;
}

void Turn::start(Card &card) {
  answer_.shown = true;
  move(card, Trigger::start);
  release_text(card.canonical);
  card.started_at = card.running_since = now_;
  card.dirty |= field::started;
  if (card.fire_and_forget()) return fire(card);
  std::string archery;
  if (!card.reserved.empty())
    if (const auto value = json_member(card.reserved, "archery"); value && json_kind(*value) == '"')
      archery = json_text(*value);
  // A model cannot talk its way around a person who is to see the result.
  card.detached = (archery == "true" || archery == "no_reply") && result_policy(card) == ResultApproval::never;
  tell(card);
  execute_event(card);
}

void Turn::execute_event(const Card &card) {
  ObjectWriter event(events_.open(EventQueue::Kind::execute, card.call));
  event.text("type", "execute").number("call", card.call).text("name", card.tool->name);
  if (!card.wire_id.empty()) event.text("wireId", card.wire_id);
  event.text("source", card.source).number("round", card.round);
  write_arguments(card, event, events_.lent());
  if (!card.reserved.empty()) event.raw("reserved", card.reserved);
  event.boolean("detached", card.detached);
  const int64_t timeout = timeout_of(card);
  if (card.running_since && timeout > 0) event.number("deadline", *card.running_since + timeout);
}

// Fire and forget: the message goes out, the card is settled at once.
void Turn::fire(Card &card) {
  const Ipc &ipc = *card.tool->ipc;
  std::vector<std::string_view> values;
  size_t used = 0;
  for (const IpcItem &item : ipc.payload) {
    const auto value = item.argument ? json_member(card.effective_arguments(), item.text) : std::string_view(item.text);
    values.push_back(value.value_or("null"));
    if (value) used = values.size();
  }
  ObjectWriter event(events_.open(EventQueue::Kind::ipc, card.call));
  event.text("type", "ipc").number("call", card.call).text("channel", ipc.channel);
  std::string &payload = event.value("payload");
  payload += '[';
  for (size_t i = 0; i < used; ++i) {
    if (i > 0) payload += ',';
    payload += values[i];
  }
  payload += ']';
  card.output = "ok";
  card.output_bytes = 2;
  card.has_output = true;
  card.dirty |= field::output;
  settle(card, Trigger::succeed, {}, "ok");
}

Status Turn::submit(uint32_t call, Submit kind, std::string_view data) {
  if (done_) return {};
  Card *const card = find_card(call);
  if (card == nullptr) return no_such_call(call);
  std::string text;
  bool image = false;
  if (kind == Submit::json || kind == Submit::parts) {
    if (kind == Submit::parts && data.size() > config_.limits.result_bytes)  // a part of an image is worse than none
      return error(Code::limit,
                   "the parts are longer than limits.resultBytes, " + std::to_string(config_.limits.result_bytes));
    if (Status status = check_json(data, config_.limits.depth); !status.ok()) return status;
    if (kind == Submit::parts)
      if (Status status = check_parts(data, text, image); !status.ok()) return status;
    if (kind == Submit::json) text = trim_json(data);
  } else {
    text = repair_utf8(data);
  }
  if (config_.user_mediated && card->adopted && card->state() == CardState::awaiting_approval &&
      kind != Submit::progress) {
    approve_card(*card, "user", "once");  // the host ran it when the person pressed its button
    move(*card, Trigger::start);
    card->started_at = card->running_since = now_;
    card->dirty |= field::started;
  }
  const CardState state = card->state();
  if (state == CardState::timeout || state == CardState::cancelled || state == CardState::unknown) {
    diagnostic("late_result", "the call is " + std::string(to_text(state)) + ": what came is dropped", call);
    return {};
  }
  const bool detached = card->detached && state == CardState::success && !card->has_output;
  if (state != CardState::executing && !detached)
    return not_now("call " + std::to_string(call) + " does not execute: it is " + std::string(to_text(state)));
  if (events_.waits(EventQueue::Kind::execute, call))
    return not_now("the execute event of call " + std::to_string(call) + " was not polled: nobody has run it");
  if (kind == Submit::progress) {
    card->progress = std::move(text);
    card->dirty |= field::progress;
    open_.stir(call);
    ObjectWriter event(events_.open(EventQueue::Kind::progress, call));
    event.text("type", "progress").number("call", call).text("text", card->progress);
    return {};
  }
  card->failed = kind == Submit::failure;
  card->output_bytes = text.size();
  card->output_is_json = kind == Submit::json;
  card->output = first_bytes(text, config_.limits.result_bytes);
  card->has_output = true;
  if (card->output.size() < text.size())
    diagnostic("oversize", "the result is longer than limits.resultBytes: the card keeps its beginning", call);
  if (image) card->parts = data;  // without one the text says it all
  card->dirty |= field::output;
  take_result(*card);
  return {};
}

std::string Turn::cap(std::string_view text) const {
  const size_t most = config_.result_max_bytes;
  if (text.size() <= most) return std::string(text);
  const std::string_view head = first_bytes(text, most / 2);
  const std::string_view tail = last_bytes(text, most - most / 2);
  return std::string(head) + "\n[" + std::to_string(text.size() - head.size() - tail.size()) + " bytes left out]\n" +
         std::string(tail);
}

void Turn::take_result(Card &card) {
  std::string told = card.failed ? "Error: " + cap(card.output) : cap(card.output);
  if (card.failed) {
    card.error = card.output;
    card.dirty |= field::error;
  }
  if (card.detached) {  // it was settled when it started; only a failure is worth a word, and only where one is wanted
    const auto archery = json_member(card.reserved, "archery");
    if (card.failed && archery && json_kind(*archery) == '"' && json_text(*archery) == "true") {
      card.told += "\nLater: " + told;
      card.dirty |= field::told;
    }
    return tell(card);
  }
  if (told.empty()) told = card.parts.empty() ? "(no output)" : "(see the image)";
  card.told = edited_note(card) + told;
  card.has_told = true;
  const ResultApproval policy = result_policy(card);
  if (policy == ResultApproval::never || (policy == ResultApproval::on_error && !card.failed))
    return close_result(card);
  move(card, Trigger::hold);
  card.asked_at = now_;
  card.asked_polled = false;
  card.dirty |= field::told;
  tell(card);
  release_event(card);
}

ResultApproval Turn::result_policy(const Card &card) const {
  const ResultApproval own = card.tool != nullptr ? card.tool->result : ResultApproval::always;
  return std::max(own, config_.result_approval.value_or(ResultApproval::never));
}

void Turn::release_event(const Card &card) {
  ObjectWriter event(events_.open(EventQueue::Kind::approval, card.call));
  event.text("type", "approval").number("call", card.call).text("stage", "result");
  write_question(card, event, events_.lent());
  event.text("level", to_text(card.tool != nullptr ? card.tool->permission : Permission::sensitive));
  event.text("policy", to_text(result_policy(card)));
  event.text("digest", sha256_hex({card.told, card.parts}));
  if (card.asked_at && config_.approval_timeout_ms > 0)
    event.number("expiresAt", *card.asked_at + config_.approval_timeout_ms);
  ObjectWriter preview(event.value("preview"));
  preview.text("kind", card.parts.empty() ? "text" : "parts").text("text", card.told);
  if (!card.parts.empty()) preview.raw("parts", card.parts);
  preview.boolean("isError", card.failed);
  preview.close();
}

void Turn::close_result(Card &card) {
  move(card, card.failed ? Trigger::fail : Trigger::succeed);
  if (card.failed) card.reason = "tool";
  card.ended_at = now_;
  card.dirty |= field::reason | field::told | field::ended;
  tell(card);
  pump();
  advance();
}

// ---- cancel ----

void Turn::abort_tool(const Card &card, std::string_view reason) {
  ObjectWriter event(events_.open(EventQueue::Kind::abort_tool, card.call));
  event.text("type", "abortTool").number("call", card.call).text("reason", reason);
}

void Turn::cancel_card(Card &card, std::string_view reason, std::string_view told) {
  switch (card.state()) {
    case CardState::streaming:
    case CardState::pending:
    case CardState::awaiting_approval: return settle(card, Trigger::cancel, reason, std::string(told));
    case CardState::awaiting_result_approval:
      return settle(card, Trigger::reject, reason, "The call was run, but its result was not released.");
    case CardState::executing: break;
    case CardState::success:  // detached, and perhaps still running: what a person cancels is to stop
      if (card.detached && !card.has_output && reason == "cancelled") abort_tool(card, reason);
      return;
    default: return;
  }
  if (events_.withdraw(EventQueue::Kind::execute, card.call))  // nobody saw it: it never ran
    return settle(card, Trigger::cancel, reason, std::string(told));
  abort_tool(card, reason);
  if (card.tool != nullptr && card.tool->read_only)
    return settle(card, Trigger::cancel, reason, "This call was stopped while it ran.");
  settle(card, Trigger::lose, reason, "This call was interrupted while it ran: it may or may not have taken effect.");
}

Status Turn::cancel(uint32_t call, std::string_view reason) {
  if (done_) return {};
  const std::string why = repair_utf8(reason);
  if (call != 0) {
    Card *const card = find_card(call);
    if (card == nullptr) return no_such_call(call);
    cancel_card(*card, "cancelled", "Not run: the user cancelled this call" + (why.empty() ? "." : ". Reason: " + why));
    pump();
    advance();
    return {};
  }
  if (answer_.open) interrupt_text();
  abort_request("cancelled");
  for (const auto &card : message_.cards)
    cancel_card(*card, "cancelled", "Not run: the user cancelled" + (why.empty() ? "." : ". Reason: " + why));
  end_turn("cancelled");
  return {};
}

// ---- time ----

Status Turn::tick(int64_t now, int64_t &next) {
  next = kNever;
  if (now < 0 || now > kMostNumber)
    return error(Code::argument, "expected Unix milliseconds, found " + std::to_string(now));
  if (done_) return {};
  if (!now_) {  // what began before the first tick counts from here
    now_ = now;
    shift_deadlines(0);
    if (answer_.open) message_.rounds.back().started_at = now_;
  } else if (now > *now_) {
    const int64_t gap = now - *now_;
    const bool late = now - kLateMs > next_deadline();
    now_ = now;
    if (gap > kSleepMs && late) shift_deadlines(gap);
  }
  expire();
  if (!done_) next = next_deadline();
  return {};
}

// What the machine slept through does not count for tools and streams; a question's deadline is a promise by the clock.
void Turn::shift_deadlines(int64_t gap) {
  const auto shift = [&](std::optional<int64_t> &since) { since = since ? *since + gap : *now_; };
  for (const uint32_t call : open_.all()) {
    Card *const card = find_card(call);
    if (card->state() == CardState::executing) shift(card->running_since);
    if (!card->asked_at) card->asked_at = now_;
  }
  if (answer_.open) shift(answer_.waiting_since);
}

void Turn::expire() {
  std::vector<uint32_t> due;
  for (const uint32_t call : open_.running()) {
    const Card &card = *find_card(call);
    const int64_t timeout = timeout_of(card);
    if (timeout != 0 && card.running_since && *now_ - *card.running_since >= timeout) due.push_back(call);
  }
  if (config_.approval_timeout_ms > 0)
    for (const uint32_t call : open_.asking())
      if (const Card &card = *find_card(call); card.asked_at && *now_ - *card.asked_at >= config_.approval_timeout_ms)
        due.push_back(call);
  std::sort(due.begin(), due.end());
  for (const uint32_t call : due) {
    Card &card = *find_card(call);
    if (card.state() == CardState::executing) {
      if (!events_.withdraw(EventQueue::Kind::execute, call)) abort_tool(card, "timeout");
      settle(card, Trigger::time_out, "timeout",
             "The tool gave no result within " + std::to_string(timeout_of(card)) +
                 " ms. It may or may not have taken effect.");
    } else if (card.state() == CardState::awaiting_approval) {
      record(card, "execution", "expired", "policy");
      settle(card, Trigger::expire, "expired", "Not run: nobody decided in time.");
    } else {
      record(card, "result", "expired", "policy");
      settle(card, Trigger::reject, "expired", "The call was run, but nobody released its result in time.");
    }
  }
  for (int64_t timeout = silence(); timeout > 0 && *now_ - *answer_.waiting_since >= timeout; timeout = silence()) {
    if (!answer_.late && *now_ - *answer_.waiting_since > timeout + kBusyMs) {
      answer_.late = true;
      answer_.waiting_since = *now_ - timeout + std::min(timeout, kSilenceMs);
    } else if (answer_.ended) {
      abort_request("ended");  // the host did not heed "round"
    } else if (message_.finish() != Finish::none || answer_.reader->refusal() != WireReader::Refusal::none) {
      answer_.reader->end();
      if (answer_.open && !answer_.ended)
        end_answer(true);  // a reader that told its end before has nothing more to tell
    } else {
      const bool first = !answer_.bytes_seen;
      return stop_with({first ? "first_byte_timeout" : "idle_timeout",
                        "the provider sent nothing for " + std::to_string(timeout) + " ms", "", !answer_.shown, false});
    }
  }
  if (due.empty()) return;
  pump();
  advance();
}

int64_t Turn::next_deadline() const {
  int64_t next = kNever;
  const auto at = [&](const std::optional<int64_t> &since, int64_t timeout) {
    if (since && timeout > 0) next = std::min(next, *since + timeout);
  };
  for (const uint32_t call : open_.running()) at(find_card(call)->running_since, timeout_of(*find_card(call)));
  if (config_.approval_timeout_ms > 0)
    for (const uint32_t call : open_.asking()) at(find_card(call)->asked_at, config_.approval_timeout_ms);
  at(answer_.waiting_since, silence());
  return next;
}

// How long the provider may say nothing before that means something; 0: for ever.
int64_t Turn::silence() const {
  if (!answer_.open || parser_ || answer_.closed_to_bytes || !answer_.waiting_since) return 0;
  const WireReader::Refusal refusal = answer_.reader->refusal();
  if (!answer_.ended && (answer_.last_word || refusal == WireReader::Refusal::whole)) return kSilenceMs;
  const bool begun = answer_.bytes_seen || refusal != WireReader::Refusal::none;
  return begun ? config_.idle_timeout_ms : config_.first_byte_timeout_ms;
}

// ---- what comes out ----

void Turn::diagnostic(std::string_view code, std::string_view detail, uint32_t call, std::optional<size_t> offset,
                      std::string_view raw) {
  ObjectWriter event(events_.open(EventQueue::Kind::other));
  event.text("type", "diagnostic").text("code", code).text("detail", detail);
  if (call != 0) event.number("call", call);
  if (offset) event.number("offset", static_cast<int64_t>(*offset));
  if (!raw.empty()) event.text("raw", raw);
}

bool Turn::next_event(std::string &out) {
  EventQueue::Polled polled{};
  if (!events_.next(out, polled)) return false;
  Card *const card = find_card(polled.key);
  if (card == nullptr) return true;
  if (polled.kind == EventQueue::Kind::approval) card->asked_polled = true;
  // A detached call is settled as soon as its execute event is polled.
  if (polled.kind == EventQueue::Kind::execute && card->detached && card->state() == CardState::executing) {
    settle(*card, Trigger::succeed, {}, "Started. Its result is not waited for.");
    pump();
    advance();
  }
  return true;
}

std::shared_ptr<const std::string> Turn::request_body() const {
  return done_ || parser_ || !answer_.open ? nullptr : request_;
}

void Turn::history(std::string &out) const {
  out += '[';
  for (const std::string &text : history_messages(message_, message_.rounds.size(), ended_on_fire_, true)) {
    if (out.back() != '[') out += ',';
    out += text;
  }
  out += ']';
}

void Turn::tools(std::string &out) const {
  ObjectWriter object(out);
  list_tools(engine_->registry, config_.exposure, object);
  std::string list = "[";
  for (const auto &protocol : config_.protocols) {
    if (list.back() != '[') list += ',';
    append_json_string(list, protocol->id());
  }
  object.raw("protocols", list + "]");
  // What the tools cost a request: as JSON in its body, or as text in its instructions.
  ObjectWriter tokens(object.value("tokens"));
  tokens.number("native", static_cast<int64_t>(estimate_tokens(wire_->write_tools(offers_))));
  tokens.number("text", static_cast<int64_t>(
                            estimate_tokens(render_tools(engine_->registry, config_.exposure, writing_protocols()))));
  tokens.close();
  list = "[";
  for (const std::string_view id : protocol_ids()) {
    if (list.back() != '[') list += ',';
    append_json_string(list, id);
  }
  object.raw("knownProtocols", list + "]");
  list = "[";
  for (const std::vector<Profile> *table : {&config_.profiles, &profiles()})
    for (const Profile &profile : *table) {
      if (list.back() != '[') list += ',';
      write_profile(profile, list);
    }
  object.raw("profiles", list + "]");
  write_config(config_, object.value("settings"));
  object.close();
}

void Turn::prompt(std::string &out) const {
  append_json_string(out, render_tools(engine_->registry, config_.exposure, writing_protocols()));
}

}  // namespace sluice
