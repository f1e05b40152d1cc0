// Reads what a host declares, and has each tried.
#include <algorithm>

#include "base/nearest.h"
#include "base/reading.h"
#include "protocol/declared/check.h"
#include "protocol/declared/declaration.h"

namespace sluice {
namespace {

// Members that hold words: one, or several.
enum class Many : uint8_t { one, some, any };  // any: none as well
struct WordMember {
  std::string_view path;
  Many many;
};
constexpr WordMember kWords[] = {
    {"openers", Many::some},         {"closers", Many::some},      {"sections", Many::any},
    {"sectionEnds", Many::any},      {"turnEnds", Many::any},      {"think", Many::any},
    {"thinkEnds", Many::any},        {"dropped", Many::any},       {"separators", Many::some},
    {"reserved", Many::any},         {"members.name", Many::some}, {"members.arguments", Many::some},
    {"members.id", Many::some},      {"values.open", Many::one},   {"values.close", Many::one},
    {"escapes.open", Many::one},     {"escapes.close", Many::one}, {"tags.call", Many::one},
    {"tags.parameter", Many::one},   {"tags.callName", Many::one}, {"tags.parameterName", Many::one},
    {"tags.key", Many::one},         {"tags.value", Many::one},    {"tools.open", Many::one},
    {"tools.close", Many::one},      {"results.open", Many::one},  {"results.close", Many::one},
    {"results.separator", Many::one}};

constexpr Choice<ParameterForm> kForms[] = {
    {"schema", ParameterForm::schema}, {"lines", ParameterForm::lines}, {"fields", ParameterForm::fields}};

constexpr Choice<std::string_view> kRoles[] = {{"user", "user"}, {"tool", "tool"}, {"system", "system"}};

Status read_words(std::string_view value, Many many, std::vector<std::string> &out) {
  out.clear();
  if (json_kind(value) == '"') return read_text(value, out.emplace_back());
  if (many == Many::one) return unexpected(value, "a string");
  if (json_kind(value) != '[') return unexpected(value, "a string, or an array of strings");
  if (Status status = read_texts(value, out); !status.ok()) return status;
  return out.empty() && many == Many::some ? unexpected(value, "at least one") : Status();
}

// The members of `object`, whose words begin with this path.
Status read_words_of(std::string_view object, std::string_view path, Declaration &out) {
  if (json_kind(object) != '{') return unexpected(object, "an object");
  const std::string prefix = std::string(path) + ".";
  for (JsonSlices member(object); member.next();) {
    const std::string name = member.key_text();
    if (name.starts_with("x-")) continue;
    if (path == "results" && name == "role") {
      std::string_view role;
      if (Status status = read_choice(member.value(), kRoles, role); !status.ok())
        return std::move(status).inside(name);
      out.results_role = role;
      continue;
    }
    std::vector<std::string_view> known;
    if (path == "results") known.push_back("role");
    const WordMember *found = nullptr;
    for (const WordMember &one : kWords) {
      if (!one.path.starts_with(prefix)) continue;
      known.push_back(one.path.substr(prefix.size()));
      if (known.back() == name) found = &one;
    }
    if (found == nullptr) return unknown_member(name, known);
    Status status = read_words(member.value(), found->many, out.words[std::string(found->path)]);
    if (!status.ok()) return std::move(status).inside(name);
  }
  return {};
}

// A list of pairs around values: each has both halves.
Status read_pairs(std::string_view value, Declaration &out) {
  out.pairs = true;
  std::vector<std::string> &opens = out.words["values.open"], &closes = out.words["values.close"];
  JsonSlices pairs(value);
  for (size_t i = 0; pairs.next(); ++i) {
    Declaration one;
    Status status = read_words_of(pairs.value(), "values", one);
    for (const std::string_view half : {"values.open", "values.close"})
      if (status.ok() && one.find(half) == nullptr) status = unexpected(pairs.value(), "a pair { open, close }");
    if (!status.ok()) return std::move(status).inside("[" + std::to_string(i) + "]");
    opens.push_back(one.words["values.open"].front());
    closes.push_back(one.words["values.close"].front());
  }
  return opens.empty() ? unexpected(value, "at least one pair") : Status();
}

Status read_id(std::string_view value, const Declarations &before, Declaration &out) {
  if (Status status = read_text(value, out.id); !status.ok()) return status;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '-' || c == '.'; };
  if (out.id.empty() || out.id.size() > 64 || !std::all_of(out.id.begin(), out.id.end(), fits))
    return unexpected(value, "1 to 64 characters of a-z, 0-9, _, - and .");
  const std::vector<std::string_view> built_in = protocol_ids();
  if (out.id == "auto" || std::find(built_in.begin(), built_in.end(), out.id) != built_in.end())
    return unexpected(value, "an id that no built-in protocol has");
  for (const auto &other : before)
    if (other->id == out.id) return unexpected(value, "each id once");
  return {};
}

Status read_like(std::string_view value, Declaration &out) {
  if (Status status = read_text(value, out.like); !status.ok()) return status;
  std::vector<std::string_view> known = protocol_ids();
  std::erase(known, "inline_tags");  // it describes no tools and has no results
  if (std::find(known.begin(), known.end(), out.like) != known.end()) return {};
  const std::string_view near = nearest(out.like, known);
  return unexpected(value, near.empty() ? "the id of a built-in protocol; js/docs/protocols.md lists them"
                                        : "the id of a built-in protocol; did you mean " + std::string(near) + "?");
}

Status read_member(std::string_view name, std::string_view value, const Declarations &before, Declaration &out) {
  if (name == "id") return read_id(value, before, out);
  if (name == "like") return read_like(value, out);
  if (name == "introduction") return Template::read(value, {"tools", "example"}, out.introduction);
  if (name == "definition")
    return Template::read(value, {"name", "description", "parameters", "example"}, out.definition);
  if (name == "call") return Template::read(value, {"name", "id", "arguments"}, out.call);
  if (name == "result") return Template::read(value, {"name", "id", "status", "content", "json"}, out.result);
  if (name == "parameters") return read_choice(value, kForms, out.parameters);
  if (name == "options") {
    if (json_kind(value) != '{') return unexpected(value, "an object of options");
    out.options = compact_json(value);
    return {};
  }
  std::vector<std::string_view> known = {"id",         "like", "introduction", "definition",
                                         "parameters", "call", "result",       "options"};
  for (const WordMember &one : kWords) {
    const size_t dot = one.path.find('.');
    if (one.path == name) return read_words(value, one.many, out.words[std::string(name)]);
    if (name == "values" && json_kind(value) == '[') return read_pairs(value, out);
    if (one.path.substr(0, dot) == name) return read_words_of(value, name, out);
    if (known.back() != one.path.substr(0, dot)) known.push_back(one.path.substr(0, dot));
  }
  Status status = unknown_member(name, known);
  status.path.clear();
  return status;
}

Status read_declaration(std::string_view document, const Declarations &before, Declaration &out) {
  if (json_kind(document) != '{') return unexpected(document, "an object with id and like");
  out.text = compact_json(document);
  for (JsonSlices member(document); member.next();) {
    const std::string name = member.key_text();
    if (name.starts_with("x-")) continue;
    if (Status status = read_member(name, member.value(), before, out); !status.ok())
      return std::move(status).inside(name);
  }
  for (const auto &[name, text] : {std::pair{"id", &out.id}, {"like", &out.like}})
    if (text->empty()) return error(Code::json, "found none, expected a string", name);
  // A value's own words of more than one character bring those with ESCAPE along.
  for (const std::string_view end : {"open", "close"}) {
    const std::vector<std::string> *const value = out.find("values." + std::string(end));
    if (out.like != "vcp" || value == nullptr || out.find("escapes." + std::string(end)) != nullptr) continue;
    std::string escape = value->front();
    if (escape.empty() || last_code_point(escape) == 0) continue;
    escape.insert(last_code_point(escape), "ESCAPE");
    out.words["escapes." + std::string(end)] = {std::move(escape)};
  }
  return {};
}

}  // namespace

Status read_declarations(std::string_view value, Declarations &out) {
  if (json_kind(value) != '[') return unexpected(value, "an array of protocols");
  JsonSlices documents(value);
  for (size_t i = 0; documents.next(); ++i) {
    const auto declaration = std::make_shared<Declaration>();
    std::shared_ptr<const Protocol> protocol;
    Status status = read_declaration(documents.value(), out, *declaration);
    if (status.ok()) status = check_words(*declaration);
    if (status.ok()) {
      status = make_declared(declaration, "\"" + declaration->id + "\"", protocol);
      if (!status.ok() && json_member(declaration->options, status.path)) status = std::move(status).inside("options");
    }
    if (status.ok()) status = check_round_trip(*declaration, protocol);
    if (!status.ok()) return std::move(status).inside("[" + std::to_string(i) + "]");
    out.push_back(declaration);
  }
  return {};
}

std::string_view id_of(const Declaration &declaration) { return declaration.id; }

}  // namespace sluice
