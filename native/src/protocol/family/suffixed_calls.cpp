// Tags with a suffix that each checkpoint draws: <tool_calls:6124c78e><tool_call:6124c78e>NAME…. The first tag of a
// block says what it is; the block is read by the family's grammar with its tags spelled so, or without a suffix.
#include <algorithm>
#include <deque>

#include "base/ascii.h"
#include "protocol/family/family.h"

namespace sluice {
namespace {

constexpr size_t kLongestSuffix = 32;

// <tool_call> up to its suffix.
std::string stem(std::string_view tag) { return std::string(tag.substr(0, tag.size() - 1)) + ':'; }

std::vector<std::string> stems(std::initializer_list<const Words *> lists) {
  std::vector<std::string> out;
  for (const Words *words : lists)
    for (const std::string_view word : *words) out.push_back(stem(word));
  return out;
}

class SuffixedReader final : public BlockReader {
 public:
  SuffixedReader(const Family &family, const ProtocolOptions &options, const ToolView &tools, const ScanLimits &limits)
      : family_(family), options_(options), tools_(tools), limits_(limits) {}

  State read(std::string_view block, bool ended) override {
    if (!reader_) {
      const size_t at = std::min(block.find_first_of(":>"), block.size());
      const size_t from = std::min(at + (at < block.size() && block[at] == ':'), block.size());
      const size_t to = std::min(static_cast<size_t>(std::find_if_not(block.begin() + static_cast<ptrdiff_t>(from),
                                                                      block.end(), in_identifier) -
                                                     block.begin()),
                                 from + kLongestSuffix);
      if (to == block.size() && !ended) return State::open;
      if (to == block.size() || block[to] != '>' || (from != at && to == from)) {
        code = "missing_tool_name";
        decided = to;
        return State::rejected;
      }
      if (block.starts_with("</")) {  // the end of a section
        end = to + 1;
        return State::markup;
      }
      spell(block.substr(at, to - at));
    }
    const State state = reader_->read(block, ended);
    take(*reader_);
    return state;
  }

  void cut(std::string_view block, std::string_view reason) override {
    reader_->cut(block, reason);
    take(*reader_);
  }

  Rest rest(std::string_view block) const override { return reader_ ? reader_->rest(block) : Rest{}; }

 private:
  void spell(std::string_view suffix) {
    suffix_ = suffix;
    own_ = family_;
    auto &grammar = std::get<PairElements>(own_.grammar);
    if (!suffix.empty()) {
      grammar.form.other_suffix = suffix_;
      for (Words *words : {&own_.sections, &own_.openers, &own_.closers, &own_.section_ends}) {
        WordList &both = words_.emplace_back(words->begin(), words->end());
        for (const std::string_view word : *words)
          both.push_back(spelled_.emplace_back(word.substr(0, word.size() - 1)).append(suffix_ + '>'));
        *words = both;
      }
    }
    reader_ = make_reader(own_, grammar, options_, tools_, limits_);
    reader_->ends_known = ends_known;
  }

  const Family &family_;
  const ProtocolOptions &options_;
  const ToolView &tools_;
  const ScanLimits limits_;

  std::string suffix_;               // with its colon
  std::deque<std::string> spelled_;  // own_ points into these
  std::deque<WordList> words_;
  Family own_;
  std::unique_ptr<BlockReader> reader_;  // as soon as the suffix is known
};

}  // namespace

std::vector<std::string> suffixed_openers(const Family &family) { return stems({&family.sections, &family.openers}); }

std::vector<std::string> suffixed_section_ends(const Family &family) { return stems({&family.section_ends}); }

std::unique_ptr<BlockReader> make_suffixed_reader(const Family &family, const ProtocolOptions &options,
                                                  const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<SuffixedReader>(family, options, tools, limits);
}

}  // namespace sluice
