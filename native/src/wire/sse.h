// Server-sent events: bytes, cut anywhere → the `data` of each event.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {

class SseSink {
 public:
  virtual ~SseSink() = default;
  // The first `data:` line of an event. Returns true if that line is a whole event. Otherwise the parser keeps it,
  // joins the lines that follow and calls on_joined_data. Not waiting for the blank line shows text one packet earlier,
  // and reads servers that leave blank lines out.
  virtual bool on_data(std::string_view event, std::string_view data) = 0;
  virtual void on_joined_data(std::string_view event, std::string_view data) = 0;
  // `error: {…}`: some servers report an error in a field of its own.
  virtual void on_error_field(std::string_view value) = 0;
  // A line, or the lines of an event, exceed the limit. No further calls follow.
  virtual void on_oversize() = 0;
};

// Reads each byte once, however the bytes are cut, and does not copy a line that is whole within one feed.
class SseParser {
 public:
  SseParser(SseSink &sink, size_t line_bytes) : sink_(sink), line_bytes_(line_bytes) {}

  void feed(std::string_view bytes);
  // The body ended: an unfinished line counts as a line, and the last event needs no blank line.
  void finish();
  // Forgets what is held: it is not wanted any more.
  void drop();
  // Is the data that is handed over now bare JSON, without `data:`?
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
  std::string line_;   // a line whose end has not come yet; holds no line end
  std::string event_;  // value of `event:`, until the blank line
  std::string data_;   // lines that on_data did not take
  bool has_data_ = false;
  bool bare_ = false;  // data_ began with a line of bare JSON, without `data:`
  bool after_cr_ = false;
  bool at_start_ = true;
  bool dead_ = false;
};

}  // namespace sluice
