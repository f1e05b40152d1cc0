#include "protocol/family/element_tags.h"

#include <algorithm>

#include "base/text.h"
#include "protocol/family/bars.h"

namespace sluice {
namespace {

// Longer tags are none. A tag that comes in pieces is read again from its beginning.
constexpr size_t kLongestTag = 256;
// So many letters of its name make a closer of a bent one.
constexpr size_t kBentLetters = 5;

bool in_tag_name(char c) {
  return !is_white(c) && c != '<' && c != '>' && c != '"' && c != '\'' && c != '=' && c != '`';
}

bool is_name(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), in_tag_name); }

size_t skip_name(std::string_view text, size_t at) {
  while (at < text.size() && in_tag_name(text[at])) ++at;
  return at;
}

size_t skip_blank(std::string_view text, size_t at) {
  while (at < text.size() && is_white(text[at])) ++at;
  return at;
}

// A name that may hold blanks: what follows them on the line is part of it.
size_t skip_words(std::string_view text, size_t at) {
  size_t end = skip_name(text, at);
  for (size_t next = end;;) {
    while (next < text.size() && text[next] == ' ') ++next;
    if (next == end || next == text.size() || !in_tag_name(text[next]) || text[next] == '{') return end;
    end = next = skip_name(text, next);
  }
}

bool is_words(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || in_tag_name(c); });
}

ElementTag incomplete(ElementTag tag, std::string_view window) {
  tag.fit = window.size() < kLongestTag ? Fit::partial : Fit::no;
  return tag;
}

ElementTag complete(ElementTag tag, size_t length) {
  tag.fit = Fit::yes;
  tag.length = length;
  return tag;
}

// NAME> of <function=NAME>, sometimes in quotes. Models forget the bracket: then the first byte that no name may hold
// ends the name.
ElementTag assigned(std::string_view window, size_t at, bool call) {
  ElementTag tag;
  tag.name = skip_blank(window, at);
  if (tag.name == window.size()) return incomplete({}, window);
  const char quote = window[tag.name];
  const bool quoted = quote == '"' || quote == '\'';
  size_t next = 0;
  if (quoted) {
    tag.name_end = window.find(quote, ++tag.name);
    if (tag.name_end == window.npos) return incomplete({}, window);
    if (!is_words(window.substr(tag.name, tag.name_end - tag.name))) return {};
    next = skip_blank(window, tag.name_end + 1);
  } else {
    tag.name_end = skip_words(window, tag.name);
    next = skip_blank(window, tag.name_end);
  }
  const bool slash = quoted && next < window.size() && window[next] == '/';
  if (next + slash >= window.size()) return incomplete({}, window);
  const std::string_view rest = window.substr(next + slash);
  if (rest[0] == '>') {
    tag.empty = slash || (!quoted && window.substr(tag.name, tag.name_end - tag.name).ends_with('/'));
    if (tag.empty && !slash) --tag.name_end;
    while (tag.name_end > tag.name && window[tag.name_end - 1] == ' ') --tag.name_end;
    tag.wrong = !call && tag.name_end == tag.name;
    return complete(tag, next + slash + 1);
  }
  if (tag.name_end == tag.name || slash) return {};
  if (call) return rest[0] == '<' || (rest[0] == '{' && next != tag.name_end) ? complete(tag, next) : ElementTag();
  if (quoted || window[tag.name_end] == '<') return {};
  tag.open = true;
  const std::string_view behind = window.substr(tag.name_end);
  return behind.starts_with('\n') || behind.starts_with("\r\n") ? complete(tag, tag.name_end) : ElementTag();
}

// Attributes up to the bracket.
ElementTag attributes(std::string_view window, size_t at, bool call, const AttributeElements &calls) {
  ElementTag tag;
  bool named = false;
  while (true) {
    const size_t from = skip_blank(window, at);
    if (from == window.size()) return incomplete(tag, window);
    const bool slash = window[from] == '/';
    const Fit ends = fit(window.substr(from + slash), calls.tag_end);
    if (ends == Fit::partial) return incomplete(tag, window);
    if (ends == Fit::yes) {
      tag.empty = slash;
      tag.wrong = tag.wrong || (!named && !call);  // a call without a name is reported as such
      return complete(tag, from + slash + calls.tag_end.size());
    }
    if (from == at) return tag;
    const size_t end = skip_name(window, from);
    const size_t equals = skip_blank(window, end);
    const size_t quote = skip_blank(window, std::min(equals + 1, window.size()));
    if (quote == window.size()) return incomplete(tag, window);
    if (end == from || window[equals] != '=') return tag;
    size_t value = quote, value_end = 0;
    if (window[quote] == '"' || window[quote] == '\'') {
      value_end = window.find(window[quote], ++value);
      if (value_end == window.npos) return incomplete(tag, window);
      at = value_end + 1;
    } else {
      at = value_end = skip_name(window, quote);
      if (at == window.size()) return incomplete(tag, window);
    }
    const std::string_view key = window.substr(from, end - from), said = window.substr(value, value_end - value);
    if (key == (call ? calls.call_name : calls.parameter_name) && !named) {
      if (!is_name(said) && !(call && said.empty())) return tag;
      named = true;
      tag.name = value;
      tag.name_end = value_end;
    } else if (!call && calls.json_values && key == "string" && tag.json == ElementTag::Json::unsaid &&
               (said == "true" || said == "false")) {
      tag.json = said == "true" ? ElementTag::Json::no : ElementTag::Json::yes;
    } else if (!call && calls.typed_values && key == "type" && tag.json == ElementTag::Json::unsaid) {
      tag.json = said == "string" ? ElementTag::Json::no : ElementTag::Json::yes;
    } else if (!call || calls.call_number.empty() || key != calls.call_number) {
      tag.wrong = true;
    }
  }
}

// The tag in each of its spellings.
TagWord spelled(std::string_view before, const ElementForm &form, std::string_view word, std::string_view behind) {
  TagWord out;
  const auto add = [&](std::string_view prefix, std::string_view suffix) {
    out.add(std::string(before).append(prefix).append(word).append(suffix).append(behind));
  };
  if (word.empty()) return out;
  add(form.prefix, "");
  if (!form.other_prefix.empty() || !form.other_suffix.empty()) add(form.other_prefix, form.other_suffix);
  return out;
}

// What closes the pairs' tag `word`, or `instead`.
TagWord closing(const ElementForm &form, std::string_view word, std::string_view instead) {
  if (instead.empty()) return spelled("</", form, word, ">");
  TagWord out;
  out.add(std::string(instead));
  return out;
}

}  // namespace

Fit TagWord::fit(std::string_view rest, size_t &length) const {
  Fit best = Fit::no;
  for (const std::string &one : spellings_) {
    if (begins_otherwise(rest, one)) continue;
    size_t size = one.size();
    const Fit found = one.find(kBars) == one.npos ? sluice::fit(rest, one) : fit_barred(rest, one, size);
    if (found == Fit::yes) {
      length = size;
      return found;
    }
    if (found == Fit::partial) best = found;
  }
  return best;
}

ElementTags::ElementTags(const AssignedElements &grammar)
    : style(Style::assigned),
      form(grammar.form),
      parameter_open(spelled("<", form, "parameter", "=")),
      parameter_close(spelled("</", form, "parameter", ">")) {
  add_wrappers("<", "</", ">");
  nearly("</", "parameter");
}

ElementTags::ElementTags(const AttributeElements &grammar)
    : style(Style::attribute),
      form(grammar.form),
      parameter_open(spelled(grammar.tag_open, form, grammar.parameter, "")),
      parameter_close(spelled(grammar.tag_close, form, grammar.parameter, grammar.tag_end)),
      attributes_(&grammar) {
  add_wrappers(grammar.tag_open, grammar.tag_close, grammar.tag_end);
  nearly(grammar.tag_close, grammar.parameter);
}

ElementTags::ElementTags(const PairElements &grammar)
    : style(Style::pairs),
      form(grammar.form),
      parameter_open(spelled("<", form, grammar.key, ">")),
      parameter_close(closing(form, grammar.value, grammar.value_end)),
      value_open(spelled("<", form, grammar.value, ">")),
      key_close(closing(form, grammar.key, grammar.key_end)),
      type_open(spelled("<", form, grammar.type, ">")),
      type_close(spelled("</", form, grammar.type, ">")),
      separator_(spelled("<", form, grammar.separator, ">")) {
  add_wrappers("<", "</", ">");
  if (grammar.value_end.empty()) nearly("</", grammar.value);
}

void ElementTags::nearly(std::string_view tag_close, std::string_view word) {
  if (tag_close != "</" || word.size() < kBentLetters) return;
  const std::string_view letters = word.substr(0, kBentLetters);
  nearly_open = spelled("<", form, letters, "");
  nearly_close_ = spelled("</", form, letters, "");
}

Fit ElementTags::bent_close(std::string_view rest, size_t &length) const {
  const Fit begins = nearly_close_.fit(rest, length);
  if (begins != Fit::yes) return begins;
  for (; length < kLongestTag; ++length) {
    if (length == rest.size()) return Fit::partial;
    if (rest[length] == '>') return ++length, Fit::yes;
    if (rest[length] == '<' || rest[length] == '\n' || rest[length] == '\r') return Fit::yes;
  }
  return Fit::no;
}

void ElementTags::add_wrappers(std::string_view tag_open, std::string_view tag_close, std::string_view tag_end) {
  for (const std::string_view word : form.wrappers) {
    wrapper.add(std::string(tag_open).append(form.prefix).append(word).append(tag_end));
    const std::string_view bare = word.substr(0, word.find(' '));  // less its attributes
    wrapper.add(std::string(tag_close).append(form.prefix).append(bare).append(tag_end));
  }
}

ElementTag ElementTags::call(std::string_view rest) const {
  const std::string_view window = rest.substr(0, kLongestTag);
  if (style == Style::assigned) return assigned(window, 0, true);
  if (style == Style::attribute) return attributes(window, 0, true, *attributes_);
  return pairs_call(window);
}

// NAME and what follows it: a parameter, sometimes one without its first tag, or the arguments as an object.
ElementTag ElementTags::pairs_call(std::string_view window) const {
  ElementTag tag;
  const size_t from = skip_blank(window, 0), end = std::min(skip_name(window, from), window.find('{', from));
  if (end == window.size()) return incomplete(tag, window);
  tag.name = from;
  tag.name_end = end;
  const size_t next = skip_blank(window, end);
  if (next == window.size()) return incomplete(tag, window);
  const size_t object = next + (next == end && window[next] == '>');  // NAME>{: as if the name stood in the tag
  if (object == window.size()) return incomplete(tag, window);
  if (window[object] == '{') return end != from ? complete(tag, object) : tag;
  if (window[next] == '`') return end != from ? complete(tag, next) : tag;  // the object stands in a fence
  if (window[next] != '<') {
    const ElementTag bare = next == end ? ElementTag() : bare_key(window.substr(next));
    if (bare.fit == Fit::partial) return incomplete(tag, window);
    return bare.fit == Fit::yes ? complete(tag, next) : tag;
  }
  size_t length = 0;
  const Fit separated = separator_.fit(window.substr(next), length);
  if (separated == Fit::yes) return complete(tag, next + length);
  const Fit closed = key_close.fit(window.substr(next), length);
  if (separated == Fit::partial || closed == Fit::partial) return incomplete(tag, window);
  tag.open = closed == Fit::yes;
  return complete(tag, next);
}

ElementTag ElementTags::parameter(std::string_view rest) const {
  const std::string_view window = rest.substr(0, kLongestTag);
  size_t at = 0;
  parameter_open.fit(rest, at);
  if (style == Style::assigned) return assigned(window, at, false);
  if (style == Style::attribute) return attributes(window, at, false, *attributes_);
  for (size_t length = 0, next = skip_blank(window, at);; next = skip_blank(window, at)) {  // it may stand twice
    const Fit again = parameter_open.fit(window.substr(next), length);
    if (again == Fit::partial) return incomplete({}, window);
    if (again == Fit::no) return key(window, at);
    at = next + length;
  }
}

ElementTag ElementTags::bare_key(std::string_view rest) const {
  const std::string_view window = rest.substr(0, kLongestTag);
  const size_t end = skip_name(window, 0), next = skip_blank(window, end);
  if (next == window.size()) return incomplete({}, window);
  return end != 0 && window[next] == '<' ? key(window, 0) : ElementTag();
}

// KEY</arg_key>
ElementTag ElementTags::key(std::string_view window, size_t at) const {
  ElementTag tag;
  const size_t close = window.find('<', at);
  if (close == window.npos) return incomplete(tag, window);
  size_t length = 0;
  const Fit closed = key_close.fit(window.substr(close), length);
  if (closed == Fit::partial) return incomplete(tag, window);
  if (closed == Fit::no) return tag;
  tag.name = std::min(skip_blank(window, at), close);
  for (tag.name_end = close; tag.name_end > tag.name && is_white(window[tag.name_end - 1]);) --tag.name_end;
  tag.wrong = !is_words(window.substr(tag.name, tag.name_end - tag.name));
  return complete(tag, close + length);
}

}  // namespace sluice
