// simdjson reads nearly every event: it validates the whole event before anything is used, and allocates nothing once
// its buffers have grown. Where the text itself is needed (members that are repeated verbatim, arguments that came as
// an object), or simdjson refuses legal JSON (lone surrogates, huge numbers), the same walk goes over slices.
#include "wire/openai_chat_chunk.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "wire/answer_items.h"

namespace sluice {
namespace {

// The names that servers give to the kinds of tokens, in `usage` or in its prompt_tokens_details and
// completion_tokens_details.
constexpr std::pair<std::string_view, int64_t Usage::*> kTokenNames[] = {
    {"prompt_tokens", &Usage::input_tokens},       {"input_tokens", &Usage::input_tokens},
    {"completion_tokens", &Usage::output_tokens},  {"output_tokens", &Usage::output_tokens},
    {"cached_tokens", &Usage::cached_tokens},      {"prompt_cache_hit_tokens", &Usage::cached_tokens},  // DeepSeek
    {"reasoning_tokens", &Usage::reasoning_tokens}};

constexpr std::string_view kMessageTexts =
    "content text refusal reasoning reasoning_content reasoning_text thinking function_call functionCall";
constexpr std::string_view kMessageOthers =
    "role name id reasoning_details reasoning_opaque reasoning_signature thinking_blocks signature extra_content "
    "thought_signature provider_specific_fields annotations citations images";
constexpr std::string_view kPartTexts = "text content refusal thinking reasoning summary",
                           kPartOthers = "type image_url";
constexpr std::string_view kCallOthers =
    "id type function function_call functionCall name arguments args index extra_content";
constexpr ReadMembers kKnown[] = {
    {"", "",
     "id object type model error usage x_groq provider system_fingerprint service_tier obfuscation "
     "prompt_filter_results timings prompt_token_ids citations search_results web_search"},
    {"choices", "text",
     "finish_reason native_finish_reason stop_reason logprobs error content_filter_results "
     "content_filter_offsets token_ids"},
    {"choices.delta", kMessageTexts, kMessageOthers},
    {"choices.delta.content", kPartTexts, kPartOthers},
    {"choices.delta.reasoning", "content", "type id"},
    {"choices.delta.thinking", "content", "type id signature"},
    {"choices.delta.audio", "transcript", "id", "data"},
    {"choices.delta.tool_calls", "", kCallOthers},
    {"choices.message", kMessageTexts, kMessageOthers},
    {"choices.message.content", kPartTexts, kPartOthers},
    {"choices.message.reasoning", "content", "type id"},
    {"choices.message.thinking", "content", "type id signature"},
    {"choices.message.audio", "transcript", "id", "data"},
    {"choices.message.tool_calls", "", kCallOthers},
};

class Walk {
 public:
  explicit Walk(ChatChunk &chunk) : chunk_(chunk) {}

  bool wants_text() const { return wants_text_; }

  void root(JsonView value) {
    if (value.kind() == '[') {  // Google's shim wraps an error body in an array
      value.items([&](JsonView item) {
        if (item.kind() == '{') root(item);
      });
      return;
    }
    if (value.kind() != '{') return;
    bool is_error = false, has_choices = false;
    value.members([&](std::string_view key, JsonView member) {
      const char kind = member.kind();
      if (key == "choices" && kind == '[') {
        has_choices = true;
        choices(member);
      } else if (key == "usage") {
        usage(member);
      } else if (key == "citations" || key == "search_results" || key == "web_search") {
        read_sources(member, chunk_.sources);
      } else if (key == "model") {
        if (kind == '"') chunk_.model = member.string();
      } else if (key == "error") {
        error(member);
      } else if (key == "x_groq" && kind == '{') {
        member.members([&](std::string_view inner, JsonView of_groq) {
          if (inner == "usage") usage(of_groq);
          if (inner == "error") error(of_groq);
        });
      } else if ((key == "object" || key == "type") && kind == '"') {
        const std::string_view word = member.string();
        is_error = is_error || word == "error";
        // Keep-alive objects and pings hold nothing to read, and are not wrong.
        chunk_.known = chunk_.known || word.starts_with("chat.completion") || word == "ping";
      }
    });
    if (has_choices) chunk_.known = true;
    if (is_error && !has_choices && chunk_.error.empty()) error(value);
  }

 private:
  // The text of `value`. Where simdjson has none, notes that the walk must be done again over slices.
  std::string_view text_of(JsonView value) {
    const std::string_view text = value.text();
    wants_text_ = wants_text_ || text.empty();
    return text;
  }

  void error(JsonView value) {
    const char kind = value.kind();
    if (kind != '{' && kind != '"' && kind != '[') return;
    bool empty = kind == '"' && value.string().empty();
    if (kind == '{') {
      empty = true;
      value.members([&](std::string_view, JsonView) { empty = false; });
    }
    if (!empty) chunk_.error = text_of(value);
  }

  void usage(JsonView value) {
    if (value.kind() != '{') return;
    Usage usage;
    counts(value, usage, 0);
    chunk_.known = true;
    const bool any = std::any_of(std::begin(kTokenKinds), std::end(kTokenKinds),
                                 [&](const TokenKind &kind) { return usage.*kind.count >= 0; });
    if (any) chunk_.usage = usage;
  }

  void counts(JsonView value, Usage &usage, int within) {
    value.members([&](std::string_view key, JsonView member) {
      const char kind = member.kind();
      if (kind == '{' && within == 0 && key.ends_with("_tokens_details")) counts(member, usage, 1);
      if (kind != '0') return;
      for (const auto &[name, count] : kTokenNames)
        if (key == name) usage.*count = member.integer().value_or(-1);
    });
  }

  void choices(JsonView value) {
    int64_t position = 0;
    value.items([&](JsonView item) {
      if (item.kind() == '{' && choice_index(item).value_or(position) == 0) choice(item);
      ++position;
    });
  }

  std::optional<int64_t> choice_index(JsonView choice) {
    std::optional<int64_t> index;
    choice.members([&](std::string_view key, JsonView member) {
      if (key == "index" && member.kind() == '0') index = member.integer();
    });
    return index;
  }

  void choice(JsonView value) {
    value.members([&](std::string_view key, JsonView member) {
      const char kind = member.kind();
      if (key == "delta" && kind == '{') {
        message(member, chunk_.delta);
      } else if (key == "delta" && kind != 'n') {
        chunk_.odd = chunk_.delta.lost_calls = true;
      } else if (key == "message" && kind == '{') {
        chunk_.whole = true;
        message(member, chunk_.message);
      } else if (key == "text" && kind == '"' && chunk_.delta.other_text().empty()) {
        chunk_.delta.texts[kText] = member.string();
      } else if (key == "finish_reason" && kind == '"') {
        chunk_.finish = member.string();
      } else if (key == "native_finish_reason" && kind == '"') {
        chunk_.native_finish = member.string();
      } else if (key == "error" && chunk_.error.empty()) {
        error(member);
      }
    });
  }

  void message(JsonView value, ChatMessage &out) {
    value.members([&](std::string_view key, JsonView member) {
      const char kind = member.kind();
      if (kind == 'n') return;
      if (key == "content") {
        read_content(member, {}, out.content);
        pictures(member, out);
      } else if (key == "images") {
        pictures(member, out);
      } else if (key == "annotations" || key == "citations") {
        read_sources(member, chunk_.sources);
      } else if (key == "refusal") {
        read_content(member, {.refusal = true}, out.content);
      } else if (key == "tool_calls") {
        if (kind == '{')
          call(member, false, out);
        else if (kind != '[')
          chunk_.odd = out.lost_calls = true;
        if (kind == '[')
          member.items([&](JsonView item) {
            if (item.kind() == '{')
              call(item, false, out);
            else if (item.kind() != 'n')
              out.unknown_calls.push_back("no object");
          });
      } else if (key == "function_call" || key == "functionCall") {
        if (kind == '{') call(member, true, out);
      } else if (read_alias(key, member, out.texts)) {
      } else if (is_opaque_member(key)) {
        if (key == "reasoning_details" && kind == '[') read_content(member, {.reasoning = true}, out.details);
        out.opaque.push_back({key, text_of(member)});
      }
    });
  }

  // A list of pictures, or of parts among which there are some.
  static void pictures(JsonView list, ChatMessage &out) {
    list.items([&](JsonView part) {
      const std::string_view type = part["type"].string();
      if (part.kind() != '"' && !is_one_of(type, {"image_url", "image", "output_image", ""})) return;
      if (part.kind() == '"' || (type.empty() && !part["image_url"] && !part["b64_json"])) return;
      if (const auto picture = read_picture(part)) out.pictures.push_back(*picture);
    });
  }

  // Whether the member is one of kTextAliases.
  static bool read_alias(std::string_view key, JsonView value, AliasTexts &texts) {
    for (size_t at = 0; at < texts.size(); ++at) {
      const TextAlias &alias = kTextAliases[at];
      if (key != alias.name) continue;
      const bool inside = value.is_object() && !alias.inside.empty();
      const std::string_view text = inside ? value[alias.inside].string() : value.string();
      if (!text.empty() || texts[at].data() == nullptr) texts[at] = text;  // an empty text is one
      return true;
    }
    return false;
  }

  void call(JsonView value, bool legacy, ChatMessage &out) {
    CallDelta &call = out.calls.emplace_back();
    call.legacy = legacy;
    std::string_view type;
    bool is_function = false;
    value.members([&](std::string_view key, JsonView member) {
      const char kind = member.kind();
      // Gateways in front of Gemini pass its own functionCall on, with `args`.
      const bool holds = is_one_of(key, {"function", "functionCall", "function_call"});
      const bool function = holds && kind == '{';
      if (holds && kind != '{' && kind != 'n') chunk_.odd = call.damaged = true;
      is_function = is_function || function || ((key == "name" || key == "arguments") && kind != 'n');
      if (key == "type" && kind == '"') type = member.string();
      if (key == "custom" && kind == '{') {
        call.name = member["name"].string();
        call.arguments = member["input"].string();
        call.custom = true;
      } else if (function) {
        member.members([&](std::string_view inner, JsonView of_function) { head(inner, of_function, call); });
      } else if (key == "index") {
        if (kind == '0') call.index = member.integer().value_or(-1);
      } else if (key == "id") {
        if (kind == '"') call.id = member.string();
        if (kind == '0') call.id = text_of(member);
      } else if (key == "name" || key == "arguments" || key == "args") {
        head(key, member, call);  // without `function` around it
      } else if (!is_own_member_of_call(key) && kind != 'n' && !holds) {
        call.members.push_back({key, text_of(member)});
      }
    });
    call.foreign = !is_function && !call.custom && !type.empty() && type != "function";
    if (call.foreign) out.unknown_calls.push_back(type);
  }

  void head(std::string_view key, JsonView member, CallDelta &call) {
    const char kind = member.kind();
    if (key == "name" && kind == '"') call.name = member.string();
    if ((key != "arguments" && key != "args") || kind == 'n') return;
    if (kind != '"' && kind != '{') chunk_.odd = call.damaged = true;
    call.arguments = kind == '"' ? member.string() : text_of(member);
  }

  ChatChunk &chunk_;
  bool wants_text_ = false;
};

}  // namespace

void ChatMessage::clear() {
  content.clear();
  texts = {};
  details.clear();
  calls.clear();
  unknown_calls.clear();
  opaque.clear();
  pictures.clear();
  lost_calls = false;
}

void ChatChunk::clear() {
  known = whole = odd = surrogates = false;
  model = {};
  delta.clear();
  message.clear();
  finish = native_finish = error = {};
  usage.reset();
  sources.clear();
}

std::string_view *ChatChunk::only_text() {
  if (!known || whole || odd || surrogates || usage || !finish.empty() || !error.empty()) return nullptr;
  std::string_view *only = nullptr;
  size_t others = delta.content.size() + delta.calls.size() + delta.details.size() + delta.unknown_calls.size() +
                  delta.opaque.size() + delta.pictures.size();
  for (std::string_view &text : delta.texts)
    if (!text.empty()) only = &text, ++others;
  if (others != 1) return nullptr;
  if (!delta.content.empty()) return &delta.content.front().text;
  if (only != nullptr || delta.calls.empty()) return only;
  CallDelta &call = delta.calls.front();
  const bool goes_on =
      call.id.empty() && call.name.empty() && call.members.empty() && !call.foreign && !call.arguments.empty();
  return goes_on ? &call.arguments : nullptr;
}

std::span<const ReadMembers> known_chunk_members() { return kKnown; }

void read_chunk(const JsonEvent &event, ChatChunk &chunk) {
  chunk.clear();
  chunk.surrogates = event.has_surrogates();
  Walk walk(chunk);
  walk.root(event.root());
  if (!walk.wants_text()) return;
  chunk.clear();
  chunk.surrogates = true;
  Walk(chunk).root(event.sliced());
}

}  // namespace sluice
