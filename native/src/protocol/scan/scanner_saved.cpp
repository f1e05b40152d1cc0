// A saved scanner: the text it keeps, and where in it and in the grammar it stands. A marker is saved as its bytes and
// the id of its protocol, so that a block means the same when the lists of openers, or the host's tools, have changed.
#include <algorithm>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/sort.h"
#include "protocol/scan/scanner.h"

namespace sluice {
namespace {

using Kind = Markers::Kind;

std::vector<int64_t> numbers_of(const Context &context) {
  std::vector<int64_t> out;
  context.save(out);
  return out;
}

std::vector<int64_t> numbers_of(const StringTracker &strings) {
  std::vector<int64_t> out;
  strings.save(out);
  return out;
}

void save_match(const Markers &markers, Markers::State state, std::string &out) {
  out += '[';
  for (const Markers::Prefix &prefix : markers.prefixes(state)) {
    if (out.back() != '[') out += ',';
    ObjectWriter object(out);
    append_saved_bytes(object.value("bytes"), prefix.bytes);
    if (prefix.fold) object.boolean("fold", true);
    object.close();
  }
  out += ']';
}

Markers::State load_match(Markers &markers, std::string_view saved) {
  std::vector<Markers::Prefix> prefixes;
  for (JsonSlices list(saved); list.next();) {
    const SavedReader reader(list.value());
    Markers::Prefix &prefix = prefixes.emplace_back();
    reader.get("bytes", prefix.bytes);
    reader.get("fold", prefix.fold);
  }
  return markers.state_with(prefixes);
}

}  // namespace

// The plain members, each with the value that is not saved.
template <class Self, class Field>
void Scanner::each_number(Self &self, const Field &field) {
  field("reasoning", self.reasoning_, false);
  field("reasoningOpen", self.reasoning_open_, false);
  field("textOpen", self.text_open_, false);
  field("blankAt", self.blank_at_, kNowhere);
  field("fence", self.fence_, kNowhere);
  field("fenceBody", self.fence_body_, kNowhere);
  field("inBody", self.in_body_, false);
  field("closer", self.closer_, Closer::first);
  field("lineFrom", self.line_from_, Offset{0});
  field("told", self.reported_, size_t{0});
  field("quoted", self.quoted_, false);
  field("quotedInLine", self.quoted_in_line_, false);
  field("ends", self.ends_, kNowhere);
  field("endsWord", self.ends_word_, kNowhere);
}

void Scanner::save(std::string &out) const {
  ObjectWriter object(out);
  kept_.save(object.value("kept"));
  object.number("mode", static_cast<int64_t>(mode_)).number("at", static_cast<int64_t>(at_));
  each_number(*this, [&object](std::string_view key, const auto &value, auto missing) {
    if (value != missing) object.number(key, static_cast<int64_t>(value));
  });
  append_saved_numbers(object.value("context"), numbers_of(context_));
  append_saved_numbers(object.value("strings"), numbers_of(strings_));
  if (const auto &offsets = losses_.offsets(); !offsets.empty())
    append_saved_numbers(object.value("losses"), {offsets.begin(), offsets.end()});
  if (match_ != 0) save_match(markers_, match_, object.value("match"));
  if (trails_ != kNowhere) object.text("trails", active_[trails_]->id());
  if (!line_.get().empty()) append_saved_bytes(object.value("line"), line_.get());
  if (made_up_ >= 0) markers_.save(made_up_, object.value("madeUp"));
  if (quotation_.open()) quotation_.save(object.value("quotation"));
  if (thoughts_ && (reasoning_ || thoughts_->any())) thoughts_->save(object.value("thoughts"));
  if (!doubt_.empty()) doubt_.save(object.value("doubt"), markers_);
  if (fence_ != kNowhere) append_saved_numbers(object.value("beforeFence"), numbers_of(before_fence_));
  if (holds_fences()) save_fences(object.value("held"));
  switch (mode_) {
    case Mode::text: break;
    case Mode::tag:
      markers_.save(tag_marker_, object.value("tag"));
      object.number("tagAt", static_cast<int64_t>(tag_at_)).number("tagRead", static_cast<int64_t>(tag_read_));
      break;
    case Mode::block:
    case Mode::tail:
      markers_.save(opener_, object.value("opener"));
      object.number("block", static_cast<int64_t>(block_)).number("openerEnd", static_cast<int64_t>(opener_end_));
      object.boolean("whole", whole_).number("sent", static_cast<int64_t>(sent_));
      append_saved_numbers(object.value("before"), numbers_of(before_));
      append_saved_numbers(object.value("stringsBefore"), numbers_of(strings_before_));
      if (unread_) {
        append_saved_bytes(object.value("unread"), reader_->code);
        object.number("decided", static_cast<int64_t>(reader_->decided));
      }
      if (rest_.at != 0) {
        object.number("rest", static_cast<int64_t>(rest_.at));
        rest_.open.save(object.value("restOpen"));
        object.boolean("restTag", rest_.tag);
      }
      break;
    case Mode::skip:
      markers_.save(opener_, object.value("opener"));
      save_match(skip_, skip_match_, object.value("skip"));
      break;
    case Mode::ends: break;
  }
  object.close();
}

void Scanner::save_fences(std::string &out) const {
  ObjectWriter object(out);
  object.number("from", static_cast<int64_t>(held_.from));
  append_saved_numbers(object.value("before"), numbers_of(held_.before));
  std::string &list = object.value("openers");
  list += '[';
  for (const HeldFences::Opener &opener : held_.openers) {
    if (list.back() != '[') list += ',';
    ObjectWriter one(list);
    one.number("at", static_cast<int64_t>(opener.at)).text("protocol", active_[opener.protocol]->id()).close();
  }
  list += ']';
  object.close();
}

void Scanner::load_fences(std::string_view saved) {
  if (saved.empty()) return;
  const SavedReader reader(saved);
  HeldFences held;
  reader.get("from", held.from);
  if (!kept_.holds(held.from) || held.from > at_ || !held.before.load(read_saved_numbers(reader.nested("before")))) return;
  for (JsonSlices openers(reader.nested("openers")); openers.next();) {
    const SavedReader one(openers.value());
    HeldFences::Opener opener{};
    std::string id;
    one.get("at", opener.at);
    one.text("protocol", id);
    opener.protocol = markers_.protocol(id);
    if (opener.protocol != ActiveMarkers::kNobody) held.openers.push_back(opener);
  }
  held_ = std::move(held);
}

Status check_saved_scanner(std::string_view saved, int levels) {
  const SavedReader reader(saved);
  if (Status status = KeptText::check(reader.nested("kept")); !status.ok()) return std::move(status).inside("kept");
  for (const std::string_view inner : {"scanner", "thoughts"})
    if (const std::string_view one = reader.nested(inner); levels > 1 && !one.empty())
      if (Status status = check_saved_scanner(one, levels - 1); !status.ok()) return std::move(status).inside(inner);
  return {};
}

// A state that is not consistent is read as the plain text that was kept.
void Scanner::load(std::string_view saved) {
  const SavedReader reader(saved);
  kept_.load(reader.nested("kept"));
  int64_t mode = 0;
  Offset at = kept_.from();
  reader.get("mode", mode);
  reader.get("at", at);
  at_ = done_ = kept_.from();
  if (mode < 0 || mode > static_cast<int64_t>(Mode::ends) || !kept_.holds(at) ||
      !context_.load(read_saved_numbers(reader.nested("context"))))
    return;
  each_number(*this, [&reader](std::string_view key, auto &value, auto missing) {
    auto number = static_cast<int64_t>(missing);
    reader.get(key, number);
    value = static_cast<std::remove_reference_t<decltype(value)>>(number);
  });
  at_ = at;
  strings_.load(read_saved_numbers(reader.nested("strings")));
  const std::vector<int64_t> losses = read_saved_numbers(reader.nested("losses"));
  losses_.load({losses.begin(), losses.end()});
  match_ = load_match(markers_, reader.nested("match"));
  std::string id;
  reader.text("trails", id);
  if (!id.empty()) trails_ = markers_.protocol(id);
  made_up_ = markers_.load(reader.nested("madeUp"), {Kind::result});
  doubt_.load(reader.nested("doubt"), markers_);
  SavedMode place{.mode = static_cast<Mode>(mode)};
  before_fence_.load(read_saved_numbers(reader.nested("beforeFence")));
  load_fences(reader.nested("held"));
  place.tag = markers_.load(reader.nested("tag"), {Kind::think, Kind::think_end});
  reader.get("tagAt", place.tag_at);
  reader.get("tagRead", place.tag_read);
  if (place.mode > Mode::tag && place.mode != Mode::ends) place.opener = markers_.load_opener(reader.nested("opener"));
  reader.get("block", place.block);
  reader.get("openerEnd", place.opener_end);
  reader.get("whole", place.whole);
  load_rest(reader, place);
  if (mode_ == Mode::skip) skip_match_ = load_match(skip_, reader.nested("skip"));
}

void Scanner::load_rest(const SavedReader &reader, const SavedMode &place) {
  const auto inside = [this](Offset at) { return kept_.holds(at); };
  closer_ = std::min(closer_, Closer::text);
  line_from_ = std::clamp(line_from_, kept_.from(), kept_.end());
  if (!inside(fence_)) leave_fence();
  in_body_ = in_body_ && fence_ != kNowhere;
  if (!inside(ends_)) ends_ = kNowhere;
  if (!inside(ends_word_)) ends_word_ = kNowhere;
  if (doubt_.waits() && (!inside(doubt_.from()) || doubt_.from() > at_)) doubt_.stop_waiting();
  std::string line;
  reader.get("line", line);
  line_.add(line);
  quotation_.load(reader.nested("quotation"));
  if (thoughts_ && (reasoning_ || !reader.nested("thoughts").empty())) thoughts_->load(reader.nested("thoughts"));

  if (place.mode == Mode::ends && holds_fences()) mode_ = place.mode;
  if (place.mode == Mode::tag && place.tag >= 0 && inside(place.tag_at) && inside(place.tag_read)) {
    mode_ = place.mode;
    tag_marker_ = place.tag;
    tag_at_ = place.tag_at;
    tag_read_ = std::min(tag_at_ + markers_.length(tag_marker_), kept_.end());
    tag_.start(markers_.kind(tag_marker_) == Kind::think_end);
    while (tag_read_ < place.tag_read) tag_.step(kept_[tag_read_++]);
  }
  const bool block = place.mode == Mode::block || (place.mode == Mode::tail && fence_ != kNowhere);
  if (block && place.opener >= 0 && inside(place.block) && place.block < place.opener_end && inside(place.opener_end) && place.block <= at_ &&
      before_.load(read_saved_numbers(reader.nested("before"))))
    load_block(reader, place);
  if (place.mode == Mode::skip && place.opener >= 0) {
    opener_ = place.opener;
    protocol_ = active_[markers_.owner(opener_)].get();
    start_skipping();
  }
}

void Scanner::load_block(const SavedReader &reader, const SavedMode &place) {
  block_ = place.block;
  start_reader(place.opener);
  opener_end_ = place.opener_end;
  whole_ = place.whole && fence_ != kNowhere;
  strings_before_.load(read_saved_numbers(reader.nested("stringsBefore")));
  reader.get("rest", rest_.at);
  rest_.at = std::min(rest_.at, kept_.end() - block_);
  rest_.open.load(reader.nested("restOpen"));
  reader.get("restTag", rest_.tag);
  std::string code;
  int64_t decided = -1;
  reader.get("unread", code);
  reader.get("decided", decided);
  if (decided >= 0 && place.mode == Mode::block) read_for_closer(code, static_cast<size_t>(decided));
  read_again();
  opened_ = reader_->named && !whole_;
  sent_ = opened_ ? reader_->arguments_to : 0;
  reader.get("sent", sent_);
  mode_ = reader_->calls.empty() ? Mode::block : place.mode;  // only a block that was read has a tail
}

// Reads the block as a whole again: its reader then stands where it stood.
void Scanner::read_again() {
  bool named = false, begun = false;
  do {
    named = reader_->named;
    begun = reader_->begun;
    if (read_more(block_text(), false) != BlockReader::State::open) return;
  } while (reader_->named != named || reader_->begun != begun);
}

}  // namespace sluice
