#include "wire/anthropic_reader.h"

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
#include "wire/content_pieces.h"
#include "wire/event_reader.h"
#include "wire/finish.h"
#include "wire/native_items.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

constexpr size_t kMostBlocks = 4096;  // that are open at once
constexpr int64_t kNoIndex = -1;      // that no block has
constexpr uint32_t kNoSlot = ProvidedCalls::kNone;

enum class Kind : uint8_t { text, thinking, call, provider_call, provider_result, other };

Kind kind_of(std::string_view type) {
  if (type.ends_with("text")) return Kind::text;
  if (type == "thinking") return Kind::thinking;
  if (type == "tool_use") return Kind::call;
  if (type.ends_with("tool_use")) return Kind::provider_call;
  if (type.ends_with("tool_result")) return Kind::provider_result;
  return Kind::other;
}

enum class Piece : uint8_t { none, text, thinking, input };  // what a delta adds

constexpr std::string_view kTypes[] = {
    "message_start",       "message_delta",      "message_stop", "message", "content_block_start",
    "content_block_delta", "content_block_stop", "ping",         "error"};
constexpr std::string_view kMessageOthers =
    "type id role model stop_reason stop_sequence stop_details usage container context_management service_tier error";
constexpr std::string_view kBlockTexts = "text content thinking signature data";
constexpr std::string_view kBlockOthers =
    "type id name input caller tool_use_id server_name citations encrypted_content cache_control";
constexpr ReadMembers kKnown[] = {
    {"", "content", kMessageOthers},
    {"content", kBlockTexts, kBlockOthers, "source"},
    {"message", "content", kMessageOthers},
    {"content_block", kBlockTexts, kBlockOthers, "source"},
    {"delta", "text thinking partial_json signature content",
     "type stop_reason stop_sequence stop_details container citation encrypted_content context_management"},
};
constexpr ReadMembers kForeign[] = {{"", "", "type id usage"}};

// What a delta adds, and the member that has it. Gateways write types of their own, or none.
std::pair<Piece, std::string_view> piece_of(JsonView delta) {
  const std::string_view type = delta["type"].string();
  if (type.ends_with("text_delta")) return {Piece::text, "text"};
  if (type == "thinking_delta") return {Piece::thinking, "thinking"};
  if (type == "input_json_delta") return {Piece::input, "partial_json"};
  if (!type.empty()) return {Piece::none, {}};
  if (delta["partial_json"]) return {Piece::input, "partial_json"};
  if (delta["thinking"]) return {Piece::thinking, "thinking"};
  return delta["text"] ? std::pair{Piece::text, std::string_view("text")} : std::pair{Piece::none, std::string_view()};
}

std::string text_block(std::string_view text) { return R"({"type":"text","text":)" + json_string(text) + "}"; }

// Does a block of this kind have such pieces?
bool fits(Kind kind, Piece piece) {
  switch (kind) {
    case Kind::text: return piece == Piece::text;
    case Kind::thinking: return piece == Piece::thinking;
    case Kind::call:
    case Kind::provider_call: return piece == Piece::input;
    case Kind::provider_result:
    case Kind::other: break;
  }
  return true;
}

// A block from its start to its stop.
struct OpenBlock {
  int64_t index = 0;
  Kind kind = Kind::other;
  uint32_t slot = 0;      // of a call
  std::string start;      // the block as it started
  std::string text;       // what its deltas added: text, thinking, JSON of the input
  std::string signature;  // of thinking
  std::string citations;  // JSON values with commas between them
  Utf8Joiner joiner;      // of the input's pieces
};

class AnthropicReader final : public EventReader {
 public:
  AnthropicReader(WireSink &sink, const WireLimits &limits)
      : EventReader(sink, limits, "a message of Anthropic"),
        provided_(limits.calls_per_round),
        items_(limits.line_bytes) {}

 private:
  // ---- Events ----

  void take(std::string_view type, const JsonEvent &event) override {
    const JsonView root = event.root();
    const std::string_view named = root["type"].string();
    if (named == "content_block_delta") {
      take_delta(root, event);
    } else if (named == "content_block_start") {
      know();
      open(event.sliced()["content_block"], root["index"].integer().value_or(next_index_), event);
    } else if (named == "content_block_stop") {
      const int64_t index = root["index"].integer().value_or(-1);
      const auto block = find(index);
      if (block == blocks_.end()) return tell_broken("no such block: ", event.text());
      close(*block, true);
      end_call(*block);
      blocks_.erase(block);
    } else if (named == "message_start") {
      start_message(root["message"]);
    } else if (named == "message_delta") {
      know();
      count(root["usage"]);
      take_container(root["delta"]);
      tell_edits(root["context_management"] ? root["context_management"] : root["delta"]["context_management"]);
      stop(root["delta"]);
    } else if (named == "message_stop") {
      know();
      end();
    } else if (named == "message") {
      take_whole(event);
    } else if (named == "error" || (type == "error" && root["error"])) {
      fail(event.text());
    } else if (named == "ping" || (known() && !named.empty())) {
      know();  // an event of a later version
    } else if (root["error"]) {
      fail(event.text());
    } else if (known()) {
      tell_broken("no event of a message: ", event.text());
    }
  }

  std::span<const ReadMembers> known_members(JsonView event, std::string_view &foreign_type) const override {
    const std::string_view type = event["type"].string();
    if (std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes)) return kKnown;
    foreign_type = type;
    return kForeign;
  }

  bool take_late(const JsonEvent &event) override {
    const JsonView root = event.root();
    const std::string_view named = root["type"].string();
    if (named == "message_delta") {
      count(root["usage"]);
      take_container(root["delta"]);
      report_usage();
    }
    return is_one_of(named, {"message_delta", "message_stop", "content_block_stop", "ping"});
  }

  // The server left out parts of the conversation before the model read it.
  void tell_edits(JsonView management) {
    std::string types;
    management["applied_edits"].items([&](JsonView edit) {
      const std::string type = bounded_text(edit["type"].string(), kMostNameBytes);
      if (!type.empty() && types.size() < kMostRefusalBytes) types.append(types.empty() ? "" : ", ").append(type);
    });
    if (!types.empty()) sink().on_diagnostic("context_edited", "the server shortened the conversation: " + types);
  }

  // A gateway may repeat the start. Another message in the middle of one means that the first one broke off.
  void start_message(JsonView message) {
    const std::string_view id = message["id"].string();
    take_container(message);
    if (started_ && (id.empty() || id == id_)) return count(message["usage"]);
    if (started_) {
      sink().on_diagnostic("broken_event", "a second message began within the answer");
      give_up();
      items_.clear();
    }
    know();
    started_ = true;
    id_ = repair_utf8(id);
    take_model(message["model"].string());
    count(message["usage"]);
  }

  // Where the provider's code runs. The next request names it, since that code may wait for results.
  void take_container(JsonView holder) {
    if (const std::string_view id = holder["container"]["id"].string(); !id.empty()) container_ = repair_utf8(id);
  }

  void stop(JsonView delta) {
    const std::string_view reason = delta["stop_reason"].string();
    if (reason.empty()) return;
    const Finish finish = finish_of(Endings::anthropic, reason);
    close_all(finish != Finish::length);
    const std::string_view why = delta["stop_details"]["explanation"].string();
    take_finish(finish, reason, why);
  }

  void take_whole(const JsonEvent &event) {
    know();
    know_whole();
    const JsonView root = event.sliced();
    start_message(root);
    const JsonView content = root["content"];
    const auto take_block = [&](JsonView block) {
      open(block, next_index_, event);
      if (blocks_.empty()) return;
      close(blocks_.back(), true);
      end_call(blocks_.back());
      blocks_.clear();
    };
    if (content.is_object()) take_block(content);
    content.items(take_block);
    if (content.kind() == '"') begin_text(content, next_index_);
    close_all(true);
    stop(root);
  }

  void count(JsonView usage) {
    if (!usage.is_object()) return;
    const auto number = [&](std::string_view key) { return usage[key].integer().value_or(-1); };
    Usage counted;
    const int64_t input = number("input_tokens");
    counted.cached_tokens = number("cache_read_input_tokens");
    counted.cache_write_tokens = number("cache_creation_input_tokens");
    if (input >= 0)  // Anthropic counts only what the cache does not have
      counted.input_tokens =
          input + std::max<int64_t>(counted.cached_tokens, 0) + std::max<int64_t>(counted.cache_write_tokens, 0);
    counted.output_tokens = number("output_tokens");
    counted.reasoning_tokens = usage["output_tokens_details"]["thinking_tokens"].integer().value_or(-1);
    take_usage(counted);
  }

  // ---- Blocks ----

  // Of many that never end, the last one is looked for, or the first, or a new one.
  std::list<OpenBlock>::iterator find(int64_t index) {
    if (blocks_.empty() || index > top_index_) return blocks_.end();
    if (blocks_.back().index == index) return std::prev(blocks_.end());
    return std::find_if(blocks_.begin(), blocks_.end(), [&](const OpenBlock &block) { return block.index == index; });
  }

  // `block` is sliced: what goes back needs its text.
  void open(JsonView block, int64_t index, const JsonEvent &event) {
    if (const auto same = find(index); same != blocks_.end()) {  // its stop never came
      close(*same, true);
      blocks_.erase(same);
    }
    if (!block.is_object() || blocks_.size() >= kMostBlocks) return tell_broken("no content block: ", event.text());
    const std::string_view named = block["type"].string();
    const Kind kind = kind_of(named);
    if (kind == Kind::text && (named != "text" || block["text"].kind() != '"')) return begin_text(block, index);
    OpenBlock &opened = add_block(index, kind, compact_json(block.text()));
    switch (kind) {
      case Kind::text:
        show_text(block["text"].string(), true);
        tell_sources(block["citations"]);
        break;
      case Kind::thinking: show_reasoning(block["thinking"].string(), true); break;
      case Kind::call:
        opened.slot = new_call();
        sink().on_call(opened.slot, repair_utf8(block["id"].string()), repair_utf8(block["name"].string()));
        if (repaired()) sink().on_call_broken(opened.slot, "invalid_json");
        break;
      case Kind::provider_call: opened.slot = open_provided(block["id"].string(), block["name"].string()); break;
      case Kind::provider_result: {
        const std::string_view type = block["type"].string();
        std::string_view name = type.substr(0, type.size() - std::string_view("_tool_result").size());
        const JsonView content = block["content"];
        const uint32_t slot = find_provided(block["tool_use_id"].string(), name);
        const bool error = block["is_error"].is_true() || content["type"].string().ends_with("_error");
        if (slot != kNoSlot)
          sink().on_provider_result(slot, repair_utf8(content.kind() == '"' ? content.string() : content.text()),
                                    error);
        break;
      }
      case Kind::other:
        if (named == "compaction") opened.slot = open_provided({}, named);
        if (named == "fallback") tell_fallback(block);
        if (named == "container_upload") tell_upload(block);
        break;
    }
  }

  void tell_sources(JsonView citations) {
    std::vector<Source> sources;
    read_sources(citations, sources);
    sink().on_sources(sources);
  }

  // A file that the provider's code made: of the card in front of it.
  void tell_upload(JsonView block) {
    Media file;
    file.id = block["file_id"].string();
    if (file.id.empty()) return;
    const auto slot = provided_.last();
    if (!slot) return sink().on_media(file);
    sink().on_provider_media(*slot, std::span(&file, 1));
  }

  // Another model goes on with the answer.
  void tell_fallback(JsonView block) {
    const uint32_t slot = open_provided({}, "fallback");
    std::string_view model = block["model"].string();
    if (model.empty()) model = block["to"]["model"].string();
    if (model.empty()) model = block["to"].string();
    if (slot != kNoSlot) sink().on_provider_result(slot, repair_utf8(model), false);
  }

  OpenBlock &add_block(int64_t index, Kind kind, std::string start) {
    const int64_t last = std::exchange(unannounced_, kNoIndex);
    if (const auto before = find(last); last != kNoIndex && before != blocks_.end()) {
      close(*before, true);  // nothing may tell its end either
      blocks_.erase(before);
    }
    keep_unsigned();
    next_index_ = index + 1;
    top_index_ = std::max(top_index_, index);
    OpenBlock &opened = blocks_.emplace_back();
    opened.index = index;
    opened.kind = kind;
    opened.start = std::move(start);
    if (!items_.reserve(opened.start.size())) tell_oversize();
    return opened;
  }

  // A block of text in another shape goes back as a plain one.
  void begin_text(JsonView block, int64_t index) {
    std::vector<ContentPiece> pieces;
    read_content(block, {}, pieces);
    std::string text;
    for (const ContentPiece &piece : pieces) text += piece.text;
    add_block(index, Kind::text, text_block(join_surrogates(text)));
    show_text(text, true);
  }

  uint32_t open_provided(std::string_view id, std::string_view name) {
    const uint32_t slot = provided_.add(repair_utf8(id));
    if (slot != kNoSlot) sink().on_provider_call(slot, provided_.id(slot), repair_utf8(name), {});
    return slot;
  }

  // The slot of the call that a result is for. A call of an answer that paused is opened again by its id.
  uint32_t find_provided(std::string_view id, std::string_view name) {
    const auto known = provided_.find(id);
    return known ? *known : open_provided(id, name);
  }

  void take_delta(JsonView root, const JsonEvent &event) {
    const JsonView delta = root["delta"];
    const int64_t index = root["index"].integer().value_or(0);
    const auto [kind, member] = piece_of(delta);
    const JsonView value = delta[member];
    auto found = find(index);
    if (found == blocks_.end()) {
      const bool says = kind != Piece::none && !value.string().empty();
      if (says && kind == Piece::input) return lose_input(index);
      if (!says || blocks_.size() >= kMostBlocks) return tell_broken("no such block: ", event.text());
      add_block(index, kind == Piece::text ? Kind::text : Kind::thinking,
                kind == Piece::text ? text_block({}) : R"({"type":"thinking","thinking":""})");
      unannounced_ = index;
      found = std::prev(blocks_.end());
    }
    OpenBlock &block = *found;
    const std::string_view type = delta["type"].string();
    if (kind != Piece::none) {
      if (value.kind() == 'n') return;
      if (!fits(block.kind, kind) || value.kind() != '"') return take_odd(block, kind, value, event);
      const bool surrogates = event.has_surrogates();
      if (!surrogates) repeatable(value.string());
      again_ = {index, kind};
      take_piece(block, kind, value.string(), surrogates);
    } else if (type == "signature_delta") {
      keep(block.signature, delta["signature"].string());
    } else if (type == "citations_delta") {
      const std::string_view citation = event.sliced()["delta"]["citation"].text();
      if (!block.citations.empty()) block.citations += ',';
      keep(block.citations, citation);
      tell_sources(event.sliced()["delta"]["citation"]);
    } else if (type == "compaction_delta") {
      compact(block, event.sliced()["delta"]);
    }
  }

  // Each delta brings the whole summary; null counts as a value.
  void compact(OpenBlock &block, JsonView delta) {
    ItemText item(block.start);
    for (const std::string_view key : {"content", "encrypted_content"}) {
      if (!delta[key]) continue;
      const std::string_view text = delta[key].text();
      if (!items_.reserve(text.size())) return tell_oversize();
      item.set(key, std::string(text));
    }
    block.start = item.write();
  }

  void take_piece(OpenBlock &block, Piece kind, std::string_view text, bool surrogates) {
    if (kind == Piece::input) return take_input(block, text, surrogates);
    keep(block.text, text);
    kind == Piece::text ? show_text(text, surrogates) : show_reasoning(text, surrogates);
  }

  // A piece of the wrong kind or type. Its text is shown if it is one; the call of the block lacks bytes.
  void take_odd(OpenBlock &block, Piece kind, JsonView value, const JsonEvent &event) {
    tell_broken("a delta that does not fit its block: ", event.text());
    if (block.kind == Kind::call) sink().on_call_broken(block.slot, "invalid_json");
    if (kind == Piece::input) {
      if (block.kind != Kind::call && block.kind != Kind::provider_call) lose_input(kNoIndex);
    } else if (kind == Piece::text) {
      show_text(value.string(), true);
    } else {
      show_reasoning(value.string(), true);
    }
  }

  // A piece of input came without its block, which may have been stopped.
  void lose_input(int64_t index) {
    if (const auto slot = ended_calls_.find(index))
      sink().on_arguments_lost(*slot, "a piece of input came after the end of its block");
    else
      sink().on_arguments_lost(kNoCall, "a piece of input came for a block that never began");
  }

  void end_call(const OpenBlock &block) {
    if (block.kind != Kind::call) return;
    ended_calls_.add(block.index, block.slot);
    sink().on_call_end(block.slot);
  }

  void take_again(std::string_view text) override {
    if (const auto block = find(again_.block); block != blocks_.end()) take_piece(*block, again_.kind, text, false);
  }

  void keep(std::string &where, std::string_view more) {
    where += more;
    if (!items_.reserve(more.size())) tell_oversize();
  }

  void tell_oversize() {
    sink().on_diagnostic("oversize", "the provider's items beyond limits.lineBytes are not kept");
  }

  void take_input(OpenBlock &block, std::string_view piece, bool surrogates) {
    if (surrogates || !block.joiner.empty()) piece = block.joiner.feed(piece);
    if (piece.empty()) return;
    if (block.kind == Kind::call && repaired()) sink().on_call_broken(block.slot, "invalid_json");
    if (block.text.size() <= limits().argument_bytes) keep(block.text, piece);
    if (block.kind == Kind::call) sink().on_arguments(block.slot, piece);
  }

  // Nothing more comes for the block. `whole`: it came to its end.
  void close(OpenBlock &block, bool whole) {
    ItemText item(block.start);
    const auto joined = [&](std::string_view key) {
      const auto first = json_member(block.start, key);
      std::string text = first && json_kind(*first) == '"' ? json_text(*first, true) : std::string();
      return join_surrogates(text + block.text);
    };
    bool keeps = whole;
    switch (block.kind) {
      case Kind::text: {
        const std::string text = joined("text");
        keeps = text.find_first_not_of(" \t\n\r\v\f") != std::string::npos;  // blank text is refused in a request
        item.set("text", json_string(text));
        if (!block.citations.empty()) item.set("citations", "[" + block.citations + "]");
        break;
      }
      case Kind::thinking: {
        item.set("thinking", json_string(joined("thinking")));
        if (!block.signature.empty()) item.set("signature", json_string(repair_utf8(block.signature)));
        const auto signature = json_member(block.start, "signature");
        const bool from_start = signature && trim_json(*signature) != "\"\"" && json_kind(*signature) == '"';
        keeps = !block.signature.empty() || from_start;
        signs_ = signs_ || keeps;
        // One that is damaged is no thought without a signature.
        if (const bool none = !signature || json_kind(*signature) == 'n' || trim_json(*signature) == "\"\"";
            none && !keeps && whole)
          unsigned_ = R"({"type":"thinking","thinking":)" + json_string(joined("thinking")) + "}";
        break;
      }
      case Kind::call:
      case Kind::provider_call:
        close_call(block, item);
        keeps = whole || block.kind == Kind::call;
        break;
      case Kind::provider_result: break;
      case Kind::other:
        if (json_member_text(block.start, "type") == "compaction" && block.slot != kNoSlot)
          sink().on_provider_result(block.slot, json_member_text(block.start, "content"), false);
        break;
    }
    if (keeps) items_.add(item.write());
  }

  // A thought without a signature goes back to servers that sign none; not where the answer ended with it: it may be
  // half a thought.
  void keep_unsigned() {
    if (!unsigned_.empty() && !signs_) items_.add(unsigned_);
    unsigned_.clear();
  }

  // Settles the input: what the deltas wrote, or where they wrote nothing what the start held.
  void close_call(OpenBlock &block, ItemText &item) {
    if (const std::string_view rest = block.joiner.finish(); !rest.empty()) {
      block.text += rest;
      if (block.kind == Kind::call) sink().on_arguments(block.slot, rest);
    }
    const auto start = json_member(block.start, "input");
    if (trim_json(block.text).empty()) {
      block.text = start && json_kind(*start) == '{' ? std::string(*start) : "{}";
      if (block.kind == Kind::call) sink().on_arguments(block.slot, block.text);
    }
    const bool object = json_kind(block.text) == '{' && check_json(block.text, limits().depth).ok();
    if (block.kind == Kind::provider_call && block.slot != kNoSlot)
      sink().on_provider_call(block.slot, {}, {}, block.text);
    item.set("input", object ? std::string(trim_json(block.text))
                             : R"({"invalid":)" + json_string(repair_utf8(block.text)) + "}");
  }

  void close_all(bool whole) {
    for (OpenBlock &block : blocks_) close(block, whole);
    blocks_.clear();
  }

  // What is open never ends.
  void give_up() {
    for (OpenBlock &block : blocks_)
      if (block.kind == Kind::call) sink().on_call_broken(block.slot, "truncated");
    blocks_.clear();
  }

  void close_calls() override {
    for (OpenBlock &block : blocks_)
      if (const std::string_view rest = block.joiner.finish(); !rest.empty() && block.kind == Kind::call)
        sink().on_arguments(block.slot, rest);
  }

  void report_last(bool well) override {
    if (!well || items_.empty()) return;
    if (!container_.empty()) sink().on_beside(R"({"container":)" + json_string(container_) + "}");
    sink().on_native(items_.array());
  }

  // ---- Saved ----

  void save_more(ObjectWriter &saved) const override {
    items_.save(saved);
    append_saved_bytes(saved.value("message"), id_);
    saved.text("container", container_).text("unsigned", unsigned_).boolean("signs", signs_);
    saved.boolean("started", started_).number("nextIndex", next_index_).number("unannounced", unannounced_);
    ended_calls_.save(saved);
    provided_.save(saved);
    std::string &out = saved.value("blocks");
    out += '[';
    for (const OpenBlock &block : blocks_) {
      if (&block != &blocks_.front()) out += ',';
      ObjectWriter one(out);
      one.number("index", block.index).number("kind", static_cast<int64_t>(block.kind)).number("slot", block.slot);
      one.text("start", block.start);
      append_saved_bytes(one.value("text"), block.text);
      append_saved_bytes(one.value("signature"), block.signature);
      append_saved_bytes(one.value("citations"), block.citations);
      append_saved_bytes(one.value("held"), block.joiner.held());
      one.close();
    }
    out += ']';
  }

  void load_more(const SavedReader &from) override {
    items_.load(from, limits().depth);
    from.get("message", id_);
    from.text("container", container_);
    from.text("unsigned", unsigned_);
    if (!check_json(unsigned_, limits().depth).ok()) unsigned_.clear();
    from.get("signs", signs_);
    from.get("started", started_);
    from.get("nextIndex", next_index_);
    next_index_ = std::min(next_index_, kMostInteger);
    from.get("unannounced", unannounced_);
    provided_.load(from);
    ended_calls_.load(from);
    for (JsonSlices list(from.nested("blocks")); list.next();) {
      const SavedReader one(list.value());
      OpenBlock block;
      uint32_t kind = 0;
      one.get("index", block.index);
      top_index_ = std::max(top_index_, block.index);
      one.get("kind", kind);
      block.kind = static_cast<Kind>(std::min<uint32_t>(kind, static_cast<uint32_t>(Kind::other)));
      one.get("slot", block.slot);
      one.text("start", block.start);
      one.get("text", block.text);
      one.get("signature", block.signature);
      one.get("citations", block.citations);
      load_joiner(one, "held", block.joiner);
      if (!check_json(block.start, limits().depth).ok() || json_kind(block.start) != '{') block.start = "{}";
      blocks_.push_back(std::move(block));
    }
  }

  // -- of the delta that was parsed last; not saved: see take_again
  struct {
    int64_t block = 0;
    Piece kind = Piece::text;
  } again_;
  // -- position in the stream (saved with the turn)
  std::string id_;         // of the message
  std::string container_;  // the id of the one in which code ran
  bool started_ = false;
  std::list<OpenBlock> blocks_;
  int64_t next_index_ = 0;
  int64_t unannounced_ = kNoIndex;  // of the open block that a delta began
  int64_t top_index_ =
      -1;  // the highest of all blocks that were opened; not saved: a restore has it of those that are open
  EndedCalls ended_calls_;
  ProvidedCalls provided_;
  std::string unsigned_;  // the thought without a signature that was closed last
  bool signs_ = false;    // a thought of this answer has a signature
  NativeItems items_;
};

}  // namespace

std::unique_ptr<WireReader> read_anthropic(WireSink &sink, const WireLimits &limits) {
  return std::make_unique<AnthropicReader>(sink, limits);
}

}  // namespace sluice
