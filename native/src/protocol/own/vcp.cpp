#include "protocol/own/vcp.h"

#include <algorithm>

#include "base/json_writer.h"
#include "protocol/marker_text.h"
#include "protocol/own/vcp_tokens.h"
#include "protocol/seal.h"
#include "protocol/tool_text.h"

namespace sluice {
namespace {

using namespace vcp;

bool is_key(std::string_view key) {
  if (key.empty()) return false;
  for (const char c : key)
    if (is_white(c) || c == ':' || c == ',') return false;
  for (const std::string_view token : kDelimiters)
    if (key.find(token) != std::string_view::npos) return false;
  return true;
}

constexpr size_t kEscapeSplit = std::string_view("「末").size();

// Every spelling of a marker that any reader of this protocol takes for one.
void defuse_markers(std::string &text) {
  for (const std::string_view name : {"TOOL_REQUEST", "END_TOOL_REQUEST", "TOOL_RESULT", "END_TOOL_RESULT",
                                      "TOOL_DEFINITION", "END_TOOL_DEFINITION"}) {
    const std::string token = "[" + std::string(name) + "]>";
    split_tokens(text, token, token.size() - 2, "_ESCAPE", true);
  }
}

// A value that reads back as `text`, and that nothing inside can end.
void append_value(std::string &out, std::string_view text) {
  std::string markers(text);
  defuse_markers(markers);
  if (text.find(kOpen) == text.npos && text.find(kClose) == text.npos && markers.size() == text.size()) {
    out.append(kOpen).append(text).append(kClose);
    return;
  }
  std::string inside(text);
  split_tokens(inside, kCloseEscape, kEscapeSplit, " ", true);
  out.append(kOpenEscape).append(inside).append(kCloseEscape);
}

void append_field(std::string &out, std::string_view key, std::string_view text) {
  out.append(key).append(":");
  append_value(out, text);
  out += ",\n";
}

class Vcp final : public Protocol {
 public:
  explicit Vcp(const VcpOptions &options) : options_(options) {}

  std::string_view id() const override { return "vcp"; }
  CodeMode code() const override { return options_.code; }
  std::vector<Marker> openers(const ToolView &) const override { return markers(kStart); }
  std::vector<Marker> closers(const ToolView &) const override { return markers(kEnd); }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return make_vcp_reader(options_, tools, limits);
  }

  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override {
    defuse_markers(text);
    split_tokens(text, kCloseEscape, kEscapeSplit, " ", true);
    break_seal(text, options_.seal);
  }
  std::string_view seal() const override { return options_.seal; }
  // What a sealed result begins with, as far as no other text does.
  std::vector<Marker> result_markers() const override {
    return options_.seal.empty() ? std::vector<Marker>() : std::vector<Marker>{{mark("TOOL_RESULT")}};
  }

 private:
  std::string mark(std::string_view name) const {
    return "<<<" + sealed("[" + std::string(name) + "]", options_.seal) + ">>>";
  }
  std::vector<Marker> markers(std::string_view unsealed_name) const {
    const std::string name = sealed(unsealed_name, options_.seal);
    if (!options_.lenient) return {{"<<<" + name + ">>>", false}};
    std::vector<Marker> out;
    for (const std::string_view brackets : {"<<", "<<<", "<<<<"})
      out.push_back({std::string(brackets).append(name).append(">>"), true});
    return out;
  }
  void write_definition(const ToolText &tool, std::string &out) const;

  const VcpOptions options_;
};

void Vcp::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  out +=
      "You can call the tools below. To call one, write a block exactly as in its example: the markers on lines of "
      "their own, each field as key:「始」value「末」, only the parameters that are defined. Write a value that holds "
      "「始」, 「末」 or a marker as 「始ESCAPE」value「末ESCAPE」. Write several blocks for several calls. Do not put "
      "a "
      "call into a code block, and never write results yourself: they come in the next message, as TOOL_RESULT "
      "blocks. ";
  out.append(about_seal(options_.seal)).back() = '\n';
  for (const ToolText &tool : tools) {
    out += '\n';
    write_definition(tool, out);
  }
}

void Vcp::write_definition(const ToolText &tool, std::string &out) const {
  const std::string_view name = tool.command.empty() ? tool.name : tool.command;
  const std::vector<std::string> required = required_members(tool.parameters);
  std::string parameters, example;
  const auto properties = json_member(tool.parameters, "properties");
  if (properties)
    for (JsonSlices property(*properties); property.next();) {
      const std::string key = property.key_text();
      const bool needed = std::find(required.begin(), required.end(), key) != required.end();
      const std::string_view schema = property.value();
      parameters += parameters.empty() ? "[" : ",";
      parameters += "\n  ";
      ObjectWriter object(parameters);
      object.raw("name", property.key());
      if (const auto type = json_member(schema, "type")) object.raw("type", compact_json(*type));
      object.boolean("required", needed);
      for (const std::string_view member : {"description", "enum"})
        if (const auto value = json_member(schema, member)) object.raw(member, compact_json(*value));
      if (const std::string rest = rest_of_parameter(schema); !rest.empty()) object.raw("schema", rest);
      object.close();
      if (needed && is_key(key)) {
        example += ",\n" + key + ":";
        append_value(example, text_or_json(example_value(schema, key)));
      }
    }
  parameters += parameters.empty() ? "[]" : "\n]";
  std::string rest = rest_of_arguments(tool.parameters);

  std::string description(tool.description);
  defuse(description);
  defuse(parameters);
  defuse(rest);
  out.append(mark("TOOL_DEFINITION")).append("\n");
  append_field(out, "tool_name", name);
  if (!description.empty()) append_field(out, "description", description);
  append_field(out, "parameters", parameters);
  if (!rest.empty()) append_field(out, "schema", rest);
  out.append("example:\n").append(mark("TOOL_REQUEST")).append("\ntool_name:");
  append_value(out, name);
  out.append(example).append("\n").append(mark("END_TOOL_REQUEST")).append("\n");
  out.append(mark("END_TOOL_DEFINITION")).append("\n");
}

void Vcp::write_call(std::string_view, std::string_view name, std::string_view arguments, std::string &out) const {
  out.append(mark("TOOL_REQUEST")).append("\ntool_name:");
  append_value(out, name);
  for (JsonSlices argument(arguments); argument.next();) {
    const std::string key = argument.key_text();
    if (!is_key(key)) continue;  // no field can have this name
    out += ",\n" + key + ":";
    append_value(out, text_or_json(argument.value()));
  }
  out.append("\n").append(mark("END_TOOL_REQUEST")).append("\n");
}

void Vcp::write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const {
  const auto harmless = [&](std::string_view text) {
    std::string said(text);
    for (const auto &protocol : active) protocol->defuse(said);
    defuse(said);
    return said;
  };
  for (const ResultText &result : results) {
    out.append(mark("TOOL_RESULT")).append("\n");
    append_field(out, "tool_name", harmless(result.tool));
    append_field(out, "call_id", harmless(result.call_id));
    append_field(out, "status", result.status);
    out.append("result:").append(kOpenEscape).append(harmless(result.content)).append(kCloseEscape);
    out.append("\n").append(mark("END_TOOL_RESULT")).append("\n");
  }
}

}  // namespace

std::shared_ptr<const Protocol> make_vcp(const VcpOptions &options) { return std::make_shared<Vcp>(options); }

}  // namespace sluice
