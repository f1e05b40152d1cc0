#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "protocol/scan/mode.h"

using namespace sluice;

namespace {

constexpr int kModeCount = static_cast<int>(ScanMode::ends) + 1;
constexpr int kScanTriggerCount = static_cast<int>(ScanTrigger::restart) + 1;

}  // namespace

TEST_CASE("every mode of the scanner takes a trigger once, or not at all") {
  for (int m = 0; m < kModeCount; ++m)
    for (int t = 0; t < kScanTriggerCount; ++t) {
      const auto mode = static_cast<ScanMode>(m);
      const auto trigger = static_cast<ScanTrigger>(t);
      int rows = 0;
      for (const ScanStep &row : kScanSteps) rows += row.from == mode && row.trigger == trigger;
      INFO(to_text(mode) << " on " << to_text(trigger));
      CHECK(rows <= 1);
      CHECK(next_mode(mode, trigger).has_value() == (rows == 1));
    }
}

TEST_CASE("some step leads to each mode of the scanner, and one leads from it to text") {
  for (int m = 1; m < kModeCount; ++m) {
    const auto mode = static_cast<ScanMode>(m);
    bool reached = false, left = false;
    for (const ScanStep &row : kScanSteps) {
      reached = reached || row.to == mode;
      left = left || (row.from == mode && row.to == ScanMode::text);
    }
    INFO(to_text(mode));
    CHECK(reached);
    CHECK(left);
  }
}

TEST_CASE("the diagram of the scanner's modes in the README is the table") {
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/native/src/protocol/README.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK_THAT(text.str(), Catch::Contains("```\n" + mode_diagram() + "```"));
}
