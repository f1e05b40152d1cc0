// Most events of a stream are the one before with another text: the same ids, the same members, perhaps a number or
// padding of their own. Such an event is known by comparing bytes, and is not parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// A member in which events of a stream may differ although they mean the same: nobody reads it, or it is a number that
// is handed over.
struct LooseMember {
  std::string_view object;  // the member of the event that holds it; empty: the event itself
  std::string_view key;
};

class EventShape {
 public:
  // `loose`: at most 32; they must outlive this. Strings in them are those that nobody reads.
  explicit EventShape(std::span<const LooseMember> loose) : loose_(loose) {}

  // The text of an event that differs from the learned one in its text and loose members alone, and is as surely JSON.
  // `type`: the value of its `event:` line. The view lives until the next call. nullopt: any other event, one without
  // text, and one with \u escapes.
  std::optional<std::string_view> text_of(std::string_view type, std::string_view event);

  struct Number {
    size_t member;  // its place among the loose members
    int64_t value;
  };
  // The whole numbers among the loose members of the event that text_of knew last.
  std::span<const Number> numbers() const { return numbers_; }

  void forget() { holes_.clear(); }
  // Learns an event that was parsed, and says nothing but `text`, one of its strings, decoded. Forgets the one before.
  void learn(std::string_view type, std::string_view event, std::string_view text);

 private:
  // Where events differ.
  struct Hole {
    enum class Kind : uint8_t { text, string, number };
    Kind kind;
    size_t at;      // bytes of fixed_ in front of it; those of a string end with its quote
    size_t member;  // of a number
  };

  // Finds the holes of an event. Returns false where it is not certain which they are.
  bool find_holes(std::string_view event, std::string_view text);
  std::optional<size_t> loose_member(size_t depth, std::string_view object, std::string_view key) const;

  // -- set once
  const std::span<const LooseMember> loose_;
  // -- of the event that was learned
  std::string type_, fixed_;
  std::vector<Hole> holes_;  // empty: none was
  // -- reused
  std::string text_;
  std::vector<Number> numbers_;
  // -- of this stream
  unsigned in_vain_ = 0;  // events that could be learned since one was known
};

}  // namespace sluice
