// A text of an answer that comes in pieces and is repeated whole when it is done: remembers what was shown of it, so
// that each of its bytes is shown once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {

class ShownText {
 public:
  bool empty() const { return known_ && text_.empty(); }
  // Whether the last part was repeated, or announced as over, and nothing was added since.
  bool at_part() const { return part_ == text_.size(); }
  void add(std::string_view piece) { text_ += piece; }  // may hold lone surrogates, as three bytes each
  void end_part() { part_ = text_.size(); }

  bool holds(std::string_view part) const;

  // What a repetition has beyond what was shown, which must be added. nullopt: it is another text. An empty repetition
  // says nothing. `part`: one part of the text, the last one or one that came before it.
  std::optional<std::string> rest_of_part(std::string_view part);
  // `whole`: all parts together.
  std::optional<std::string> rest_of_whole(std::string_view whole) const;
  // Is what was shown the beginning of this text?
  bool begins(std::string_view whole) const;

  void save(std::string_view key, ObjectWriter &saved) const;
  void load(std::string_view key, const SavedReader &saved);
  void forget() { *this = {}, known_ = false; }  // something was shown, and nobody knows what

 private:
  std::string text_;
  size_t part_ = 0;    // bytes of the parts that are over
  bool known_ = true;  // false: restored from a version that did not keep it
};

}  // namespace sluice
