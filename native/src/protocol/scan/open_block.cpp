#include "protocol/scan/open_block.h"

#include <algorithm>

#include "base/text.h"
#include "protocol/scan/saved_machine.h"
#include "protocol/scan/unread_block.h"

namespace sluice {
namespace {

// More than the longest closer: the reader must still see it behind a value of the greatest length.
constexpr size_t kCloserRoom = 64;

}  // namespace

void OpenBlock::begin(Offset begins, Offset ends, const Context &context, const StringTracker &strings) {
  from = begins;
  opener_end = ends;
  before = context;
  strings_before = strings;
  opened = false;
  sent = 0;
}

void OpenBlock::start_reader(const ScanRules &rules, int marker, const Place &place) {
  const size_t owner = rules.markers.owner(marker);
  opener = marker;
  protocol = rules.active[owner].get();
  reader = protocol->reader(rules.tools, rules.limits);
  reader->follows = place.trails == owner;
  reader->begins_line = from == place.line;
  reader->ends_known = ends_known == owner;
  unread = false;
}

void OpenBlock::read_for_closer(const ScanRules &rules, const StringTracker &strings, std::string_view code,
                                size_t decided) {
  std::vector<std::string> closers;
  for (const Marker &marker : protocol->closers_of(rules.markers.bytes(opener)))
    if (!marker.common) closers.push_back(marker.bytes);
  reader = std::make_unique<UnreadBlock>(std::move(closers), openers_and_trailers(rules), opener_end - from, strings,
                                         rules.tools, code, decided);
  unread = true;
}

BlockReader::State OpenBlock::read(const KeptText &kept, std::string_view block, bool ended) {
  const BlockReader::State state = reader->read(block, ended);
  if (state == BlockReader::State::closed) place_calls(kept);
  return state;
}

void OpenBlock::place_calls(const KeptText &kept) {
  for (ParsedCall &call : reader->calls)
    if (!call.raw_arguments.empty())
      call.raw_at = static_cast<size_t>(call.raw_arguments.data() - kept.rest(from).data());
}

void OpenBlock::find_arguments(const KeptText &kept) {
  for (ParsedCall &call : reader->calls)
    call.raw_arguments = kept.view(from + call.raw_at, from + call.raw_at + call.raw_arguments.size());
}

size_t OpenBlock::limit(const ScanRules &rules, size_t room) const {
  size_t arguments = reader->arguments_from + rules.limits.argument_bytes + kCloserRoom;
  if (whole && protocol->code() == CodeMode::whole) arguments = std::min(arguments, room);
  if (reader->named) return arguments;
  const size_t candidate = rules.limits.candidate_bytes;
  return std::min(arguments, reader->begun ? candidate : std::min(ScanRules::kProse, candidate));
}

// ---- a block that no reader understood ----

bool OpenBlock::says_nothing(const KeptText &kept, std::string_view code, size_t decided) const {
  const bool all = code == "missing_tool_name" && rest.at == 0;
  return blank(kept.rest(all ? from + decided : opener_end));
}

bool OpenBlock::names_tool(const ScanRules &rules, const KeptText &kept) const {
  return UnreadBlock::names_tool(kept.rest(from), opener_end - from, openers_and_trailers(rules), rules.tools);
}

bool OpenBlock::holds_opener(ScanRules &rules, const KeptText &kept) const {
  const std::string_view block = kept.view(from, from + reader->end);
  const size_t behind = UnreadBlock::pass_openers(block, opener_end - from, openers_and_trailers(rules));
  return rules.holds_opener(block.substr(behind), true);
}

std::vector<std::string> OpenBlock::openers_and_trailers(const ScanRules &rules) const {
  std::vector<std::string> out;
  for (const auto &markers : {protocol->trailers(), protocol->openers(rules.tools)})
    for (const Marker &marker : markers)
      if (!marker.common) out.push_back(marker.bytes);
  return out;
}

std::string OpenBlock::example() const {
  std::string out;
  protocol->write_call("call_1", "tool_name", R"({"parameter":"value"})", out);
  out.erase(out.find_last_not_of("\n") + 1);
  return out;
}

void OpenBlock::enter_strings(const KeptText &kept, StringTracker &strings) const {
  const char last = kept[opener_end - 1];
  const bool tag = kept[from] == '<' && last != '>';
  tag ? strings.enter_tag() : strings.enter_value();
  if (tag || last == '{' || last == '[') strings.step(0, last);
}

// ---- a block that is closed ----

void OpenBlock::tell_losses(const KeptText &kept, const Losses &losses, Offset begins, Offset ends) {
  if (!losses.any(kept, begins, ends)) return;
  const auto lost = [&](const ParsedCall &call) {
    const Offset at = from + call.raw_at;
    return losses.any(kept, at, at + call.raw_arguments.size());
  };
  auto &calls = reader->calls;
  const bool inside = std::any_of(calls.begin(), calls.end(), lost);
  for (ParsedCall &call : calls)
    if (call.reason.empty() && (!inside || lost(call)))
      call.reason = call.typed ? "invalid_json" : "malformed_argument";
}

void OpenBlock::give_reason(std::string_view reason) {
  for (ParsedCall &call : reader->calls)
    if (call.reason.empty()) call.reason = reason;
}

// ---- saved ----

void OpenBlock::save(std::string &out, const ScanRules &rules) const {
  ObjectWriter object(out);
  rules.markers.save(opener, object.value("opener"));
  object.number("from", static_cast<int64_t>(from)).number("openerEnd", static_cast<int64_t>(opener_end));
  object.boolean("whole", whole).number("sent", static_cast<int64_t>(sent));
  save_numbers(before, object.value("before"));
  save_numbers(strings_before, object.value("stringsBefore"));
  if (left_open) object.boolean("leftOpen", true);
  if (unread) {
    append_saved_bytes(object.value("unread"), reader->code);
    object.number("decided", static_cast<int64_t>(reader->decided));
  }
  if (rest.at != 0) {
    object.number("rest", static_cast<int64_t>(rest.at));
    rest.open.save(object.value("restOpen"));
    object.boolean("restTag", rest.tag).boolean("restName", rest.name);
  }
  object.close();
}

bool OpenBlock::load(std::string_view saved, ScanRules &rules, const KeptText &kept, Offset at, const Place &place) {
  const SavedReader member(saved);
  const int marker = rules.markers.load_opener(member.nested("opener"));
  member.get("from", from);
  member.get("openerEnd", opener_end);
  member.get("whole", whole);
  member.get("sent", sent);
  if (marker < 0 || !kept.holds(from) || from > at || from >= opener_end || !kept.holds(opener_end) ||
      !before.load(read_saved_numbers(member.nested("before"))))
    return false;
  start_reader(rules, marker, place);
  strings_before.load(read_saved_numbers(member.nested("stringsBefore")));
  member.get("leftOpen", left_open);
  member.get("rest", rest.at);
  rest.at = std::min(rest.at, kept.end() - from);
  rest.open.load(member.nested("restOpen"));
  member.get("restTag", rest.tag);
  member.get("restName", rest.name);
  std::string code;
  int64_t decided = -1;
  member.get("unread", code);
  member.get("decided", decided);
  if (decided >= 0) {
    StringTracker strings;
    enter_strings(kept, strings);
    read_for_closer(rules, strings, code, static_cast<size_t>(decided));
  }
  return true;
}

}  // namespace sluice
