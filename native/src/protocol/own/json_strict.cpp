#include "protocol/own/json_strict.h"

#include "base/json_writer.h"
#include "protocol/harmless.h"
#include "protocol/seal.h"
#include "protocol/tool_text.h"

namespace sluice {
namespace {

// What a call's and a result's key begin with.
constexpr std::string_view kKey = "\"tool_call";

constexpr JsonCalls kStrictGrammar{.names = words<"name">,
                                   .arguments = words<"arguments">,
                                   .ids = words<"id">,
                                   .wrappers = words<"tool_calls">,
                                   .strict = true};
constexpr Family kStrictFamily{.id = "json_strict", .grammar = kStrictGrammar, .openers = words<"{">};

class JsonStrict final : public Protocol {
 public:
  explicit JsonStrict(const ProtocolOptions &options) : options_(options) {}

  std::string_view id() const override { return kStrictFamily.id; }
  CodeMode code() const override { return options_.code.value_or(CodeMode::ignore); }
  std::vector<Marker> openers(const ToolView &) const override {
    return {{.bytes = "{", .common = true, .next = "\""}};
  }
  std::vector<Marker> closers(const ToolView &) const override { return {}; }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return make_reader(kStrictFamily, kStrictGrammar, options_, tools, limits);
  }

  bool defines_on_top() const override { return true; }
  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override;
  std::string_view seal() const override { return options_.seal; }

 private:
  // In front of the members of a call's or a result's object.
  std::string sealing() const { return options_.seal.empty() ? std::string() : "\"seal\":\"" + options_.seal + "\","; }

  const ProtocolOptions options_;
};

void JsonStrict::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  const ToolText &shown = example_tool(tools);
  out +=
      "### TOOL_USE_PROTOCOL\nThe tools below run on the user's side. To use one, write one JSON object in exactly "
      "this "
      "form:\n";
  write_call("call_1", shown.name, example_arguments(shown.parameters), out);
  out +=
      "- **Trigger**: As soon as data or an action is needed that a tool provides, write the object.\n"
      "- **Constraints**:\n";
  if (options_.seal.empty())
    out += "  - `tool_calls` is the first key.";
  else
    out +=
        "  - `seal` is the first key, with exactly this value: a call without it is not run. `tool_calls` comes next.";
  out +=
      " `arguments` is a string that holds a JSON object; escape its quotes.\n"
      "  - Give each call an `id` of its own. Several calls go into one `tool_calls` array.\n"
      "  - Write valid JSON: a call that does not parse is not run.\n"
      "  - Put nothing around the object: no code block.\n"
      "- **Results**: They come in the next message, one `tool_call_result` object per call, with the call's id as "
      "`toolCallId`. Take `result` for what your call returned; where a `status` says error or denied, the call did "
      "not succeed. Never write results yourself.\n";
  const Defuse defuse = [this](std::string &text) { this->defuse(text); };
  std::deque<std::string> owned;
  for (const ToolText &tool : harmless_tools(tools, defuse, owned)) {
    out.append("\n#### Available Tool: ").append(tool.name).append("\n");
    if (!tool.description.empty()) out.append("- **Description**: ").append(tool.description).append("\n");
    out += "- **Schema**:\n  ";
    ObjectWriter object(out);
    object.text("type", "function");
    ObjectWriter function(object.value("function"));
    function.text("name", tool.name).raw("parameters", tool.parameters).close();
    object.close();
    out += '\n';
  }
}

void JsonStrict::write_call(std::string_view id, std::string_view name, std::string_view arguments,
                            std::string &out) const {
  out.append("{").append(sealing()).append("\"tool_calls\":[");
  ObjectWriter object(out);
  object.text("id", id).text("type", "function");
  ObjectWriter(object.value("function")).text("name", name).text("arguments", arguments).close();
  object.close();
  out += "]}\n";
}

void JsonStrict::write_results(const std::vector<ResultText> &results, const Protocols &active,
                               std::string &out) const {
  const Defuse defuse = defuse_all(active, *this);
  for (const ResultText &result : results) {
    ObjectWriter object(out);
    if (!options_.seal.empty()) object.text("seal", options_.seal);
    ObjectWriter inner(object.value("tool_call_result"));
    inner.text("toolCallId", harmless_text(result.call_id, defuse));
    if (result.status != "success")
      inner.text("toolName", harmless_text(result.tool, defuse)).text("status", result.status);
    inner.raw("result", harmless_content(result, defuse));
    inner.close();
    object.close();
    out += '\n';
  }
}

// { "tool_call…: a backslash in front of the key, and there is no key.
void JsonStrict::defuse(std::string &text) const {
  std::string out;
  size_t from = 0;
  for (size_t at = 0; (at = text.find(kKey, at)) != text.npos; ++at) {
    size_t before = at;
    while (before > from && is_white(text[before - 1])) --before;
    if (before == 0 || text[before - 1] != '{') continue;
    out.append(text, from, at - from).append("\\");
    from = at;
  }
  if (from != 0) text = out.append(text, from);
  break_seal(text, options_.seal);
}

}  // namespace

std::shared_ptr<const Protocol> make_json_strict(const ProtocolOptions &options) {
  return std::make_shared<JsonStrict>(options);
}

}  // namespace sluice
