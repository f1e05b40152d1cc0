// Gemini's Interactions API, revision 2026-05-20: a conversation is a list of steps.
#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/body.h"
#include "wire/foreign_members.h"
#include "wire/gemini_interactions_reader.h"
#include "wire/gemini_model.h"
#include "wire/native_items.h"
#include "wire/request_writer.h"
#include "wire/sent_message.h"
#include "wire/wires.h"

namespace sluice {
namespace {

bool is_step(std::string_view step, std::string_view type) { return json_member_text(step, "type") == type; }

std::vector<NativeCall> calls_of(std::string_view items) {
  std::vector<NativeCall> calls;
  for (JsonSlices steps(items); steps.next();)
    if (is_step(steps.value(), "function_call"))
      calls.push_back({json_member_text(steps.value(), "id"), steps.value()});
  return calls;
}

constexpr SentRules kRules = {.calls_of = calls_of, .ids = {.once_in_all = true}};

// ---- Contents ----

void write_text(std::string_view text, ListWriter &list) {
  if (!text.empty()) ObjectWriter(list.next()).text("type", "text").text("text", text).close();
}

// What a file is, by its media type.
std::string_view content_type(std::string_view media_type) {
  for (const std::string_view type : {"image", "audio", "video"})
    if (media_type.starts_with(std::string(type) + "/")) return type;
  return "document";
}

// A data: URL is sent as data, any other address as one. `type`: of a content that does not say it; empty: a file.
void write_data(std::string_view url, std::string_view type, ListWriter &list) {
  ObjectWriter content(list.next());
  if (const auto data = read_data_url(url))
    content.text("type", type.empty() ? content_type(data->media_type) : type)
        .text("data", data->data)
        .text("mime_type", data->media_type);
  else
    content.text("type", type.empty() ? "document" : type).text("uri", url);
  content.close();
}

void write_part(const SentPart &part, ListWriter &list) {
  switch (part.kind) {
    case SentPart::Kind::text: return write_text(part.text, list);
    case SentPart::Kind::image: return write_data(part.text, "image", list);
    case SentPart::Kind::file: {
      const std::string id = json_member_text(part.json, "file_id");
      return write_data(id.empty() ? json_member_text(part.json, "file_data") : id, {}, list);
    }
    case SentPart::Kind::other: break;
  }
  if (!part.text.empty()) return write_text(part.text, list);  // with members of another provider
  const auto audio = json_member(part.json, "input_audio");
  if (!audio) {
    list.next() += part.json;
    return;
  }
  ObjectWriter content(list.next());
  content.text("type", "audio")
      .text("data", json_member_text(*audio, "data"))
      .text("mime_type", "audio/" + json_member_text(*audio, "format"))
      .close();
}

// ---- Steps ----

std::string without_signature(std::string_view step) {
  std::string out;
  ObjectWriter written(out);
  for (JsonSlices members(step); members.next();)
    if (members.key_text() != "signature") written.raw(members.bare_key(), members.value());
  written.close();
  return out;
}

class InputSteps {
 public:
  InputSteps(const RequestParts &parts, uint32_t version) : signs_(version >= 3 || parts.drop_opaque) {}

  // Instructions within the conversation are said by the user who speaks next.
  void instruct(const SentMessage &message) {
    for (const SentPart &part : message.parts) write_part(part, user_);
  }

  void add(const SentMessage &message) {
    switch (message.role) {
      case SentMessage::Role::system: return instruct(message);
      case SentMessage::Role::user:
        for (const SentPart &part : message.parts) write_part(part, user_);
        return end_user();
      case SentMessage::Role::assistant:
        end_user();
        return message.native.empty() ? add_rebuilt(message) : add_native(message);
      case SentMessage::Role::tool: end_user(); return add_result(message);
    }
  }

  size_t count() const { return list_.count() + (user_.empty() ? 0 : 1); }
  const std::string &json() {
    end_user();
    return list_.values();
  }

 private:
  void end_user() {
    if (user_.empty()) return;  // a step that says nothing
    ObjectWriter(list_.next()).text("type", "user_input").raw("content", user_.array()).close();
    user_ = {};
  }

  void add_rebuilt(const SentMessage &message) {
    ListWriter content;
    for (const SentPart &part : message.parts) write_part(part, content);
    if (!content.empty())
      ObjectWriter(list_.next()).text("type", "model_output").raw("content", content.array()).close();
    for (const SentCall &call : message.calls) {
      ObjectWriter step(list_.next());
      step.text("type", "function_call").text("id", call.id).text("name", call.name);
      step.raw("arguments", call.arguments);
      if (signs_ && &call == message.calls.data()) step.raw("signature", kNoGeminiSignature);
      step.close();
    }
  }

  void add_native(const SentMessage &message) {
    bool unsigned_step = signs_;
    if (message.opaque)
      for (JsonSlices steps(message.native); steps.next();)
        if (!json_member_text(steps.value(), "signature").empty()) unsigned_step = false;
    size_t calls = 0;
    for (JsonSlices steps(message.native); steps.next();) {
      const std::string_view step = trim_json(steps.value());
      if (!message.opaque && is_step(step, "thought")) continue;
      std::string sent = message.opaque ? std::string(step) : without_signature(step);
      if (is_step(step, "function_call") && calls < message.calls.size()) {
        sent = sendable_call(sent, message.calls[calls++], std::exchange(unsigned_step, false));
      }
      list_.next() += sent;
    }
  }

  // The step of a call with an id that no other call has, a name that Gemini takes, and a signature where it wants one.
  static std::string sendable_call(const std::string &step, const SentCall &call, bool sign) {
    const std::string name = json_member_text(step, "name"), sent = gemini_name(name);
    ItemText changed(step);
    if (json_member_text(step, "id") != call.id) changed.set("id", json_string(call.id));
    if (sent != name) changed.set("name", json_string(sent));
    if (sign) changed.set("signature", std::string(kNoGeminiSignature));
    return changed.write();
  }

  void add_result(const SentMessage &message) {
    const std::string asked = json_member_text(message.call_native, "name");
    ObjectWriter step(list_.next());
    step.text("type", "function_result").text("call_id", message.answers);
    step.text("name", asked.empty() ? message.name : gemini_name(asked));
    const bool plain =
        message.images.empty() && std::all_of(message.parts.begin(), message.parts.end(),
                                              [](const SentPart &part) { return part.kind == SentPart::Kind::text; });
    if (plain) {
      step.text("result", message.text());
    } else {
      ListWriter contents;
      for (const SentPart &part : message.parts) write_part(part, contents);
      for (const SentPart &image : message.images) write_part(image, contents);
      step.raw("result", contents.array());
    }
    if (message.failed) step.boolean("is_error", true);
    step.close();
  }

  // -- set once
  const bool signs_;  // an answer with calls and without a signature gets one that stands for it
  // -- what was written
  ListWriter list_, user_;
};

// ---- Tools ----

std::string tools_array(std::string_view host, const std::vector<ToolOffer> &tools) {
  ListWriter list;
  for (JsonSlices own(host); own.next();) list.next() += own.value();
  for (const ToolOffer &tool : tools) {
    ObjectWriter one(list.next());
    one.text("type", "function").text("name", tool.wire_name);
    if (!tool.description.empty()) one.text("description", tool.description);
    one.raw("parameters", trim_json(tool.parameters)).close();
  }
  return list.array();
}

bool has_functions(std::string_view tools) {
  for (JsonSlices own(tools); own.next();)
    if (is_step(own.value(), "function")) return true;
  return false;
}

std::string without_calls(std::string_view host) {
  std::string out;
  ObjectWriter config(out);
  for (JsonSlices members(host); members.next();)
    if (members.key_text() != "tool_choice") config.raw(members.bare_key(), members.value());
  config.raw("tool_choice", R"("none")").close();
  return out;
}

// ---- The host's body ----

Status check_kind(std::string_view body, std::string_view key, char kind, std::string_view expected) {
  const auto value = json_member(body, key);
  if (!value || json_kind(*value) == kind) return {};
  return error(Code::json, "expected " + std::string(expected), std::string(key));
}

bool is_given(const RequestBody &body, std::string_view key) {
  const auto value = body.member(key);
  return value && json_kind(*value) != 'n' && trim_json(*value) != "false";
}

// ---- The wire ----

class GeminiInteractionsWire final : public Wire {
 public:
  std::string_view id() const override { return "gemini-interactions"; }

  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override {
    return read_gemini_interactions(sink, limits);
  }

  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override {
    if (Status status = check_request(body, tools, "name"); !status.ok()) return status;
    if (json_member(body, "input"))
      return error(Code::json, "the conversation is expected in messages, from which the input is made", "input");
    if (Status status = check_foreign_members(body, id()); !status.ok()) return status;
    if (Status status = check_kind(body, "generation_config", '{', "an object"); !status.ok()) return status;
    if (Status status = check_kind(body, "system_instruction", '"', "a text"); !status.ok()) return status;
    size_t i = 0;
    for (JsonSlices own(json_member(body, "tools").value_or("")); own.next(); ++i) {
      const std::string path = "tools[" + std::to_string(i) + "].";
      if (json_member(own.value(), "function"))
        return error(Code::json, "a tool of openai-chat; gemini-interactions has name and parameters beside type",
                     path + "function");
      for (const std::string_view key : {"functionDeclarations", "function_declarations"})
        if (json_member(own.value(), key))
          return error(Code::json, "tools of gemini; gemini-interactions has one tool of type function for each",
                       path + std::string(key));
    }
    return {};
  }

  bool echoes(std::string_view items, size_t calls) const override { return calls_of(items).size() == calls; }

  std::string write_tools(const std::vector<ToolOffer> &tools) const override { return tools_array({}, tools); }

  std::string write(const RequestParts &parts) const override {
    const std::vector<ToolOffer> &tools = parts.offered();
    const std::vector<SentMessage> sent = sent_messages(parts, kRules);
    RequestBody body(parts.body);

    // Instructions at the beginning have a member of their own.
    std::string instructions;
    InputSteps input(parts, gemini_version(model_of(parts.body)));
    size_t first = 0;
    for (; first < sent.size() && sent[first].role == SentMessage::Role::system; ++first) {
      const std::string text = sent[first].text();
      if (!text.empty()) instructions.append(instructions.empty() ? "" : "\n\n").append(text);
    }
    // Where the server keeps the conversation, only what stands behind the answers that it has is new.
    const bool continues = is_given(body, "previous_interaction_id");
    size_t known = continues ? parts.earlier_answers : 0;
    for (size_t i = first; i < sent.size(); ++i)
      if (known == 0) {
        input.add(sent[i]);
        parts.note_sent(input.count(), sent[i].origin);
      } else if (sent[i].role == SentMessage::Role::assistant) {
        --known;
      }

    body.take_out("messages").set_default("stream", "true");
    if (!continues && !is_given(body, "background")) body.set_default("store", "false");
    if (!instructions.empty()) {
      const std::string own = json_member_text(parts.body, "system_instruction");
      body.set("system_instruction", json_string(own.empty() ? instructions : own + "\n\n" + instructions));
    }
    const std::string_view host_tools = body.member("tools").value_or("");
    if (!tools.empty()) body.set("tools", tools_array(host_tools, tools));
    if (parts.forbid_calls && (!tools.empty() || has_functions(host_tools)))
      body.set("generation_config", without_calls(body.member("generation_config").value_or("")));
    const std::string &steps = input.json();
    body.set("input", [&](std::string &out) { out.append("[").append(steps).append("]"); });
    return body.write(steps.size());
  }
};

}  // namespace

const Wire &gemini_interactions_wire() {
  static const GeminiInteractionsWire wire;
  return wire;
}

}  // namespace sluice
