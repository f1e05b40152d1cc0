// A fence whose whole body is calls as Python writes them: ```tool_code. Its first line is an opener like the others;
// it is a call only where tools of these names exist and nothing else stands in the fence.
#include <algorithm>

#include "protocol/family/family.h"

namespace sluice {
namespace {

class FencedReader final : public BlockReader {
 public:
  FencedReader(const Family &family, const ProtocolOptions &options, const ToolView &tools, const ScanLimits &limits)
      : family_(family), options_(options), tools_(tools), limits_(limits) {}

  State read(std::string_view block, bool ended) override {
    if (!reader_) {
      fenced_ = is_fence(block);
      if (fenced_) {
        for (const std::string_view opener : family_.openers)
          if (is_fence(opener)) openers_.push_back(opener);
        own_ = {.id = family_.id, .grammar = PythonCalls{}, .openers = openers_, .section_ends = words<"```">};
      }
      reader_ = make_family_reader(fenced_ ? own_ : family_, options_, tools_, limits_);
    }
    const State state = reader_->read(block, ended);
    take(*reader_);
    if (!fenced_) return state;
    if (named && !exists(name)) return no_call(arguments_from);
    if (state != State::closed) return state;
    if (std::any_of(calls.begin(), calls.end(),
                    [this](const ParsedCall &call) { return !exists(call.name) || call.reason == "residue_in_block"; }))
      return no_call(end);
    while (is_white(block[end - 1])) --end;  // the fence's last line is none of the calls'
    return state;
  }

  void cut(std::string_view block, std::string_view reason) override {
    reader_->cut(block, reason);
    take(*reader_);
  }

  Rest rest(std::string_view block) const override { return reader_ && !fenced_ ? reader_->rest(block) : Rest{}; }

 private:
  bool exists(std::string_view tool) const { return tools_.known(tool) || tools_.names().empty(); }
  State no_call(size_t where) {
    code = "in_code";
    decided = where;
    return State::rejected;
  }

  const Family &family_;
  const ProtocolOptions &options_;
  const ToolView &tools_;
  const ScanLimits limits_;

  bool fenced_ = false;
  WordList openers_;
  Family own_;
  std::unique_ptr<BlockReader> reader_;  // as soon as the block has begun
};

}  // namespace

std::unique_ptr<BlockReader> make_fenced_reader(const Family &family, const ProtocolOptions &options,
                                                const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<FencedReader>(family, options, tools, limits);
}

}  // namespace sluice
