#include "protocol/own/server_results.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/marker_text.h"

namespace sluice {
namespace {

constexpr size_t kMostEntries = 4096;  // what follows belongs to the last one

class Reader final : public BlockReader {
 public:
  explicit Reader(const ResultFormat &format) : format_(format) {}

  State read(std::string_view block, bool ended) override {
    if (from_ == 0 && !find_open(block, ended)) return code.empty() ? State::open : State::rejected;
    const bool had_name = named;
    const size_t close = block.find(format_.close, seen_);
    for (size_t at; (at = block.find('\n', looked_)) < std::min(close, block.size());) {
      take_line(block, at);
      if (named && !had_name) return State::open;
    }
    if (close != block.npos) return close_at(block, close);
    looked_ = block.size();
    seen_ = std::max(from_, block.size() - std::min(block.size(), format_.close.size() - 1));
    arguments_to = std::max(arguments_from, std::min(line_, seen_));
    if (!ended) return State::open;
    cut(block, "unterminated_block");
    return State::closed;
  }

  void cut(std::string_view block, std::string_view reason) override {
    take_line(block, block.size());
    end = block.size();
    close_entries(block, reason);
  }

  Rest rest(std::string_view) const override { return {from_, {}, false}; }

 private:
  struct Entry {
    std::string name;
    bool failed = false;
    size_t from = 0, to = 0;  // what was returned; from 0: nothing yet
  };

  // The opener, behind the marker around it and white space.
  bool find_open(std::string_view block, bool ended) {
    size_t at = 0;
    if (!format_.before.empty() && block.starts_with(format_.before)) {
      at = format_.before.size();
      while (at < block.size() && is_white(block[at])) ++at;
    }
    const std::string_view here = block.substr(at);
    if (here.starts_with(format_.open)) {
      from_ = line_ = seen_ = looked_ = at + format_.open.size();
      return true;
    }
    if (!ended && std::string_view(format_.open).starts_with(here)) return false;
    code = "other_markup";
    decided = at;
    return false;
  }

  void take_line(std::string_view block, size_t end_of_line) {
    const size_t begins = line_;
    const std::string_view line = trim(block.substr(line_, end_of_line - line_));
    line_ = looked_ = std::min(end_of_line + 1, block.size());
    if (line.starts_with(format_.name) && entries_.size() < kMostEntries) {
      entries_.push_back({std::string(trim(line.substr(format_.name.size())))});
      if (named) return;
      begun = named = true;
      name = entries_.front().name;
      arguments_from = arguments_to = line_;
      return;
    }
    if (entries_.empty()) return;
    Entry &entry = entries_.back();
    if (entry.from == 0 && line.starts_with(format_.status)) {
      entry.failed = line.find(format_.success) == line.npos;
    } else if (entry.from == 0 && line.starts_with(format_.body)) {
      entry.from = block.find(format_.body, begins) + format_.body.size();
    }
    entry.to = end_of_line;
  }

  State close_at(std::string_view block, size_t close) {
    take_line(block, close);
    end = close + format_.close.size();
    close_entries(block, {});
    return State::closed;
  }

  void close_entries(std::string_view block, std::string_view reason) {
    calls.clear();
    for (const Entry &entry : entries_) {
      ParsedCall &call = calls.emplace_back();
      call.name = entry.name;
      call.typed = true;
      const std::string_view output =
          entry.from == 0 ? std::string_view() : trim(block.substr(entry.from, entry.to - entry.from));
      ObjectWriter object(call.arguments);
      object.text("status", entry.failed ? "error" : "success").text("output", output);
      object.close();
      call.raw_arguments = output;
      call.reason = &entry == &entries_.back() ? reason : std::string_view();
    }
    if (!entries_.empty()) return;
    ParsedCall &call = calls.emplace_back();
    call.arguments = "{}";
    call.reason = reason.empty() ? "missing_tool_name" : reason;
  }

  const ResultFormat &format_;
  size_t from_ = 0;    // behind the opener; 0: it was not there yet
  size_t line_ = 0;    // where the line begins that is not read yet
  size_t looked_ = 0;  // up to where its end was looked for
  size_t seen_ = 0;    // up to where the closer was looked for
  std::vector<Entry> entries_;
};

class ServerResults final : public Protocol {
 public:
  explicit ServerResults(ResultFormat format) : format_(std::move(format)) {}

  std::string_view id() const override { return kServerResults; }
  CodeMode code() const override { return CodeMode::ignore; }
  std::vector<Marker> openers(const ToolView &) const override {
    std::vector<Marker> out = {{format_.open}};
    if (!format_.before.empty()) out.push_back({format_.before});
    return out;
  }
  std::vector<Marker> closers(const ToolView &) const override { return {{format_.close}}; }
  std::vector<Marker> trailers() const override {
    return format_.behind.empty() ? std::vector<Marker>() : std::vector<Marker>{{format_.behind}};
  }
  std::unique_ptr<BlockReader> reader(const ToolView &, const ScanLimits &) const override {
    return std::make_unique<Reader>(format_);
  }

  // The server says all of this itself.
  void write_definitions(const std::vector<ToolText> &, std::string &) const override {}
  void write_call(std::string_view, std::string_view, std::string_view, std::string &) const override {}
  void write_results(const std::vector<ResultText> &, const Protocols &, std::string &) const override {}
  void defuse(std::string &text) const override {
    break_marker(text, format_.before);
    break_marker(text, format_.open);
  }

 private:
  const ResultFormat format_;
};

}  // namespace

std::shared_ptr<const Protocol> make_server_results(ResultFormat format) {
  return std::make_shared<ServerResults>(std::move(format));
}

}  // namespace sluice
