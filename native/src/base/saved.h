// What a saved turn is made of: strings that may hold any bytes, and members that may be missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace sluice {

// Any bytes as JSON: a string where they are UTF-8, else {"base64":"..."}.
void append_saved_bytes(std::string &out, std::string_view bytes);

// Reads one saved object (checked JSON), whose text must outlive it. A member that is missing leaves the variable as it
// is: what an older version did not save has the value it had then. One of another kind does so too, and fits() says
// it.
class SavedReader {
 public:
  explicit SavedReader(std::string_view object);

  void get(std::string_view key, std::string &bytes) const;
  void text(std::string_view key, std::string &utf8) const;  // a string, never bytes that are no UTF-8
  void get(std::string_view key, bool &value) const;
  void get(std::string_view key, std::optional<int64_t> &value) const;
  template <class Integer>
  requires std::is_integral_v<Integer>
  void get(std::string_view key, Integer &value) const {
    std::optional<int64_t> read;
    get(key, read);
    if (!read) return;
    value = static_cast<Integer>(*read);
    if (static_cast<int64_t>(value) != *read) other(key, "a smaller number");
  }
  // The text of a member that is an object or an array; empty: missing.
  std::string_view nested(std::string_view key) const;
  // The first member that was asked for and is of another kind.
  const Status &fits() const { return fits_; }

 private:
  std::optional<std::string_view> member(std::string_view key) const;
  void other(std::string_view key, std::string_view expected) const;

  std::vector<std::pair<std::string_view, std::string_view>> members_;  // the object is read once, not once per member
  mutable Status fits_;
};

}  // namespace sluice
