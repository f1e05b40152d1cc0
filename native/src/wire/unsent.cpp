#include "wire/unsent.h"

#include "base/json.h"

namespace sluice {

std::string file_note(std::string_view file) {
  const std::string name = json_member_text(file, "filename");
  return "file: " + (name.empty() ? json_member_text(file, "file_id") : name);
}

}  // namespace sluice
