// The rest of a block whose arguments outgrew their limit: it is dropped up to a closer, or to the next opener.
#pragma once

#include "protocol/protocol.h"
#include "protocol/scan/kept.h"
#include "protocol/scan/markers.h"

namespace sluice {

class Skip {
 public:
  struct Read {
    bool over;    // else all of the kept text belongs to the block
    Offset at;    // where the text goes on
    Offset from;  // what stands in front of it is dropped
  };

  void begin(const Protocol &protocol, const ToolView &tools);
  Read read(const KeptText &kept, Offset at);

  // Loading follows begin().
  void save(std::string &out) const;
  void load(std::string_view saved);

 private:
  Markers markers_;
  Markers::State match_ = 0;
};

}  // namespace sluice
