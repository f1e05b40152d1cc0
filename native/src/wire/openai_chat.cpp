#include "wire/openai_chat.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/saved.h"
#include "base/text.h"
#include "wire/call_assembler.h"
#include "wire/http_error.h"
#include "wire/openai_chat_chunk.h"
#include "wire/provider_error.h"
#include "wire/request_writer.h"
#include "wire/sse.h"

namespace sluice {
namespace {

constexpr size_t kMaxQuoted = 200;      // bytes of a broken event that its diagnostic quotes
constexpr size_t kMaxBeginning = 8192;  // bytes of a body, kept to describe a body that is no answer

Finish finish_of(std::string_view words) {
  struct Entry {
    std::string_view words;
    Finish finish;
  };
  static constexpr Entry kEntries[] = {
      {"stop", Finish::stop},
      {"eos", Finish::stop},
      {"eos_token", Finish::stop},
      {"end_turn", Finish::stop},
      {"stop_sequence", Finish::stop},
      {"STOP", Finish::stop},
      {"tool_calls", Finish::tool_calls},
      {"function_call", Finish::tool_calls},
      {"tool_use", Finish::tool_calls},
      {"tool_call", Finish::tool_calls},
      {"length", Finish::length},
      {"max_tokens", Finish::length},
      {"max_output_tokens", Finish::length},
      {"model_length", Finish::length},
      {"MAX_TOKENS", Finish::length},
      {"content_filter", Finish::content_filter},
      {"SAFETY", Finish::content_filter},
      {"sensitive", Finish::content_filter},
      {"refusal", Finish::content_filter},
      {"pause", Finish::pause},
      {"pause_turn", Finish::pause},
  };
  for (const Entry &entry : kEntries)
    if (entry.words == words) return entry.finish;
  return Finish::other;
}

class ChatReader final : public WireReader, private SseSink {
 public:
  ChatReader(WireSink &sink, const WireLimits &limits)
      : sink_(sink), limits_(limits), chunks_(limits.depth), sse_(*this, limits.line_bytes), calls_(sink, limits) {}

  void response(int32_t status, std::string_view headers) override { http_error_.response(status, headers); }

  void feed(std::string_view bytes) override {
    if (failed_) return;
    if (http_error_.active()) {
      http_error_.feed(bytes);
      return;
    }
    if (!known_) beginning_ += bytes.substr(0, kMaxBeginning - std::min(kMaxBeginning, beginning_.size()));
    sse_.feed(bytes);
  }

  void end() override {
    if (failed_ || done_) return;
    if (http_error_.active()) {
      failed_ = true;
      http_error_.report(sink_);
      return;
    }
    done_ = known_ = true;
    report_held();
    sink_.on_end();
  }

  void finish(bool complete) override {
    if (http_error_.active()) return end();
    if (!failed_) sse_.finish();
    if (failed_) return;
    if (whole_) end();
    if (!done_) report_held();
    if (complete && !known_ && report_no_answer()) return;
    report_members();
  }

  bool has_orphans() const override { return calls_.has_orphans(); }

  Refusal refusal() const override { return http_error_.refusal(); }

  void save(std::string &out) const override {
    ObjectWriter saved(out);
    http_error_.save(saved);
    sse_.save(saved);
    calls_.save(saved);
    append_saved_bytes(saved.value("textHeld"), text_joiner_.held());
    append_saved_bytes(saved.value("refusalHeld"), refusal_joiner_.held());
    append_saved_bytes(saved.value("reasoningHeld"), reasoning_joiner_.held());
    append_saved_bytes(saved.value("contentHeld"), content_joiner_.held());
    append_saved_bytes(saved.value("beginning"), beginning_);
    append_saved_bytes(saved.value("model"), model_);
    saved.boolean("whole", whole_).boolean("known", known_).boolean("done", done_).boolean("failed", failed_);
    saved.boolean("deltasText", deltas_.text).boolean("deltasReasoning", deltas_.reasoning);
    saved.boolean("deltasCalls", deltas_.calls).boolean("deltasMembers", deltas_.members);
    saved.boolean("plainReasoning", plain_reasoning_);
    append_saved_bytes(saved.value("messageText"), message_text_);
    append_saved_bytes(saved.value("messageRefusal"), message_refusal_);
    append_saved_bytes(saved.value("messageReasoning"), message_reasoning_);
    append_saved_bytes(saved.value("finish"), finish_words_);
    for (const TokenKind &kind : kTokenKinds) {
      saved.number(kind.name, usage_.*kind.count);
      saved.number(saved_name("told", kind), told_usage_.*kind.count);
    }
    saved.number("keptBytes", static_cast<int64_t>(kept_bytes_)).boolean("tooMuch", too_much_);
    append_saved_bytes(saved.value("reasoningContent"), reasoning_content_);
    save_members(saved.value("members"), opaque_);
    saved.close();
  }

  void load(std::string_view saved) override {
    const SavedReader from(saved);
    http_error_.load(from);
    sse_.load(from);
    calls_.load(from);
    load(from, "textHeld", text_joiner_);
    load(from, "refusalHeld", refusal_joiner_);
    load(from, "reasoningHeld", reasoning_joiner_);
    load(from, "contentHeld", content_joiner_);
    from.get("beginning", beginning_);
    from.text("model", model_);
    from.get("whole", whole_);
    from.get("known", known_);
    from.get("done", done_);
    from.get("failed", failed_);
    from.get("deltasText", deltas_.text);
    from.get("deltasReasoning", deltas_.reasoning);
    from.get("deltasCalls", deltas_.calls);
    from.get("deltasMembers", deltas_.members);
    from.get("plainReasoning", plain_reasoning_);
    from.text("messageText", message_text_);
    from.text("messageRefusal", message_refusal_);
    from.text("messageReasoning", message_reasoning_);
    from.text("finish", finish_words_);
    for (const TokenKind &kind : kTokenKinds) {
      from.get(kind.name, usage_.*kind.count);
      from.get(saved_name("told", kind), told_usage_.*kind.count);
    }
    from.get("keptBytes", kept_bytes_);
    from.get("tooMuch", too_much_);
    from.text("reasoningContent", reasoning_content_);
    opaque_ = load_members(from.nested("members"), limits_.depth);
  }

 private:
  static void load(const SavedReader &saved, std::string_view key, Utf8Joiner &joiner) {
    std::string held;
    saved.get(key, held);
    joiner.restore(std::move(held));
  }

  // ---- Events ----

  bool on_data(std::string_view event, std::string_view data) override {
    if (failed_) return true;
    if (trim_json(data).empty()) return true;
    if (read(event, data)) return true;
    // Plain text in an `error` event: treat it as the error message.
    if (event == "error" && data.front() != '{' && data.front() != '[') {
      fail(data);
      return true;
    }
    return false;
  }

  void on_joined_data(std::string_view event, std::string_view data) override {
    if (failed_ || read(event, data)) return;
    // The server leaves out blank lines: these lines are several events, and one of them is broken.
    bool reported = false;
    while (!data.empty() && !failed_) {
      const std::string_view line = data.substr(0, data.find('\n'));
      data.remove_prefix(std::min(data.size(), line.size() + 1));
      if (trim_json(line).empty() || (data.empty() && reported) || read(event, line)) continue;
      if (!reported) sink_.on_diagnostic("broken_event", "not JSON: " + bounded_text(line, kMaxQuoted));
      reported = true;
    }
  }

  void on_error_field(std::string_view value) override {
    if (!failed_ && !done_) fail(value);
  }

  void on_oversize() override {
    if (std::exchange(failed_, true)) return;
    sink_.on_error({"oversize", "a line of the answer is longer than limits.lineBytes", false});
  }

  // Returns false if `data` is not JSON.
  bool read(std::string_view event, std::string_view data) {
    if (trim_json(data) == "[DONE]") {
      end();
      return true;
    }
    ChatChunkReader::Result result = chunks_.read(data);
    std::string repaired;
    if (result == ChatChunkReader::Result::no_utf8) {
      repaired = repair_utf8(data);
      data = repaired;
      result = chunks_.read(data);
      if (result == ChatChunkReader::Result::ok)
        sink_.on_diagnostic("broken_event", "not UTF-8: " + bounded_text(data, kMaxQuoted));
    }
    if (result != ChatChunkReader::Result::ok) return false;
    repaired_ = !repaired.empty();
    take(event, data, chunks_.chunk());
    return true;
  }

  void take(std::string_view event, std::string_view data, const ChatChunk &chunk) {
    if (chunk.usage) take_usage(*chunk.usage);
    if (done_) {
      report_usage();
      const bool repeated = chunk.finish.empty() || chunk.finish == finish_words_;
      if (!repeated || !chunk.error.empty() || says_anything(chunk.delta) || says_anything(chunk.message))
        sink_.on_diagnostic("broken_event", "after the end of the answer: " + bounded_text(data, kMaxQuoted));
      else
        keep_members(chunk.delta, chunk.surrogates);
      return;
    }
    known_ = known_ || chunk.known;
    whole_ = whole_ || (chunk.whole && sse_.bare());
    if (!chunk.model.empty() && chunk.model != model_) {
      model_ = repair_utf8(chunk.model);
      sink_.on_model(model_);
    }
    if (known_ && !beginning_.empty()) beginning_ = {};
    take_delta(chunk.delta, chunk.surrogates);
    if (has_anything(chunk.message)) take_message(chunk.message, chunk.surrogates);
    if (!chunk.finish.empty() && chunk.finish != finish_words_) {
      finish_words_ = repair_utf8(chunk.finish);
      sink_.on_finish(finish_of(finish_words_), finish_words_);
    }
    if (!chunk.error.empty())
      fail(chunk.error);
    else if (event == "error" && !chunk.known)
      fail(data);
    else if (!chunk.known && !chunk.usage && known_ && data.find("\"choices\"") == data.npos)
      sink_.on_diagnostic("broken_event", "no chunk of an answer: " + bounded_text(data, kMaxQuoted));
  }

  static bool says_anything(const ChatMessage &message) {
    return !message.content.empty() || !message.plain_reasoning().empty() || !message.calls.empty();
  }

  static bool has_anything(const ChatMessage &message) {
    return says_anything(message) || !message.details.empty() || !message.opaque.empty();
  }

  void take_delta(const ChatMessage &delta, bool surrogates) {
    if (const std::string_view reasoning = delta.plain_reasoning(); !reasoning.empty()) {
      plain_reasoning_ = true;
      show_reasoning(reasoning, surrogates);
    } else if (!plain_reasoning_) {
      for (const ChatPiece &piece : delta.details) show_reasoning(piece.text, surrogates);
    }
    for (const ChatPiece &piece : delta.content) show(piece, surrogates);
    if (!delta.calls.empty()) calls_.add(delta.calls, surrogates, repaired_);
    tell_unknown_calls(delta);
    keep_members(delta, surrogates);
    deltas_.reasoning = deltas_.reasoning || !delta.plain_reasoning().empty() || !delta.details.empty();
    for (const ChatPiece &piece : delta.content) (piece.reasoning ? deltas_.reasoning : deltas_.text) = true;
    deltas_.calls = deltas_.calls || !delta.calls.empty();
    deltas_.members = deltas_.members || !delta.opaque.empty() || !delta.reasoning_content.empty();
  }

  // A full `message` instead of a `delta`, or beside it: used only for what no delta carried. Some servers repeat it
  // with every event, growing.
  void take_message(const ChatMessage &message, bool surrogates) {
    std::string text, refusal, reasoning(message.plain_reasoning());
    if (reasoning.empty())
      for (const ChatPiece &piece : message.details) reasoning += piece.text;
    for (const ChatPiece &piece : message.content)
      (piece.reasoning ? reasoning : piece.refusal ? refusal : text) += piece.text;
    if (!deltas_.reasoning) show_reasoning(new_part(message_reasoning_, reasoning), surrogates);
    if (!deltas_.text) {
      show({.text = new_part(message_text_, text)}, surrogates);
      show({.text = new_part(message_refusal_, refusal), .refusal = true}, surrogates);
    }
    if (!deltas_.calls) calls_.add(message.calls, surrogates, repaired_);
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
    for (const std::string_view type : message.unknown_calls)
      sink_.on_diagnostic("unknown_call", "expected a call of type function, found " + bounded_text(type, kMaxQuoted));
  }

  static std::string_view new_part(std::string_view before, std::string_view whole) {
    return whole.starts_with(before) ? whole.substr(before.size()) : whole;
  }

  void show(const ChatPiece &piece, bool surrogates) {
    if (piece.reasoning) {
      show_reasoning(piece.text, surrogates);
      return;
    }
    std::string_view text = piece.text;
    Utf8Joiner &joiner = piece.refusal ? refusal_joiner_ : text_joiner_;
    if (surrogates || !joiner.empty()) text = joiner.feed(text);
    if (text.empty()) return;
    calls_.interrupt();
    piece.refusal ? sink_.on_refusal(text) : sink_.on_text(text);
  }

  void show_reasoning(std::string_view text, bool surrogates) {
    if (surrogates || !reasoning_joiner_.empty()) text = reasoning_joiner_.feed(text);
    if (text.empty()) return;
    calls_.interrupt();
    sink_.on_reasoning(text);
  }

  // ---- What is reported once ----

  // Reports what waited for more: nothing more comes.
  void report_held() {
    if (const std::string_view rest = reasoning_joiner_.finish(); !rest.empty()) sink_.on_reasoning(rest);
    if (const std::string_view rest = text_joiner_.finish(); !rest.empty()) sink_.on_text(rest);
    if (const std::string_view rest = refusal_joiner_.finish(); !rest.empty()) sink_.on_refusal(rest);
    calls_.finish();
    report_usage();
  }

  void take_usage(const Usage &usage) {
    for (const TokenKind &kind : kTokenKinds)
      if (usage.*kind.count >= 0) usage_.*kind.count = usage.*kind.count;
  }

  // Some servers send usage with every event: report it at the end, and again only if it changed since.
  void report_usage() {
    if (usage_ == told_usage_) return;
    told_usage_ = usage_;
    sink_.on_usage(usage_);
  }

  // `reasoning` is not kept: servers that send it refuse it in a request.
  void keep_members(const ChatMessage &message, bool surrogates) {
    if (message.reasoning_content.empty() && message.opaque.empty()) return;
    kept_bytes_ += message.reasoning_content.size();
    for (const ChatMember &member : message.opaque) kept_bytes_ += member.value.size();
    if (kept_bytes_ > limits_.line_bytes) {  // half a signature is worse than none
      if (!std::exchange(too_much_, true))
        sink_.on_diagnostic("oversize", "opaque members of the message beyond limits.lineBytes are not kept");
      reasoning_content_.clear();
      opaque_.clear();
      return;
    }
    std::string_view reasoning = message.reasoning_content;
    if (surrogates || !content_joiner_.empty()) reasoning = content_joiner_.feed(reasoning);
    reasoning_content_ += reasoning;
    for (const ChatMember &member : message.opaque) {
      const auto known =
          std::find_if(opaque_.begin(), opaque_.end(), [&](const auto &other) { return other.first == member.key; });
      if (known == opaque_.end())
        opaque_.emplace_back(member.key, member.value);
      else
        join(known->second, member.value);
    }
  }

  // Arrays and strings come in pieces that are joined; of anything else the last value counts.
  static void join(std::string &so_far, std::string_view more) {
    const char kind = json_kind(more);
    if (kind == '"' && more == so_far) return;
    if (kind != json_kind(so_far) || (kind != '[' && kind != '"')) {
      so_far = more;
      return;
    }
    const std::string_view inner = trim_json(more.substr(1, more.size() - 2));
    if (kind == '"') {
      so_far.pop_back();
      so_far += more.substr(1);
    } else if (!inner.empty()) {
      so_far.pop_back();
      if (so_far != "[") so_far += ',';
      so_far += inner;
      so_far += ']';
    }
  }

  void report_members() {
    reasoning_content_ += content_joiner_.finish();
    if (reasoning_content_.empty() && opaque_.empty()) return;
    std::string object = "{";
    if (!reasoning_content_.empty()) {
      object += "\"reasoning_content\":";
      append_json_string(object, reasoning_content_);
    }
    for (const auto &[key, value] : opaque_) {
      if (object.size() > 1) object += ',';
      append_json_string(object, key);
      object += ':';
      object += value;
    }
    object += '}';
    sink_.on_message_members(object);
  }

  // ---- Errors ----

  void fail(std::string_view words) {
    const ProviderError error = read_provider_error(words, 0);
    report_usage();
    failed_ = true;
    sink_.on_error(http_error_.tell(error.tools_refused ? "tools_unsupported" : "provider",
                                    error.words.empty() ? "the provider reported an error without words" : error.words,
                                    error.transient));
  }

  // The connection broke within the first event of a stream: only the last, unfinished line says anything.
  bool is_cut_stream() const {
    const std::string_view body = beginning_;
    const std::string_view last = body.substr(body.find_last_of("\r\n") + 1);
    if (last.empty() || body.substr(0, body.size() - last.size()).find("data:") != body.npos) return false;
    const size_t colon = std::min(last.size(), last.find(':'));
    const std::string_view name = last.substr(0, colon);
    for (const std::string_view field : {"data", "event", "id", "retry"})
      if (colon == last.size() ? field.starts_with(name) : field == name)
        return colon == last.size() || !check_json(last.substr(colon + 1), limits_.depth).ok();
    return false;
  }

  // The body was no answer: a web page, or an object of another API. Returns false if it was empty.
  bool report_no_answer() {
    if (is_cut_stream()) return false;
    std::string body;
    for (std::string_view rest = beginning_; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (!line.empty() && line.front() != ':') body.append(line) += '\n';
    }
    const ProviderError error = read_provider_error(body, 0);
    if (error.words.empty()) return false;
    failed_ = true;
    const std::string detail = "the answer is not a chat completion: " + error.words;
    sink_.on_error(http_error_.tell(error.tools_refused ? "tools_unsupported" : "provider", detail, error.transient));
    return true;
  }

  // -- set once
  WireSink &sink_;
  const WireLimits limits_;
  // -- reused, empty between two events
  ChatChunkReader chunks_;
  bool repaired_ = false;  // the current event was not UTF-8
  // -- position in the stream (saved with the turn)
  HttpError http_error_;
  SseParser sse_;
  CallAssembler calls_;
  Utf8Joiner text_joiner_, refusal_joiner_, reasoning_joiner_, content_joiner_;
  std::string beginning_;  // of the body, until something in it was understood
  std::string model_;
  bool known_ = false;
  bool whole_ = false;  // the body is a whole message, not a stream
  bool done_ = false;   // the answer is over: only usage and opaque members still count
  bool failed_ = false;
  // -- what came so far (saved)
  struct {
    bool text = false, reasoning = false, calls = false, members = false;
  } deltas_;
  bool plain_reasoning_ = false;  // reasoning_details repeats it
  std::string message_text_, message_refusal_, message_reasoning_;
  std::string finish_words_;
  Usage usage_, told_usage_;
  // -- what the next request repeats with the message (saved)
  size_t kept_bytes_ = 0;
  bool too_much_ = false;
  std::string reasoning_content_;
  OpaqueMembers opaque_;
};

}  // namespace

std::unique_ptr<WireReader> OpenAiChatWire::read(WireSink &sink, const WireLimits &limits) const {
  return std::make_unique<ChatReader>(sink, limits);
}

Status OpenAiChatWire::check(std::string_view body, const std::vector<ToolOffer> &tools) const {
  return check_request(body, tools);
}

// Servers of Mistral's models answer "Unexpected role 'user' after role 'tool'", wherever they run. The models' names
// tell.
bool OpenAiChatWire::has_strict_roles(std::string_view body) const {
  const auto model = json_member(body, "model");
  if (!model || json_kind(*model) != '"') return false;
  const std::string name = lower_case(json_text(*model));
  for (const std::string_view family :
       {"mistral", "ministral", "mixtral", "magistral", "codestral", "devstral", "pixtral"})
    if (name.find(family) != std::string::npos) return true;
  return false;
}

std::string OpenAiChatWire::write(const RequestParts &parts) const { return write_request(parts); }

std::string OpenAiChatWire::write_tools(const std::vector<ToolOffer> &tools) const {
  std::string out;
  if (!tools.empty()) append_tools(out, {}, tools);
  return out;
}

}  // namespace sluice
