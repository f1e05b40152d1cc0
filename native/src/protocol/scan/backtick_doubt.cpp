#include "protocol/scan/backtick_doubt.h"

#include "base/json_writer.h"
#include "base/saved.h"

namespace sluice {
namespace {

constexpr size_t kMostResults = 64;  // of one line; more are not reported

int64_t number(size_t value) { return static_cast<int64_t>(value); }

}  // namespace

void BacktickDoubt::wait(size_t at, int marker, const Context &context) {
  if (!waits()) {
    depth_ = context.open_count();
    last_runs_.clear();
    last_run_ = 0;
  }
  waiting_.push_back({at, marker});
}

void BacktickDoubt::on_run(size_t at, const Context &context) {
  if (!waits()) return;
  last_run_ = at;
  last_runs_[context.run_length()] = at;
}

void BacktickDoubt::on_line_end(size_t at) {
  while (!results_.empty() && results_.back().at >= from()) results_.pop_back();
  known_until_ = at;
}

bool BacktickDoubt::is_code(size_t at, const Context &context) const {
  if (context.fence_possible() && last_run_ <= at) return true;
  for (size_t i = 0; i < context.open_count(); ++i) {
    const auto last = last_runs_.find(context.open(i));
    if (last != last_runs_.end() && last->second > at) return true;
  }
  return false;
}

void BacktickDoubt::add_result(size_t at, const Context &context) {
  if (results_.size() < kMostResults) results_.push_back({at, context.open_count()});
}

void BacktickDoubt::drop_results(size_t runs) {
  std::erase_if(results_, [runs](const Result &one) { return one.depth > runs; });
}

std::vector<size_t> BacktickDoubt::take_results() {
  std::vector<size_t> out;
  for (const Result &one : results_) out.push_back(one.at);
  results_.clear();
  return out;
}

void BacktickDoubt::clear() {
  waiting_.clear();
  results_.clear();
}

// ---- saved ----

void BacktickDoubt::save(std::string &out, const ActiveMarkers &markers) const {
  ObjectWriter object(out);
  object.number("knownUntil", number(known_until_)).number("lastRun", number(last_run_));
  std::vector<int64_t> runs, results;
  for (const auto &[length, at] : last_runs_) runs.insert(runs.end(), {number(length), number(at)});
  for (const Result &one : results_) results.insert(results.end(), {number(one.at), number(one.depth)});
  append_saved_numbers(object.value("runs"), runs);
  append_saved_numbers(object.value("results"), results);
  object.number("depth", number(depth_));
  std::string &list = object.value("waiting");
  list += '[';
  for (const Waiting &one : waiting_) {
    if (&one != &waiting_.front()) list += ',';
    ObjectWriter waiting(list);
    waiting.number("at", number(one.at));
    markers.save(one.marker, waiting.value("marker"));
    waiting.close();
  }
  list += ']';
  object.close();
}

void BacktickDoubt::load(std::string_view saved, const ActiveMarkers &markers) {
  using Kind = Markers::Kind;
  const SavedReader reader(saved);
  reader.get("knownUntil", known_until_);
  reader.get("lastRun", last_run_);
  reader.get("depth", depth_);
  const std::vector<int64_t> runs = read_saved_numbers(reader.nested("runs")),
                             results = read_saved_numbers(reader.nested("results"));
  for (size_t i = 0; i + 1 < runs.size(); i += 2)
    last_runs_[static_cast<size_t>(runs[i])] = static_cast<size_t>(runs[i + 1]);
  for (size_t i = 0; i + 1 < results.size(); i += 2)
    results_.push_back({static_cast<size_t>(results[i]), static_cast<size_t>(results[i + 1])});
  for (JsonSlices list(reader.nested("waiting")); list.next();) {
    const SavedReader one(list.value());
    size_t at = 0;
    one.get("at", at);
    const int marker = markers.load(
        one.nested("marker"), {Kind::opener, Kind::code_opener, Kind::think, Kind::think_end, Kind::reasoning_end});
    if (marker >= 0) waiting_.push_back({at, marker});
  }
}

}  // namespace sluice
