#include "protocol/own/vcp.h"

#include <algorithm>

#include "base/json_writer.h"
#include "protocol/harmless.h"
#include "protocol/seal.h"
#include "protocol/tool_text.h"

namespace sluice {
namespace {

// Makes every spelling of a marker harmless that any reader of vcp accepts.
void defuse_angles(std::string &text) {
  for (const std::string_view name : {"TOOL_REQUEST", "END_TOOL_REQUEST", "TOOL_RESULT", "END_TOOL_RESULT",
                                      "TOOL_DEFINITION", "END_TOOL_DEFINITION"}) {
    const std::string token = "[" + std::string(name) + "]>";
    split_tokens(text, token, token.size() - 2, "_ESCAPE", true);
  }
}

// The words of every pair that is read stand in `values`.
VcpOptions settled(VcpOptions options) {
  VcpWords &words = options.words;
  if (options.lenient) words.values.insert(words.values.end(), words.loose.begin(), words.loose.end());
  return options;
}

size_t split_of(std::string_view escape, std::string_view close) {
  size_t common = 0;
  while (common < close.size() && common < escape.size() && close[common] == escape[common]) ++common;
  while (common > 0 && common < escape.size() && continues_code_point(escape[common])) --common;
  return common == 0 || common == escape.size() ? code_point_length(escape.front()) : common;
}

class Vcp final : public Protocol {
 public:
  explicit Vcp(const VcpOptions &options)
      : options_(settled(options)), escape_split_(split_of(words_.close_escape, words_.close())) {}

  std::string_view id() const override { return "vcp"; }
  CodeMode code() const override { return options_.code; }
  std::vector<Marker> openers(const ToolView &) const override { return markers(words_.start); }
  std::vector<Marker> closers(const ToolView &) const override { return markers(words_.end); }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return make_vcp_reader(options_, tools, limits);
  }

  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override {
    defuse_markers(text);
    break_escape(text);
    break_seal(text, options_.seal);
  }
  bool calls_commands() const override { return true; }
  std::string_view seal() const override { return options_.seal; }
  // The beginning of a sealed result. Without a seal, ordinary text may begin like that, too.
  std::vector<Marker> result_markers() const override {
    return options_.seal.empty() ? std::vector<Marker>() : std::vector<Marker>{{mark("TOOL_RESULT")}};
  }

 private:
  // The words of markers, sealed.
  std::string in_angles(std::string_view words) const { return "<<<" + sealed(words, options_.seal) + ">>>"; }
  std::string mark(std::string_view name) const { return in_angles("[" + std::string(name) + "]"); }
  std::string call_mark(std::string_view words) const {
    return words_.in_angles ? in_angles(words) : sealed(words, options_.seal);
  }
  bool is_key(std::string_view key) const;
  void defuse_markers(std::string &text) const;
  void break_escape(std::string &text) const { split_tokens(text, words_.close_escape, escape_split_, " ", true); }
  void append_value(std::string &out, std::string_view text) const;
  void append_field(std::string &out, std::string_view key, std::string_view text) const {
    out.append(key).append(":");
    append_value(out, text);
    out += ",\n";
  }
  std::vector<Marker> markers(std::string_view unsealed_name) const {
    const std::string name = sealed(unsealed_name, options_.seal);
    if (!words_.in_angles) return {{name, options_.lenient}};
    if (!options_.lenient) return {{"<<<" + name + ">>>", false}};
    std::vector<Marker> out;
    for (const std::string_view brackets : {"<<", "<<<", "<<<<"})
      out.push_back({std::string(brackets).append(name).append(">>"), true});
    return out;
  }
  void write_definition(const ToolText &tool, std::string &out) const;

  const VcpOptions options_;
  const VcpWords &words_ = options_.words;
  // The calls do not begin and end as in vcp.
  const bool own_markers_ = words_.start != vcp::kStart || words_.end != vcp::kEnd;
  const size_t escape_split_;  // where a close_escape is broken: behind what it has in common with `close`
};

bool Vcp::is_key(std::string_view key) const {
  if (key.empty()) return false;
  for (const char c : key)
    if (is_white(c) || c == ':' || c == ',') return false;
  const auto holds = [key](std::string_view token) { return key.find(token) != key.npos; };
  return !holds(vcp::kColon) && !holds(vcp::kComma) &&
         std::none_of(words_.values.begin(), words_.values.end(),
                      [&](const VcpPair &pair) { return holds(bracket_of(pair)) || holds(last_bracket_of(pair)); });
}

void Vcp::defuse_markers(std::string &text) const {
  defuse_angles(text);
  if (own_markers_)
    for (const std::string &marker : {words_.start, words_.end}) break_marker(text, marker);
}

// Appends a value that reads back as `text` and that nothing in `text` can end.
void Vcp::append_value(std::string &out, std::string_view text) const {
  std::string markers(text);
  defuse_markers(markers);
  if (text.find(words_.open()) == text.npos && text.find(words_.close()) == text.npos &&
      markers.size() == text.size()) {
    out.append(words_.open()).append(text).append(words_.close());
    return;
  }
  std::string inside(text);
  break_escape(inside);
  out.append(words_.open_escape).append(inside).append(words_.close_escape);
}

void Vcp::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  out +=
      "You can call the tools below. To call one, write a block exactly as in its example: the markers on lines of "
      "their own, each field as key:";
  out.append(words_.open()).append("value").append(words_.close());
  out.append(", only the parameters that are defined. Write a value that holds ");
  out.append(words_.open()).append(", ").append(words_.close()).append(" or a marker as ");
  out.append(words_.open_escape).append("value").append(words_.close_escape);
  out +=
      ". Write several blocks for several calls. Do not put a call into a code block, and never write results "
      "yourself: they come in the next message, as TOOL_RESULT blocks. ";
  out.append(about_seal(options_.seal)).back() = '\n';
  std::deque<std::string> owned;
  const Defuse defuse = [this](std::string &text) { this->defuse(text); };
  for (const ToolText &tool : harmless_tools(tools, defuse, owned)) {
    out += '\n';
    write_definition(tool, out);
  }
}

void Vcp::write_definition(const ToolText &tool, std::string &out) const {
  const std::string_view name = tool.command.empty() ? tool.name : tool.command;
  const std::vector<std::string> required = required_members(tool.parameters);
  std::string example;
  if (const auto properties = json_member(tool.parameters, "properties"))
    for (JsonSlices property(*properties); property.next();) {
      const std::string key = property.key_text();
      if (std::find(required.begin(), required.end(), key) == required.end() || !is_key(key)) continue;
      example += ",\n" + key + ":";
      append_value(example, text_or_json(example_value(property.value(), key)));
    }
  const std::string rest = rest_of_arguments(tool.parameters);
  out.append(mark("TOOL_DEFINITION")).append("\n");
  append_field(out, words_.name, name);
  if (!tool.description.empty()) append_field(out, "description", tool.description);
  append_field(out, "parameters", parameter_fields(tool.parameters));
  if (!rest.empty()) append_field(out, "schema", rest);
  out.append("example:\n").append(call_mark(words_.start)).append("\n").append(words_.name).append(":");
  append_value(out, name);
  out.append(example).append("\n").append(call_mark(words_.end)).append("\n");
  out.append(mark("END_TOOL_DEFINITION")).append("\n");
}

void Vcp::write_call(std::string_view, std::string_view name, std::string_view arguments, std::string &out) const {
  out.append(call_mark(words_.start)).append("\n").append(words_.name).append(":");
  append_value(out, name);
  for (JsonSlices argument(arguments); argument.next();) {
    const std::string key = argument.key_text();
    if (!is_key(key)) continue;  // no field can have this name
    out += ",\n" + key + ":";
    append_value(out, text_or_json(argument.value()));
  }
  out.append("\n").append(call_mark(words_.end)).append("\n");
}

void Vcp::write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const {
  const Defuse defuse = defuse_all(active, *this);
  const auto harmless = [&](std::string_view text) { return harmless_text(text, defuse); };
  for (const ResultText &result : results) {
    out.append(mark("TOOL_RESULT")).append("\n");
    append_field(out, words_.name, harmless(result.tool));
    append_field(out, "call_id", harmless(result.call_id));
    append_field(out, "status", result.status);
    out.append("result:")
        .append(words_.open_escape)
        .append(harmless_result(result, defuse))
        .append(words_.close_escape);
    out.append("\n").append(mark("END_TOOL_RESULT")).append("\n");
  }
}

}  // namespace

std::shared_ptr<const Protocol> make_vcp(const VcpOptions &options) { return std::make_shared<Vcp>(options); }

}  // namespace sluice
