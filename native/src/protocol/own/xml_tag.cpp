#include "protocol/own/xml_tag.h"

#include <map>

#include "base/json.h"
#include "protocol/harmless.h"
#include "protocol/seal.h"
#include "protocol/tool_text.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr PythonCalls kGrammar{.list = false, .json = true};
constexpr Family kFamily{
    .id = "xml_tag", .grammar = kGrammar, .openers = words<"<tool_code>">, .closers = words<"</tool_code>">};

class XmlTag final : public Protocol {
 public:
  explicit XmlTag(const ProtocolOptions &options)
      : options_(options), opener_(sealed(kFamily.openers.front(), options.seal)), family_(kFamily) {
    family_.openers = openers_;
  }

  std::string_view id() const override { return kFamily.id; }
  CodeMode code() const override { return options_.code.value_or(CodeMode::ignore); }
  std::vector<Marker> openers(const ToolView &) const override { return {{opener_}}; }
  std::vector<Marker> closers(const ToolView &) const override { return trailers(); }
  std::vector<Marker> trailers() const override { return {{std::string(kFamily.closers.front())}}; }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return make_reader(family_, kGrammar, options_, tools, limits);
  }

  bool defines_on_top() const override { return true; }
  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override {
    sluice::write_call(family_, kGrammar, {id, name, arguments}, out);
  }
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override {
    break_tags(text, {"tool_code", "tool_result"});
    break_seal(text, options_.seal);
  }
  std::string_view seal() const override { return options_.seal; }

 private:
  const ProtocolOptions options_;
  const std::string opener_;
  const WordList openers_ = {opener_};
  Family family_;  // with its opener sealed
};

void XmlTag::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  out +=
      "### TOOL_USE_PROTOCOL\nThe tools below can be used by writing a request between " + opener_ +
      " and </tool_code>.\n"
      "- **Workflow**:\n"
      "  1. Work out which tool is needed, and with which values.\n"
      "  2. Write the request: the tool's name, and each parameter by its name. Values are Python or JSON literals; in "
      "strings write quotes, backslashes and line ends as escapes.\n"
      "  3. Stop there. What the tool returns comes in the next message, between <tool_result> and </tool_result>: "
      "never write it yourself.\n"
      "- **Constraints**:\n"
      "  - For several calls write several requests.\n"
      "  - A request in a code block is not run.\n"
      "  - JSON is understood as well: " +
      opener_ + "{\"name\": …, \"arguments\": {…}}</tool_code>\n";
  if (!options_.seal.empty()) out.append("  - ").append(about_seal(options_.seal)).back() = '\n';
  std::deque<std::string> owned;
  const Defuse defuse = [this](std::string &text) { this->defuse(text); };
  for (const ToolText &tool : harmless_tools(tools, defuse, owned)) {
    out.append("\n#### Tool: ").append(tool.name).append("\n");
    if (!tool.description.empty()) out.append("- **Description**: ").append(tool.description).append("\n");
    out.append("- **Parameters**: ").append(tool.parameters).append("\n- **Usage Format**:\n");
    write_call({}, tool.name, example_arguments(tool.parameters), out);
  }
}

void XmlTag::write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const {
  const Defuse defuse = defuse_all(active, *this);
  const auto harmless = [&](std::string_view text) { return to_xml(harmless_text(text, defuse)); };
  std::map<std::string_view, size_t> seen;
  for (const ResultText &result : results) {
    const size_t count = ++seen[result.tool];
    out.append(sealed("<tool_result>", options_.seal)).append("<id>").append(harmless(result.tool)).append("_result");
    if (count > 1) out.append("_").append(std::to_string(count));
    out.append("</id><content>").append(to_xml(harmless_result(result, defuse))).append("</content>");
    out.append("<status>").append(result.status).append("</status>");
    out.append("<call_id>").append(harmless(result.call_id)).append("</call_id></tool_result>\n");
  }
}

}  // namespace

std::shared_ptr<const Protocol> make_xml_tag(const ProtocolOptions &options) {
  return std::make_shared<XmlTag>(options);
}

}  // namespace sluice
