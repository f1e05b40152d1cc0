#include "wire/tool_schema.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/utf8.h"
#include "wire/schema_references.h"
#include "wire/sent_keys.h"

namespace sluice {
namespace {

constexpr size_t kMostInlinedBytes = 65536;  // a schema that its references make larger than this keeps them
constexpr size_t kMostNested = 2;            // times that a reference is followed within itself
constexpr size_t kMostFollowed = 32;         // references that are followed within each other
constexpr size_t kMostJoined = 16;           // levels of combinators that are merged
constexpr size_t kMostBranches = 1000;       // of them all together
constexpr size_t kMostForms = 6;             // of one schema that are tried before no reference stays
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

// Keywords that take less where a schema within them takes more. `contains` does so with `maxContains` only.
bool turns_around(std::string_view key) { return is_one_of(key, {"not", "if", "oneOf", "contains"}); }

// Does a schema of this `type` allow the type `name`? `type`: a name, or a list of them.
bool allows(std::string_view type, std::string_view name) {
  if (json_kind(type) == '"') return json_text(type) == name;
  for (JsonSlices names(type); names.next();)
    if (json_kind(names.value()) == '"' && json_text(names.value()) == name) return true;
  return false;
}

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
  const char *condition = nullptr;  // the schema whose if, then and else are among them
  std::vector<Branches> choices;    // of each combinator

  void add(const std::string &key, std::string_view schema) {
    Property &property = properties[key];
    if (keys.add(key)) {
      property.schemas.push_back(schema);
      return;
    }
    if (property.known.empty()) property.known.insert(canonical_json(property.schemas.front()));
    if (property.known.insert(canonical_json(schema)).second) property.schemas.push_back(schema);
  }
  // `from`: the schema that has it. Conditions of two schemas do not mix.
  void add_other(const std::string &key, std::string_view value, const char *from) {
    if (is_condition(key)) {
      if (condition == nullptr) condition = from;
      if (condition != from) return;
    }
    if (other_keys.insert(key).second) others.emplace_back(key, value);
  }

  std::set<std::string> other_keys;
};

// What becomes of references.
enum class Refs : uint8_t {
  by_rules,
  once,              // as the rules say, but none is followed within itself
  kept,              // they stay where they can; others are replaced
  kept_or_left_out,  // they stay where they can; others are left out
  left_out,
};

// What one form of the schema showed: the next form is made with it.
struct Learned {
  std::set<std::string> gone;  // references whose place is not in the form
  bool lossy = false;          // some schema takes more than the host's
  bool none = false;           // no reference stays
};

class Rewriter {
 public:
  Rewriter(std::string_view schema, const ToolRules &rules, Refs refs, const Learned &learned)
      : root_(compact_json(schema)),
        rules_(rules),
        inlines_(refs == Refs::left_out || (rules.inline_refs && refs <= Refs::once)),
        bare_(rules.inline_refs),
        leaves_out_(refs >= Refs::kept_or_left_out),
        most_nested_(refs == Refs::by_rules ? kMostNested : 0),
        learned_(learned),
        references_(root_),
        keys_(references_) {}

  // Writes the schema as a server takes it. False: no branch of it is an object.
  bool write(std::string &out) {
    const auto top = take_apart(root_, 0);
    if (!top) return false;
    const auto type = json_member(root_, "type");
    if (!type) change("type object added");
    if (type && *type != "\"object\"") change("type is object");
    if (top->keys.all().empty() && !json_member(root_, "properties")) change("properties added");
    if (rules_.legal_keys) name_keys(*top);
    for (const Branches &branches : top->choices) note_choice(branches);
    const auto is_added = [](const std::string &what) { return what.ends_with(" added"); };
    top_is_kept_ = std::all_of(changes.begin(), changes.end(), is_added);
    sent_root_ = put_together(*top);
    sent_references_.emplace(sent_root_);
    walk(sent_root_, "", out);
    return true;
  }

  const KeyNames &names() const { return keys_.names(); }

  bool too_large() const { return too_large_; }

  // Looks at the form that was written. Returns true if another one is to be made.
  bool learn(std::string_view form, Learned &learned) {
    const bool lossy = losses_ > 0 && turned_reference_ && !learned.lossy;
    learned.lossy = learned.lossy || lossy;
    SchemaReferences sent(form);
    bool more = lossy;
    for (const auto &[reference, kept] : kept_)
      if (kept && !sent.find(reference)) more = learned.gone.insert(reference).second || more;
    return more;
  }

  std::vector<std::string> changes;
  std::string choices;  // lines for people and models: "Give one of: content; source_url."

 private:
  void change(std::string what) {
    if (changes.size() > kMostChanges || std::find(changes.begin(), changes.end(), what) != changes.end()) return;
    if (changes.size() == kMostChanges) what = "and more";
    changes.push_back(std::move(what));
  }

  // The schema takes more than before.
  void lose(std::string what) {
    change(std::move(what));
    ++losses_;
  }

  // Gemini refuses an empty list; the schema is sent without it.
  void note_empty_required(std::string_view required, const std::string &path) {
    if (rules_.known_required && !JsonSlices(required).next()) change("empty required left out at " + place(path));
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
        if (level == 0) note_empty_required(value, "");
        for (const std::string &name : json_texts(value)) top.required.add(name);
      } else if (key == "$ref" && kind == '"') {
        possible = follow(json_text(value), level, top) && possible;
      } else if (kind == '[' && is_one_of(key, {"anyOf", "oneOf", "allOf"})) {
        possible = (rules_.merge_top ? merge(key, value, level, top) : keep(key, value, level, top)) && possible;
      } else if (rules_.merge_top && is_one_of(key, {"enum", "const", "not"})) {
        change(key + " left out");
      } else {
        top.add_other(key, value, schema.data());
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
    for (const auto &[key, value] : from.others) to.add_other(key, value, from.condition);
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
    top.add_other(key, branches, nullptr);
    return !any || (key == "allOf" ? every : one);
  }

  // ---- The top as it is sent ----

  void name_keys(const Top &top) {
    std::set<std::string> taken(top.required.all().begin(), top.required.all().end());
    for (const Branches &branches : top.choices)
      for (const auto &names : branches) taken.insert(names.begin(), names.end());
    for (const auto &[key, value] : top.others) keys_.collect(key, value, taken);
    keys_.name(top.keys.all(), std::move(taken));
    for (const auto &[own, sent] : keys_.names()) change("key " + own + " is " + sent);
  }

  bool fits_sent_keys(const Top &top, const std::string &key, std::string_view value) {
    if (is_one_of(key, {"additionalProperties", "unevaluatedProperties"}))
      return !top.other_keys.contains("patternProperties");
    return keys_.fits(key, value);
  }

  std::string put_together(const Top &top) {
    std::string out = R"({"type":"object")";
    const auto begin = [&](const std::string &key) {
      out += ',';
      append_json_string(out, key);
      out += ':';
    };
    for (const auto &[key, value] : top.others) {
      if (!keys_.names().empty() && !fits_sent_keys(top, key, value)) {
        lose(key + " left out");
        continue;
      }
      begin(key);
      if (keys_.names().empty())
        out += value;
      else
        keys_.write(key, value, out);
    }
    out += R"(,"properties":{)";
    for (const std::string &key : top.keys.all()) {
      if (out.back() != '{') out += ',';
      append_json_string(out, keys_.sent(key));
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
      append_json_texts(out, keys_.sent(top.required.all()));
    }
    return out + "}";
  }

  // Nothing where a branch requires nothing, or all the same.
  void note_choice(const Branches &branches) {
    NameList given;
    for (const std::vector<std::string> &required : branches) {
      if (required.empty()) return;
      std::string names;
      for (const std::string &name : required) names.append(names.empty() ? "" : ", ").append(keys_.sent(name));
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
    if (!reference || json_kind(*reference) != '"') return walk_members(schema, path, out);
    const std::string name = json_text(*reference);
    const auto found = references_.find(name);
    if (!found) {
      lose("$ref " + name + " left out at " + place(path));
      walk_members(schema, path, out);
      return;
    }
    if (inlines_ || !keeps(name, *found)) return walk_reference(schema, name, *found, path, out);
    if (turned_ > 0) {
      turned_reference_ = true;
      if (learned_.lossy) ++losses_;  // what it names may be what takes more
    }
    if (bare_) {
      write_bare(schema, path, out);
    } else {
      walk_members(schema, path, out);
    }
  }

  // May the reference stay? The sent schema must have at its place what the host's has.
  bool keeps(const std::string &reference, std::string_view named) {
    const auto [at, fresh] = kept_.try_emplace(reference, false);
    if (fresh && !learned_.none && !learned_.gone.contains(reference))
      at->second = reference == "#" ? top_is_kept_ : sent_references_->find(reference) == named;
    return at->second;
  }

  // A server that wants no references, and gets them because the schema is too large, takes little beside them.
  void write_bare(std::string_view schema, const std::string &path, std::string &out) {
    ObjectWriter object(out);
    for (JsonSlices members(schema); members.next();) {
      const std::string key = members.key_text();
      if (is_one_of(key, {"$ref", "description", "default"}))
        object.raw(key, members.value());
      else
        lose(key + " left out at " + place(path));
    }
    object.close();
  }

  void walk_reference(std::string_view schema, const std::string &reference, std::string_view named,
                      const std::string &path, std::string &out) {
    const auto nested = std::count(chain_.begin(), chain_.end(), reference);
    if (leaves_out_ || static_cast<size_t>(nested) > most_nested_ || chain_.size() > kMostFollowed) {
      lose("$ref " + reference + " left out at " + place(path));
      out += "{}";
      return;
    }
    change("$ref replaced at " + place(path));
    chain_.push_back(reference);
    std::vector<std::string> lost;
    if (json_kind(named) == 'f')
      walk(named, path, out);
    else
      walk(with_siblings(json_kind(named) == '{' ? named : "{}", schema, lost), path, out);
    for (const std::string &key : lost) lose(key + " of " + reference + " left out at " + place(path));
    chain_.pop_back();
  }

  void walk_members(std::string_view schema, const std::string &path, std::string &out) {
    bool array = false, has_items = false;
    const size_t begin = out.size();
    out += '{';
    for (JsonSlices members(schema); members.next();) {
      const std::string key = members.key_text();
      const std::string_view value = trim_json(members.value());
      if (inlines_ && holds_definitions(key) && json_kind(value) == '{') {
        change(key + " left out");
        continue;
      }
      if (key == "$ref" && json_kind(value) == '"' && !references_.find(json_text(value))) continue;
      if (rules_.inline_refs && is_one_of(key, {"$dynamicRef", "$recursiveRef"})) {
        lose(key + " left out at " + place(path));
        continue;
      }
      // Names of places: no reference that goes out has them, and a copy would have the same one.
      if (is_one_of(key, {"$anchor", "$dynamicAnchor"}) || (key == "$id" && !(path.empty() && chain_.empty()))) {
        change(key + " left out at " + place(path));
        continue;
      }
      if (key == "type") array = allows(value, "array");
      const size_t before = out.size(), losses = losses_;
      if (out.size() > begin + 1) out += ',';
      const size_t name = out.size();
      out.append(members.key()).append(":");
      const bool turns = turns_around(key);
      turned_ += turns;
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
      turned_ -= turns;
      // Where a schema within takes more than the host's, this would take less.
      if (losses_ == losses || !turns) continue;
      if (key == "oneOf" && !json_member(schema, "anyOf")) {
        out.replace(name, members.key().size(), "\"anyOf\"");
        lose("oneOf is anyOf at " + place(path));
      } else if (key != "contains" || json_member(schema, "maxContains")) {
        out.resize(before);
        lose(key + " left out at " + place(path));
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
    if (json_kind(items) == 'f') {
      lose("items is any at " + place(path));
      out += "{}";
      return;
    }
    if (json_kind(items) != '[') return walk(items, within, out);
    lose("items is one schema at " + place(path));
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
    for (std::string &name : json_texts(required)) {
      if (known.contains(name))
        names.push_back(std::move(name));
      else
        lose("required " + name + " left out at " + place(path));
    }
    note_empty_required(required, path);
    if (names.empty()) return false;
    append_json_texts(out, names);
    return true;
  }

  static std::string place(const std::string &path) { return path.empty() ? "the top" : path; }

  // -- set once
  const std::string root_;
  const ToolRules rules_;
  const bool inlines_;     // references are replaced by what they name
  const bool bare_;        // a reference that stays has at most a description and a default beside it
  const bool leaves_out_;  // what cannot stay is left out
  const size_t most_nested_;
  const Learned &learned_;
  // -- while it writes
  SchemaReferences references_;
  SentKeys keys_;
  size_t joined_ = 0;
  std::string sent_root_;                            // the top as it is sent; what is within it is still the host's
  std::optional<SchemaReferences> sent_references_;  // of that
  bool top_is_kept_ = false;                         // the top says what the host's does
  std::map<std::string, bool> kept_;                 // by reference: what `keeps` found
  size_t losses_ = 0, turned_ = 0;                   // turned_: keywords around it that turn around
  bool turned_reference_ = false;                    // a reference stays within one of them
  std::vector<std::string> chain_;                   // references that are being followed
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
  const auto write = [&](Refs refs) {
    Learned learned;
    for (size_t form = 1;; ++form) {
      Rewriter rewriter(tool.parameters, rules, refs, learned);
      std::string parameters;
      if (!rewriter.write(parameters)) {
        sent.unsendable = "its arguments can never be an object";
        return true;
      }
      if (rewriter.too_large()) return false;
      if (rewriter.learn(parameters, learned)) {
        learned.none = form >= kMostForms;
        continue;
      }
      sent.parameters = std::move(parameters);
      sent.keys = rewriter.names();
      sent.changes = std::move(rewriter.changes);
      sent.description = tool.description;
      if (!rewriter.choices.empty())
        sent.description.append(sent.description.empty() ? "" : "\n").append(rewriter.choices);
      return true;
    }
  };
  if (!write(Refs::by_rules) && !(rules.inline_refs && write(Refs::once))) {
    if (!rules.knows_refs) {
      write(Refs::left_out);
    } else {
      if (!write(Refs::kept)) write(Refs::kept_or_left_out);
      sent.keeps_refs = true;
      sent.changes.push_back("$ref kept: without it the schema would be larger than 64 KiB");
    }
  }
  if (!sent.unsendable.empty()) return sent;
  std::string cut = cut_description(sent.description, rules.most_description_units);
  if (cut != sent.description)
    sent.changes.push_back("description cut at " + std::to_string(rules.most_description_units) + " characters");
  sent.description = std::move(cut);
  return sent;
}

}  // namespace sluice
