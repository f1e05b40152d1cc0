// Turns drawn at random, with settings that nobody puts together by hand. SLUICE_RANDOM_SEED draws others,
// SLUICE_RANDOM_TURNS says how many.
#include <catch2/catch.hpp>
#include <random>

#include "../fuzz/drawn_turn.h"
#include "script_runner.h"

using namespace sluice_test;

TEST_CASE("drawn turns: whatever the settings, the promises hold at every step") {
  const std::string seed = environment("SLUICE_RANDOM_SEED"), turns = environment("SLUICE_RANDOM_TURNS");
  std::mt19937 random(seed.empty() ? 61128 : static_cast<uint32_t>(std::stoul(seed)));
  const size_t most = turns.empty() ? (kSanitized ? 150 : 600) : std::stoul(turns);
  size_t faults = 0, played = 0, ran = 0;
  for (size_t i = 0; i < most && faults < 8; ++i) {
    std::string bytes(512, '\0');
    for (char &c : bytes) c = static_cast<char>(random());
    Choices choices(bytes);
    try {
      DrawnPlay play(choices);
      play.play();
      played += play.played;
      ran += play.ran() > 0;
    } catch (const Broken &broken) {
      ++faults;
      FAIL_CHECK("turn " << i << ": " << broken.what());
    }
  }
  INFO(most << " turns, " << played << " were made, tools ran in " << ran);
  CHECK(played > most / 2);
  CHECK(ran > most / 20);
}
