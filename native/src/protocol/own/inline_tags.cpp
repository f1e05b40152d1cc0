#include "protocol/own/inline_tags.h"

#include <algorithm>

#include "base/json_progress.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/harmless.h"
#include "protocol/tool_text.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr size_t kDeepestWritten = 1024;  // levels of arguments that were checked before

// Reads a value up to its rule's closer, within what the rule allows and without another opener. Anything else is text.
class TagValueReader final : public BlockReader {
 public:
  TagValueReader(const std::vector<TagRule> &rules, bool trim, const ToolView *tools, size_t depth)
      : rules_(rules), trim_(trim), tools_(tools), depth_(depth) {}

  State read(std::string_view block, bool ended) override;
  void cut(std::string_view, std::string_view) override {}  // a tag has no name before it is closed
  Rest rest(std::string_view) const override { return {at_ > arguments_from ? at_ : 0}; }

 private:
  State rejected_as(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }
  // A tag that is cut or cannot be read. `to`: where it ends.
  State broken(std::string_view why, size_t to) {
    if (!rule_->hide_broken) return rejected_as(why, at_);
    code = "broken_tag";
    end = to;
    return State::hidden;
  }
  bool ends_here(std::string_view block);
  State close(std::string_view block);
  std::string arguments_of(std::string_view value) const;

  const std::vector<TagRule> &rules_;
  const bool trim_;
  const ToolView *const tools_;  // nullptr: values stay as they are written
  const size_t depth_;
  const TagRule *rule_ = nullptr;
  size_t at_ = 0;
  size_t code_points_ = 0;
  JsonProgress shape_;  // of a JSON value
};

BlockReader::State TagValueReader::read(std::string_view block, bool ended) {
  if (rule_ == nullptr) {
    const TagRule *longest = nullptr;
    for (const TagRule &rule : rules_) {
      const Fit found = fit(block, rule.open, rule.any_case);
      if (!ended && found == Fit::partial) return State::open;
      if (found == Fit::yes && (longest == nullptr || rule.open.size() > longest->open.size())) longest = &rule;
    }
    rule_ = longest;
    begun = true;
    at_ = arguments_from = rule_->open.size();
  }
  for (; at_ < block.size(); ++at_) {
    const std::string_view rest = block.substr(at_);
    const Fit closer = fit(rest, rule_->close);
    if (closer == Fit::yes && ends_here(block)) return close(block);
    if (!ended && closer == Fit::partial) return State::open;
    for (const TagRule &rule : rules_) {
      const Fit opener = fit(rest, rule.open, rule.any_case);
      if (opener == Fit::yes) return rejected_as("nested_opener", at_);
      if (!ended && opener == Fit::partial) return State::open;
    }
    if (!rule_->lines && (block[at_] == '\n' || block[at_] == '\r')) return rejected_as("malformed_argument", at_);
    if (!continues_code_point(block[at_]) && ++code_points_ > rule_->max) return rejected_as("oversize", at_);
  }
  return ended ? broken("unterminated_block", at_) : State::open;
}

// Does the closer at `at_` end the tag? In a JSON value it may be a part of a string, or its bracket one of the
// value's.
bool TagValueReader::ends_here(std::string_view block) {
  if (!rule_->json) return true;
  shape_.read(block.substr(arguments_from, at_ - arguments_from));
  const char first = rule_->close.front();
  return shape_.closed() || (!shape_.in_string() && first != '}' && first != ']');
}

BlockReader::State TagValueReader::close(std::string_view block) {
  const std::string_view value = block.substr(arguments_from, at_ - arguments_from);
  const size_t behind = at_ + rule_->close.size();
  if (rule_->json && (json_kind(trim(value)) != '{' || !check_json(trim(value), depth_).ok()))
    return broken("invalid_json", behind);
  if (trim(value).empty()) return rejected_as("malformed_argument", at_);
  end = behind;
  if (!rule_->tool) return State::hidden;
  arguments_to = at_;
  ParsedCall &call = calls.emplace_back();
  name = call.name = *rule_->tool;
  call.raw_arguments = value;
  call.typed = rule_->json;
  call.arguments = rule_->json ? compact_json(trim(value)) : arguments_of(trim_ ? trim(value) : value);
  return State::closed;
}

std::string TagValueReader::arguments_of(std::string_view value) const {
  std::string out = "{";
  append_json_string(out, rule_->argument);
  out += ':';
  append_text(out, rule_->any_case && tools_ != nullptr ? tools_->spelled(*rule_->tool, rule_->argument, value)
                                                        : std::string(value));
  return out + "}";
}

class InlineTags final : public Protocol {
 public:
  InlineTags(std::vector<TagRule> rules, const ProtocolOptions &options)
      : rules_(std::move(rules)), options_(options) {}

  std::string_view id() const override { return "inline_tags"; }
  CodeMode code() const override { return options_.code.value_or(CodeMode::ignore); }
  std::vector<Marker> openers(const ToolView &) const override { return markers(&TagRule::open); }
  std::vector<Marker> closers(const ToolView &) const override { return markers(&TagRule::close); }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return std::make_unique<TagValueReader>(rules_, options_.trim.value_or(true), &tools, limits.depth);
  }

  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override;

 private:
  std::vector<Marker> markers(std::string TagRule::*word) const {
    std::vector<Marker> out;
    for (const TagRule &rule : rules_) out.push_back({.bytes = rule.*word, .fold = rule.any_case});
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
  std::deque<std::string> owned;
  const Defuse defuse = [this](std::string &text) { this->defuse(text); };
  for (const ToolText &tool : harmless_tools(tools, defuse, owned)) {
    const TagRule *const rule = rule_for(tool.name);
    if (rule == nullptr) continue;
    std::string said(tool.description), values, word(rule->argument);
    if (rule->json) {
      word = example_arguments(tool.parameters);
      said.append(" Its value is a JSON object of this schema: ").append(tool.parameters);
    } else if (const auto properties = json_member(tool.parameters, "properties")) {
      if (const auto property = json_member(*properties, rule->argument))
        if (const auto allowed = json_member(*property, "enum"); allowed && json_kind(*allowed) == '[')
          for (JsonSlices value(*allowed); value.next();)
            if (json_kind(value.value()) == '"') values += (values.empty() ? "" : ", ") + json_text(value.value());
    }
    said = harmless_text(said, defuse);
    values = harmless_text(values, defuse);
    list += "\n" + rule->open + word + rule->close + " " + said;
    if (!values.empty()) list += " " + rule->argument + " is one of: " + values + ".";
  }
  if (list.empty()) return;
  out +=
      "You can act in the middle of a sentence: write one of these tags where it is to happen, on one line, with the "
      "value in place of the word. What it does is not shown as text.";
  out.append(list).append("\n");
}

// Writes a tag. Most have room for one argument on one short line, so any other call is written as words in
// parentheses.
void InlineTags::write_call(std::string_view, std::string_view name, std::string_view arguments,
                            std::string &out) const {
  if (const TagRule *const rule = rule_for(name)) {
    const auto value = rule->json ? std::nullopt : json_member(arguments, rule->argument);
    if (rule->json || (value && json_kind(*value) == '"')) {
      const std::string tag =
          rule->open + (rule->json ? std::string(arguments) : json_text(trim_json(*value))) + rule->close;
      TagValueReader reader(rules_, options_.trim.value_or(true), nullptr, kDeepestWritten);
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
  const Defuse defuse = defuse_all(active, *this);
  for (const ResultText &result : results) {
    std::string said;
    said.append(result.tool).append(" (").append(result.call_id).append(") ").append(result.status).append(": ");
    said.append(harmless_result(result, defuse));
    out.append(harmless_text(said, defuse)).append("\n");
  }
}

void InlineTags::defuse(std::string &text) const {
  for (const TagRule &rule : rules_)
    if (const size_t first = code_point_length(rule.open[0]); rule.open.size() > first)
      split_tokens(text, rule.open, first, " ", rule.any_case);
}

}  // namespace

std::shared_ptr<const Protocol> make_inline_tags(std::vector<TagRule> rules, const ProtocolOptions &options) {
  if (rules.empty()) rules = pet_tag_rules();
  return std::make_shared<InlineTags>(std::move(rules), options);
}

}  // namespace sluice
