#include "wire/openai_responses_reader.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/event_reader.h"
#include "wire/finish.h"
#include "wire/openai_responses_event.h"
#include "wire/openai_responses_item.h"

namespace sluice {
namespace {

constexpr size_t kMostItems = 4096;
constexpr int64_t kAllParts = -1;      // every bit of a mask
constexpr int64_t kContent = 1 << 20;  // parts of `content` are numbered from here, parts of `summary` from 0
constexpr uint32_t kNoSlot = UINT32_MAX;
constexpr LooseMember kLoose[] = {{{}, "sequence_number"}, {{}, "obfuscation"}};

constexpr std::string_view kForHost = "This call is for the app: Sluice does not run it.";
constexpr std::string_view kForApproval = "The provider waits for an approval, which cannot be given here.";

// One output item. Items stay in the order in which they began.
struct Item {
  int64_t index = kAnyIndex;  // output_index; items of one index may follow each other
  ResponsesItem kind = ResponsesItem::provider;
  std::string id;           // call_id, or else the item's own; changes of that are ignored
  std::string type;         // of a provider's item
  uint32_t slot = kNoSlot;  // of a call, or of a provider's
  int64_t shown = 0;        // a bit for each part of the content that was shown
  int64_t summaries = 0;    // and of the summary
  bool streamed = false;    // some of the arguments came
  bool settled = false;     // the arguments, or the result of a provider's tool, are whole
  bool cut = false;         // the provider stopped in the middle of it
  bool closed = false;
  Utf8Joiner joiner;      // of arguments
  std::string arguments;  // so far, until they are settled; of a custom tool: its input
  std::string json;       // as it goes back; empty until it is closed
};

int64_t bit_of(int64_t part) { return int64_t{1} << std::clamp<int64_t>(part, 0, kMostParts); }

std::string id_of(JsonView item) {
  const std::string_view call = item["call_id"].string();
  return repair_utf8(call.empty() ? item["id"].string() : call);
}

bool is_null(JsonView value) { return value.kind() == 0 || value.kind() == 'n'; }

// A value, not null, for people: a string as it is, anything else as JSON. The view is sliced.
std::string words_of(JsonView value) { return repair_utf8(value.kind() == '"' ? value.string() : value.text()); }

// What a provider's tool was asked, as JSON text; empty: the item does not say.
std::string asked(JsonView item) {
  const JsonView arguments = item["arguments"];
  if (arguments.kind() == '"') return repair_utf8(arguments.string());
  for (const std::string_view key : {"arguments", "action", "operation"})
    if (const JsonView value = item[key]; value.is_object()) return std::string(value.text());
  std::string out;
  ObjectWriter object(out);
  for (const std::string_view key : {"server_label", "queries", "code", "actions", "input"})
    if (const JsonView value = item[key]; !is_null(value)) object.raw(key, value.text());
  object.close();
  return out == "{}" ? std::string() : out;
}

// What it gave. An image is not text.
std::string given(std::string_view type, JsonView item) {
  if (type == "image_generation_call") return {};
  for (const std::string_view key : {"output", "outputs", "results", "result", "tools"})
    if (const JsonView value = item[key]; !is_null(value)) return words_of(value);
  return {};
}

class ResponsesReader final : public EventReader {
 public:
  ResponsesReader(WireSink &sink, const WireLimits &limits) : EventReader(sink, limits, "a response", kLoose) {}

  bool has_orphans() const override {
    return std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(closed_), items_.end(), is_orphan);
  }

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
      if (!is_null(fields.delta) && fields.delta.kind() != '"') return take_odd(piece, fields, event);
      const std::string_view text = fields.delta.string();
      if (!surrogates) repeatable(text);
      again_ = {piece, fields};
      take_piece(piece, fields, text, surrogates);
    } else if (type == "reasoning.delta" || type == "reasoning_summary.delta") {
      if (Item *const item = item_at(fields.index, ResponsesItem::reasoning)) item->shown = item->summaries = kAllParts;
      const std::string_view text = fields.delta.is_object() ? fields.delta["text"].string() : fields.delta.string();
      show_reasoning_of(fields.index, 0, text, surrogates);
    } else if (type == "output_text.done" || type == "refusal.done") {
      Item *const item = undone_item(fields.index, ResponsesItem::message);
      if (item != nullptr && !(item->shown & bit_of(fields.part)))
        show_part(fields, fields.done.string(), type.front() == 'r', surrogates);
    } else if (type == "reasoning_summary_text.done" || type == "reasoning_text.done") {
      Item *const item = undone_item(fields.index, ResponsesItem::reasoning);
      const bool content = type == "reasoning_text.done";
      if (item != nullptr && !(content ? item->shown & bit_of(fields.part) : item->summaries & bit_of(fields.summary)))
        show_thought(fields, content, fields.done.string(), surrogates);
    } else if (type == "function_call_arguments.done" || type == "custom_tool_call_input.done") {
      const bool custom = type.front() == 'c';
      Item *const item = find_open(fields.index, custom ? ResponsesItem::custom_call : ResponsesItem::function_call);
      if (item != nullptr && item->slot != kNoSlot && fields.done.kind() == '"') {
        settle_arguments(*item, fields.done.string());
        sink().on_call_end(item->slot);
      } else if (!fields.done.string().empty()) {  // of an item that nobody announced so far, or that is done
        Item *const unknown =
            undone_item(fields.index, custom ? ResponsesItem::custom_call : ResponsesItem::function_call);
        if (unknown != nullptr) unknown->streamed = true;
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
    Item *const item =
        item_at(fields.index, piece == Piece::input ? ResponsesItem::custom_call : ResponsesItem::function_call);
    if (item == nullptr) return;
    item->streamed = true;
    if (item->slot != kNoSlot) sink().on_call_broken(item->slot, "invalid_json");
  }

  void take_piece(Piece piece, const Fields &fields, std::string_view text, bool surrogates) {
    switch (piece) {
      case Piece::none: break;
      case Piece::text:
      case Piece::refusal: show_part(fields, text, piece == Piece::refusal, surrogates); break;
      case Piece::arguments:
        add_arguments(item_at(fields.index, ResponsesItem::function_call), text, surrogates);
        break;
      case Piece::input: add_arguments(item_at(fields.index, ResponsesItem::custom_call), text, surrogates); break;
      case Piece::thought:
      case Piece::summary: show_thought(fields, piece == Piece::thought, text, surrogates); break;
    }
  }

  void take_again(std::string_view text) override { take_piece(again_.piece, again_.fields, text, false); }

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
    if (!items_.empty() && std::all_of(items_.begin(), items_.end(), [](const Item &item) { return item.closed; }))
      return;
    const bool all = items_.empty();
    size_t seen = 0;
    output.items([&](JsonView element) {
      if (seen >= kMostItems) return;
      const auto index = static_cast<int64_t>(seen++);
      if (all || open_at(index, element)) close(index, element, event, cut && !all);
    });
  }

  bool open_at(int64_t index, JsonView element) {
    return std::any_of(first_open(), items_.end(), [&](const Item &item) {
      return !item.closed && item.index == index && item.kind == responses_item(element["type"].string());
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

  // All in front of it are closed.
  std::vector<Item>::iterator first_open() {
    while (closed_ < items_.size() && items_[closed_].closed) ++closed_;
    return items_.begin() + static_cast<std::ptrdiff_t>(closed_);
  }

  // The last item of this kind at this index that is open. nullptr: there is none.
  Item *find_open(int64_t index, ResponsesItem kind) {
    const auto end = std::make_reverse_iterator(first_open());
    for (auto item = items_.rbegin(); item != end; ++item)
      if (!item->closed && item->kind == kind &&
          (item->index == index || index == kAnyIndex || item->index == kAnyIndex))
        return &*item;
    return nullptr;
  }

  // The same, or a new one: servers may leave out output_item.added. nullptr: the answer has too many items.
  Item *item_at(int64_t index, ResponsesItem kind) {
    Item *const item = find_open(index, kind);
    return item != nullptr ? item : new_item(index, kind);
  }

  // The item that a part of is done. nullptr also where the whole item is.
  Item *undone_item(int64_t index, ResponsesItem kind) {
    const bool known = std::any_of(items_.rbegin(), items_.rend(),
                                   [&](const Item &item) { return item.index == index && item.kind == kind; });
    return known ? find_open(index, kind) : item_at(index, kind);
  }

  Item *new_item(int64_t index, ResponsesItem kind) {
    if (items_.size() == kMostItems) {
      if (!std::exchange(too_many_, true)) tell_broken("too many output items: ", {});
      return nullptr;
    }
    Item &item = items_.emplace_back();
    item.index = index;
    item.kind = kind;
    return &item;
  }

  // `json` is sliced.
  void begin(int64_t index, JsonView json, const JsonEvent &event) {
    if (!json.is_object()) return tell_broken("no output item: ", event.text());
    const std::string_view type = json["type"].string();
    const ResponsesItem kind = responses_item(type);
    if (Item *const open = find_open(index, kind); open != nullptr && (open->id.empty() || open->id == id_of(json)))
      return name(*open, type, json);
    if (Item *const item = new_item(index, kind)) name(*item, type, json);
  }

  // Takes what tells which call it is, and shows the call.
  void name(Item &item, std::string_view type, JsonView json) {
    if (item.id.empty()) item.id = id_of(json);
    if (item.slot != kNoSlot) return;
    if (is_client_call(item.kind)) {
      const std::string_view called = json["name"].string();
      if (called.empty()) return;
      item.slot = new_call();
      thinks_ = false;
      sink().on_call(item.slot, item.id, repair_utf8(called));
      if (item.kind == ResponsesItem::custom_call) sink().on_arguments(item.slot, R"({"input":")");
    } else if (item.kind == ResponsesItem::provider) {
      item.type = repair_utf8(type);
      item.slot = provided_++;
      show_provided(item, json, false);
    }
  }

  void show_provided(const Item &item, JsonView json, bool whole) {
    thinks_ = false;
    const std::string_view called = json["name"].string();
    const bool named = !called.empty() && is_one_of(item.type, {"mcp_call", "mcp_approval_request"});
    sink().on_provider_call(item.slot, item.id, named ? repair_utf8(called) : item.type,
                            whole ? asked(json) : std::string());
  }

  // The item is whole. `json` is sliced. `cut`: the answer ends within it.
  void close(int64_t index, JsonView json, const JsonEvent &event, bool cut) {
    if (!json.is_object()) return tell_broken("no output item: ", event.text());
    const std::string_view type = json["type"].string();
    const ResponsesItem kind = responses_item(type);
    const std::string id = id_of(json);
    Item *item = find_done(index, kind, id, !json["call_id"].string().empty());
    if (item == nullptr) item = new_item(index, kind);
    if (item == nullptr) return;
    if (!item->closed) {
      name(*item, type, json);
      close_parts(*item, type, json);
    }
    item->closed = true;
    closed_ids_.insert(item->id);
    const bool unfinished = is_one_of(json["status"].string(), {"incomplete", "in_progress"});
    item->cut = cut || unfinished;
    if (is_client_call(item->kind) && item->slot != kNoSlot) {
      if (unfinished)
        sink().on_call_broken(item->slot, "truncated");
      else if (!cut)
        sink().on_call_end(item->slot);
    }
    keep(*item, json.text());
  }

  // The item that output_item.done is for. Some servers send it twice, or several items under one index. `tied`: the
  // id is a call's; other ids may change.
  Item *find_done(int64_t index, ResponsesItem kind, std::string_view id, bool tied) {
    Item *repeated = nullptr;
    const auto end = !id.empty() && closed_ids_.contains(id) ? items_.rend() : std::make_reverse_iterator(first_open());
    for (auto item = items_.rbegin(); item != end; ++item) {
      if (item->kind != kind || (item->index != index && index != kAnyIndex && item->index != kAnyIndex)) continue;
      const bool same = item->id == id || !is_client_call(kind) || item->id.empty() || !tied;
      if (!item->closed && same) return &*item;
      if (item->closed && !id.empty() && item->id == id && repeated == nullptr) repeated = &*item;
    }
    return repeated;
  }

  // Shows what no delta showed.
  void close_parts(Item &item, std::string_view type, JsonView json) {
    switch (item.kind) {
      case ResponsesItem::message: {
        int64_t part = 0;
        json["content"].items([&](JsonView content) {
          if (!(item.shown & bit_of(part))) {
            show_said(content["text"].string(), false, true);
            show_said(content["refusal"].string(), true, true);
          }
          ++part;
        });
        break;
      }
      case ResponsesItem::reasoning: {
        if (item.shown != 0 || item.summaries != 0) break;
        int64_t part = 0;
        for (const std::string_view key : {"summary", "content"}) {
          json[key].items(
              [&](JsonView thought) { show_reasoning_of(item.index, part++, thought["text"].string(), true); });
          if (part > 0) break;
        }
        break;
      }
      case ResponsesItem::function_call: {
        const JsonView arguments = json["arguments"];
        if (item.slot == kNoSlot) break;
        if (!is_null(arguments) && !arguments.is_object() && arguments.kind() != '"') {
          tell_broken("arguments of the wrong type: ", json.text());
          sink().on_call_broken(item.slot, "invalid_json");
        }
        settle_arguments(item, arguments.is_object() ? arguments.text() : arguments.string());
        break;
      }
      case ResponsesItem::custom_call:
        if (item.slot != kNoSlot) settle_arguments(item, json["input"].string());
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
      if (item->kind != ResponsesItem::provider || item->settled) continue;
      if (call.empty() ? !item->type.starts_with(stem) : item->id != call) continue;
      return settle_provided(*item, type, json);
    }
    if (is_one_of(type, {"function_call_output", "custom_tool_call_output"})) return;
    // Its call was in an earlier answer.
    const uint32_t slot = provided_++;
    sink().on_provider_call(slot, repair_utf8(call), repair_utf8(stem), {});
    sink().on_provider_result(slot, given(type, json), false);
  }

  void settle_provided(Item &item, std::string_view type, JsonView json) {
    const JsonView error = json["error"];
    const bool failed = !is_null(error) || json["status"].string() == "failed";
    item.settled = true;
    sink().on_provider_result(item.slot, is_null(error) ? given(type, json) : words_of(error), failed);
  }

  // ---- Text ----

  void show_part(const Fields &fields, std::string_view text, bool refusal, bool surrogates) {
    if (text.empty()) return;
    if (Item *const item = item_at(fields.index, ResponsesItem::message)) item->shown |= bit_of(fields.part);
    show_said(text, refusal, surrogates);
  }

  void show_said(std::string_view text, bool refusal, bool surrogates) {
    if (text.empty()) return;
    thinks_ = false;
    refused_ = refused_ || refusal;
    if (refusal)
      show_refusal(text, surrogates);
    else
      show_text(text, surrogates);
  }

  void show_thought(const Fields &fields, bool content, std::string_view text, bool surrogates) {
    if (text.empty()) return;
    Item *const item = item_at(fields.index, ResponsesItem::reasoning);
    if (item != nullptr) (content ? item->shown : item->summaries) |= bit_of(content ? fields.part : fields.summary);
    show_reasoning_of(fields.index, content ? kContent + fields.part : fields.summary, text, surrogates);
  }

  // Parts of reasoning are paragraphs.
  void show_reasoning_of(int64_t index, int64_t part, std::string_view text, bool surrogates) {
    if (text.empty()) return;
    if (thinks_ && (thought_of_ != index || thought_part_ != part)) show_reasoning("\n\n", false);
    thinks_ = true;
    thought_of_ = index;
    thought_part_ = part;
    show_reasoning(text, surrogates);
  }

  // ---- Calls ----

  void add_arguments(Item *item, std::string_view piece, bool surrogates) {
    if (item == nullptr || piece.empty()) return;
    item->streamed = true;
    if (item->slot == kNoSlot) return;  // output_item.done repeats them
    if (item->settled) return sink().on_arguments_lost(item->slot, "a piece of arguments came after all of them");
    if (surrogates || !item->joiner.empty()) piece = item->joiner.feed(piece);
    add_to_call(*item, piece);
  }

  void add_to_call(Item &item, std::string_view piece) {
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

  // `whole`: the arguments, or the input of a custom tool. It counts, unless a server leaves it empty.
  void settle_arguments(Item &item, std::string_view whole) {
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
    for (Item &item : items_) {
      if (is_orphan(item)) lose_arguments(item);
      if (item.slot == kNoSlot || item.settled || !is_client_call(item.kind)) continue;
      if (const std::string_view rest = item.joiner.finish(); !rest.empty()) add_to_call(item, rest);
    }
  }

  // Arguments of a call that nobody announced, so far.
  static bool is_orphan(const Item &item) {
    return is_client_call(item.kind) && item.slot == kNoSlot && item.streamed;
  }

  void lose_arguments(const Item &orphan) {
    const auto ended = std::find_if(items_.rbegin(), items_.rend(), [&](const Item &item) {
      return item.closed && item.kind == orphan.kind && item.index == orphan.index && item.slot != kNoSlot;
    });
    if (ended == items_.rend())
      sink().on_arguments_lost(kNoCall, "arguments came for an output item that never told its name");
    else
      sink().on_arguments_lost(ended->slot, "arguments came after the end of their output item");
  }

  // ---- What the next request repeats ----

  void keep(Item &item, std::string_view json) {
    kept_bytes_ += json.size();
    kept_bytes_ -= item.json.size();
    if (kept_bytes_ <= limits().line_bytes) {
      item.json = json;
      return;
    }
    if (!std::exchange(too_much_, true))
      sink().on_diagnostic("oversize", "the provider's items beyond limits.lineBytes are not kept");
    for (Item &kept : items_) kept.json = {};
  }

  // An item that was cut has no valid signature: it goes back without, and so do the thoughts right before it.
  void report_last(bool well) override {
    if (!well || too_much_ || too_many_ || items_.empty()) return;
    std::vector<std::string_view> items;
    std::deque<std::string> untied;  // some of them point into it
    int64_t last_slot = -1;
    const auto drop_thoughts = [&] {
      while (!items.empty() && json_member_text(items.back(), "type") == "reasoning") items.pop_back();
    };
    for (const Item &item : items_) {
      if (!item.closed || item.json.empty()) return;
      if (is_client_call(item.kind)) {
        if (item.slot == kNoSlot || item.slot <= last_slot) return;
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
    std::string &out = saved.value("items");
    out += '[';
    for (const Item &item : items_) {
      if (&item != &items_.front()) out += ',';
      ObjectWriter one(out);
      one.number("index", item.index).number("kind", static_cast<int64_t>(item.kind)).number("slot", item.slot);
      one.text("id", item.id).text("type", item.type).number("shown", item.shown).number("summaries", item.summaries);
      one.boolean("streamed", item.streamed).boolean("settled", item.settled);
      one.boolean("cut", item.cut).boolean("closed", item.closed);
      append_saved_bytes(one.value("held"), item.joiner.held());
      append_saved_bytes(one.value("arguments"), item.arguments);
      one.text("json", item.json);
      one.close();
    }
    out += ']';
    saved.number("provided", provided_).boolean("refused", refused_);
    saved.boolean("thinks", thinks_).number("thoughtOf", thought_of_).number("thoughtPart", thought_part_);
    saved.number("keptBytes", static_cast<int64_t>(kept_bytes_));
    saved.boolean("tooMuch", too_much_).boolean("tooMany", too_many_);
  }

  void load_more(const SavedReader &from) override {
    for (JsonSlices list(from.nested("items")); list.next();) {
      const SavedReader one(list.value());
      Item item;
      uint32_t kind = 0;
      one.get("index", item.index);
      one.get("kind", kind);
      item.kind = static_cast<ResponsesItem>(std::min(kind, static_cast<uint32_t>(ResponsesItem::output)));
      one.get("slot", item.slot);
      one.text("id", item.id);
      one.text("type", item.type);
      one.get("shown", item.shown);
      one.get("summaries", item.summaries);
      one.get("streamed", item.streamed);
      one.get("settled", item.settled);
      one.get("cut", item.cut);
      one.get("closed", item.closed);
      load_joiner(one, "held", item.joiner);
      one.get("arguments", item.arguments);
      one.text("json", item.json);
      if (!item.json.empty() && (json_kind(item.json) != '{' || !check_json(item.json, limits().depth).ok()))
        item.json.clear();
      if (item.closed) closed_ids_.insert(item.id);
      items_.push_back(std::move(item));
    }
    from.get("provided", provided_);
    from.get("refused", refused_);
    from.get("thinks", thinks_);
    from.get("thoughtOf", thought_of_);
    from.get("thoughtPart", thought_part_);
    from.get("keptBytes", kept_bytes_);
    from.get("tooMuch", too_much_);
    from.get("tooMany", too_many_);
  }

  // -- of the delta that was parsed last; not saved: see take_again
  struct {
    Piece piece = Piece::none;
    Fields fields;  // its views are dead
  } again_;
  // -- reused, empty between two events
  std::string escaped_;
  // -- position in the stream (saved with the turn)
  std::vector<Item> items_;
  size_t closed_ = 0;                               // of them in front; not saved, like these: made again from the items
  std::set<std::string, std::less<>> closed_ids_;  // of the closed ones
  uint32_t provided_ = 0;  // slots that were given
  bool refused_ = false;
  bool thinks_ = false;  // reasoning was the last thing that was shown, that of this part:
  int64_t thought_of_ = 0, thought_part_ = 0;
  size_t kept_bytes_ = 0;
  bool too_much_ = false, too_many_ = false;
};

}  // namespace

std::unique_ptr<WireReader> read_openai_responses(WireSink &sink, const WireLimits &limits) {
  return std::make_unique<ResponsesReader>(sink, limits);
}

}  // namespace sluice
