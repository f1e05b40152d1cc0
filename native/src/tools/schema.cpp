// Judges every pair of schema and value once: a schema that recurses through anyOf (a tree of widgets) has 2^depth
// ways, and the model chooses the depth. Numbers are exact decimals, and the keywords that it ignores are listed.
#include "tools/schema.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/json.h"
#include "base/json_literal.h"
#include "base/text.h"
#include "tools/schema/checker.h"
#include "tools/schema/compiler.h"

namespace sluice {

using namespace json_schema;

namespace {

using Schemas = std::vector<const Node *>;

// These schemas and all that they apply to the same value, each once.
Schemas with_choices(Schemas schemas) {
  std::set<const Node *> known(schemas.begin(), schemas.end());
  const auto add = [&](const Node *node) {
    if (node && known.insert(node).second) schemas.push_back(node);
  };
  for (size_t i = 0; i < schemas.size(); ++i) {
    const Node &node = *schemas[i];
    for (const Node *other : {node.ref, node.then, node.otherwise}) add(other);
    for (const auto *list : {&node.all, &node.any, &node.one})
      for (const Node *other : *list) add(other);
  }
  return schemas;
}

// The schemas of one member, of the value that `schemas` judge. `more`: also those of additionalProperties.
Schemas member_schemas(const Schemas &schemas, std::string_view name, bool more) {
  Schemas out;
  for (const Node *node : schemas) {
    const auto found = node->members.find(name);
    if (found != node->members.end())
      out.push_back(found->second);
    else if (more && node->more && !node->more->never)
      out.push_back(node->more);
  }
  return out;
}

Schemas item_schemas(const Schemas &schemas, size_t index) {
  Schemas out;
  for (const Node *node : schemas)
    if (const Node *item = index < node->tuple.size() ? node->tuple[index] : node->items) out.push_back(item);
  return out;
}

bool same_word(std::string_view text, std::string_view small) {
  return text.size() == small.size() &&
         std::equal(text.begin(), text.end(), small.begin(), [](char a, char b) { return lower(a) == b; });
}

}  // namespace

struct Schema::Impl {
  std::deque<Node> nodes;
  const Node *root = nullptr;
  std::vector<std::string> unchecked;
  size_t max_depth = 128;

  // Reads an object or array as models write it: JSON or a Python literal, sometimes escaped like the inside of a
  // string. Empty: it is none.
  static std::string read_container(std::string_view text, size_t depth) {
    std::string read;
    if (depth == 0) return read;
    if (!json_from_literal(text, depth, read)) {
      const std::string quoted = '"' + std::string(text) + '"';
      if (text.find("\\\"") == text.npos || !check_json(quoted, 1).ok()) return read;
      if (!json_from_literal(json_text(quoted), depth, read)) return {};
    }
    const char kind = json_kind(read);
    return kind == '{' || kind == '[' ? compact_json(read) : std::string();
  }

  // A string token as the JSON value that its schemas ask for; the token itself if they ask for no other.
  static std::string coerce(std::string_view token, Strings strings, const Schemas &schemas, size_t depth) {
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
    const std::string_view text = trim(decoded);
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
        read = coerce_inside(read_container(text, depth), Strings::quoted, schemas, depth);
      else if (number && check_json(text, 1).ok())
        read = compact_json(text);
    }
    if (read.empty() || ((types & kString) && !fits(read))) return as_string;
    return read;
  }

  // A container (compact JSON, or empty) with each string in it coerced as its schemas ask. `depth`: how deep the
  // result may nest.
  static std::string coerce_inside(std::string text, Strings strings, const Schemas &schemas, size_t depth) {
    if (text.empty()) return text;
    struct Open {
      uint32_t at;
      Schemas schemas;
      size_t items = 0;  // of an array: elements so far
    };
    Value value(std::move(text));
    std::vector<Open> open{{0, with_choices(schemas)}};
    std::string out, room;
    uint32_t copied = 0;
    const auto copy = [&](uint32_t to) { out += value.text(0).substr(copied, to - copied); };
    for (uint32_t at = 1; at < value.item(0).next;) {
      while (value.item(open.back().at).next == at) open.pop_back();
      Open &parent = open.back();
      const Schemas own = value.kind(parent.at) == '[' ? item_schemas(parent.schemas, parent.items++)
                                                       : member_schemas(parent.schemas, value.key(at, room), true);
      const Item &item = value.item(at);
      const char kind = value.kind(at);
      if (!own.empty() && (kind == '{' || kind == '[')) {
        open.push_back({at++, with_choices(own)});
        continue;
      }
      if (!own.empty() && kind == '"') {
        std::string coerced = coerce(value.text(at), strings, own, depth - std::min<size_t>(depth, item.depth));
        if (coerced != value.text(at)) {
          copy(item.begin);
          out += coerced;
          copied = item.end;
        }
      }
      at = item.next;
    }
    if (copied == 0) return std::move(value).release();
    copy(value.item(0).end);
    return out;
  }

  // The object without members that are null although they are optional and may not be null: models write null for
  // "none".
  std::string without_nulls(std::string text) const {
    if (text.find("null") == text.npos) return text;
    struct Open {
      uint32_t at;
      Schemas schemas;
      size_t items = 0;
    };
    const Value value(std::move(text)), null("null");
    std::vector<Open> open{{0, with_choices({root})}};
    std::string out, room;
    uint32_t copied = 0;
    for (uint32_t at = 1; at < value.item(0).next;) {
      while (value.item(open.back().at).next == at) open.pop_back();
      Open &parent = open.back();
      const bool member = value.kind(parent.at) == '{';
      const Schemas own = member ? member_schemas(parent.schemas, value.key(at, room), false)
                                 : item_schemas(parent.schemas, parent.items++);
      const Item &item = value.item(at);
      const char kind = value.kind(at);
      if (!own.empty() && (kind == '{' || kind == '[')) {
        open.push_back({at++, with_choices(own)});
        continue;
      }
      const std::string_view name = member ? value.key(at, room) : std::string_view();
      at = item.next;
      if (kind != 'n' || !member || own.empty()) continue;
      const auto allows = [&](const Node *schema) {
        Checker checker(null);
        return !checker.check(*schema);
      };
      const auto requires_it = [&](const Node *schema) { return schema->required.count(name) != 0; };
      if (std::any_of(own.begin(), own.end(), allows) ||
          std::any_of(parent.schemas.begin(), parent.schemas.end(), requires_it))
        continue;
      out += value.text(0).substr(copied, item.key - copied);
      copied = item.end;
      if (out.back() == ',')
        out.pop_back();
      else if (value.text(0)[copied] == ',')
        ++copied;
    }
    return out += value.text(0).substr(copied);
  }

  // Does the member that `pointer` leads through ask for an object or array, which a flat field cannot hold?
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
    const Schemas schemas = member_schemas(with_choices({root}), name, true);
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
  Status status = compile_schema(text, impl->nodes, unchecked, impl->root);
  if (!status.ok()) return status;
  impl->unchecked.assign(unchecked.begin(), unchecked.end());
  impl->max_depth = max_depth;
  out.impl_ = std::move(impl);
  return {};
}

bool Schema::check(std::string_view arguments, Strings strings, std::string &out, ArgumentFault &fault) const {
  fault = {};
  std::string text = compact_json(arguments);
  if (strings != Strings::strings && impl_ && json_kind(text) == '{' && text.size() <= kLargest)
    text = Impl::coerce_inside(std::move(text), strings, {impl_->root}, impl_->max_depth);
  if (text.size() > kLargest) {
    fault.message = "found more than 4 GB";
    return false;
  }
  // Arguments that fit with their nulls keep them.
  for (bool nulls = true; impl_;) {
    Value value(std::move(text));
    Checker checker(value);
    if (const Fault *wrong = checker.check(*impl_->root)) {
      text = value.text(0);
      std::string less = nulls && json_kind(text) == '{' ? impl_->without_nulls(text) : text;
      nulls = false;
      if (less != text) {
        text = std::move(less);
        continue;
      }
      fault.pointer = value.pointer_to(wrong->at);
      fault.message = wrong->message;
      fault.facade = strings == Strings::written && impl_->wants_structure(fault.pointer);
      return false;
    }
    text = std::move(value).release();
    break;
  }
  out = std::move(text);
  return true;
}

std::string Schema::text_parameter() const {
  if (!impl_) return {};
  const Node &root = *impl_->root;
  if (root.required.size() > 1 || (root.required.empty() && root.members.size() != 1)) return {};
  const std::string &name = root.required.empty() ? root.members.begin()->first : root.required.begin()->first;
  const auto found = root.members.find(name);
  return found != root.members.end() && found->second->wanted == kString ? name : std::string();
}

std::string Schema::only_text() const {
  if (!impl_) return {};
  const Node &root = *impl_->root;
  for (const bool required : {true, false}) {
    std::string name;
    size_t count = 0;
    for (const auto &[member, schema] : root.members) {
      if ((schema->wanted & kString) == 0 || (schema->wanted & ~(kString | kNull)) != 0) continue;
      if (required && !root.required.contains(member)) continue;
      name = member;
      ++count;
    }
    if (count != 0) return count == 1 ? name : std::string();
  }
  return {};
}

bool Schema::takes_list(std::string_view parameter) const {
  if (!impl_) return true;
  const Schemas schemas = member_schemas(with_choices({impl_->root}), parameter, true);
  return std::all_of(schemas.begin(), schemas.end(),
                     [](const Node *schema) { return schema->wanted == 0 || (schema->wanted & kArray) != 0; });
}

bool Schema::only_list(std::string_view parameter, bool of_texts) const {
  if (!impl_) return false;
  const Schemas schemas = member_schemas(with_choices({impl_->root}), parameter, false);
  return !schemas.empty() && std::all_of(schemas.begin(), schemas.end(), [of_texts](const Node *schema) {
    return schema->wanted == kArray && (!of_texts || (schema->items && schema->items->wanted == kString));
  });
}

bool Schema::declares(std::string_view parameter) const {
  return impl_ && !member_schemas(with_choices({impl_->root}), parameter, false).empty();
}

const std::vector<std::string> &Schema::unchecked() const {
  static const std::vector<std::string> kNone;
  return impl_ ? impl_->unchecked : kNone;
}

}  // namespace sluice
