#include "tools/schema/checker.h"

#include <set>
#include <utility>

#include "base/json.h"
#include "base/reading.h"
#include "base/utf8.h"

namespace sluice::json_schema {
namespace {

// Bytes of the thread's stack that schemas may take on the way from the whole to a value: a quarter of the smallest
// default of our hosts (1 MB for a Windows thread, 512 KB for a second thread on macOS). AddressSanitizer puts space
// around every local variable, so that the same schemas take eight times as much.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kStack = 262144 * 8;
#else
constexpr size_t kStack = 262144;
#endif

}  // namespace

const Fault *Checker::check(const Node &node, uint32_t at) {
  const char kind = value_.kind(at);
  if (kind == 'n' && node.nullable) return nullptr;
  if (kind != '{' && kind != '[' && !node.has_logic()) return judge(node, at);
  const auto [place, fresh] = judged_.emplace(Pair{&node, at}, nullptr);
  if (!fresh) return place->second;
  const Fault *fault = judge(node, at);
  judged_[Pair{&node, at}] = fault;
  return fault;
}

const Fault *Checker::judge(const Node &node, uint32_t at) {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (bottom_ == 0) bottom_ = here;
  if ((here < bottom_ ? bottom_ - here : here - bottom_) >= kStack)
    return fault(at, "found a value that is nested too deeply to be checked");
  const Fault *fault = judge_value(node, at);
  if (!fault && value_.kind(at) == '{') fault = judge_object(node, at);
  if (!fault && value_.kind(at) == '[') fault = judge_array(node, at);
  if (!fault) fault = judge_logic(node, at);
  return fault;
}

const Fault *Checker::judge_value(const Node &node, uint32_t at) {
  if (node.never) return fault(at, "found " + shown(value_.text(at)) + " where nothing is allowed");
  const std::string_view text = value_.text(at);
  const char kind = json_kind(text);
  if (node.types && !(node.types & type_of(text))) return type_fault(at, node.types);
  if (!node.values_text.empty()) {
    std::string key;
    equality_key(text, key);
    if (node.values.find(key) == node.values.end()) {
      Fault &made = unfit(at, (node.values.size() > 1 ? "one of " : "") + node.values_text);
      made.telling = true;
      made.tags = node.values_text;
      return &made;
    }
  }
  if (kind == '0' && (node.least || node.most || node.above || node.below || node.multiple)) {
    const Number number = read_number(text);
    if (node.least && compare(number, node.least->number) < 0) return &unfit(at, "at least " + node.least->text);
    if (node.above && compare(number, node.above->number) <= 0) return &unfit(at, "more than " + node.above->text);
    if (node.most && compare(number, node.most->number) > 0) return &unfit(at, "at most " + node.most->text);
    if (node.below && compare(number, node.below->number) >= 0) return &unfit(at, "less than " + node.below->text);
    if (node.multiple && !multiple_of(number, node.multiple->number))
      return &unfit(at, "a multiple of " + node.multiple->text);
  }
  if (kind == '"' && (node.min_length || node.max_length))
    return count(at, utf8_length(json_text(text)), node.min_length, node.max_length, "character");
  return nullptr;
}

const Fault *Checker::count(uint32_t at, size_t size, const std::optional<size_t> &least,
                            const std::optional<size_t> &most, std::string_view what) {
  const auto bound_fault = [&](std::string_view bound, size_t number) {
    std::string text(bound);
    text.append(std::to_string(number)).append(" ").append(what).append(number == 1 ? "" : "s");
    return &unfit(at, text);
  };
  if (least && size < *least) return bound_fault("at least ", *least);
  if (most && size > *most) return bound_fault("at most ", *most);
  return nullptr;
}

const Fault *Checker::judge_object(const Node &node, uint32_t at) {
  const uint32_t end = value_.item(at).next;
  std::string room;
  size_t size = 0;
  std::vector<bool> seen(node.required.size());
  size_t missing = node.required.size();
  for (uint32_t child = at + 1; child < end; child = value_.item(child).next) {
    ++size;
    if (missing == 0) continue;
    const auto found = node.required.find(value_.key(child, room));
    if (found == node.required.end()) continue;
    seen[found->second] = true;
    --missing;
  }
  if (missing) {
    std::string names;
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) continue;
      for (const auto &[name, order] : node.required)
        if (order == i) names.append(names.empty() ? "" : ", ").append(shown_text(name));
      if (names.size() > 400) break;
    }
    return fault(at, (missing == 1 ? "missing required member " : "missing required members ") + names);
  }
  if (const Fault *wrong = count(at, size, node.min_members, node.max_members, "member")) return wrong;
  if (!node.members.empty() || node.more) {
    for (uint32_t child = at + 1; child < end; child = value_.item(child).next) {
      const std::string_view name = value_.key(child, room);
      const auto found = node.members.find(name);
      const Node *member = found != node.members.end() ? found->second : node.more;
      if (member == node.more && member && member->never) return not_allowed(node, at, name);
      if (!member) continue;
      if (const Fault *wrong = check(*member, child)) return wrong;
    }
  }
  if (node.names) {
    for (uint32_t child = at + 1; child < end; child = value_.item(child).next) {
      const Value name{std::string(value_.key_token(child))};
      Checker checker(name);
      if (const Fault *wrong = checker.check(*node.names)) return fault(child, "member name: " + wrong->message);
    }
  }
  if (!node.needs.empty() || !node.needs_schema.empty()) return judge_needs(node, at);
  return nullptr;
}

const Fault *Checker::not_allowed(const Node &node, uint32_t at, std::string_view name) {
  std::string message = "member " + shown_text(name) + " is not allowed";
  for (bool first = true; const auto &[known, ignored] : node.members) {
    message.append(first ? ", only " : ", ").append(shown_text(known));
    first = false;
    if (message.size() > 400) {
      message += ", …";
      break;
    }
  }
  return fault(at, std::move(message));
}

const Fault *Checker::judge_needs(const Node &node, uint32_t at) {
  std::set<std::string, std::less<>> names;
  std::string room;
  for (uint32_t child = at + 1; child < value_.item(at).next; child = value_.item(child).next)
    names.emplace(value_.key(child, room));
  for (const auto &[name, others] : node.needs) {
    if (names.find(name) == names.end()) continue;
    for (const std::string &other : others)
      if (names.find(other) == names.end())
        return fault(at, "missing member " + shown_text(other) + ", which " + shown_text(name) + " needs");
  }
  for (const auto &[name, schema] : node.needs_schema) {
    if (names.find(name) == names.end()) continue;
    if (const Fault *wrong = check(*schema, at)) return wrong;
  }
  return nullptr;
}

const Fault *Checker::judge_array(const Node &node, uint32_t at) {
  const uint32_t end = value_.item(at).next;
  size_t size = 0;
  for (uint32_t child = at + 1; child < end; child = value_.item(child).next) ++size;
  if (const Fault *wrong = count(at, size, node.min_items, node.max_items, "item")) return wrong;
  bool contained = !node.contains;
  std::set<std::string> keys;
  size_t index = 0;
  for (uint32_t child = at + 1; child < end; child = value_.item(child).next, ++index) {
    const Node *item = index < node.tuple.size() ? node.tuple[index] : node.items;
    const Fault *wrong = item ? check(*item, child) : nullptr;
    if (wrong) return wrong;
    if (!contained) contained = !check(*node.contains, child);
    if (node.unique) {
      std::string key;
      equality_key(value_.text(child), key);
      if (!keys.insert(std::move(key)).second) return &unfit(child, "items that differ from each other");
    }
  }
  if (!contained) return &unfit(at, "an item of a kind that is not there");
  return nullptr;
}

const Fault *Checker::judge_logic(const Node &node, uint32_t at) {
  if (node.ref)
    if (const Fault *wrong = check(*node.ref, at)) return wrong;
  for (const Node *each : node.all)
    if (const Fault *wrong = check(*each, at)) return wrong;
  if (!node.any.empty() || !node.one.empty()) {
    if (const Fault *wrong = judge_choices(node.any, false, at)) return wrong;
    if (const Fault *wrong = judge_choices(node.one, true, at)) return wrong;
  }
  if (node.negated && !node.negated->loose && !check(*node.negated, at))
    return fault(at, "found " + shown(value_.text(at)) + ", which is ruled out");
  if (node.when) {
    const bool fits = !check(*node.when, at);
    if (fits && node.when->loose) return nullptr;  // whether `then` or `else` applies is not known
    const Node *next = fits ? node.then : node.otherwise;
    if (next) return check(*next, at);
  }
  return nullptr;
}

// anyOf, oneOf. Where no choice fits, reports the fault of the choice that the model probably meant: the one that got
// deepest into the value.
const Fault *Checker::judge_choices(const std::vector<const Node *> &choices, bool only_one, uint32_t at) {
  if (choices.empty()) return nullptr;
  const Fault *best = nullptr;
  size_t fitting = 0, sure = 0;
  uint8_t types = 0;
  const auto rank = [&](const Fault &each) {
    const uint32_t deeper = value_.item(each.at).depth - value_.item(at).depth;
    const bool meant = !(each.at == at && each.by_type) && !(each.telling && deeper <= 1);
    return std::pair(meant, deeper);
  };
  for (const Node *choice : choices) {
    const Fault *each = check(*choice, at);
    if (!each) {
      ++fitting;
      if (!choice->loose) ++sure;
      if (sure == 2 || !only_one) break;
      continue;
    }
    if (each->at == at) types |= each->types;
    if (!best || rank(*each) > rank(*best)) best = each;
  }
  if (sure > 1) return fault(at, "found " + shown(value_.text(at)) + ", which fits more than one of oneOf");
  if (fitting) return nullptr;
  if (best->at == at && best->by_type) return type_fault(at, types);
  if (best->telling) return all_tags(choices, at, *best);
  return best;
}

// The nearest choice failed because of its tag, so every choice did: lists the tags of all.
const Fault *Checker::all_tags(const std::vector<const Node *> &choices, uint32_t at, const Fault &best) {
  std::string tags;
  std::set<std::string_view> known;
  for (const Node *choice : choices) {
    const Fault *each = check(*choice, at);
    if (!each || !each->telling || each->at != best.at || !known.insert(each->tags).second) continue;
    tags.append(tags.empty() ? "" : ", ").append(each->tags);
    if (tags.size() > kListed) break;
  }
  if (known.size() == 1) return &best;
  Fault &made = unfit(best.at, "one of " + tags);
  made.tags = std::move(tags);
  made.telling = true;
  return &made;
}

const Fault *Checker::fault(uint32_t at, std::string message) {
  Fault &made = faults_.emplace_back();
  made.at = at;
  made.message = std::move(message);
  return &made;
}

std::string Checker::found(uint32_t at) const {
  const std::string_view text = value_.text(at);
  switch (json_kind(text)) {
    case 'n': return "null";
    case 't':
    case 'f': return "boolean " + std::string(text);
    case '"': return "string " + shown(text);
    case '[': return "array " + shown(text);
    case '{': return "object " + shown(text);
    default: return "number " + shown(text);
  }
}

Fault &Checker::unfit(uint32_t at, std::string_view expected) {
  Fault &made = faults_.emplace_back();
  made.at = at;
  made.message = "expected " + std::string(expected) + ", found " + found(at);
  return made;
}

const Fault *Checker::type_fault(uint32_t at, uint8_t types) {
  Fault &made = unfit(at, names_of(types));
  made.types = types;
  made.by_type = true;
  return &made;
}

}  // namespace sluice::json_schema
