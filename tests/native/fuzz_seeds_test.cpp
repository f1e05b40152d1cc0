// The seeds of the protocol fuzzer (tests/fuzz/corpus/<grammar>): each runs under every protocol of its grammar, with
// large and with small limits, as in the fuzzer.
#include <catch2/catch.hpp>

#include "../fuzz/scan_check.h"
#include "script_runner.h"

namespace fs = std::filesystem;
using namespace sluice_test;

TEST_CASE("the seeds of the fuzzer hold under every protocol of their grammar") {
  NamedTools tools;
  tools.tools = fuzz_tools();
  size_t seeds = 0;
  for (const auto &entry : fs::recursive_directory_iterator(tests_folder() / "fuzz" / "corpus")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_file(entry.path()), grammar = entry.path().parent_path().filename().string();
    size_t protocols = 0;
    for (const auto &[id, config] : protocol_configs()) {
      if (grammar_of(id) != grammar) continue;
      ++protocols;
      Scan how{{}, tools};
      how.protocols.emplace_back();
      REQUIRE(sluice::make_protocol(config, how.protocols[0]).ok());
      for (const sluice::ScanLimits &limits : {sluice::ScanLimits{}, kSmallLimits}) {
        how.limits = limits;
        const std::string why = check_scan(how, text, 7);
        if (!why.empty()) FAIL_CHECK(entry.path().filename() << " under " << id << ": " << why);
      }
    }
    INFO(entry.path());
    CHECK(protocols > 0);
    ++seeds;
  }
  CHECK(seeds > 0);
}
