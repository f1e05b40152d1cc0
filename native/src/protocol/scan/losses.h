// The places where bytes of the kept text were lost on their way.
#pragma once

#include <algorithm>
#include <vector>

#include "base/sort.h"
#include "base/utf8.h"
#include "protocol/scan/kept.h"

namespace sluice {

class Losses {
 public:
  void add(Offset at) {
    if (offsets_.empty() || offsets_.back() != at) offsets_.push_back(at);
  }
  // Were bytes lost between these, or is one of them no UTF-8?
  bool any(const KeptText &kept, Offset from, Offset to) const {
    const auto loss = std::upper_bound(offsets_.begin(), offsets_.end(), from);
    return (loss != offsets_.end() && *loss < to) || !is_utf8(kept.view(from, to));
  }
  // Forgets those up to `to`.
  void forget(Offset to) {
    if (!offsets_.empty()) offsets_.erase(offsets_.begin(), std::upper_bound(offsets_.begin(), offsets_.end(), to));
  }

  const std::vector<Offset> &offsets() const { return offsets_; }  // rising
  void load(std::vector<Offset> offsets) {
    offsets_ = std::move(offsets);
    sort_all(offsets_);
  }

 private:
  std::vector<Offset> offsets_;
};

}  // namespace sluice
