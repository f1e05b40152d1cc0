#include "protocol/own/tag_rules.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/reading.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::string_view kArguments = R"("json")";
constexpr Choice<bool> kBroken[] = {{"text", false}, {"hide", true}};

Status read_rule(std::string_view value, TagRule &rule) {
  static const std::vector<std::string_view> kNames = {"open", "close", "tool",    "argument", "arguments",
                                                       "max",  "lines", "anyCase", "broken"};
  constexpr std::string_view kExpected = "{ open, close, tool, argument }, none of them empty";
  if (json_kind(value) != '{') return unexpected(value, kExpected);
  bool has_tool = false;
  for (JsonSlices member(value); member.next();) {
    const std::string name = member.key_text();
    const std::string_view given = trim_json(member.value());
    Status status;
    if (name == "tool" && json_kind(given) == 'n') {
      has_tool = true;
    } else if (is_one_of(name, {"open", "close", "tool", "argument"})) {
      std::string text = json_kind(given) == '"' ? json_text(given) : std::string();
      if (text.empty()) return unexpected(given, "a text that is not empty").inside(name);
      if (name == "tool") {
        has_tool = true;
        rule.tool = std::move(text);
      } else {
        (name == "open" ? rule.open : name == "close" ? rule.close : rule.argument) = std::move(text);
      }
    } else if (name == "arguments") {
      if (given != kArguments) status = unexpected(given, kArguments);
      rule.json = true;
    } else if (name == "max") {
      int64_t most = 0;
      status = read_whole(given, 1, kMostTagCodePoints, most);
      rule.max = static_cast<size_t>(most);
    } else if (name == "lines") {
      status = read_bool(given, rule.lines);
    } else if (name == "anyCase") {
      status = read_bool(given, rule.any_case);
    } else if (name == "broken") {
      status = read_choice(given, kBroken, rule.hide_broken);
    } else if (!name.starts_with("x-")) {
      return unknown_member(name, kNames);
    }
    if (!status.ok()) return std::move(status).inside(name);
  }
  if (rule.open.empty() || rule.close.empty() || !has_tool) return unexpected(value, kExpected);
  if (rule.tool && rule.json == !rule.argument.empty())
    return error(Code::json, "found " + std::string(rule.json ? "both" : "neither") +
                                 ", expected either \"argument\" or \"arguments\": \"json\"");
  if (!rule.tool && (rule.json || !rule.argument.empty()))
    return error(Code::json, "found an argument, expected none beside \"tool\": null");
  return {};
}

// A rule, and its text in the configuration.
struct Given {
  TagRule rule;
  std::string text;
  bool of_pet = false;
};

std::string rule_text(const TagRule &rule) {
  std::string out;
  ObjectWriter object(out);
  object.text("open", rule.open).text("close", rule.close).text("tool", *rule.tool).text("argument", rule.argument);
  object.close();
  return out;
}

Status read_given(std::string_view document, std::vector<Given> &out) {
  const auto rules = json_kind(document) == '{' ? json_member(document, "rules") : std::nullopt;
  if (!rules) {
    for (TagRule &rule : pet_tag_rules()) out.push_back({rule, rule_text(rule), true});
    return {};
  }
  for (JsonSlices slice(*rules); slice.next();) {
    Given &one = out.emplace_back();
    one.text = trim_json(slice.value());
    if (Status status = read_rule(one.text, one.rule); !status.ok()) return status;
  }
  return {};
}

// Adds a rule to those of an earlier configuration.
Status join(std::vector<Given> &all, Given more) {
  const auto same =
      std::find_if(all.begin(), all.end(), [&](const Given &one) { return one.rule.open == more.rule.open; });
  if (same == all.end()) {
    all.push_back(std::move(more));
    return {};
  }
  const bool weaker = same->of_pet || (!same->rule.tool && more.rule.tool);
  if (weaker && !more.of_pet) {
    *same = std::move(more);
    return {};
  }
  const bool other = same->rule.tool && more.rule.tool && *same->rule.tool != *more.rule.tool && !more.of_pet;
  if (!other) return {};
  return error(Code::json,
               in_quotes(more.rule.open) + " calls two tools, " + *same->rule.tool + " and " + *more.rule.tool +
                   "; expected one",
               "rules");
}

}  // namespace

std::vector<TagRule> pet_tag_rules() {
  const auto rule = [](std::string_view open, std::string_view tool, std::string_view argument) {
    TagRule out;
    out.open = open;
    out.close = "]";
    out.tool = tool;
    out.argument = argument;
    return out;
  };
  return {rule("[表情:", "live2d.expression", "name"), rule("[表情：", "live2d.expression", "name"),
          rule("[动作:", "live2d.motion", "group"), rule("[动作：", "live2d.motion", "group")};
}

Status read_tag_rules(std::string_view value, std::vector<TagRule> &out) {
  if (json_kind(value) != '[' || !JsonSlices(value).next())
    return unexpected(value, "an array of { open, close, tool, argument }, none of them empty");
  JsonSlices slices(value);
  for (size_t i = 0; slices.next(); ++i)
    if (Status status = read_rule(trim_json(slices.value()), out.emplace_back()); !status.ok())
      return std::move(status).inside("[" + std::to_string(i) + "]");
  return {};
}

Status join_tag_rules(std::string_view first, std::string_view second, std::string &joined) {
  std::vector<Given> all, more;
  if (Status status = read_given(first, all); !status.ok()) return status;
  if (Status status = read_given(second, more); !status.ok()) return status;
  for (Given &one : more)
    if (Status status = join(all, std::move(one)); !status.ok()) return status;
  std::string out = R"({"id":"inline_tags")";
  std::vector<std::string> options;
  for (const std::string_view document : {first, second}) {
    if (json_kind(document) != '{') continue;
    for (JsonSlices member(document); member.next();) {
      const std::string name = member.key_text();
      if (is_one_of(name, {"id", "rules"}) || std::find(options.begin(), options.end(), name) != options.end())
        continue;
      out.append(",").append(json_string(name)).append(":").append(trim_json(member.value()));
      options.push_back(name);
    }
  }
  out += R"(,"rules":[)";
  for (const Given &one : all) out.append(&one == &all.front() ? "" : ",").append(one.text);
  joined = out + "]}";
  return {};
}

}  // namespace sluice
