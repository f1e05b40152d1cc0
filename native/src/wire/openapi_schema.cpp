#include "wire/openapi_schema.h"

#include "base/json_writer.h"
#include "base/text.h"

namespace sluice {
namespace {

// Those that mean the same in both. A server refuses any that it does not know.
bool is_shared(std::string_view key) {
  return is_one_of(key, {"title", "description", "nullable", "required", "minItems", "maxItems", "minLength",
                         "maxLength", "minimum", "maximum", "pattern"});
}

bool is_format(std::string_view format) {
  return is_one_of(format, {"date-time", "int32", "int64", "float", "double", "enum"});
}

bool all_strings(std::string_view values) {
  bool any = false;
  for (JsonSlices list(values); list.next(); any = true)
    if (json_kind(list.value()) != '"') return false;
  return any;
}

void write_schema(std::string_view schema, std::string &out);

void write_list(std::string_view schemas, std::string &out) {
  ListWriter list;
  for (JsonSlices items(schemas); items.next();) write_schema(items.value(), list.next());
  out += list.array();
}

void write_properties(std::string_view properties, std::string &out) {
  out += '{';
  for (JsonSlices items(properties); items.next();) {
    if (out.back() != '{') out += ',';
    out.append(items.key()).append(":");
    write_schema(items.value(), out);
  }
  out += '}';
}

// Several types are told as alternatives, unless there are others; null among them as a member of its own.
void write_type(std::string_view type, bool alone, ObjectWriter &object) {
  if (json_kind(type) == '"') {
    object.raw("type", type);
    return;
  }
  ListWriter types;
  std::string_view last;
  size_t count = 0;
  bool nullable = false;
  for (JsonSlices list(type); list.next();) {
    if (trim_json(list.value()) == "\"null\"") {
      nullable = true;
      continue;
    }
    ++count;
    last = trim_json(list.value());
    ObjectWriter(types.next()).raw("type", last).close();
  }
  if (count == 1) object.raw("type", last);
  if (count > 1 && alone) object.raw("anyOf", types.array());
  if (nullable) object.boolean("nullable", true);
}

void write_schema(std::string_view schema, std::string &out) {
  const bool any = json_member(schema, "anyOf") || json_member(schema, "oneOf");
  ObjectWriter object(out);
  for (JsonSlices members(schema); members.next();) {
    const std::string key = members.key_text();
    const std::string_view value = trim_json(members.value());
    const char kind = json_kind(value);
    if (key == "type")
      write_type(value, !any, object);
    else if (key == "properties" && kind == '{')
      write_properties(value, object.value("properties"));
    else if (key == "items" && kind == '{')
      write_schema(value, object.value("items"));
    else if (key == "anyOf" || (key == "oneOf" && !json_member(schema, "anyOf")))
      write_list(value, object.value("anyOf"));
    else if (key == "enum" && all_strings(value))
      object.raw("enum", value);
    else if (key == "const" && kind == '"' && !json_member(schema, "enum"))
      object.raw("enum", "[" + std::string(value) + "]");
    else if (is_shared(key) || (key == "format" && kind == '"' && is_format(json_text(value))))
      object.raw(key, value);
  }
  object.close();
}

}  // namespace

std::string openapi_schema(std::string_view schema) {
  std::string out;
  write_schema(compact_json(schema), out);  // each key once
  return out;
}

}  // namespace sluice
