// A saved scanner: the text it keeps, and where in it and in the grammar it stands; each part saves itself. A marker is
// saved as its bytes and the id of its protocol, so that a block means the same when the lists of openers, or the
// host's tools, have changed. Readers are not saved: a load reads the block again.
#include "protocol/scan/saved_machine.h"
#include "protocol/scan/scanner.h"

namespace sluice {

void Scanner::save(std::string &out) const {
  ObjectWriter object(out);
  kept_.save(object.value("kept"));
  object.text("mode", to_text(mode_)).number("at", static_cast<int64_t>(at_));
  save_numbers(context_, object.value("context"));
  if (match_ != 0) save_match(rules_.markers, match_, object.value("match"));
  if (const auto &offsets = losses_.offsets(); !offsets.empty())
    append_saved_numbers(object.value("losses"), {offsets.begin(), offsets.end()});
  line_.save(object.value("line"));
  output_.save(object.value("output"));
  fence_.save(object.value("fence"), rules_);
  reasoning_.save(object.value("reasoning"), rules_, mode_ == Mode::tag);
  ending_.save(object.value("ending"), rules_);
  quoting_.save(object.value("quoting"), rules_);
  if (mode_ == Mode::block || mode_ == Mode::tail) block_.save(object.value("block"), rules_);
  if (mode_ == Mode::skip) {
    rules_.markers.save(block_.opener, object.value("opener"));
    block_.skip.save(object.value("skip"));
  }
  object.close();
}

Status check_saved_scanner(std::string_view saved, int levels) {
  const SavedReader reader(saved);
  if (Status status = KeptText::check(reader.nested("kept")); !status.ok()) return std::move(status).inside("kept");
  if (!reader.fits().ok()) return reader.fits();
  const auto check = [&](std::string_view inner, std::string_view path) {
    if (levels < 2 || inner.empty()) return Status();
    return check_saved_scanner(inner, levels - 1).inside(path);
  };
  if (Status status = check(reader.nested("scanner"), "scanner"); !status.ok()) return status;
  return check(SavedReader(reader.nested("reasoning")).nested("thoughts"), "reasoning.thoughts");
}

// A state that is not consistent is read as the plain text that was kept.
void Scanner::load(std::string_view saved) {
  const SavedReader reader(saved);
  kept_.load(reader.nested("kept"));
  go_on(kept_.from());
  start_line();
  Offset at = at_;
  reader.get("at", at);
  std::string name;
  reader.text("mode", name);
  const std::optional<Mode> mode = mode_of(name);
  if (!mode || !kept_.holds(at) || !context_.load(read_saved_numbers(reader.nested("context")))) return;
  at_ = at;
  match_ = load_match(rules_.markers, reader.nested("match"));
  const std::vector<int64_t> losses = read_saved_numbers(reader.nested("losses"));
  losses_.load({losses.begin(), losses.end()});
  line_.load(reader.nested("line"), kept_);
  output_.load(reader.nested("output"));
  fence_.load(reader.nested("fence"), rules_, kept_, at_);
  ending_.load(reader.nested("ending"), rules_, kept_);
  quoting_.load(reader.nested("quoting"), rules_, kept_, at_);
  const bool tag = reasoning_.load(reader.nested("reasoning"), rules_, kept_, *mode == Mode::tag);
  switch (*mode) {
    case Mode::text: break;
    case Mode::tag:
      if (tag) mode_ = *mode;
      break;
    case Mode::ends:
      if (fence_.held.any()) mode_ = *mode;
      break;
    case Mode::block:
    case Mode::tail:
    case Mode::skip: load_block(reader, *mode); break;
  }
}

void Scanner::load_block(const SavedReader &reader, Mode mode) {
  if (mode == Mode::skip) {
    const int marker = rules_.markers.load_opener(reader.nested("opener"));
    if (marker < 0) return;
    block_.opener = marker;
    block_.protocol = rules_.active[rules_.markers.owner(marker)].get();
    start_skipping();
    return block_.skip.load(reader.nested("skip"));
  }
  if (mode == Mode::tail && !fence_.known()) return;
  if (!block_.load(reader.nested("block"), rules_, kept_, at_, place())) return block_.reader.reset();
  block_.whole = block_.whole && fence_.known();
  read_again();
  block_.opened = block_.reader->named && !block_.whole;
  mode_ = block_.reader->calls.empty() ? Mode::block : mode;  // only a block that was read has a tail
}

// Reads the block as a whole again: its reader then stands where it stood.
void Scanner::read_again() {
  bool named = false, begun = false;
  do {
    named = block_.reader->named;
    begun = block_.reader->begun;
    if (block_.read(kept_, block_text(), false) != BlockReader::State::open) return;
  } while (block_.reader->named != named || block_.reader->begun != begun);
}

}  // namespace sluice
