#include "protocol/scan/quoting.h"

#include "protocol/scan/saved_machine.h"

namespace sluice {

Quoting::Passed Quoting::pass(const KeptText &kept, Offset at) {
  size_t index = at - kept.from();
  const bool over = open.pass(kept.rest(kept.from()), index);
  return {over, kept.from() + index};
}

bool Quoting::is_code(int marker, Offset at, const Context &context) {
  if (context.open_count() == 0) return false;
  if (doubt.knows(at)) return doubt.is_code(at, context);
  doubt.wait(at, marker, context);
  return true;
}

void Quoting::save(std::string &out, const ScanRules &rules) const {
  ObjectWriter object(out);
  save_numbers(strings, object.value("strings"));
  if (open.open()) open.save(object.value("open"));
  SaveFields{object}("quoted", quoted, false);
  SaveFields{object}("inLine", quoted_in_line, false);
  if (!doubt.empty()) doubt.save(object.value("doubt"), rules.markers);
  object.close();
}

void Quoting::load(std::string_view saved, const ScanRules &rules, const KeptText &kept, Offset at) {
  const SavedReader reader(saved);
  strings.load(read_saved_numbers(reader.nested("strings")));
  open.load(reader.nested("open"));
  LoadFields{reader}("quoted", quoted, false);
  LoadFields{reader}("inLine", quoted_in_line, false);
  doubt.load(reader.nested("doubt"), rules.markers);
  if (doubt.waits() && (!kept.holds(doubt.from()) || doubt.from() > at)) doubt.stop_waiting();
}

}  // namespace sluice
