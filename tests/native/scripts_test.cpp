// The shared scripts of tests/vectors through the C ABI.
#include <catch2/catch.hpp>

#include "script_files.h"
#include "script_runner.h"

using namespace sluice_test;

TEST_CASE("every script holds however its bytes are cut and its events are polled") {
  const std::vector<ScriptFile> scripts = script_files();
  REQUIRE_FALSE(scripts.empty());
  const bool restorable = can_restore();
  if (!restorable) WARN("this library does not restore yet: no script was saved and restored");
  for (const auto &[name, path, place, script] : scripts) {
    std::string failures;
    try {
      for (const std::string &failure : run_script(script, restorable)) failures += "\n" + failure;
    } catch (const std::exception &failure) {
      failures = std::string("\n") + failure.what();
    }
    if (!failures.empty()) FAIL_CHECK(name << " (tests/vectors/" << place << ")" << failures);
  }
}
