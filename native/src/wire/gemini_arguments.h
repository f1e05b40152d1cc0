// The arguments of a call as Gemini streams them: values, each with its JSON path → the text of one JSON object.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/utf8.h"
#include "wire/json_event.h"

namespace sluice {

// The values come in the order of the document, so that each adds to the text and nothing is moved.
class GeminiArguments {
 public:
  explicit GeminiArguments(size_t max_depth) : max_depth_(max_depth) {}

  // Adds one entry of `partialArgs`, whose values must be slices. Returns false if it does not fit after what came
  // before: part of the arguments is missing then.
  bool add(JsonView entry);
  // Closes what is open.
  void close();
  // A string has begun, and more of it was promised.
  bool in_string() const { return in_string_; }
  // Was more of a string promised that never came? Such a call must not run.
  bool cut_string() const { return cut_string_ || awaits_; }
  // The text so far.
  const std::string &text() const { return text_; }

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  // One step of a path: the key of an object, or an index into an array.
  struct Step {
    bool index = false;
    std::string key;  // decoded; the digits of an index
    bool operator==(const Step &) const = default;
  };
  using Path = std::vector<Step>;
  // An object or array that is open.
  struct Level {
    bool array = false;
    Step child;                                // the last one
    size_t count = 0;                          // of its children
    std::set<std::string, std::less<>> known;  // keys of its children
  };

  bool read_path(std::string_view text, Path &path, bool &ends_array) const;
  bool open(const Path &path);
  void open_level(bool array);
  void close_levels(size_t left);
  void close_string();

  // -- set once
  const size_t max_depth_;
  // -- position in the stream (saved with the turn)
  std::string text_;
  std::vector<Level> levels_;
  bool in_string_ = false;
  bool awaits_ = false;  // more of a value that is no string was promised
  bool cut_string_ = false;
  Utf8Joiner joiner_;
};

}  // namespace sluice
