// In how many rounds in a row a turn makes the same call. A call is known by the digest of its tool and its arguments,
// which is made when a later round or a saved state asks for it: most turns run calls in one round.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/status.h"
#include "turn/card.h"

namespace sluice {

class Repeats {
 public:
  void begin_round();
  // In how many rounds in a row the call stands, this one included. Its tool must exist.
  uint32_t running(const Card &card) const;
  uint32_t count(const Card &card);  // the same, and counts it

  void save(ObjectWriter &object) const;
  Status load(const SavedReader &saved);

 private:
  class Round {
   public:
    using Counts = std::map<std::string, uint32_t>;  // by digest
    bool empty() const { return counts_.empty() && first_.empty(); }
    void add_first(const Card &card) { first_.push_back(&card); }
    Counts &counts();

   private:
    Counts counts_;
    std::vector<const Card *>
        first_;  // stand for the first time, and have no digest yet; cards live as long as the turn
  };

  mutable Round before_, now_;  // digests are made late
};

}  // namespace sluice
