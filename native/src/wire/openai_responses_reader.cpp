#include "wire/openai_responses_reader.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/event_reader.h"
#include "wire/finish.h"
#include "wire/openai_responses_event.h"
#include "wire/openai_responses_items.h"
#include "wire/openai_responses_provided.h"
#include "wire/provider_tool.h"

namespace sluice {
namespace {

constexpr std::string_view kCustomToolCall = "custom_tool_call";
constexpr LooseMember kLoose[] = {{{}, "sequence_number"}, {{}, "obfuscation"}};

constexpr std::string_view kForHost = "This call is for the app: Sluice does not run it.";
constexpr std::string_view kForApproval = "The provider waits for an approval, which cannot be given here.";

Phase phase_of(JsonView item) {
  const std::string_view phase = item["phase"].string();
  return phase == "commentary" ? Phase::commentary : phase == "final_answer" ? Phase::final_answer : Phase::none;
}

std::string id_of(JsonView item) {
  const std::string_view call = item["call_id"].string();
  return repair_utf8(call.empty() ? item["id"].string() : call);
}

// xAI runs searches of its own as calls of custom tools.
bool is_run_by_provider(std::string_view name) { return name.starts_with("x_") || name.starts_with("view_x_"); }

class ResponsesReader final : public EventReader {
 public:
  ResponsesReader(WireSink &sink, const WireLimits &limits) : EventReader(sink, limits, "a response", kLoose) {}

  bool has_orphans() const override { return items_.has_orphans(); }

 private:
  // ---- Events ----

  void take(std::string_view line_type, const JsonEvent &event) override {
    const JsonView root = event.root();
    Fields fields = read_fields(root);
    if (fields.type.empty() && !line_type.empty() && root.is_object() && line_type != "error") fields.type = line_type;
    std::string_view type = fields.type;
    if (type.starts_with("response.")) {
      know();
      type.remove_prefix(std::string_view("response.").size());
      take_named(type, fields, event);
    } else if (type.starts_with("reasoning.")) {
      know();
      take_named(type, fields, event);
    } else if (root["object"].string() == "response" && type.empty()) {
      know();
      know_whole();
      const JsonView response = event.sliced();
      const std::string_view status = response["status"].string();
      take_end(status.empty() ? std::string_view("completed") : status, response, event, true);
    } else if (type == "error" || line_type == "error" || (root["error"].is_object() && !root["choices"])) {
      fail(event.text());
    } else if (known() && !is_one_of(type, {"keepalive", "ping"})) {
      tell_broken("no event of a response: ", event.text());
    }
  }

  void take_named(std::string_view type, const Fields &fields, const JsonEvent &event) {
    const bool surrogates = event.has_surrogates();
    if (const Piece piece = piece_of(type); piece != Piece::none) {
      const JsonView delta = fields.delta.is_object() ? fields.delta["text"] : fields.delta;
      if (!is_null(fields.delta) && delta.kind() != '"') return take_odd(piece, fields, event);
      const std::string_view text = delta.string();
      if (!surrogates) repeatable(text);
      again_id_ = fields.id;
      again_.piece = piece;
      again_.fields.index = fields.index;
      again_.fields.id = again_id_;
      take_piece(piece, fields, text, surrogates);
    } else if (type == "reasoning.delta" || type == "reasoning_summary.delta") {
      take_piece(Piece::thought, fields,
                 fields.delta.is_object() ? fields.delta["text"].string() : fields.delta.string(), surrogates);
    } else if (is_one_of(type,
                         {"output_text.done", "refusal.done", "reasoning_text.done", "reasoning_summary_text.done"})) {
      repeat_part(type, fields);
    } else if (is_one_of(type, {"content_part.added", "reasoning_part.added", "reasoning_summary_part.added"})) {
      const bool thinks = type.front() == 'r' || fields.part["type"].string() == "reasoning_text";
      begin_part(items_.going_on(fields.index, thinks ? ResponsesItem::reasoning : ResponsesItem::message, fields.id));
    } else if (type == "function_call_arguments.done" || type == "custom_tool_call_input.done") {
      const ResponsesItem kind = type.front() == 'c' ? ResponsesItem::custom_call : ResponsesItem::function_call;
      repeat_arguments(fields, kind);
    } else if (type == "output_text.annotation.added") {
      tell_sources(event.root()["annotation"]);
    } else if (type == "image_generation_call.partial_image") {
      if (OutputItem *const item = items_.open_at(fields.index, ResponsesItem::provider);
          item != nullptr && item->slot != kUnnamed) {
        const Media picture =
            picture_of(event.root()["partial_image_b64"].string(), event.root()["output_format"].string());
        if (!picture.data.empty()) sink().on_provider_media(item->slot, std::span(&picture, 1));
      }
    } else if (type == "output_item.added") {
      begin(fields.index, event.sliced()["item"], event);
    } else if (type == "output_item.done") {
      close(fields.index, event.sliced()["item"], event, false);
    } else if (is_one_of(type, {"completed", "incomplete", "failed", "cancelled"})) {
      const JsonView response = event.sliced()["response"];
      const std::string_view status = response["status"].string();  // vLLM completes what it cut
      const bool worse = type == "completed" && is_one_of(status, {"incomplete", "failed", "cancelled"});
      take_end(worse ? status : type, response, event, false);
    } else if (fields.response.is_object()) {
      take_model(fields.response["model"].string());
    }
  }

  // A piece that is not a text. A call that it belongs to lacks bytes.
  void take_odd(Piece piece, const Fields &fields, const JsonEvent &event) {
    tell_broken("a delta of the wrong type: ", event.text());
    if (piece != Piece::arguments && piece != Piece::input) return;
    OutputItem *const item =
        call_at(fields.index, piece == Piece::input ? ResponsesItem::custom_call : ResponsesItem::function_call);
    if (item == nullptr) return;
    item->streamed = true;
    if (item->has_card()) sink().on_call_broken(item->slot, "invalid_json");
  }

  void take_piece(Piece piece, const Fields &fields, std::string_view text, bool surrogates) {
    switch (piece) {
      case Piece::none: break;
      case Piece::arguments:
        add_arguments(call_at(fields.index, ResponsesItem::function_call), text, surrogates);
        break;
      case Piece::input: add_arguments(call_at(fields.index, ResponsesItem::custom_call), text, surrogates); break;
      case Piece::transcript:
        if (!has_text_) show_piece(text_at(fields, ResponsesItem::message), piece, text, surrogates);
        break;
      default: {
        const bool thinks = piece == Piece::thought || piece == Piece::summary;
        if (text.empty()) break;
        OutputItem *const item = text_at(fields, thinks ? ResponsesItem::reasoning : ResponsesItem::message);
        show_piece(item, thinks ? Piece::thought : piece, text, surrogates);
      }
    }
  }

  void take_again(std::string_view text) override { take_piece(again_.piece, again_.fields, text, false); }

  std::span<const ReadMembers> known_members(JsonView event, std::string_view &foreign_type) const override {
    return known_response_members(event, foreign_type);
  }

  bool take_late(const JsonEvent &event) override {
    const JsonView root = event.root();
    const std::string_view type = root["type"].string();
    count(root["response"]["usage"]);
    report_usage();
    return type.starts_with("response.") ? !type.ends_with(".delta") && type != "response.output_item.added"
                                         : is_one_of(type, {"keepalive", "ping"});
  }

  // The end of the answer. `response` is sliced. `whole`: it is the body, with which the answer ends.
  void take_end(std::string_view status, JsonView response, const JsonEvent &event, bool whole) {
    take_model(response["model"].string());
    count(response["usage"]);
    if (status == "completed" || status == "incomplete") {
      take_output(response["output"], event, status == "incomplete");
      open_waiting(false);
      if (status == "incomplete") {
        const std::string_view reason = response["incomplete_details"]["reason"].string();
        const std::string_view words = reason.empty() ? status : reason;
        take_finish(finish_of(Endings::openai_responses, words), words);
      } else if (refused_) {
        take_finish(Finish::content_filter, "refusal");
      } else {
        take_finish(finish_of(Endings::openai_responses, status, calls() > 0), status);
      }
      if (!whole) end();
    } else if (const JsonView error = response["error"]; error.is_object() || error.kind() == '"') {
      fail(error.text());
    } else {
      fail("the response is " + std::string(status.substr(0, kMostNameBytes)));
    }
  }

  // The items of a response's `output`: only those that the stream did not close count.
  void take_output(JsonView output, const JsonEvent &event, bool cut) {
    const bool all = items_.empty();
    if (!all && items_.all_closed()) return;
    int64_t index = 0;
    output.items([&](JsonView element) {
      const int64_t at = index++;
      if (all) return close(at, element, event, false);
      const ResponsesItem kind = kind_of(element);
      if (OutputItem *const item = items_.left_open(at, kind, id_of(element), element.text()))
        close_with(*item, element, cut);
    });
  }

  void count(JsonView usage) {
    if (!usage.is_object()) return;
    Usage counted;
    const auto number = [](JsonView value) { return value.integer().value_or(-1); };
    counted.input_tokens = number(usage["input_tokens"]);
    counted.output_tokens = number(usage["output_tokens"]);
    counted.cached_tokens = number(usage["input_tokens_details"]["cached_tokens"]);
    counted.cache_write_tokens = number(usage["input_tokens_details"]["cache_write_tokens"]);
    counted.reasoning_tokens = number(usage["output_tokens_details"]["reasoning_tokens"]);
    take_usage(counted);
  }

  // ---- Items ----

  OutputItem *new_item(int64_t index, ResponsesItem kind) {
    const bool overflowed = items_.overflowed();
    OutputItem *const item = items_.add(index, kind);
    if (item == nullptr && !overflowed) tell_broken("too many output items: ", {});
    if (kind == ResponsesItem::message) open_waiting(true);
    return item;
  }

  // `json`: an item, sliced.
  ResponsesItem kind_of(JsonView json) {
    const std::string_view type = json["type"].string(), kind = kind_of_host_call(type);
    const bool host =
        !kind.empty() && is_for_host(type, json.text()) &&
        !sink().host_tool(kind, kind == "mcp" ? json["server_label"].string() : std::string_view()).empty();
    return host ? ResponsesItem::host_call : responses_item(type);
  }

  // The call that is open at this index, or a new one: servers may leave out output_item.added.
  OutputItem *call_at(int64_t index, ResponsesItem kind) {
    OutputItem *const item = items_.open_at(index, kind);
    return item != nullptr ? item : new_item(index, kind);
  }

  // The same for an item of text.
  OutputItem *text_at(const Fields &fields, ResponsesItem kind) {
    OutputItem *item = items_.going_on(fields.index, kind, fields.id);
    if (item == nullptr) item = new_item(fields.index, kind);
    if (item != nullptr && !fields.id.empty() && item->piece_id != fields.id) item->piece_id = repair_utf8(fields.id);
    return item;
  }

  // `json` is sliced.
  void begin(int64_t index, JsonView json, const JsonEvent &event) {
    if (!json.is_object()) return tell_broken("no output item: ", event.text());
    const std::string_view type = json["type"].string();
    const ResponsesItem kind = kind_of(json);
    if (OutputItem *const open = items_.open_at(index, kind);
        open != nullptr && (open->id.empty() || open->id == id_of(json)))
      return name(*open, type, json);
    if (OutputItem *const item = new_item(index, kind)) name(*item, type, json);
  }

  // Takes what tells which call it is, and shows the call.
  void name(OutputItem &item, std::string_view type, JsonView json) {
    if (item.id.empty()) item.id = id_of(json);
    if (item.phase == Phase::none) item.phase = phase_of(json);
    if (item.slot != kUnnamed) return;
    if (item.kind == ResponsesItem::host_call) {
      const std::string_view kind = kind_of_host_call(type);
      item.name = sink().host_tool(kind, kind == "mcp" ? json["server_label"].string() : std::string_view());
      if (!item.name.empty()) open_call(item, false);
    } else if (is_client_call(item.kind)) {
      const std::string_view called = json["name"].string();
      if (called.empty()) return;
      item.name = repair_utf8(called);
      if (item.kind != ResponsesItem::custom_call || sink().has_tool(item.name))
        open_call(item, false);
      else if (is_run_by_provider(item.name) || sink().has_provider_tools())
        open_call(item, true);
    } else if (item.kind == ResponsesItem::provider) {
      item.type = repair_utf8(type);
      item.slot = provided_++;
      show_provided(item, json, false);
    }
  }

  // A custom call of a tool that the request does not have waits until it is known who runs it: the provider did if a
  // message follows. Else the model made the name up.
  void open_waiting(bool provided) {
    for (OutputItem &item : items_)
      if (!item.name.empty()) open_call(item, provided);
  }

  void open_call(OutputItem &item, bool provided) {
    const std::string name = std::exchange(item.name, {});
    thinks_ = false;
    if (provided) {
      item.type = kCustomToolCall;
      item.slot = provided_++;
      sink().on_provider_call(item.slot, item.id, name, {});
      if (item.closed) settle_custom(item, json_member_text(item.json, "input"), false);
      return;
    }
    item.slot = new_call();
    sink().on_call(item.slot, item.id, name);
    if (item.kind != ResponsesItem::custom_call) return;
    sink().on_arguments(item.slot, R"({"input":")");
    add_to_call(item, std::exchange(item.arguments, {}));
    if (!item.closed) return;
    settle_arguments(item, json_member_text(item.json, "input"));
    end_call(item);
  }

  // What the provider asked a tool of its own for is its input. It keeps the result.
  void settle_custom(OutputItem &item, std::string_view input, bool failed) {
    const bool object = json_kind(input) == '{' && check_json(input, limits().depth).ok();
    sink().on_provider_call(item.slot, {}, {}, object ? std::string(input) : R"({"input":)" + json_string(input) + "}");
    item.settled = true;
    sink().on_provider_result(item.slot, {}, failed);
  }

  void show_provided(const OutputItem &item, JsonView json, bool whole) {
    thinks_ = false;
    const std::string_view called = json["name"].string();
    const bool named = !called.empty() && is_one_of(item.type, {"mcp_call", "mcp_approval_request"});
    sink().on_provider_call(item.slot, item.id, named ? repair_utf8(called) : item.type,
                            whole ? asked_of_tool(json) : std::string());
  }

  // The item is whole. `json` is sliced. `cut`: the answer ends within it.
  void close(int64_t index, JsonView json, const JsonEvent &event, bool cut) {
    if (!json.is_object()) return tell_broken("no output item: ", event.text());
    const ResponsesItem kind = kind_of(json);
    OutputItem *item = items_.done(index, kind, id_of(json), !json["call_id"].string().empty(), json.text());
    if (item == nullptr) item = new_item(index, kind);
    if (item != nullptr) close_with(*item, json, cut);
  }

  void close_with(OutputItem &item, JsonView json, bool cut) {
    if (!item.closed) {
      const Phase phase = item.phase;
      const std::string_view type = json["type"].string();
      name(item, type, json);
      if (item.phase != phase && !item.shows_nothing()) sink().on_phase(item.phase);
      close_parts(item, type, json);
    }
    items_.close(item);
    const bool unfinished = is_one_of(json["status"].string(), {"incomplete", "in_progress"});
    item.cut = cut || unfinished;
    if (item.has_card() && unfinished) sink().on_call_broken(item.slot, "truncated");
    end_call(item);
    keep(item, json.text());
  }

  void end_call(const OutputItem &item) {
    if (item.has_card() && !item.cut) sink().on_call_end(item.slot);
  }

  // Shows what no delta showed.
  void close_parts(OutputItem &item, std::string_view type, JsonView json) {
    switch (item.kind) {
      case ResponsesItem::message:
        if (!is_one_of(json["role"].string(), {"", "assistant"})) break;  // it is no answer
        show_rest(item, Piece::text, {json["content"]}, "text");
        show_rest(item, Piece::refusal, {json["content"]}, "refusal");
        each_part(json["content"], [&](JsonView part) { tell_sources(part["annotations"]); });
        break;
      case ResponsesItem::reasoning: show_rest_of_thought(item, json["summary"], json["content"]); break;
      case ResponsesItem::function_call: {
        const JsonView arguments = json["arguments"];
        if (item.slot == kUnnamed) break;
        if (!is_null(arguments) && !arguments.is_object() && arguments.kind() != '"') {
          tell_broken("arguments of the wrong type: ", json.text());
          sink().on_call_broken(item.slot, "invalid_json");
        }
        settle_arguments(item, arguments.is_object() ? arguments.text() : arguments.string());
        break;
      }
      case ResponsesItem::host_call:
        if (item.slot != kUnnamed) settle_arguments(item, host_call_arguments(json));
        break;
      case ResponsesItem::custom_call:
        if (!item.type.empty())
          settle_custom(item, repair_utf8(json["input"].string()), json["status"].string() == "failed");
        else if (item.slot != kUnnamed)
          settle_arguments(item, json["input"].string());
        break;
      case ResponsesItem::provider: {
        show_provided(item, json, true);
        if (is_for_host(type, json.text())) {
          item.settled = true;
          sink().on_provider_result(item.slot, type == "mcp_approval_request" ? kForApproval : kForHost, true);
        } else if (!has_output_item(type)) {
          settle_provided(item, type, json);
        }
        break;
      }
      case ResponsesItem::output: give_output(type, json); break;
    }
  }

  // The result of a provider's tool that is an item of its own.
  void give_output(std::string_view type, JsonView json) {
    const std::string_view stem = type.substr(0, type.size() - std::string_view("_output").size());
    const std::string_view call = json["call_id"].string();
    for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
      if (item->type.empty() || item->settled) continue;
      if (call.empty() ? !item->type.starts_with(stem) : item->id != call) continue;
      return settle_provided(*item, type, json);
    }
    if (is_one_of(type, {"function_call_output", "custom_tool_call_output"})) return;
    // Its call was in an earlier answer.
    const uint32_t slot = provided_++;
    sink().on_provider_call(slot, repair_utf8(call), repair_utf8(stem), {});
    sink().on_provider_result(slot, given_by_tool(type, json), false);
  }

  void settle_provided(OutputItem &item, std::string_view type, JsonView json) {
    const JsonView error = json["error"];
    const bool failed = !is_null(error) || json["status"].string() == "failed";
    item.settled = true;
    if (const std::vector<Media> media = media_of_tool(type, json); !media.empty())
      sink().on_provider_media(item.slot, media);
    sink().on_provider_result(item.slot, is_null(error) ? given_by_tool(type, json) : words_of(error), failed);
  }

  void tell_sources(JsonView annotations) {
    std::vector<Source> sources;
    read_sources(annotations, sources);
    sink().on_sources(sources);
  }

  // ---- Text ----

  static ShownText &shown_of(OutputItem &item, Piece piece) {
    return piece == Piece::refusal ? item.refused : piece == Piece::thought ? item.thought : item.said;
  }

  // `piece`: text, transcript, refusal or thought. nullptr: the item is one too many.
  void show_piece(OutputItem *item, Piece piece, std::string_view text, bool surrogates) {
    if (text.empty()) return;
    if (piece == Piece::thought) {  // parts of reasoning are paragraphs
      if (thinks_ && (item == nullptr || item->new_part)) show_reasoning("\n\n", false);
      if (item != nullptr) item->new_part = false;
    } else if (item != nullptr && item->said.empty() && item->refused.empty()) {
      sink().on_message(item->phase);
    }
    if (item != nullptr) shown_of(*item, piece).add(text);
    thinks_ = piece == Piece::thought;
    has_text_ = has_text_ || piece == Piece::text;
    refused_ = refused_ || piece == Piece::refusal;
    if (thinks_)
      show_reasoning(text, surrogates);
    else if (piece == Piece::refusal)
      show_refusal(text, surrogates);
    else
      show_text(text, surrogates);
  }

  static void begin_part(OutputItem *item) {
    if (item == nullptr) return;
    item->new_part = true;
    for (ShownText *const text : {&item->said, &item->refused, &item->thought}) text->end_part();
  }

  // A part is done, and repeated whole.
  void repeat_part(std::string_view type, const Fields &fields) {
    const std::string_view text = fields.done.string();
    const Piece piece = type == "output_text.done" ? Piece::text
                        : type == "refusal.done"   ? Piece::refusal
                                                   : Piece::thought;
    const ResponsesItem kind = piece == Piece::thought ? ResponsesItem::reasoning : ResponsesItem::message;
    OutputItem *item = items_.going_on(fields.index, kind, fields.id);
    if (text.empty() || (item == nullptr && items_.is_over(fields.index, kind, fields.id))) return;
    OutputItem *const last = items_.open_at(kAnyIndex, kind);
    if (item == nullptr && last != nullptr && shown_of(*last, piece).holds(text)) return;
    if (item == nullptr) item = text_at(fields, kind);
    if (item == nullptr) return;
    if (const auto rest = shown_of(*item, piece).rest_of_part(text))
      show_piece(item, piece, *rest, false);
    else
      tell_repeated();
    item->new_part = shown_of(*item, piece).at_part();
  }

  // The item is done, and these lists hold all parts of one of its texts: shows what no delta showed.
  void show_rest(OutputItem &item, Piece piece, std::initializer_list<JsonView> lists, std::string_view key) {
    std::vector<std::string> parts;
    std::string whole;
    for (const JsonView list : lists)
      each_part(list, [&](JsonView part) { whole += parts.emplace_back(join_surrogates(text_of_part(part, key))); });
    const auto rest = shown_of(item, piece).rest_of_whole(whole);
    if (!rest) return tell_repeated();
    size_t shown = whole.size() - rest->size();
    for (const std::string_view part : parts) {
      const size_t skip = std::min(shown, part.size());
      shown -= skip;
      if (skip == 0) item.new_part = true;
      show_piece(&item, piece, part.substr(skip), false);
    }
  }

  // Servers stream the summary, the content, or both, and some tell only of one that it is there.
  void show_rest_of_thought(OutputItem &item, JsonView summary, JsonView content) {
    const std::string first = texts_of(summary), second = texts_of(content);
    const auto goes_on = [&](const std::string &whole) {
      return !whole.empty() && item.thought.rest_of_whole(whole).has_value();
    };
    if (goes_on(first)) return show_rest(item, Piece::thought, {summary}, "text");
    if (goes_on(second)) return show_rest(item, Piece::thought, {content}, "text");
    if (goes_on(second + first)) return show_rest(item, Piece::thought, {content, summary}, "text");
    show_rest(item, Piece::thought, {summary, content}, "text");
  }

  static std::string texts_of(JsonView parts) {
    std::string text;
    each_part(parts, [&](JsonView part) { text += text_of_part(part, "text"); });
    return text;
  }

  void tell_repeated() { sink().on_diagnostic("repeated_text", "a repeated text differs from its pieces"); }

  // ---- Calls ----

  void add_arguments(OutputItem *item, std::string_view piece, bool surrogates) {
    if (item == nullptr || piece.empty()) return;
    item->streamed = true;
    const bool known = item->has_card();
    if (!known && item->name.empty()) return;  // output_item.done repeats them
    if (item->settled) return sink().on_arguments_lost(item->slot, "a piece of arguments came after all of them");
    if (surrogates || !item->joiner.empty()) piece = item->joiner.feed(piece);
    if (known)
      add_to_call(*item, piece);
    else if (item->arguments.size() <= limits().argument_bytes)
      item->arguments += piece;
  }

  void add_to_call(OutputItem &item, std::string_view piece) {
    if (piece.empty()) return;
    if (repaired()) sink().on_call_broken(item.slot, "invalid_json");
    if (item.arguments.size() <= limits().argument_bytes) item.arguments += piece;
    if (item.kind == ResponsesItem::custom_call) {
      escaped_.clear();
      append_json_string(escaped_, piece);
      piece = std::string_view(escaped_).substr(1, escaped_.size() - 2);
    }
    sink().on_arguments(item.slot, piece);
  }

  // The arguments are done, and repeated whole.
  void repeat_arguments(const Fields &fields, ResponsesItem kind) {
    OutputItem *const item = items_.open_at(fields.index, kind);
    if (item != nullptr && item->has_card() && fields.done.kind() == '"') {
      settle_arguments(*item, fields.done.string());
      sink().on_call_end(item->slot);
    } else if (!fields.done.string().empty() && (item != nullptr || !items_.is_over(fields.index, kind, {}))) {
      if (OutputItem *const unknown = call_at(fields.index, kind)) unknown->streamed = true;  // nobody announced it
    }
  }

  // `whole`: the arguments, or the input of a custom tool. It counts, unless a server leaves it empty.
  void settle_arguments(OutputItem &item, std::string_view whole) {
    if (std::exchange(item.settled, true)) return;
    if (const std::string_view rest = item.joiner.finish(); !rest.empty()) add_to_call(item, rest);
    const bool custom = item.kind == ResponsesItem::custom_call;
    const std::string so_far = std::exchange(item.arguments, {});
    std::string repaired_text;
    std::string_view text = whole.empty() ? std::string_view(so_far) : whole;
    if (!text.starts_with(so_far)) text = repaired_text = repair_utf8(text);
    if (text.starts_with(so_far)) {
      add_to_call(item, repair_utf8(text.substr(so_far.size())));
      item.arguments = {};
      if (custom) sink().on_arguments(item.slot, "\"}");
      return;
    }
    if (repaired()) sink().on_call_broken(item.slot, "invalid_json");
    sink().on_diagnostic("repeated_arguments", "the whole arguments differ from their pieces");
    sink().on_arguments_replaced(item.slot, custom ? R"({"input":)" + json_string(text) + "}" : std::string(text));
  }

  void close_calls() override {
    open_waiting(false);
    for (OutputItem &item : items_) {
      if (item.is_orphan()) lose_arguments(item);
      if (item.settled || !item.has_card()) continue;
      if (const std::string_view rest = item.joiner.finish(); !rest.empty()) add_to_call(item, rest);
    }
  }

  void lose_arguments(const OutputItem &orphan) {
    const auto ended = std::find_if(items_.rbegin(), items_.rend(), [&](const OutputItem &item) {
      return item.closed && item.kind == orphan.kind && item.index == orphan.index && item.has_card();
    });
    if (ended == items_.rend())
      sink().on_arguments_lost(kNoCall, "arguments came for an output item that never told its name");
    else
      sink().on_arguments_lost(ended->slot, "arguments came after the end of their output item");
  }

  // ---- What the next request repeats ----

  void keep(OutputItem &item, std::string_view json) {
    kept_bytes_ += json.size();
    kept_bytes_ -= item.json.size();
    if (kept_bytes_ <= limits().line_bytes) {
      item.json = json;
      return;
    }
    if (!std::exchange(too_much_, true))
      sink().on_diagnostic("oversize", "the provider's items beyond limits.lineBytes are not kept");
    for (OutputItem &kept : items_) kept.json = {};
  }

  // An item that was cut has no valid signature: it goes back without, and so do the thoughts right before it.
  void report_last(bool well) override {
    if (!well || too_much_ || items_.overflowed() || items_.empty()) return;
    std::vector<std::string_view> items;
    std::deque<std::string> untied;  // some of them point into it
    int64_t last_slot = -1;
    const auto drop_thoughts = [&] {
      while (!items.empty() && json_member_text(items.back(), "type") == "reasoning") items.pop_back();
    };
    for (const OutputItem &item : items_) {
      if (!item.closed || item.json.empty()) return;
      if (item.kind == ResponsesItem::custom_call && !item.is_for_client()) {  // a request needs its result
        drop_thoughts();
        continue;
      }
      if (is_client_call(item.kind)) {
        if (item.slot == kUnnamed || item.slot <= last_slot) return;
        last_slot = item.slot;
      }
      if (!item.cut) {
        items.push_back(item.json);
        continue;
      }
      drop_thoughts();
      if (item.kind != ResponsesItem::message && !is_client_call(item.kind)) continue;
      if (std::string rest = untied_item(item.json); !rest.empty())
        items.push_back(untied.emplace_back(std::move(rest)));
    }
    drop_thoughts();  // a thought must have what it led to behind it
    if (items.empty()) return;
    std::string list = "[";
    for (const std::string_view item : items) list.append(list.size() > 1 ? "," : "").append(item);
    sink().on_native(list + "]");
  }

  // ---- Saved ----

  void save_more(ObjectWriter &saved) const override {
    items_.save("items", saved);
    saved.number("provided", provided_).boolean("refused", refused_);
    saved.boolean("thinks", thinks_).number("keptBytes", static_cast<int64_t>(kept_bytes_));
    saved.boolean("tooMuch", too_much_).boolean("hasText", has_text_);
  }

  void load_more(const SavedReader &from) override {
    items_.load("items", from, limits().depth);
    from.get("provided", provided_);
    from.get("refused", refused_);
    from.get("thinks", thinks_);
    from.get("keptBytes", kept_bytes_);
    from.get("tooMuch", too_much_);
    from.get("hasText", has_text_);
  }

  // -- of the delta that was parsed last; not saved: see take_again
  struct {
    Piece piece = Piece::none;
    Fields fields;  // index and id
  } again_;
  std::string again_id_;
  // -- reused, empty between two events
  std::string escaped_;
  // -- position in the stream (saved with the turn)
  OutputItems items_;
  uint32_t provided_ = 0;  // slots that were given
  bool refused_ = false;
  bool thinks_ = false;    // reasoning was the last thing that was shown
  bool has_text_ = false;  // more than the words of speech
  size_t kept_bytes_ = 0;
  bool too_much_ = false;
};

}  // namespace

std::unique_ptr<WireReader> read_openai_responses(WireSink &sink, const WireLimits &limits) {
  return std::make_unique<ResponsesReader>(sink, limits);
}

}  // namespace sluice
