// Documents in which one value is another one, of another kind, or missing.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "conversation.h"

namespace sluice_test {

using Random = std::minstd_rand;

inline size_t count_values(const Json &value) {
  size_t count = 1;
  if (value.is_structured())
    for (const Json &inner : value) count += count_values(inner);
  return count;
}

// Changes the value number `at`, depth first.
inline bool change(Json &value, size_t &at, Random &random) {
  static const std::vector<Json> kOthers = {0,
                                            1,
                                            2,
                                            -1,
                                            7,
                                            4294967295U,
                                            9007199254740993,
                                            -9007199254740993,
                                            INT64_MAX,
                                            INT64_MIN,
                                            1e300,
                                            9.5,
                                            "",
                                            "{",
                                            "[]",
                                            "{}",
                                            "{\"a\":",
                                            "unknown",
                                            nullptr,
                                            true,
                                            false,
                                            Json::array(),
                                            Json::object(),
                                            Json::array({1}),
                                            {{"a", 1}}};
  if (at-- == 0) {
    if (value.is_number_integer() && random() % 2 == 0)
      value = static_cast<int64_t>(value.get<uint64_t>() + random() % 5 - 2);  // the largest turns over
    else if (value.is_string() && random() % 2 == 0)
      value = value.get<std::string>().substr(0, random() % (value.get<std::string>().size() + 1));
    else
      value = kOthers[random() % kOthers.size()];
    return true;
  }
  if (!value.is_structured()) return false;
  for (auto inner = value.begin(); inner != value.end(); ++inner) {
    if (at == 0 && random() % 3 == 0) {
      value.erase(inner);
      return true;
    }
    if (change(*inner, at, random)) return true;
  }
  return false;
}

// Changes one value, anywhere in the document.
inline void change_one(Json &document, Random &random) {
  size_t at = random() % count_values(document);
  change(document, at, random);
}

}  // namespace sluice_test
