// Text as somebody reads it who takes its escapes or entities for what they stand for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

enum class Spelling {
  json,         // the escapes of a JSON string
  code_points,  // \uXXXX alone, wherever it is
  xml,          // entities and numeric references
};
inline constexpr Spelling kSpellings[] = {Spelling::json, Spelling::code_points, Spelling::xml};

class Decoded {
 public:
  // A quotation mark without a backslash ends a JSON string, so in `json` a byte that no marker contains replaces it.
  Decoded(std::string_view source, Spelling how);

  // False: the source spells nothing, so that it reads as it is.
  bool differs() const { return !steps_.empty(); }
  const std::string &text() const { return text_; }
  // Puts into `source` what `changed` has more than text(), spelled in the same way.
  void insert(std::string_view changed, std::string &source) const;

 private:
  struct Step {
    size_t at, source;  // the first bytes behind a spelled code point: in the text, in the source
  };
  void add(size_t length) { steps_.push_back({text_.size(), at_ += length}); }
  bool read_escape(std::string_view rest, bool all);
  bool read_reference(std::string_view rest);
  void end_string();

  const Spelling how_;
  // -- while the source is read
  size_t at_ = 0;                  // in it
  size_t quotes_ = 0, quote_ = 0;  // escaped quotation marks of the string that is open, and where the first one is
  // -- what was read
  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace sluice
