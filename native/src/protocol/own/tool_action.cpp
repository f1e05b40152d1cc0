#include "protocol/own/tool_action.h"

#include <algorithm>

#include "base/json_writer.h"
#include "protocol/harmless.h"
#include "protocol/seal.h"
#include "protocol/tool_text.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

void append_attribute(std::string &out, std::string_view name, std::string_view value) {
  out.append(" ").append(name).append("=\"").append(to_xml(value, true)).append("\"");
}

class ToolAction final : public Protocol {
 public:
  explicit ToolAction(const ProtocolOptions &options) : options_(options) {}

  std::string_view id() const override { return "tool_action"; }
  CodeMode code() const override { return options_.code.value_or(CodeMode::ignore); }
  std::vector<Marker> openers(const ToolView &) const override { return {{"<tool_action"}}; }
  std::vector<Marker> closers(const ToolView &) const override { return {{"</tool_action>"}}; }
  std::unique_ptr<BlockReader> reader(const ToolView &, const ScanLimits &) const override {
    return make_tool_action_reader(options_);
  }

  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override {
    break_tags(text, {"tool_action", "tool_output"});
    break_seal(text, options_.seal);
  }
  std::string_view seal() const override { return options_.seal; }

 private:
  void open_tag(std::string &out, std::string_view name) const {
    out.append("<").append(name);
    if (!options_.seal.empty()) append_attribute(out, "seal", options_.seal);
  }

  const ProtocolOptions options_;
};

void write_definition(const ToolText &tool, std::string &out) {
  const std::vector<std::string> required = required_members(tool.parameters);
  out += "<tool";
  append_attribute(out, "name", tool.name);
  if (const std::string rest = rest_of_arguments(tool.parameters); !rest.empty()) append_attribute(out, "schema", rest);
  out += ">\n";
  if (!tool.description.empty())
    out.append("  <description>").append(to_xml(tool.description)).append("</description>\n");
  if (const auto properties = json_member(tool.parameters, "properties"))
    for (JsonSlices property(*properties); property.next();) {
      const std::string key = property.key_text();
      out += "  <parameter";
      append_attribute(out, "name", key);
      if (const auto type = json_member(property.value(), "type")) append_attribute(out, "type", text_or_json(*type));
      const bool needed = std::find(required.begin(), required.end(), key) != required.end();
      append_attribute(out, "required", needed ? "true" : "false");
      if (const auto values = json_member(property.value(), "enum"))
        append_attribute(out, "enum", compact_json(*values));
      if (const std::string rest = rest_of_parameter(property.value()); !rest.empty())
        append_attribute(out, "schema", rest);
      const auto description = json_member(property.value(), "description");
      if (description && json_kind(*description) == '"')
        out.append(">").append(to_xml(json_text(trim_json(*description)))).append("</parameter>\n");
      else
        out += " />\n";
    }
  out += "</tool>\n";
}

void ToolAction::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  out +=
      "These tools are at your service. To call one, write a tool_action element with its name, and in it one element "
      "for each parameter that you set, named after the parameter, with the text of its value in the attribute "
      "`value`:\n\n";
  const ToolText &shown = example_tool(tools);
  write_call({}, shown.name, example_arguments(shown.parameters), out);
  out +=
      "\nIn values write & as &amp;, < as &lt;, > as &gt; and \" as &quot;. Arrays and objects are written as JSON. "
      "For "
      "several calls write several elements. A call in a code block is not run. What a tool returns comes in the next "
      "message, as a tool_output element: never write one yourself. ";
  out.append(about_seal(options_.seal)).back() = '\n';
  out += '\n';
  std::deque<std::string> owned;
  const Defuse defuse = [this](std::string &text) { this->defuse(text); };
  for (const ToolText &tool : harmless_tools(tools, defuse, owned)) write_definition(tool, out);
}

void ToolAction::write_call(std::string_view, std::string_view name, std::string_view arguments,
                            std::string &out) const {
  open_tag(out, "tool_action");
  append_attribute(out, "name", name);
  out += ">\n";
  for (JsonSlices argument(arguments); argument.next();) {
    const std::string key = argument.key_text();
    if (!is_xml_name(key) || key == "tool_action") continue;  // no element can have this name
    out.append("  <").append(key);
    append_attribute(out, "value", text_or_json(argument.value()));
    out += " />\n";
  }
  out += "</tool_action>\n";
}

void ToolAction::write_results(const std::vector<ResultText> &results, const Protocols &active,
                               std::string &out) const {
  const Defuse defuse = defuse_all(active, *this);
  const auto harmless = [&](std::string_view text, bool attribute) {
    return to_xml(harmless_text(text, defuse), attribute);
  };
  for (const ResultText &result : results) {
    open_tag(out, "tool_output");
    out.append(" name=\"").append(harmless(result.tool, true));
    out.append("\" id=\"").append(harmless(result.call_id, true));
    out.append("\" status=\"").append(result.status).append("\">");
    out.append(to_xml(harmless_result(result, defuse))).append("</tool_output>\n");
  }
}

}  // namespace

std::shared_ptr<const Protocol> make_tool_action(const ProtocolOptions &options) {
  return std::make_shared<ToolAction>(options);
}

}  // namespace sluice
