#include "wire/gemini_arguments.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/json.h"
#include "base/text.h"

namespace sluice {
namespace {

void append_string_content(std::string &out, std::string_view utf8) {
  const size_t quote = out.size();
  append_json_string(out, utf8);
  out.erase(quote, 1);
  out.pop_back();
}

}  // namespace

bool GeminiArguments::add(JsonView entry) {
  Path path;
  bool ends_array = false;
  if (!read_path(entry["jsonPath"].string(), path, ends_array) || path.empty()) return false;
  const JsonView string = entry["stringValue"];
  const bool goes_on = entry["willContinue"].is_true();
  bool same = !ends_array && path.size() == levels_.size();
  for (size_t i = 0; same && i < path.size(); ++i) same = path[i] == levels_[i].child;
  if (awaits_) {  // a number has no pieces: the same path alone says that it was whole
    if (same && !goes_on && !string && !entry["numberValue"] && !entry["boolValue"]) {
      awaits_ = false;
      return true;
    }
    cut_string_ = true;
    awaits_ = false;
  }
  if (in_string_) {
    if (same) {
      for (const std::string_view other : {"numberValue", "boolValue", "nullValue"})
        if (entry[other]) return false;
      if (string && string.kind() != '"') return false;
      append_string_content(text_, joiner_.feed(string.string()));
      if (!goes_on) close_string();
      return true;
    }
    cut_string_ = true;
    close_string();
  }
  if (levels_.empty()) open_level(false);
  if (ends_array) {  // the array itself; one that never had an element begins here
    bool known = path.size() < levels_.size() && levels_[path.size()].array;
    for (size_t i = 0; known && i < path.size(); ++i) known = path[i] == levels_[i].child;
    if (!known && !open(path)) return false;
    if (!known) open_level(true);
    close_levels(path.size());
    return true;
  }
  if (!open(path)) return false;
  awaits_ = goes_on && string.kind() != '"';
  if (string.kind() == '"') {
    text_ += '"';
    in_string_ = true;
    append_string_content(text_, joiner_.feed(string.string()));
    if (!goes_on) close_string();
    return true;
  }
  for (const std::string_view key : {"numberValue", "boolValue"})
    if (const JsonView value = entry[key]; value.kind() == '0' || value.kind() == 't') {
      text_ += value.text();
      return true;
    }
  if (!entry["nullValue"]) return false;
  text_ += "null";
  return true;
}

void GeminiArguments::close() {
  if (in_string_) {
    cut_string_ = true;
    close_string();
  }
  if (text_.empty()) open_level(false);
  close_levels(0);
}

// "$.a.b[0]", or "$['a b'][0]". `ends_array`: the path ends in "[]".
bool GeminiArguments::read_path(std::string_view text, Path &path, bool &ends_array) const {
  if (!text.starts_with('$')) return false;
  for (size_t at = 1; at < text.size();) {
    if (path.size() + 2 > max_depth_ || ends_array) return false;
    Step step;
    if (text[at] == '.') {
      const size_t end = std::min(text.size(), text.find_first_of(".[", at + 1));
      step.key = repair_utf8(text.substr(at + 1, end - at - 1));
      at = end;
      if (step.key.empty()) return false;
    } else if (text[at] == '[' && at + 1 < text.size() && (text[at + 1] == '\'' || text[at + 1] == '"')) {
      const char quote = text[at + 1];
      std::string key;
      size_t end = at + 2;
      for (; end < text.size() && text[end] != quote; ++end) {
        if (text[end] == '\\' && end + 1 < text.size()) ++end;
        key += text[end];
      }
      if (end + 1 >= text.size() || text[end + 1] != ']') return false;
      step.key = repair_utf8(key);
      at = end + 2;
    } else if (text[at] == '[') {
      const size_t end = text.find(']', at);
      if (end == std::string_view::npos) return false;
      step.index = true;
      step.key = text.substr(at + 1, end - at - 1);
      at = end + 1;
      if (step.key.empty()) {
        ends_array = true;
        continue;
      }
      if (!std::all_of(step.key.begin(), step.key.end(), is_digit)) return false;
    } else {
      return false;
    }
    path.push_back(std::move(step));
  }
  return true;
}

// Brings the text to the place of the value at `path`, which is new.
bool GeminiArguments::open(const Path &path) {
  size_t at = 0;
  while (at + 1 < levels_.size() && at + 1 < path.size() && levels_[at].child == path[at]) ++at;
  close_levels(at + 1);
  for (; at < path.size(); ++at) {
    Level &level = levels_[at];
    const Step &step = path[at];
    if (step.index != level.array) return false;
    if (step.index ? step.key != std::to_string(level.count) : !level.known.insert(step.key).second) return false;
    if (level.count++ > 0) text_ += ',';
    level.child = step;
    if (!step.index) {
      append_json_string(text_, step.key);
      text_ += ':';
    }
    if (at + 1 < path.size()) open_level(path[at + 1].index);
  }
  return true;
}

void GeminiArguments::open_level(bool array) {
  levels_.emplace_back().array = array;
  text_ += array ? '[' : '{';
}

void GeminiArguments::close_levels(size_t left) {
  while (levels_.size() > left) {
    text_ += levels_.back().array ? ']' : '}';
    levels_.pop_back();
  }
}

void GeminiArguments::close_string() {
  append_string_content(text_, joiner_.finish());
  text_ += '"';
  in_string_ = false;
}

void GeminiArguments::save(ObjectWriter &saved) const {
  saved.text("text", text_)
      .boolean("inString", in_string_)
      .boolean("cutString", cut_string_)
      .boolean("awaits", awaits_);
  append_saved_bytes(saved.value("held"), joiner_.held());
  std::string &out = saved.value("levels");
  out += '[';
  for (const Level &level : levels_) {
    if (&level != levels_.data()) out += ',';
    ObjectWriter one(out);
    one.boolean("array", level.array).number("count", static_cast<int64_t>(level.count)).text("child", level.child.key);
    std::string &keys = one.value("known");
    keys += '[';
    for (const std::string &key : level.known) {
      if (keys.back() != '[') keys += ',';
      append_json_string(keys, key);
    }
    keys += ']';
    one.close();
  }
  out += ']';
}

void GeminiArguments::load(const SavedReader &saved) {
  saved.text("text", text_);
  saved.get("inString", in_string_);
  saved.get("cutString", cut_string_);
  saved.get("awaits", awaits_);
  std::string held;
  saved.get("held", held);
  joiner_.restore(std::move(held));
  for (JsonSlices list(saved.nested("levels")); list.next();) {
    const SavedReader one(list.value());
    Level &level = levels_.emplace_back();
    one.get("array", level.array);
    one.get("count", level.count);
    one.text("child", level.child.key);
    level.child.index = level.array;
    for (JsonSlices keys(one.nested("known")); keys.next();)
      if (json_kind(keys.value()) == '"') level.known.insert(json_text(keys.value()));
  }
}

}  // namespace sluice
