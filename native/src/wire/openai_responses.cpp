// OpenAI's Responses, and the servers that speak them.
#include <algorithm>
#include <set>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/body.h"
#include "wire/foreign_members.h"
#include "wire/native_items.h"
#include "wire/openai_responses_item.h"
#include "wire/openai_responses_reader.h"
#include "wire/provider_tool.h"
#include "wire/request_writer.h"
#include "wire/sent_message.h"
#include "wire/wires.h"

namespace sluice {
namespace {

ResponsesItem kind_of(std::string_view item) { return responses_item(json_member_text(item, "type")); }

// Calls of the provider's own kinds that a host must run: those without an output beside them.
std::vector<NativeCall> calls_of(std::string_view items) {
  std::vector<NativeCall> calls;
  std::set<std::string> answered;
  for (JsonSlices list(items); list.next();)
    if (kind_of(list.value()) == ResponsesItem::output) answered.insert(json_member_text(list.value(), "call_id"));
  for (JsonSlices list(items); list.next();) {
    const std::string type = json_member_text(list.value(), "type");
    std::string id = json_member_text(list.value(), "call_id");
    if (id.empty()) id = json_member_text(list.value(), "id");
    if (is_client_call(responses_item(type)) || (is_for_host(type, list.value()) && !answered.contains(id)))
      calls.push_back({std::move(id), list.value()});
  }
  return calls;
}

constexpr size_t kMostIdBytes = 64;
constexpr SentRules kRules = {.calls_of = calls_of, .ids = {.most_bytes = kMostIdBytes, .once_in_all = true}};

// ---- Parts ----

void write_text(std::string_view text, ListWriter &list) {
  ObjectWriter(list.next()).text("type", "input_text").text("text", text).close();
}

void write_part(const SentPart &part, ListWriter &list) {
  switch (part.kind) {
    case SentPart::Kind::text: write_text(part.text, list); break;
    case SentPart::Kind::image: {
      const std::string detail = json_member_text(json_member(part.json, "image_url").value_or(""), "detail");
      ObjectWriter image(list.next());
      image.text("type", "input_image").text("image_url", part.text);
      image.text("detail", detail.empty() ? std::string_view("auto") : detail).close();
      break;
    }
    case SentPart::Kind::file: {  // {"file_data": "data:…", "filename"} or {"file_id"}
      ObjectWriter file(list.next());
      file.text("type", "input_file");
      for (JsonSlices members(part.json); members.next();) file.raw(members.bare_key(), members.value());
      file.close();
      break;
    }
    case SentPart::Kind::other:
      if (json_member_text(part.json, "type") == "text")  // with members of another provider
        write_text(part.text, list);
      else
        list.next() += part.json;
  }
}

std::string content_of(const SentMessage &message) {
  ListWriter list;
  for (const SentPart &part : message.parts) write_part(part, list);
  for (const SentPart &image : message.images) write_part(image, list);
  return list.array();
}

// ---- Items ----

class Input {
 public:
  Input(const RequestBody &body, bool drop_opaque) : drop_opaque_(drop_opaque) {
    const auto store = body.member("store");
    stores_ = !store || trim_json(*store) != "false";
  }

  void add(const SentMessage &message) {
    switch (message.role) {
      case SentMessage::Role::assistant:
        if (message.native.empty())
          add_rebuilt(message);
        else
          add_native(message);
        break;
      case SentMessage::Role::tool: add_result(message); break;
      case SentMessage::Role::system: add_said(message, message.developer ? "developer" : "system"); break;
      case SentMessage::Role::user: add_said(message, "user"); break;
    }
  }
  const std::string &json() const { return list_.values(); }
  size_t count() const { return list_.count(); }

 private:
  // A message that says nothing is refused.
  void add_said(const SentMessage &message, std::string_view role) {
    if (message.parts.empty() && message.images.empty()) return;
    ObjectWriter(list_.next()).text("role", role).raw("content", content_of(message)).close();
  }

  void add_rebuilt(const SentMessage &message) {
    if (const std::string text = message.text(); !text.empty())
      ObjectWriter(list_.next()).text("role", "assistant").text("content", text).close();
    for (const SentCall &call : message.calls) {
      ObjectWriter item(list_.next());
      item.text("type", "function_call").text("call_id", call.id).text("name", call.name);
      item.text("arguments", call.arguments).close();
    }
  }

  // Is this an item that only the same model reads, or one that the server does not have any more?
  bool is_lost(std::string_view item, ResponsesItem kind, bool opaque) const {
    const bool encrypted = !json_member_text(item, "encrypted_content").empty();
    if (!opaque) return encrypted || kind == ResponsesItem::reasoning;
    if (kind != ResponsesItem::reasoning || encrypted || stores_) return false;
    return !JsonSlices(json_member(item, "content").value_or("")).next();
  }

  // Has an earlier item of the conversation this item's id, or is the id too long? OpenAI refuses the whole request
  // then.
  bool has_bad_id(std::string_view item) {
    const std::string id = json_member_text(item, "id");
    return !id.empty() && (id.size() > kMostIdBytes || !ids_.insert(id).second);
  }

  // Behind an item that is left out, messages and calls lose the id that ties them to it. What the provider ran there
  // is left out with it: its id cannot be. An item whose id is bad loses it in the same way, and its thought is left
  // out.
  void add_native(const SentMessage &message) {
    bool untied = drop_opaque_;
    size_t calls = 0;
    std::vector<std::string> sent;
    size_t thoughts = 0;  // at the end of `sent`
    for (JsonSlices items(message.native); items.next();) {
      const std::string_view item = trim_json(items.value());
      const ResponsesItem kind = kind_of(item);
      const bool host = is_host_call(item), call = host || is_client_call(kind);
      const bool thought = kind == ResponsesItem::reasoning;
      std::string changed;
      if (call && calls < message.calls.size())
        changed = host ? host_call(item, message.calls[calls++]) : sendable_call(item, message.calls[calls++]);
      if (changed.empty()) changed = item;
      if (is_lost(item, kind, message.opaque)) {
        untied = true;
        continue;
      }
      const bool bad_id = has_bad_id(item);
      if (bad_id) {
        sent.resize(sent.size() - thoughts);
        thoughts = 0;
        untied = untied || thought;
        if (thought) continue;
      }
      if (untied || bad_id) changed = call || kind == ResponsesItem::message ? untied_item(changed) : std::string();
      if (changed.empty()) continue;
      thoughts = thought ? thoughts + 1 : 0;
      sent.push_back(std::move(changed));
    }
    for (const std::string &item : sent) list_.next() += item;
  }

  static bool is_host_call(std::string_view item) {
    const std::string type = json_member_text(item, "type");
    return !kind_of_host_call(type).empty() && is_for_host(type, item);
  }
  // The call's item under the id that its output has.
  static std::string host_call(std::string_view item, const SentCall &call) {
    const std::string_view key = json_member(item, "call_id") ? "call_id" : "id";
    if (json_member_text(item, key) == call.id) return {};
    ItemText changed(item);
    changed.set(key, json_string(call.id));
    return changed.write();
  }

  // The call's item where it cannot go back as it came: its id was used before, OpenAI refuses its name, or its
  // arguments are no JSON object. Empty: it can.
  static std::string sendable_call(std::string_view item, const SentCall &call) {
    const std::string id = json_member_text(item, "call_id"), own = json_member_text(item, "arguments");
    const bool readable = json_member_text(item, "type") != "function_call" || own == call.arguments ||
                          (json_kind(own) == '{' && check_json(own, kDeepest).ok());
    const std::string name = json_member_text(item, "name");
    const bool legal = legal_name(name) == name;
    if (id == call.id && readable && legal) return {};
    ItemText changed(item);
    changed.set("call_id", json_string(call.id));
    if (!legal) changed.set("name", json_string(name.empty() ? call.name : legal_name(name)));
    if (!readable) changed.set("arguments", json_string(call.arguments));
    return changed.write();
  }

  void add_result(const SentMessage &message) {
    const bool custom = kind_of(message.call_native) == ResponsesItem::custom_call;
    ObjectWriter item(list_.next());
    if (is_host_call(message.call_native)) {
      write_host_output(message, item);
      item.close();
      return;
    }
    item.text("type", custom ? "custom_tool_call_output" : "function_call_output").text("call_id", message.answers);
    const bool plain =
        message.images.empty() && std::all_of(message.parts.begin(), message.parts.end(),
                                              [](const SentPart &part) { return part.kind == SentPart::Kind::text; });
    if (plain)
      item.text("output", message.text());
    else
      item.raw("output", content_of(message));
    if (const auto caller = json_member(message.call_native, "caller")) item.raw("caller", *caller);
    item.close();
  }

  static constexpr size_t kDeepest = 1024;  // levels of JSON that is only checked

  const bool drop_opaque_;
  bool stores_ = true;
  std::set<std::string> ids_;  // of the items that were sent
  ListWriter list_;
};

// Where the provider keeps the conversation: how many answers of the assistant it has. What stands behind them is new.
size_t known_answers(const RequestParts &parts, const RequestBody &body, const std::vector<SentMessage> &sent) {
  const auto is_given = [&](std::string_view key) {
    const auto value = body.member(key);
    return value && json_kind(*value) != 'n';
  };
  if (is_given("conversation"))
    return static_cast<size_t>(std::count_if(sent.begin(), sent.end(), [](const SentMessage &message) {
      return message.role == SentMessage::Role::assistant;
    }));
  return is_given("previous_response_id") ? parts.earlier_answers : 0;
}

// ---- Tools ----

std::string tools_array(std::string_view host, const std::vector<ToolOffer> &tools) {
  ListWriter list;
  for (JsonSlices own(host); own.next();) list.next() += own.value();
  for (const ToolOffer &tool : tools) {
    if (!tool.declared.empty()) {
      list.next() += tool.declared;
      continue;
    }
    ObjectWriter one(list.next());
    one.text("type", "function").text("name", tool.wire_name);
    if (!tool.description.empty()) one.text("description", tool.description);
    one.raw("parameters", trim_json(tool.parameters));
    one.boolean("strict", false).close();  // a strict server refuses optional properties
  }
  return list.array();
}

// ---- The wire ----

class OpenAiResponsesWire final : public Wire {
 public:
  std::string_view id() const override { return "openai-responses"; }

  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override {
    return read_openai_responses(sink, limits);
  }

  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override {
    if (Status status = check_request(body, tools, "name"); !status.ok()) return status;
    if (json_member(body, "input"))
      return error(Code::json, "the conversation is expected in messages, from which the input is made", "input");
    if (const auto own = json_member(body, "tools")) {
      size_t i = 0;
      for (JsonSlices items(*own); items.next(); ++i)
        if (json_member(items.value(), "function"))
          return error(Code::json, "a tool of openai-chat; openai-responses has name and parameters beside type",
                       "tools[" + std::to_string(i) + "].function");
    }
    if (const auto choice = json_member(body, "tool_choice"); choice && json_member(*choice, "function"))
      return error(Code::json, "a choice of openai-chat; openai-responses has name beside type",
                   "tool_choice.function");
    return check_foreign_members(body, id());
  }

  // Where the host did not declare the tool of a call of the provider's own kinds, nobody ran it: the answer is
  // rebuilt.
  bool echoes(std::string_view items, size_t calls) const override { return calls_of(items).size() == calls; }

  std::string write_tools(const std::vector<ToolOffer> &tools) const override { return tools_array({}, tools); }

  std::string write(const RequestParts &parts) const override {
    const std::vector<ToolOffer> &tools = parts.offered();
    RequestBody body(parts.body);
    const std::vector<SentMessage> sent = sent_messages(parts, kRules);
    Input input(body, parts.drop_opaque);
    size_t known = known_answers(parts, body, sent);
    for (const SentMessage &message : sent)
      if (known == 0) {
        input.add(message);
        parts.note_sent(input.count(), message.origin);
      } else if (message.role == SentMessage::Role::assistant) {
        --known;
      }
    const auto host_tools = body.member("tools");
    const bool offers = !tools.empty() || (host_tools && JsonSlices(*host_tools).next());
    body.take_out("messages").set_default("stream", "true");
    if (!tools.empty()) body.set("tools", tools_array(host_tools.value_or(""), tools));
    if (parts.forbid_calls && offers) body.set("tool_choice", "\"none\"");
    body.set("input", [&](std::string &out) { out.append("[").append(input.json()).append("]"); });
    return body.write(input.json().size());
  }
};

}  // namespace

const Wire &openai_responses_wire() {
  static const OpenAiResponsesWire wire;
  return wire;
}

}  // namespace sluice
