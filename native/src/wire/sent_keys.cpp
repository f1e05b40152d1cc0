#include "wire/sent_keys.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "wire/dialect.h"

namespace sluice {
namespace {

constexpr size_t kMostPartLevels = 16;        // of parts within each other that are looked into
constexpr size_t kMostPartsOfKeyword = 1000;  // of one keyword

bool in_key(char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; }

bool is_legal(std::string_view key) {
  return !key.empty() && key.size() <= kMostNameBytes && std::all_of(key.begin(), key.end(), in_key);
}

}  // namespace

void SentKeys::collect_in(std::string_view part, size_t level, std::set<std::string> &names) {
  if (json_kind(part) != '{' || level > kMostPartLevels) return;
  for (JsonSlices members(part); members.next();) {
    const std::string key = members.key_text();
    collect_of(key, trim_json(members.value()), level, names);
  }
}

void SentKeys::collect_of(std::string_view key, std::string_view value, size_t level, std::set<std::string> &names) {
  if (key == "required")
    for (std::string &name : json_texts(value)) names.insert(std::move(name));
  if (is_condition(key) || key == "not") collect_in(value, level + 1, names);
  if (is_one_of(key, {"anyOf", "oneOf", "allOf"}) && json_kind(value) == '[')
    for (JsonSlices each(value); each.next();) collect_in(each.value(), level + 1, names);
  if (!is_one_of(key, {"properties", "dependentRequired", "dependentSchemas", "dependencies"})) return;
  if (json_kind(value) != '{') return;
  for (JsonSlices each(value); each.next();) {
    names.insert(each.key_text());
    if (key == "properties") continue;
    for (std::string &name : json_texts(json_kind(each.value()) == '[' ? each.value() : "[]"))
      names.insert(std::move(name));
    collect_in(each.value(), level + 1, names);
  }
}

void SentKeys::name(const std::vector<std::string> &all, std::set<std::string> taken) {
  taken.insert(all.begin(), all.end());
  std::map<std::string, size_t> used;
  for (const std::string &key : all) {
    if (is_legal(key)) continue;
    std::string stem;
    bool refused = false;  // a run of characters that the server refuses becomes one _
    for (const char c : key) {
      if (stem.size() == kMostNameBytes) break;
      if (in_key(c) || !std::exchange(refused, true)) stem += in_key(c) ? c : '_';
      refused = refused && !in_key(c);
    }
    if (stem.empty()) stem = "_";
    size_t &number = used.try_emplace(stem, 1).first->second;
    std::string name = stem;
    while (!taken.insert(name).second) {
      const std::string tail = "_" + std::to_string(++number);
      name = stem.substr(0, kMostNameBytes - tail.size()) + tail;
    }
    names_.emplace_back(key, name);
    sent_.emplace(key, std::move(name));
  }
}

const std::string &SentKeys::sent(const std::string &key) const {
  const auto found = sent_.find(key);
  return found == sent_.end() ? key : found->second;
}

std::vector<std::string> SentKeys::sent(std::vector<std::string> keys) const {
  for (std::string &key : keys) key = sent(key);
  return keys;
}

bool SentKeys::fits(std::string_view key, std::string_view value) {
  parts_ = 0;
  if (is_one_of(key, {"patternProperties", "propertyNames"})) return false;
  if (!is_one_of(key, {"dependentSchemas", "dependencies"})) return !is_condition(key) || !is_about_names(value, 0);
  for (JsonSlices each(value); each.next();)
    if (is_about_names(each.value(), 0)) return false;
  return true;
}

// Is the part about the names of the object's members, in a way that the names that are sent cannot have?
bool SentKeys::is_about_names(std::string_view part, size_t level) {
  if (json_kind(part) != '{') return false;
  if (level > kMostPartLevels || ++parts_ > kMostPartsOfKeyword) return true;
  for (JsonSlices members(part); members.next();) {
    const std::string key = members.key_text();
    const std::string_view value = trim_json(members.value());
    const char kind = json_kind(value);
    if (is_one_of(key, {"patternProperties", "propertyNames", "enum", "const"})) return true;
    if (key == "$ref" && kind == '"') {
      const auto found = references_.find(json_text(value));
      std::vector<std::string> lost;
      if (found && json_kind(*found) == '{' &&
          (is_about_names(with_siblings(*found, part, lost), level + 1) || !lost.empty()))
        return true;
    } else if (is_condition(key) || key == "not") {
      if (is_about_names(value, level + 1)) return true;
    } else if (is_one_of(key, {"anyOf", "oneOf", "allOf", "dependentSchemas", "dependencies"})) {
      for (JsonSlices each(value); each.next();)
        if (is_about_names(each.value(), level + 1)) return true;
    }
  }
  return false;
}

// A member of a schema that is about the same object, with the names that are sent.
void SentKeys::write(std::string_view key, std::string_view value, std::string &out) {
  const char kind = json_kind(value);
  if (kind == '[' && key == "required") {
    append_json_texts(out, sent(json_texts(value)));
  } else if (kind == '[' && is_one_of(key, {"anyOf", "oneOf", "allOf"})) {
    ListWriter list;
    for (JsonSlices each(value); each.next();) write_part(each.value(), list.next());
    out += list.array();
  } else if (kind == '{' && is_one_of(key, {"if", "then", "else", "not"})) {
    write_part(value, out);
  } else if (kind == '{' && is_one_of(key, {"properties", "dependentRequired", "dependentSchemas", "dependencies"})) {
    out += '{';
    for (JsonSlices each(value); each.next();) {
      if (out.back() != '{') out += ',';
      append_json_string(out, sent(each.key_text()));
      out += ':';
      if (json_kind(each.value()) == '[')
        append_json_texts(out, sent(json_texts(each.value())));
      else if (key == "properties")
        out += each.value();
      else
        write_part(each.value(), out);
    }
    out += '}';
  } else {
    out += value;
  }
}

void SentKeys::write_part(std::string_view schema, std::string &out) {
  if (json_kind(schema) != '{') {
    out += schema;
    return;
  }
  // What a reference names has the host's keys.
  const auto reference = json_member(schema, "$ref");
  const auto found = reference && json_kind(*reference) == '"' ? references_.find(json_text(*reference)) : std::nullopt;
  std::vector<std::string> lost;
  if (found && json_kind(*found) == '{') return write_part(with_siblings(*found, schema, lost), out);
  out += '{';
  for (JsonSlices members(schema); members.next();) {
    if (out.back() != '{') out += ',';
    out.append(members.key()).append(":");
    write(members.key_text(), members.value(), out);
  }
  out += '}';
}

}  // namespace sluice
