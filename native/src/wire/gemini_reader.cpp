#include "wire/gemini_reader.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/call_slots.h"
#include "wire/content_pieces.h"
#include "wire/event_reader.h"
#include "wire/finish.h"
#include "wire/gemini_arguments.h"
#include "wire/native_items.h"

namespace sluice {
namespace {

constexpr std::string_view kCodeExecution = "code_execution";  // the card's name: Gemini has none for it

// What the answer has cost so far: numbers that grow from event to event.
enum Count : uint8_t { prompt, tool_use, candidates, thoughts, cached, total };
constexpr LooseMember kCounts[] = {
    {"usageMetadata", "promptTokenCount"},        {"usageMetadata", "toolUsePromptTokenCount"},
    {"usageMetadata", "candidatesTokenCount"},    {"usageMetadata", "thoughtsTokenCount"},
    {"usageMetadata", "cachedContentTokenCount"}, {"usageMetadata", "totalTokenCount"},
};

constexpr ReadMembers kKnown[] = {
    {"", "", "error usageMetadata promptFeedback responseId modelVersion createTime sdkHttpResponse"},
    {"candidates", "content",
     "finishReason finishMessage safetyRatings citationMetadata groundingMetadata urlContextMetadata logprobsResult"},
    {"candidates.content", "text", "role"},
    {"candidates.content.parts", "text content",
     "thoughtSignature functionCall executableCode codeExecutionResult toolCall toolResponse inlineData fileData"},
};

// A call whose arguments are streamed.
struct OpenCall {
  explicit OpenCall(size_t max_depth) : arguments(max_depth) {}

  uint32_t slot = 0;
  std::string id, name;
  std::string signature;  // JSON text of its thoughtSignature
  GeminiArguments arguments;
  bool broken = false;
};

class GeminiReader final : public EventReader {
 public:
  GeminiReader(WireSink &sink, const WireLimits &limits)
      : EventReader(sink, limits, "an answer of Gemini", kCounts),
        items_(limits.line_bytes),
        provided_(limits.calls_per_round) {}

 private:
  // ---- Events ----

  void take(std::string_view type, const JsonEvent &event) override {
    const JsonView root = event.root();
    if (root.kind() == '[') {  // several in one event
      know_whole();
      event.sliced().items([&](JsonView response) {
        if (!failed()) take_response(response, event);
      });
    } else if (type == "error") {
      fail(event.text());
    } else {
      take_response(root, event);
    }
  }

  bool streams_json() const override { return true; }

  std::span<const ReadMembers> known_members(JsonView, std::string_view &) const override { return kKnown; }

  bool take_late(const JsonEvent &event) override {
    const JsonView root = event.root();
    count(root["usageMetadata"]);
    report_usage();
    bool says = root.kind() == '[' || root["error"];
    each_part(candidate_of(root)["content"]["parts"], [&](JsonView) { says = true; });
    return !says;
  }

  void take_response(JsonView response, const JsonEvent &event) {
    if (const char kind = response["error"].kind(); kind == '{' || kind == '"')
      return fail(response.text().empty() ? event.text() : response.text());  // of several in one event, this one's
    const JsonView usage = response["usageMetadata"], feedback = response["promptFeedback"];
    const JsonView candidate = candidate_of(response);
    if (response["candidates"] || usage || feedback || response["responseId"])
      know();
    else if (known())
      tell_broken("no event of an answer: ", event.text());
    take_model(response["modelVersion"].string());
    count(usage);
    if (const std::string_view reason = feedback["blockReason"].string(); !reason.empty()) {
      const std::string_view words = feedback["blockReasonMessage"].string();
      return fail("the prompt was blocked: " + std::string(reason) +
                  (words.empty() ? "" : ": " + join_surrogates(words)));
    }
    take_content(candidate["content"], event);
    take_sources(candidate);
    end_with(candidate["finishReason"].string(), candidate["finishMessage"].string());
  }

  void take_sources(JsonView candidate) {
    if (!candidate["groundingMetadata"] && !candidate["citationMetadata"] && !candidate["urlContextMetadata"]) return;
    repeatable({});
    std::vector<Source> sources;
    read_gemini_sources(candidate, sources);
    sink().on_sources(sources);
  }

  // The first candidate, or the one that says it is; others are alternatives.
  static JsonView candidate_of(JsonView response) {
    JsonView found;
    response["candidates"].items([&](JsonView candidate) {
      if (!found && candidate["index"].integer().value_or(0) == 0) found = candidate;
    });
    return found;
  }

  void end_with(std::string_view reason, std::string_view message) {
    if (reason.empty()) return;
    repeatable({});
    if (reason == "MISSING_THOUGHT_SIGNATURE")
      return fail("the request is missing a thought_signature: " + join_surrogates(message));
    if (call_ && reason == "STOP" && !call_->arguments.in_string()) close_call();
    finish_ = repair_utf8(reason);
    if (!message.empty()) finish_message_ = join_surrogates(message);
    // Code that the provider runs takes its time, and the answer goes on behind a finish reason: the body's end counts.
    if (provided_.empty()) tell_finish();
  }

  void tell_finish() { take_finish(finish_of(Endings::gemini, finish_, calls() > 0), finish_, finish_message_); }

  // The counts grow with the answer: the last ones are those of all of it.
  void count(JsonView usage) {
    if (!usage.is_object()) return;
    for (size_t i = 0; i < std::size(kCounts); ++i) counts_[i] = usage[kCounts[i].key].integer().value_or(-1);
    tell_counts();
  }

  void tell_counts() {
    const auto sum = [&](Count one, Count other) {
      const int64_t a = counts_[one], b = counts_[other];
      return a < 0 ? b : b < 0 ? a : a + b;
    };
    Usage counted;
    counted.input_tokens = sum(prompt, tool_use);
    counted.output_tokens = sum(candidates, thoughts);
    counted.cached_tokens = counts_[cached];
    counted.reasoning_tokens = counts_[thoughts];
    take_usage(counted);
  }

  void take_again(std::string_view text) override {
    for (const EventShape::Number &number : loose_numbers()) counts_[number.member] = number.value;
    if (!loose_numbers().empty()) tell_counts();
    take_text(text, again_thought_, false);
  }

  // ---- Parts ----

  // A list of parts, or one alone.
  template <class Use>
  static void each_part(JsonView parts, Use use) {
    if (parts.is_object()) use(parts);
    parts.items(use);
  }

  void take_content(JsonView content, const JsonEvent &event) {
    if (const JsonView parts = content["parts"]) return take_parts(parts, event);
    std::vector<ContentPiece> pieces;  // gateways write a text in place of the parts
    read_content(content, {}, pieces);
    for (const ContentPiece &piece : pieces) take_text(piece.text, piece.reasoning, true);
  }

  // Text is read as simdjson parsed it. A part with anything else goes back as it came: from there on the event is
  // sliced.
  void take_parts(JsonView parts, const JsonEvent &event) {
    const bool sliced = event.has_surrogates() || !parts.text().empty();
    size_t taken = 0;
    bool stopped = false;
    each_part(parts, [&](JsonView part) {
      stopped = stopped || failed() || !take_part(part, sliced);
      if (!stopped) ++taken;
    });
    if (stopped || taken > 1) repeatable({});
    if (!stopped || sliced || failed()) return;
    size_t index = 0;
    each_part(candidate_of(event.sliced())["content"]["parts"], [&](JsonView part) {
      if (index++ >= taken && !failed()) take_part(part, true);
    });
  }

  // Returns false if the part must be sliced to be taken.
  bool take_part(JsonView part, bool sliced) {
    JsonView text;
    bool thought = false, plain = true;
    part.members([&](std::string_view key, JsonView value) {
      if (key == "text" && value.kind() == '"')
        text = value;
      else if (key == "thought" && value.kind() == 't')
        thought = value.is_true();
      else
        plain = false;
    });
    if (plain) {
      if (!sliced) repeatable(text.string());
      again_thought_ = thought;
      take_text(text.string(), thought, sliced);
      return true;
    }
    if (!sliced && !streams_text(part)) return false;
    if (const JsonView call = part["functionCall"]; call.is_object()) {
      take_call(call, part);
      return true;
    }
    close_call();
    close_text();
    if (text) show(text.string(), thought, true);
    take_other(part, static_cast<bool>(text));
    keep(part.text());
    return true;
  }

  // Is the part nothing but more text for the arguments of the open call? Then nothing of it goes back as it came.
  bool streams_text(JsonView part) const {
    const JsonView call = part["functionCall"];
    bool plain = call_ && call.is_object() && !call["name"] && !part["thoughtSignature"];
    call["partialArgs"].items([&](JsonView piece) { plain = plain && piece["stringValue"].kind() == '"'; });
    return plain;
  }

  void show(std::string_view text, bool thought, bool surrogates) {
    if (thought)
      show_reasoning(text, surrogates);
    else
      show_text(text, surrogates);
  }

  // Neighbouring parts of plain text are one part of the answer.
  void take_text(std::string_view text, bool thought, bool surrogates) {
    if (text.empty()) return;
    close_call();
    if (thought != thought_) close_text();
    thought_ = thought;
    if (reserve(text.size()))
      text_ += text;
    else
      text_.clear();
    show(text, thought, surrogates);
  }

  void close_text() {
    if (text_.empty()) return;
    std::string item;
    ObjectWriter part(item);
    part.text("text", join_surrogates(text_));
    if (thought_) part.boolean("thought", true);
    part.close();
    items_.add(item);
    text_.clear();
  }

  // Tools that the provider runs, and what has no block.
  void take_other(JsonView part, bool has_text) {
    if (const JsonView code = part["executableCode"]) {
      open_provided(code["id"].string(), kCodeExecution, code_alone(code));
    } else if (const JsonView result = part["codeExecutionResult"]) {
      const std::string_view outcome = result["outcome"].string(), output = result["output"].string();
      give_provided(result["id"].string(), kCodeExecution, output.empty() ? outcome : output, outcome != "OUTCOME_OK");
    } else if (const JsonView call = part["toolCall"]) {
      open_provided(call["id"].string(), call["toolType"].string(), call["args"].text());
    } else if (const JsonView response = part["toolResponse"]) {
      give_provided(response["id"].string(), response["toolType"].string(), response["response"].text(), false);
    } else if (const auto media = media_of(part); media && !part["thought"].is_true()) {
      sink().on_media(*media);
    } else if (!has_text) {
      tell_unknown(part);
    }
  }

  static std::optional<Media> media_of(JsonView part) {
    const JsonView data = part["inlineData"], file = part["fileData"];
    Media media;
    media.media_type = (data ? data : file)["mimeType"].string();
    media.picture = media.media_type.starts_with("image/");
    media.data = data["data"].string();
    const std::string_view address = file["fileUri"].string();
    if (const auto found = media_at(address, media.picture); found && media.data.empty()) media.url = found->url;
    if (media.url.empty() && media.data.empty()) media.id = address;
    if (media.data.empty() && media.url.empty() && media.id.empty()) return std::nullopt;
    return media;
  }

  void tell_unknown(JsonView part) {
    std::string_view kind;
    part.members([&](std::string_view key, JsonView) {
      if (kind.empty() && key != "thoughtSignature" && key != "thought") kind = key;
    });
    if (kind.empty() || std::exchange(reported_unknown_, true)) return;
    const std::string_view media = part[kind]["mimeType"].string();
    sink().on_diagnostic("unknown_part", "a part of the answer is not shown: " + bounded_text(kind, kMostNameBytes) +
                                             (media.empty() ? "" : " " + bounded_text(media, kMostNameBytes)));
  }

  // ---- Calls ----

  void take_call(JsonView call, JsonView part) {
    const JsonView name = call["name"], pieces = call["partialArgs"];
    const bool goes_on = call["willContinue"].is_true();
    if (name.string().empty() && (call_ || !call["args"])) {
      if (!call_ && pieces.kind() != 0 && pieces.kind() != 'n')
        sink().on_arguments_lost(kNoCall, "a piece of arguments came for a call that never began");
      if (call_) continue_call(pieces, part);
      if (!goes_on) close_call(true);
      return;
    }
    close_call();
    close_text();
    if (is_full()) return;
    const uint32_t slot = new_call();
    const std::string id = join_surrogates(call["id"].string());
    const std::string named = bounded_text(join_surrogates(name.string()), kMostCallName);
    sink().on_call(slot, id, named);
    if (repaired()) sink().on_call_broken(slot, "invalid_json");
    if (pieces || goes_on) {
      call_.emplace(limits().depth);
      call_->slot = slot;
      call_->id = id;
      call_->name = named;
      continue_call(pieces, part);
      if (!goes_on) close_call(true);
      return;
    }
    const JsonView arguments = call["args"];
    const bool none = !arguments || arguments.kind() == 'n';
    sink().on_arguments(slot, none ? "{}" : arguments.text());
    sink().on_call_end(slot);
    if (!named.empty() && (none || arguments.is_object()))
      keep(part.text());
    else
      keep(call_item(id, named, "{}", {}));
  }

  void continue_call(JsonView pieces, JsonView part) {
    if (const JsonView signature = part["thoughtSignature"]; signature && call_->signature.empty())
      call_->signature = signature.text();
    if (pieces.kind() != 0 && pieces.kind() != 'n' && pieces.kind() != '[') {
      tell_broken("no list of arguments: ", pieces.text());
      call_->broken = true;
      sink().on_call_broken(call_->slot, "invalid_json");
    }
    if (repaired() && !call_->broken) {
      call_->broken = true;
      sink().on_call_broken(call_->slot, "invalid_json");
    }
    pieces.items([&](JsonView piece) {
      if (call_->broken || call_->arguments.text().size() > limits().argument_bytes) return;
      const size_t before = call_->arguments.text().size();
      call_->broken = !call_->arguments.add(piece);
      if (call_->broken) sink().on_call_broken(call_->slot, "invalid_json");
      tell_arguments(before);
    });
  }

  void tell_arguments(size_t from) {
    const std::string_view added = std::string_view(call_->arguments.text()).substr(from);
    if (!added.empty()) sink().on_arguments(call_->slot, added);
  }

  // Nothing more comes for the call that is open. `ended`: the provider said so, else something else came instead.
  // Then the call lacks what was announced, if that is all its arguments.
  void close_call(bool ended = false) {
    if (!call_) return;
    const size_t before = call_->arguments.text().size();
    const bool none = before == 0 && !ended;
    call_->arguments.close();
    tell_arguments(before);
    const bool lacks = !call_->broken && before <= limits().argument_bytes && (none || call_->arguments.cut_string());
    if (lacks) sink().on_call_broken(call_->slot, "truncated");
    call_->broken = call_->broken || lacks;
    if (!call_->broken) sink().on_call_end(call_->slot);
    const bool whole = !call_->broken && before <= limits().argument_bytes;
    keep(call_item(call_->id, call_->name, whole ? call_->arguments.text() : "{}", whole ? call_->signature : ""));
    call_.reset();
  }

  static std::string call_item(std::string_view id, std::string_view name, std::string_view arguments,
                               std::string_view signature) {
    std::string item;
    ObjectWriter part(item);
    ObjectWriter call(part.value("functionCall"));
    if (!id.empty()) call.text("id", id);
    call.text("name", name.empty() ? "unknown" : name).raw("args", arguments).close();
    if (!signature.empty()) part.raw("thoughtSignature", signature);
    part.close();
    return item;
  }

  // Nothing more comes: the arguments of a call that is open were cut.
  void close_calls() override {
    close_text();
    if (call_) keep(call_item(call_->id, call_->name, "{}", {}));
    call_.reset();
    if (!finish_.empty()) tell_finish();
  }

  // ---- Tools that the provider runs ----

  uint32_t open_provided(std::string_view id, std::string_view name, std::string_view arguments) {
    std::optional<uint32_t> known;
    if (!id.empty()) known = provided_.find(id);
    const uint32_t slot = known ? *known : provided_.add(join_surrogates(id));
    if (slot != ProvidedCalls::kNone)
      sink().on_provider_call(slot, provided_.id(slot), join_surrogates(name), arguments);
    return slot;
  }

  // A result without an id is that of the last call.
  void give_provided(std::string_view id, std::string_view name, std::string_view text, bool is_error) {
    const auto last = id.empty() ? provided_.last() : std::nullopt;
    const uint32_t slot = last ? *last : open_provided(id, name, {});
    if (slot != ProvidedCalls::kNone) sink().on_provider_result(slot, join_surrogates(text), is_error);
  }

  // What was asked: neither the id nor the language of the code.
  static std::string code_alone(JsonView code) {
    if (!code["code"]) return std::string(code.text());
    std::string out;
    ObjectWriter(out).raw("code", code["code"].text()).close();
    return out;
  }

  // ---- What goes back ----

  // Returns whether this many bytes more are kept.
  bool reserve(size_t bytes) {
    if (!items_.reserve(bytes))
      sink().on_diagnostic("oversize", "the provider's items beyond limits.lineBytes are not kept");
    return !items_.full();
  }

  void keep(std::string_view item) {
    if (reserve(item.size())) items_.add(item);
  }

  void report_last(bool well) override {
    if (well && !items_.empty()) sink().on_native(items_.array());
  }

  // ---- Saved ----

  void save_more(ObjectWriter &saved) const override {
    items_.save(saved);
    append_saved_bytes(saved.value("openText"), text_);
    saved.boolean("openThought", thought_).boolean("toldUnknown", reported_unknown_);
    saved.text("finishReason", finish_).text("finishMessage", finish_message_);
    provided_.save(saved);
    if (!call_) return;
    ObjectWriter call(saved.value("openCall"));
    call.number("slot", call_->slot).text("id", call_->id).text("name", call_->name);
    call.text("signature", call_->signature).boolean("broken", call_->broken);
    call_->arguments.save(call);
    call.close();
  }

  void load_more(const SavedReader &from) override {
    items_.load(from, limits().depth);
    from.get("openText", text_);
    from.get("openThought", thought_);
    from.get("toldUnknown", reported_unknown_);
    from.text("finishReason", finish_);
    from.text("finishMessage", finish_message_);
    provided_.load(from);
    const std::string_view saved = from.nested("openCall");
    if (saved.empty()) return;
    const SavedReader call(saved);
    call_.emplace(limits().depth);
    call.get("slot", call_->slot);
    call.text("id", call_->id);
    call.text("name", call_->name);
    call.text("signature", call_->signature);
    call.get("broken", call_->broken);
    if (!check_json(call_->signature, limits().depth).ok()) call_->signature.clear();
    call_->arguments.load(call);
  }

  static constexpr size_t kMostCallName = 256;  // bytes; no tool has a longer name

  // -- of the event that was parsed last; not saved: see take_again
  std::array<int64_t, std::size(kCounts)> counts_{};
  bool again_thought_ = false;
  // -- position in the stream (saved with the turn)
  NativeItems items_;
  std::string text_;  // plain text that becomes an item, in pieces that may be cut within two surrogates
  bool thought_ = false;
  std::optional<OpenCall> call_;
  ProvidedCalls provided_;
  bool reported_unknown_ = false;
  std::string finish_, finish_message_;  // the last finish reason, and its explanation
};

}  // namespace

std::unique_ptr<WireReader> read_gemini(WireSink &sink, const WireLimits &limits) {
  return std::make_unique<GeminiReader>(sink, limits);
}

}  // namespace sluice
