// How far a growing JSON text has come.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Follows a JSON text as it grows and reads each byte once. Knows only brackets and quotes: it does not check the text.
class JsonProgress {
 public:
  void read(std::string_view whole);  // the whole text so far; begins with what was read before
  bool closed() const { return closed_; }
  bool has_residue() const { return residue_; }
  bool in_string() const { return in_string_; }
  bool wants_value() const {
    return !in_string_ && (last_ == ':' || last_ == '[' || (last_ == ',' && open_.ends_with('[')));
  }

 private:
  size_t at_ = 0;
  std::string open_;  // open brackets
  bool in_string_ = false;
  bool escaped_ = false;
  bool closed_ = false;   // the outermost bracket is closed
  bool residue_ = false;  // and more than white space follows it
  char last_ = 0;         // last byte that was no white space
};

}  // namespace sluice
