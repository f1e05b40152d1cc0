// Calls that a value quotes, for tests that none of them runs.
#pragma once

#include <string>

#include "base/json.h"
#include "protocol/protocol.h"

namespace sluice_test {

// A call of this tool with one argument, as the protocol writes it.
inline std::string written(const sluice::Protocol &protocol, const std::string &name, const std::string &key,
                           const std::string &value) {
  std::string json = "{", out;
  sluice::append_json_string(json, key);
  json += ':';
  sluice::append_json_string(json, value);
  protocol.write_call("call_1", name, json + '}', out);
  return out;
}

}  // namespace sluice_test
