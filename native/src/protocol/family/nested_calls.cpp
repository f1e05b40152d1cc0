// Calls whose every tag has a prefix that no text has: values may hold anything else, and tags in them nest.
#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "protocol/family/family.h"
#include "protocol/marker_text.h"
#include "protocol/xml_text.h"

namespace sluice {
namespace {

constexpr std::string_view kItem = "item";  // the tag of an array's elements

// One tag, or its end, with its prefix: [from, to) of the block.
struct Tag {
  enum class Kind : uint8_t { call, end_call, start, end, empty };
  Kind kind;
  size_t from, to;
  size_t name, name_end;
};

// A value in the making.
struct Element {
  std::string_view name;
  bool list = false;
  std::vector<std::pair<std::string_view, std::vector<std::string>>> members;  // name → its values as JSON

  std::map<std::string_view, size_t> places;  // in members

  void add(std::string_view member, std::string json) {
    list = member == kItem && (members.empty() || list);
    const auto [place, is_new] = places.try_emplace(member, members.size());
    if (is_new) members.push_back({member, {}});
    members[place->second].second.push_back(std::move(json));
  }
};

void append_list(const std::vector<std::string> &values, std::string &out) {
  out += '[';
  for (const std::string &value : values) out.append(&value == &values.front() ? "" : ",").append(value);
  out += ']';
}

// A member that stands twice is an array.
void append_object(const Element &element, std::string &out) {
  out += '{';
  for (const auto &[name, values] : element.members) {
    if (out.back() != '{') out += ',';
    append_text(out, name);
    out += ':';
    if (values.size() == 1)
      out += values.front();
    else
      append_list(values, out);
  }
  out += '}';
}

class NestedReader final : public FamilyReader {
 public:
  NestedReader(const Family &family, const NestedElements &grammar, const ProtocolOptions &options,
               const ToolView &tools, const ScanLimits &limits)
      : FamilyReader(family, tools, limits), grammar_(grammar), options_(options) {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view) const override {
    if (tags_.empty() && !in_tag_) return {};
    if (depth_ == 0) return {in_tag_ ? tag_ : at_};
    return {at_, Quotation::until({family_.closers.begin(), family_.closers.end()})};
  }
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Step : uint8_t { on, wait, paused, done };

  Step step(std::string_view block, bool ended);
  Step tag(std::string_view block);
  bool read_call(std::string_view block, Tag &out) const;
  void read_tag(std::string_view block, Tag &out);
  ParsedCall call_of(std::string_view block, const std::vector<Tag> &tags, size_t from, size_t to) const;
  static bool ends_arguments(const Tag &tag) { return tag.kind == Tag::Kind::end_call || tag.kind == Tag::Kind::call; }
  std::string_view name_of(std::string_view block, const Tag &tag) const {
    return block.substr(tag.name, tag.name_end - tag.name);
  }

  const NestedElements &grammar_;
  const ProtocolOptions &options_;
  bool in_tag_ = false;
  char quote_ = 0;
  size_t tag_ = 0;    // the prefix of the tag that is read
  size_t depth_ = 0;  // elements of the call that are open
  size_t closer_ = SIZE_MAX;
  size_t first_end_ = SIZE_MAX;  // of the first call's arguments
  bool nested_ = false;
  bool broken_ = false;  // text between calls, or a tag that is none
  std::vector<Tag> tags_;
};

BlockReader::State NestedReader::body(std::string_view block, bool ended) {
  Step next = Step::on;
  while (next == Step::on) next = step(block, ended);
  if (named) arguments_to = std::max(arguments_to, std::min({in_tag_ ? tag_ : at_, closer_, first_end_}));
  if (next == Step::paused || (next == Step::wait && !ended)) return State::open;
  if (next == Step::wait) end = block.size();
  if (!named && (next == Step::wait || nested_ || tags_.empty()))
    return reject(next == Step::wait ? "unterminated_block" : nested_ ? "nested_opener" : "missing_tool_name", at_);
  const bool cut = next == Step::wait;
  if (next == Step::wait) closer_ = in_tag_ ? tag_ : block.size();
  close(block, nested_ ? "nested_opener" : cut ? std::string_view("unterminated_block") : std::string_view());
  return State::closed;
}

NestedReader::Step NestedReader::step(std::string_view block, bool ended) {
  if (in_tag_) return tag(block);
  at_ = std::min(block.find(grammar_.prefix[0], at_), block.size());
  const std::string_view rest = block.substr(at_);
  if (rest.empty()) return Step::wait;
  size_t length = 0;
  const Fit closes = fit(rest, family_.closers, length);
  if (closes == Fit::yes) {
    closer_ = at_;
    end = at_ + length;
    return Step::done;
  }
  const Fit opens = fit(rest, family_.openers, length);
  if (opens == Fit::yes && depth_ != 0) {  // in a value: what follows may be a quotation
    broken_ = true;
    if (lost_to == 0) lost_from = at_;
    lost_to = at_ += length;
    return Step::on;
  }
  if (opens == Fit::yes) {
    closer_ = end = at_;
    nested_ = true;
    return Step::done;
  }
  if (rest.size() <= grammar_.prefix.size() && grammar_.prefix.starts_with(rest) && !ended) return Step::wait;
  if (!rest.starts_with(grammar_.prefix) || !rest.substr(grammar_.prefix.size()).starts_with('<')) {
    ++at_;
    return Step::on;
  }
  if ((closes == Fit::partial || opens == Fit::partial) && !ended) return Step::wait;
  tag_ = at_;
  at_ += grammar_.prefix.size() + 1;
  in_tag_ = true;
  quote_ = 0;
  return Step::on;
}

NestedReader::Step NestedReader::tag(std::string_view block) {
  for (; at_ < block.size(); ++at_) {
    const char c = block[at_];
    if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
    } else if (c == '"' && block[at_ - 1] == '=') {
      quote_ = c;
    } else if (c == '>') {
      break;
    }
  }
  if (at_ == block.size()) return Step::wait;
  ++at_;
  in_tag_ = false;
  Tag one{Tag::Kind::start, tag_, at_, tag_ + grammar_.prefix.size() + 1, at_ - 1};
  read_tag(block, one);
  tags_.push_back(one);
  if (named && first_end_ == SIZE_MAX && ends_arguments(one)) first_end_ = one.from;
  if (one.kind != Tag::Kind::call || named) return Step::on;
  begun = named = true;
  name = repaired(name_of(block, one));
  arguments_from = arguments_to = at_;
  return Step::paused;
}

// invoke name="NAME"
bool NestedReader::read_call(std::string_view block, Tag &out) const {
  std::string_view inside = trim(name_of(block, out));
  if (!inside.starts_with(grammar_.call)) return false;
  inside.remove_prefix(grammar_.call.size());
  if (inside.empty() || !is_white(inside[0])) return false;
  for (const std::string_view piece : {"name", "=", "\""}) {
    inside = trim(inside);
    if (!inside.starts_with(piece)) return false;
    inside.remove_prefix(piece.size());
  }
  if (inside.size() < 2 || inside.find('"') != inside.size() - 1) return false;
  out.kind = Tag::Kind::call;
  out.name = static_cast<size_t>(inside.data() - block.data());
  out.name_end = out.name + inside.size() - 1;
  return true;
}

void NestedReader::read_tag(std::string_view block, Tag &out) {
  if (read_call(block, out)) {
    broken_ = broken_ || depth_ != 0;  // in a value
    depth_ = 0;
    return;
  }
  std::string_view inside = trim(name_of(block, out));
  if (inside.starts_with('/')) {
    out.kind = Tag::Kind::end;
    inside.remove_prefix(1);
  } else if (inside.ends_with('/')) {
    out.kind = Tag::Kind::empty;
    inside = trim(inside.substr(0, inside.size() - 1));
  }
  if (out.kind == Tag::Kind::end && inside == grammar_.call) {
    out.kind = Tag::Kind::end_call;
    depth_ = 0;
  }
  if (out.kind == Tag::Kind::start) ++depth_;
  if (out.kind == Tag::Kind::end && depth_ != 0) --depth_;
  broken_ = broken_ || !is_xml_name(inside);
  out.name = static_cast<size_t>(inside.data() - block.data());
  out.name_end = out.name + inside.size();
}

void NestedReader::close(std::string_view block, std::string_view reason) {
  const size_t all = std::min(closer_, block.size());
  arguments_to = std::min(all, first_end_);
  const auto next_call = [&](size_t i) {
    while (i < tags_.size() && tags_[i].kind != Tag::Kind::call) ++i;
    return i;
  };
  const auto blank = [&](size_t from, size_t to) { return trim(block.substr(from, to - from)).empty(); };
  size_t from = payload_;
  for (size_t i = next_call(0); i < tags_.size();) {
    broken_ = broken_ || !blank(from, tags_[i].from);
    const size_t next = next_call(i + 1);
    calls.push_back(call_of(block, tags_, i, next));
    from = tags_[next - 1].to;
    i = next;
  }
  broken_ = broken_ || !blank(from, all);
  if (calls.empty()) calls.emplace_back().arguments = "{}";
  for (ParsedCall &call : calls) {
    if (!reason.empty()) call.reason = reason;
    if (call.reason.empty() && call.name.empty()) call.reason = "missing_tool_name";
    if (call.reason.empty() && broken_) call.reason = "residue_in_block";
  }
}

// The call of the tags [from, to); the first one is its own.
ParsedCall NestedReader::call_of(std::string_view block, const std::vector<Tag> &tags, size_t from, size_t to) const {
  ParsedCall call;
  call.arguments = "{}";
  const auto wrong = [&call](std::string_view why) {
    if (call.reason.empty()) call.reason = why;
  };
  call.name = repaired(name_of(block, tags[from]));
  const auto last = std::find_if(tags.begin() + static_cast<ptrdiff_t>(from) + 1,
                                 tags.begin() + static_cast<ptrdiff_t>(to), ends_arguments);
  const size_t raw_to = last != tags.begin() + static_cast<ptrdiff_t>(to) ? last->from
                        : to < tags.size()                                ? tags[to].from
                                                                          : std::min(closer_, block.size());
  call.raw_arguments = block.substr(tags[from].to, raw_to - tags[from].to);
  std::vector<Element> open(1);
  size_t behind = tags[from].to;  // the last tag
  bool over = false;
  for (size_t i = from + 1; i < to && call.reason.empty(); ++i) {
    const Tag &tag = tags[i];
    const std::string_view key = name_of(block, tag);
    const std::string_view text = block.substr(behind, tag.from - behind);
    Element &inner = open.back();
    const bool leaf = tag.kind == Tag::Kind::end && open.size() > 1 && inner.members.empty();
    if (over || (!leaf && !trim(text).empty())) wrong("residue_in_block");
    behind = tag.to;
    switch (tag.kind) {
      case Tag::Kind::start:
        if (open.size() >= limits_.depth) wrong("malformed_argument");
        open.emplace_back().name = key;
        break;
      case Tag::Kind::empty: inner.add(key, "\"\""); break;
      case Tag::Kind::end: {
        if (open.size() == 1 || inner.name != key) {
          wrong("malformed_argument");
          break;
        }
        std::string json;
        if (leaf)
          append_text(json, options_.trim.value_or(false) ? trim(text) : text);
        else if (inner.list)
          append_list(inner.members.front().second, json);
        else
          append_object(inner, json);
        open.pop_back();
        open.back().add(key, std::move(json));
        break;
      }
      case Tag::Kind::end_call:
      case Tag::Kind::call:
        if (open.size() != 1) wrong("malformed_argument");
        over = true;
        break;
    }
  }
  if (!over) wrong("malformed_argument");
  if (!call.reason.empty()) return call;
  call.arguments.clear();
  append_object(open.front(), call.arguments);
  return call;
}

// Returns whether the value can be written as tags. An empty one would read back as a string, and stays JSON.
bool has_tags(std::string_view json) {
  const bool object = json_kind(json) == '{';
  if (!object && json_kind(json) != '[') return false;
  bool any = false;
  for (JsonSlices one(json); one.next(); any = true)
    if (object && !is_xml_name(one.key_text())) return false;
  return any;
}

// Writes arrays and objects as tags, without recursion: a stack holds what is still to be written.
void write_value(std::string_view prefix, std::string_view name, std::string_view json, std::string &out) {
  struct Rest {
    JsonSlices slices;
    std::string name;
    bool list;
  };
  std::vector<Rest> open;
  const auto tag = [&](std::string_view slash, std::string_view of) {
    out.append(prefix).append("<").append(slash).append(of).append(">");
  };
  const auto begin = [&](std::string_view of, std::string_view value) {
    const char kind = json_kind(value);
    tag("", of);
    if (has_tags(value)) {
      open.push_back({JsonSlices(value), std::string(of), kind == '['});
      return;
    }
    std::string text = kind == '"' ? json_text(trim_json(value)) : compact_json(value);
    break_marker(text, prefix);  // the format has no escapes
    out += text;
    tag("/", of);
  };
  begin(name, json);
  while (!open.empty()) {
    Rest &rest = open.back();
    if (rest.slices.next()) {
      const std::string_view value = rest.slices.value();
      begin(rest.list ? std::string(kItem) : rest.slices.key_text(), value);
      continue;
    }
    tag("/", rest.name);
    open.pop_back();
  }
}

}  // namespace

std::unique_ptr<BlockReader> make_reader(const Family &family, const NestedElements &grammar,
                                         const ProtocolOptions &options, const ToolView &tools,
                                         const ScanLimits &limits) {
  return std::make_unique<NestedReader>(family, grammar, options, tools, limits);
}

void write_call(const Family &family, const NestedElements &grammar, const CallText &call, std::string &out) {
  const std::string_view prefix = grammar.prefix;
  out.append(family.openers.front()).append("\n");
  out.append(prefix).append("<").append(grammar.call).append(" name=\"").append(call.name).append("\">");
  for (JsonSlices argument(call.arguments); argument.next();)
    if (const std::string key = argument.key_text(); is_xml_name(key)) write_value(prefix, key, argument.value(), out);
  out.append(prefix).append("</").append(grammar.call).append(">\n").append(family.closers.front());
}

}  // namespace sluice
