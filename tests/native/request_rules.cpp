#include "request_rules.h"

#include <set>

namespace sluice_test {
namespace {

bool is_blank(const std::string &text) { return text.find_first_not_of(" \t\n\r\v\f") == std::string::npos; }

bool is_legal_id(const std::string &id) {
  return !id.empty() && id.size() <= 64 &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
}

const Json &list(const Json &object, const char *key) {
  static const Json none = Json::array();
  const Json *found = member(object, key);
  return found && found->is_array() ? *found : none;
}

// ---- anthropic ----

// `signs`: the server signs its thoughts, and takes none without a signature.
std::string block_rule(const Json &block, const std::string &role, bool signs, std::set<std::string> &ids) {
  const std::string type = text_of(block, "type");
  if (type.empty()) return "a block without a type: " + brief(block);
  const bool by_model =
      type == "thinking" || type == "redacted_thinking" || type.ends_with("tool_use") || type == "compaction";
  if (by_model && role != "assistant") return "a block of the assistant in a message of the user: " + brief(block);
  if ((type == "tool_result" || type == "image" || type == "document") && role != "user")
    return "a block of the user in a message of the assistant: " + brief(block);
  if (type == "text" && is_blank(text_of(block, "text"))) return "a blank text block";
  if (type == "thinking" && signs && text_of(block, "signature").empty()) return "a thinking block without a signature";
  if (type == "tool_use") {
    const std::string id = text_of(block, "id");
    if (!is_legal_id(id)) return "an id that the server refuses: " + brief(block);
    if (!ids.insert(id).second) return "an id that stands twice: " + id;
    if (!block["input"].is_object()) return "an input that is no object: " + brief(block);
    if (!is_legal_id(text_of(block, "name"))) return "a name that the server refuses: " + brief(block);
  }
  return "";
}

std::string anthropic_rule(const Json &body) {
  if (!member(body, "max_tokens")) return "no max_tokens";
  const Json &messages = list(body, "messages");
  std::set<std::string> ids, open;
  std::string before = "assistant";
  const bool signs = text_of(body, "model").starts_with("claude");
  for (const Json &message : messages) {
    const std::string role = text_of(message, "role");
    if (role == before || (role != "user" && role != "assistant")) return "roles that do not alternate, from user on";
    before = role;
    if (message.size() != 2 || list(message, "content").empty()) return "a message without content: " + brief(message);
    bool results_over = false;
    std::set<std::string> asked;
    for (const Json &block : message["content"]) {
      if (std::string why = block_rule(block, role, signs, ids); !why.empty()) return why;
      const std::string type = text_of(block, "type");
      if (type == "tool_use") asked.insert(text_of(block, "id"));
      if (type != "tool_result") {
        results_over = true;
        continue;
      }
      if (results_over) return "a tool_result behind other content";
      if (open.erase(text_of(block, "tool_use_id")) == 0) return "a tool_result without its tool_use: " + brief(block);
    }
    if (!open.empty()) return "tool_use ids without tool_result blocks immediately after: " + *open.begin();
    open = std::move(asked);
  }
  return open.empty() ? "" : "calls without results at the end";
}

// ---- gemini ----

std::string gemini_rule(const Json &body) {
  for (const char *key : {"model", "stream", "messages"})
    if (member(body, key)) return std::string("a member that stands in the path or nowhere: ") + key;
  size_t open = 0;
  std::string before = "model";
  for (const Json &content : list(body, "contents")) {
    const std::string role = text_of(content, "role");
    if ((role != "user" && role != "model") || (role == before && role == "model"))
      return "contents that do not begin with the user, or two of the model in a row";
    before = role;
    if (list(content, "parts").empty()) return "a content without parts";
    size_t calls = 0, answers = 0;
    for (const Json &part : content["parts"]) {
      size_t kinds = 0;
      for (const char *kind : {"text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode",
                               "codeExecutionResult", "toolCall", "toolResponse"})
        kinds += part.contains(kind);
      if (kinds != 1) return "a part that is not one thing: " + brief(part);
      if (part.contains("functionResponse") && role != "user") return "a result that the model gives itself";
      if (part.contains("functionCall") && role != "model") return "a call that the user makes";
      calls += part.contains("functionCall");
      answers += part.contains("functionResponse");
      if (part.contains("text") && part["text"] == "" && !part.contains("thoughtSignature"))
        return "an empty text part";
    }
    if (answers != open) return "as many functionResponse parts as calls are wanted right behind them";
    open = calls;
  }
  return open == 0 ? "" : "calls without responses at the end";
}

// ---- openai-responses ----

std::string responses_rule(const Json &body) {
  if (member(body, "messages")) return "messages stand beside input";
  std::set<std::string> asked, open, ids;
  const bool kept = member(body, "previous_response_id") || member(body, "conversation");
  for (const Json &item : list(body, "input")) {
    const std::string type = text_of(item, "type"), id = text_of(item, "call_id"), own = text_of(item, "id");
    if (type.empty() && text_of(item, "role").empty()) return "an item without a type: " + brief(item);
    if (!own.empty() && !ids.insert(own).second) return "an item's id that stands twice: " + own;
    if (type == "function_call" || type == "custom_tool_call") {
      if (!asked.insert(id).second) return "a call_id that stands twice: " + id;
      open.insert(id);
      if (type == "function_call" && !is_json(text_of(item, "arguments"))) return "arguments that are no JSON";
    } else if (type == "function_call_output" || type == "custom_tool_call_output") {
      if (open.erase(id) == 0 && !kept) return "an output without its call: " + id;
    } else if (!open.empty() && text_of(item, "role") == "user") {
      return "a message of the user between a call and its output";
    }
  }
  return open.empty() ? "" : "calls without outputs: " + *open.begin();
}

// ---- gemini-interactions ----

std::string interactions_rule(const Json &body) {
  for (const char *key : {"messages", "contents"})
    if (member(body, key)) return std::string("a member of another wire: ") + key;
  std::set<std::string> asked, open;
  const bool kept = member(body, "previous_interaction_id") != nullptr;
  for (const Json &step : list(body, "input")) {
    const std::string type = text_of(step, "type");
    if (type == "user_input" || type == "model_output") {
      if (type == "user_input" && !open.empty()) return "words of the user between a call and its result";
      if (list(step, "content").empty()) return "a step without contents: " + brief(step);
      for (const Json &content : step["content"]) {
        if (text_of(content, "type").empty()) return "a content without a type: " + brief(content);
        if (content["type"] == "text" && text_of(content, "text").empty()) return "an empty text";
      }
    } else if (type == "thought") {
      if (member(step, "summary") && list(step, "summary").empty()) return "a thought whose summary is empty";
      if (!member(step, "summary") && text_of(step, "signature").empty()) return "a thought that says nothing";
    } else if (type == "function_call") {
      const std::string id = text_of(step, "id");
      if (id.empty() || !asked.insert(id).second) return "an id that is empty or stands twice: " + id;
      if (!step["arguments"].is_object()) return "arguments that are no object: " + brief(step);
      open.insert(id);
    } else if (type == "function_result") {
      if (open.erase(text_of(step, "call_id")) == 0 && !kept) return "a result without its call: " + brief(step);
    } else if (!type.ends_with("_call") && !type.ends_with("_result")) {
      return "a step of no type: " + brief(step);
    }
  }
  return open.empty() ? "" : "calls without results: " + *open.begin();
}

// ---- ollama ----

std::string ollama_rule(const Json &body) {
  size_t open = 0;
  for (const Json &message : list(body, "messages")) {
    const std::string role = text_of(message, "role");
    if (role != "system" && role != "user" && role != "assistant" && role != "tool") return "a strange role: " + role;
    if (role == "tool") {
      if (open == 0) return "a result without its call";
      --open;
      continue;
    }
    if (open != 0) return "a call without its result";
    open = list(message, "tool_calls").size();
    for (const Json &call : list(message, "tool_calls"))
      if (!call["function"]["arguments"].is_object()) return "arguments that are no object";
    if (role == "assistant" && open == 0 && text_of(message, "content").empty() && text_of(message, "thinking").empty())
      return "an empty message of the assistant";
  }
  return open == 0 ? "" : "calls without results at the end";
}

void append(Json &out, const Json &more, const std::string &role) {
  for (const Json &one : more) out.push_back({{"role", role}, {"said", one}});
}

}  // namespace

std::string broken_rule(const std::string &wire, const Json &body) {
  if (body.dump().find("\"metadata\":{\"") != std::string::npos && !member(body, "metadata")) return "metadata is sent";
  if (wire == "anthropic") return anthropic_rule(body);
  if (wire == "gemini") return gemini_rule(body);
  if (wire == "gemini-interactions") return interactions_rule(body);
  if (wire == "openai-responses") return responses_rule(body);
  if (wire == "ollama") return ollama_rule(body);
  return invalid_messages(list(body, "messages"));
}

Json flat_conversation(const std::string &wire, const Json &body) {
  Json out = Json::array();
  if (wire == "anthropic" || wire == "gemini") {
    append(out, list(body, "system"), "system");
    if (const Json *system = member(body, "systemInstruction")) append(out, list(*system, "parts"), "system");
    for (const Json &message : list(body, "messages")) append(out, list(message, "content"), text_of(message, "role"));
    for (const Json &content : list(body, "contents")) append(out, list(content, "parts"), text_of(content, "role"));
  } else {
    const bool steps = wire == "openai-responses" || wire == "gemini-interactions";
    append(out, list(body, steps ? "input" : "messages"), "");
  }
  return out;
}

}  // namespace sluice_test
