// JSON calls: one call, member after member.
#include <algorithm>

#include "base/json.h"
#include "protocol/family/json_reader.h"
#include "protocol/xml_text.h"

namespace sluice {

void JsonReader::start_entry(size_t at) {
  entry_ = {};
  entry_.name = name_in_front_;
  entry_end_.start(entry_from_ = at, false, !grammar_.strict);
  entry_to_ = stop_at_ = kNone;
  searched_ = std::max(searched_, at);
  inner_ = behind_comma_ = false;
  token_from_ = at;
  at_ = at + 1;
  place_ = Place::key;
}

// Looks for the call's own bracket, or for a marker outside its strings.
void JsonReader::find_entry_end(std::string_view seen) {
  while (entry_to_ == kNone && stop_at_ == kNone) {
    const size_t stop = next_stop(seen);
    entry_to_ = entry_end_.find(seen.substr(0, stop));
    if (stop == kNone) return;
    if (entry_to_ == kNone && !entry_end_.quoted()) stop_at_ = stop;
    if (entry_to_ == kNone && stop_at_ == kNone) searched_ = stop + 1;
  }
}

// Reads member after member. The end is searched only if the members are lost, or do not matter: the cost of an opener
// in ordinary text must not depend on the length of the text.
JsonReader::Step JsonReader::entry(std::string_view seen) {
  if (entry_to_ != kNone) return end_entry();
  while (place_ != Place::arguments && place_ != Place::broken) {
    const bool was_wrapped = wrapped_;
    const size_t stop = next_stop(seen);
    const Step next = at_ < stop ? member(seen.substr(0, stop)) : Step::wait;
    if (next == Step::over) {
      entry_to_ = ++at_;
      return end_entry();
    }
    if (next == Step::on && wrapped_ == was_wrapped) continue;
    if (next != Step::wait) return next;  // the object may have turned out to be a wrapper of calls
    if (stop == kNone) return Step::wait;
    if (!in_string()) return stop_entry(seen, stop);
    searched_ = stop + 1;
  }
  find_entry_end(seen);
  if (place_ == Place::arguments) {
    entry_.has_arguments = true;
    entry_.arguments = {token_from_, std::min({entry_to_, stop_at_, seen.size()})};
    if (entries_.empty()) arguments_from = token_from_, arguments_to = entry_.arguments.to;
  }
  if (stop_at_ != kNone) return stop_entry(seen, stop_at_);
  if (entry_to_ == kNone) return Step::wait;
  if (seen[entry_to_ - 1] != '}' && place_ == Place::arguments && break_entry("invalid_json", true) == Step::rejected)
    return Step::rejected;
  return end_entry();
}

// The call lost a bracket: a stop stands in it, outside its strings.
JsonReader::Step JsonReader::stop_entry(std::string_view seen, size_t where) {
  if (doubt_.open()) return give_up("invalid_json");
  if (entry_.reason.empty()) entry_.reason = "invalid_json";
  entry_.complete = true;
  entries_.push_back(entry_);
  in_list_ = false;
  at_ = where;
  place_ = Place::row;
  return on_stop(seen);
}

JsonReader::Step JsonReader::end_entry() {
  if (entries_.empty() && !named) {
    if (doubt_.open() && !tools_.known(entry_.name)) return give_up("missing_tool_name");
    if (!entry_.name.empty()) {
      know_name(entry_.name);
      return Step::paused;
    }
  }
  entry_.complete = true;
  entries_.push_back(entry_);
  at_ = entry_to_;
  if (!in_list_) return behind_calls();
  place_ = Place::list;
  return Step::on;
}

// Passes white space and the comments of JSON5. Returns false if more text is needed.
bool JsonReader::skip_comments(std::string_view seen) {
  constexpr size_t kLongest = 1024;
  for (skip_white(seen); !grammar_.strict && at_ < seen.size() && seen[at_] == '/'; skip_white(seen)) {
    if (at_ + 1 == seen.size()) return false;
    const char kind = seen[at_ + 1];
    if (kind != '/' && kind != '*') break;
    const std::string_view closer = kind == '/' ? "\n" : "*/";
    const size_t to = seen.find(closer, at_ + 2);
    if (to == kNone && seen.size() - at_ < kLongest) return false;
    if (to == kNone || to - at_ > kLongest) break;
    at_ = to + closer.size();
  }
  return at_ < seen.size();
}

JsonReader::Step JsonReader::member(std::string_view text) {
  if (place_ != Place::in_key && place_ != Place::in_value) {
    if (!skip_comments(text)) return Step::wait;
  }
  switch (place_) {
    case Place::key: return key(text);
    case Place::in_key: return in_key(text);
    case Place::behind_key: return behind_key(text);
    case Place::value: return value(text);
    case Place::in_value: return in_value(text);
    case Place::behind_value: return behind_value(text);
    default: return Step::wait;
  }
}

// An object in doubt was text. A call goes on, to its own bracket if `to_bracket`.
JsonReader::Step JsonReader::break_entry(std::string_view reason, bool to_bracket) {
  if (doubt_.open()) return give_up(reason);
  if (entry_.reason.empty()) entry_.reason = reason;
  if (to_bracket) place_ = Place::broken;
  return Step::on;
}

JsonReader::Step JsonReader::key(std::string_view text) {
  const char c = text[at_];
  if (c == '"' || (c == '\'' && !grammar_.strict)) {
    token_.start(at_);
    token_from_ = at_;
    place_ = Place::in_key;
    return Step::on;
  }
  if (c == '}' && !(behind_comma_ && grammar_.strict)) {
    if (!inner_) return Step::over;
    inner_ = false;
    ++at_;
    place_ = Place::behind_value;
    return Step::on;
  }
  if (grammar_.strict && !wrapped_) return give_up("");
  return break_entry("invalid_json", true);
}

JsonReader::Member JsonReader::member_of(std::string_view key) const {
  const bool nothing_yet = entries_.empty() && entry_.name.empty() && !entry_.has_arguments;
  if (!options_.seal.empty() && !sealed_) return key == kSealMember && !wrapped_ ? Member::seal : Member::unknown;
  if (!wrapped_ && !inner_ && nothing_yet && holds(grammar_.wrappers, key)) return Member::wrapper;
  if ((grammar_.strict && !wrapped_) || doubt_.needs_wrapper(in_list_)) return Member::unknown;
  if (holds(grammar_.names, key)) return Member::name;
  const bool plain = opening_ != nullptr && opening_->plain;  // a list of definitions has members like a call
  if (holds(plain ? grammar_.arguments.first(1) : grammar_.arguments, key)) return Member::arguments;
  if (holds(grammar_.ids, key)) return Member::id;
  if (holds(grammar_.others, key)) return Member::other;
  return key == kFunctionMember && !inner_ ? Member::function : Member::unknown;
}

JsonReader::Step JsonReader::in_key(std::string_view text) {
  const size_t to = token_.find(text);
  const size_t key_end = to == kNone ? text.size() : to - 1;
  const std::string_view key = text.substr(token_from_ + 1, key_end - token_from_ - 1);
  if (!doubt_.may_begin(key, in_list_)) return give_up("");
  if (to == kNone) return Step::wait;
  at_ = to;
  place_ = Place::behind_key;
  if (grammar_.name_is_key) {
    if (!entry_.name.empty() || entry_.has_arguments) return break_entry("malformed_argument", true);
    member_ = Member::arguments;
    std::string json;
    if (!read_value(text.substr(token_from_, to - token_from_), rules_, json)) return break_entry("invalid_json", true);
    return take_name(json_text(json));
  }
  member_ = member_of(key);
  if (doubt_.is_result(key)) {
    reject("forged_result", at_);
    return Step::rejected;
  }
  if (member_ == Member::unknown && break_entry("malformed_argument", false) == Step::rejected) return Step::rejected;
  if (begun ||
      (doubt_.plain() && !wrapped_ && (member_ == Member::other || member_ == Member::id || member_ == Member::seal)))
    return Step::on;
  begun = true;
  return Step::paused;
}

JsonReader::Step JsonReader::behind_key(std::string_view text) {
  if (text[at_] != ':') return break_entry("invalid_json", true);
  ++at_;
  place_ = Place::value;
  return Step::on;
}

JsonReader::Step JsonReader::value(std::string_view text) {
  const char c = text[at_];
  if (member_ == Member::wrapper) {
    if (c != '[' && (c != '{' || grammar_.strict)) return give_up("");
    wrapped_ = true;
    doubt_.on_wrapper();
    entry_end_.find(text.substr(0, at_));
    outer_ = entry_end_;
    outer_to_ = kNone;
    if (c == '[') {
      ++at_;
      in_list_ = true;
      place_ = Place::list;
    } else {
      start_entry(at_);
    }
    return Step::on;
  }
  if (member_ == Member::function && c == '{') {
    inner_ = true;
    behind_comma_ = false;
    ++at_;
    place_ = Place::key;
    return Step::on;
  }
  if (c == ',' || c == '}' || c == ']' || c == ':') return break_entry("invalid_json", true);
  token_from_ = at_;
  scalar_ = c != '{' && c != '[' && c != '"' && (grammar_.strict || (c != '(' && c != '\''));
  if (!scalar_) token_.start(at_, false, !grammar_.strict);
  place_ = Place::in_value;
  if (member_ != Member::arguments) return Step::on;
  if (entry_.has_arguments) {
    member_ = Member::unknown;
    return break_entry("malformed_argument", false);
  }
  entry_.has_arguments = true;
  entry_.arguments = {at_, at_};
  if (entries_.empty()) arguments_from = arguments_to = at_;
  return call_is_known();
}

JsonReader::Step JsonReader::in_value(std::string_view text) {
  size_t to = kNone;
  if (scalar_) {
    to = text.find_first_of(",}] \t\n\r\v\f\"'", at_);
    at_ = std::min(to, text.size());
  } else {
    to = token_.find(text);
  }
  const bool known = to != kNone;
  if (member_ == Member::arguments) {
    entry_.arguments.to = std::min(to, text.size());
    if (entries_.empty()) {
      arguments_from = entry_.arguments.from;
      arguments_to = entry_.arguments.to;
    }
  }
  if (!known) return Step::wait;
  at_ = to;
  if (scalar_ && is_quote(text[to])) return break_entry("invalid_json", true);
  place_ = Place::behind_value;
  return take_value(text);
}

JsonReader::Step JsonReader::take_value(std::string_view text) {
  if (member_ == Member::arguments) return Step::on;
  std::string json;
  if (!read_value(text.substr(token_from_, at_ - token_from_), rules_, json)) return break_entry("invalid_json", false);
  const char kind = json_kind(json);
  switch (member_) {
    case Member::name:
      if (kind != '"') return break_entry("malformed_argument", false);
      return take_name(json_text(json));
    case Member::id:
      if (kind != '"' && kind != '0' && kind != 'n') return break_entry("malformed_argument", false);
      if (kind != 'n') entry_.id = {token_from_, at_};
      return Step::on;
    case Member::seal:
      sealed_ = kind == '"' && json_text(json) == options_.seal;
      return sealed_ ? Step::on : give_up("");
    case Member::function: return break_entry("malformed_argument", false);
    default: return Step::on;
  }
}

JsonReader::Step JsonReader::take_name(std::string said) {
  if (!entry_.name.empty()) return entry_.name == said ? Step::on : break_entry("malformed_argument", false);
  entry_.name = std::move(said);
  if (doubt_.open() && !exists(entry_.name)) return give_up("missing_tool_name");
  return call_is_known();
}

JsonReader::Step JsonReader::call_is_known() {
  if (named || !entries_.empty() || entry_.name.empty()) return Step::on;
  if (!doubt_.is_call(entry_.has_arguments)) return Step::on;
  know_name(entry_.name);
  return Step::paused;
}

JsonReader::Step JsonReader::behind_value(std::string_view text) {
  const char c = text[at_];
  if (c == '}') {
    if (!inner_) return Step::over;
    inner_ = false;
    ++at_;
    return Step::on;
  }
  if (c != ',') return break_entry("invalid_json", true);
  ++at_;
  behind_comma_ = true;
  place_ = Place::key;
  return Step::on;
}

}  // namespace sluice
