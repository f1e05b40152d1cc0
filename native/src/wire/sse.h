// Server-sent events: bytes, cut anywhere → `data` of events.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {

class SseSink {
 public:
  virtual ~SseSink() = default;
  // The first `data:` line of an event. True: it is a whole event by itself. False: it is kept, joined with the lines
  // that follow, and comes again by on_joined_data. Not to wait for the blank line shows text a packet earlier, and
  // reads the servers that leave blank lines out.
  virtual bool on_data(std::string_view event, std::string_view data) = 0;
  virtual void on_joined_data(std::string_view event, std::string_view data) = 0;
  // `error: {…}`: some servers report an error in a field of its own.
  virtual void on_error_field(std::string_view value) = 0;
  // A line, or the lines of an event, beyond the limit. Nothing follows.
  virtual void on_oversize() = 0;
};

// Linear, however the bytes are cut. A line that lies whole in the bytes of one feed is handed over where it lies.
class SseParser {
 public:
  SseParser(SseSink &sink, size_t line_bytes) : sink_(sink), line_bytes_(line_bytes) {}

  void feed(std::string_view bytes);
  // The end of the body: an unfinished line is a line, and an event needs no blank line.
  void finish();
  // Does what is handed over now stand there as bare JSON, without `data:`?
  bool bare() const { return bare_; }

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  void line(std::string_view line);
  void field(std::string_view name, std::string_view value);
  void data(std::string_view value);
  void dispatch();
  bool fits(size_t bytes);

  // -- set once
  SseSink &sink_;
  const size_t line_bytes_;
  // -- position in the stream (saved with the turn)
  std::string line_;   // the beginning of a line whose end has not come: it holds no line end
  std::string event_;  // of `event:`, until the blank line
  std::string data_;   // lines that on_data did not take
  bool has_data_ = false;
  bool bare_ = false;  // data_ began with a line of bare JSON, without `data:`
  bool after_cr_ = false;
  bool at_start_ = true;
  bool dead_ = false;
};

}  // namespace sluice
