// Gemini's generateContent, as the Gemini API and Vertex AI speak it. Model and stream stand in the path of a request,
// not in its body.
#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/body.h"
#include "wire/foreign_members.h"
#include "wire/gemini_model.h"
#include "wire/gemini_reader.h"
#include "wire/native_items.h"
#include "wire/openapi_schema.h"
#include "wire/request_writer.h"
#include "wire/sent_message.h"
#include "wire/wires.h"

namespace sluice {
namespace {

constexpr std::string_view kSignature = "thoughtSignature";

std::vector<NativeCall> calls_of(std::string_view items) {
  std::vector<NativeCall> calls;
  for (JsonSlices parts(items); parts.next();)
    if (const auto call = json_member(parts.value(), "functionCall"))
      calls.push_back({json_member_text(*call, "id"), parts.value()});
  return calls;
}

constexpr SentRules kRules = {.calls_of = calls_of};

void write_text(std::string_view text, ListWriter &parts) {
  if (!text.empty()) ObjectWriter(parts.next()).text("text", text).close();
}

// ---- Parts ----

// {"inlineData": {"mimeType", "data"}} of a data: URL, else {"fileData": {"fileUri"}}.
void write_data(std::string_view url, ListWriter &parts) {
  ObjectWriter part(parts.next());
  if (const auto data = read_data_url(url)) {
    ObjectWriter inline_data(part.value("inlineData"));
    inline_data.text("mimeType", data->media_type).text("data", data->data).close();
  } else {
    ObjectWriter file(part.value("fileData"));
    file.text("fileUri", url).close();
  }
  part.close();
}

void write_part(const SentPart &part, ListWriter &parts) {
  switch (part.kind) {
    case SentPart::Kind::text: return write_text(part.text, parts);
    case SentPart::Kind::image: return write_data(part.text, parts);
    case SentPart::Kind::file: {
      const std::string id = json_member_text(part.json, "file_id");
      return write_data(id.empty() ? json_member_text(part.json, "file_data") : id, parts);
    }
    case SentPart::Kind::other: break;
  }
  if (!part.text.empty()) return write_text(part.text, parts);  // with members of another provider
  const auto audio = json_member(part.json, "input_audio");
  if (!audio) {
    parts.next() += part.json;
    return;
  }
  ObjectWriter written(parts.next());
  ObjectWriter data(written.value("inlineData"));
  data.text("mimeType", "audio/" + json_member_text(*audio, "format"))
      .text("data", json_member_text(*audio, "data"))
      .close();
  written.close();
}

bool is_thought(std::string_view item) { return trim_json(json_member(item, "thought").value_or("")) == "true"; }

// An empty text that only carries a signature.
bool is_bare_signature(std::string_view item) {
  return trim_json(json_member(item, "text").value_or("")) == R"("")" && !json_member(item, "functionCall");
}

// The item with another signature, or without one where `signature` is empty.
std::string with_signature(std::string_view item, std::string_view signature) {
  std::string out;
  ObjectWriter part(out);
  for (JsonSlices members(item); members.next();)
    if (members.key_text() != kSignature) part.raw(members.bare_key(), members.value());
  if (!signature.empty()) part.raw(kSignature, signature);
  part.close();
  return out;
}

// The item of a call with a name that Gemini takes, and the id that its result has. Empty: it has both.
std::string sendable_call(std::string_view item, std::string_view function_call, const std::string &id) {
  const std::string name = json_member_text(function_call, "name"), sent = gemini_name(name);
  const bool other_id = json_member_text(function_call, "id") != id;
  if (sent == name && !other_id) return {};
  ItemText function(function_call), part(item);
  if (sent != name) function.set("name", json_string(sent));
  if (other_id) function.set("id", json_string(id));
  part.set("functionCall", function.write());
  return part.write();
}

// ---- Contents ----

class Contents {
 public:
  Contents(const RequestParts &parts, uint32_t version)
      : version_(version), signs_(version >= 3 || parts.drop_opaque) {}

  void begin_with(const ListWriter &instructions) {  // of a model that takes no systemInstruction
    turn_to(Turn::head);
    parts_ = instructions;
  }

  void add(const SentMessage &message) {
    switch (message.role) {
      case SentMessage::Role::assistant:
        turn_to(Turn::model);
        add_said(message);
        break;
      case SentMessage::Role::tool:
        turn_to(Turn::results);
        add_result(message);
        break;
      default:
        if (message.parts.empty()) return;  // Gemini refuses a content without parts
        turn_to(Turn::user);
        for (const SentPart &part : message.parts) write_part(part, parts_);
    }
  }

  std::string array() {
    finish();
    return list_.array();
  }
  size_t size() const { return list_.size() + parts_.size(); }
  size_t count() const { return list_.count() + (parts_.empty() && images_.empty() ? 0 : 1); }

 private:
  enum class Turn : uint8_t { none, head, user, model, results };

  // Joins the neighbours that one content must hold: the results of a step, and what the model said.
  void turn_to(Turn turn) {
    const bool joins = (turn == turn_ && turn != Turn::user) || (turn_ == Turn::head && turn == Turn::user);
    if (!joins) finish();
    turn_ = turn;
  }

  void finish() {
    if (!images_.empty()) parts_.next() += images_;
    images_.clear();
    if (parts_.empty()) return;
    ObjectWriter content(list_.next());
    content.text("role", turn_ == Turn::model ? "model" : "user").raw("parts", parts_.array()).close();
    parts_ = {};
  }

  void add_said(const SentMessage &message) {
    if (message.native.empty()) {
      for (const SentPart &part : message.parts) write_part(part, parts_);
      for (const SentCall &call : message.calls) {
        ObjectWriter part(parts_.next());
        ObjectWriter function(part.value("functionCall"));
        function.text("name", call.name).raw("args", call.arguments).close();
        if (signs_ && &call == message.calls.data()) part.raw(kSignature, kNoGeminiSignature);
        part.close();
      }
      return;
    }
    bool unsigned_step = signs_;
    if (message.opaque)
      for (JsonSlices items(message.native); items.next();)
        if (json_member(items.value(), kSignature)) unsigned_step = false;
    size_t calls = 0;
    for (JsonSlices items(message.native); items.next();) {
      const auto call = json_member(items.value(), "functionCall");
      const std::string named = call && calls < message.calls.size()
                                    ? sendable_call(items.value(), *call, message.calls[calls++].id)
                                    : std::string();
      const std::string_view item = named.empty() ? items.value() : std::string_view(named);
      const bool first_call = unsigned_step && json_member(item, "functionCall");
      if (first_call) unsigned_step = false;
      if (!message.opaque && (is_thought(item) || is_bare_signature(item))) continue;
      if (message.opaque && !first_call)
        parts_.next() += item;
      else
        parts_.next() += with_signature(item, first_call ? kNoGeminiSignature : std::string_view());
    }
  }

  void add_result(const SentMessage &message) {
    const auto asked = json_member(message.call_native, "functionCall");
    const std::string text = message.text();
    ObjectWriter part(parts_.next());
    ObjectWriter result(part.value("functionResponse"));
    if (asked && !message.answers.empty()) result.text("id", message.answers);
    result.text("name", asked ? gemini_name(json_member_text(*asked, "name")) : message.name);
    ObjectWriter response(result.value("response"));
    // Gemini takes the key $ref for a reference to a part.
    if (message.json && !message.failed && text.find("$ref") == text.npos && text.find("\\u0024") == text.npos)
      response.raw("output", trim_json(text));
    else
      response.text(message.failed ? "error" : "output", text);
    response.close();
    ListWriter images;
    for (const SentPart &image : message.images) write_part(image, images);
    if (!images.empty() && version_ >= 3) {
      result.raw("parts", images.array());
    } else if (!images.empty()) {  // behind all results of the step
      const std::string array = images.array();
      images_.append(images_.empty() ? "" : ",").append(array, 1, array.size() - 2);
    }
    result.close();
    part.close();
  }

  // -- set once
  const uint32_t version_;  // of the model
  const bool signs_;        // a step without a signature gets one that stands for it
  // -- what was written
  ListWriter list_, parts_;
  std::string images_;  // of results, for a model that takes none within them
  Turn turn_ = Turn::none;
};

// ---- Tools ----

// `openapi`: for a server that knows no parametersJsonSchema. It takes an object only with members.
void write_parameters(std::string_view schema, bool openapi, ObjectWriter &declaration) {
  if (!openapi)
    declaration.raw("parametersJsonSchema", trim_json(schema));
  else if (JsonSlices(json_member(schema, "properties").value_or("")).next())
    declaration.raw("parameters", openapi_schema(schema));
}

std::string declarations(const std::vector<ToolOffer> &tools, bool openapi) {
  ListWriter list;
  for (const ToolOffer &tool : tools) {
    ObjectWriter one(list.next());
    one.text("name", tool.wire_name);
    if (!tool.description.empty()) one.text("description", tool.description);
    write_parameters(tool.parameters, openapi, one);
    one.close();
  }
  return R"({"functionDeclarations":)" + list.array() + "}";
}

std::string tools_array(std::string_view host, const std::vector<ToolOffer> &tools, bool openapi) {
  ListWriter list;
  for (JsonSlices own(host); own.next();) list.next() += own.value();
  if (!tools.empty()) list.next() += declarations(tools, openapi);
  return list.array();
}

bool declares_functions(std::string_view tools) {
  for (JsonSlices own(tools); own.next();)
    if (json_member(own.value(), "functionDeclarations")) return true;
  return false;
}

std::string no_calls(std::string_view host) {
  std::string out;
  ObjectWriter config(out);
  for (JsonSlices members(host); members.next();)
    if (members.key_text() != "functionCallingConfig") config.raw(members.bare_key(), members.value());
  config.raw("functionCallingConfig", R"({"mode":"NONE"})").close();
  return out;
}

// ---- The host's body ----

Status check_object(std::string_view body, std::string_view key) {
  const auto value = json_member(body, key);
  if (!value || json_kind(*value) == '{') return {};
  return error(Code::json, "expected an object", std::string(key));
}

// Google reads both spellings, but not both of one member.
Status check_spelling(std::string_view object, std::string_view snake, std::string_view camel) {
  if (!json_member(object, snake)) return {};
  return error(Code::json, "expected the spelling " + std::string(camel), std::string(snake));
}

Status check_functions(std::string_view body, const std::vector<ToolOffer> &tools) {
  const auto host = json_member(body, "tools");
  size_t i = 0;
  for (JsonSlices own(host.value_or("")); own.next(); ++i) {
    const std::string path = "tools[" + std::to_string(i) + "]";
    if (Status status = check_spelling(own.value(), "function_declarations", "functionDeclarations"); !status.ok())
      return std::move(status).inside(path);
    if (json_member(own.value(), "function"))
      return error(Code::json, "a tool of openai-chat; gemini calls it functionDeclarations", path + ".function");
    const auto functions = json_member(own.value(), "functionDeclarations");
    if (!functions) continue;
    if (json_kind(*functions) != '[') return error(Code::json, "expected an array", path + ".functionDeclarations");
    size_t j = 0;
    for (JsonSlices list(*functions); list.next(); ++j) {
      const std::string name = json_member_text(list.value(), "name");
      const bool taken = std::any_of(tools.begin(), tools.end(), [&](const ToolOffer &tool) {
        return name == tool.wire_name || name == tool.name;
      });
      if (taken)
        return error(Code::json, "a tool of the engine has the same name: " + name,
                     path + ".functionDeclarations[" + std::to_string(j) + "].name");
    }
  }
  return {};
}

// ---- The wire ----

class GeminiWire final : public Wire {
 public:
  std::string_view id() const override { return "gemini"; }

  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &limits) const override {
    return read_gemini(sink, limits);
  }

  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override {
    if (Status status = check_request(body, {}); !status.ok()) return status;
    if (Status status = check_spelling(body, "system_instruction", "systemInstruction"); !status.ok()) return status;
    if (Status status = check_foreign_members(body, id()); !status.ok()) return status;
    if (json_member(body, "contents")) return error(Code::json, "it is made from messages: give those", "contents");
    for (const std::string_view key : {"systemInstruction", "toolConfig", "generationConfig"})
      if (Status status = check_object(body, key); !status.ok()) return status;
    if (Status status = check_spelling(body, "tool_config", "toolConfig"); !status.ok()) return status;
    return check_functions(body, tools);
  }

  bool echoes(std::string_view items, size_t calls) const override { return calls_of(items).size() == calls; }

  std::string write_tools(const std::vector<ToolOffer> &tools) const override { return tools_array({}, tools, false); }

  std::string write(const RequestParts &parts) const override {
    const std::vector<ToolOffer> &tools = parts.offered();
    const std::vector<SentMessage> sent = sent_messages(parts, kRules);
    RequestBody body(parts.body);
    body.take_out("model").take_out("stream").take_out("messages");

    // Instructions at the beginning have a member of their own; later ones stand where they were said.
    ListWriter instructions;
    size_t first = 0;
    for (; first < sent.size() && sent[first].role == SentMessage::Role::system; ++first)
      for (const SentPart &part : sent[first].parts) write_part(part, instructions);
    Contents contents(parts, gemini_version(model_of(parts.body)));
    const bool apart = first < sent.size();
    if (!apart) contents.begin_with(instructions);
    for (size_t i = first; i < sent.size(); ++i) {
      contents.add(sent[i]);
      parts.note_sent(contents.count(), sent[i].origin);
    }
    parts.note_sent(contents.count(), Origin::host);

    if (apart && !instructions.empty()) {
      ListWriter all;
      for (JsonSlices own(json_member(body.member("systemInstruction").value_or(""), "parts").value_or(""));
           own.next();)
        all.next() += own.value();
      const std::string array = instructions.array();
      all.next().append(array, 1, array.size() - 2);
      body.set("systemInstruction", R"({"parts":)" + all.array() + "}");
    }
    const size_t room = contents.size();
    body.set("contents", [&](std::string &out) { out += contents.array(); });
    const std::string_view host_tools = body.member("tools").value_or("");
    if (!tools.empty()) body.set("tools", tools_array(host_tools, tools, parts.plain_schemas));
    if (parts.forbid_calls && (!tools.empty() || declares_functions(host_tools)))
      body.set("toolConfig", no_calls(body.member("toolConfig").value_or("")));
    return body.write(room);
  }
};

}  // namespace

const Wire &gemini_wire() {
  static const GeminiWire wire;
  return wire;
}

}  // namespace sluice
