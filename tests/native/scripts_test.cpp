// The shared scripts of tests/vectors through the C ABI.
#include <algorithm>
#include <catch2/catch.hpp>

#include "script_runner.h"

namespace fs = std::filesystem;
using namespace sluice_test;

TEST_CASE("every script holds however its bytes are cut and its events are polled") {
  const std::string only = environment("SLUICE_SCRIPT");
  std::vector<fs::path> scripts;
  for (const auto &entry : fs::recursive_directory_iterator(tests_folder() / "vectors"))
    if (entry.path().extension() == ".json" && entry.path().string().find(only) != std::string::npos)
      scripts.push_back(entry.path());
  std::sort(scripts.begin(), scripts.end());
  REQUIRE_FALSE(scripts.empty());
  const bool restorable = can_restore();
  if (!restorable) WARN("this library does not restore yet: no script was saved and restored");
  for (const fs::path &path : scripts) {
    const std::string name = fs::relative(path, tests_folder() / "vectors").generic_string();
    std::string failures;
    try {
      const Json script = Json::parse(read_file(path));
      for (const std::string &failure : run_script(script, restorable)) failures += "\n" + failure;
    } catch (const std::exception &failure) {
      failures = std::string("\ncannot be read: ") + failure.what();
    }
    if (!failures.empty()) FAIL_CHECK(name << failures);
  }
}
