// Where the line of the text begins, and, for tags in mid-line, what it says so far.
#pragma once

#include "protocol/quotation.h"
#include "protocol/scan/kept.h"

namespace sluice {

class LineStart {
 public:
  // The first byte of its line that is not white.
  void on_first(Offset at) { first_ = at; }
  Offset first() const { return first_; }
  // The text that follows `at` counts as a new line.
  void start(Offset at) {
    said_.clear();
    from_ = at;
  }
  // Keeps what the line said up to `done`, which is forgotten.
  void keep(const KeptText &kept, Offset done) {
    said_.add(kept.view(from_, done));
    from_ = std::max(from_, done);
  }
  // Is a quotation of this line open at `at`?
  bool quotes(const KeptText &kept, Offset at) const {
    LastBytes line = said_;
    line.add(kept.view(from_, at));
    return ends_in_quotation(line.get());
  }

  void save(std::string &out) const;
  void load(std::string_view saved, const KeptText &kept);

 private:
  template <class Self, class Field>
  static void each_field(Self &self, const Field &field) {
    field("first", self.first_, kNowhere);
    field("from", self.from_, Offset{0});
  }

  Offset first_ = kNowhere;
  LastBytes said_;   // the end of the line in front of the kept text
  Offset from_ = 0;  // where the line of said_ goes on: text before it belongs to another line
};

}  // namespace sluice
