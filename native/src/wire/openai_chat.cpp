// OpenAI's chat completions, as its many servers speak them.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/saved.h"
#include "base/text.h"
#include "wire/call_assembler.h"
#include "wire/event_reader.h"
#include "wire/finish.h"
#include "wire/foreign_members.h"
#include "wire/joined_members.h"
#include "wire/opaque_members.h"
#include "wire/openai_chat_chunk.h"
#include "wire/request_writer.h"
#include "wire/sent_message.h"
#include "wire/wires.h"

namespace sluice {
namespace {

constexpr size_t kMaxQuoted = 200;                       // bytes of an unknown call's type that its diagnostic quotes
constexpr LooseMember kLoose[] = {{{}, "obfuscation"}};  // padding of OpenAI

class ChatReader final : public EventReader {
 public:
  ChatReader(WireSink &sink, const WireLimits &limits)
      : EventReader(sink, limits, "a chat completion", kLoose), calls_(sink, limits) {}

  bool has_orphans() const override { return calls_.has_orphans(); }

 private:
  void save_more(ObjectWriter &saved) const override {
    calls_.save(saved);
    append_saved_bytes(saved.value("contentHeld"), content_joiner_.held());
    saved.boolean("deltasText", deltas_.text).boolean("deltasReasoning", deltas_.reasoning);
    saved.boolean("deltasCalls", deltas_.calls).boolean("deltasMembers", deltas_.members);
    saved.boolean("deltasPictures", deltas_.pictures);
    saved.boolean("plainReasoning", plain_reasoning_).boolean("endedWell", ended_well_);
    append_saved_bytes(saved.value("messageText"), message_text_);
    append_saved_bytes(saved.value("messageRefusal"), message_refusal_);
    append_saved_bytes(saved.value("messageReasoning"), message_reasoning_);
    saved.number("keptBytes", static_cast<int64_t>(kept_bytes_)).boolean("tooMuch", too_much_);
    append_saved_bytes(saved.value("reasoningContent"), reasoning_content_);
    saved.boolean("thought", thought_);
    save_members(saved.value("members"), opaque_);
  }

  void load_more(const SavedReader &from) override {
    calls_.load(from);
    load_joiner(from, "contentHeld", content_joiner_);
    from.get("deltasText", deltas_.text);
    from.get("deltasReasoning", deltas_.reasoning);
    from.get("deltasCalls", deltas_.calls);
    from.get("deltasMembers", deltas_.members);
    from.get("deltasPictures", deltas_.pictures);
    from.get("plainReasoning", plain_reasoning_);
    from.get("endedWell", ended_well_);
    from.text("messageText", message_text_);
    from.text("messageRefusal", message_refusal_);
    from.text("messageReasoning", message_reasoning_);
    from.get("keptBytes", kept_bytes_);
    from.get("tooMuch", too_much_);
    from.text("reasoningContent", reasoning_content_);
    from.get("thought", thought_);
    opaque_ = load_members(from.nested("members"), limits().depth);
  }

  // ---- Events ----

  bool take_late(const JsonEvent &event) override {
    read_chunk(event, chunk_);
    if (chunk_.usage) take_usage(*chunk_.usage);
    report_usage();
    const bool repeated = chunk_.finish.empty() || chunk_.finish == finish_words();
    if (!repeated || !chunk_.error.empty() || says_anything(chunk_.delta) || says_anything(chunk_.message))
      return false;
    keep_members(chunk_.delta, chunk_.surrogates);
    return true;
  }

  void take(std::string_view type, const JsonEvent &event) override {
    read_chunk(event, chunk_);
    if (const std::string_view *const text = chunk_.only_text()) repeatable(*text);
    const ChatChunk &chunk = chunk_;
    if (chunk.usage) take_usage(*chunk.usage);
    if (chunk.known) know();
    if (chunk.whole) know_whole();
    take_model(chunk.model);
    if (chunk.odd) tell_broken("a call of the wrong type: ", event.text());
    take_delta(chunk.delta, chunk.surrogates);
    if (has_anything(chunk.message)) take_message(chunk.message, chunk.surrogates);
    sink().on_sources(chunk.sources);
    const Finish finish = finish_of(Endings::openai_chat, chunk.finish);
    const bool explains = finish == Finish::failed || finish == Finish::other;
    ended_well_ = ended_well_ || finish == Finish::stop || finish == Finish::tool_calls;
    take_finish(finish, chunk.finish, explains ? chunk.native_finish : std::string_view());
    if (!chunk.error.empty())
      fail(chunk.error);
    else if (type == "error" && !chunk.known)
      fail(event.text());
    else if (!chunk.known && known() && event.text().find("\"choices\"") == std::string_view::npos)
      tell_broken("no chunk of an answer: ", event.text());
  }

  std::span<const ReadMembers> known_members(JsonView, std::string_view &) const override {
    return known_chunk_members();
  }

  void take_again(std::string_view text) override {
    *chunk_.only_text() = text;
    take_delta(chunk_.delta, false);
  }

  void on_shown() override { calls_.interrupt(); }
  void close_calls() override { calls_.finish(ended_well_); }
  void lose_event() override { calls_.lose_event(); }

  static bool says_anything(const ChatMessage &message) {
    return !message.content.empty() || !message.plain_reasoning().empty() || !message.other_text().empty() ||
           !message.calls.empty() || message.lost_calls || !message.pictures.empty();
  }

  static bool has_anything(const ChatMessage &message) {
    return says_anything(message) || !message.details.empty() || !message.opaque.empty();
  }

  void take_delta(const ChatMessage &delta, bool surrogates) {
    if (const std::string_view reasoning = delta.plain_reasoning(); !reasoning.empty()) {
      plain_reasoning_ = true;
      show_reasoning(reasoning, surrogates);
    } else if (!plain_reasoning_) {
      for (const ContentPiece &piece : delta.details) show_reasoning(piece.text, surrogates);
    }
    for (const ContentPiece &piece : delta.content) show(piece, surrogates);
    if (delta.content.empty() && !deltas_.text) show_text(delta.other_text(), surrogates);
    if (!delta.calls.empty()) calls_.add(delta.calls, surrogates, repaired());
    tell_unknown_calls(delta);
    keep_members(delta, surrogates);
    deltas_.reasoning = deltas_.reasoning || !delta.plain_reasoning().empty() || !delta.details.empty();
    for (const ContentPiece &piece : delta.content) (piece.reasoning ? deltas_.reasoning : deltas_.text) = true;
    for (const Media &picture : delta.pictures) sink().on_media(picture);
    deltas_.calls = deltas_.calls || !delta.calls.empty();
    deltas_.pictures = deltas_.pictures || !delta.pictures.empty();
    deltas_.members = deltas_.members || !delta.opaque.empty() || !delta.reasoning_content().empty();
  }

  // A full `message` instead of a `delta`, or beside it: used only for what no delta carried. Some servers repeat it
  // with every event, growing.
  void take_message(const ChatMessage &message, bool surrogates) {
    std::string text, refusal, reasoning(message.plain_reasoning());
    if (reasoning.empty())
      for (const ContentPiece &piece : message.details) reasoning += piece.text;
    for (const ContentPiece &piece : message.content)
      (piece.reasoning ? reasoning : piece.refusal ? refusal : text) += piece.text;
    if (text.empty() && refusal.empty()) text = message.other_text();
    if (!deltas_.reasoning) show_reasoning(new_part(message_reasoning_, reasoning), surrogates);
    if (!deltas_.text) {
      show({.text = new_part(message_text_, text)}, surrogates);
      show({.text = new_part(message_refusal_, refusal), .refusal = true}, surrogates);
    }
    if (!std::exchange(deltas_.pictures, deltas_.pictures || !message.pictures.empty()))
      for (const Media &picture : message.pictures) sink().on_media(picture);
    if (!deltas_.calls) calls_.add(message.calls, surrogates, repaired());
    tell_unknown_calls(message);
    if (!deltas_.members) {
      reasoning_content_.clear();
      opaque_.clear();
      kept_bytes_ = 0;
      keep_members(message, surrogates);
    }
    message_text_ = std::move(text);
    message_refusal_ = std::move(refusal);
    message_reasoning_ = std::move(reasoning);
  }

  void tell_unknown_calls(const ChatMessage &message) {
    if (message.lost_calls) sink().on_arguments_lost(kNoCall, "a piece of a call that cannot be read");
    for (const std::string_view type : message.unknown_calls)
      sink().on_diagnostic("unknown_call", "expected a call of type function, found " + bounded_text(type, kMaxQuoted));
  }

  static std::string_view new_part(std::string_view before, std::string_view whole) {
    return whole.starts_with(before) ? whole.substr(before.size()) : whole;
  }

  void show(const ContentPiece &piece, bool surrogates) {
    if (piece.reasoning)
      show_reasoning(piece.text, surrogates);
    else if (piece.refusal)
      show_refusal(piece.text, surrogates);
    else
      show_text(piece.text, surrogates);
  }

  // ---- What the next request repeats ----

  // `reasoning` is not kept: servers that send it refuse it in a request.
  void keep_members(const ChatMessage &message, bool surrogates) {
    thought_ = !too_much_ && (thought_ || message.has_reasoning_content());
    if (message.reasoning_content().empty() && message.opaque.empty()) return;
    kept_bytes_ += message.reasoning_content().size();
    for (const ChatMember &member : message.opaque) kept_bytes_ += member.value.size();
    if (kept_bytes_ > limits().line_bytes) {  // half a signature is worse than none
      if (!std::exchange(too_much_, true))
        sink().on_diagnostic("oversize", "opaque members of the message beyond limits.lineBytes are not kept");
      reasoning_content_.clear();
      opaque_.clear();
      thought_ = false;
      return;
    }
    std::string_view reasoning = message.reasoning_content();
    if (surrogates || !content_joiner_.empty()) reasoning = content_joiner_.feed(reasoning);
    reasoning_content_ += reasoning;
    for (const ChatMember &member : message.opaque) {
      const auto known =
          std::find_if(opaque_.begin(), opaque_.end(), [&](const auto &other) { return other.first == member.key; });
      if (known == opaque_.end())
        opaque_.emplace_back(member.key, first_piece(member.key, member.value));
      else
        add_piece(member.key, member.value, known->second);
    }
  }

  // One item: the members that the next request adds to the message, and to its calls.
  void report_last(bool) override {
    if (failed()) return;
    reasoning_content_ += content_joiner_.finish();
    const std::string calls = calls_.members();
    if (!thought_ && opaque_.empty() && calls.empty()) return;
    std::string items = "[";
    ObjectWriter item(items);
    if (thought_) item.text("reasoning_content", reasoning_content_);
    for (const auto &[key, value] : opaque_) item.raw(key, joined_member(key, value));
    if (!calls.empty()) item.raw("tool_calls", calls);
    item.close();
    sink().on_native(items + "]");
  }

  // -- reused, empty between two events
  ChatChunk chunk_;
  // -- position in the stream (saved with the turn)
  CallAssembler calls_;
  Utf8Joiner content_joiner_;
  // -- what came so far (saved)
  struct {
    bool text = false, reasoning = false, calls = false, members = false, pictures = false;
  } deltas_;
  bool ended_well_ = false;       // with a finish reason that is a good one
  bool plain_reasoning_ = false;  // reasoning_details repeats it
  std::string message_text_, message_refusal_, message_reasoning_;
  // -- what the next request repeats with the message (saved)
  size_t kept_bytes_ = 0;
  bool too_much_ = false;
  std::string reasoning_content_;
  bool thought_ = false;  // that member came, though it may be empty
  OpaqueMembers opaque_;
};

class OpenAiChatWire final : public Wire {
 public:
  std::string_view id() const override { return "openai-chat"; }
  bool takes_results_as_text() const override { return true; }

  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override {
    return std::make_unique<ChatReader>(sink, limits);
  }

  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override {
    if (Status status = check_request(body, tools); !status.ok()) return status;
    return check_foreign_members(body, id());
  }

  bool echoes(std::string_view, size_t) const override { return true; }
  bool echoes_answers() const override { return false; }

  std::string write_tools(const std::vector<ToolOffer> &tools) const override {
    std::string out;
    append_tools(out, {}, tools);
    return out;
  }

  std::string write(const RequestParts &parts) const override { return write_request(parts); }
};

}  // namespace

const Wire &openai_chat_wire() {
  static const OpenAiChatWire wire;
  return wire;
}

}  // namespace sluice
