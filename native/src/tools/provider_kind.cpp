#include "tools/provider_kind.h"

namespace sluice {
namespace {

constexpr ProviderKind kKinds[] = {
    {"shell", "Runs commands in a shell and gives what each wrote.",
     R"({"type":"object","properties":{"commands":{"type":"array","items":{"type":"string"}},"timeoutMs":{"type":["integer","null"]},"maxOutputLength":{"type":["integer","null"]}},"required":["commands"]})",
     ""},
    {"local_shell", "Runs one command, given as a list of words, and gives what it wrote.",
     R"({"type":"object","properties":{"command":{"type":"array","items":{"type":"string"}},"env":{"type":"object"},"cwd":{"type":["string","null"]},"timeoutMs":{"type":["integer","null"]},"user":{"type":["string","null"]}},"required":["command"]})",
     ""},
    {"apply_patch", "Creates, changes or deletes a file. The diff has the form V4A.",
     R"({"type":"object","properties":{"type":{"enum":["create_file","update_file","delete_file"]},"path":{"type":"string"},"diff":{"type":"string"}},"required":["type","path"]})",
     ""},
    {"computer", "Uses the mouse, the keyboard and the screen of a computer.", R"({"type":"object","properties":{}})",
     "computer", false},
    {"tool_search", "Finds tools.", R"({"type":"object","properties":{}})", "", false},
    {"mcp", "Approves a call that the provider makes of a tool of an MCP server.",
     R"({"type":"object","properties":{"server":{"type":"string"},"name":{"type":"string"},"arguments":{}}})", "",
     false, false},
    {"bash", "Runs a command in a shell that goes on between calls, or starts that shell again.",
     R"({"type":"object","properties":{"command":{"type":"string"},"restart":{"type":"boolean"}}})", "bash"},
    {"text_editor", "Shows, creates and changes text files.",
     R"({"type":"object","properties":{"command":{"enum":["view","create","str_replace","insert"]},"path":{"type":"string"},"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},"insert_line":{"type":"integer"},"insert_text":{"type":"string"},"view_range":{"type":"array","items":{"type":"integer"}}},"required":["command","path"]})",
     "str_replace_based_edit_tool"},
    {"memory", "Keeps notes in files below /memories from one conversation to the next.",
     R"({"type":"object","properties":{"command":{"enum":["view","create","str_replace","insert","delete","rename"]},"path":{"type":"string"},"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},"insert_line":{"type":"integer"},"insert_text":{"type":"string"},"old_path":{"type":"string"},"new_path":{"type":"string"},"view_range":{"type":"array","items":{"type":"integer"}}},"required":["command"]})",
     "memory"},
};

}  // namespace

const ProviderKind *find_provider_kind(std::string_view id) {
  for (const ProviderKind &kind : kKinds)
    if (kind.id == id) return &kind;
  return nullptr;
}

std::string provider_kinds() {
  std::string all;
  for (const ProviderKind &kind : kKinds) all.append(all.empty() ? "" : " | ").append(kind.id);
  return all;
}

}  // namespace sluice
