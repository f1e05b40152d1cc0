// Anthropic's messages.
#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/anthropic_reader.h"
#include "wire/body.h"
#include "wire/foreign_members.h"
#include "wire/native_items.h"
#include "wire/request_writer.h"
#include "wire/sent_message.h"
#include "wire/unsent.h"
#include "wire/wires.h"

namespace sluice {
namespace {

constexpr std::string_view kMostTokens = "8192";    // Anthropic requires a limit
constexpr std::string_view kNothing = "(nothing)";  // a message needs text that is not blank
constexpr std::string_view kContainer = "container";

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\n\r\v\f") == std::string_view::npos; }

std::string type_of(std::string_view item) { return json_member_text(item, "type"); }

std::vector<NativeCall> calls_of(std::string_view items) {
  std::vector<NativeCall> calls;
  for (JsonSlices blocks(items); blocks.next();) {
    if (type_of(blocks.value()) != "tool_use") continue;
    calls.push_back({json_member_text(blocks.value(), "id"), blocks.value()});
  }
  return calls;
}

constexpr SentRules kRules = {.calls_of = calls_of,
                              .ids = {.in_id = in_identifier, .most_bytes = 64, .once_in_all = true}};

// ---- Blocks ----

void write_text(std::string_view text, ListWriter &blocks) {
  if (!is_blank(text)) ObjectWriter(blocks.next()).text("type", "text").text("text", text).close();
}

// {"type":"base64",…} or {"type":"url",…}
void write_source(std::string_view url, ObjectWriter &block) {
  ObjectWriter source(block.value("source"));
  if (const auto data = read_data_url(url))
    source.text("type", "base64").text("media_type", data->media_type).text("data", data->data);
  else
    source.text("type", "url").text("url", url);
  source.close();
}

// What the messages of a request hold and Anthropic cannot take, beside the blocks that it can.
class Parts {
 public:
  void write(const SentPart &part, ListWriter &blocks) {
    switch (part.kind) {
      case SentPart::Kind::text: write_text(part.text, blocks); break;
      case SentPart::Kind::image: write_image(part.text, blocks); break;
      case SentPart::Kind::file: write_file(part.json, blocks); break;
      case SentPart::Kind::other: blocks.next() += part.json; break;
    }
  }
  std::string unsent() const { return unsent_.words(); }

 private:
  static void write_image(std::string_view url, ListWriter &blocks) {
    ObjectWriter block(blocks.next());
    block.text("type", "image");
    write_source(url, block);
    block.close();
  }

  // OpenAI's `file`: {"file_data": "data:application/pdf;base64,…", "filename"} or {"file_id"}. Of other bytes than
  // those of a PDF or a picture the model reads the name.
  void write_file(std::string_view file, ListWriter &blocks) {
    const std::string id = json_member_text(file, "file_id"), url = json_member_text(file, "file_data");
    const std::optional<DataUrl> data = read_data_url(url);
    if (data && id.empty() && is_one_of(data->media_type, {"image/png", "image/jpeg", "image/gif", "image/webp"}))
      return write_image(url, blocks);
    if (id.empty() && (url.empty() || (data && data->media_type != "application/pdf")))
      return write_text(unsent_.note(file_note(file)), blocks);
    ObjectWriter block(blocks.next());
    block.text("type", "document");
    if (!id.empty()) {
      ObjectWriter source(block.value("source"));
      source.text("type", "file").text("file_id", id).close();
    } else {
      write_source(url, block);
    }
    if (const std::string name = json_member_text(file, "filename"); !name.empty()) block.text("title", name);
    block.close();
  }

  Unsent unsent_{"Anthropic takes text, pictures and PDFs"};
};

void write_result(const SentMessage &message, Parts &parts, ListWriter &blocks) {
  ObjectWriter result(blocks.next());
  result.text("type", "tool_result").text("tool_use_id", message.answers);
  const bool plain =
      message.images.empty() && std::all_of(message.parts.begin(), message.parts.end(),
                                            [](const SentPart &part) { return part.kind == SentPart::Kind::text; });
  if (plain) {
    if (const std::string text = message.text(); !is_blank(text)) result.text("content", text);
  } else {
    ListWriter content;
    for (const SentPart &part : message.parts) parts.write(part, content);
    for (const SentPart &image : message.images) parts.write(image, content);
    result.raw("content", content.array());
  }
  if (message.failed) result.boolean("is_error", true);
  result.close();
}

// A call as it came, but for an id that an earlier one had, and for what the server refuses: an id or a name of other
// characters, as gateways pass them on.
void write_call(std::string_view item, const SentCall &call, std::string &out) {
  const std::string name = json_member_text(item, "name");
  const bool legal = legal_name(name) == name;
  if (legal && json_member_text(item, "id") == call.id) {
    out += item;
    return;
  }
  ItemText changed(item);
  changed.set("id", json_string(call.id));
  if (!legal) changed.set("name", json_string(legal_name(name)));
  out += changed.write();
}

bool holds_thought(const SentMessage &message) {
  for (JsonSlices items(message.native); items.next();)
    if (message.opaque && is_one_of(type_of(items.value()), {"thinking", "redacted_thinking"})) return true;
  return false;
}

// Some servers want a thought with each answer that has calls, unless the host switched thinking off.
bool wants_thoughts(const RequestParts &parts) {
  if (parts.reasoning != ReasoningWish::by_dialect) return parts.reasoning == ReasoningWish::required;
  return parts.dialect->empty_thoughts && type_of(json_member(parts.body, "thinking").value_or("{}")) != "disabled";
}

void write_said(const SentMessage &message, const RequestParts &parts, ListWriter &blocks) {
  if (wants_thoughts(parts) && !message.calls.empty() && !holds_thought(message))
    ObjectWriter(blocks.next()).text("type", "thinking").text("thinking", "").close();
  if (!message.native.empty()) {
    size_t calls = 0;
    for (JsonSlices items(message.native); items.next();) {
      const std::string type = type_of(items.value());
      if (!message.opaque && is_one_of(type, {"thinking", "redacted_thinking"})) continue;
      if (parts.dialect->signed_thoughts && type == "thinking" && json_member_text(items.value(), "signature").empty())
        continue;
      if (type == "tool_use" && calls < message.calls.size())
        write_call(items.value(), message.calls[calls++], blocks.next());
      else
        blocks.next() += items.value();
    }
    return;
  }
  for (const SentPart &part : message.parts)
    if (part.kind == SentPart::Kind::text) write_text(part.text, blocks);
  for (const SentCall &call : message.calls) {
    ObjectWriter use(blocks.next());
    use.text("type", "tool_use").text("id", call.id).text("name", call.name).raw("input", call.arguments).close();
  }
}

// ---- Messages ----

// Joins neighbours of one role, since roles must alternate.
class Messages {
 public:
  ListWriter &of(std::string_view role) {
    if (!all_.empty() && all_.back().role == "assistant" && all_.back().blocks.empty()) all_.pop_back();
    // The conversation begins with the user.
    if (all_.empty() && role == "assistant") all_.push_back({"user", {}});
    if (all_.empty() || all_.back().role != role) all_.push_back({role, {}});
    return all_.back().blocks;
  }
  size_t count() const { return all_.size(); }
  std::string array() {
    of("");
    all_.pop_back();
    if (all_.empty()) all_.push_back({"user", {}});  // instructions alone are no conversation
    ListWriter list;
    for (One &message : all_) {
      if (message.blocks.empty()) write_text(kNothing, message.blocks);  // no message is empty
      ObjectWriter(list.next()).text("role", message.role).raw("content", message.blocks.array()).close();
    }
    return list.array();
  }

 private:
  struct One {
    std::string_view role;
    ListWriter blocks;
  };
  std::vector<One> all_;
};

std::string write_messages(const std::vector<SentMessage> &sent, size_t first, const RequestParts &parts,
                           Parts &written) {
  Messages messages;
  for (size_t i = first; i < sent.size(); ++i) {
    const SentMessage &message = sent[i];
    switch (message.role) {
      case SentMessage::Role::assistant: write_said(message, parts, messages.of("assistant")); break;
      case SentMessage::Role::tool: write_result(message, written, messages.of("user")); break;
      default:
        for (const SentPart &part : message.parts) written.write(part, messages.of("user"));
        if (message.parts.empty()) messages.of("user");
    }
    parts.note_sent(messages.count(), message.origin);
  }
  std::string array = messages.array();
  parts.note_sent(messages.count(), Origin::host);
  return array;
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
    one.text("name", tool.wire_name);
    if (!tool.description.empty()) one.text("description", tool.description);
    one.raw("input_schema", trim_json(tool.parameters)).close();
  }
  return list.array();
}

// ---- The container ----

// The last container in which the provider ran code for this model, as JSON text; empty: none.
std::string_view container_of(const std::vector<SentMessage> &sent) {
  for (size_t i = sent.size(); i-- > 0;)
    if (const auto id = json_member(sent[i].beside, kContainer); id && json_kind(*id) == '"' && sent[i].opaque)
      return *id;
  return {};
}

// A tool that the provider defines has a type: it runs code, or lets code call others.
bool has_typed_tools(std::string_view host_tools) {
  for (JsonSlices tools(host_tools); tools.next();)
    if (!is_one_of(type_of(tools.value()), {"", "custom"})) return true;
  return false;
}

// The code that ran there may wait for results, or find its files again. A host that names a container, or null, has
// decided; one that only lists skills has not.
void set_container(std::string_view id, RequestBody &body) {
  const auto own = body.member(kContainer);
  if (id.empty()) return;
  if (!own) {
    if (has_typed_tools(body.member("tools").value_or(""))) body.set(kContainer, std::string(id));
  } else if (json_kind(*own) == '{' && json_kind(json_member(*own, "id").value_or("null")) == 'n') {
    ItemText named(*own);
    named.set("id", std::string(id));
    body.set(kContainer, named.write());
  }
}

// ---- The wire ----

class AnthropicWire final : public Wire {
 public:
  std::string_view id() const override { return "anthropic"; }

  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override {
    return read_anthropic(sink, limits);
  }

  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override {
    if (Status status = check_request(body, tools, "name"); !status.ok()) return status;
    return check_foreign_members(body, id());
  }

  bool keeps_definitions() const override { return true; }

  bool echoes(std::string_view items, size_t calls) const override { return calls_of(items).size() == calls; }

  std::string write_tools(const std::vector<ToolOffer> &tools) const override { return tools_array({}, tools); }

  std::string write(const RequestParts &parts) const override {
    const std::vector<ToolOffer> &tools = parts.offered();
    const std::vector<SentMessage> sent = sent_messages(parts, kRules);
    RequestBody body(parts.body);

    // Instructions at the beginning have a member of their own; later ones stand where they were said.
    Parts written;
    ListWriter system;
    if (const auto own = body.member("system")) {
      if (json_kind(*own) == '"') write_text(json_text(*own), system);
      for (JsonSlices blocks(*own); blocks.next();) system.next() += blocks.value();
    }
    size_t first = 0;
    for (; first < sent.size() && sent[first].role == SentMessage::Role::system; ++first)
      for (const SentPart &part : sent[first].parts) written.write(part, system);

    const std::string messages = write_messages(sent, first, parts, written);
    if (parts.unsent != nullptr) *parts.unsent = written.unsent();
    if (!system.empty()) body.set("system", system.array());
    const auto host_tools = body.member("tools");
    if (!tools.empty()) body.set("tools", tools_array(host_tools.value_or(""), tools));
    body.set("messages", [&](std::string &out) { out += messages; });
    body.set_default("max_tokens", kMostTokens).set_default("stream", "true");
    const bool offers = !tools.empty() || (host_tools && JsonSlices(*host_tools).next());
    if (parts.forbid_calls && offers) body.set("tool_choice", R"({"type":"none"})");
    set_container(container_of(sent), body);
    return body.write(messages.size() + system.size());
  }
};

}  // namespace

const Wire &anthropic_wire() {
  static const AnthropicWire wire;
  return wire;
}

}  // namespace sluice
