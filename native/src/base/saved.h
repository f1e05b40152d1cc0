// Writes and reads the pieces of a saved turn: strings that may hold any bytes, members that may be missing.
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

// Appends bytes as JSON: a string if they are UTF-8, else {"base64":"..."}.
void append_saved_bytes(std::string &out, std::string_view bytes);

// Appends numbers as an array, and reads them back; an element that is no number is 0.
void append_saved_numbers(std::string &out, const std::vector<int64_t> &numbers);
std::vector<int64_t> read_saved_numbers(std::string_view array);

// Reads one saved object (checked JSON) once; the text must outlive the reader. Looking a member up takes log(members)
// steps. A missing member leaves the variable at its initial value: what has that value is often not saved. So does a
// member of another kind, and then fits() is an error.
class SavedReader {
 public:
  explicit SavedReader(std::string_view object);

  void get(std::string_view key, std::string &bytes) const;
  void text(std::string_view key, std::string &utf8) const;  // a JSON string, not base64
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
  // The text of a member that is an object or an array; empty if it is missing.
  std::string_view nested(std::string_view key) const;
  // The error of the first requested member that was of another kind.
  const Status &fits() const { return fits_; }

 private:
  std::optional<std::string_view> member(std::string_view key) const;
  void other(std::string_view key, std::string_view expected) const;

  // Sorted by key. Of equal keys, which keep their order, the last one counts, as in json_member.
  std::vector<std::pair<std::string_view, std::string_view>> members_;
  mutable Status fits_;
};

}  // namespace sluice
