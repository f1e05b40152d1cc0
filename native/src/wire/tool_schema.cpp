#include "wire/tool_schema.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr size_t kMostInlinedBytes = 65536;  // a schema that its references make larger than this keeps them
constexpr size_t kMostNested = 2;            // times that a reference is followed within itself
constexpr size_t kMostFollowed = 32;         // references that are followed within each other
constexpr size_t kMostJoined = 16;           // levels of combinators that are merged
constexpr size_t kMostBranches = 1000;       // of them all together
constexpr size_t kMostChanges = 64;          // that are told of one tool

// ---- Keywords ----

bool holds_schemas_by_name(std::string_view key) {
  return is_one_of(key,
                   {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"});
}

bool holds_schemas(std::string_view key) { return is_one_of(key, {"anyOf", "oneOf", "allOf", "prefixItems"}); }

bool holds_schema(std::string_view key) {
  return is_one_of(key, {"additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "not",
                         "if", "then", "else", "contains", "propertyNames", "contentSchema"});
}

// Where true and false are what everybody writes, and servers take them.
bool takes_booleans(std::string_view key) {
  return is_one_of(key, {"additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems"});
}

bool holds_definitions(std::string_view key) { return is_one_of(key, {"$defs", "definitions"}); }

// Does a schema of this `type` allow the type `name`? `type`: a name, or a list of them.
bool allows(std::string_view type, std::string_view name) {
  if (json_kind(type) == '"') return json_text(type) == name;
  for (JsonSlices names(type); names.next();)
    if (json_kind(names.value()) == '"' && json_text(names.value()) == name) return true;
  return false;
}

std::vector<std::string> texts_of(std::string_view list) {
  std::vector<std::string> texts;
  for (JsonSlices items(list); items.next();)
    if (json_kind(items.value()) == '"') texts.push_back(json_text(items.value()));
  return texts;
}

void write_texts(const std::vector<std::string> &texts, std::string &out) {
  ListWriter list;
  for (const std::string &text : texts) append_json_string(list.next(), text);
  out += list.array();
}

// ---- References ----

// Finds what references of one schema name. Each container is read once.
class References {
 public:
  explicit References(std::string_view root) : root_(trim_json(root)) {}

  // What "#/$defs/a" names; nullopt: nothing that is a schema, or something of another document.
  std::optional<std::string_view> find(std::string_view reference) {
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

 private:
  using Members = std::map<std::string, std::string_view, std::less<>>;

  const Members &members_of(std::string_view container) {
    const auto [at, fresh] = known_.try_emplace(container.data());
    if (fresh) {
      size_t index = 0;
      const bool object = json_kind(container) == '{';
      for (JsonSlices items(container); items.next(); ++index)
        at->second[object ? items.key_text() : std::to_string(index)] = trim_json(items.value());
    }
    return at->second;
  }

  // A step of a JSON Pointer in a URL.
  static std::string unescaped(std::string_view step) {
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

  const std::string_view root_;
  std::map<const char *, Members> known_;
};

// ---- The top of a schema ----

// Texts in the order in which they came, each once.
class NameList {
 public:
  bool add(const std::string &name) {
    if (!known_.insert(name).second) return false;
    all_.push_back(name);
    return true;
  }
  bool holds(const std::string &name) const { return known_.contains(name); }
  const std::vector<std::string> &all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::set<std::string> known_;
};

// The schemas of one key: several mean any of them.
struct Property {
  std::vector<std::string_view> schemas;
  std::set<std::string> known;  // the same, each in one spelling
};

// What each branch of a combinator requires.
using Branches = std::vector<std::vector<std::string>>;

// An object's schema, taken apart.
struct Top {
  NameList keys, required;
  std::map<std::string, Property> properties;
  std::vector<std::pair<std::string, std::string_view>> others;
  std::vector<Branches> choices;  // of each combinator

  void add(const std::string &key, std::string_view schema) {
    Property &property = properties[key];
    if (keys.add(key)) {
      property.schemas.push_back(schema);
      return;
    }
    if (property.known.empty()) property.known.insert(canonical_json(property.schemas.front()));
    if (property.known.insert(canonical_json(schema)).second) property.schemas.push_back(schema);
  }
  void add_other(const std::string &key, std::string_view value) {
    if (other_keys.insert(key).second) others.emplace_back(key, value);
  }

  std::set<std::string> other_keys;
};

class Rewriter {
 public:
  Rewriter(std::string_view schema, const ToolRules &rules)
      : root_(compact_json(schema)), rules_(rules), references_(root_) {}

  // Writes the schema as a server takes it. False: no branch of it is an object.
  bool write(std::string &out) {
    const auto top = take_apart(root_, 0);
    if (!top) return false;
    const auto type = json_member(root_, "type");
    if (!type) change("type object added");
    if (type && *type != "\"object\"") change("type is object");
    if (top->keys.all().empty() && !json_member(root_, "properties")) change("properties added");
    if (rules_.legal_keys) name_keys(top->keys.all());
    for (const Branches &branches : top->choices) note_choice(branches);
    sent_root_ = put_together(*top);
    sent_references_.emplace(sent_root_);
    walk(sent_root_, "", out);
    return true;
  }

  bool too_large() const { return too_large_; }

  KeyNames keys;
  std::vector<std::string> changes;
  std::string choices;  // lines for people and models: "Give one of: content; source_url."

 private:
  void change(std::string what) {
    if (changes.size() < kMostChanges && std::find(changes.begin(), changes.end(), what) == changes.end())
      changes.push_back(std::move(what));
  }

  // nullopt: its arguments are never an object.
  std::optional<Top> take_apart(std::string_view schema, size_t level) {
    Top top;
    if (json_kind(schema) == 'f') return std::nullopt;
    if (json_kind(schema) != '{' || level > kMostJoined || ++joined_ > kMostBranches) return top;
    if (const auto type = json_member(schema, "type"); type && !allows(*type, "object")) return std::nullopt;
    bool possible = true;
    for (JsonSlices members(schema); members.next();) {
      const std::string key = members.key_text();
      const std::string_view value = members.value();
      const char kind = json_kind(value);
      if (key == "type") continue;
      if (key == "properties" && kind == '{') {
        for (JsonSlices each(value); each.next();) top.add(each.key_text(), each.value());
      } else if (key == "required" && kind == '[') {
        for (const std::string &name : texts_of(value)) top.required.add(name);
      } else if (key == "$ref" && kind == '"') {
        possible = follow(json_text(value), level, top) && possible;
      } else if (kind == '[' && is_one_of(key, {"anyOf", "oneOf", "allOf"})) {
        possible = (rules_.merge_top ? merge(key, value, level, top) : keep(key, value, level, top)) && possible;
      } else if (rules_.merge_top && is_one_of(key, {"enum", "const", "not"})) {
        change(key + " left out");
      } else {
        top.add_other(key, value);
      }
    }
    return possible ? std::optional(std::move(top)) : std::nullopt;
  }

  static void add_all(const Top &from, Top &to, bool whole) {
    for (const std::string &key : from.keys.all())
      for (const std::string_view schema : from.properties.at(key).schemas) to.add(key, schema);
    to.choices.insert(to.choices.end(), from.choices.begin(), from.choices.end());
    if (!whole) return;
    for (const std::string &name : from.required.all()) to.required.add(name);
    for (const auto &[key, value] : from.others) to.add_other(key, value);
  }

  // The top is what a reference names.
  bool follow(const std::string &reference, size_t level, Top &top) {
    const auto found = references_.find(reference);
    change(found ? "$ref merged" : "$ref " + reference + " left out");
    if (!found) return true;
    const auto named = take_apart(*found, level + 1);
    if (named) add_all(*named, top, true);
    return named.has_value();
  }

  // What all branches together say goes into `top`. False: no branch is an object.
  bool merge(const std::string &key, std::string_view branches, size_t level, Top &top) {
    change(key + " merged");
    const bool all = key == "allOf";
    Branches required;  // of those that are objects
    bool any = false;
    for (JsonSlices list(branches); list.next(); any = true) {
      auto branch = take_apart(list.value(), level + 1);
      if (all && !branch) return false;
      if (!branch) continue;
      std::erase_if(branch->others, [](const auto &one) { return takes_booleans(one.first); });
      add_all(*branch, top, all);
      required.push_back(branch->required.all());
    }
    if (all || required.empty()) return all || !any;
    std::map<std::string_view, size_t> times;
    for (const auto &names : required)
      for (const std::string &name : names) ++times[name];
    for (const std::string &name : required.front())
      if (times[name] == required.size()) top.required.add(name);
    top.choices.push_back(std::move(required));
    return true;
  }

  // Of a server that takes combinators.
  bool keep(const std::string &key, std::string_view branches, size_t level, Top &top) {
    bool any = false, every = true, one = false;
    for (JsonSlices list(branches); list.next(); any = true) {
      const bool object = take_apart(list.value(), level + 1).has_value();
      every = every && object;
      one = one || object;
    }
    top.add_other(key, branches);
    return !any || (key == "allOf" ? every : one);
  }

  // ---- Keys ----

  static bool in_key(char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; }

  static bool is_legal(std::string_view key) {
    return !key.empty() && key.size() <= kMostNameBytes && std::all_of(key.begin(), key.end(), in_key);
  }

  // NameList for the keys that the server refuses, in their order. A legal key keeps its own.
  void name_keys(const std::vector<std::string> &all) {
    std::set<std::string> taken;
    for (const std::string &key : all)
      if (is_legal(key)) taken.insert(key);
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
      change("key " + key + " is " + name);
      keys.emplace_back(key, name);
      sent_keys_.emplace(key, std::move(name));
    }
  }

  const std::string &sent_key(const std::string &key) const {
    const auto found = sent_keys_.find(key);
    return found == sent_keys_.end() ? key : found->second;
  }

  std::vector<std::string> sent_names(std::vector<std::string> names) const {
    for (std::string &name : names) name = sent_key(name);
    return names;
  }

  // A member of a schema that is about the same object, with the names that are sent.
  void write_with_sent_keys(std::string_view key, std::string_view value, std::string &out) const {
    const char kind = json_kind(value);
    if (kind == '[' && key == "required") {
      write_texts(sent_names(texts_of(value)), out);
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
        append_json_string(out, sent_key(each.key_text()));
        out += ':';
        if (json_kind(each.value()) == '[')
          write_texts(sent_names(texts_of(each.value())), out);
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

  void write_part(std::string_view schema, std::string &out) const {
    if (json_kind(schema) != '{') {
      out += schema;
      return;
    }
    out += '{';
    for (JsonSlices members(schema); members.next();) {
      if (out.back() != '{') out += ',';
      out.append(members.key()).append(":");
      write_with_sent_keys(members.key_text(), members.value(), out);
    }
    out += '}';
  }

  std::string put_together(const Top &top) const {
    std::string out = R"({"type":"object")";
    const auto begin = [&](const std::string &key) {
      out += ',';
      append_json_string(out, key);
      out += ':';
    };
    for (const auto &[key, value] : top.others) {
      begin(key);
      if (keys.empty())
        out += value;
      else
        write_with_sent_keys(key, value, out);
    }
    out += R"(,"properties":{)";
    for (const std::string &key : top.keys.all()) {
      if (out.back() != '{') out += ',';
      append_json_string(out, sent_key(key));
      out += ':';
      const auto &schemas = top.properties.at(key).schemas;
      if (schemas.size() > 1) out += R"({"anyOf":[)";
      for (const std::string_view schema : schemas)
        out.append(schema.data() == schemas[0].data() ? "" : ",").append(schema);
      if (schemas.size() > 1) out += "]}";
    }
    out += '}';
    if (!top.required.all().empty()) {
      begin("required");
      write_texts(sent_names(top.required.all()), out);
    }
    return out + "}";
  }

  // Nothing where a branch requires nothing, or all the same.
  void note_choice(const Branches &branches) {
    NameList given;
    for (const std::vector<std::string> &required : branches) {
      if (required.empty()) return;
      std::string names;
      for (const std::string &name : required) names.append(names.empty() ? "" : ", ").append(sent_key(name));
      given.add(names);
    }
    if (given.all().size() < 2) return;
    choices += choices.empty() ? "Give one of: " : "\nGive one of: ";
    for (const std::string &names : given.all()) choices.append(names == given.all().front() ? "" : "; ").append(names);
    choices += '.';
  }

  // ---- Every level ----

  void walk(std::string_view schema, const std::string &path, std::string &out) {
    if (!chain_.empty() && out.size() > std::max(kMostInlinedBytes, root_.size())) too_large_ = true;
    const char kind = json_kind(schema);
    if (too_large_ || kind != '{') {
      if (!too_large_) change(std::string(kind == 'f' ? "false" : "true") + " is a schema at " + place(path));
      out += kind == 'f' ? R"({"not":{}})" : "{}";
      return;
    }
    const auto reference = json_member(schema, "$ref");
    if (reference && json_kind(*reference) == '"' && walk_reference(schema, json_text(*reference), path, out)) return;
    walk_members(schema, path, out);
  }

  // False: the members of the schema are still to be written, without the reference where it is none.
  bool walk_reference(std::string_view schema, const std::string &reference, const std::string &path,
                      std::string &out) {
    const auto found = references_.find(reference);
    if (!found) {
      change("$ref " + reference + " left out at " + place(path));
      return false;
    }
    if (!rules_.inline_refs && sent_references_->find(reference)) return false;
    change("$ref replaced at " + place(path));
    const auto nested = std::count(chain_.begin(), chain_.end(), reference);
    if (static_cast<size_t>(nested) > kMostNested || chain_.size() > kMostFollowed) {
      out += "{}";
      return true;
    }
    chain_.push_back(reference);
    if (json_kind(*found) == '{')
      walk(with_siblings(*found, schema), path, out);
    else
      walk(*found, path, out);
    chain_.pop_back();
    return true;
  }

  // What the reference names, with the members beside it laid over.
  std::string with_siblings(std::string_view named, std::string_view schema) {
    std::string out = "{", beside;
    std::set<std::string> laid_over;
    const auto add = [](const JsonSlices &member, std::string &to) {
      to.append(to.empty() || to == "{" ? "" : ",").append(member.key()).append(":").append(member.value());
    };
    for (JsonSlices members(schema); members.next();) {
      const std::string key = members.key_text();
      if (key != "$ref" && laid_over.insert(key).second) add(members, beside);
    }
    for (JsonSlices members(named); members.next();)
      if (!laid_over.contains(members.key_text())) add(members, out);
    if (!beside.empty()) out.append(out.size() > 1 ? "," : "").append(beside);
    return out + "}";
  }

  void walk_members(std::string_view schema, const std::string &path, std::string &out) {
    bool array = false, has_items = false;
    const size_t begin = out.size();
    out += '{';
    for (JsonSlices members(schema); members.next();) {
      const std::string key = members.key_text();
      const std::string_view value = trim_json(members.value());
      if (rules_.inline_refs && holds_definitions(key) && json_kind(value) == '{') {
        change(key + " left out");
        continue;
      }
      if (key == "$ref" && json_kind(value) == '"' && !references_.find(json_text(value))) continue;
      if (rules_.inline_refs && is_one_of(key, {"$dynamicRef", "$recursiveRef"})) {
        change(key + " left out at " + place(path));
        continue;
      }
      if (key == "type") array = allows(value, "array");
      const size_t before = out.size();
      if (out.size() > begin + 1) out += ',';
      out.append(members.key()).append(":");
      if (key == "items") {
        has_items = true;
        walk_items(value, path, out);
      } else if (key == "required" && rules_.known_required && json_kind(value) == '[') {
        if (!write_known(value, json_member(schema, "properties").value_or("{}"), path, out)) out.resize(before);
      } else if (holds_schemas_by_name(key) && json_kind(value) == '{') {
        walk_named(key, value, path, out);
      } else if (holds_schemas(key) && json_kind(value) == '[') {
        walk_list(value, path, out);
      } else if (holds_schema(key) && !(takes_booleans(key) && json_kind(value) != '{')) {
        walk(value, path + "/" + key, out);
      } else {
        out += value;
      }
    }
    if (array && !has_items) {
      change("items added at " + place(path));
      out.append(out.size() > begin + 1 ? "," : "").append(R"("items":{})");
    }
    out += '}';
  }

  void walk_items(std::string_view items, const std::string &path, std::string &out) {
    const std::string within = path + "/*";
    if (json_kind(items) != '[') return walk(json_kind(items) == 'f' ? "true" : items, within, out);
    change("items is one schema at " + place(path));
    if (!JsonSlices(items).next()) {
      out += "{}";
      return;
    }
    out += R"({"anyOf":)";
    walk_list(items, within, out);
    out += '}';
  }

  void walk_list(std::string_view list, const std::string &path, std::string &out) {
    out += '[';
    for (JsonSlices items(list); items.next();) {
      if (out.back() != '[') out += ',';
      walk(trim_json(items.value()), path, out);
    }
    out += ']';
  }

  void walk_named(std::string_view key, std::string_view all, const std::string &path, std::string &out) {
    const std::string within = key == "properties" ? path + "/" : path + "/" + std::string(key) + "/";
    out += '{';
    for (JsonSlices each(all); each.next();) {
      if (out.back() != '{') out += ',';
      out.append(each.key()).append(":");
      if (json_kind(each.value()) == '[')
        out += each.value();  // of `dependencies`: names
      else
        walk(trim_json(each.value()), within + each.key_text(), out);
    }
    out += '}';
  }

  // False: none of the names is that of a property.
  bool write_known(std::string_view required, std::string_view properties, const std::string &path, std::string &out) {
    std::set<std::string> known;
    for (JsonSlices each(properties); each.next();) known.insert(each.key_text());
    std::vector<std::string> names;
    for (std::string &name : texts_of(required)) {
      if (known.contains(name))
        names.push_back(std::move(name));
      else
        change("required " + name + " left out at " + place(path));
    }
    if (names.empty() && JsonSlices(required).next()) return false;
    write_texts(names, out);
    return true;
  }

  static std::string place(const std::string &path) { return path.empty() ? "the top" : path; }

  // -- set once
  const std::string root_;
  const ToolRules rules_;
  // -- while it writes
  References references_;
  size_t joined_ = 0;
  std::map<std::string, std::string> sent_keys_;
  std::string sent_root_;                      // the top as it is sent; what is within it is still the host's
  std::optional<References> sent_references_;  // of that
  std::vector<std::string> chain_;             // references that are being followed
  bool too_large_ = false;
};

}  // namespace

std::string cut_description(std::string_view text, size_t most) {
  if (most == 0 || text.size() <= most || utf16_length(text) <= most) return std::string(text);
  size_t units = 0, end = 0;
  while (end < text.size()) {
    const size_t length = code_point_length(text[end]), more = length == 4 ? 2 : 1;
    if (units + more > most - 1) break;
    units += more;
    end += length;
  }
  return std::string(text.substr(0, end)) + "…";
}

bool is_plain(const ToolOffer &tool) {
  const SentTool sent =
      sent_tool(tool, {.merge_top = true, .legal_keys = true, .inline_refs = true, .known_required = true});
  return sent.unsendable.empty() && sent.changes.empty();
}

SentTool sent_tool(const ToolOffer &tool, const ToolRules &rules) {
  SentTool sent;
  const auto write = [&](const ToolRules &by) {
    Rewriter rewriter(tool.parameters, by);
    std::string parameters;
    if (!rewriter.write(parameters)) {
      sent.unsendable = "its arguments can never be an object";
      return true;
    }
    if (rewriter.too_large()) return false;
    sent.parameters = std::move(parameters);
    sent.keys = std::move(rewriter.keys);
    sent.changes = std::move(rewriter.changes);
    sent.description = tool.description;
    if (!rewriter.choices.empty())
      sent.description.append(sent.description.empty() ? "" : "\n").append(rewriter.choices);
    return true;
  };
  if (!write(rules)) {
    ToolRules with_refs = rules;
    with_refs.inline_refs = false;
    write(with_refs);
    sent.keeps_refs = true;
    sent.changes.push_back("$ref kept: without it the schema would be larger than 64 KiB");
  }
  if (!sent.unsendable.empty()) return sent;
  std::string cut = cut_description(sent.description, rules.most_description_units);
  if (cut != sent.description)
    sent.changes.push_back("description cut at " + std::to_string(rules.most_description_units) + " characters");
  sent.description = std::move(cut);
  return sent;
}

}  // namespace sluice
