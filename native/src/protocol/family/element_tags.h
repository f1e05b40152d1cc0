// The tags of an element grammar: how a call and a parameter begin, and what ends a parameter.
#pragma once

#include "base/text.h"
#include "protocol/family/family.h"

namespace sluice {

// A tag as far as it came. Positions count from the first byte that was handed in.
struct ElementTag {
  enum class Json : uint8_t { unsaid, no, yes };  // string="true", string="false"
  Fit fit = Fit::no;
  bool wrong = false;             // it is one, and something in it is unknown
  bool empty = false;             // it closes itself
  bool open = false;              // it lost its bracket, or the tag behind it: right only where the name is known
  size_t name = 0, name_end = 0;  // also of a partial one, once the name is complete
  Json json = Json::unsaid;
  size_t length = 0;
};

// One tag in each of its spellings.
class TagWord {
 public:
  void add(std::string spelling) { spellings_.push_back(std::move(spelling)); }
  bool empty() const { return spellings_.empty(); }
  const std::vector<std::string> &spellings() const { return spellings_; }
  // Does `rest` begin with it?
  Fit fit(std::string_view rest, size_t &length) const;

 private:
  std::vector<std::string> spellings_;
};

class ElementTags {
 public:
  explicit ElementTags(const ElementCalls &grammar);

  // What stands behind a call's opener, up to its content. A name of no bytes: there is none, and no room for one.
  ElementTag call(std::string_view rest) const;
  // `rest` begins with parameter_open. Pairs: up to the end of </arg_key>.
  ElementTag parameter(std::string_view rest) const;
  // Pairs: a key that lost its <arg_key>.
  ElementTag bare_key(std::string_view rest) const;

  // -- set once
  const ElementCalls &grammar;
  TagWord parameter_open, parameter_close;
  TagWord value_open;             // pairs: between a key and its value; empty: the format has none
  TagWord key_close;              // pairs
  TagWord type_open, type_close;  // pairs: around a value's type
  TagWord wrapper;                // stands around all parameters, and means nothing

 private:
  ElementTag key(std::string_view window, size_t at) const;
  ElementTag pairs_call(std::string_view window) const;

  TagWord separator_;
};

}  // namespace sluice
