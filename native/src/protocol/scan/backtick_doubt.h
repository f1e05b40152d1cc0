// What stands behind an open run of back-ticks: inline code if the run is closed on the same line, else not. Openers,
// reasoning tags and made-up results found there wait until the run or the line ends.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/scan/active_markers.h"
#include "protocol/scan/context.h"

namespace sluice {

class SavedReader;

// All positions are offsets in the text of the round.
class BacktickDoubt {
 public:
  struct Waiting {
    size_t at;
    int marker;
  };

  // -- markers that wait
  bool waits() const { return !waiting_.empty(); }
  // The first of them: the text from here on is held back.
  size_t from() const { return waiting_.front().at; }
  // More than `bytes` of text are held back before `at`.
  bool holds_more_than(size_t bytes, size_t at) const { return waits() && at - from() > bytes; }
  void wait(size_t at, int marker, const Context &context);
  const std::vector<Waiting> &waiting() const { return waiting_; }
  void stop_waiting() { waiting_.clear(); }

  // A run of back-ticks of the context ended before `at`.
  void on_run(size_t at, const Context &context);
  // A run closed another one. Returns whether that makes code of what waits.
  bool closes_around(const Context &context) const { return waits() && context.matched() < depth_; }
  // The line ended before `at`, and closed no run around what waits: the scan goes back to from(), and the runs of the
  // line are known when it comes there.
  void on_line_end(size_t at);

  // -- on a line that was read to its end
  bool knows(size_t at) const { return at < known_until_; }
  // Is the byte at `at`, behind the runs that are open in the context, in code?
  bool is_code(size_t at, const Context &context) const;

  // -- made-up results: reported when they turn out not to be code
  void add_result(size_t at, const Context &context);
  // Those behind more than `runs` open runs were in code.
  void drop_results(size_t runs);
  bool any_results() const { return !results_.empty(); }
  // Returns their offsets and forgets them.
  std::vector<size_t> take_results();

  void clear();

  // -- saved with the scanner
  bool empty() const { return !waits() && results_.empty() && known_until_ == 0; }
  void save(std::string &out, const ActiveMarkers &markers) const;
  // What waits for a marker that is not active any more is dropped.
  void load(std::string_view saved, const ActiveMarkers &markers);

 private:
  struct Result {
    size_t at;
    size_t depth;  // open runs before it
  };

  std::vector<Waiting> waiting_;
  size_t depth_ = 0;  // open runs before the first that waits
  std::vector<Result> results_;
  size_t known_until_ = 0;              // the line was read up to this offset before
  size_t last_run_ = 0;                 // offset behind its last run
  std::map<size_t, size_t> last_runs_;  // length → offset behind the last run of it
};

}  // namespace sluice
