// What a saved turn is made of: strings that may hold any bytes, and members that may be missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace sluice {

// Any bytes as JSON: a string where they are UTF-8, else {"base64":"..."}.
void append_saved_bytes(std::string &out, std::string_view bytes);

// Reads one saved object (checked JSON), whose text must outlive it. A member that is missing or of another kind leaves
// the variable as it is: what an older version did not save has the value it had then.
class SavedReader {
 public:
  explicit SavedReader(std::string_view object);

  void get(std::string_view key, std::string &bytes) const;
  void get(std::string_view key, bool &value) const;
  void get(std::string_view key, std::optional<int64_t> &value) const;
  template <class Integer>
  requires std::is_integral_v<Integer>
  void get(std::string_view key, Integer &value) const {
    std::optional<int64_t> read;
    get(key, read);
    if (read) value = static_cast<Integer>(*read);
  }
  // The text of a member that is an object or an array; empty: missing.
  std::string_view nested(std::string_view key) const;

 private:
  std::optional<std::string_view> member(std::string_view key) const;

  std::vector<std::pair<std::string_view, std::string_view>> members_;  // the object is read once, not once per member
};

}  // namespace sluice
