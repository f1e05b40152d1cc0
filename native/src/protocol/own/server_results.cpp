#include "protocol/own/server_results.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/marker_text.h"

namespace sluice {
namespace {

constexpr size_t kMostEntries = 4096;  // what follows belongs to the last one

struct Part {
  std::string_view text, place;  // the text in front of the placeholder
};

// The placeholders of a pattern; the last part has the text behind them, and no placeholder.
std::vector<Part> parts_of(std::string_view pattern) {
  std::vector<Part> out;
  for (size_t from = 0;;) {
    const size_t open = pattern.find('{', from);
    const size_t close = open == pattern.npos ? open : pattern.find('}', open);
    if (close == pattern.npos) {
      out.push_back({pattern.substr(from), {}});
      return out;
    }
    out.push_back({pattern.substr(from, open - from), pattern.substr(open + 1, close - open - 1)});
    from = close + 1;
  }
}

// Reads one block: results, a summary, or a mark.
class Reader final : public BlockReader {
 public:
  explicit Reader(const ServerFormat &server) : server_(server) {}

  State read(std::string_view block, bool ended) override {
    if (format_ == nullptr) {
      const State state = find_format(block, ended);
      if (format_ == nullptr) return state;
    }
    const bool had_name = named;
    const size_t close = block.find(format_->close, seen_);
    const std::string_view separator = format_->is_summary() ? std::string_view(format_->separator) : "\n";
    const char begins[] = {separator.front(), format_->lines ? '\n' : separator.front()};
    for (size_t at = looked_; at = block.find_first_of({begins, 2}, at), at < std::min(close, block.size());) {
      const bool separates = block.substr(at).starts_with(separator);
      if (!separates && !(format_->lines && block[at] == '\n')) {
        ++at;
        continue;
      }
      take_entry(block, at, separates ? separator.size() : 1);
      at = looked_;
      if (named && !had_name) return State::open;
    }
    if (close != block.npos) return close_at(block, close);
    looked_ = std::max(line_, block.size() - std::min(block.size(), separator.size() - 1));
    seen_ = std::max(from_, block.size() - std::min(block.size(), format_->close.size() - 1));
    arguments_to = std::max(arguments_from, std::min(line_, seen_));
    if (!ended) return State::open;
    cut(block, "unterminated_block");
    return State::closed;
  }

  void cut(std::string_view block, std::string_view reason) override {
    take_entry(block, block.size(), 1);
    end = block.size();
    close_entries(block, reason);
  }

  Rest rest(std::string_view) const override { return {from_, {}, false}; }

 private:
  struct Entry {
    std::string name;
    std::string_view outcome = "success";
    size_t from = 0, to = 0;  // what was returned; from 0: nothing yet
  };

  State no_results(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }

  // Finds which block begins here, behind the marker around it and white space; or reads a mark.
  State find_format(std::string_view block, bool ended) {
    bool partial = false;
    size_t where = 0;
    for (const ResultFormat &format : server_.results) {
      for (const std::string_view before : {std::string_view(), std::string_view(format.before)}) {
        if (!block.starts_with(before)) continue;
        size_t at = before.size();
        while (at != 0 && at < block.size() && is_white(block[at])) ++at;
        const std::string_view here = block.substr(at);
        if (here.starts_with(format.open)) {
          format_ = &format;
          from_ = line_ = seen_ = looked_ = at + format.open.size();
          begun = format.is_summary();
          return State::open;
        }
        partial = partial || std::string_view(format.open).starts_with(here);
        where = at;
      }
    }
    if (partial && !ended) return State::open;
    for (const std::string &mark : server_.marks)
      if (block.starts_with(mark)) return read_mark(block, mark.size(), ended);
    return no_results("other_markup", where);
  }

  // Drops the mark, and the rest of its line if nothing but white space stands there.
  State read_mark(std::string_view block, size_t length, bool ended) {
    size_t at = length;
    while (at < block.size() && (block[at] == ' ' || block[at] == '\t' || block[at] == '\r')) ++at;
    if (at == block.size() && !ended) return State::open;
    const bool line_ends = at == block.size() || block[at] == '\n';
    end = line_ends && (follows || begins_line) ? std::min(at + 1, block.size()) : length;
    return State::hidden;
  }

  void take_entry(std::string_view block, size_t to, size_t length) {
    if (format_->is_summary())
      take_part(block, to, length);
    else
      take_line(block, to);
    if (entries_.empty() || named) return;
    begun = named = true;
    name = entries_.front().name;
    arguments_from = arguments_to = line_;
  }

  void take_line(std::string_view block, size_t end_of_line) {
    const size_t begins = line_;
    const std::string_view line = trim(block.substr(line_, end_of_line - line_));
    line_ = looked_ = std::min(end_of_line + 1, block.size());
    if (line.starts_with(format_->name) && entries_.size() < kMostEntries) {
      entries_.push_back({std::string(trim(line.substr(format_->name.size())))});
      return;
    }
    if (entries_.empty()) return;
    Entry &entry = entries_.back();
    if (entry.from == 0 && !format_->status.empty() && line.starts_with(format_->status)) {
      entry.outcome = outcome(line);
    } else if (entry.from == 0 && line.starts_with(format_->body)) {
      entry.from = block.find(format_->body, begins) + format_->body.size();
    }
    entry.to = end_of_line;
  }

  // Reads an entry of a summary, unless its name or its status is missing.
  void take_part(std::string_view block, size_t to, size_t length) {
    const size_t begins = line_;
    line_ = looked_ = std::min(to + length, block.size());
    std::string_view text = trim(block.substr(begins, to - begins));
    if (!format_->end.empty() && text.ends_with(format_->end))
      text = trim(text.substr(0, text.size() - format_->end.size()));
    if (text.empty() || entries_.size() == kMostEntries) return;
    Entry entry;
    const std::vector<Part> parts = parts_of(format_->name);
    if (!text.starts_with(parts[0].text)) return;
    text.remove_prefix(parts[0].text.size());
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      // The last value may hold the text behind it. Servers leave out what says nothing.
      const std::string_view behind = parts[i + 1].text;
      const bool last = i + 2 == parts.size();
      const size_t at =
          behind.empty() ? text.size() : std::min(last ? text.rfind(behind) : text.find(behind), text.size());
      if (at == text.size() && parts[i + 1].place == "status") return;
      std::string_view value = trim(text.substr(0, at));
      if (parts[i].place == "name") entry.name = value;
      if (parts[i].place == "status") entry.outcome = outcome(value);
      if (parts[i].place == "body" && value.starts_with(format_->body))
        value = trim(value.substr(format_->body.size()));
      if (parts[i].place == "body" && !value.empty()) {
        entry.from = static_cast<size_t>(value.data() - block.data());
        entry.to = entry.from + value.size();
      }
      text.remove_prefix(std::min(at + behind.size(), text.size()));
    }
    if (!entry.name.empty()) entries_.push_back(std::move(entry));
  }

  std::string_view outcome(std::string_view status) const {
    const auto says = [status](std::string_view word) { return !word.empty() && status.find(word) != status.npos; };
    return says(format_->success)   ? "success"
           : says(format_->timeout) ? "timeout"
           : says(format_->denied)  ? "denied"
                                    : "error";
  }

  State close_at(std::string_view block, size_t close) {
    take_entry(block, close, 0);
    end = close + format_->close.size();
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
      object.text("status", entry.outcome).text("output", output);
      if (format_->is_summary()) object.boolean("summary", true);
      object.close();
      call.raw_arguments = output;
      call.reason = &entry == &entries_.back() ? reason : std::string_view();
    }
    if (!entries_.empty()) return;
    ParsedCall &call = calls.emplace_back();
    call.arguments = "{}";
    call.reason = reason.empty() ? "missing_tool_name" : reason;
  }

  const ServerFormat &server_;
  const ResultFormat *format_ = nullptr;  // of this block, as soon as it is known
  size_t from_ = 0;                       // behind the opener; 0: it was not there yet
  size_t line_ = 0;                       // where the line or entry begins that is not read yet
  size_t looked_ = 0;                     // up to where its end was looked for
  size_t seen_ = 0;                       // up to where the closer was looked for
  std::vector<Entry> entries_;
};

class ServerResults final : public Protocol {
 public:
  explicit ServerResults(ServerFormat server) : server_(std::move(server)) {}

  std::string_view id() const override { return kServerResults; }
  CodeMode code() const override { return CodeMode::ignore; }
  std::vector<Marker> openers(const ToolView &) const override {
    std::vector<Marker> out;
    for (const std::string &mark : opening_marks()) out.push_back({mark});
    return out;
  }
  std::vector<Marker> closers(const ToolView &) const override {
    std::vector<Marker> out;
    for (const ResultFormat &format : server_.results) out.push_back({format.close});
    return out;
  }
  std::vector<Marker> trailers() const override {
    std::vector<Marker> out;
    for (const ResultFormat &format : server_.results)
      if (!format.behind.empty() && !holds(format.behind)) out.push_back({format.behind});
    return out;
  }
  std::unique_ptr<BlockReader> reader(const ToolView &, const ScanLimits &) const override {
    return std::make_unique<Reader>(server_);
  }

  // The server says all of this itself.
  void write_definitions(const std::vector<ToolText> &, std::string &) const override {}
  void write_call(std::string_view, std::string_view, std::string_view, std::string &) const override {}
  void write_results(const std::vector<ResultText> &, const Protocols &, std::string &) const override {}
  void defuse(std::string &text) const override {
    for (const std::string &mark : opening_marks()) break_marker(text, mark);
  }

 private:
  bool holds(std::string_view mark) const {
    return std::find(server_.marks.begin(), server_.marks.end(), mark) != server_.marks.end();
  }
  std::vector<std::string> opening_marks() const {
    std::vector<std::string> out = server_.marks;
    for (const ResultFormat &format : server_.results)
      for (const std::string &mark : {format.open, format.before})
        if (!mark.empty() && std::find(out.begin(), out.end(), mark) == out.end()) out.push_back(mark);
    return out;
  }

  const ServerFormat server_;
};

}  // namespace

ServerFormat vcp_server() {
  const std::string user = "<<<[ROLE_DIVIDE_USER]>>>", end_user = "<<<[END_ROLE_DIVIDE_USER]>>>";
  return {.results = {{.open = "[[VCP调用结果信息汇总:",
                       .close = "VCP调用结果结束]]",
                       .name = "- 工具名称:",
                       .status = "- 执行状态:",
                       .body = "- 返回内容:",
                       .success = "SUCCESS",
                       .before = user,
                       .behind = end_user},
                      {.open = "[本轮工具调用摘要:]",
                       .close = "[本轮工具调用摘要结束]",
                       .name = "{name} {status} ({body})",
                       .status = {},
                       .body = "记录ID:",
                       .success = "调用成功",
                       .timeout = "调用超时",
                       .denied = "调用被拒绝",
                       .before = user,
                       .behind = end_user,
                       .separator = "；",
                       .end = "。",
                       .lines = true}},
          .marks = {user, end_user, "<<<[ROLE_DIVIDE_ASSISTANT]>>>", "<<<[END_ROLE_DIVIDE_ASSISTANT]>>>",
                    "<<<[ROLE_DIVIDE_SYSTEM]>>>", "<<<[END_ROLE_DIVIDE_SYSTEM]>>>"}};
}

bool is_entry_pattern(std::string_view pattern) {
  const std::vector<Part> parts = parts_of(pattern);
  bool named = false;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto &place = parts[i].place;
    if (place != "name" && place != "status" && place != "body") return false;
    if (i != 0 && parts[i].text.empty()) return false;
    for (size_t other = 0; other < i; ++other)
      if (parts[other].place == place) return false;
    named = named || place == "name";
  }
  return named;
}

std::shared_ptr<const Protocol> make_server_results(ServerFormat format) {
  return std::make_shared<ServerResults>(std::move(format));
}

}  // namespace sluice
