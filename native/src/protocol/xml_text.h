// Text as XML writes it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sluice {

// With the five entities and numeric references decoded; what is none of them stays as it is.
std::string from_xml(std::string_view text);

// With &, < and > written as entities; in attributes the double quote as well.
std::string to_xml(std::string_view text, bool attribute = false);

// A byte that an element's name may hold: any but white space and what ends a tag or begins a value.
inline bool in_xml_name(char c) {
  constexpr std::string_view kOthers = "<>/=\"'&`(){}[];,!?%$#@*+|\\^~";
  return static_cast<unsigned char>(c) > ' ' && c != 0x7F && kOthers.find(c) == kOthers.npos;
}

// Puts a space behind the bracket of each tag, and of each end tag, whose name begins with one of `names`.
void break_tags(std::string &text, std::initializer_list<std::string_view> names);

// Could an element have this name? Endless ones would be compared again with every byte that comes.
bool is_xml_name(std::string_view name);

// Does `rest` begin with </name>? White space may stand before the bracket, but not much: what is read byte by byte is
// looked at again until it is decided. partial: more text could make it one.
Fit fit_end_tag(std::string_view rest, std::string_view name, size_t &length);

// Bytes that are no UTF-8 become U+FFFD.
std::string repaired(std::string_view text);
void append_text(std::string &out, std::string_view text);  // as a JSON string

}  // namespace sluice
