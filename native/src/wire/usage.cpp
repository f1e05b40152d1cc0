#include "wire/usage.h"

#include "base/ascii.h"

namespace sluice {

std::string saved_name(std::string_view prefix, const TokenKind &kind) {
  std::string out(prefix);
  out += upper(kind.name[0]);
  return out.append(kind.name.substr(1));
}

void write_usage(const Usage &usage, ObjectWriter &object) {
  for (const TokenKind &kind : kTokenKinds)
    if (usage.*kind.count >= 0) object.number(kind.name, usage.*kind.count);
}

}  // namespace sluice
