// The evaluation is our own and not valijson's, which is the oracle of the tests instead. Where a schema recurses
// through anyOf (a tree of widgets), valijson tries 2^depth ways, and the depth is the model's choice; uniqueItems is
// quadratic in what the model wrote; 18446744073709551615 passes `"maximum": 100`, 3.0 is no integer, and its errors
// are prose. Here every pair of schema and value is judged once, numbers are exact decimals, and what it does not check
// is listed.
#include "tools/schema.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_literal.h"
#include "tools/argument_checker.h"
#include "tools/schema_compiler.h"

namespace sluice {

using namespace json_schema;

namespace {

// The schemas that speak of a member of the value that `node` judges.
void member_schemas(const Node &node, std::string_view name, bool more, std::set<const Node *> &visited,
                    std::vector<const Node *> &out) {
  if (!visited.insert(&node).second) return;
  const auto found = node.members.find(name);
  if (found != node.members.end())
    out.push_back(found->second);
  else if (more && node.more && !node.more->never)
    out.push_back(node.more);
  if (node.ref) member_schemas(*node.ref, name, more, visited, out);
  for (const auto *list : {&node.all, &node.any, &node.one})
    for (const Node *each : *list) member_schemas(*each, name, more, visited, out);
  for (const Node *each : {node.then, node.otherwise})
    if (each) member_schemas(*each, name, more, visited, out);
}

bool same_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
         });
}

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

struct Schema::Impl {
  std::deque<Node> nodes;
  const Node *root = nullptr;
  std::vector<std::string> unchecked;
  size_t max_depth = 128;

  // An object or an array as models write them: as JSON or a Python literal, and sometimes with the escapes of a string
  // around it. Empty: it is none.
  std::string read_container(std::string_view text) const {
    std::string read;
    if (max_depth < 2) return read;
    if (!json_from_literal(text, max_depth - 1, read)) {
      const std::string quoted = '"' + std::string(text) + '"';
      if (text.find("\\\"") == text.npos || !check_json(quoted, 1).ok()) return read;
      if (!json_from_literal(json_text(quoted), max_depth - 1, read)) return {};
    }
    const char kind = json_kind(read);
    return kind == '{' || kind == '[' ? compact_json(read) : std::string();
  }

  // A string as the JSON value that the schemas of its member ask for; the token itself where they ask for none.
  std::string coerce(std::string_view token, Strings strings, const std::vector<const Node *> &schemas) const {
    uint8_t types = 0;
    for (const Node *schema : schemas) {
      const uint8_t more = schema->wanted;
      if (more == 0) return std::string(token);
      types |= more;
    }
    if (types == 0 || types == kString) return std::string(token);
    const auto fits = [&](const std::string &json) {
      const Value value(json);
      Checker checker(value);
      return std::any_of(schemas.begin(), schemas.end(), [&](const Node *schema) { return !checker.check(*schema); });
    };
    std::string as_string(token);
    const std::string decoded = json_text(token);
    const std::string_view text = without_space(decoded);
    const bool says_more = strings == Strings::written &&
                           ((text == "null" && types & kNull) || (text.starts_with('{') && types & kObject) ||
                            (text.starts_with('[') && types & kArray));
    if ((types & kString) && !says_more && fits(as_string)) return as_string;
    std::string read;
    if (same_word(text, "true") || same_word(text, "false")) {
      if (types & kBoolean) read = same_word(text, "true") ? "true" : "false";
    } else if (same_word(text, "null") || text == "None") {
      if (types & kNull) read = "null";
    } else if (!text.empty()) {
      const char kind = text[0];
      const bool container = (kind == '{' && types & kObject) || ((kind == '[' || kind == '(') && types & kArray);
      const bool number = (kind == '-' || (kind >= '0' && kind <= '9')) && types & (kInteger | kNumber);
      if (container)
        read = read_container(text);
      else if (number && max_depth > 1 && check_json(text, max_depth - 1).ok())
        read = compact_json(text);
    }
    if (read.empty() || ((types & kString) && !fits(read))) return as_string;
    return read;
  }

  std::string coerce_members(std::string_view object, Strings strings) const {
    std::string out = "{";
    JsonSlices slices(object);
    while (slices.next()) {
      if (out.size() > 1) out += ',';
      out.append(slices.key()).append(":");
      std::set<const Node *> visited;
      std::vector<const Node *> schemas;
      if (json_kind(slices.value()) == '"') member_schemas(*root, slices.key_text(), true, visited, schemas);
      if (schemas.empty())
        out += slices.value();
      else
        out += coerce(slices.value(), strings, schemas);
    }
    return out += '}';
  }

  // Does the member that `pointer` goes through want what a flat field cannot say?
  bool wants_structure(std::string_view pointer) const {
    if (pointer.empty()) return false;
    std::string name;
    pointer.remove_prefix(1);
    for (size_t i = 0; i < pointer.size() && pointer[i] != '/'; ++i) {
      if (pointer[i] == '~')
        name += pointer[++i] == '0' ? '~' : '/';
      else
        name += pointer[i];
    }
    std::set<const Node *> visited;
    std::vector<const Node *> schemas;
    member_schemas(*root, name, true, visited, schemas);
    return std::any_of(schemas.begin(), schemas.end(),
                       [](const Node *schema) { return schema->wanted & (kObject | kArray); });
  }
};

Schema::Schema() = default;
Schema::~Schema() = default;
Schema::Schema(Schema &&) noexcept = default;
Schema &Schema::operator=(Schema &&) noexcept = default;

Status Schema::compile(std::string_view text, Schema &out, size_t max_depth) {
  auto impl = std::make_unique<Impl>();
  std::set<std::string> unchecked;
  Status status = Compiler(trim_json(text), impl->nodes, unchecked).run(impl->root);
  if (!status.ok()) return status;
  impl->unchecked.assign(unchecked.begin(), unchecked.end());
  impl->max_depth = max_depth;
  out.impl_ = std::move(impl);
  return {};
}

bool Schema::check(std::string_view arguments, Strings strings, std::string &out, ArgumentFault &fault) const {
  fault = {};
  std::string text = compact_json(arguments);
  if (strings != Strings::strings && impl_ && json_kind(text) == '{') text = impl_->coerce_members(text, strings);
  if (text.size() > kLargest) {
    fault.message = "found more than 4 GB";
    return false;
  }
  if (impl_) {
    const Value value(text);
    Checker checker(value);
    if (const Fault *wrong = checker.check(*impl_->root)) {
      fault.pointer = value.pointer_to(wrong->at);
      fault.message = wrong->message;
      fault.facade = strings == Strings::written && impl_->wants_structure(fault.pointer);
      return false;
    }
  }
  out = std::move(text);
  return true;
}

bool Schema::declares(std::string_view parameter) const {
  if (!impl_) return false;
  std::set<const Node *> visited;
  std::vector<const Node *> schemas;
  member_schemas(*impl_->root, parameter, false, visited, schemas);
  return !schemas.empty();
}

const std::vector<std::string> &Schema::unchecked() const {
  static const std::vector<std::string> kNone;
  return impl_ ? impl_->unchecked : kNone;
}

}  // namespace sluice
