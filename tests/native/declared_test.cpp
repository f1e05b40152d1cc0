// Protocols that a host declares: what is taken keeps the promises of the built-in ones.
#include <catch2/catch.hpp>
#include <random>

#include "../fuzz/declared_check.h"
#include "protocol/declared/declaration.h"

using namespace sluice;
using namespace sluice_test;

TEST_CASE("every protocol that writes calls can be declared as it is") {
  size_t same = 0;
  for (const std::string_view like : protocol_ids()) {
    if (like == "inline_tags" || like == "think-only") continue;  // they write no calls
    INFO(like);
    Declarations declared;
    REQUIRE(read_declarations("[{\"id\":\"house\",\"like\":\"" + std::string(like) + "\"}]", declared).message == "");
    std::shared_ptr<const Protocol> house, other;
    REQUIRE(make_protocol("\"house\"", declared, house).ok());
    REQUIRE(make_protocol("\"" + std::string(like) + "\"", other).ok());
    std::string one, two;
    house->write_call("c", "f", R"({"a":1})", one);
    other->write_call("c", "f", R"({"a":1})", two);
    CHECK(one == two);
    CHECK(house->id() == "house");
    ++same;
  }
  CHECK(same > 70);
}

TEST_CASE("declarations drawn at random are refused with their place, or keep what protocols promise") {
  std::mt19937 random(20);
  size_t taken = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bytes(160, '\0');
    for (char &c : bytes) c = static_cast<char>(random());
    Choices choices(bytes);
    taken += check_declared(choices) ? 1 : 0;
  }
  CHECK(taken > 100);
}
