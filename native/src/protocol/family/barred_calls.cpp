// Calls whose tags have a prefix between bars. The first tag of a block says whether the prefix is there; the rest is
// read by the family's grammar.
#include "protocol/family/bars.h"
#include "protocol/family/family.h"

namespace sluice {
namespace {

std::string without(std::string text, std::string_view part, std::string_view instead) {
  const size_t at = text.find(part);
  return at == text.npos ? text : text.replace(at, part.size(), instead);
}

class BarredReader final : public BlockReader {
 public:
  BarredReader(const BarredWords &family, const ProtocolOptions &options, const ToolView &tools,
               const ScanLimits &limits)
      : words_(family), options_(options), tools_(tools), limits_(limits) {}

  State read(std::string_view block, bool ended) override {
    if (!reader_) {
      const State state = block.starts_with("</") ? section_end(block, ended) : choose(block, ended);
      if (!reader_) return state;
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
  State no_call(size_t where) {
    decided = where;
    return State::rejected;
  }

  // Text, unless it stands right behind a call.
  State section_end(std::string_view block, bool ended) {
    Fit best = Fit::no;
    for (const Words *words : {&words_.barred().section_ends, &words_.barred().closers}) {
      size_t length = 0;
      const Fit found = FamilyReader::fit(block, *words, length);
      if (found == Fit::yes && follows) {
        end = length;
        return State::markup;
      }
      if (found == Fit::partial) best = found;
    }
    return best == Fit::partial && follows && !ended ? State::open : no_call(0);
  }

  State choose(std::string_view block, bool ended) {
    size_t at = 0, length = 0;
    Fit section = Fit::no;
    while ((section = FamilyReader::fit(block.substr(at), words_.barred().sections, length)) == Fit::yes) {
      at += length;
      while (at < block.size() && is_white(block[at])) ++at;
    }
    const Fit unmarked = FamilyReader::fit(block.substr(at), words_.unmarked().openers, length);
    const Fit barred = at == 0 ? FamilyReader::fit(block, words_.barred().openers, length) : Fit::yes;
    if ((section == Fit::partial || unmarked == Fit::partial || barred == Fit::partial) && !ended) return State::open;
    if (unmarked != Fit::yes && barred == Fit::no) return no_call(0);
    family_ = unmarked == Fit::yes ? words_.unmarked() : words_.barred();
    auto &grammar = std::get<AttributeElements>(family_.grammar);
    grammar.form.attributed = unmarked == Fit::yes && at == 0 && !follows;
    reader_ = make_reader(family_, grammar, options_, tools_, limits_);
    reader_->ends_known = ends_known;
    return State::open;
  }

  const BarredWords &words_;
  const ProtocolOptions &options_;
  const ToolView &tools_;
  const ScanLimits limits_;

  Family family_;
  std::unique_ptr<BlockReader> reader_;  // as soon as the first tag is known
};

}  // namespace

BarredWords::BarredWords(const Family &family)
    : prefix_(std::get<AttributeElements>(family.grammar).form.prefix),
      core_(prefix_.substr(code_point_length(prefix_[0]), prefix_.size() - 2 * code_point_length(prefix_[0]))),
      barred_(family),
      unmarked_(family) {
  ElementForm &barred = std::get<AttributeElements>(barred_.grammar).form;
  ElementForm &unmarked = std::get<AttributeElements>(unmarked_.grammar).form;
  const bool both = barred.unmarked;
  barred.prefix = keep(kBars + std::string(core_) + kBars);
  unmarked.prefix = {};
  for (Words Family::*const list : {&Family::sections, &Family::openers, &Family::closers, &Family::section_ends}) {
    const Words words = family.*list;
    barred_.*list = keep(words, true);
    unmarked_.*list = both ? keep(words, false) : Words();
  }
  // A section's mark says the same of a call in both spellings.
  WordList &sections = lists_.emplace_back(barred_.sections.begin(), barred_.sections.end());
  for (const std::string_view word : unmarked_.sections)
    if (!holds(sections, word)) sections.push_back(word);
  barred_.sections = unmarked_.sections = sections;
}

std::vector<std::string> BarredWords::stems(std::string_view before) const { return begin_bars(before, core_); }

// A word of the second spelling of the same tag has a blank behind the prefix, which belongs to the bars.
Words BarredWords::keep(Words words, bool marked) {
  WordList &out = lists_.emplace_back();
  for (const std::string_view word : words) {
    const std::string blank = std::string(prefix_) + ' ';
    const bool second = word.find(blank) != word.npos;
    if (second && !marked) continue;
    const std::string_view instead =
        marked ? std::get<AttributeElements>(barred_.grammar).form.prefix : std::string_view();
    const std::string_view kept = keep(without(std::string(word), second ? std::string_view(blank) : prefix_, instead));
    if (!holds(out, kept)) out.push_back(kept);
  }
  return out;
}

std::unique_ptr<BlockReader> make_barred_reader(const BarredWords &family, const ProtocolOptions &options,
                                                const ToolView &tools, const ScanLimits &limits) {
  return std::make_unique<BarredReader>(family, options, tools, limits);
}

}  // namespace sluice
