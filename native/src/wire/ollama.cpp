#include "wire/ollama.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/body.h"
#include "wire/foreign_members.h"
#include "wire/ollama_reader.h"
#include "wire/request_writer.h"
#include "wire/sent_message.h"

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
  explicit Content(const std::vector<SentPart> &parts) {
    for (const SentPart &part : parts) {
      if (part.kind == SentPart::Kind::image)
        add_image(part.text);
      else if (!part.text.empty())
        add_text(part.text);
      else if (part.kind == SentPart::Kind::file)
        add_file(part.json);
      else
        add_text("[" + json_member_text(part.json, "type") + "]");
    }
  }

  void add_text(std::string_view more) { text.append(text.empty() ? "" : "\n").append(more); }
  void add_image(std::string_view url) {
    if (const auto data = read_data_url(url))
      append_json_string(images.append(images.empty() ? "" : ","), data->data);
    else
      add_text("[image: " + std::string(url) + "]");
  }
  void add_file(std::string_view file) {
    const std::string name = json_member_text(file, "filename");
    add_text("[file: " + (name.empty() ? json_member_text(file, "file_id") : name) + "]");
  }

  std::string text;
  std::string images;  // JSON strings with commas between them
};

// Other models read no thoughts of this one.
void write_without_thoughts(std::string_view item, std::string &out) {
  ObjectWriter message(out);
  for (JsonSlices members(item); members.next();)
    if (members.key_text() != "thinking")
      message.raw(members.key().substr(1, members.key().size() - 2), members.value());
  message.close();
}

void write_said(const SentMessage &message, std::string &out) {
  for (JsonSlices items(message.native); items.next();) {
    if (out.back() != '[') out += ',';
    if (message.opaque)
      out += items.value();
    else
      write_without_thoughts(items.value(), out);
  }
  const Content content(message.parts);
  if (!message.native.empty() || (content.text.empty() && message.calls.empty())) return;
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

void write_message(const SentMessage &message, std::string &out) {
  if (message.role == SentMessage::Role::assistant) return write_said(message, out);
  const Content content(message.parts);
  if (out.back() != '[') out += ',';
  ObjectWriter written(out);
  if (message.role == SentMessage::Role::tool) {
    // Older servers read the name, newer ones the id.
    const auto called = json_member(message.call_native, "function");
    written.text("role", "tool").text("content", content.text);
    written.text("tool_name", called ? json_member_text(*called, "name") : message.name);
    if (!message.answers.empty()) written.text("tool_call_id", message.answers);
  } else {
    written.text("role", message.role == SentMessage::Role::system ? "system" : "user").text("content", content.text);
    if (!content.images.empty()) written.raw("images", "[" + content.images + "]");
  }
  written.close();
}

}  // namespace

std::unique_ptr<WireReader> OllamaWire::read(WireSink &sink, const WireLimits &limits) const {
  return read_ollama(sink, limits);
}

Status OllamaWire::check(std::string_view body, const std::vector<ToolOffer> &tools) const {
  if (Status status = check_request(body, tools); !status.ok()) return status;
  return check_foreign_members(body, id());
}

bool OllamaWire::echoes(std::string_view items, size_t calls) const { return calls_of(items).size() == calls; }

std::string OllamaWire::write_tools(const std::vector<ToolOffer> &tools) const {
  std::string out;
  if (!tools.empty()) append_tools(out, {}, tools);
  return out;
}

std::string OllamaWire::write(const RequestParts &parts) const {
  RequestBody body(parts.body);
  std::string messages = "[";
  for (const SentMessage &message : sent_messages(parts, kRules)) write_message(message, messages);
  messages += ']';
  body.set("messages", [&](std::string &out) { out += messages; }).set_default("stream", "true");
  const bool offers = parts.tools != nullptr && !parts.tools->empty();
  if (parts.forbid_calls)  // there is no tool_choice
    body.take_out("tools");
  else if (offers)
    body.set("tools", [&](std::string &out) { append_tools(out, body.member("tools").value_or(""), *parts.tools); });
  return body.write(messages.size());
}

}  // namespace sluice
