// An entry belongs to the call with its id, else to the call with its index, else to the call before it. A new id
// begins a new call even where the index repeats; so does a second whole object for the same index without an id.
// Whatever goes wrong must end as arguments that do not parse, never as guessed arguments.
#include "wire/call_assembler.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/release.h"
#include "base/sort.h"

namespace sluice {
namespace {

constexpr int64_t kLegacyIndex = std::numeric_limits<int64_t>::max();  // function_call has no index of its own
constexpr size_t kMaxMembers = 64;
constexpr size_t kMaxName =
    256;  // bytes; no tool has a longer name, and each piece of a name reports the whole name again

bool opens_object(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

bool is_empty_object(std::string_view text) {
  text = trim_json(text);
  return text.size() >= 2 && text.front() == '{' && text.back() == '}' &&
         trim_json(text.substr(1, text.size() - 2)).empty();
}

}  // namespace

void CallAssembler::add(const std::vector<CallDelta> &entries, bool surrogates, bool repaired) {
  if (entries.empty()) return;
  ++delta_;
  for (const CallDelta &entry : entries) {
    Call *call = find(entry);
    const bool is_new = call == nullptr;
    if (is_new) {
      const bool stray = last_ == kDropped && entry.id.empty() && entry.name.empty();
      if (stray) continue;
      if (entry.damaged && entry.id.empty() && entry.name.empty()) {
        sink_.on_arguments_lost(kNoCall, "a piece of a call that cannot be read");
        continue;
      }
      if (calls_.size() >= limits_.calls_per_round) {
        if (!std::exchange(full_, true)) sink_.on_calls_full();
        last_ = kDropped;
        continue;
      }
      call = &calls_.emplace_back();
      call->index = entry.legacy ? kLegacyIndex : entry.index;
      top_index_ = std::max(top_index_, call->index);
      call->foreign = entry.foreign;
    }
    last_ = static_cast<size_t>(call - calls_.data());
    call->delta = delta_;
    ++entries_;
    if (call->touched < last_orphan_ && !call->arguments.empty() && !is_closed(*call)) call->in_doubt = true;
    call->touched = entries_;
    if (call->is_orphan()) --orphans_;
    const bool head_repeated =
        !is_new && ((!entry.id.empty() && entry.id == call->id) || (!entry.name.empty() && entry.name == call->name));
    take_members(*call, entry);
    take_head(*call, entry, surrogates);
    std::string_view fragment = entry.arguments;
    if (surrogates || !call->joiner.empty()) fragment = call->joiner.feed(fragment);
    std::string input;
    if (entry.custom || call->custom) fragment = input = take_input(*call, fragment);
    if ((repaired && !fragment.empty()) || entry.damaged) call->broken = true;
    take_arguments(*call, fragment, head_repeated);
    if (call->is_orphan()) ++orphans_;
    if (is_new && call->is_orphan()) last_orphan_ = entries_;
    if (call->broken && call->shown) sink_.on_call_broken(call->slot, "invalid_json");
  }
}

// A piece of free text as a piece of the arguments that hold it.
std::string CallAssembler::take_input(Call &call, std::string_view piece) {
  std::string out = std::exchange(call.custom, true) ? "" : R"({"input":")";
  if (out.size() > 0) call.members.emplace_back(kCustomCall, "true");
  const std::string escaped = json_string(piece);
  return out.append(escaped, 1, escaped.size() - 2);
}

void CallAssembler::lose_event() {
  for (Call &call : calls_) call.broken = call.broken || !call.shown;
}

// Holds arguments whose index no call has.
bool CallAssembler::Call::is_orphan() const {
  return name.empty() && id.empty() && !arguments.empty() && index != kLegacyIndex;
}

void CallAssembler::count_orphans() {
  orphans_ = static_cast<size_t>(std::count_if(calls_.begin(), calls_.end(), std::mem_fn(&Call::is_orphan)));
}

// One call and one orphan right after it belong together. In every other case the owner of an orphan is unknown.
void CallAssembler::settle_orphans() {
  if (!has_orphans()) return;
  if (calls_.size() == 2 && !parted_ && calls_[1].is_orphan() && !calls_[1].broken && !calls_[0].name.empty() &&
      trim_json(calls_[0].arguments).empty()) {
    sink_.on_diagnostic("orphaned_arguments", calls_[0].name);
    append(calls_[0], calls_[1].arguments);
    calls_.pop_back();
    last_ = 0;
    return;
  }
  sink_.on_arguments_lost(kNoCall, "arguments came for a call that never told its name");
  for (const Call &call : calls_)
    if (call.in_doubt && call.shown && !call.is_orphan()) sink_.on_call_broken(call.slot, "invalid_json");
}

void CallAssembler::finish(bool well) {
  for (Call &call : calls_) {
    const std::string rest(call.joiner.finish());
    if (!rest.empty()) append(call, call.custom ? take_input(call, rest) : rest);
    if (well && call.custom && !is_closed(call)) append(call, "\"}");
  }
  count_orphans();
  settle_orphans();
  count_orphans();  // one may have found its owner
  for (Call &call : calls_) {
    if (!call.shown && !call.foreign && (!call.id.empty() || !call.arguments.empty())) show(call);
    release_text(call.arguments);  // nothing more comes for it
    release_text(call.canonical);
  }
}

void CallAssembler::save(ObjectWriter &saved) const {
  std::string &out = saved.value("calls");
  out += '[';
  for (const Call &call : calls_) {
    if (&call != calls_.data()) out += ',';
    call.save(out, last_orphan_);
  }
  out += ']';
  saved.number("lastCall", last_ == kDropped ? -1 : static_cast<int64_t>(last_)).boolean("callsFull", full_);
  saved.boolean("callsParted", parted_);
}

void CallAssembler::load(const SavedReader &saved) {
  for (JsonSlices items(saved.nested("calls")); items.next();) {
    Call &call = calls_.emplace_back();
    call.load(SavedReader(items.value()), limits_.depth);
    ids_.insert(call.id);
    top_index_ = std::max(top_index_, call.index);
    slots_ += call.shown ? 1 : 0;
  }
  count_orphans();
  entries_ = last_orphan_ = calls_.empty() ? 0 : 1;
  saved.get("lastCall", last_);
  saved.get("callsFull", full_);
  saved.get("callsParted", parted_);
}

void CallAssembler::Call::save(std::string &out, uint64_t last_orphan) const {
  ObjectWriter saved(out);
  saved.number("index", index);
  append_saved_bytes(saved.value("id"), id);
  append_saved_bytes(saved.value("name"), name);
  append_saved_bytes(saved.value("arguments"), arguments);
  append_saved_bytes(saved.value("held"), joiner.held());
  save_members(saved.value("members"), members);
  if (shown) saved.number("slot", slot);
  saved.boolean("untracked", untracked).boolean("headsRepeat", heads_repeat);
  if (custom) saved.boolean("custom", true);
  saved.boolean("foreign", foreign).boolean("broken", broken).boolean("longName", long_name);
  if (in_doubt) saved.boolean("inDoubt", true);
  if (touched < last_orphan) saved.boolean("beforeOrphan", true);
  saved.close();
}

void CallAssembler::Call::load(const SavedReader &saved, size_t max_depth) {
  std::string held;
  std::optional<int64_t> shown_as;
  saved.get("index", index);
  saved.text("id", id);
  saved.text("name", name);
  saved.text("arguments", arguments);
  saved.get("held", held);
  saved.get("slot", shown_as);
  saved.get("untracked", untracked);
  saved.get("headsRepeat", heads_repeat);
  saved.get("custom", custom);
  saved.get("foreign", foreign);
  saved.get("broken", broken);
  saved.get("longName", long_name);
  saved.get("inDoubt", in_doubt);
  bool before_orphan = false;
  saved.get("beforeOrphan", before_orphan);
  touched = before_orphan ? 0 : 1;
  members = load_members(saved.nested("members"), max_depth);
  joiner.restore(std::move(held));
  shown = shown_as.has_value();
  slot = static_cast<uint32_t>(shown_as.value_or(0));
}

CallAssembler::Call *CallAssembler::find_index(int64_t index) {
  if (index > top_index_) return nullptr;  // of many calls, each looks for itself when it begins
  const auto found =
      std::find_if(calls_.rbegin(), calls_.rend(), [&](const Call &call) { return call.index == index; });
  return found == calls_.rend() ? nullptr : &*found;
}

CallAssembler::Call *CallAssembler::find_last() { return last_ < calls_.size() ? &calls_[last_] : nullptr; }

CallAssembler::Call *CallAssembler::find(const CallDelta &entry) {
  const int64_t index = entry.legacy ? kLegacyIndex : entry.index;
  const bool has_index = index >= 0;
  if (!entry.id.empty()) {
    const auto begin = ids_.contains(entry.id) ? calls_.rbegin() : calls_.rend();
    const auto known = std::find_if(begin, calls_.rend(), [&](const Call &call) {
      return call.id == entry.id && (!has_index || call.index < 0 || call.index == index);
    });
    if (known != calls_.rend()) {
      // Some servers use the tool's name as the id: two whole calls in one array are two calls.
      const bool sibling = !has_index && known->delta == delta_ && !entry.name.empty() && is_closed(*known) &&
                           opens_object(entry.arguments) && entry.arguments != known->arguments;
      return sibling ? nullptr : &*known;
    }
    Call *open = has_index ? find_index(index) : find_last();
    if (open == nullptr || (!has_index && open->delta == delta_)) return nullptr;
    if (open->id.empty()) {  // perhaps this call's id, which came late
      if (entry.name.empty() || open->name.empty()) return open;
      return entry.name == open->name && open->arguments.empty() ? open : nullptr;
    }
    // Nothing in this entry begins a call: the server makes up an id for every fragment, and may repeat the name.
    const bool fragment = has_index && !entry.arguments.empty() && !open->name.empty() && !is_closed(*open);
    const bool begins = !entry.name.empty() && (entry.name != open->name || is_whole_object(entry.arguments));
    return fragment && !begins ? open : nullptr;
  }
  if (has_index) {
    if (Call *call = find_index(index)) return continues(*call, entry) ? call : nullptr;
    // The call's first entry had no index.
    Call *last = find_last();
    return last != nullptr && last->index < 0 && entry.name.empty() ? last : nullptr;
  }
  Call *last = find_last();
  if (last == nullptr || entry.name.empty()) return last;
  if (last->delta == delta_ || (!last->name.empty() && last->name != entry.name)) return nullptr;
  return continues(*last, entry) ? last : nullptr;
}

bool CallAssembler::is_whole_object(std::string_view arguments) const {
  return opens_object(arguments) && check_json(arguments, limits_.depth).ok();
}

// Does an entry without an id continue this call? Otherwise it begins the next call.
bool CallAssembler::continues(Call &call, const CallDelta &entry) {
  if (entry.name.empty() || call.name.empty()) return true;
  if (call.arguments.empty()) return true;  // the name comes in pieces, or is repeated
  const bool closed = is_closed(call);
  // The entry continues name and arguments.
  if (entry.name != call.name) return !closed && !entry.arguments.empty() && !opens_object(entry.arguments);
  if (!closed || !opens_object(entry.arguments)) return true;
  return is_empty_object(call.arguments) || entry.arguments.starts_with(call.arguments) ||
         same_arguments(call, entry.arguments);
}

// Are the arguments the same JSON, perhaps spelled differently? Text after their end makes them no JSON.
bool CallAssembler::same_arguments(Call &call, std::string_view other) {
  if (call.progress.has_residue()) return false;
  if (call.canonical.empty()) {
    const bool valid = check_json(call.arguments, limits_.depth).ok();
    call.canonical = valid ? canonical_json(call.arguments) : "invalid";
  }
  return check_json(other, limits_.depth).ok() && canonical_json(other) == call.canonical;
}

bool CallAssembler::is_closed(Call &call) {
  call.progress.read(call.arguments);
  return call.progress.closed();
}

void CallAssembler::take_head(Call &call, const CallDelta &entry, bool surrogates) {
  bool changed = false;
  if (call.id.empty() && !entry.id.empty()) {
    call.id = surrogates ? repair_utf8(entry.id) : std::string(entry.id);
    ids_.insert(call.id);
    changed = true;
  }
  const bool goes_on = call.arguments.empty() || call.name.empty() || (entry.id.empty() && !is_closed(call));
  if (!entry.name.empty() && entry.name != call.name && goes_on) {
    std::string name = surrogates ? repair_utf8(entry.name) : std::string(entry.name);
    if (!name.starts_with(call.name)) name = call.name + name;
    if (name.size() <= kMaxName) {
      call.name = std::move(name);
      changed = true;
    } else if (!std::exchange(call.long_name, true)) {
      if (call.name.empty()) call.name = "…", changed = true;
      sink_.on_diagnostic("oversize", "a name of over " + std::to_string(kMaxName) + " bytes is not read to its end");
    }
  }
  if (call.shown) {
    if (changed) sink_.on_call_head(call.slot, call.id, call.name);
  } else if (!call.name.empty()) {
    show(call);
  }
}

void CallAssembler::take_members(Call &call, const CallDelta &entry) {
  for (const auto &[key, value] : entry.members) {
    const auto known = std::find_if(call.members.begin(), call.members.end(),
                                    [key = key](const auto &member) { return member.first == key; });
    if (known != call.members.end()) {
      if (known->second == value) continue;
      known->second = value;
    } else if (call.members.size() < kMaxMembers) {
      call.members.emplace_back(repair_utf8(key), value);
    }
  }
}

void CallAssembler::take_arguments(Call &call, std::string_view fragment, bool head_repeated) {
  if (fragment.empty()) return;
  const std::string &so_far = call.arguments;
  if (so_far.empty() && trim_json(fragment) == "null") return;
  if (call.untracked || so_far.empty() || !opens_object(fragment)) {
    call.heads_repeat = call.heads_repeat || (head_repeated && !so_far.empty());
    append(call, fragment);
    return;
  }
  // A second opening bracket is part of a value, or the provider starts over.
  const bool repeats = fragment.starts_with(so_far);
  if (is_closed(call)) {
    if (repeats && fragment.size() > so_far.size()) {
      replace(call, fragment, "repeated_arguments");
    } else if (!repeats && is_empty_object(so_far)) {
      replace(call, fragment, "placeholder_arguments");
    } else if (repeats || same_arguments(call, fragment)) {
      sink_.on_diagnostic("repeated_arguments", call.name);
    } else {
      append(call, fragment);
    }
    return;
  }
  bool snapshot = repeats;
  if (repeats && call.progress.wants_value()) {
    // {"a": followed by {"a":1} may also be an object within an object.
    JsonProgress alone;
    alone.read(fragment);
    snapshot = head_repeated && !call.heads_repeat && !alone.has_residue();
  }
  if (snapshot) {
    replace(call, fragment, "repeated_arguments");
  } else {
    call.heads_repeat = call.heads_repeat || head_repeated;
    append(call, fragment);
  }
}

void CallAssembler::append(Call &call, std::string_view fragment) {
  release_text(call.canonical);
  if (call.arguments.size() + fragment.size() <= limits_.argument_bytes && !call.untracked) {
    call.arguments += fragment;
  } else {
    call.untracked = true;
    if (!call.shown) show(call);  // its name is complete now
  }
  if (call.shown) sink_.on_arguments(call.slot, fragment);
}

void CallAssembler::replace(Call &call, std::string_view whole, std::string_view code) {
  call.arguments = whole;
  release_text(call.canonical);
  call.progress = {};
  sink_.on_diagnostic(code, call.name);
  if (call.shown) sink_.on_arguments_replaced(call.slot, whole);
}

void CallAssembler::show(Call &call) {
  call.shown = true;
  call.slot = slots_++;
  sink_.on_call(call.slot, call.id, call.name);
  if (!call.arguments.empty()) sink_.on_arguments(call.slot, call.arguments);
  if (call.broken) sink_.on_call_broken(call.slot, "invalid_json");
}

std::string CallAssembler::members() const {
  std::vector<const Call *> shown;
  bool any = false;
  for (const Call &call : calls_) {
    if (call.shown) shown.push_back(&call);
    any = any || (call.shown && !call.members.empty());
  }
  sort_all(shown, [](const Call *a, const Call *b) { return a->slot < b->slot; });
  if (!any) return {};
  std::string list = "[";
  for (const Call *call : shown) {
    list += list.size() > 1 ? ",{" : "{";
    for (const auto &[key, value] : call->members) {
      if (&key != &call->members.front().first) list += ',';
      append_json_string(list, key);
      list += ':';
      list += value;
    }
    list += '}';
  }
  return list + "]";
}

}  // namespace sluice
