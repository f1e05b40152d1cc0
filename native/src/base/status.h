// The result of a function that can refuse a document or a call of the host. Faults of a model, a provider or a tool
// are events, never a Status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

enum class Code : int32_t {  // the numbers of sluice.h
  ok = 0,
  argument = -1,
  state = -2,
  not_found = -3,
  json = -4,
  limit = -5,
  unsupported = -6,
  memory = -100,
  internal = -101,
};

struct [[nodiscard]] Status {
  Code code = Code::ok;
  std::string message;  // one line: what was found, what was expected
  std::string path;     // where in the document: tools[3].parameters

  bool ok() const { return code == Code::ok; }

  // Prefixes the path of an error: prefix "tools[3]", path "parameters" -> "tools[3].parameters".
  Status inside(std::string_view prefix) && {
    if (!ok()) {
      if (path.empty())
        path = prefix;
      else
        path = std::string(prefix) + (path.front() == '[' ? "" : ".") + path;
    }
    return std::move(*this);
  }
};

inline Status error(Code code, std::string message, std::string path = {}) {
  return Status{code, std::move(message), std::move(path)};
}

}  // namespace sluice
