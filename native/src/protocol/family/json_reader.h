// Reads JSON calls: {"name": …, "arguments": {…}}, one, several in a row, or an array of them.
#pragma once

#include <optional>

#include "protocol/byte_finder.h"
#include "protocol/family/json_doubt.h"
#include "protocol/loose_json.h"

namespace sluice {

inline bool is_quote(char c) { return c == '"' || c == '\''; }

class JsonReader final : public FamilyReader {
 public:
  static constexpr size_t kNone = std::string_view::npos;

  JsonReader(const Family &family, const JsonCalls &grammar, const ProtocolOptions &options, const ToolView &tools,
             const ScanLimits &limits)
      : FamilyReader(family, tools, limits),
        grammar_(grammar),
        options_(options),
        rules_{limits.depth, options.first_duplicate.value_or(false), grammar.strict},
        doubt_(grammar, !options.seal.empty()) {}

 protected:
  State body(std::string_view block, bool ended) override;
  Rest rest(std::string_view block) const override;
  void close(std::string_view block, std::string_view reason) override;

 private:
  enum class Place : uint8_t {
    opener,
    other,  // the call is written in another grammar
    name,   // in front of the JSON
    lead,   // in front of the first value
    info,   // behind the back-ticks of a fence
    list,   // in an array, where a call may begin
    // -- in a call
    key,
    in_key,
    behind_key,
    value,
    in_value,
    behind_value,
    arguments,  // the object is the arguments, not the call
    broken,     // up to its own bracket
    // -- behind the calls
    row,        // more may follow, then the closer
    separator,  // no closer ends the row: a separator, another call or residue may follow
    wrapped,    // the wrapper's end
    outer,      // the wrapper is broken: up to its bracket
    residue,    // up to the closer
  };
  enum class Step : uint8_t { on, wait, paused, done, rejected, markup, over };  // over: the call's bracket is next
  enum class Member : uint8_t { name, arguments, id, other, function, wrapper, seal, unknown };
  struct Range {
    size_t from = 0, to = 0;
  };
  struct Entry {
    std::string name;
    Range id, arguments;
    bool has_arguments = false, complete = false;
    std::string_view reason;
  };

  Step step(std::string_view seen, bool ended);
  Step opener(std::string_view seen);
  Step name_in_front(std::string_view seen, bool ended);
  Step lead(std::string_view seen, bool ended);
  Step info(std::string_view seen);
  Step list(std::string_view seen);
  Step row(std::string_view seen, bool ended);
  Step separator(std::string_view seen, bool ended);
  Step wrapped(std::string_view seen);
  Step outer(std::string_view seen);
  Step residue(std::string_view seen);

  void start_entry(size_t at);
  Step entry(std::string_view seen);
  Step member(std::string_view text);
  Step key(std::string_view text);
  Step in_key(std::string_view text);
  Step behind_key(std::string_view text);
  Step value(std::string_view text);
  Step in_value(std::string_view text);
  Step behind_value(std::string_view text);
  Step take_value(std::string_view text);
  Step take_name(std::string name);
  Step call_is_known();
  Step break_entry(std::string_view reason, bool to_bracket);
  Step end_entry();
  Step stop_entry(std::string_view seen, size_t where);
  Step behind_calls();
  Step on_stop(std::string_view seen);
  State finish(std::string_view block);
  State read_other(std::string_view block, bool ended);

  bool skip_comments(std::string_view seen);
  Member member_of(std::string_view key) const;
  bool in_entry() const { return place_ >= Place::key && place_ <= Place::broken; }
  void know_name(const std::string &tool) {
    begun = named = true;
    name = tool;
    doubt_.on_name();
  }
  void find_entry_end(std::string_view seen);
  bool in_string() const {
    return (place_ == Place::in_key || place_ == Place::in_value) && !scalar_ && token_.quoted();
  }
  size_t next_stop(std::string_view seen);
  size_t partial_stop(std::string_view block) const;
  Step give_up(std::string_view why) {
    reject(doubt_.plain() ? std::string_view() : why, at_);
    return Step::rejected;
  }
  void fault(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }

  // -- set once
  const JsonCalls &grammar_;
  const ProtocolOptions &options_;
  const ValueRules rules_;
  JsonDoubt doubt_;
  const JsonOpening *opening_ = nullptr;
  WordList closers_, stops_;  // stops: closers, and openers of other blocks
  ByteFinder stop_bytes_;     // their first ones
  size_t longest_stop_ = 0;
  // -- position in the block
  Place place_ = Place::opener;
  size_t ticks_ = 0;  // of the fence that is open
  bool fenced_ = false;
  bool in_list_ = false;
  bool list_begun_ = false, comma_ = false;  // in it: behind a call, or behind the comma behind one
  bool wrapped_ = false;
  bool sealed_ = false;  // the seal was read
  ValueEnd outer_;
  size_t outer_to_ = kNone;
  size_t searched_ = 0;  // no stop begins before it
  // -- position in a call
  Entry entry_;
  ValueEnd entry_end_, token_;
  size_t entry_from_ = 0, entry_to_ = kNone, stop_at_ = kNone;
  size_t token_from_ = 0;
  bool scalar_ = false;
  bool inner_ = false;  // in the object under "function"
  bool behind_comma_ = false;
  Member member_ = Member::unknown;
  // -- what was read
  std::string name_in_front_;
  bool nobody_ = false;  // the name is no tool's, and no mark says that this is a call
  std::vector<Entry> entries_;
  std::string_view how_;    // how the block ended
  std::string_view fault_;  // of the block, the first
  // -- a call of another grammar in the place of JSON
  Family other_family_;
  WordList other_sections_, other_ends_;
  std::unique_ptr<BlockReader> other_;
};

}  // namespace sluice
