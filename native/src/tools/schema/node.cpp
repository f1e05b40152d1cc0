#include "tools/schema/node.h"

#include "base/json.h"

namespace sluice::json_schema {

std::string names_of(uint8_t types) {
  std::string out;
  for (const NamedType &type : kTypes)
    if (types & type.type) out.append(out.empty() ? "" : " or ").append(type.name);
  return out;
}

void equality_key(std::string_view value, std::string &out) {
  value = trim_json(value);
  switch (json_kind(value)) {
    case '0': {
      const Number number = read_number(value);
      out.append(number.negative ? "-" : "").append(number.digits);
      if (!number.digits.empty()) out += 'e';
      append_number(out, number.point);
      break;
    }
    case '"': append_json_string(out, json_text(value)); break;
    case '[': {
      out += '[';
      JsonSlices slices(value);
      while (slices.next()) {
        equality_key(slices.value(), out);
        out += ',';
      }
      out += ']';
      break;
    }
    case '{': {
      std::map<std::string, std::string_view> members;
      JsonSlices slices(value);
      while (slices.next()) members[slices.key_text()] = slices.value();
      out += '{';
      for (const auto &[name, member] : members) {
        append_json_string(out, name);
        out += ':';
        equality_key(member, out);
        out += ',';
      }
      out += '}';
      break;
    }
    default: out += value;
  }
}

uint8_t type_of(std::string_view value) {
  switch (json_kind(value)) {
    case 'n': return kNull;
    case 't':
    case 'f': return kBoolean;
    case '"': return kString;
    case '[': return kArray;
    case '{': return kObject;
    default: return read_number(trim_json(value)).whole() ? kInteger | kNumber : kNumber;
  }
}

}  // namespace sluice::json_schema
