#include "protocol/tool_text.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "protocol/harmless.h"
namespace sluice {
namespace {

constexpr int kExampleDepth = 6;    // schemas may be deep, examples need not
constexpr size_t kExampleMost = 8;  // characters and elements that a lower bound may ask for

std::optional<size_t> small_number(std::string_view schema, std::string_view key) {
  const auto value = json_member(schema, key);
  if (!value) return std::nullopt;
  const std::string_view digits = trim_json(*value);
  if (digits.size() != 1 || !is_digit(digits[0])) return std::nullopt;
  return std::min(static_cast<size_t>(digits[0] - '0'), kExampleMost);
}

std::string_view first_of(std::string_view array) {
  if (json_kind(array) != '[') return {};
  JsonSlices first(array);
  return first.next() ? first.value() : std::string_view();
}

std::string value_of(std::string_view schema, std::string_view name, int depth);

std::string object_of(std::string_view schema, int depth, bool at_least_one) {
  const std::vector<std::string> required = required_members(schema);
  std::string out;
  if (const auto properties = json_member(schema, "properties"); properties && depth > 0)
    for (JsonSlices property(*properties); property.next();) {
      const std::string key = property.key_text();
      const bool first = at_least_one && required.empty() && out.empty();
      if (!first && std::find(required.begin(), required.end(), key) == required.end()) continue;
      out.append(out.empty() ? "{" : ",").append(property.key()).append(":");
      out += value_of(property.value(), key, depth - 1);
    }
  return out.empty() ? "{}" : out + "}";
}

std::string array_of(std::string_view schema, std::string_view name, int depth) {
  const auto items = json_member(schema, "items");
  std::string out = "[";
  for (size_t i = small_number(schema, "minItems").value_or(0); i > 0; --i) {
    if (out.size() > 1) out += ',';
    out += value_of(items ? *items : std::string_view("{}"), name, depth - 1);
  }
  return out + "]";
}

std::string number_of(std::string_view schema) {
  for (const std::string_view key : {"minimum", "maximum", "multipleOf"})
    if (const auto bound = json_member(schema, key)) return std::string(trim_json(*bound));
  if (const auto above = small_number(schema, "exclusiveMinimum")) return std::to_string(*above + 1);
  return "1";
}

std::string string_of(std::string_view schema, std::string_view name) {
  std::string text(name);
  for (const size_t least = small_number(schema, "minLength").value_or(0); text.size() < least;) text += 'x';
  return json_string(text);
}

std::string value_of(std::string_view schema, std::string_view name, int depth) {
  if (json_kind(schema) != '{') return json_string(name);
  for (const std::string_view key : {"const", "default"})
    if (const auto value = json_member(schema, key)) return compact_json(*value);
  for (const std::string_view key : {"examples", "enum"})
    if (const auto values = json_member(schema, key))
      if (const std::string_view first = first_of(*values); !first.empty()) return compact_json(first);
  for (const std::string_view key : {"anyOf", "oneOf", "allOf"})
    if (const auto choices = json_member(schema, key); choices && depth > 0)
      if (const std::string_view first = first_of(*choices); !first.empty()) return value_of(first, name, depth - 1);
  std::string_view type = json_member(schema, "type").value_or(std::string_view());
  if (!type.empty() && json_kind(type) == '[') type = first_of(type);
  type = trim_json(type);
  if (type == "\"integer\"" || type == "\"number\"") return number_of(schema);
  if (type == "\"boolean\"") return "true";
  if (type == "\"array\"") return depth > 0 ? array_of(schema, name, depth) : "[]";
  if (type == "\"object\"") return object_of(schema, depth, false);
  if (type == "\"null\"") return "null";
  return string_of(schema, name);
}

// Without `written`, and notes of generators.
std::string without_members(std::string_view schema, std::initializer_list<std::string_view> written) {
  std::string out;
  if (json_kind(schema) != '{') return out;
  for (JsonSlices member(schema); member.next();) {
    const std::string key = member.key_text();
    const auto is_key = [&key](std::string_view one) { return one == key; };
    if (std::any_of(written.begin(), written.end(), is_key) || key == "title" || key == "$comment" || key == "$schema")
      continue;
    out.append(out.empty() ? "{" : ",").append(member.key()).append(":").append(compact_json(member.value()));
  }
  return out.empty() ? out : out + '}';
}

}  // namespace

std::string text_or_json(std::string_view value) {
  return json_kind(value) == '"' ? json_text(trim_json(value)) : compact_json(value);
}

std::vector<std::string> required_members(std::string_view schema) {
  std::vector<std::string> out;
  if (const auto names = json_member(schema, "required"); names && json_kind(*names) == '[')
    for (JsonSlices one(*names); one.next();)
      if (json_kind(one.value()) == '"') out.push_back(json_text(trim_json(one.value())));
  return out;
}

std::string rest_of_parameter(std::string_view schema) {
  return without_members(schema, {"type", "description", "enum"});
}

std::string rest_of_arguments(std::string_view schema) {
  return without_members(schema, {"type", "properties", "required", "additionalProperties", "description"});
}

std::string example_value(std::string_view schema, std::string_view name) {
  return value_of(schema, name, kExampleDepth);
}

std::string example_arguments(std::string_view parameters) { return object_of(parameters, kExampleDepth, true); }

const ToolText &example_tool(const std::vector<ToolText> &tools) {
  const auto tool = std::find_if(tools.begin(), tools.end(),
                                 [](const ToolText &one) { return example_arguments(one.parameters) != "{}"; });
  return tool == tools.end() ? tools.front() : *tool;
}

std::string parameter_fields(std::string_view parameters) {
  const std::vector<std::string> required = required_members(parameters);
  std::string out;
  if (const auto properties = json_member(parameters, "properties"))
    for (JsonSlices property(*properties); property.next();) {
      const std::string key = property.key_text();
      const std::string_view schema = property.value();
      out += out.empty() ? "[\n  " : ",\n  ";
      ObjectWriter object(out);
      object.raw("name", property.key());
      if (const auto type = json_member(schema, "type")) object.raw("type", compact_json(*type));
      object.boolean("required", std::find(required.begin(), required.end(), key) != required.end());
      for (const std::string_view member : {"description", "enum"})
        if (const auto value = json_member(schema, member)) object.raw(member, compact_json(*value));
      if (const std::string rest = rest_of_parameter(schema); !rest.empty()) object.raw("schema", rest);
      object.close();
    }
  return out.empty() ? "[]" : out + "\n]";
}

namespace {

// string, array of integer, …; empty: the schema does not say.
std::string type_of(std::string_view schema) {
  const auto type = json_member(schema, "type");
  std::string out = type ? text_or_json(*type) : std::string();
  if (out != "array") return out;
  const auto items = json_member(schema, "items");
  const std::string of = items ? type_of(*items) : std::string();
  return of.empty() ? out : out + " of " + of;
}

void append_lines(std::string_view parameters, std::string_view indent, int depth, std::string &out) {
  const std::vector<std::string> required = required_members(parameters);
  const auto properties = json_member(parameters, "properties");
  if (!properties || depth == 0) return;
  for (JsonSlices property(*properties); property.next();) {
    const std::string key = property.key_text(), type = type_of(property.value());
    const bool needed = std::find(required.begin(), required.end(), key) != required.end();
    out.append(indent).append("- ").append(key).append(" (");
    out.append(type).append(type.empty() ? "" : ", ").append(needed ? "required" : "optional").append(")");
    if (const auto description = json_member(property.value(), "description"))
      out.append(": ").append(text_or_json(*description));
    if (const auto values = json_member(property.value(), "enum"))
      out.append(", one of ").append(compact_json(*values));
    const std::string rest =
        without_members(property.value(), {"type", "description", "enum", "properties", "required", "items"});
    if (!rest.empty()) out.append(" ").append(rest);
    out += '\n';
    const auto items = json_member(property.value(), "items");
    append_lines(items ? *items : property.value(), std::string(indent) + "  ", depth - 1, out);
  }
}

}  // namespace

std::string parameter_lines(std::string_view parameters) {
  std::string out;
  append_lines(parameters, {}, kExampleDepth, out);
  if (!out.empty()) out.pop_back();  // the last line end
  return out;
}

void introduce_calls(std::string_view example, std::string &out) {
  out += "You can call the tools listed below. To call one, write the call exactly in this form:\n";
  out += example;
  if (out.back() != '\n') out += '\n';
  out +=
      "Write one call behind the other to make several. Do not put a call into a code block, and never write results "
      "yourself: they come in the next message.\n";
}

void write_tool_json(const ToolText &tool, std::string &out) {
  ObjectWriter object(out);
  object.text("type", "function");
  ObjectWriter function(object.value("function"));
  function.text("name", tool.name);
  if (!tool.description.empty()) function.text("description", tool.description);
  function.raw("parameters", compact_json(tool.parameters));
  function.close();
  object.close();
}

// The status stands first: an object that begins so is no call in any format.
void write_result_json(const ResultText &result, const Defuse &defuse, std::string &out) {
  ObjectWriter object(out);
  object.text("status", result.status);
  object.text("call_id", harmless_text(result.call_id, defuse));
  object.text("name", harmless_text(result.tool, defuse));
  object.raw("content", harmless_content(result, defuse));
  object.close();
}

}  // namespace sluice
