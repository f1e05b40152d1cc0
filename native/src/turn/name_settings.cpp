#include "turn/name_settings.h"

#include "base/json.h"
#include "base/json_writer.h"
#include "base/reading.h"

namespace sluice {

Status read_names(std::string_view value, NameRules &out) {
  out = {};
  if (json_kind(value) == 'n') return {};
  if (json_kind(value) != '{') return unexpected(value, "an object with anyCase and lenient, or null");
  for (JsonSlices member(value); member.next();) {
    const std::string name = member.key_text();
    if (name.starts_with("x-")) continue;
    if (name != "anyCase" && name != "lenient") return unknown_member(name, {"anyCase", "lenient"});
    bool &rule = name == "anyCase" ? out.any_case : out.lenient;
    if (Status status = read_bool(member.value(), rule); !status.ok()) return std::move(status).inside(name);
  }
  return {};
}

void write_names(const NameRules &names, std::string &out) {
  if (!names.any()) {
    out += "null";
    return;
  }
  ObjectWriter(out).boolean("anyCase", names.any_case).boolean("lenient", names.lenient).close();
}

}  // namespace sluice
