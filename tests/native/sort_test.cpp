// Runs twice: with std::sort, and with our own (sort.cpp) where SLUICE_SMALL is set (sluice_small).
#include "base/sort.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>
#include <string>

using namespace sluice;

TEST_CASE("anything is put in order, whatever order it came in") {
  std::mt19937 random(4);
  for (size_t size = 0; size < 200; ++size) {
    std::vector<std::string> items;
    for (size_t i = 0; i < size; ++i) items.push_back(std::to_string(random() % (1 + size / 2)));
    std::vector<std::string> expected = items;
    std::sort(expected.begin(), expected.end());
    sort_all(items);
    REQUIRE(items == expected);
    std::sort(expected.begin(), expected.end(), std::greater<>());
    sort_all(items, [](const std::string &a, const std::string &b) { return a > b; });
    REQUIRE(items == expected);
  }
}

TEST_CASE("what can only be moved is sorted, too") {
  std::vector<std::unique_ptr<int>> items;
  for (const int value : {3, 1, 2}) items.push_back(std::make_unique<int>(value));
  sort_all(items, [](const auto &a, const auto &b) { return *a < *b; });
  CHECK(*items[0] == 1);
  CHECK(*items[2] == 3);
}

TEST_CASE("no order makes sorting slow") {
  constexpr size_t kSize = 1 << 14;
  for (const auto &at : {+[](size_t i) { return i; }, +[](size_t i) { return kSize - i; },
                         +[](size_t i) { return i % 2 == 0 ? i : kSize - i; }, +[](size_t i) { return i * 7919 % 100; },
                         +[](size_t) { return size_t{0}; }}) {
    std::vector<size_t> items;
    for (size_t i = 0; i < kSize; ++i) items.push_back(at(i));
    size_t compared = 0;
    sort_all(items, [&](size_t a, size_t b) {
      ++compared;
      return a < b;
    });
    CHECK(std::is_sorted(items.begin(), items.end()));
    CHECK(compared < 3 * kSize * 14);
  }
}
