#include "wire/gemini_interactions_reader.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/call_slots.h"
#include "wire/event_reader.h"
#include "wire/finish.h"
#include "wire/gemini_interactions_step.h"
#include "wire/native_items.h"

namespace sluice {
namespace {

constexpr size_t kMostSteps = 4096;  // that are kept at once
constexpr int64_t kNoStep = -1;      // an index that no step has

enum class StepPiece : uint8_t { none, text, thought, arguments };  // what a delta adds

constexpr std::string_view kEvents[] = {"interaction.created",
                                        "interaction.in_progress",
                                        "interaction.status_update",
                                        "interaction.requires_action",
                                        "interaction.completed",
                                        "step.start",
                                        "step.delta",
                                        "step.stop",
                                        "error"};
constexpr std::string_view kStepOthers =
    "type id name arguments signature call_id result is_error search_type retrieval_type server_name error annotations";
constexpr std::string_view kContentOthers =
    "type annotations data uri mime_type name resolution channels sample_rate rate processing";
constexpr ReadMembers kStepMembers[] = {
    {"", "",
     "event_type event_id interaction_id status interaction metadata usage step_usage continuation_token error"},
    {"step", "", kStepOthers},
    {"step.content", "text", kContentOthers},
    {"step.summary", "text", kContentOthers},
    {"delta", "text arguments", "type signature annotations id result is_error name server_name data uri mime_type"},
    {"delta.content", "text", kContentOthers},
    {"steps", "", kStepOthers},
    {"steps.content", "text", kContentOthers},
    {"steps.summary", "text", kContentOthers},
};
constexpr ReadMembers kInteractionMembers[] = {
    {"", "", "*"},
    {"steps", "", kStepOthers},
    {"steps.content", "text", kContentOthers},
    {"steps.summary", "text", kContentOthers},
};
constexpr ReadMembers kForeignMembers[] = {{"", "", "event_type event_id index interaction_id metadata"}};

bool is_whole(JsonView root) {
  return root["object"].string() == "interaction" || (root["steps"].kind() == '[' && root["status"]);
}

bool says_error(JsonView error) { return error.is_object() || error.kind() == '"'; }

// Steps that say what the user, or the client for its tools, gave: no part of the answer.
bool is_input(std::string_view type) { return type == "user_input" || type == "function_result"; }

class InteractionsReader final : public EventReader {
 public:
  InteractionsReader(WireSink &sink, const WireLimits &limits)
      : EventReader(sink, limits, "an interaction of Gemini"),
        provided_(limits.calls_per_round),
        items_(limits.line_bytes) {}

 private:
  // ---- Events ----

  void take(std::string_view type, const JsonEvent &event) override {
    const JsonView root = event.root();
    std::string_view named = root["event_type"].string();
    if (named.empty() && root.is_object()) named = type;
    if (named == "step.delta") {
      take_delta(root, event);
    } else if (named == "step.start") {
      know();
      open(event.sliced()["step"], root["index"].integer().value_or(next_index_), event);
    } else if (named == "step.stop") {
      count(root["usage"]);
      const auto step = find(root["index"]);
      if (step == steps_.end()) return tell_broken("no such step: ", event.text());
      stop(*step);
    } else if (named == "interaction.completed") {
      know();
      take_end(event.sliced()["interaction"], event, false);
    } else if (named.starts_with("interaction.")) {
      take_status(named, root);
    } else if (is_whole(root)) {
      know();
      know_whole();
      take_end(event.sliced(), event, true);
    } else if (named == "error" || (named.empty() && says_error(root["error"]))) {
      fail(event.text());
    } else if (known() && named.empty()) {
      tell_broken("no event of an interaction: ", event.text());
    }
  }

  std::span<const ReadMembers> known_members(JsonView event, std::string_view &foreign_type) const override {
    const std::string_view type = event["event_type"].string();
    if (type.empty() && is_whole(event)) return kInteractionMembers;
    if (type.empty() || std::find(std::begin(kEvents), std::end(kEvents), type) != std::end(kEvents))
      return kStepMembers;
    foreign_type = type;
    return kForeignMembers;
  }

  bool take_late(const JsonEvent &event) override {
    const JsonView root = event.root();
    count(root["usage"]);
    count(root["interaction"]["usage"]);
    report_usage();
    const std::string_view type = root["event_type"].string();
    return type.starts_with("interaction.") || type == "step.stop";
  }

  void take_status(std::string_view named, JsonView root) {
    const JsonView interaction = root["interaction"];
    if (std::find(std::begin(kEvents), std::end(kEvents), named) != std::end(kEvents)) know();
    take_model(interaction["model"].string());
    count(root["usage"]);
    count(interaction["usage"]);
    if (const std::string_view status = root["status"].string(); !status.empty()) status_ = repair_utf8(status);
  }

  // The end of the answer. `interaction` is sliced. `whole`: it is the body, with which the answer ends.
  void take_end(JsonView interaction, const JsonEvent &event, bool whole) {
    take_model(interaction["model"].string());
    count(interaction["usage"]);
    if (const JsonView error = interaction["error"]; error.is_object()) return fail(error.text());
    if (next_index_ == 0) take_steps(interaction["steps"], event);
    std::string_view status = interaction["status"].string();
    if (status.empty()) status = "completed";
    const Finish finish = finish_of(Endings::gemini_interactions, status, calls() > 0);
    close_all(finish == Finish::stop || finish == Finish::tool_calls);
    interaction["errors"].items([&](JsonView error) {
      if (explanation_.empty()) explanation_ = repair_utf8(error["message"].string());
    });
    take_finish(finish, status, explanation_);
    if (!whole) end();
  }

  // The answer begins behind what was asked, which such a body repeats.
  void take_steps(JsonView steps, const JsonEvent &event) {
    size_t begin = 0, at = 0;
    steps.items([&](JsonView step) {
      ++at;
      if (is_input(step["type"].string())) begin = at;
    });
    at = 0;
    steps.items([&](JsonView step) {
      if (at++ < begin || failed()) return;
      open(step, next_index_, event);
      if (!steps_.empty() && !steps_.back().closed) stop(steps_.back());
    });
  }

  // What the interaction has cost so far.
  void count(JsonView usage) {
    if (!usage.is_object()) return;
    const auto number = [&](std::string_view key) { return usage[key].integer().value_or(-1); };
    const auto sum = [](int64_t one, int64_t other) { return one < 0 ? other : other < 0 ? one : one + other; };
    Usage counted;
    counted.input_tokens = sum(number("total_input_tokens"), number("total_tool_use_tokens"));
    counted.reasoning_tokens = number("total_thought_tokens");
    counted.output_tokens = sum(number("total_output_tokens"), counted.reasoning_tokens);
    counted.cached_tokens = number("total_cached_tokens");
    take_usage(counted);
  }

  // ---- Steps ----

  using Steps = std::list<InteractionStep>;

  Steps::iterator find(int64_t index) {
    if (index > top_index_) return steps_.end();
    const auto found = std::find_if(steps_.rbegin(), steps_.rend(),
                                    [&](const InteractionStep &step) { return !step.closed && step.index == index; });
    return found == steps_.rend() ? steps_.end() : std::prev(found.base());
  }

  // The open step of an event. One without an index is about the only step that is open.
  Steps::iterator find(JsonView index) {
    if (const auto number = index.integer()) return find(*number);
    auto found = steps_.end();
    for (auto step = steps_.begin(); step != steps_.end(); ++step) {
      if (step->closed) continue;
      if (found != steps_.end()) return steps_.end();
      found = step;
    }
    return found;
  }

  InteractionStep &add_step(int64_t index, StepKind kind, std::string start) {
    if (!steps_.empty() && !steps_.back().closed && !steps_.back().announced) stop(steps_.back());
    next_index_ = std::min(index, kMostInteger) + 1;
    top_index_ = std::max(top_index_, index);
    InteractionStep &opened = steps_.emplace_back();
    opened.index = index;
    opened.kind = kind;
    opened.start = std::move(start);
    opened.paragraph = kind == StepKind::thought && thinks_;
    thinks_ = kind == StepKind::thought && thinks_;
    reserve(opened.start.size());
    return opened;
  }

  // Is this the start of a step that began already, once more?
  bool repeats(const InteractionStep &step, JsonView json) const {
    const std::string id = json_member_text(step.start, "id");
    return json_member_text(step.start, "type") == json["type"].string() && !id.empty() && id == json["id"].string();
  }

  // `json` is sliced: what goes back needs its text.
  void open(JsonView json, int64_t index, const JsonEvent &event) {
    if (const auto same = find(index); same != steps_.end()) {
      if (repeats(*same, json)) return;
      stop(*same);  // its stop never came
    }
    if (!json.is_object() || steps_.size() >= kMostSteps) return tell_broken("no step: ", event.text());
    const StepKind kind = step_kind(json["type"].string());
    const std::string_view id = json["id"].string();
    InteractionStep &opened = add_step(index, kind, compact_json(json.text()));
    switch (kind) {
      case StepKind::output:
        sink().on_message(Phase::none);
        json["content"].items([&](JsonView content) { take_content(opened, content, StepPiece::text); });
        if (json["content"].kind() == '"') take_piece(opened, StepPiece::text, json["content"].string(), true);
        if (const JsonView error = json["error"]["message"]; error) explanation_ = repair_utf8(error.string());
        break;
      case StepKind::thought:
        json["summary"].items([&](JsonView content) { take_content(opened, content, StepPiece::thought); });
        break;
      case StepKind::call:
        opened.slot = new_call();
        sink().on_call(opened.slot, repair_utf8(id), repair_utf8(json["name"].string()));
        break;
      case StepKind::provider_call:
        opened.slot = open_provided(id, tool_of_step(json), json["arguments"].text());
        break;
      case StepKind::provider_result:
      case StepKind::other: break;
    }
  }

  // A whole content of an output or a thought.
  void take_content(InteractionStep &step, JsonView content, StepPiece kind) {
    if (content["type"].string() != "text") return take_file(step, content);
    step.end_text();
    take_piece(step, kind, content["text"].string(), true);
    take_annotations(step, content["annotations"]);
  }

  void take_file(InteractionStep &step, JsonView content) {
    if (!reserve(content.text().size())) return;
    step.add_part(compact_json(content.text()));
    if (const auto media = read_interaction_media(content); media && step.kind == StepKind::output)
      sink().on_media(*media);
  }

  void take_annotations(InteractionStep &step, JsonView annotations) {
    std::vector<Source> sources;
    read_interaction_sources(annotations, sources);
    annotations.items([&](JsonView annotation) {
      if (annotation.is_object() && reserve(annotation.text().size()))
        step.annotations.append(step.annotations.empty() ? "" : ",").append(compact_json(annotation.text()));
    });
    sink().on_sources(sources);
  }

  // ---- Deltas ----

  // The member that has the text of a delta, and what kind it is.
  static std::pair<StepPiece, JsonView> piece_of(JsonView delta, std::string_view type) {
    if (type == "text") return {StepPiece::text, delta["text"]};
    if (type == "arguments_delta") return {StepPiece::arguments, delta["arguments"]};
    if (type == "thought_summary") {
      const JsonView content = delta["content"];
      if (is_one_of(content["type"].string(), {"", "text"})) return {StepPiece::thought, content["text"]};
    }
    return {StepPiece::none, {}};
  }

  void take_delta(JsonView root, const JsonEvent &event) {
    know();
    const JsonView delta = root["delta"];
    const std::string_view type = delta["type"].string();
    count(root["metadata"]["total_usage"]);
    const auto [piece, value] = piece_of(delta, type);
    auto found = find(root["index"]);
    if (found == steps_.end()) {
      const int64_t index = root["index"].integer().value_or(next_index_);
      if (piece == StepPiece::arguments) {
        if (value.kind() != 'n' && !(value.kind() == '"' && value.string().empty())) lose_arguments(index);
        return;
      }
      const std::string_view begun = begins(type);
      if (begun.empty() || steps_.size() >= kMostSteps) return tell_broken("no such step: ", event.text());
      InteractionStep &opened = add_step(index, step_kind(begun), R"({"type":")" + std::string(begun) + "\"}");
      opened.announced = false;
      if (opened.kind == StepKind::output) sink().on_message(Phase::none);
      if (opened.kind == StepKind::provider_call) opened.slot = open_provided({}, tool_of_step(delta), {});
      found = std::prev(steps_.end());
    }
    InteractionStep &step = *found;
    if (piece != StepPiece::none) {
      if (value.kind() == 'n') return;
      if (piece == StepPiece::arguments && value.is_object() && step.kind == StepKind::call)
        return replace_arguments(step, event.sliced()["delta"]["arguments"]);
      if (!fits(step.kind, piece) || value.kind() != '"') return take_odd(step, piece, value, event);
      const bool surrogates = event.has_surrogates();
      if (!surrogates && !root["event_id"] && !root["metadata"]) repeatable(value.string());
      again_ = {step.index, piece};
      take_piece(step, piece, value.string(), surrogates);
      return;
    }
    const JsonView sliced = event.sliced()["delta"];
    if (type == "thought_signature")
      merge(step, sliced);
    else if (type.starts_with("text_annotation"))
      take_annotations(step, sliced["annotations"]);
    else if (type == "thought_summary")
      take_file(step, sliced["content"]);
    else if (read_interaction_media(delta))
      take_file(step, sliced);
    else if (type == json_member_text(step.start, "type"))
      take_provided(step, sliced);
    else if (!std::exchange(reported_unknown_, true))
      sink().on_diagnostic("unknown_part", "a delta of the answer is not shown: " + bounded_text(type, kMostType));
  }

  // The type of the step that a delta of this type belongs to, where its start never came; empty: none.
  static std::string_view begins(std::string_view type) {
    if (is_one_of(type, {"text", "image", "audio", "document", "video"})) return "model_output";
    if (type == "thought_summary" || type == "thought_signature") return "thought";
    constexpr std::string_view kTools[] = {"google_search_call",     "google_search_result", "code_execution_call",
                                           "code_execution_result",  "url_context_call",     "url_context_result",
                                           "file_search_call",       "file_search_result",   "mcp_server_tool_call",
                                           "mcp_server_tool_result", "google_maps_call",     "google_maps_result"};
    const auto *const known = std::find(std::begin(kTools), std::end(kTools), type);
    return known == std::end(kTools) ? std::string_view() : *known;
  }

  static bool fits(StepKind kind, StepPiece piece) {
    switch (kind) {
      case StepKind::output: return piece == StepPiece::text;
      case StepKind::thought: return piece == StepPiece::thought;
      case StepKind::call: return piece == StepPiece::arguments;
      case StepKind::provider_call:
      case StepKind::provider_result:
      case StepKind::other: break;
    }
    return false;
  }

  void take_piece(InteractionStep &step, StepPiece piece, std::string_view text, bool surrogates) {
    if (piece == StepPiece::arguments) return take_arguments(step, text, surrogates);
    if (text.empty()) return;
    if (reserve(text.size())) step.text += text;
    if (piece == StepPiece::text) {
      thinks_ = false;
      return show_text(text, surrogates);
    }
    if (std::exchange(step.paragraph, false)) show_reasoning("\n\n", false);
    thinks_ = true;
    show_reasoning(text, surrogates);
  }

  // A piece of the wrong kind or type. Its text is shown if it is one; the call of the step lacks bytes.
  void take_odd(InteractionStep &step, StepPiece piece, JsonView value, const JsonEvent &event) {
    if (step.kind == StepKind::other) return;  // it is said by somebody else, or of a later version
    tell_broken("a delta that does not fit its step: ", event.text());
    if (step.kind == StepKind::call) sink().on_call_broken(step.slot, "invalid_json");
    if (piece == StepPiece::arguments) {
      if (step.kind != StepKind::call) lose_arguments(kNoStep);
    } else if (piece == StepPiece::text) {
      show_text(value.string(), true);
    } else {
      show_reasoning(value.string(), true);
    }
  }

  void take_again(std::string_view text) override {
    if (const auto step = find(again_.step); step != steps_.end()) take_piece(*step, again_.piece, text, false);
  }

  // Sets the members of a delta in its step: each brings the whole value.
  void merge(InteractionStep &step, JsonView delta) {
    ItemText changed(step.start);
    delta.members([&](std::string_view key, JsonView value) {
      const bool nothing = value.kind() == 'n' || (value.kind() == '"' && value.string().empty());
      if (key != "type" && !nothing && reserve(value.text().size())) changed.set(key, compact_json(value.text()));
    });
    step.start = changed.write();
  }

  void take_provided(InteractionStep &step, JsonView delta) {
    merge(step, delta);
    if (step.kind != StepKind::provider_call || step.slot == ProvidedCalls::kNone) return;
    if (const JsonView arguments = delta["arguments"])
      sink().on_provider_call(step.slot, {}, {}, compact_json(arguments.text()));
  }

  // ---- Arguments ----

  void take_arguments(InteractionStep &step, std::string_view piece, bool surrogates) {
    if (surrogates || !step.joiner.empty()) piece = step.joiner.feed(piece);
    if (piece.empty()) return;
    if (repaired()) sink().on_call_broken(step.slot, "invalid_json");
    if (step.text.size() <= limits().argument_bytes) {
      step.text += piece;
      reserve(piece.size());
    }
    sink().on_arguments(step.slot, piece);
  }

  // An object has all of them.
  void replace_arguments(InteractionStep &step, JsonView whole) {
    if (repaired()) sink().on_call_broken(step.slot, "invalid_json");
    const std::string text = join_surrogates(compact_json(whole.text()));
    step.text = text;
    reserve(text.size());
    sink().on_arguments_replaced(step.slot, text);
  }

  // A piece came without its step, which may have been stopped.
  void lose_arguments(int64_t index) {
    if (const auto slot = ended_calls_.find(index))
      sink().on_arguments_lost(*slot, "a piece of arguments came after the end of its step");
    else
      sink().on_arguments_lost(kNoCall, "a piece of arguments came for a step that never began");
  }

  // Settles the arguments: what the deltas wrote, or where they wrote nothing what the start held.
  void close_call(InteractionStep &step, bool stopped) {
    if (const std::string_view rest = step.joiner.finish(); !rest.empty()) {
      step.text += rest;
      sink().on_arguments(step.slot, rest);
    }
    if (!trim_json(step.text).empty()) return;
    const auto start = json_member(step.start, "arguments");
    std::string text = !start || json_kind(*start) == 'n' ? std::string()
                       : json_kind(*start) == '"'         ? json_text(*start)
                                                          : std::string(*start);
    if (trim_json(text).empty()) text = "{}";
    if (text == "{}" && !stopped) return;
    if (json_kind(text) != '{') sink().on_call_broken(step.slot, "invalid_json");
    step.text = text;
    sink().on_arguments(step.slot, text);
  }

  // ---- Ends of steps ----

  // The provider says that nothing more comes for the step, or another step took its index.
  void stop(InteractionStep &step) {
    const bool call = step.kind == StepKind::call;
    const int64_t index = step.index;
    const uint32_t slot = step.slot;
    close(step, true, true);
    if (!call) return;
    ended_calls_.add(index, slot);
    sink().on_call_end(slot);
  }

  // Nothing more comes for the step. `whole`: it came to its end. `stopped`: the provider said so. Items go back in the
  // order in which their steps began.
  void close(InteractionStep &step, bool whole, bool stopped) {
    switch (step.kind) {
      case StepKind::output:
      case StepKind::thought: step.item = step.said(whole); break;
      case StepKind::call:
        close_call(step, stopped);
        step.item = step.called(limits().depth);
        break;
      case StepKind::provider_result: settle(step); [[fallthrough]];
      case StepKind::provider_call:
      case StepKind::other:
        if (whole) step.item = step.start;
    }
    step.closed = true;
    step.start = "{}";
    step.parts.clear();
    step.text.clear();
    step.annotations.clear();
    while (!steps_.empty() && steps_.front().closed) {
      if (!steps_.front().item.empty()) items_.add(steps_.front().item);
      steps_.pop_front();
    }
  }

  void close_all(bool whole) {
    while (!steps_.empty()) {
      const auto open =
          std::find_if(steps_.begin(), steps_.end(), [](const InteractionStep &step) { return !step.closed; });
      close(open == steps_.end() ? steps_.front() : *open, whole, false);
    }
  }

  // Nothing more comes: a status that was told before is the last word, if it is no good one.
  void close_calls() override {
    for (InteractionStep &step : steps_)
      if (const std::string_view rest = step.joiner.finish(); !rest.empty() && step.kind == StepKind::call)
        sink().on_arguments(step.slot, rest);
    const Finish finish = finish_of(Endings::gemini_interactions, status_);
    if (finish_words().empty() && (finish == Finish::length || finish == Finish::failed))
      take_finish(finish, status_, explanation_);
  }

  // ---- Tools that the provider runs ----

  uint32_t open_provided(std::string_view id, std::string_view name, std::string_view arguments) {
    const uint32_t slot = provided_.add(repair_utf8(id));
    if (slot == ProvidedCalls::kNone) return slot;
    sink().on_provider_call(slot, provided_.id(slot), name, arguments == "{}" ? std::string_view() : arguments);
    return slot;
  }

  // A result belongs to the call with its id; one without an id to the last call.
  void settle(const InteractionStep &step) {
    const JsonEvent *const event = read_again(step.start);
    if (event == nullptr) return;
    const JsonView json = event->sliced();
    const std::string_view id = json["call_id"].string();
    auto known = provided_.find(id);
    if (!known && id.empty()) known = provided_.last();
    const uint32_t slot = known ? *known : open_provided(id, tool_of_step(json), {});
    if (slot == ProvidedCalls::kNone) return;
    const ProvidedResult result = read_provided_result(json["result"]);
    if (!result.media.empty()) sink().on_provider_media(slot, result.media);
    sink().on_provider_result(slot, result.text, json["is_error"].is_true());
    std::vector<Source> sources;
    read_provided_sources(json["type"].string(), json["result"], sources);
    sink().on_sources(sources);
  }

  const JsonEvent *read_again(const std::string &json) {
    return result_.read(json) == JsonEvent::Result::ok ? &result_ : nullptr;
  }

  // ---- What goes back ----

  // Returns whether this many bytes more are kept.
  bool reserve(size_t bytes) {
    if (!items_.reserve(bytes))
      sink().on_diagnostic("oversize", "the provider's items beyond limits.lineBytes are not kept");
    return !items_.full();
  }

  void report_last(bool well) override {
    if (well && !items_.empty()) sink().on_native(items_.array());
  }

  // ---- Saved ----

  void save_more(ObjectWriter &saved) const override {
    items_.save(saved);
    saved.number("nextIndex", next_index_).number("topIndex", top_index_);
    saved.boolean("toldUnknown", reported_unknown_).boolean("thinks", thinks_);
    saved.text("lastStatus", status_).text("explanation", explanation_);
    ended_calls_.save(saved);
    provided_.save(saved);
    std::string &out = saved.value("steps");
    out += '[';
    for (const InteractionStep &step : steps_) {
      if (&step != &steps_.front()) out += ',';
      step.save(out);
    }
    out += ']';
  }

  void load_more(const SavedReader &from) override {
    items_.load(from, limits().depth);
    from.get("nextIndex", next_index_);
    next_index_ = std::min(next_index_, kMostInteger);
    from.get("topIndex", top_index_);
    from.get("toldUnknown", reported_unknown_);
    from.get("thinks", thinks_);
    from.text("lastStatus", status_);
    from.text("explanation", explanation_);
    ended_calls_.load(from);
    provided_.load(from);
    for (JsonSlices list(from.nested("steps")); list.next();)
      steps_.emplace_back().load(SavedReader(list.value()), limits().depth);
  }

  static constexpr size_t kMostType = 80;  // bytes of a type in a diagnostic

  // -- of the delta that was parsed last; not saved: see take_again
  struct {
    int64_t step = 0;
    StepPiece piece = StepPiece::text;
  } again_;
  // -- reused, empty between two events
  JsonEvent result_{limits().depth};
  // -- position in the stream (saved with the turn)
  Steps steps_;  // that began, without those in front that are closed
  int64_t next_index_ = 0, top_index_ = -1;
  EndedCalls ended_calls_;
  ProvidedCalls provided_;
  bool thinks_ = false;  // reasoning was the last thing that was shown
  bool reported_unknown_ = false;
  std::string status_, explanation_;  // that were told last
  NativeItems items_;
};

}  // namespace

std::unique_ptr<WireReader> read_gemini_interactions(WireSink &sink, const WireLimits &limits) {
  return std::make_unique<InteractionsReader>(sink, limits);
}

}  // namespace sluice
