// Documents as trees, and what makes a list of messages a conversation that a provider takes.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice_test {

using Json = nlohmann::ordered_json;

inline std::string brief(const Json &value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 1200) text = text.substr(0, 1000) + " ... (" + std::to_string(text.size()) + " bytes)";
  return text;
}

inline const Json *member(const Json &object, const char *key) {
  if (!object.is_object()) return nullptr;
  auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

inline std::string text_of(const Json &object, const char *key) {
  const Json *value = member(object, key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

// The same text for a reader that refuses what is JSON all the same: the escape of half a character, numbers that no
// double holds.
inline std::string for_all_readers(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (size_t i = 0; i < text.size();) {
    const auto is_in = [&](size_t at, std::string_view set) {
      return at < text.size() && set.find(text[at]) != set.npos;
    };
    size_t end = i + 1;
    if (quoted && text[i] == '\\') {
      const bool half =
          is_in(i + 1, "u") && is_in(i + 2, "dD") && is_in(i + 3, "89abcdefABCDEF") && i + 6 <= text.size();
      end = std::min(i + (half ? 6 : 2), text.size());
      out += half ? "\\ufffd" : text.substr(i, end - i);
    } else if (!quoted && is_in(i, "0123456789")) {
      while (is_in(end, "0123456789.eE+-")) ++end;
      const std::string_view number = text.substr(i, end - i);
      out += number.find_first_of("eE") != number.npos && end - i > 4 ? "1" : number;
    } else {
      out += text[i];
    }
    quoted ^= text[i] == '"';
    i = end;
  }
  return out;
}

// Discarded: no JSON.
inline Json read_json(std::string_view text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json::parse(for_all_readers(text), nullptr, false) : value;
}

inline bool is_json(std::string_view text) { return !read_json(text).is_discarded(); }

// Empty, or why these messages are no valid conversation.
inline std::string invalid_messages(const Json &messages) {
  std::set<std::string> ids;
  for (size_t i = 0; i < messages.size(); ++i) {
    const Json &message = messages[i];
    const std::string at = "message " + std::to_string(i);
    const std::string role = text_of(message, "role");
    const Json *calls = member(message, "tool_calls");
    if (calls && calls->is_null()) calls = nullptr;
    // One that names no call is the text of all results (`results.role` of a declared format).
    if (role == "tool" && member(message, "tool_call_id")) return at + ": a result without its call: " + brief(message);
    if (role != "assistant") continue;
    const Json *content = member(message, "content");
    const bool empty = !content || content->is_null() || content->empty() || *content == "";
    if (empty && !calls) return at + ": an empty assistant message";
    if (calls && content && *content == "") return at + ": empty text beside calls";
    if (!calls) continue;
    if (calls->empty()) return at + ": tool_calls is empty";
    std::set<std::string> open;
    for (const Json &call : *calls) {
      const std::string id = text_of(call, "id");
      if (id.empty() || !ids.insert(id).second) return at + ": no id, or one that was used before: " + brief(call);
      open.insert(id);
      if (text_of(call, "type") == "custom") {
        const Json *custom = member(call, "custom");
        if (!custom || text_of(*custom, "name").empty() || !member(*custom, "input"))
          return at + ": a custom call without a name and an input: " + brief(call);
        continue;
      }
      const Json *function = member(call, "function");
      if (!function || text_of(*function, "name").empty()) return at + ": a call without a name: " + brief(call);
      const Json *arguments = member(*function, "arguments");
      if (!arguments || !arguments->is_string() || !is_json(text_of(*function, "arguments")))
        return at + ": arguments that are not JSON: " + brief(call);
    }
    while (!open.empty()) {
      const Json *result = i + 1 < messages.size() ? &messages[i + 1] : nullptr;
      if (!result || text_of(*result, "role") != "tool" || open.erase(text_of(*result, "tool_call_id")) == 0)
        return at + ": the result of " + *open.begin() + " is not right behind its call";
      const Json *said = member(*result, "content");
      if (!said || said->is_null()) return at + ": a result without content";
      ++i;
    }
  }
  return "";
}

// The ids of the calls at the end of these messages that have no result. The n-th result with an id belongs to the n-th
// call with it.
inline std::vector<std::string> open_ids(const Json &messages) {
  std::vector<std::string> open;
  for (const Json &message : messages) {
    const std::string role = text_of(message, "role");
    if (role == "tool") {
      const auto call = std::find(open.begin(), open.end(), text_of(message, "tool_call_id"));
      if (call != open.end()) open.erase(call);
      continue;
    }
    const Json *metadata = member(message, "metadata");
    if (role == "user" && metadata && member(*metadata, "imagesOf")) continue;  // it belongs to the results
    open.clear();
    const Json *calls = role == "assistant" ? member(message, "tool_calls") : nullptr;
    if (calls && calls->is_array())
      for (const Json &call : *calls) open.push_back(text_of(call, "id"));
  }
  return open;
}

// The messages of a turn's request; none if the turn does not know tools, and so takes up no call.
inline Json host_messages(const Json &turn, const Json &engine) {
  const Json *enabled = member(turn, "enabled");
  if (!enabled) enabled = member(engine, "enabled");
  const Json *request = member(turn, "request");
  const Json *messages = request ? member(*request, "messages") : nullptr;
  const bool off = enabled && enabled->is_boolean() && !enabled->get<bool>();
  return messages && messages->is_array() && !off ? *messages : Json::array();
}

// Empty, or why [...messages, ...history] is no valid conversation. The messages are the host's: only what the turn
// adds is judged.
inline std::string invalid_history(const Json &messages, const Json &history) {
  std::vector<std::string> open = open_ids(messages);
  Json added = history;
  for (; !added.empty() && text_of(added[0], "role") == "tool"; added.erase(0)) {
    const auto call = std::find(open.begin(), open.end(), text_of(added[0], "tool_call_id"));
    if (call == open.end()) return "a result of no open call of the messages: " + brief(added[0]);
    const Json *said = member(added[0], "content");
    if (!said || said->is_null()) return "a result without content: " + brief(added[0]);
    open.erase(call);
  }
  return open.empty() ? invalid_messages(added) : "an open call of the messages has no result: " + open.front();
}

}  // namespace sluice_test
