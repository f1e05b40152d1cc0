// Ollama's /api/chat.
#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/body.h"
#include "wire/foreign_members.h"
#include "wire/native_items.h"
#include "wire/ollama_reader.h"
#include "wire/request_writer.h"
#include "wire/sent_message.h"
#include "wire/unsent.h"
#include "wire/wires.h"

namespace sluice {
namespace {

std::vector<NativeCall> calls_of(std::string_view items) {
  std::vector<NativeCall> calls;
  for (JsonSlices messages(items); messages.next();)
    if (const auto list = json_member(messages.value(), "tool_calls"))
      for (JsonSlices of_message(*list); of_message.next();)
        calls.push_back({json_member_text(of_message.value(), "id"), of_message.value()});
  return calls;
}

// Results are texts; their images stand in a message of the user behind them.
constexpr SentRules kRules = {.calls_of = calls_of, .images_with_results = false};

// The content of a message as text, and its images without what stands before their data. What Ollama cannot take is
// named in the text, so that the model knows of it.
struct Content {
  Content(const std::vector<SentPart> &parts, Unsent &noted) : unsent(noted) {
    for (const SentPart &part : parts) {
      if (part.kind == SentPart::Kind::image)
        add_image(part.text);
      else if (!part.text.empty())
        add_text(part.text);
      else if (part.kind == SentPart::Kind::file)
        add_note(file_note(part.json));
      else
        add_note(json_member_text(part.json, "type"));
    }
  }

  void add_text(std::string_view more) { text.append(text.empty() ? "" : "\n").append(more); }
  void add_image(std::string_view url) {
    if (const auto data = read_data_url(url))
      append_json_string(images.append(images.empty() ? "" : ","), data->data);
    else
      add_note("image: " + std::string(url.substr(0, url.starts_with("data:") ? url.find(',') : url.npos)));
  }
  void add_note(const std::string &what) { add_text(unsent.note(what)); }

  Unsent &unsent;
  std::string text;
  std::string images;  // JSON strings with commas between them
};

// A call of an answer: its id tells it from others of the message.
void write_call(std::string_view item, const SentCall &call, std::string &out) {
  if (json_member_text(item, "id") == call.id) {
    out += item;
    return;
  }
  ItemText changed(item);
  changed.set("id", json_string(call.id));
  out += changed.write();
}

// The message as the model said it. Its role is always the assistant's, its text and calls are those of the message.
void write_own(std::string_view item, const SentMessage &message, std::string &out) {
  ObjectWriter said(out);
  said.text("role", "assistant");
  if (const auto content = json_member(item, "content")) said.raw("content", *content);
  if (const auto thinking = json_member(item, "thinking"); thinking && message.opaque) said.raw("thinking", *thinking);
  if (const auto calls = json_member(item, "tool_calls")) {
    std::string &list = said.value("tool_calls");
    list += '[';
    size_t index = 0;
    for (JsonSlices one(*calls); one.next() && index < message.calls.size(); ++index) {
      if (index > 0) list += ',';
      write_call(one.value(), message.calls[index], list);
    }
    list += ']';
  }
  said.close();
}

void write_said(const SentMessage &message, std::string &out, Unsent &unsent) {
  for (JsonSlices items(message.native); items.next();) {
    if (out.back() != '[') out += ',';
    write_own(items.value(), message, out);
  }
  if (!message.native.empty()) return;
  const Content content(message.parts, unsent);
  if (content.text.empty() && message.calls.empty()) return;
  if (out.back() != '[') out += ',';
  ObjectWriter said(out);
  said.text("role", "assistant").text("content", content.text);
  if (!message.calls.empty()) {
    std::string &list = said.value("tool_calls");
    list += '[';
    for (const SentCall &call : message.calls) {
      if (&call != message.calls.data()) list += ',';
      ObjectWriter one(list);
      one.text("id", call.id);
      ObjectWriter function(one.value("function"));
      function.text("name", call.name).raw("arguments", call.arguments).close();
      one.close();
    }
    list += ']';
  }
  said.close();
}

void write_message(const SentMessage &message, std::string &out, Unsent &unsent) {
  if (message.role == SentMessage::Role::assistant) return write_said(message, out, unsent);
  const Content content(message.parts, unsent);
  if (out.back() != '[') out += ',';
  ObjectWriter written(out);
  if (message.role == SentMessage::Role::tool) {
    // Older servers read the name, newer ones the id.
    const auto called = json_member(message.call_native, "function");
    written.text("role", "tool").text("content", content.text);
    const std::string name = called ? json_member_text(*called, "name") : message.name;
    if (!name.empty()) written.text("tool_name", name);
    if (!message.answers.empty()) written.text("tool_call_id", message.answers);
  } else {
    written.text("role", message.role == SentMessage::Role::system ? "system" : "user").text("content", content.text);
    if (!content.images.empty()) written.raw("images", "[" + content.images + "]");
  }
  written.close();
}

// ---- Tools ----

// What the server reads of the schema of a parameter, and of one that holds all; it keeps `items` as they are.
bool is_kept(std::string_view keyword, bool outermost) {
  if (is_one_of(keyword, {"type", "items", "required", "properties"})) return true;
  return outermost ? keyword == "$defs" : is_one_of(keyword, {"description", "enum", "anyOf"});
}

void collect_dropped(std::string_view schema, bool outermost, std::set<std::string> &dropped) {
  for (JsonSlices members(schema); members.next();) {
    const std::string keyword = members.key_text();
    if (!is_kept(keyword, outermost)) {
      if (!is_one_of(keyword, {"$schema", "$id", "$comment"})) dropped.insert(keyword);  // those tell a model nothing
    } else if (is_one_of(keyword, {"properties", "anyOf"})) {
      for (JsonSlices within(members.value()); within.next();) collect_dropped(within.value(), false, dropped);
    }
  }
}

// ---- The wire ----

class OllamaWire final : public Wire {
 public:
  std::string_view id() const override { return "ollama"; }
  bool takes_results_as_text() const override { return true; }

  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override {
    return read_ollama(sink, limits);
  }

  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override {
    if (Status status = check_request(body, tools); !status.ok()) return status;
    return check_foreign_members(body, id());
  }

  bool echoes(std::string_view items, size_t calls) const override { return calls_of(items).size() == calls; }

  std::string write_tools(const std::vector<ToolOffer> &tools) const override {
    std::string out;
    append_tools(out, {}, tools);
    return out;
  }

  std::set<std::string> dropped_keywords(std::string_view schema) const override {
    std::set<std::string> dropped;
    collect_dropped(schema, true, dropped);
    return dropped;
  }

  std::string write(const RequestParts &parts) const override {
    RequestBody body(parts.body);
    std::string messages = "[";
    Unsent unsent("Ollama takes text, and images as base64");
    size_t count = 0;
    for (const SentMessage &message : sent_messages(parts, kRules)) {
      const size_t before = messages.size();
      write_message(message, messages, unsent);
      size_t items = 0;
      for (JsonSlices own(message.native); own.next();) ++items;
      if (messages.size() > before) count += std::max<size_t>(items, 1);
      parts.note_sent(count, message.origin);
    }
    messages += ']';
    if (parts.unsent != nullptr) *parts.unsent = unsent.words();
    body.set("messages", [&](std::string &out) { out += messages; }).set_default("stream", "true");
    if (parts.forbid_calls)  // there is no tool_choice
      body.take_out("tools");
    else if (!parts.offered().empty())
      body.set("tools",
               [&](std::string &out) { append_tools(out, body.member("tools").value_or(""), parts.offered()); });
    return body.write(messages.size());
  }
};

}  // namespace

const Wire &ollama_wire() {
  static const OllamaWire wire;
  return wire;
}

}  // namespace sluice
