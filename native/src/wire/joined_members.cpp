#include "wire/joined_members.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace sluice {
namespace {

// An object whose members are laid over each other.
class Entry {
 public:
  // Texts of `joined` members are appended; of any other member the last value counts that is not null.
  void add(std::string_view object, std::initializer_list<std::string_view> joined) {
    if (++pieces_ == 1) first_ = object;
    for (JsonSlices members(object); members.next();) {
      const std::string key = members.key_text();
      const std::string_view value = trim_json(members.value());
      const auto [at, fresh] = places_.try_emplace(key, all_.size());
      if (fresh) {
        all_.emplace_back(std::string(members.key()), std::string(value));
        continue;
      }
      std::string &known = all_[at->second].second;
      if (json_kind(value) == 'n') continue;
      if (is_one_of(key, joined) && json_kind(value) == '"' && json_kind(known) == '"') {
        known.pop_back();
        known += value.substr(1);
      } else {
        known = value;
      }
    }
  }
  std::string write() const {
    if (pieces_ == 1) return first_;  // as it came
    std::string out = "{";
    for (const auto &[key, value] : all_) out.append(out.size() > 1 ? "," : "").append(key).append(":").append(value);
    return out + "}";
  }

 private:
  size_t pieces_ = 0;
  std::string first_;
  std::vector<std::pair<std::string, std::string>> all_;  // key as a token, value
  std::map<std::string, size_t> places_;
};

class Entries {
 public:
  Entry &open() {
    all_.emplace_back(Entry(), std::string());
    return *all_.back().first;
  }
  void keep(std::string_view text) { all_.emplace_back(std::nullopt, text); }
  Entry &at(size_t place) { return *all_[place].first; }
  size_t size() const { return all_.size(); }
  std::string array() const {
    ListWriter list;
    for (const auto &[entry, text] : all_) list.next() += entry ? entry->write() : text;
    return list.array();
  }

 private:
  std::vector<std::pair<std::optional<Entry>, std::string>> all_;  // or a text as it came
};

// OpenRouter's. An encrypted one comes whole; it is the same by its id.
std::string joined_details(std::string_view list) {
  Entries entries;
  std::map<std::string, size_t> known;
  std::string last;  // of the entry in front, where the next may go on with it
  for (JsonSlices items(list); items.next();) {
    const std::string type = json_member_text(items.value(), "type");
    const bool thought = is_one_of(type, {"reasoning.text", "reasoning.summary"});
    const auto index = json_member(items.value(), "index"), id = json_member(items.value(), "id");
    const auto given = [](const auto &value) { return value && json_kind(*value) != 'n'; };
    std::string key;
    if (thought) key = type + (given(index) ? " " + std::string(trim_json(*index)) : std::string());
    if (type == "reasoning.encrypted" && given(id)) key = type + " " + std::string(trim_json(*id));
    const bool by_place = thought && !given(index);
    const auto found = key.empty() || (by_place && key != last) ? known.end() : known.find(key);
    last = key;
    if (key.empty()) {
      entries.keep(items.value());
      continue;
    }
    if (found == known.end()) {
      known[key] = entries.size();
      entries.open();
    }
    entries.at(known[key])
        .add(items.value(), thought ? std::initializer_list<std::string_view>{"text", "summary", "data"}
                                    : std::initializer_list<std::string_view>{});
  }
  return entries.array();
}

// LiteLLM's: a thought ends with its signature.
std::string joined_blocks(std::string_view list) {
  Entries entries;
  bool open = false;
  for (JsonSlices items(list); items.next();) {
    if (json_member_text(items.value(), "type") != "thinking") {
      entries.keep(items.value());
      open = false;
      continue;
    }
    if (!open) entries.open();
    entries.at(entries.size() - 1).add(items.value(), {"thinking"});
    open = json_member_text(items.value(), "signature").empty();
  }
  return entries.array();
}

std::string_view within(std::string_view token) { return token.substr(1, token.size() - 2); }

// Laid over each other at the end: one by one would cost as many times the whole as there are pieces.
bool comes_as_members(std::string_view member) {
  return is_one_of(member, {"extra_content", "provider_specific_fields"});
}

std::string joined_objects(std::string_view pieces) {
  std::optional<Entry> whole;
  std::string_view other;
  for (JsonSlices items(pieces); items.next();) {
    if (json_kind(items.value()) == '{') {
      if (!whole) whole.emplace();
      whole->add(items.value(), {});
    } else if (json_kind(items.value()) != 'n') {
      whole.reset();
      other = items.value();
    }
  }
  return whole ? whole->write() : other.empty() ? "null" : std::string(other);
}

}  // namespace

std::string first_piece(std::string_view member, std::string_view piece) {
  return comes_as_members(member) ? "[" + std::string(piece) + "]" : std::string(piece);
}

void add_piece(std::string_view member, std::string_view piece, std::string &so_far) {
  piece = trim_json(piece);
  const char kind = json_kind(piece);
  if (comes_as_members(member)) {
    so_far.back() = ',';
    so_far.append(piece).append("]");
  } else if (kind != json_kind(so_far) || (kind != '[' && kind != '"')) {
    if (kind != 'n') so_far = piece;  // null says nothing
  } else if (kind == '[') {
    const std::string_view inner = trim_json(within(piece));
    if (inner.empty()) return;
    so_far.pop_back();
    if (so_far != "[") so_far += ',';
    so_far.append(inner).append("]");
  } else if (within(piece).starts_with(within(so_far))) {  // it came again, longer
    so_far = piece;
  } else {
    so_far.pop_back();
    so_far += piece.substr(1);
  }
}

std::string joined_member(std::string_view member, std::string_view pieces) {
  if (comes_as_members(member)) return joined_objects(pieces);
  if (json_kind(pieces) == '[' && member == "reasoning_details") return joined_details(pieces);
  if (json_kind(pieces) == '[' && member == "thinking_blocks") return joined_blocks(pieces);
  return std::string(pieces);
}

}  // namespace sluice
