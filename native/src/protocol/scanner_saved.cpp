#include <algorithm>
#include <charconv>

#include "base/json_writer.h"
#include "base/saved.h"
#include "protocol/scanner.h"

namespace sluice {
namespace {

void append_numbers(std::string &out, const std::vector<int64_t> &numbers) {
  out += '[';
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i != 0) out += ',';
    append_number(out, numbers[i]);
  }
  out += ']';
}

std::vector<int64_t> read_numbers(std::string_view array) {
  std::vector<int64_t> out;
  for (JsonSlices one(array); one.next();) {
    const std::string_view digits = one.value();
    int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    out.push_back(number);
  }
  return out;
}

}  // namespace

void Scanner::save(std::string &out) const {
  const auto number = [](size_t value) { return static_cast<int64_t>(value); };  // SIZE_MAX is -1
  const auto flag = [](bool value) { return int64_t{value}; };
  ObjectWriter object(out);
  append_saved_bytes(object.value("kept"), kept_);
  append_numbers(object.value("position"),
                 {number(base_), number(at_), static_cast<int64_t>(mode_), flag(reasoning_), flag(reasoning_open_),
                  flag(text_open_), number(blank_at_), number(known_until_), number(last_run_), number(fence_),
                  number(fence_body_), flag(in_body_)});
  if (trails_ != SIZE_MAX) object.number("trails", number(trails_));
  if (closer_ != Closer::first) object.number("closer", static_cast<int64_t>(closer_));
  if (line_from_ != 0) object.number("lineFrom", number(line_from_));
  if (!line_.get().empty()) append_saved_bytes(object.value("line"), line_.get());
  if (made_up_ >= 0) object.number("madeUp", made_up_);
  if (told_ != 0) object.number("told", number(told_));
  if (quoted_ || quoted_in_line_) object.number("quoted", quoted_ ? 2 : 1);
  std::vector<int64_t> strings = {last_};
  strings_.save(strings);
  append_numbers(object.value("strings"), strings);
  if (quotation_.open()) quotation_.save(object.value("quotation"));
  if (reasoning_ && thoughts_) thoughts_->save(object.value("thoughts"));
  std::vector<int64_t> match, context;
  markers_.save(match_, match);
  append_numbers(object.value("match"), match);
  context_.save(context);
  append_numbers(object.value("context"), context);
  if (ends_ != SIZE_MAX) append_numbers(object.value("ends"), {number(ends_), number(ends_word_)});
  if (waits_) {
    std::vector<int64_t> waiting = {number(wait_), number(wait_depth_)};
    for (const Waiting &one : waiting_) waiting.insert(waiting.end(), {number(one.at), int64_t{one.marker}});
    append_numbers(object.value("waiting"), waiting);
  }
  if (!forged_.empty()) {
    std::vector<int64_t> forged;
    for (const Forged &one : forged_) forged.insert(forged.end(), {number(one.at), number(one.depth)});
    append_numbers(object.value("forged"), forged);
  }
  if (!last_runs_.empty()) {
    std::vector<int64_t> runs;
    for (const auto &[length, at] : last_runs_) runs.insert(runs.end(), {number(length), number(at)});
    append_numbers(object.value("runs"), runs);
  }
  if (mode_ == Mode::tag) {
    append_numbers(object.value("tag"), {number(tag_at_), number(tag_read_), flag(tag_closes_), int64_t{tag_marker_}});
  } else if (mode_ == Mode::block || mode_ == Mode::tail) {
    append_numbers(object.value("block"), {int64_t{opener_}, number(block_), number(opener_end_), flag(whole_)});
    object.number("sent", number(sent_));
    std::vector<int64_t> before;
    before_.save(before);
    append_numbers(object.value("before"), before);
    strings_before_.save(strings = {});
    append_numbers(object.value("stringsBefore"), strings);
    if (unread_) {
      append_saved_bytes(object.value("unread"), reader_->code);
      object.number("decided", number(reader_->decided));
    }
    if (rest_.at != 0) {
      object.number("rest", number(rest_.at));
      rest_.open.save(object.value("restOpen"));
      object.boolean("restTag", rest_.tag);
    }
  } else if (mode_ == Mode::skip) {
    std::vector<int64_t> skip = {int64_t{opener_}};
    skip_.save(skip_match_, skip);
    append_numbers(object.value("skip"), skip);
  }
  object.close();
}

Status check_saved_scanner(std::string_view saved, int levels) {
  const SavedReader reader(saved);
  std::string kept;
  reader.text("kept", kept);
  if (!reader.fits().ok()) return reader.fits();
  for (const std::string_view inner : {"scanner", "thoughts"})
    if (const std::string_view one = reader.nested(inner); levels > 1 && !one.empty())
      if (Status status = check_saved_scanner(one, levels - 1); !status.ok()) return std::move(status).inside(inner);
  return {};
}

// What is not consistent is taken as the plain text that was kept.
void Scanner::load(std::string_view saved) {
  const SavedReader reader(saved);
  reader.get("kept", kept_);
  const std::vector<int64_t> position = read_numbers(reader.nested("position"));
  const auto index = [](int64_t value) { return static_cast<size_t>(value); };
  const auto inside = [this](int64_t value) { return value >= 0 && static_cast<size_t>(value) <= kept_.size(); };
  if (position.size() != 12 || !inside(position[1]) || position[2] < 0 ||
      position[2] > static_cast<int64_t>(Mode::skip) || !context_.load(read_numbers(reader.nested("context"))))
    return;
  base_ = index(position[0]);
  at_ = index(position[1]);
  const Mode mode = static_cast<Mode>(position[2]);
  reasoning_ = position[3] != 0;
  reasoning_open_ = position[4] != 0;
  text_open_ = position[5] != 0;
  blank_at_ = index(position[6]);
  known_until_ = index(position[7]);
  last_run_ = index(position[8]);
  fence_ = inside(position[9]) ? index(position[9]) : SIZE_MAX;
  fence_body_ = index(position[10]);
  in_body_ = position[11] != 0 && fence_ != SIZE_MAX;
  reader.get("trails", trails_);
  if (trails_ >= active_.size()) trails_ = SIZE_MAX;
  int64_t closer = 0;
  reader.get("closer", closer);
  closer_ = static_cast<Closer>(std::clamp<int64_t>(closer, 0, static_cast<int64_t>(Closer::text)));
  reader.get("lineFrom", line_from_);
  line_from_ = std::min(line_from_, kept_.size());
  std::string line;
  reader.get("line", line);
  line_.add(line);
  int64_t made_up = -1;
  if (reader.get("madeUp", made_up); markers_.is(made_up) && result_ends_.contains(static_cast<int>(made_up)))
    made_up_ = static_cast<int>(made_up);
  reader.get("told", told_);
  int64_t quoted = 0;
  reader.get("quoted", quoted);
  quoted_ = quoted == 2;
  quoted_in_line_ = quoted == 1;
  if (const auto strings = read_numbers(reader.nested("strings")); !strings.empty()) {
    last_ = static_cast<char>(strings[0]);
    strings_.load({strings.begin() + 1, strings.end()});
  }
  quotation_.load(reader.nested("quotation"));
  if (reasoning_ && thoughts_) thoughts_->load(reader.nested("thoughts"));
  match_ = markers_.load(read_numbers(reader.nested("match")));

  const auto known = [&](int64_t marker) { return marker >= 0 && index(marker) < openers_; };
  if (const auto ends = read_numbers(reader.nested("ends")); ends.size() == 2 && inside(ends[0])) {
    ends_ = index(ends[0]);
    ends_word_ = inside(ends[1]) ? index(ends[1]) : SIZE_MAX;
  }
  const std::vector<int64_t> waiting = read_numbers(reader.nested("waiting"));
  waits_ = waiting.size() >= 4 && inside(waiting[0]) && index(waiting[0]) <= at_;
  if (waits_) {
    wait_ = index(waiting[0]);
    wait_depth_ = index(waiting[1]);
    for (size_t i = 2; i + 1 < waiting.size(); i += 2)
      if (markers_.is(waiting[i + 1])) waiting_.push_back({index(waiting[i]), static_cast<int>(waiting[i + 1])});
    waits_ = !waiting_.empty();
  }
  const std::vector<int64_t> forged = read_numbers(reader.nested("forged"));
  for (size_t i = 0; i + 1 < forged.size(); i += 2) forged_.push_back({index(forged[i]), index(forged[i + 1])});
  const std::vector<int64_t> runs = read_numbers(reader.nested("runs"));
  for (size_t i = 0; i + 1 < runs.size(); i += 2) last_runs_[index(runs[i])] = index(runs[i + 1]);

  text_ = kept_;
  if (const auto tag = read_numbers(reader.nested("tag"));
      mode == Mode::tag && tag.size() == 4 && inside(tag[0]) && inside(tag[1]) && markers_.is(tag[3])) {
    mode_ = mode;
    tag_at_ = index(tag[0]);
    tag_closes_ = tag[2] != 0;
    tag_marker_ = static_cast<int>(tag[3]);
    tag_read_ = std::min(tag_at_ + markers_.length(tag_marker_), kept_.size());
    tag_.start(tag_closes_);
    while (tag_read_ < index(tag[1])) tag_.step(text_[tag_read_++]);
  }
  if (const auto block = read_numbers(reader.nested("block"));
      (mode == Mode::block || mode == Mode::tail) && block.size() == 4 && known(block[0]) && inside(block[1]) &&
      inside(block[2]) && block[1] <= block[2] && index(block[1]) <= at_ &&
      (mode == Mode::block || fence_ != SIZE_MAX) && before_.load(read_numbers(reader.nested("before")))) {
    start_reader(static_cast<int>(block[0]));
    block_ = index(block[1]);
    opener_end_ = index(block[2]);
    whole_ = block[3] != 0 && fence_ != SIZE_MAX;
    strings_before_.load(read_numbers(reader.nested("stringsBefore")));
    reader.get("rest", rest_.at);
    rest_.at = std::min(rest_.at, kept_.size() - block_);
    rest_.open.load(reader.nested("restOpen"));
    reader.get("restTag", rest_.tag);
    std::string code;
    int64_t decided = -1;
    reader.get("unread", code);
    reader.get("decided", decided);
    if (decided >= 0 && mode == Mode::block) read_on(code, index(decided));
    read_again();
    opened_ = reader_->named && !whole_;
    sent_ = opened_ ? reader_->arguments_to : 0;
    reader.get("sent", sent_);
    mode_ = reader_->calls.empty() ? Mode::block : mode;  // only a block that was read has a tail
  }
  if (const auto skip = read_numbers(reader.nested("skip")); mode == Mode::skip && !skip.empty() && known(skip[0])) {
    opener_ = static_cast<int>(skip[0]);
    protocol_ = active_[owner(opener_)].get();
    start_skipping();
    skip_match_ = skip_.load({skip.begin() + 1, skip.end()});
  }
  text_ = {};
}

// A block is read as a whole again: its reader then stands where it stood.
void Scanner::read_again() {
  bool named = false, begun = false;
  do {
    named = reader_->named;
    begun = reader_->begun;
    if (read_more(block_text(), false) != BlockReader::State::open) return;
  } while (reader_->named != named || reader_->begun != begun);
}

}  // namespace sluice
