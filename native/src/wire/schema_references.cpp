#include "wire/schema_references.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace sluice {
namespace {

// A step of a JSON Pointer in a URL.
std::string unescaped(std::string_view step) {
  std::string out;
  for (size_t at = 0; at < step.size(); ++at) {
    uint32_t byte = 0;
    if (step[at] == '%' && at + 2 < step.size() && is_hex_digit(step[at + 1]) && is_hex_digit(step[at + 2])) {
      std::from_chars(step.data() + at + 1, step.data() + at + 3, byte, 16);
      out += static_cast<char>(byte);
      at += 2;
    } else {
      out += step[at];
    }
  }
  for (size_t at = 0; (at = out.find('~', at)) != out.npos; ++at)
    if (const char next = at + 1 < out.size() ? out[at + 1] : '\0'; next == '0' || next == '1')
      out.replace(at, 2, next == '0' ? "~" : "/");
  return out;
}

// Keywords that restrict no value.
bool is_remark(std::string_view key) {
  return key.starts_with("x-") ||
         is_one_of(key, {"title", "description", "default", "examples", "example", "deprecated", "readOnly",
                         "writeOnly", "$comment", "$id", "$anchor", "$schema", "$defs", "definitions"});
}

// Keywords that mean something only together. 0: none of these.
int group_of(std::string_view key) {
  if (is_condition(key)) return 1;
  return is_one_of(key, {"contains", "minContains", "maxContains"}) ? 2 : 0;
}

std::string joined_names(std::string_view one, std::string_view other) {
  std::vector<std::string> names = json_texts(one);
  for (std::string &name : json_texts(other))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  std::string out;
  append_json_texts(out, names);
  return out;
}

std::string joined_lists(std::string_view one, std::string_view other) {
  ListWriter list;
  for (const std::string_view each : {one, other})
    for (JsonSlices items(each); items.next();) list.next() += items.value();
  return list.array();
}

// `whole`: no name has two different values.
std::string joined_maps(std::string_view named, std::string_view beside, bool &whole) {
  std::string out = "{";
  const auto add = [&](const JsonSlices &member) {
    out.append(out.size() > 1 ? "," : "").append(member.key()).append(":").append(member.value());
  };
  std::map<std::string, std::string_view> own;
  for (JsonSlices members(beside); members.next();) own.emplace(members.key_text(), members.value());
  for (JsonSlices members(named); members.next();) {
    const auto found = own.find(members.key_text());
    if (found == own.end())
      add(members);
    else
      whole = whole && canonical_json(members.value()) == canonical_json(found->second);
  }
  for (JsonSlices members(beside); members.next();) add(members);
  return out + "}";
}

}  // namespace

bool is_condition(std::string_view key) { return is_one_of(key, {"if", "then", "else"}); }

std::vector<std::string> json_texts(std::string_view list) {
  std::vector<std::string> texts;
  for (JsonSlices items(list); items.next();)
    if (json_kind(items.value()) == '"') texts.push_back(json_text(items.value()));
  return texts;
}

void append_json_texts(std::string &out, const std::vector<std::string> &texts) {
  ListWriter list;
  for (const std::string &text : texts) append_json_string(list.next(), text);
  out += list.array();
}

SchemaReferences::SchemaReferences(std::string_view root) : root_(trim_json(root)) {}

std::optional<std::string_view> SchemaReferences::find(std::string_view reference) {
  if (!reference.starts_with('#')) return std::nullopt;
  reference.remove_prefix(1);
  std::string_view found = root_;
  while (!reference.empty()) {
    if (reference.front() != '/') return std::nullopt;
    reference.remove_prefix(1);
    const size_t end = std::min(reference.find('/'), reference.size());
    const Members &members = members_of(found);
    const auto next = members.find(unescaped(reference.substr(0, end)));
    if (next == members.end()) return std::nullopt;
    found = next->second;
    reference.remove_prefix(end);
  }
  const char kind = json_kind(found);
  return kind == '{' || kind == 't' || kind == 'f' ? std::optional(found) : std::nullopt;
}

const SchemaReferences::Members &SchemaReferences::members_of(std::string_view container) {
  const auto [at, fresh] = known_.try_emplace(container.data());
  if (fresh) {
    size_t index = 0;
    const bool object = json_kind(container) == '{';
    for (JsonSlices items(container); items.next(); ++index)
      at->second[object ? items.key_text() : std::to_string(index)] = trim_json(items.value());
  }
  return at->second;
}

std::string with_siblings(std::string_view named, std::string_view beside, std::vector<std::string> &lost) {
  std::map<std::string, std::string_view> own;
  std::set<int> groups;
  for (JsonSlices members(beside); members.next();) {
    const std::string key = members.key_text();
    if (key == "$ref" || !own.emplace(key, trim_json(members.value())).second) continue;
    groups.insert(group_of(key));
  }
  std::string out = "{";
  const auto add = [&](std::string_view key, std::string_view value) {
    out.append(out.size() > 1 ? "," : "").append(key).append(":").append(value);
  };
  for (JsonSlices members(named); members.next();) {
    const std::string key = members.key_text();
    const std::string_view value = trim_json(members.value());
    const auto found = own.find(key);
    if (const int group = group_of(key); group != 0 && groups.contains(group)) {
      lost.push_back(key);
    } else if (found == own.end()) {
      add(members.key(), value);
    } else if (const char kind = json_kind(value); kind != json_kind(found->second)) {
      if (!is_remark(key)) lost.push_back(key);
    } else if (kind == '{' && is_one_of(key, {"properties", "patternProperties"})) {
      bool whole = true;
      add(members.key(), joined_maps(value, found->second, whole));
      if (!whole) lost.push_back(key);
      own.erase(found);
    } else if (kind == '[' && key == "required") {
      add(members.key(), joined_names(value, found->second));
      own.erase(found);
    } else if (kind == '[' && key == "allOf") {
      add(members.key(), joined_lists(value, found->second));
      own.erase(found);
    } else if (!is_remark(key) && canonical_json(value) != canonical_json(found->second)) {
      lost.push_back(key);
    }
  }
  for (JsonSlices members(beside); members.next();)
    if (const auto found = own.find(members.key_text()); found != own.end()) {
      add(members.key(), found->second);
      own.erase(found);
    }
  return out + "}";
}

}  // namespace sluice
