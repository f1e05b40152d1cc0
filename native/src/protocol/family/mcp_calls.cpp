// <use_mcp_tool><server_name>SERVER</server_name><tool_name>TOOL</tool_name><arguments>{…}</arguments></use_mcp_tool>:
// the tool is SERVER.TOOL, or the only one that is called so.
#include <algorithm>

#include "base/text.h"
#include "protocol/family/arguments_reader.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr size_t kLongestElement = 256;
constexpr std::string_view kServer = "server_name", kTool = "tool_name", kArguments = "arguments";

class McpReader final : public ArgumentsReader {
 public:
  McpReader(const Family &family, const ProtocolOptions &options, const ToolView &tools, const ScanLimits &limits)
      : ArgumentsReader(family, options, tools, limits) {
    fenced_ = true;
    after_value_ = "</arguments>";
  }

 protected:
  State body(std::string_view block, bool ended) override {
    while (!led_) {
      skip_white(block);
      const std::string_view rest = block.substr(at_);
      if (rest.empty()) return wait(block, ended);
      size_t length = 0;
      const Fit begins = fit(rest, words<"<server_name>", "<tool_name>", "<arguments>">, length);
      const Fit closes = fit(rest, family_.closers, length);
      if (begins == Fit::partial || closes == Fit::partial) return wait(block, ended);
      const bool names = rest.starts_with("<server_name>") || rest.starts_with("<tool_name>");
      if (begins == Fit::yes && names) {
        const Fit read = element(block, rest.starts_with("<server_name>") ? kServer : kTool);
        if (read == Fit::partial) return wait(block, ended);
        if (read == Fit::yes) continue;
      }
      const bool whole = (begins == Fit::yes && !names) || closes == Fit::yes;
      if (!whole || tool_.empty()) return reject("missing_tool_name", at_);
      if (begins == Fit::yes) at_ += kArguments.size() + 2;
      led_ = true;
      open_call(tool_name());
      return State::open;
    }
    return arguments(block, ended);
  }

 private:
  State wait(std::string_view block, bool ended) {
    return ended ? reject("unterminated_block", block.size()) : State::open;
  }

  // Reads <NAME>text</NAME>, which begins at at_.
  Fit element(std::string_view block, std::string_view element) {
    const std::string closer = "</" + std::string(element) + ">";
    const size_t from = at_ + element.size() + 2, to = block.find('<', from);
    if (to == block.npos) return block.size() - from > kLongestElement ? Fit::no : Fit::partial;
    const Fit closes = sluice::fit(block.substr(to), closer);
    if (closes != Fit::yes || to - from > kLongestElement) return closes == Fit::partial ? closes : Fit::no;
    (element == kServer ? server_ : tool_) = from_xml(trim(block.substr(from, to - from)));
    at_ = to + closer.size();
    return Fit::yes;
  }

  std::string tool_name() const {
    const std::string whole = server_.empty() ? tool_ : server_ + "." + tool_;
    if (tools_.known(whole) || tools_.names().empty()) return whole;
    if (tools_.known(tool_)) return tool_;
    std::string_view only;
    for (const std::string_view one : tools_.names()) {
      if (!one.ends_with(tool_) || one.size() == tool_.size()) continue;
      const char before = one[one.size() - tool_.size() - 1];
      if (before != '.' && before != '_' && before != ':' && before != '/') continue;
      if (!only.empty()) return whole;
      only = one;
    }
    return only.empty() ? whole : std::string(only);
  }

  bool led_ = false;
  std::string server_, tool_;
};

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const McpCalls &, const ProtocolOptions &options,
                                         const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<McpReader>(family, options, tools, limits);
}

// What stands in front of a name's first dot is its server.
void write_call(const Family &family, const McpCalls &, const CallText &call, std::string &out) {
  const auto element = [&out](std::string_view name, std::string_view text) {
    out.append("<").append(name).append(">").append(text).append("</").append(name).append(">\n");
  };
  const size_t dot = call.name.find('.');
  const bool served = dot != call.name.npos && dot != 0 && dot + 1 != call.name.size();
  out.append(family.openers.front()).append("\n");
  if (served) element(kServer, call.name.substr(0, dot));
  element(kTool, served ? call.name.substr(dot + 1) : call.name);
  element(kArguments, "\n" + std::string(call.arguments) + "\n");
  out.append(family.closers.front()).append("\n");
}

}  // namespace sluice
