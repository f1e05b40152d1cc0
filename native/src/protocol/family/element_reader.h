// Reads calls whose parameters are elements with text in them, in the three styles of element_tags.h.
#pragma once

#include <set>

#include "base/json.h"
#include "base/text.h"
#include "protocol/family/bars.h"
#include "protocol/family/element_arguments.h"

namespace sluice {

class ElementReader final : public FamilyReader {
 public:
  template <class Elements>
  ElementReader(const Family &family, const Elements &grammar, const ProtocolOptions &options, const ToolView &tools,
                const ScanLimits &limits)
      : FamilyReader(family, tools, limits), tags_(grammar), options_(options) {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override;
  void close(std::string_view block, std::string_view reason) override;
  bool leads(char next) const override { return tags_.form.json && (next == '{' || next == '['); }

 private:
  enum class Place : uint8_t {
    start,
    json_calls,
    head,        // the rest of the call's first tag
    between,     // parameters
    behind_key,  // pairs: before <arg_value>
    value,
    cdata,
    behind_cdata,
    behind_closer,  // in a value, behind a closer of the call: it counts if the value's own is missing
    child,          // in a value whose tag is named as its parameter
    json,           // arguments as one object
    residue,        // what the format does not know, up to the next tag
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected };

  Step step(std::string_view block);
  Step start(std::string_view block);
  Step head(std::string_view block);
  bool is_call(std::string_view block, const ElementTag &tag);
  Step between(std::string_view block);
  Step nested(std::string_view block, size_t length);
  Step fenced_object(std::string_view block);
  Fit stray_closer(std::string_view block, size_t &length) const;
  Step parameter(std::string_view block);
  Fit child_tag(std::string_view rest, ElementField &field, size_t &length, std::string &closer) const;
  Fit names_next(std::string_view block) const;
  Step start_child(std::string_view block);
  Step child(std::string_view block);
  Step bare_key(std::string_view block);
  bool is_key(std::string_view block, const ElementTag &tag) const;
  Step behind_key(std::string_view block);
  Step value_type(std::string_view block, size_t from);
  Step value(std::string_view block);
  Step cdata(std::string_view block);
  Step behind_cdata(std::string_view block);
  Step behind_closer(std::string_view block);
  Step json(std::string_view block);
  State finish(std::string_view block);
  State json_calls(std::string_view block, bool ended);

  // Reports to the scanner that the block is a call, and (`begins`) that its arguments begin. Returns true once it did.
  bool reported(std::string_view block, bool begins);
  Step unknown(std::string_view block, std::string_view what);
  Step end_call(size_t closer, size_t next) {
    closer_ = closer;
    at_ = next;
    return Step::done;
  }
  Step end_block(std::string_view reason, size_t where) {
    how_ = reason;
    return end_call(where, where);
  }
  Step start_value(size_t at);
  Step end_value(std::string_view block, size_t value_end, size_t next);
  bool is_swallowed(std::string_view block, const ElementTag &tag) const;
  bool says_something(std::string_view block) const;
  Fit goes_on(std::string_view rest) const;
  Step last_value_ends(std::string_view block);
  Step lose_last_value();
  Fit may_end_here(std::string_view block, const ElementTag &tag) const;
  Fit begins_call(std::string_view rest) const;
  Step end_open_value(std::string_view block, size_t at);
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }
  std::vector<std::string> spelled_closers() const {
    std::vector<std::string> out;
    for (const std::string &closer : tags_.parameter_close.spellings())
      for (std::string &one : spell_bars(closer)) out.push_back(std::move(one));
    return out;
  }

  // -- set once
  const ElementTags tags_;
  const ProtocolOptions &options_;
  // -- position in the block
  Place place_ = Place::start;
  size_t name_ = 0, name_end_ = 0;
  std::string tool_;  // the name, as soon as the call's first tag was read
  bool nameless_ = false;
  bool empty_ = false;                             // the call's first tag closes itself
  ElementField field_{};                           // the one that is being read
  size_t inner_parameters_ = 0, inner_calls_ = 0;  // tags in a value that are data, and not closed yet
  bool first_tag_ = false;                         // no `<` in the value yet
  bool quotes_ = false;                            // a tag of the format is in the value
  size_t value_end_ = 0;                           // where CDATA ends
  size_t inner_nearly_ = 0;                        // tags in a value that a bent closer may close
  size_t call_end_ = 0, call_behind_ = 0;          // what ends the call, in a value
  bool ends_open_ = false;                         // it ends the value as well, if this is the value's only tag
  bool section_ended_ = false;                     // behind it the section ends
  bool doubted_ = false;                           // it ends the value, unless the value's own closer comes
  bool closes_inner_ = false;                      // behind it is a closer of a value
  bool leaves_open_ = false;                       // behind it a call ends in a value
  bool swallows_ = false;                          // behind it is a parameter that this call does not have yet
  std::string child_end_;                          // the end tag of a child
  bool named_apart_ = false;                       // <parameter>KEY</parameter> stands in front of the value
  size_t ticks_ = 0;                               // of the fence around the arguments as one object
  ValueEnd object_;
  size_t object_from_ = 0, object_end_ = 0;
  size_t closer_ = SIZE_MAX;
  bool ended_ = false;    // nothing follows the block
  std::string_view how_;  // how the block ended
  // -- what was read
  std::vector<ElementField> fields_;
  std::set<std::string> names_;
  std::string_view fault_;  // the first
  // -- JSON calls in the place of elements
  Family json_family_;
  WordList json_openers_, json_closers_;  // its words
  std::unique_ptr<BlockReader> json_;
};

}  // namespace sluice
