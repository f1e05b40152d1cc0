#include "protocol/thought_calls.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {
namespace {

constexpr size_t kMost = 65536;  // bytes of calls that reasoning may end with
constexpr size_t kDeepest = 1024;

bool is_object(std::string_view json) { return check_json(json, kDeepest).ok() && json_kind(json) == '{'; }

}  // namespace

ThoughtCalls::ThoughtCalls(const Protocols &active, const ToolView &tools, const ScanLimits &limits, bool anywhere,
                           ScanSink *drafts)
    : tools_(tools), limits_(limits), anywhere_(anywhere), drafts_(drafts) {
  const auto called = [](const auto &protocol) { return protocol->called_in_reasoning(); };
  if (anywhere || std::any_of(active.begin(), active.end(), called)) active_ = active;
  limits_.argument_bytes = std::min(limits_.argument_bytes, kMost);
  limits_.candidate_bytes = std::min(limits_.candidate_bytes, kMost);
}

ThoughtCalls::~ThoughtCalls() = default;

void ThoughtCalls::make() {
  ScanOptions options;
  options.inside_reasoning = true;
  scanner_ = make_scanner(active_, tools_, limits_, options, *this);
}

bool ThoughtCalls::may_run(std::string_view protocol) const {
  const auto called = [&](const auto &one) { return one->id() == protocol && one->called_in_reasoning(); };
  return anywhere_ || std::any_of(active_.begin(), active_.end(), called);
}

void ThoughtCalls::feed(std::string_view utf8, size_t offset) {
  if (deaf_ || utf8.empty() || active_.empty()) return;
  if (!scanner_)
    make();
  else if (offset != next_)
    restart();
  scanned_ += utf8.size();
  next_ = offset + utf8.size();
  scanner_->feed(utf8);
}

// An interrupted call ends there; the text that follows may stand within it.
void ThoughtCalls::interrupt() {
  if (scanner_ && scanner_->in_call()) {
    scanner_->restart();
    deaf_ = true;
  } else if (scanner_) {
    scanner_->interrupt();
  }
  think_on();
}

void ThoughtCalls::give_up() {
  interrupt();
  forget();
}

void ThoughtCalls::restart() {
  if (scanner_) scanner_->restart();
  deaf_ = false;
  forget();
}

bool ThoughtCalls::finish(ScanSink &sink) {
  if (!scanner_) return false;
  ending_ = true;
  scanner_->finish();
  ending_ = false;
  if (lost_ || blocks_.empty()) return false;
  std::vector<Block> blocks;
  blocks.swap(blocks_);
  const size_t before = next_ - scanned_;  // may wrap: it is only added
  for (Block &block : blocks) {
    const size_t start = block.start + before, end = block.end + before;
    for (size_t i = 0; i < block.calls.size(); ++i) block.calls[i].raw_arguments = block.written[i];
    const ParsedCall &first = block.calls.front();
    if (!first.name.empty()) {
      sink.on_call_open(block.protocol, first.name, start);
      if (!first.raw_arguments.empty()) sink.on_call_arguments(first.raw_arguments, start + first.raw_at);
    }
    for (size_t i = 0; i < block.calls.size(); ++i) {
      ParsedCall &call = block.calls[i];
      call.reason = block.reasons[i];
      if (!call.reason.empty() && (i == 0 || block.reasons[i - 1] != call.reason))
        sink.on_scan_diagnostic(call.reason, call.name, start, block.raw);
    }
    sink.on_call_close(block.protocol, block.calls, block.raw, start, end);
  }
  return true;
}

void ThoughtCalls::tell_draft(std::string_view protocol, std::string_view raw, size_t start) {
  if (drafts_ != nullptr) drafts_->on_scan_diagnostic("in_reasoning", protocol, start + next_ - scanned_, raw);
}

void ThoughtCalls::forget() {
  for (const Block &block : blocks_) tell_draft(block.protocol, block.raw, block.start);
  blocks_.clear();
  bytes_ = 0;
  lost_ = false;
}

// Anything behind a call makes a draft of it.
void ThoughtCalls::think_on() {
  if (!anywhere_) forget();
}

void ThoughtCalls::on_scan_text(std::string_view) { think_on(); }

void ThoughtCalls::on_call_close(std::string_view protocol, std::vector<ParsedCall> &calls, std::string_view raw,
                                 size_t start, size_t end) {
  // A call that only the end of the answer closed is whole if it has no reason.
  const bool broken = std::any_of(calls.begin(), calls.end(), [](const auto &call) { return !call.reason.empty(); });
  if ((ending_ && broken) || !may_run(protocol)) {
    think_on();
    return tell_draft(protocol, raw, start);
  }
  bytes_ += raw.size();
  if (lost_ || bytes_ > kMost) {
    forget();
    lost_ = true;
    return tell_draft(protocol, raw, start);
  }
  Block &block = blocks_.emplace_back();
  block.protocol = protocol;
  block.raw = raw;
  block.start = start;
  block.end = end;
  for (const ParsedCall &call : calls) {
    block.reasons.emplace_back(call.reason);
    block.written.emplace_back(call.raw_arguments);
  }
  block.calls = std::move(calls);
}

// ---- saved ----

void ThoughtCalls::save(std::string &out) const {
  ObjectWriter object(out);
  object.number("scanned", static_cast<int64_t>(scanned_)).number("next", static_cast<int64_t>(next_));
  object.boolean("lost", lost_).boolean("deaf", deaf_);
  if (scanner_) scanner_->save(object.value("scanner"));
  if (!blocks_.empty()) {
    std::string &list = object.value("blocks");
    list += '[';
    for (const Block &block : blocks_) {
      if (&block != &blocks_.front()) list += ',';
      ObjectWriter one(list);
      one.number("start", static_cast<int64_t>(block.start)).number("end", static_cast<int64_t>(block.end));
      append_saved_bytes(one.value("protocol"), block.protocol);
      append_saved_bytes(one.value("raw"), block.raw);
      std::string &calls = one.value("calls");
      calls += '[';
      for (size_t i = 0; i < block.calls.size(); ++i) {
        if (i != 0) calls += ',';
        const ParsedCall &call = block.calls[i];
        ObjectWriter said(calls);
        append_saved_bytes(said.value("name"), call.name);
        append_saved_bytes(said.value("id"), call.id);
        append_saved_bytes(said.value("arguments"), call.arguments);
        append_saved_bytes(said.value("rawArguments"), block.written[i]);
        append_saved_bytes(said.value("protocolFields"), call.reserved);
        said.boolean("typed", call.typed).text("reason", block.reasons[i]);
        said.close();
      }
      calls += ']';
      one.close();
    }
    list += ']';
  }
  object.close();
}

// Reasoning that was not saved is ignored, and calls that are not consistent do not run.
void ThoughtCalls::load(std::string_view saved) {
  deaf_ = saved.empty();
  if (deaf_) return;
  const SavedReader reader(saved);
  reader.get("scanned", scanned_);
  reader.get("next", next_);
  reader.get("lost", lost_);
  reader.get("deaf", deaf_);
  if (const std::string_view scanner = reader.nested("scanner"); !scanner.empty()) {
    make();
    scanner_->load(scanner);
  }
  for (JsonSlices blocks(reader.nested("blocks")); blocks.next();) {
    const SavedReader one(blocks.value());
    Block block;
    one.get("start", block.start);
    one.get("end", block.end);
    one.text("protocol", block.protocol);
    one.text("raw", block.raw);
    lost_ = lost_ || !one.fits().ok();
    for (JsonSlices calls(one.nested("calls")); calls.next();) {
      const SavedReader said(calls.value());
      ParsedCall &call = block.calls.emplace_back();
      said.text("name", call.name);
      said.text("id", call.id);
      said.text("arguments", call.arguments);
      said.text("rawArguments", block.written.emplace_back());
      said.text("protocolFields", call.reserved);
      said.get("typed", call.typed);
      said.text("reason", block.reasons.emplace_back());
      lost_ = lost_ || !said.fits().ok() || (block.reasons.back().empty() && !is_object(call.arguments)) ||
              (!call.reserved.empty() && !is_object(call.reserved));
    }
    if (block.calls.empty()) continue;
    bytes_ += block.raw.size();
    blocks_.push_back(std::move(block));
  }
}

}  // namespace sluice
