#include "wire/sse.h"

#include "base/release.h"

namespace sluice {

constexpr size_t kSpareLineBytes = 65536;  // a buffer larger than this is freed after its line

void SseParser::feed(std::string_view bytes) {
  size_t line_feed = bytes.find('\n');  // searched once per line feed, not per line: lines may end in CR alone
  size_t at = 0;
  if (after_cr_ && !bytes.empty()) {
    after_cr_ = false;
    at = bytes.front() == '\n' ? 1 : 0;
  }
  while (at < bytes.size() && !dead_) {
    if (line_feed != std::string_view::npos && line_feed < at) line_feed = bytes.find('\n', at);
    const std::string_view rest = bytes.substr(at, line_feed == std::string_view::npos ? line_feed : line_feed - at);
    const size_t carriage_return = rest.find('\r');
    const std::string_view piece = rest.substr(0, carriage_return);
    if (!fits(line_.size() + piece.size())) return;
    at += piece.size();
    if (at == bytes.size()) {
      line_ += piece;
      return;
    }
    ++at;
    if (carriage_return != std::string_view::npos) {
      if (at == bytes.size()) {
        after_cr_ = true;
      } else if (bytes[at] == '\n') {
        ++at;
      }
    }
    if (line_.empty()) {
      line(piece);
    } else {
      line_ += piece;
      line(line_);
      release_text(line_, kSpareLineBytes);
    }
  }
}

void SseParser::finish() {
  if (!dead_ && !line_.empty()) line(line_);
  line_.clear();
  if (!dead_) dispatch();
}

void SseParser::drop() {
  line_.clear();
  event_.clear();
  data_.clear();
  has_data_ = bare_ = after_cr_ = at_start_ = false;
}

void SseParser::save(ObjectWriter &saved) const {
  append_saved_bytes(saved.value("line"), line_);
  append_saved_bytes(saved.value("event"), event_);
  append_saved_bytes(saved.value("data"), data_);
  saved.boolean("hasData", has_data_).boolean("bare", bare_).boolean("afterCr", after_cr_);
  saved.boolean("atStart", at_start_).boolean("dead", dead_);
}

void SseParser::load(const SavedReader &saved) {
  saved.get("line", line_);
  saved.get("event", event_);
  saved.get("data", data_);
  saved.get("hasData", has_data_);
  saved.get("bare", bare_);
  saved.get("afterCr", after_cr_);
  saved.get("atStart", at_start_);
  saved.get("dead", dead_);
}

void SseParser::line(std::string_view line) {
  if (at_start_) {
    at_start_ = false;
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  }
  if (line.empty()) {
    dispatch();
    event_.clear();
    return;
  }
  const size_t colon = line.find(':');
  if (colon == 0) return;
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (bare_) dispatch();
    data(value);
    return;
  }
  // Bare JSON: the whole body, or an error that a proxy wrote into the stream, on one line or several.
  const bool json = line.find_first_not_of(" \t") != std::string_view::npos &&
                    (line[line.find_first_not_of(" \t")] == '{' || line[line.find_first_not_of(" \t")] == '[');
  if (bare_ || (json && !has_data_)) {
    bare_ = true;
    data(line);
    bare_ = has_data_;
  } else {
    field(name, value);
  }
}

void SseParser::field(std::string_view name, std::string_view value) {
  if (name == "event") {
    event_ = value;
  } else if (name == "error") {
    sink_.on_error_field(value);
  }
}

void SseParser::data(std::string_view value) {
  if (!has_data_) {
    if (sink_.on_data(event_, value)) return;
    has_data_ = true;
    data_ = value;
  } else if (fits(data_.size() + 1 + value.size())) {
    data_ += '\n';
    data_ += value;
  }
}

void SseParser::dispatch() {
  if (has_data_) sink_.on_joined_data(event_, data_);
  release_text(data_, kSpareLineBytes);
  has_data_ = false;
  bare_ = false;
}

bool SseParser::fits(size_t bytes) {
  if (bytes <= line_bytes_) return true;
  dead_ = true;
  sink_.on_oversize();
  return false;
}

}  // namespace sluice
