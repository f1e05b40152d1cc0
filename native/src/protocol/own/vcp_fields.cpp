#include "protocol/own/vcp_fields.h"

#include <algorithm>
#include <set>

#include "base/json_literal.h"
#include "base/json_writer.h"
#include "base/plain_name.h"
#include "base/release.h"
#include "base/text.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

// Without a fence around all of it.
std::string_view without_fence(std::string_view text) {
  text = trim(text);
  const size_t line = text.find('\n');
  if (!text.starts_with("```") || !text.ends_with("\n```")) return text;
  return text.substr(line + 1, text.size() - line - 4);
}

// Text of an ESCAPE value → what it stands for.
std::string unescaped(std::string_view text, const VcpWords &words, bool lenient) {
  std::string out;
  out.reserve(text.size());
  constexpr std::string_view kSuffix = "_ESCAPE]";
  const char stops[] = {words.in_angles ? '_' : words.open_escape.front(), words.open_escape.front(), '\0'};
  size_t from = 0;
  while (from < text.size()) {
    const size_t at = text.find_first_of(stops, from);
    if (at == std::string_view::npos) break;
    out += text.substr(from, at - from);
    const std::string_view rest = text.substr(at);
    from = at + 1;
    if (fit(rest, words.open_escape, true) == Fit::yes) {
      out += words.open();
      from = at + words.open_escape.size();
      continue;
    }
    if (words.in_angles && fit(rest, kSuffix, lenient) == Fit::yes) {
      const std::string_view behind = rest.substr(kSuffix.size());
      for (const std::string_view name : {std::string_view(words.start), std::string_view(words.end)}) {
        const size_t length = name.size() - 1;
        const size_t brackets = lenient ? 2 : 3;
        if (out.size() < length + brackets) continue;
        const std::string_view before = std::string_view(out).substr(out.size() - length - brackets);
        if (!before.starts_with(lenient ? "<<" : "<<<") || !behind.starts_with(lenient ? ">>" : ">>>")) continue;
        if (fit(before.substr(brackets), name.substr(0, length), lenient) != Fit::yes) continue;
        from = at + kSuffix.size() - 1;  // the bracket stays
        break;
      }
      if (from != at + 1) continue;
    }
    out += rest[0];
  }
  return out += text.substr(from);
}

// The number that a key ends in, -1 where there is none; `base`: the length of the rest.
int64_t number_of(std::string_view key, size_t &base) {
  base = key.find_last_not_of("0123456789") + 1;
  const std::string_view digits = key.substr(base);
  uint32_t number = 0;
  if (base == 0 || (digits.size() > 1 && digits[0] == '0') || !read_integer(digits, number)) return -1;
  return number;
}

void append_member(std::string &out, std::string_view key, std::string_view json) {
  out += out.empty() ? "{" : ",";
  append_text(out, key);
  out += ':';
  out += json;
}

}  // namespace

std::string VcpFields::text_of(std::string_view block, const VcpField &field) const {
  const std::string_view text = block.substr(field.value, field.value_end - field.value);
  std::string out = field.escape ? unescaped(text, options_.words, options_.lenient) : std::string(text);
  return options_.trim ? std::string(trim(out)) : out;
}

void VcpFields::gather(std::string_view block, std::string_view tool, Gathered &out) {
  const std::vector<std::string> &reserved_keys = options_.words.reserved;
  for (const VcpField &field : fields_) {
    std::string_view key = block.substr(field.key, field.key_end - field.key);
    if (options_.lenient) key = without_noise(key);
    std::string text = text_of(block, field);
    const bool reserved = std::find(reserved_keys.begin(), reserved_keys.end(), key) != reserved_keys.end();
    bool duplicate = false;
    if (reserved && !tools_.declares(tool, key)) {
      std::string *const before = out.reserved_field(key);
      duplicate = before != nullptr;
      if (!duplicate)
        out.reserved.emplace_back(key, std::move(text));
      else if (!options_.first_duplicate)
        *before = std::move(text);
    } else if (options_.reads_input() && key == "input_json") {
      duplicate = out.input.has_value();
      if (!duplicate || !options_.first_duplicate) {
        out.input = std::move(text);
        out.bare_input = field.bare;
      }
    } else {
      const auto [place, is_new] = out.places.try_emplace(key, out.arguments.size());
      duplicate = !is_new;
      std::string json;
      append_text(json, text);
      if (is_new)
        out.arguments.push_back({key, std::move(json)});
      else if (!options_.first_duplicate)
        out.arguments[place->second].json = std::move(json);
    }
    if (duplicate) notes_.push_back({"duplicate_argument", std::string(key), field.key});
  }
  // An empty or missing maid is filled from valet.
  const std::string *const valet = out.reserved_field("valet");
  if (valet == nullptr || valet->empty() || tools_.declares(tool, "maid")) return;
  const std::string who = *valet;
  if (std::string *const maid = out.reserved_field("maid"); maid == nullptr)
    out.reserved.emplace_back("maid", who);
  else if (trim(*maid).empty())
    *maid = who;
}

std::string VcpFields::plain_arguments(std::string_view input, std::string_view tool, const Gathered &fields) const {
  const std::string key = tools_.only_text(tool);
  const std::string_view begin = trim(input).substr(0, 1);
  if (key.empty() || fields.places.contains(key) || begin == "{" || begin == "[") return {};
  std::string text, out;
  if (!json_from_literal(input, limits_.depth, text)) append_text(text, input);
  append_member(out, key, text);
  return out += '}';
}

std::vector<ParsedCall> VcpFields::write_calls(std::string_view block, size_t where, ParsedCall first) {
  Gathered fields;
  gather(block, first.name, fields);
  if (!fields.reserved.empty()) {
    ObjectWriter object(first.reserved);
    for (const auto &[key, text] : fields.reserved) append_text(object.value(key), text);
    object.close();
  }

  std::string members;  // of the arguments, from their `{` on
  if (fields.input) {
    // Without brackets nothing but strict JSON says where it ends.
    const ValueRules rules{limits_.depth, options_.first_duplicate, fields.bare_input};
    ParsedCall given;
    settle_arguments(given, without_fence(*fields.input), rules, where, notes_);
    if (options_.plain && given.reason == "invalid_json") {
      const std::string plain = plain_arguments(*fields.input, first.name, fields);
      if (!plain.empty()) {
        given.arguments = plain;
        given.reason = {};
      }
    }
    if (first.reason.empty()) first.reason = given.reason;
    if (given.reason.empty()) {
      first.typed = fields.arguments.empty();
      for (JsonSlices member(given.arguments); member.next();) {
        const std::string key = member.key_text();
        if (fields.places.count(key) == 0)
          append_member(members, key, member.value());
        else
          notes_.push_back({"duplicate_argument", key, where});
      }
    }
  }

  // command1 path1 command2 path2: the numbers that have a command.
  std::map<int64_t, std::vector<Numbered>> numbered;
  size_t base = 0;
  if (options_.split)
    for (const Argument &argument : fields.arguments)
      if (const int64_t n = number_of(argument.key, base); n >= 0 && argument.key.substr(0, base) == "command")
        numbered[n];
  if (!numbered.empty()) return split(fields, std::move(numbered), first, members);

  size_t size = members.size() + 2;
  for (const Argument &argument : fields.arguments) size += argument.key.size() + argument.json.size() + 4;
  members.reserve(size);
  for (Argument &argument : fields.arguments) {
    append_member(members, argument.key, argument.json);
    release_text(argument.json);
  }
  first.arguments = std::move(members.empty() ? members += "{}" : members += '}');
  std::vector<ParsedCall> calls;
  calls.push_back(std::move(first));
  return calls;
}

std::vector<ParsedCall> VcpFields::split(const Gathered &fields, std::map<int64_t, std::vector<Numbered>> numbered,
                                         const ParsedCall &first, const std::string &members) {
  std::vector<const Argument *> shared;
  for (const Argument &argument : fields.arguments) {
    size_t base = 0;
    const auto group = numbered.find(number_of(argument.key, base));
    if (group == numbered.end())
      shared.push_back(&argument);
    else
      group->second.emplace_back(argument.key.substr(0, base), &argument);
  }
  std::vector<ParsedCall> calls;
  size_t bytes = 0;
  for (const auto &[number, own] : numbered) {
    ParsedCall &call = calls.emplace_back(first);
    if (bytes > limits_.argument_bytes) {  // what they share counts for each
      call.reason = "oversize";
      break;
    }
    bytes += call.raw_arguments.size();
    if (!call.reason.empty()) continue;
    std::set<std::string_view> names;
    for (const auto &[key, argument] : own) names.insert(key);
    call.arguments = members;
    for (const Argument *argument : shared)
      if (names.count(argument->key) == 0) append_member(call.arguments, argument->key, argument->json);
    for (const auto &[key, argument] : own) append_member(call.arguments, key, argument->json);
    call.arguments += '}';
    bytes += call.arguments.size();
  }
  return calls;
}

}  // namespace sluice
