// Most events of a stream are the one before with another text: the same ids, the same members. Such an event is known
// by comparing bytes, and is not parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

class EventShape {
 public:
  // The text of an event that differs from the learned one in its text alone, and is as surely JSON. The view lives
  // until the next call. nullopt: any other event, one without text, and one with \u escapes.
  std::optional<std::string_view> text_of(std::string_view event);

  void forget() { before_.clear(), after_.clear(); }
  // Learns an event that was parsed, and says nothing but `text`, one of its strings, decoded. Forgets the
  // one before.
  void learn(std::string_view event, std::string_view text);

 private:
  // -- of the event that was learned
  std::string before_, after_;  // with the quotes of the text
  // -- reused
  std::string text_;
  // -- of this stream
  unsigned in_vain_ = 0;  // events that could be learned since one was known
};

}  // namespace sluice
