#include "protocol/family/element_tags.h"

#include <algorithm>

namespace sluice {
namespace {

using Fit = ElementTag::Fit;
using Style = ElementCalls::Style;

// A tag that came this far without its end is none. While one comes in it is read again from its beginning.
constexpr size_t kLongestTag = 256;

bool is_name_byte(char c) {
  return !is_white(c) && c != '<' && c != '>' && c != '"' && c != '\'' && c != '=' && c != '`';
}

bool is_name(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_name_byte); }

size_t skip_name(std::string_view text, size_t at) {
  while (at < text.size() && is_name_byte(text[at])) ++at;
  return at;
}

size_t skip_blank(std::string_view text, size_t at) {
  while (at < text.size() && is_white(text[at])) ++at;
  return at;
}

std::string tag(std::string_view before, const ElementCalls &grammar, std::string_view word, std::string_view behind) {
  return std::string(before).append(grammar.prefix).append(word).append(behind);
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

// NAME> of <function=NAME>. Models forget the bracket: the first thing that no name may hold ends it as well.
ElementTag assigned(std::string_view window, size_t at, bool call) {
  ElementTag tag;
  const size_t end = skip_name(window, at);
  if (end == window.size()) return incomplete(tag, window);
  const size_t next = skip_blank(window, end);
  if (next == window.size()) return incomplete(tag, window);
  tag.name = at;
  tag.name_end = end;
  if (window[next] == '>') {
    tag.wrong = !call && end == at;
    return complete(tag, next + 1);
  }
  const bool content = window[next] == '<' || (window[next] == '{' && next != end);
  return call && end != at && content ? complete(tag, next) : tag;
}

// Attributes up to the bracket.
ElementTag attributes(std::string_view window, size_t at, bool call, bool json) {
  ElementTag tag;
  bool named = false;
  while (true) {
    const size_t from = skip_blank(window, at);
    if (from == window.size()) return incomplete(tag, window);
    if (window[from] == '/' && from + 1 == window.size()) return incomplete(tag, window);
    tag.empty = window[from] == '/' && window[from + 1] == '>';
    if (tag.empty || window[from] == '>') {
      if (!named && call) return tag;
      tag.wrong = tag.wrong || !named;
      return complete(tag, from + (tag.empty ? 2 : 1));
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
    if (key == "name" && !named) {
      if (!is_name(said)) return tag;
      named = true;
      tag.name = value;
      tag.name_end = value_end;
    } else if (json && key == "string" && tag.json == ElementTag::Json::unsaid && (said == "true" || said == "false")) {
      tag.json = said == "true" ? ElementTag::Json::no : ElementTag::Json::yes;
    } else {
      tag.wrong = true;
    }
  }
}

}  // namespace

Fit fit_word(std::string_view rest, std::string_view word) {
  return rest.starts_with(word) ? Fit::yes : word.starts_with(rest) ? Fit::partial : Fit::no;
}

ElementTags::ElementTags(const ElementCalls &calls)
    : grammar(calls),
      parameter_open(tag("<", calls, calls.parameter,
                         calls.style == Style::assigned ? "="
                         : calls.style == Style::pairs  ? ">"
                                                        : "")),
      parameter_close(tag("</", calls, calls.style == Style::pairs ? calls.value : calls.parameter, ">")),
      value_open(calls.style == Style::pairs ? tag("<", calls, calls.value, ">") : ""),
      key_close_(tag("</", calls, calls.parameter, ">")),
      separator_(calls.style == Style::pairs && !calls.call.empty() ? tag("<", calls, calls.call, ">") : "") {}

ElementTag ElementTags::call(std::string_view rest) const {
  const std::string_view window = rest.substr(0, kLongestTag);
  if (grammar.style == Style::assigned) return assigned(window, 0, true);
  if (grammar.style == Style::attribute) return attributes(window, 0, true, false);
  ElementTag tag;
  const size_t from = skip_blank(window, 0), end = skip_name(window, from);
  if (end == window.size()) return incomplete(tag, window);
  tag.name = from;
  tag.name_end = end;
  const size_t next = skip_blank(window, end);
  if (next == window.size()) return incomplete(tag, window);
  if (window[next] != '<') return tag;
  if (separator_.empty()) return complete(tag, next);
  const Fit separated = fit_word(window.substr(next), separator_);
  if (separated == Fit::partial) return incomplete(tag, window);
  return complete(tag, separated == Fit::yes ? next + separator_.size() : next);
}

ElementTag ElementTags::parameter(std::string_view rest) const {
  const std::string_view window = rest.substr(0, kLongestTag);
  const size_t at = parameter_open.size();
  if (grammar.style == Style::assigned) return assigned(window, at, false);
  if (grammar.style == Style::attribute) return attributes(window, at, false, grammar.json_values);
  ElementTag tag;
  const size_t close = window.find('<', at);
  if (close == window.npos) return incomplete(tag, window);
  const Fit closed = fit_word(window.substr(close), key_close_);
  if (closed == Fit::partial) return incomplete(tag, window);
  if (closed == Fit::no) return tag;
  tag.name = skip_blank(window, at);
  tag.name_end = std::min(skip_name(window, tag.name), close);
  tag.wrong = tag.name_end == tag.name || skip_blank(window, tag.name_end) != close;
  return complete(tag, close + key_close_.size());
}

}  // namespace sluice
