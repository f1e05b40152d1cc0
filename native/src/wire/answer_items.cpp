#include "wire/answer_items.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "wire/openai_responses_item.h"

namespace sluice {
namespace {

// A member: `!` in front of its name says that the item is none without it. `kinds`: characters of json_kind that its
// value may have; empty: any. null may always be the value of a member that may be absent.
struct Member {
  std::string_view name;
  std::string_view kinds;
};

using Members = std::span<const Member>;

// One kind of item. `members` empty: all of them go back, as long as its type is known.
struct ItemRow {
  std::string_view type;
  Members members;
};
using ItemTable = std::span<const ItemRow>;

constexpr std::string_view kText = "\"", kList = "[", kObject = "{", kFlag = "tf", kAny = "";

// ---- openai-responses ----

constexpr Member kOutputText[] = {{"type", kText}, {"!text", kText}, {"annotations", kList}, {"logprobs", kList}};
constexpr Member kRefusal[] = {{"type", kText}, {"!refusal", kText}};
constexpr ItemRow kResponsesParts[] = {{"output_text", kOutputText}, {"refusal", kRefusal}};

constexpr Member kMessage[] = {{"type", kText},   {"id", kText},    {"role", kText},
                               {"status", kText}, {"phase", kText}, {"!content", "[\""}};
constexpr Member kReasoning[] = {
    {"type", kText},   {"!id", kText},   {"!summary", kList}, {"content", kList}, {"encrypted_content", kText},
    {"status", kText}, {"format", kText}};
constexpr Member kFunctionCall[] = {{"type", kText},      {"id", kText},        {"call_id", kText},
                                    {"name", kText},      {"arguments", "\"{"}, {"status", kText},
                                    {"namespace", kText}, {"caller", kObject},  {"async", kFlag}};
constexpr Member kCustomToolCall[] = {{"type", kText},   {"id", kText},     {"call_id", kText},   {"name", kText},
                                      {"!input", kText}, {"status", kText}, {"namespace", kText}, {"caller", kObject}};
constexpr Member kCompaction[] = {{"type", kText}, {"id", kText}, {"!encrypted_content", kText}, {"created_by", kText}};
constexpr ItemRow kResponsesItems[] = {
    {"message", kMessage},
    {"reasoning", kReasoning},
    {"function_call", kFunctionCall},
    {"custom_tool_call", kCustomToolCall},
    {"compaction", kCompaction},
    {"web_search_call", {}},
    {"file_search_call", {}},
    {"code_interpreter_call", {}},
    {"image_generation_call", {}},
    {"computer_call", {}},
    {"local_shell_call", {}},
    {"shell_call", {}},
    {"shell_call_output", {}},
    {"apply_patch_call", {}},
    {"tool_search_call", {}},
    {"tool_search_output", {}},
    {"mcp_list_tools", {}},
    {"mcp_call", {}},
    {"mcp_approval_request", {}},
    {"program", {}},
    {"program_output", {}},
};

// ---- anthropic ----

constexpr Member kTextBlock[] = {{"type", kText}, {"!text", kText}, {"citations", kList}};
constexpr Member kThinking[] = {{"type", kText}, {"!thinking", kText}, {"signature", kText}};
constexpr Member kRedacted[] = {{"type", kText}, {"!data", kText}};
constexpr Member kToolUse[] = {{"type", kText},     {"!id", kText},          {"!name", kText},      {"!input", kObject},
                               {"caller", kObject}, {"toolset_name", kText}, {"server_name", kText}};
constexpr Member kCompacted[] = {{"type", kText}, {"content", kText}, {"encrypted_content", kText}};
constexpr Member kUpload[] = {{"type", kText}, {"!file_id", kText}};
constexpr Member kToolResult[] = {{"type", kText},     {"!tool_use_id", kText}, {"!content", kAny},
                                  {"is_error", kFlag}, {"caller", kObject},     {"server_name", kText}};
constexpr ItemRow kAnthropicBlocks[] = {
    {"text", kTextBlock},           {"thinking", kThinking},       {"redacted_thinking", kRedacted},
    {"tool_use", kToolUse},         {"server_tool_use", kToolUse}, {"mcp_tool_use", kToolUse},
    {"compaction", kCompacted},     {"container_upload", kUpload}, {"fallback", {}},
    {"*_tool_result", kToolResult},
};

// ---- gemini ----

// A part is what one of its members says. A signature may stand beside each.
struct PartRow {
  std::string_view name;
  std::array<Member, 3> members;
};
constexpr PartRow part_row(std::string_view name, std::string_view needed, std::string_view kinds) {
  return {name, {Member{needed, kinds}, {"thought", kFlag}, {"thoughtSignature", kText}}};
}
constexpr PartRow kGeminiParts[] = {
    part_row("text", "!text", kText),
    part_row("functionCall", "!functionCall", kObject),
    part_row("executableCode", "!executableCode", kObject),
    part_row("codeExecutionResult", "!codeExecutionResult", kObject),
    part_row("toolCall", "!toolCall", kObject),
    part_row("toolResponse", "!toolResponse", kObject),
    part_row("inlineData", "!inlineData", kObject),
};
constexpr Member kGeminiCall[] = {{"id", kText}, {"name", kText}, {"args", kObject}};

// ---- gemini-interactions ----

constexpr Member kStepText[] = {{"type", kText}, {"!text", kText}, {"annotations", kList}};
constexpr ItemRow kStepContents[] = {
    {"text", kStepText}, {"image", {}}, {"audio", {}}, {"document", {}}, {"video", {}}};
constexpr Member kThoughtStep[] = {{"type", kText}, {"signature", kText}, {"summary", kList}};
constexpr Member kOutputStep[] = {{"type", kText}, {"!content", kList}};
constexpr Member kCallStep[] = {
    {"type", kText}, {"id", kText}, {"!name", kText}, {"!arguments", kObject}, {"signature", kText}};
constexpr ItemRow kInteractionSteps[] = {
    {"thought", kThoughtStep},  {"model_output", kOutputStep}, {"function_call", kCallStep},
    {"google_search_call", {}}, {"google_search_result", {}},  {"google_maps_call", {}},
    {"google_maps_result", {}}, {"code_execution_call", {}},   {"code_execution_result", {}},
    {"url_context_call", {}},   {"url_context_result", {}},    {"file_search_call", {}},
    {"file_search_result", {}}, {"mcp_server_tool_call", {}},  {"mcp_server_tool_result", {}},
    {"retrieval_call", {}},     {"retrieval_result", {}},      {"processing_call", {}},
    {"processing_result", {}},
};

// ---- openai-chat, ollama ----

constexpr Member kChatMembers[] = {
    {"reasoning_content", kText},  {"reasoning_details", kList}, {"reasoning_opaque", kAny},
    {"reasoning_signature", kAny}, {"thinking_blocks", kList},   {"signature", kAny},
    {"extra_content", kAny},       {"thought_signature", kAny},  {"provider_specific_fields", kAny},
    {"tool_calls", kList},
};
constexpr Member kOllamaMembers[] = {{"role", kText}, {"content", kText}, {"thinking", kText}, {"tool_calls", kList}};
constexpr Member kOllamaCall[] = {{"id", kText}, {"!function", kObject}};
constexpr Member kOllamaFunction[] = {{"index", "0"}, {"!name", kText}, {"!arguments", kObject}};

// ---- one object ----

std::string_view bare(std::string_view name) { return name.starts_with('!') ? name.substr(1) : name; }

bool fits(const Member &member, std::string_view value) {
  const char kind = json_kind(value);
  return member.kinds.empty() || member.kinds.find(kind) != std::string_view::npos;
}

// Changes the value of a member, or leaves it as it is: nullopt.
using Change = std::optional<std::string> (*)(std::string_view key, std::string_view value);

enum class Others : uint8_t { stay, go };  // members that the table does not name

// The object with these members of their kind, each once. nullopt: it lacks one of them. The text stays as it is where
// nothing is left out.
std::optional<std::string> with_members(std::string_view object, Members members, Others others,
                                        Change change = nullptr) {
  object = trim_json(object);
  if (json_kind(object) != '{') return std::nullopt;
  std::vector<std::string> seen;
  std::string out;
  ObjectWriter written(out);
  bool same = true;
  for (JsonSlices all(object); all.next();) {
    const std::string key = all.key_text();
    const Member *known = nullptr;
    for (const Member &member : members)
      if (bare(member.name) == key) known = &member;
    const bool needed = known != nullptr && known->name.starts_with('!');
    const bool empty = known != nullptr && !needed && json_kind(all.value()) == 'n';
    const bool stays = known != nullptr ? empty || fits(*known, all.value()) : others == Others::stay;
    if (!stays || std::find(seen.begin(), seen.end(), key) != seen.end()) {
      same = false;
      continue;
    }
    seen.push_back(key);
    const auto changed = change != nullptr ? change(key, all.value()) : std::nullopt;
    same = same && !changed;
    written.raw(key, changed ? std::string_view(*changed) : all.value());
  }
  written.close();
  for (const Member &member : members)
    if (member.name.starts_with('!') && std::find(seen.begin(), seen.end(), bare(member.name)) == seen.end())
      return std::nullopt;
  return same ? std::string(object) : out;
}

const ItemRow *row_of(ItemTable table, std::string_view type) {
  for (const ItemRow &row : table)
    if (row.type.starts_with('*') ? type.size() > row.type.size() - 1 && type.ends_with(row.type.substr(1))
                                  : row.type == type)
      return &row;
  return nullptr;
}

std::optional<std::string> by_type(ItemTable table, std::string_view type, std::string_view item,
                                   Change change = nullptr) {
  const ItemRow *const row = row_of(table, type);
  if (row == nullptr) return std::nullopt;
  return row->members.empty() ? std::string(trim_json(item)) : with_members(item, row->members, Others::stay, change);
}

using Of = std::optional<std::string> (*)(std::string_view item);

// An array of objects, with those alone that `of` returns.
std::optional<std::string> array_of(std::string_view array, Of of) {
  ListWriter list;
  bool same = true;
  for (JsonSlices values(array); values.next();) {
    const std::optional<std::string> value = of(values.value());
    same = same && value && *value == trim_json(values.value());
    if (value) list.next() += *value;
  }
  if (same) return std::nullopt;
  return list.array();
}

// ---- one item of each wire ----

std::optional<std::string> of_responses(std::string_view item) {
  std::string type = json_member_text(item, "type");
  const std::string role = json_member_text(item, "role");
  if (type.empty() && !role.empty() && !json_member(item, "type")) type = "message";
  if (type == "message" && json_member(item, "role") && role != "assistant") return std::nullopt;
  auto kept = by_type(kResponsesItems, type, item, [](std::string_view key, std::string_view value) {
    if (key != "content" || json_kind(value) != '[') return std::optional<std::string>();
    return array_of(value, [](std::string_view part) {
      const std::string kind = json_member_text(part, "type");
      return kind.starts_with("reasoning") ? std::optional<std::string>(trim_json(part))
                                           : by_type(kResponsesParts, kind, part);
    });
  });
  if (!kept || type != "message") return kept;
  const auto size_of = [](std::string_view message) {
    size_t size = 0;
    for (JsonSlices parts(json_member(message, "content").value_or("[]")); parts.next();) ++size;
    return size;
  };
  const auto content = json_member(*kept, "content");
  const bool says = content && (json_kind(*content) == '[' ? size_of(*kept) > 0 : trim_json(*content) != "\"\"");
  if (says && size_of(*kept) == size_of(item)) return kept;
  std::string text = untied_item(R"({"type":"message",)" + std::string(trim_json(item).substr(1)));
  return text.empty() ? std::nullopt : std::optional<std::string>(std::move(text));
}

std::optional<std::string> of_anthropic(std::string_view item) {
  const std::string type = json_member_text(item, "type");
  if (type == "tool_result") return std::nullopt;
  return by_type(kAnthropicBlocks, type, item);
}

std::optional<std::string> of_gemini(std::string_view item) {
  const PartRow *found = nullptr;
  for (const PartRow &row : kGeminiParts) {
    if (!json_member(item, row.name)) continue;
    if (found != nullptr) return std::nullopt;  // a part is one thing
    found = &row;
  }
  for (const std::string_view other : {"functionResponse", "fileData"})
    if (json_member(item, other)) return std::nullopt;
  if (found == nullptr) {  // a signature alone is that of an empty text
    const auto signature = json_member(item, "thoughtSignature");
    if (!signature || json_kind(*signature) != '"') return std::nullopt;
    size_t members = 0;
    for (JsonSlices all(item); all.next();) ++members;
    if (members > 1) return std::nullopt;
    return R"({"text":"","thoughtSignature":)" + std::string(trim_json(*signature)) + "}";
  }
  auto kept = with_members(item, found->members, Others::stay, [](std::string_view key, std::string_view value) {
    if (key != "functionCall") return std::optional<std::string>();
    auto fit = with_members(value, kGeminiCall, Others::stay);
    return fit && *fit == trim_json(value) ? std::nullopt : fit;
  });
  // Only a signature may stand without a text.
  if (kept && trim_json(json_member(*kept, "text").value_or("")) == "\"\"" && !json_member(*kept, "thoughtSignature"))
    return std::nullopt;
  return kept;
}

std::optional<std::string> of_interactions(std::string_view item) {
  const std::string type = json_member_text(item, "type");
  auto kept = by_type(kInteractionSteps, type, item, [](std::string_view key, std::string_view value) {
    if (key != "content" && key != "summary") return std::optional<std::string>();
    return array_of(value, [](std::string_view part) {
      auto content = by_type(kStepContents, json_member_text(part, "type"), part);
      const bool empty = json_member_text(part, "type") == "text" && json_member_text(part, "text").empty();
      return empty ? std::nullopt : content;
    });
  });
  const char *const list = type == "model_output" ? "content" : "summary";
  const bool says = kept && JsonSlices(json_member(*kept, list).value_or("")).next();
  if (kept && !says && type == "model_output") return std::string();
  if (!kept || says || type != "thought") return kept;
  const auto signature = json_member(*kept, "signature");
  if (!signature || json_kind(*signature) != '"' || json_text(*signature).empty()) return std::string();
  if (!json_member(*kept, "summary")) return kept;
  std::string bare;
  ObjectWriter(bare).text("type", type).raw("signature", trim_json(*signature)).close();
  return bare;
}

std::optional<std::string> of_chat(std::string_view item) {
  return with_members(item, kChatMembers, Others::go, [](std::string_view key, std::string_view value) {
    if (key == "reasoning_details" || key == "thinking_blocks")
      return array_of(value, [](std::string_view entry) {
        return json_kind(entry) == '{' ? std::optional<std::string>(trim_json(entry)) : std::nullopt;
      });
    if (key != "tool_calls") return std::optional<std::string>();
    return array_of(value, [](std::string_view call) {  // one entry for each call, whatever is left of it
      std::string out;
      ObjectWriter members(out);
      for (JsonSlices all(call); all.next();)
        if (!is_own_member_of_call(all.key_text())) members.raw(all.bare_key(), all.value());
      members.close();
      return std::optional<std::string>(std::move(out));
    });
  });
}

std::optional<std::string> of_ollama(std::string_view item) {
  const std::string role = json_member_text(item, "role");
  if (!role.empty() && role != "assistant") return std::nullopt;
  return with_members(item, kOllamaMembers, Others::go, [](std::string_view key, std::string_view value) {
    if (key != "tool_calls") return std::optional<std::string>();
    return array_of(value, [](std::string_view one) {
      return with_members(one, kOllamaCall, Others::go, [](std::string_view inner, std::string_view function) {
        if (inner != "function") return std::optional<std::string>();
        auto kept = with_members(function, kOllamaFunction, Others::go);
        if (!kept) return std::optional<std::string>(R"({"name":"unknown","arguments":{}})");
        return *kept == trim_json(function) ? std::nullopt : kept;
      });
    });
  });
}

Of rule_of(std::string_view wire) {
  if (wire == "openai-responses") return of_responses;
  if (wire == "anthropic") return of_anthropic;
  if (wire == "gemini") return of_gemini;
  if (wire == "gemini-interactions") return of_interactions;
  if (wire == "openai-chat") return of_chat;
  return wire == "ollama" ? of_ollama : nullptr;
}

// What is left out, for people: its type, its role where that is another's, or its members.
std::string words_of(std::string_view item) {
  constexpr size_t kMost = 80;
  std::string what = json_member_text(item, "type");
  if (what.empty())
    for (JsonSlices members(item); members.next() && what.size() < kMost;)
      what += (what.empty() ? "" : ", ") + members.key_text();
  if (const std::string role = json_member_text(item, "role"); !role.empty()) what += " of role " + role;
  return "an item of the answer is not kept: " + bounded_text(what.empty() ? std::string("no object") : what, kMost);
}

}  // namespace

std::string items_that_return(std::string_view wire, std::string_view items, std::vector<std::string> *left_out) {
  const Of of = rule_of(wire);
  if (of == nullptr || json_kind(items) != '[') return "[]";
  const bool responses = wire == "openai-responses";
  std::vector<std::string> kept;
  bool same = true, untied = false;
  const auto is_thought = [](const std::string &item) { return json_member_text(item, "type") == "reasoning"; };
  const auto drop_thoughts = [&] {  // a thought must have what it led to right behind it
    for (; responses && !kept.empty() && is_thought(kept.back()); untied = true) kept.pop_back();
  };
  for (JsonSlices list(items); list.next();) {
    const std::string_view item = trim_json(list.value());
    std::optional<std::string> one = of(item);
    same = same && one && *one == item;
    if (!one) {
      if (left_out != nullptr) left_out->push_back(words_of(item));
      if (responses && json_member_text(item, "type") == "reasoning") untied = true;
      drop_thoughts();
      continue;
    }
    if (untied) {  // its thought is gone: no id may tie it to that
      const ResponsesItem kind = responses_item(json_member_text(*one, "type"));
      if (is_client_call(kind) || kind == ResponsesItem::message)
        one = untied_item(*one);
      else if (kind != ResponsesItem::reasoning)
        continue;
      if (kind == ResponsesItem::reasoning) untied = false;
    }
    if (!one->empty()) kept.push_back(std::move(*one));
  }
  if (same) return std::string(items);
  drop_thoughts();
  std::string out = "[";
  for (const std::string &item : kept) out.append(out.size() > 1 ? "," : "").append(item);
  return out + "]";
}

bool is_opaque_member(std::string_view key) {
  return is_one_of(key, {"reasoning_details", "reasoning_opaque", "reasoning_signature", "thinking_blocks", "signature",
                         "extra_content", "thought_signature", "provider_specific_fields"});
}

bool is_own_member_of_call(std::string_view key) {
  return is_one_of(
      key, {"id", "type", "function", "index", "name", "arguments", "args", "custom", "functionCall", "function_call"});
}

}  // namespace sluice
