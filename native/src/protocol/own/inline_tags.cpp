#include "protocol/own/inline_tags.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/marker_text.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr size_t kMostCodePoints = 64;

// Reads a value up to its rule's closer: one line of at most kMostCodePoints code points, without another opener.
// Anything else is text.
class TagValueReader final : public BlockReader {
 public:
  TagValueReader(const std::vector<TagRule> &rules, bool trim) : rules_(rules), trim_(trim) {}

  State read(std::string_view block, bool ended) override;
  void cut(std::string_view, std::string_view) override {}  // a tag has no name before it is closed
  Rest rest(std::string_view) const override { return {at_ > arguments_from ? at_ : 0}; }

 private:
  State rejected_as(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }
  void call(std::string_view value);

  const std::vector<TagRule> &rules_;
  const bool trim_;
  const TagRule *rule_ = nullptr;
  size_t at_ = 0;
  size_t code_points_ = 0;
};

BlockReader::State TagValueReader::read(std::string_view block, bool ended) {
  if (rule_ == nullptr) {
    const TagRule *longest = nullptr;
    for (const TagRule &rule : rules_) {
      if (!ended && rule.open.size() > block.size() && rule.open.starts_with(block)) return State::open;
      if (block.starts_with(rule.open) && (longest == nullptr || rule.open.size() > longest->open.size()))
        longest = &rule;
    }
    rule_ = longest;
    begun = true;
    at_ = arguments_from = rule_->open.size();
  }
  for (; at_ < block.size(); ++at_) {
    const std::string_view rest = block.substr(at_);
    if (rest.starts_with(rule_->close)) {
      const std::string_view value = block.substr(arguments_from, at_ - arguments_from);
      if (trim(value).empty()) return rejected_as("malformed_argument", at_);
      arguments_to = at_;
      end = at_ + rule_->close.size();
      call(value);
      return State::closed;
    }
    if (!ended && std::string_view(rule_->close).starts_with(rest)) return State::open;
    for (const TagRule &rule : rules_) {
      if (rest.starts_with(rule.open)) return rejected_as("nested_opener", at_);
      if (!ended && std::string_view(rule.open).starts_with(rest)) return State::open;
    }
    if (block[at_] == '\n' || block[at_] == '\r') return rejected_as("malformed_argument", at_);
    if (!continues_code_point(block[at_]) && ++code_points_ > kMostCodePoints) return rejected_as("oversize", at_);
  }
  return ended ? rejected_as("unterminated_block", at_) : State::open;
}

void TagValueReader::call(std::string_view value) {
  ParsedCall &call = calls.emplace_back();
  name = call.name = rule_->tool;
  call.raw_arguments = value;
  call.arguments = '{';
  append_json_string(call.arguments, rule_->argument);
  call.arguments += ':';
  append_text(call.arguments, trim_ ? trim(value) : value);
  call.arguments += '}';
}

class InlineTags final : public Protocol {
 public:
  InlineTags(std::vector<TagRule> rules, const ProtocolOptions &options)
      : rules_(std::move(rules)), options_(options) {}

  std::string_view id() const override { return "inline_tags"; }
  CodeMode code() const override { return options_.code.value_or(CodeMode::ignore); }
  std::vector<Marker> openers(const ToolView &) const override { return markers(&TagRule::open); }
  std::vector<Marker> closers(const ToolView &) const override { return markers(&TagRule::close); }
  std::unique_ptr<BlockReader> reader(const ToolView &, const ScanLimits &) const override {
    return std::make_unique<TagValueReader>(rules_, options_.trim.value_or(true));
  }

  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override;

 private:
  std::vector<Marker> markers(std::string TagRule::*word) const {
    std::vector<Marker> out;
    for (const TagRule &rule : rules_) out.push_back({rule.*word});
    return out;
  }
  const TagRule *rule_for(std::string_view tool) const {
    const auto rule = std::find_if(rules_.begin(), rules_.end(), [&](const TagRule &one) { return one.tool == tool; });
    return rule == rules_.end() ? nullptr : &*rule;
  }

  const std::vector<TagRule> rules_;
  const ProtocolOptions options_;
};

void InlineTags::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  std::string list;
  for (const ToolText &tool : tools) {
    const TagRule *const rule = rule_for(tool.name);
    if (rule == nullptr) continue;
    std::string said(tool.description), values;
    if (const auto properties = json_member(tool.parameters, "properties"))
      if (const auto property = json_member(*properties, rule->argument))
        if (const auto allowed = json_member(*property, "enum"); allowed && json_kind(*allowed) == '[')
          for (JsonSlices value(*allowed); value.next();)
            if (json_kind(value.value()) == '"') values += (values.empty() ? "" : ", ") + json_text(value.value());
    defuse(said);
    defuse(values);
    list += "\n" + rule->open + rule->argument + rule->close + " " + said;
    if (!values.empty()) list += " " + rule->argument + " is one of: " + values + ".";
  }
  if (list.empty()) return;
  out +=
      "You can act in the middle of a sentence: write one of these tags where it is to happen, on one line, with the "
      "value in place of the word. What it does is not shown as text.";
  out.append(list).append("\n");
}

// Writes a tag. It has room for one argument on one short line, so any other call is written as words in parentheses.
void InlineTags::write_call(std::string_view, std::string_view name, std::string_view arguments,
                            std::string &out) const {
  if (const TagRule *const rule = rule_for(name)) {
    const auto value = json_member(arguments, rule->argument);
    if (value && json_kind(*value) == '"') {
      const std::string tag = rule->open + json_text(trim_json(*value)) + rule->close;
      TagValueReader reader(rules_, options_.trim.value_or(true));
      if (reader.read(tag, true) == BlockReader::State::closed && reader.end == tag.size() &&
          canonical_json(reader.calls.front().arguments) == canonical_json(arguments)) {
        out += tag;
        return;
      }
    }
  }
  std::string said(name);
  said.append(" ").append(arguments);
  defuse(said);
  out += "(" + said + ")";
}

void InlineTags::write_results(const std::vector<ResultText> &results, const Protocols &active,
                               std::string &out) const {
  for (const ResultText &result : results) {
    std::string said;
    said.append(result.tool).append(" (").append(result.call_id).append(") ").append(result.status).append(": ");
    said.append(result.content);
    for (const auto &protocol : active) protocol->defuse(said);
    defuse(said);
    out.append(said).append("\n");
  }
}

void InlineTags::defuse(std::string &text) const {
  for (const TagRule &rule : rules_) break_marker(text, rule.open);
}

}  // namespace

std::shared_ptr<const Protocol> make_inline_tags(std::vector<TagRule> rules, const ProtocolOptions &options) {
  if (rules.empty())
    rules = {{"[表情:", "]", "live2d.expression", "name"},
             {"[表情：", "]", "live2d.expression", "name"},
             {"[动作:", "]", "live2d.motion", "group"},
             {"[动作：", "]", "live2d.motion", "group"}};
  return std::make_shared<InlineTags>(std::move(rules), options);
}

}  // namespace sluice
