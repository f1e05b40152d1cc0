// Calls as elements, as the models of a family write them.
#include "base/json.h"
#include "protocol/family/element_arguments.h"
#include "protocol/family/family.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

// The value of an argument as text of an element.
std::string element_text(std::string_view json, const ElementForm &form) {
  std::string text = json_kind(json) == '"' ? json_text(json) : std::string(json);
  if (form.edges == ElementForm::Edges::each) return '\n' + text + '\n';
  if (form.cdata && text.find_first_of("<&\n") != text.npos) {
    if (text.find(kCdataClose) == text.npos) return std::string(kCdataOpen).append(text).append(kCdataClose);
    text = to_xml(text);
  }
  if (form.edges == ElementForm::Edges::pair && text.starts_with('\n')) return '\n' + text + '\n';
  return text;
}

std::string_view type_of(std::string_view json) {
  switch (json_kind(json)) {
    case '"': return "string";
    case '{': return "object";
    case '[': return "array";
    case '0': return "number";
    case 'n': return "null";
    default: return "boolean";
  }
}

// ---- the beginning of a call, behind its opener

void write_head(const AssignedElements &, std::string_view name, std::string &out) { out.append(name).append(">"); }

void write_head(const AttributeElements &grammar, std::string_view name, std::string &out) {
  out.append(" ").append(grammar.call_name).append("=\"").append(name).append("\"");
  if (!grammar.call_number.empty()) out.append(" ").append(grammar.call_number).append("=\"1\"");
  out.append(grammar.tag_end);
}

void write_head(const PairElements &grammar, std::string_view name, std::string &out) {
  out += name;
  if (!grammar.separator.empty()) out.append("<").append(grammar.separator).append(">");
}

// ---- a parameter

void write_parameter(const AssignedElements &grammar, std::string_view key, std::string_view json, std::string &out) {
  out.append("<parameter=").append(key).append(">").append(element_text(json, grammar.form)).append("</parameter>");
}

void write_parameter(const AttributeElements &grammar, std::string_view key, std::string_view json, std::string &out) {
  const std::string tag = std::string(grammar.form.prefix).append(grammar.parameter);
  out.append(grammar.tag_open).append(tag);
  out.append(" ").append(grammar.parameter_name).append("=\"").append(key).append("\"");
  if (grammar.json_values) out.append(json_kind(json) == '"' ? " string=\"true\"" : " string=\"false\"");
  if (grammar.typed_values) out.append(" type=\"").append(type_of(json)).append("\"");
  out.append(grammar.tag_end).append(element_text(json, grammar.form));
  out.append(grammar.tag_close).append(tag).append(grammar.tag_end);
}

void write_parameter(const PairElements &grammar, std::string_view key, std::string_view json, std::string &out) {
  const std::string prefix(grammar.form.prefix), text = element_text(json, grammar.form);
  const std::string key_tag = prefix + std::string(grammar.key), value_tag = prefix + std::string(grammar.value);
  out.append("<").append(key_tag).append(">").append(key);
  if (grammar.value.empty()) {
    out.append(grammar.key_end).append(text).append(grammar.value_end);
    return;
  }
  out.append("</").append(key_tag).append(">");
  if (grammar.form.lines) out += '\n';
  out.append("<").append(value_tag).append(">").append(text).append("</").append(value_tag).append(">");
}

template <class Elements>
void write(const Family &family, const Elements &grammar, const CallText &call, std::string &out) {
  const std::string_view line = grammar.form.lines ? "\n" : "";
  const bool wrapped = grammar.form.wrapped && !family.sections.empty();
  if (wrapped) out.append(family.sections.front()).append(line);
  out += family.openers.front();
  write_head(grammar, call.name, out);
  out += line;
  for (JsonSlices member(call.arguments); member.next();) {
    write_parameter(grammar, member.key_text(), member.value(), out);
    out += line;
  }
  out += family.closers.front();
  if (wrapped && !family.section_ends.empty()) out.append(line).append(family.section_ends.front());
}

}  // namespace

void write_call(const Family &family, const AssignedElements &grammar, const CallText &call, std::string &out) {
  write(family, grammar, call, out);
}

void write_call(const Family &family, const AttributeElements &grammar, const CallText &call, std::string &out) {
  write(family, grammar, call, out);
}

void write_call(const Family &family, const PairElements &grammar, const CallText &call, std::string &out) {
  write(family, grammar, call, out);
}

}  // namespace sluice
