// An answer that is nothing but calls of tools as Python writes them, without any mark: NAME(key=value). All other
// blocks are read by the family's grammar.
#include <algorithm>

#include "base/text.h"
#include "protocol/family/family.h"

namespace sluice {
namespace {

class AnswerReader final : public BlockReader {
 public:
  AnswerReader(const Family &family, const ProtocolOptions &options, const ToolView &tools, const ScanLimits &limits)
      : family_(family), options_(options), tools_(tools), limits_(limits) {}

  State read(std::string_view block, bool ended) override {
    if (!reader_) {
      marked_ = block[0] == '<' || block[0] == '[' || block[0] == '{';
      own_ = {.id = family_.id, .grammar = PythonCalls{.known = true}, .section_ends = family_.turn_ends};
      reader_ = make_family_reader(marked_ ? family_ : own_, options_, tools_, limits_);
      reader_->follows = follows;
    }
    if (!marked_) return answer(block, ended);
    const State state = reader_->read(block, ended);
    take(*reader_);
    return state;
  }

  void cut(std::string_view block, std::string_view reason) override {
    reader_->cut(block, reason);
    take(*reader_);
  }

  Rest rest(std::string_view block) const override { return reader_ && marked_ ? reader_->rest(block) : Rest{}; }

 private:
  // Nothing is told before the answer has ended: whatever stands behind the calls makes text of it.
  State answer(std::string_view block, bool ended) {
    begun = true;
    State state = closed_ ? State::closed : reader_->read(block, ended);
    if (state == State::open && reader_->named && !named_) {  // it paused behind the name
      named_ = true;
      state = reader_->read(block, ended);
    }
    if (state == State::open) return state;
    if (!closed_)
      for (const ParsedCall &call : reader_->calls)
        arguments_.emplace_back(call.raw_arguments.data() - block.data(), call.raw_arguments.size());
    closed_ = state == State::closed;
    const auto broken = [](const ParsedCall &call) { return !call.reason.empty(); };
    const auto &found = reader_->calls;
    if (!closed_ || found.empty() || std::any_of(found.begin(), found.end(), broken)) return text();
    std::string_view behind_calls = block.substr(reader_->end);
    for (bool more = true; more;) {
      behind_calls = trim(behind_calls);
      more = false;
      size_t length = 0;
      if (FamilyReader::fit(behind_calls, family_.turn_ends, length) == Fit::yes) {
        behind_calls.remove_prefix(length);
        more = true;
      }
    }
    size_t length = 0;
    const bool grows = !ended && FamilyReader::fit(behind_calls, family_.turn_ends, length) == Fit::partial;
    if (!behind_calls.empty() && !grows) return text();
    if (!ended) return State::open;
    take(*reader_);
    for (size_t i = 0; i < calls.size(); ++i)  // the text has moved
      calls[i].raw_arguments = block.substr(static_cast<size_t>(arguments_[i].first), arguments_[i].second);
    by_end = true;
    return State::closed;
  }

  State text() {
    begun = named = false;
    decided = 0;
    return State::rejected;
  }

  const Family &family_;
  const ProtocolOptions &options_;
  const ToolView &tools_;
  const ScanLimits limits_;

  Family own_;
  bool marked_ = false, named_ = false, closed_ = false;
  std::vector<std::pair<std::ptrdiff_t, size_t>> arguments_;  // of each call: where in the block, and their size
  std::unique_ptr<BlockReader> reader_;
};

}  // namespace

std::unique_ptr<BlockReader> make_answer_reader(const Family &family, const ProtocolOptions &options,
                                                const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<AnswerReader>(family, options, tools, limits);
}

}  // namespace sluice
