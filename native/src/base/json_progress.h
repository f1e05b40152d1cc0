#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Follows a JSON text as it grows, and looks at each byte once: only as far as brackets and quotes go.
class JsonProgress {
 public:
  void read(std::string_view whole);  // the text so far: what was read before, and more
  bool closed() const { return closed_; }
  bool has_residue() const { return residue_; }
  bool wants_value() const {
    return !in_string_ && (last_ == ':' || last_ == '[' || (last_ == ',' && open_.ends_with('[')));
  }

 private:
  size_t at_ = 0;
  std::string open_;  // the brackets that are open
  bool in_string_ = false;
  bool escaped_ = false;
  bool closed_ = false;   // the outermost bracket was closed
  bool residue_ = false;  // and something stands behind it
  char last_ = 0;         // that was no white space
};

}  // namespace sluice
