// The tags of an element grammar: how a call and a parameter begin, and what ends a parameter.
#pragma once

#include "base/text.h"
#include "protocol/family/family.h"

namespace sluice {

// A tag, perhaps not complete yet. Positions count from the first byte of the text that was handed in.
struct ElementTag {
  enum class Json : uint8_t { unsaid, no, yes };  // string="true", string="false"
  Fit fit = Fit::no;
  bool wrong = false;             // a tag with something unknown in it
  bool empty = false;             // it closes itself
  bool open = false;              // its bracket, or the tag behind it, is missing: it counts only if the name is known
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
  // Returns whether `rest` begins with it, and its length.
  Fit fit(std::string_view rest, size_t &length) const;

 private:
  std::vector<std::string> spellings_;
};

class ElementTags {
 public:
  enum class Style : uint8_t { assigned, attribute, pairs };
  // The grammar outlives it.
  explicit ElementTags(const AssignedElements &grammar);
  explicit ElementTags(const AttributeElements &grammar);
  explicit ElementTags(const PairElements &grammar);

  // Reads from behind a call's opener up to its content. An empty name: the call has none, and no place for one.
  ElementTag call(std::string_view rest) const;
  // `rest` begins with parameter_open. Pairs: up to the end of </arg_key>.
  ElementTag parameter(std::string_view rest) const;
  // Pairs: a key that lost its <arg_key>.
  ElementTag bare_key(std::string_view rest) const;

  // -- set once
  const Style style;
  const ElementForm &form;
  TagWord parameter_open, parameter_close;
  TagWord value_open;             // pairs: between a key and its value; empty: the format has none
  TagWord key_close;              // pairs
  TagWord type_open, type_close;  // pairs: around a value's type
  TagWord wrapper;                // may stand around all parameters, and is ignored
  TagWord nearly_open;            // how a tag begins whose closer nearly closes a parameter

  // Returns whether `rest` begins with a tag that nearly closes a parameter: </param>, </parameter=KEY>, </parameter/>,
  // up to its bracket, the next tag or the end of its line.
  Fit bent_close(std::string_view rest, size_t &length) const;

 private:
  ElementTag key(std::string_view window, size_t at) const;
  ElementTag pairs_call(std::string_view window) const;

  void add_wrappers(std::string_view tag_open, std::string_view tag_close, std::string_view tag_end);

  void nearly(std::string_view tag_close, std::string_view word);

  TagWord separator_;                              // pairs
  TagWord nearly_close_;                           // how a bent closer of a parameter begins
  const AttributeElements *attributes_ = nullptr;  // of that style
};

}  // namespace sluice
