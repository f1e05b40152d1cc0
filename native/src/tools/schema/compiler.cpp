#include "tools/schema/compiler.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/reading.h"
#include "base/text.h"

namespace sluice::json_schema {
namespace {

// Keywords that restrict no value, or that are read together with another keyword.
constexpr std::string_view kSilent[] = {
    "$anchor", "$comment", "$id",        "$schema",          "$vocabulary",  "contentEncoding", "contentMediaType",
    "default", "else",     "deprecated", "contentSchema",    "description",  "discriminator",   "enumDescriptions",
    "example", "examples", "id",         "propertyOrdering", "externalDocs", "readOnly",        "markdownDescription",
    "then",    "title",    "writeOnly",  "additionalItems",  "xml"};

class Compiler {
 public:
  Compiler(std::string_view root, std::deque<Node> &nodes, std::set<std::string> &unchecked)
      : root_(root), nodes_(nodes), unchecked_(unchecked) {}

  Status run(const Node *&out) {
    Status status = compile(root_, out);
    // Follow references last: by then every schema is compiled at its own place, with its own path.
    for (size_t i = 0; status.ok() && i < refs_.size(); ++i) status = follow(refs_[i]);
    if (status.ok()) status = refuse_loops();
    if (status.ok() && !unchecked_.empty()) spread_loose();
    return status;
  }

 private:
  struct Ref {
    Node *node;
    std::string_view token;  // the string with its quotes
    std::string path;
  };

  Status compile(std::string_view text, const Node *&out) {
    text = trim_json(text);
    const auto known = by_place_.find(text.data());
    if (known != by_place_.end()) {
      out = known->second;
      return {};
    }
    const char kind = json_kind(text);
    if (kind != '{' && kind != 't' && kind != 'f') return unexpected(text, "a schema: an object, true or false");
    Node &node = nodes_.emplace_back();
    by_place_[text.data()] = &node;
    out = &node;
    node.never = kind == 'f';
    std::map<std::string, std::string_view, std::less<>> words;
    JsonSlices slices(text);
    while (slices.next()) words[slices.key_text()] = slices.value();
    paths_.push_back({});
    Status status;
    for (const auto &[word, value] : words) {
      paths_.back() = word;
      status = read_word(node, word, value, words).inside(word);
      if (!status.ok()) break;
    }
    paths_.pop_back();
    return status;
  }

  using Words = std::map<std::string, std::string_view, std::less<>>;

  Status read_word(Node &node, std::string_view word, std::string_view value, const Words &words) {
    const auto has = [&](std::string_view name) { return words.find(name) != words.end(); };
    if (word == "type") return read_type(node, value);
    if (word == "nullable") {
      return read_bool(value, node.nullable);
    }
    if (word == "enum") {
      if (json_kind(value) != '[') return unexpected(value, "an array of values");
      JsonSlices slices(value);
      while (slices.next()) allow_value(node, slices.value());
      if (node.values.empty()) return unexpected(value, "at least one value");
      return {};
    }
    if (word == "const") {
      // With both "const" and "enum", each is a rule of its own.
      if (!has("enum")) {
        allow_value(node, value);
        return {};
      }
      Node &other = nodes_.emplace_back();
      allow_value(other, value);
      node.all.push_back(&other);
      return {};
    }
    if (word == "minimum") return read_bound(value, is_true(words, "exclusiveMinimum") ? node.above : node.least);
    if (word == "maximum") return read_bound(value, is_true(words, "exclusiveMaximum") ? node.below : node.most);
    if (word == "exclusiveMinimum" || word == "exclusiveMaximum") {
      const char kind = json_kind(value);
      if (kind == 't' || kind == 'f') return {};  // of draft 4: read with minimum and maximum
      return read_bound(value, word == "exclusiveMinimum" ? node.above : node.below);
    }
    if (word == "multipleOf") {
      Status status = read_bound(value, node.multiple);
      if (!status.ok()) return status;
      if (node.multiple->number.digits.empty() || node.multiple->number.negative)
        return unexpected(value, "a number above 0");
      if (node.multiple->number.digits.size() > kDivisorDigits) {
        node.multiple.reset();
        ignore(node, word);
      }
      return {};
    }
    if (word == "minLength") return read_count(value, node.min_length);
    if (word == "maxLength") return read_count(value, node.max_length);
    if (word == "minItems") return read_count(value, node.min_items);
    if (word == "maxItems") return read_count(value, node.max_items);
    if (word == "minProperties") return read_count(value, node.min_members);
    if (word == "maxProperties") return read_count(value, node.max_members);
    if (word == "uniqueItems") return read_bool(value, node.unique);
    if (word == "items") {
      // With prefixItems it means the items after those, which are not checked.
      const Node *ignored = nullptr;
      if (has("prefixItems")) return compile(value, ignored);
      if (json_kind(value) != '[') return compile(value, node.items);
      Status status = read_list(value, node.tuple);
      const auto rest = words.find("additionalItems");
      if (status.ok() && rest != words.end()) status = compile(rest->second, node.items);
      return status;
    }
    if (word == "contains") {
      const auto least = words.find("minContains");  // 0: it restricts nothing
      const Node *ignored = nullptr;
      return compile(value, least != words.end() && is_zero(least->second) ? ignored : node.contains);
    }
    if (word == "properties") return read_map(value, node.members);
    if (word == "additionalProperties") {
      // Patterns are not checked, so with patternProperties the other members are unknown.
      const Node *ignored = nullptr;
      return compile(value, has("patternProperties") ? ignored : node.more);
    }
    if (word == "propertyNames") return compile(value, node.names);
    if (word == "required") {
      std::vector<std::string> names;
      Status status = read_texts(value, names);
      for (std::string &name : names) node.required.emplace(std::move(name), node.required.size());
      return status;
    }
    if (word == "dependencies") return read_needs(node, value);
    if (word == "allOf") return read_list(value, node.all, true);
    if (word == "anyOf") return read_list(value, node.any, true);
    if (word == "oneOf") return read_list(value, node.one, true);
    if (word == "not") return compile(value, node.negated);
    if (word == "if") {
      Status status = compile(value, node.when);
      for (const auto &[name, target] : {std::pair{"then", &node.then}, std::pair{"else", &node.otherwise}}) {
        const auto found = words.find(name);
        if (status.ok() && found != words.end()) status = compile(found->second, *target);
      }
      return status;
    }
    if (word == "$defs" || word == "definitions") {
      std::map<std::string, const Node *, std::less<>> ignored;
      return read_map(value, ignored);
    }
    if (word == "$ref") {
      if (json_kind(value) != '"') return unexpected(value, "a string");
      const std::string target = json_text(trim_json(value));
      if (target.empty() || target[0] != '#' || (target.size() > 1 && target[1] != '/'))
        ignore(node, word);  // another document, or an anchor
      else
        refs_.push_back({&node, trim_json(value), joined_path()});
      return {};
    }
    if (!word.starts_with("x-") && std::find(std::begin(kSilent), std::end(kSilent), word) == std::end(kSilent))
      ignore(node, word);
    return {};
  }

  void ignore(Node &node, std::string_view word) {
    node.loose = true;
    unchecked_.insert(std::string(word));
  }

  static bool is_true(const Words &words, std::string_view name) {
    const auto found = words.find(name);
    return found != words.end() && json_kind(found->second) == 't';
  }

  static bool is_zero(std::string_view value) {
    return json_kind(value) == '0' && read_number(trim_json(value)).digits.empty();
  }

  static Status read_type(Node &node, std::string_view value) {
    const auto one = [&](std::string_view name) -> Status {
      const std::string text = json_kind(name) == '"' ? json_text(trim_json(name)) : std::string();
      for (const NamedType &type : kTypes)
        if (type.name == text) return node.types |= type.type, Status();
      for (const NamedType &type : kTypesOfOthers)
        if (type.name == text) return node.types |= type.type, Status();
      return unexpected(name, "null | boolean | integer | number | string | array | object, or an array of these");
    };
    if (json_kind(value) == 'n') return {};  // a generator had no type: any
    if (json_kind(value) != '[') return one(value);
    JsonSlices slices(value);
    for (size_t i = 0; slices.next(); ++i) {
      Status status = one(slices.value());
      if (!status.ok()) return std::move(status).inside("[" + std::to_string(i) + "]");
    }
    if (node.types == 0) return unexpected(value, "at least one type");
    return {};
  }

  static void allow_value(Node &node, std::string_view value) {
    std::string key;
    equality_key(value, key);
    if (!node.values.insert(std::move(key)).second) return;
    node.value_types |= type_of(value);
    if (node.values_text.size() > kListed) return;
    if (!node.values_text.empty()) node.values_text += ", ";
    node.values_text += shown(value);
    if (node.values_text.size() > kListed) node.values_text += ", …";
  }

  static Status read_bound(std::string_view value, std::optional<Bound> &out) {
    if (json_kind(value) != '0') return unexpected(value, "a number");
    const std::string_view token = trim_json(value);
    Bound bound{read_number(token), std::string(token)};
    out = std::move(bound);
    return {};
  }

  static Status read_count(std::string_view value, std::optional<size_t> &out) {
    return read_whole_into(value, 0, out.emplace());
  }

  Status read_list(std::string_view value, std::vector<const Node *> &out, bool some = false) {
    if (json_kind(value) != '[') return unexpected(value, "an array of schemas");
    JsonSlices slices(value);
    for (size_t i = 0; slices.next(); ++i) {
      paths_.push_back("[" + std::to_string(i) + "]");
      const Node *node = nullptr;
      Status status = compile(slices.value(), node).inside(paths_.back());
      paths_.pop_back();
      if (!status.ok()) return status;
      out.push_back(node);
    }
    if (some && out.empty()) return unexpected(value, "at least one schema");
    return {};
  }

  Status read_map(std::string_view value, std::map<std::string, const Node *, std::less<>> &out) {
    if (json_kind(value) != '{') return unexpected(value, "an object of schemas");
    JsonSlices slices(value);
    while (slices.next()) {
      std::string name = slices.key_text();
      paths_.push_back(name);
      const Node *node = nullptr;
      Status status = compile(slices.value(), node).inside(name);
      paths_.pop_back();
      if (!status.ok()) return status;
      out[std::move(name)] = node;
    }
    return {};
  }

  Status read_needs(Node &node, std::string_view value) {
    if (json_kind(value) != '{') return unexpected(value, "an object of schemas or arrays of names");
    JsonSlices slices(value);
    while (slices.next()) {
      std::string name = slices.key_text();
      paths_.push_back(name);
      Status status;
      if (json_kind(slices.value()) == '[')
        status = read_texts(slices.value(), node.needs[name]);
      else
        status = compile(slices.value(), node.needs_schema[name]);
      paths_.pop_back();
      if (!status.ok()) return std::move(status).inside(name);
    }
    return {};
  }

  std::string joined_path() const {
    std::string out;
    for (const std::string &part : paths_) {
      if (!out.empty() && !part.empty() && part.front() != '[') out += '.';
      out += part;
    }
    return out;
  }

  // Resolves a pointer such as #/a/b~1c/%25.
  Status follow(Ref ref) {
    const std::string pointer = json_text(ref.token).substr(1);
    std::string_view place = root_;
    std::string path;
    for (size_t start = 1; start <= pointer.size();) {
      const size_t end = std::min(pointer.find('/', start), pointer.size());
      const std::string name = unescape(std::string_view(pointer).substr(start, end - start));
      start = end + 1;
      std::optional<std::string_view> next;
      if (json_kind(place) == '[') {
        size_t index = 0;
        JsonSlices slices(place);
        if (read_integer(name, index))
          for (size_t i = 0; slices.next(); ++i)
            if (i == index) next = slices.value();
      } else {
        const Words &members = members_of(place);
        const auto found = members.find(name);
        if (found != members.end()) next = found->second;
      }
      if (!next)
        return error(Code::json, "found " + shown(ref.token) + ", which stands nowhere in this schema", ref.path);
      place = *next;
      if (!path.empty()) path += '.';
      path += name;
    }
    paths_.assign(1, path);
    const Node *target = nullptr;
    Status status = compile(place, target);
    paths_.clear();
    if (!status.ok()) return path.empty() ? std::move(status) : std::move(status).inside(path);
    ref.node->ref = target;
    return {};
  }

  // The members of a container, read once however many references lead through it.
  const Words &members_of(std::string_view object) {
    const auto [place, fresh] = members_.emplace(object.data(), Words());
    if (fresh) {
      JsonSlices slices(object);
      while (slices.next()) place->second[slices.key_text()] = slices.value();
    }
    return place->second;
  }

  static std::string unescape(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
      unsigned code = 0;
      if (text[i] == '%' && i + 2 < text.size() && read_integer(text.substr(i + 1, 2), code, 16)) {
        plain += static_cast<char>(code);
        i += 2;
      } else {
        plain += text[i];
      }
    }
    std::string out;
    for (size_t i = 0; i < plain.size(); ++i) {
      if (plain[i] == '~' && i + 1 < plain.size() && (plain[i + 1] == '0' || plain[i + 1] == '1'))
        out += plain[++i] == '0' ? '~' : '/';
      else
        out += plain[i];
    }
    return out;
  }

  // A schema that refers to itself for the same value can never be decided, and a chain of hundreds of schemas for one
  // value would only use up the stack.
  static constexpr size_t kMostInARow = 256;

  Status refuse_loops() {
    std::unordered_map<const Node *, size_t> height;  // 0: being visited
    for (const Node &node : nodes_)
      if (height_of(node, 1, height) > kMostInARow)
        return error(Code::json, "schemas that refer to themselves, or more than 256 in a row, for one value", "$ref");
    return {};
  }

  // A schema that applies a loose one is loose, too.
  void spread_loose() {
    std::unordered_map<const Node *, std::vector<Node *>> users;
    std::vector<const Node *> loose;
    for (Node &node : nodes_) {
      const auto used = [&](const Node &other) { users[&other].push_back(&node); };
      node.same_value(used);
      node.parts(used);
      if (node.loose) loose.push_back(&node);
    }
    while (!loose.empty()) {
      const Node *node = loose.back();
      loose.pop_back();
      for (Node *user : users[node]) {
        if (user->loose) continue;
        user->loose = true;
        loose.push_back(user);
      }
    }
  }

  // height_of calls this for a schema after all that it refers to.
  static void set_wanted(const Node &node) {
    uint8_t types = node.types ? node.types : node.value_types;
    if (types == 0 && !node.members.empty()) types = kObject;
    if (types == 0 && (node.items || !node.tuple.empty())) types = kArray;
    if (types == 0 && (node.least || node.most || node.above || node.below || node.multiple)) types = kNumber;
    if (types == 0 && node.ref) types = node.ref->wanted;
    for (const Node *each : node.all)
      if (types == 0) types = each->wanted;
    for (const auto *choices : {&node.any, &node.one}) {
      if (types != 0) break;
      for (const Node *each : *choices) types |= each->wanted;
      if (std::any_of(choices->begin(), choices->end(), [](const Node *each) { return each->wanted == 0; })) types = 0;
    }
    node.wanted = types && node.nullable ? types | kNull : types;
  }

  static size_t height_of(const Node &node, size_t depth, std::unordered_map<const Node *, size_t> &height) {
    const auto [place, fresh] = height.emplace(&node, 0);
    if (!fresh) return place->second == 0 ? kMostInARow + 1 : place->second;
    size_t most = 0;
    if (depth > kMostInARow)
      most = kMostInARow;
    else
      node.same_value([&](const Node &next) { most = std::max(most, height_of(next, depth + 1, height)); });
    set_wanted(node);
    return height[&node] = most + 1;
  }

  // -- set once
  const std::string_view root_;
  std::deque<Node> &nodes_;  // never move
  std::set<std::string> &unchecked_;
  // -- position of the reading
  std::vector<std::string> paths_;
  std::unordered_map<const char *, Node *> by_place_;  // by the first byte of the schema
  std::vector<Ref> refs_;
  std::unordered_map<const char *, Words> members_;  // of containers that references lead through
};

}  // namespace

Status compile_schema(std::string_view text, std::deque<Node> &nodes, std::set<std::string> &unchecked,
                      const Node *&root) {
  return Compiler(trim_json(text), nodes, unchecked).run(root);
}

}  // namespace sluice::json_schema
