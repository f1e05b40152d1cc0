#include "wire/request_writer.h"

#include <algorithm>
#include <unordered_map>

#include "base/json.h"
#include "base/surrogates.h"
#include "wire/key_names.h"
#include "wire/native_items.h"
#include "wire/opaque_members.h"
#include "wire/sent_ids.h"
#include "wire/sent_message.h"

namespace sluice {
namespace {

constexpr std::string_view kRoles[] = {"system", "developer", "user", "assistant", "tool"};

std::string_view kind_word(std::string_view value) {
  switch (json_kind(value)) {
    case '{': return "an object";
    case '[': return "an array";
    case '"': return "a string";
    case '0': return "a number";
    case 'n': return "null";
    default: return "a boolean";
  }
}

Status expected(std::string_view what, std::string_view found, std::string path) {
  return error(Code::json, "expected " + std::string(what) + ", found " + std::string(kind_word(found)),
               std::move(path));
}

bool is(const JsonSlices &member, std::string_view key) {
  const std::string_view token = member.key();
  if (token.find('\\') == std::string_view::npos) return token.substr(1, token.size() - 2) == key;
  return member.key_text() == key;
}

using Names = std::unordered_map<std::string_view, std::string_view>;

constexpr size_t kMostIdBytes = 40;  // of OpenAI and Azure

IdRules id_rules(const Dialect &dialect) {
  IdRules rules{.most_bytes = kMostIdBytes, .once_in_all = true};
  if (dialect.short_call_ids) rules.form = IdRules::Form::nine;
  if (dialect.named_call_ids) rules.form = IdRules::Form::named;
  return rules;
}

class MessageWriter {
 public:
  MessageWriter(const RequestParts &parts, std::string &out)
      : parts_(parts), drop_opaque_(parts.drop_opaque), ids_(id_rules(*parts.dialect)), out_(out) {
    if (parts.names == nullptr) return;
    for (const ToolOffer &tool : *parts.names) names_.emplace(tool.name, tool.wire_name);
    maps_names_ = true;
  }

  // `in_turn_with_calls`: it is an answer of a turn that had calls.
  void write(std::string_view message, bool in_turn_with_calls) {
    bool has_calls = false, is_tool = false, is_answer = false, changes = false, has_id = false, has_thought = false;
    std::string_view opaque;  // members that the provider wants back with the calls
    for (JsonSlices members(message); members.next();) {
      if (is(members, "tool_calls"))
        has_calls = json_kind(members.value()) == '[' && JsonSlices(members.value()).next();
      if (is(members, "role") && json_kind(members.value()) == '"') {
        const std::string role = json_text(members.value());
        is_tool = role == "tool";
        is_answer = role == "assistant";
      }
      has_thought = has_thought || is(members, kReasoning);
      has_id = has_id || is(members, "tool_call_id");
      if (!is(members, "metadata")) continue;
      changes = true;
      opaque = opaque_members(members.value());
    }
    const bool empty = is_answer && !has_thought && wants_empty_thought(has_calls);
    if (!is_tool) forget_calls();
    const Given *const answered = is_tool && answered_ < given_.size() ? &given_[answered_++] : nullptr;
    if (!changes && !has_calls && !is_tool && !empty) {
      out_ += trim_json(message);
      return;
    }
    out_ += '{';
    bool first = true;
    for (JsonSlices members(message); members.next();) {
      if (is(members, "metadata")) continue;
      if (!first) out_ += ',';
      first = false;
      out_ += members.key();
      out_ += ':';
      const std::string_view value = members.value();
      // Providers refuse empty text; with calls all of them accept null.
      if (has_calls && is(members, "content") && value == "\"\"")
        out_ += "null";
      else if (has_calls && is(members, "tool_calls"))
        write_calls(value, json_member(opaque, "tool_calls").value_or(""));
      else if (is_tool && is(members, "name"))
        write_name(answered != nullptr && !answered->name.empty() ? std::string_view(answered->name) : value);
      else if (is_tool && is(members, "tool_call_id"))
        append_json_string(out_, answered != nullptr ? answered->id : ids_.legal(json_text(value)));
      else
        out_ += value;
    }
    if (answered != nullptr && !has_id) {
      out_ += R"(,"tool_call_id":)";
      append_json_string(out_, answered->id);
    }
    for (JsonSlices members(opaque); members.next();) {
      if (is(members, "tool_calls")) continue;
      if (is(members, kReasoning)) {
        if (has_thought || !returns_thought(has_calls, in_turn_with_calls)) continue;
        if (members.value() == "\"\"" && !parts_.dialect->empty_thoughts) continue;  // it said that it thought nothing
        has_thought = true;
      } else if (!has_calls) {
        continue;
      }
      add(members);
    }
    if (empty && !has_thought) out_ += R"(,"reasoning_content":"")";
    out_ += '}';
  }

 private:
  static constexpr std::string_view kReasoning = "reasoning_content";

  bool returns_thought(bool has_calls, bool in_turn_with_calls) const {
    if (parts_.reasoning == ReasoningWish::refused) return false;
    switch (parts_.dialect->thoughts) {
      case Thoughts::with_calls: return has_calls;
      case Thoughts::in_turns_with_calls: return in_turn_with_calls;
      case Thoughts::always: break;
    }
    return true;
  }
  bool wants_empty_thought(bool has_calls) const {
    if (parts_.reasoning == ReasoningWish::refused) return false;
    return parts_.reasoning == ReasoningWish::required || (has_calls && parts_.dialect->empty_thoughts);
  }

  // A call of the last message with calls, in order: results have the same order.
  struct Given {
    std::string id;
    std::string name;  // a JSON string; empty: it has none
  };

  // What the same model of this server wants back as it came (WireSink::on_native has one item on this wire).
  std::string_view opaque_members(std::string_view metadata) const {
    const auto native = json_member(metadata, "native");
    if (!native || drop_opaque_) return {};
    JsonSlices items(json_member(*native, "items").value_or("[]"));
    return items.next() ? items.value() : std::string_view();
  }

  void add(const JsonSlices &member) {
    out_ += ',';
    out_ += member.key();
    out_ += ':';
    out_ += member.value();
  }

  // `opaque`: an object of members for each call, or empty.
  void write_calls(std::string_view calls, std::string_view opaque) {
    size_t count = 0, known = 0;
    for (JsonSlices items(calls); items.next();) ++count;
    for (JsonSlices items(opaque); items.next();) ++known;
    JsonSlices more(known == count ? opaque : std::string_view());
    out_ += '[';
    bool first = true;
    for (JsonSlices items(calls); items.next(); first = false) {
      if (!first) out_ += ',';
      const bool has_more = more.next();
      if (has_more && json_member(more.value(), kCustomCall)) {
        write_custom(items.value());
        continue;
      }
      write_call(items.value());
      if (!has_more || json_kind(items.value()) != '{') continue;
      out_.pop_back();  // the brace
      for (JsonSlices members(more.value()); members.next();) add(members);
      out_ += '}';
    }
    out_ += ']';
  }

  // A call of a custom tool, whose input is free text.
  void write_custom(std::string_view call) {
    const std::string_view function = json_member(call, "function").value_or("{}");
    const std::string name = json_member_text(function, "name");
    const std::string id = ids_.give(json_member_text(call, "id"), sent_name(name));
    given_.push_back({id, json_string(name)});
    ObjectWriter custom(out_);
    custom.text("id", id).text("type", "custom");
    ObjectWriter inner(custom.value("custom"));
    inner.text("name", sent_name(name))
        .text("input", json_member_text(json_member_text(function, "arguments"), "input"));
    inner.close();
    custom.close();
  }

  void write_call(std::string_view call) {
    const auto name = json_member(json_member(call, "function").value_or("{}"), "name");
    const std::string named = name && json_kind(*name) == '"' ? json_text(*name) : std::string();
    const std::string own = json_member_text(call, "id"), id = ids_.give(own, sent_name(named));
    given_.push_back({id, named.empty() ? std::string() : std::string(*name)});
    const auto given = json_member(call, "id");
    const bool odd = given && json_kind(*given) != '"';  // of the host: the provider refuses it
    if (odd || id == own || json_kind(call) != '{') return rewrite(call, "function", &MessageWriter::write_function);
    ItemText changed(call);
    changed.set("id", json_string(id));
    const std::string other = changed.write();
    rewrite(other, "function", &MessageWriter::write_function);
  }

  void forget_calls() {
    given_.clear();
    ids_.begin_message();
    answered_ = 0;
  }

  void write_function(std::string_view function) {
    const KeyNames *const keys = renamed_keys(parts_, json_member_text(function, "name"));
    const bool escapes = function.find("\\\\u") != function.npos;  // within the text of the arguments
    std::string arguments = keys != nullptr || escapes ? json_member_text(function, "arguments") : std::string();
    if (arguments.empty()) return rewrite(function, "name", &MessageWriter::write_name);
    if (keys != nullptr) arguments = with_sent_keys(arguments, *keys);
    replace_lone_surrogates(arguments);
    ItemText changed(function);
    changed.set("arguments", json_string(arguments));
    rewrite(changed.write(), "name", &MessageWriter::write_name);
  }

  void write_name(std::string_view token) {
    if (!maps_names_ || json_kind(token) != '"') {
      out_ += token;
      return;
    }
    append_json_string(out_, sent_name(json_text(token)));
  }
  std::string sent_name(const std::string &name) const {
    const auto known = names_.find(name);
    return known != names_.end() ? std::string(known->second) : wire_name_of(name);
  }

  // `value` with one member written by `write_member`; anything but an object as it is.
  void rewrite(std::string_view value, std::string_view key, void (MessageWriter::*write_member)(std::string_view)) {
    if (json_kind(value) != '{') {
      out_ += value;
      return;
    }
    const char *from = value.data();
    for (JsonSlices members(value); members.next();) {
      if (!is(members, key)) continue;
      out_.append(from, members.value().data());
      (this->*write_member)(members.value());
      from = members.value().data() + members.value().size();
    }
    out_.append(from, value.data() + value.size());
  }

  // -- set once
  const RequestParts &parts_;
  const bool drop_opaque_;
  SentIds ids_;
  std::string &out_;
  Names names_;
  bool maps_names_ = false;
  // -- of the last message with calls
  std::vector<Given> given_;
  size_t answered_ = 0;
};

// Which messages are of a turn that had calls; empty where nobody asks. A turn goes from one user message to the next.
std::vector<bool> in_turns_with_calls(const RequestParts &parts) {
  std::vector<bool> marked;
  if (parts.dialect->thoughts != Thoughts::in_turns_with_calls) return marked;
  marked.resize(parts.messages.size());
  size_t first = 0;
  const auto mark = [&](size_t end, bool calls) {
    if (calls)
      std::fill(marked.begin() + static_cast<std::ptrdiff_t>(first), marked.begin() + static_cast<std::ptrdiff_t>(end),
                true);
    first = end;
  };
  bool calls = false;
  for (size_t i = 0; i < parts.messages.size(); ++i) {
    if (json_member_text(parts.messages[i], "role") == "user") {
      mark(i, calls);
      calls = false;
    }
    calls = calls || JsonSlices(json_member(parts.messages[i], "tool_calls").value_or("")).next();
  }
  mark(parts.messages.size(), calls);
  return marked;
}

void append_tool(std::string &out, const ToolOffer &tool) {
  out += R"({"type":"function","function":{"name":)";
  append_json_string(out, tool.wire_name);
  if (!tool.description.empty()) {
    out += R"(,"description":)";
    append_json_string(out, tool.description);
  }
  out += R"(,"parameters":)";
  out += trim_json(tool.parameters);
  out += "}}";
}

Status check_messages(std::string_view messages) {
  if (json_kind(messages) != '[') return expected("an array", messages, "messages");
  size_t i = 0;
  for (JsonSlices items(messages); items.next(); ++i) {
    const std::string path = "messages[" + std::to_string(i) + "]";
    if (json_kind(items.value()) != '{') return expected("an object", items.value(), path);
    const auto role = json_member(items.value(), "role");
    if (!role) return error(Code::json, "a message needs a role", path + ".role");
    if (json_kind(*role) != '"') return expected("a string", *role, path + ".role");
    if (const std::string text = json_text(*role);
        std::find(std::begin(kRoles), std::end(kRoles), text) == std::end(kRoles))
      return error(Code::json,
                   "found " + json_string(text.substr(0, kMostNameBytes)) +
                       ", expected system | developer | user | assistant | tool",
                   path + ".role");
    const auto content = json_member(items.value(), "content");
    if (content && json_kind(*content) != '"' && json_kind(*content) != '[' && json_kind(*content) != 'n')
      return expected("a string, an array of parts, or null", *content, path + ".content");
  }
  if (i == 0) return error(Code::json, "found no message, expected at least one", "messages");
  return {};
}

Status check_tools(std::string_view host, const std::vector<ToolOffer> &tools, std::string_view name_path) {
  if (json_kind(host) == 'n') return {};
  if (json_kind(host) != '[') return expected("an array", host, "tools");
  size_t i = 0;
  for (JsonSlices items(host); items.next(); ++i) {
    const std::string path = "tools[" + std::to_string(i) + "]";
    if (json_kind(items.value()) != '{') return expected("an object", items.value(), path);
    const size_t dot = name_path.find('.');
    auto name = json_member(items.value(), name_path.substr(0, dot));
    if (name && dot != std::string_view::npos) name = json_member(*name, name_path.substr(dot + 1));
    if (!name || json_kind(*name) != '"') continue;
    const std::string text = json_text(*name);
    const bool taken = std::any_of(tools.begin(), tools.end(),
                                   [&](const ToolOffer &tool) { return text == tool.wire_name || text == tool.name; });
    if (taken)
      return error(Code::json, "a tool of the engine has the same name: " + text, path + "." + std::string(name_path));
  }
  return {};
}

}  // namespace

void append_tools(std::string &out, std::string_view host, const std::vector<ToolOffer> &tools) {
  const size_t begin = out.size();
  if (json_kind(host) == '[') {
    host = trim_json(host);
    out += trim_json(host.substr(0, host.size() - 1));
  } else {
    out += '[';
  }
  bool first = out.size() == begin + 1;
  for (const ToolOffer &tool : tools) {
    if (!first) out += ',';
    first = false;
    append_tool(out, tool);
  }
  out += ']';
}

Status check_request(std::string_view body, const std::vector<ToolOffer> &tools, std::string_view name_path) {
  if (json_kind(body) != '{') return expected("an object", body, "");
  const auto messages = json_member(body, "messages");
  if (!messages) return error(Code::json, "a request needs messages", "messages");
  if (Status status = check_messages(*messages); !status.ok()) return status;
  if (const auto host = json_member(body, "tools"))
    if (Status status = check_tools(*host, tools, name_path); !status.ok()) return status;
  if (const auto stream = json_member(body, "stream"); stream && json_kind(*stream) != 't' && json_kind(*stream) != 'f')
    return expected("true or false", *stream, "stream");
  return {};
}

std::string write_request(const RequestParts &parts) {
  const std::vector<ToolOffer> &tools = parts.offered();
  const std::string_view body = trim_json(parts.body);
  const auto host_tools = json_member(body, "tools");
  const bool offers = !tools.empty() || (host_tools && json_kind(*host_tools) == '[' && JsonSlices(*host_tools).next());

  std::string out;
  size_t size = body.size() + 64;
  for (const std::string_view message : parts.messages) size += message.size() + 1;
  for (const ToolOffer &tool : tools)
    size += tool.description.size() + tool.parameters.size() + tool.wire_name.size() + 80;
  out.reserve(size);

  const auto write_messages = [&] {
    MessageWriter writer(parts, out);
    const std::vector<bool> with_calls = in_turns_with_calls(parts);
    out += '[';
    for (size_t i = 0; i < parts.messages.size(); ++i) {
      if (i > 0) out += ',';
      writer.write(parts.messages[i], !with_calls.empty() && with_calls[i]);
      if (i < parts.origins.size()) parts.note_sent(i + 1, parts.origins[i]);
    }
    out += ']';
  };

  bool has_messages = false, has_stream = false, streams = true, has_usage = false, has_tools = false,
       has_choice = false, empty = true;
  const char *from = body.data();
  for (JsonSlices members(body); members.next(); empty = false) {
    const std::string_view value = members.value();
    const bool choice = is(members, "tool_choice") && parts.forbid_calls && offers;
    const bool merges = is(members, "tools") && !tools.empty();
    const bool messages = is(members, "messages");
    if (is(members, "stream")) {
      has_stream = true;
      streams = json_kind(value) == 't';
    }
    has_usage = has_usage || is(members, "stream_options");
    has_choice = has_choice || choice;
    has_tools = has_tools || merges;
    has_messages = has_messages || messages;
    if (!choice && !merges && !messages) continue;
    out.append(from, value.data());
    if (messages) write_messages();
    if (merges) append_tools(out, value, tools);
    if (choice) out += "\"none\"";
    from = value.data() + value.size();
  }
  out.append(from, body.data() + body.size() - 1);

  const auto add = [&](std::string_view key) {
    if (!empty) out += ',';
    empty = false;
    out += '"';
    out += key;
    out += "\":";
  };
  if (!has_messages) {
    add("messages");
    write_messages();
  }
  if (!has_stream) {
    add("stream");
    out += "true";
  }
  if (parts.ask_usage && streams && !has_usage) {  // providers refuse it without a stream
    add("stream_options");
    out += R"({"include_usage":true})";
  }
  if (!has_tools && !tools.empty()) {
    add("tools");
    append_tools(out, {}, tools);
  }
  if (!has_choice && parts.forbid_calls && offers) {
    add("tool_choice");
    out += "\"none\"";
  }
  out += '}';
  return out;
}

}  // namespace sluice
