#include "protocol/own/known_calls.h"

#include <algorithm>

namespace sluice {
namespace {

using Known = std::function<bool(std::string_view)>;

class KnownReader final : public BlockReader {
 public:
  KnownReader(std::unique_ptr<BlockReader> reader, const Known &known) : reader_(std::move(reader)), known_(known) {}

  State read(std::string_view block, bool ended) override {
    reader_->follows = follows;
    reader_->begins_line = begins_line;
    reader_->ends_known = ends_known;
    const State state = reader_->read(block, ended);
    take(*reader_);
    const bool unknown = state == State::open ? named && !known_(name) : state == State::closed && !any_known();
    if (!unknown) return state;
    named = false;
    code = {};
    decided = 0;
    return State::rejected;
  }

  void cut(std::string_view block, std::string_view reason) override {
    reader_->cut(block, reason);
    take(*reader_);
  }

  Rest rest(std::string_view block) const override { return reader_->rest(block); }

 private:
  bool any_known() const {
    return std::any_of(calls.begin(), calls.end(), [&](const ParsedCall &call) { return known_(call.name); });
  }

  const std::unique_ptr<BlockReader> reader_;
  const Known &known_;
};

class KnownCalls final : public Protocol {
 public:
  KnownCalls(std::shared_ptr<const Protocol> protocol, Known known)
      : protocol_(std::move(protocol)), known_(std::move(known)) {}

  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return std::make_unique<KnownReader>(protocol_->reader(tools, limits), known_);
  }

  // A block that no reader understood names nobody: it is text, and no invalid call.
  std::vector<Marker> closers_of(std::string_view) const override { return {}; }
  // Reasoning is read as in an answer whose calls are native.
  bool thinks() const override { return false; }

  // -- as the protocol itself
  std::string_view id() const override { return protocol_->id(); }
  std::string_view declaration() const override { return protocol_->declaration(); }
  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override {
    protocol_->write_definitions(tools, out);
  }
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override {
    protocol_->write_call(id, name, arguments, out);
  }
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override {
    protocol_->write_results(results, active, out);
  }
  std::string_view results_role() const override { return protocol_->results_role(); }
  bool calls_commands() const override { return protocol_->calls_commands(); }
  bool defines_on_top() const override { return protocol_->defines_on_top(); }
  std::string_view seal() const override { return protocol_->seal(); }
  void defuse(std::string &text) const override { protocol_->defuse(text); }
  CodeMode code() const override { return protocol_->code(); }
  bool reads_fence(std::string_view word) const override { return protocol_->reads_fence(word); }
  std::vector<Marker> openers(const ToolView &tools) const override { return protocol_->openers(tools); }
  std::vector<Marker> closers(const ToolView &tools) const override { return protocol_->closers(tools); }
  std::vector<Marker> trailers() const override { return protocol_->trailers(); }
  std::vector<Marker> turn_ends() const override { return protocol_->turn_ends(); }
  std::vector<Marker> result_markers() const override { return protocol_->result_markers(); }
  std::vector<Marker> reasoning_closers() const override { return protocol_->reasoning_closers(); }
  bool has_channels() const override { return protocol_->has_channels(); }
  bool called_in_reasoning() const override { return protocol_->called_in_reasoning(); }
  bool starts_in_reasoning() const override { return protocol_->starts_in_reasoning(); }

 private:
  const std::shared_ptr<const Protocol> protocol_;
  const Known known_;
};

}  // namespace

std::shared_ptr<const Protocol> known_calls(std::shared_ptr<const Protocol> protocol, Known known) {
  return std::make_shared<KnownCalls>(std::move(protocol), std::move(known));
}

}  // namespace sluice
