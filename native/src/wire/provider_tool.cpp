#include "wire/provider_tool.h"

#include <initializer_list>
#include <utility>

#include "base/ascii.h"
#include "base/json.h"
#include "base/text.h"
#include "wire/native_items.h"

namespace sluice {
namespace {

struct DeclaredKind {
  std::string_view wire, kind, declaration;
};

constexpr DeclaredKind kDeclared[] = {
    {"openai-responses", "shell", R"({"type":"shell","environment":{"type":"local"}})"},
    {"openai-responses", "local_shell", R"({"type":"local_shell"})"},
    {"openai-responses", "apply_patch", R"({"type":"apply_patch"})"},
    {"openai-responses", "computer", R"({"type":"computer"})"},
    {"openai-responses", "tool_search", R"({"type":"tool_search","execution":"client"})"},
    {"openai-responses", "mcp", R"({"type":"mcp"})"},
    {"anthropic", "bash", R"({"type":"bash_20250124","name":"bash"})"},
    {"anthropic", "text_editor", R"({"type":"text_editor_20250728","name":"str_replace_based_edit_tool"})"},
    {"anthropic", "memory", R"({"type":"memory_20250818","name":"memory"})"},
    {"anthropic", "computer",
     R"({"type":"computer_20251124","name":"computer","display_width_px":1024,"display_height_px":768})"},
};

constexpr std::pair<std::string_view, std::string_view> kCalls[] = {
    {"shell_call", "shell"},       {"local_shell_call", "local_shell"}, {"apply_patch_call", "apply_patch"},
    {"computer_call", "computer"}, {"tool_search_call", "tool_search"}, {"mcp_approval_request", "mcp"}};

// Copies members that are there and not null, under other names.
void copy(JsonView from, std::initializer_list<std::pair<std::string_view, std::string_view>> names, ObjectWriter &to) {
  for (const auto &[own, name] : names)
    if (const JsonView value = from[own]; value && value.kind() != 'n') to.raw(name, value.text());
}

// What the tool gave as the list that a shell answers with; a text is what a command wrote.
std::string shell_output(const SentMessage &message) {
  const std::string text = message.text();
  if (json_kind(text) == '[' && check_json(text, 64).ok()) return text;
  std::string list = "[";
  ObjectWriter one(list);
  one.text("stdout", message.failed ? "" : text).text("stderr", message.failed ? text : "");
  ObjectWriter outcome(one.value("outcome"));
  outcome.text("type", "exit").number("exit_code", message.failed ? 1 : 0).close();
  one.close();
  return list + "]";
}

void write_screenshot(const SentMessage &message, ObjectWriter &item) {
  ObjectWriter output(item.value("output"));
  output.text("type", "computer_screenshot");
  if (!message.images.empty()) output.text("image_url", message.images.back().text);
  output.close();
  const auto checks = json_member(message.call_native, "pending_safety_checks");
  if (checks && message.by_user && JsonSlices(*checks).next()) item.raw("acknowledged_safety_checks", *checks);
}

}  // namespace

std::string declared_tool(std::string_view wire, std::string_view kind, std::string_view options) {
  for (const DeclaredKind &one : kDeclared) {
    if (one.wire != wire || one.kind != kind) continue;
    ItemText tool(one.declaration);
    for (JsonSlices members(options); members.next();) tool.set(members.bare_key(), std::string(members.value()));
    return tool.write();
  }
  return {};
}

std::string_view kind_of_host_call(std::string_view item_type) {
  for (const auto &[type, kind] : kCalls)
    if (type == item_type) return kind;
  return {};
}

std::string host_call_arguments(JsonView item) {
  const std::string_view kind = kind_of_host_call(item["type"].string());
  std::string out;
  ObjectWriter arguments(out);
  if (kind == "shell") {
    copy(item["action"],
         {{"commands", "commands"}, {"timeout_ms", "timeoutMs"}, {"max_output_length", "maxOutputLength"}}, arguments);
  } else if (kind == "local_shell") {
    copy(item["action"],
         {{"command", "command"},
          {"env", "env"},
          {"working_directory", "cwd"},
          {"timeout_ms", "timeoutMs"},
          {"user", "user"}},
         arguments);
  } else if (kind == "apply_patch") {
    copy(item["operation"], {{"type", "type"}, {"path", "path"}, {"diff", "diff"}}, arguments);
  } else if (kind == "computer") {
    copy(item, {{"action", "action"}, {"actions", "actions"}}, arguments);
    bool checks = false;
    item["pending_safety_checks"].items([&](JsonView) { checks = true; });
    if (checks) copy(item, {{"pending_safety_checks", "pendingSafetyChecks"}}, arguments);
  } else if (kind == "tool_search") {
    item["arguments"].members([&](std::string_view key, JsonView value) { arguments.raw(key, value.text()); });
  } else {
    copy(item, {{"server_label", "server"}, {"name", "name"}}, arguments);
    const std::string asked = join_surrogates(item["arguments"].string());
    if (check_json(asked, 64).ok())
      arguments.raw("arguments", asked);
    else
      arguments.text("arguments", asked);
  }
  arguments.close();
  return out;
}

void write_host_output(const SentMessage &message, ObjectWriter &item) {
  const std::string_view kind = kind_of_host_call(json_member_text(message.call_native, "type"));
  if (kind == "mcp") {
    item.text("type", "mcp_approval_response").text("approval_request_id", message.answers);
    item.boolean("approve", !message.failed);
    if (message.failed) item.text("reason", message.text());
    return;
  }
  if (kind == "local_shell") {
    item.text("type", "local_shell_call_output").text("id", message.answers).text("output", message.text());
    return;
  }
  if (kind == "tool_search") {
    const std::string text = message.text();
    const bool list = json_kind(text) == '[' && check_json(text, 64).ok();
    item.text("type", "tool_search_output").text("call_id", message.answers).text("execution", "client");
    item.text("status", message.failed ? "incomplete" : "completed").raw("tools", list ? text : "[]");
    return;
  }
  if (kind == "shell") {
    item.text("type", "shell_call_output").text("call_id", message.answers);
    if (const auto most = json_member(json_member(message.call_native, "action").value_or("{}"), "max_output_length");
        most && is_digit(trim_json(*most).front()))
      item.raw("max_output_length", *most);
    item.raw("output", shell_output(message));
  } else if (kind == "apply_patch") {
    item.text("type", "apply_patch_call_output").text("call_id", message.answers);
    item.text("status", message.failed ? "failed" : "completed");
    if (const std::string text = message.text(); !text.empty()) item.text("output", text);
  } else {
    item.text("type", "computer_call_output").text("call_id", message.answers);
    write_screenshot(message, item);
  }
}

}  // namespace sluice
