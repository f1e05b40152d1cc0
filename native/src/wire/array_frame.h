// A body that is one JSON array of objects, read element by element while it streams.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {

class ArraySink {
 public:
  virtual ~ArraySink() = default;
  virtual void on_element(std::string_view element) = 0;  // a value, or what stands in its place
  virtual void on_array_end() = 0;
  // The body is no such array: these bytes of it, and what follows, are the caller's.
  virtual void on_no_array(std::string_view bytes) = 0;
};

// Reads each byte once, however the bytes are cut.
class ArrayFrame {
 public:
  ArrayFrame(ArraySink &sink, size_t most_bytes) : sink_(sink), most_bytes_(most_bytes) {}

  // Returns false if an element is too large: nothing more can be read.
  bool feed(std::string_view bytes);
  // The body ended.
  void finish();
  // Forgets what is held: it is not wanted any more.
  void drop();

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  // `beginning`: before the first object, all is held. `passing`: it is no array.
  enum class State : uint8_t { beginning, between, element, behind, passing };

  size_t begin(std::string_view bytes);
  size_t read_element(std::string_view bytes);
  void pass();
  void end_element();

  // -- set once
  ArraySink &sink_;
  const size_t most_bytes_;
  // -- position in the stream (saved with the turn)
  State state_ = State::beginning;
  std::string held_;  // the beginning, or the element so far
  int64_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace sluice
