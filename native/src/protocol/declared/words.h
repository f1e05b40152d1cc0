// Built-in grammars with the words of a declaration.
#pragma once

#include <deque>

#include "protocol/declared/declaration.h"

namespace sluice {

// A family of its own: what its fields view lives here.
class OwnFamily {
 public:
  OwnFamily(const Family &like) : family_(like) {}
  OwnFamily(const OwnFamily &) = delete;
  OwnFamily &operator=(const OwnFamily &) = delete;

  const Family &family() const { return family_; }
  // Replaces what stands at this path. Returns false if the format has no such words.
  bool set(std::string_view path, const std::vector<std::string> &words);
  // Puts the seal into what begins calls.
  void seal(std::string_view seal);

 private:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  Words keep(const std::vector<std::string> &words);
  bool set_in_grammar(std::string_view path, const std::vector<std::string> &words);
  void begin_with(Words openers);

  std::deque<std::string> texts_;
  std::deque<WordList> lists_;
  std::deque<std::vector<JsonOpening>> openings_;
  Family family_;
};

// The same for vcp, which has one word of each. `start` and `end` are whole markers here.
bool set_vcp_words(std::string_view path, const std::vector<std::string> &words, VcpWords &out);
// Whole markers → as VcpWords keeps them.
void settle_angles(VcpWords &words);

// Why the words of this family cannot be replaced; empty: they can.
std::string_view fixed_words(const Family &family);

}  // namespace sluice
