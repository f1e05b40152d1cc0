#include "wire/ollama_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/content_pieces.h"
#include "wire/event_reader.h"
#include "wire/finish.h"
#include "wire/native_items.h"

namespace sluice {
namespace {

constexpr size_t kMostCallName = 256;  // bytes; no tool has a longer name
constexpr LooseMember kLoose[] = {{{}, "created_at"}};

constexpr ReadMembers kKnown[] = {
    {"", "response thinking", "model remote_model remote_host created_at done_reason context image images"},
    {"message", "content thinking", "role tool_name image images"},
    {"message.content", "text content thinking reasoning summary refusal", "type"},
    {"message.tool_calls", "", "id type function"},
};

class OllamaReader final : public EventReader {
 public:
  OllamaReader(WireSink &sink, const WireLimits &limits)
      : EventReader(sink, limits, "an answer of Ollama", kLoose), calls_(limits.line_bytes) {}

 private:
  // ---- Events ----

  void take(std::string_view, const JsonEvent &event) override {
    const JsonView root = event.root();
    if (const char kind = root["error"].kind(); kind == '"' || kind == '{') return fail(event.text());
    const JsonView message = root["message"], done = root["done"];
    if (message.is_object() || done.kind() == 't' || root["response"].kind() == '"')
      know();
    else if (known())
      tell_broken("no line of an answer: ", event.text());
    take_model(root["model"].string());
    take_message(message.is_object() ? message : root, message.is_object() ? "content" : "response", event);
    take_pictures(message);
    take_pictures(root);
    if (!done.is_true()) return;
    repeatable({});
    count(root);
    const std::string_view reason = root["done_reason"].string();  // old servers write none
    const std::string_view words = reason.empty() ? "stop" : reason;
    take_finish(finish_of(Endings::ollama, words, calls() > 0), words);
    end();
  }

  // Pictures come as base64 alone.
  void take_pictures(JsonView holder) {
    const auto take = [&](JsonView value) {
      if (const auto picture = read_picture(value)) sink().on_media(*picture), repeatable({});
    };
    take(holder["image"]);
    holder["images"].items(take);
  }

  bool streams_json() const override { return true; }

  bool take_late(const JsonEvent &event) override {
    const JsonView root = event.root(), message = root["message"];
    count(root);
    report_usage();
    return !root["error"] && message["content"].string().empty() && message["thinking"].string().empty() &&
           root["response"].string().empty() && message["tool_calls"].kind() != '[';
  }

  void count(JsonView root) {
    Usage counted;
    counted.input_tokens = root["prompt_eval_count"].integer().value_or(-1);
    counted.output_tokens = root["eval_count"].integer().value_or(-1);
    take_usage(counted);
  }

  std::span<const ReadMembers> known_members(JsonView, std::string_view &) const override { return kKnown; }

  // A line of a chat has a message; that of a completion, which gateways send for one, has its members itself.
  void take_message(JsonView message, std::string_view text, const JsonEvent &event) {
    const bool surrogates = event.has_surrogates();
    const std::string_view thinking = message["thinking"].string(), content = message[text].string();
    const bool calls = text == "content" && message["tool_calls"].kind() == '[';
    if (!surrogates && !calls && thinking.empty() != content.empty()) {
      repeatable(thinking.empty() ? content : thinking);
      again_thinks_ = !thinking.empty();
    }
    take_text(true, thinking, surrogates);
    take_text(false, content, surrogates);
    if (const JsonView parts = message[text]; parts.is_object() || parts.kind() == '[') {
      std::vector<ContentPiece> pieces;
      read_content(parts, {}, pieces);
      for (const ContentPiece &piece : pieces) take_text(piece.reasoning, piece.text, surrogates);
      repeatable({});
    }
    if (calls)  // what goes back needs its text
      event.sliced()["message"]["tool_calls"].items([&](JsonView call) { take_call(call); });
  }

  void take_text(bool thinks, std::string_view text, bool surrogates) {
    if (text.empty()) return;
    keep(thinks ? thinking_ : content_, text);
    thinks ? show_reasoning(text, surrogates) : show_text(text, surrogates);
  }

  void take_again(std::string_view text) override { take_text(again_thinks_, text, false); }

  // Calls come whole.
  void take_call(JsonView call) {
    const JsonView function = call["function"];
    if (!function.is_object()) {
      if (call.kind() != 'n') sink().on_diagnostic("unknown_call", "expected a call with a function");
      return;
    }
    if (is_full()) return;
    const uint32_t slot = new_call();
    const std::string id = repair_utf8(call["id"].string());
    const std::string name = bounded_text(function["name"].string(), kMostCallName);
    const JsonView arguments = function["arguments"];
    const std::string text = arguments.kind() == '"' ? repair_utf8(arguments.string()) : std::string(arguments.text());
    const bool none = trim_json(text).empty() || arguments.kind() == 'n';
    sink().on_call(slot, id, name);
    if (repaired()) sink().on_call_broken(slot, "invalid_json");
    sink().on_arguments(slot, none ? "{}" : std::string_view(text));
    sink().on_call_end(slot);
    if (!name.empty() && arguments.is_object()) return keep_call(call.text());
    const bool object = !none && json_kind(text) == '{' && check_json(text, limits().depth).ok();
    std::string item;
    ObjectWriter written(item);
    if (!id.empty()) written.text("id", id);
    ObjectWriter inner(written.value("function"));
    inner.text("name", name.empty() ? "unknown" : name)
        .raw("arguments", object ? std::string_view(text) : "{}")
        .close();
    written.close();
    keep_call(item);
  }

  // ---- What goes back ----

  void keep(std::string &where, std::string_view more) {
    if (reserve(more.size())) where += more;
  }

  void keep_call(std::string_view call) {
    if (reserve(call.size())) calls_.add(call);
  }

  // Counts bytes that go back. Returns whether they are kept.
  bool reserve(size_t bytes) {
    if (!calls_.reserve(bytes)) {
      sink().on_diagnostic("oversize", "the provider's items beyond limits.lineBytes are not kept");
      content_ = thinking_ = {};
    }
    return !calls_.full();
  }

  // One item: the message.
  void report_last(bool well) override {
    if (!well || calls_.full() || (content_.empty() && thinking_.empty() && calls_.empty())) return;
    std::string items = "[";
    ObjectWriter message(items);
    message.text("role", "assistant").text("content", join_surrogates(content_));
    if (!thinking_.empty()) message.text("thinking", join_surrogates(thinking_));
    if (!calls_.empty()) message.raw("tool_calls", calls_.array());
    message.close();
    sink().on_native(items + "]");
  }

  // ---- Saved ----

  void save_more(ObjectWriter &saved) const override {
    calls_.save(saved);
    append_saved_bytes(saved.value("content"), content_);
    append_saved_bytes(saved.value("thinking"), thinking_);
  }

  void load_more(const SavedReader &from) override {
    calls_.load(from, limits().depth);
    from.get("content", content_);
    from.get("thinking", thinking_);
  }

  // -- of the line that was parsed last; not saved: see take_again
  bool again_thinks_ = false;
  // -- position in the stream (saved with the turn)
  std::string content_, thinking_;  // so far, in pieces that may be cut within two surrogates
  NativeItems calls_;               // counts the texts as well
};

}  // namespace

std::unique_ptr<WireReader> read_ollama(WireSink &sink, const WireLimits &limits) {
  return std::make_unique<OllamaReader>(sink, limits);
}

}  // namespace sluice
