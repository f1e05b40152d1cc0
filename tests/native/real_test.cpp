// Runs twice: with the library's from_chars, and with our own (real.cpp) where SLUICE_SMALL is set (sluice_small).
#include "base/real.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

using namespace sluice;

namespace {

constexpr double kUntouched = 12345;

void check_as_strtod(const std::string &text) {
  INFO(text);
  double value = kUntouched;
  const std::from_chars_result read = read_real(text.data(), text.data() + text.size(), value);
  const double oracle = std::strtod(text.c_str(), nullptr);
  if (std::isinf(oracle)) {
    REQUIRE(read.ec == std::errc::result_out_of_range);
    REQUIRE(value == kUntouched);
  } else if (read.ec == std::errc::result_out_of_range) {  // libraries call what is too small out of range, too
    REQUIRE(std::abs(oracle) < std::numeric_limits<double>::min());
  } else {
    REQUIRE(read.ec == std::errc());
    REQUIRE(read.ptr == text.data() + text.size());
    REQUIRE(std::memcmp(&value, &oracle, sizeof value) == 0);  // the sign of zero, too
  }
}

std::string with_digits(const char *format, double value) {
  char text[1200];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

TEST_CASE("a number is read as the double that is nearest") {
  for (const char *text : {"0",
                           "-0",
                           "0.0",
                           "-0e5",
                           "1",
                           "-1.5",
                           "3.14159",
                           "1e0",
                           "1E+2",
                           "123456789012345678901234567890",
                           "0.1",
                           "1e22",
                           "1e23",
                           "9007199254740993",
                           "9007199254740992.5",
                           "9007199254740993.00000000000000000000000000001",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e400",
                           "1e99999999999",
                           "0e99999999999",
                           "1e-99999999999",
                           "4.9e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "2.2250738585072011e-308",
                           "2.2250738585072014e-308"})
    check_as_strtod(text);
}

TEST_CASE("any double is read back from its digits, and from what lies half way to the next") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 400; ++i) {
    const uint64_t bits = random() & ~(uint64_t{1} << 63);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    check_as_strtod(with_digits("%.17g", value));
    check_as_strtod(with_digits("-%.20e", value));
    check_as_strtod(with_digits("%.1074e", value));             // exact
    if (std::abs(value) > 1e-290 && std::abs(value) < 1e300) {  // a long double holds the half
      char text[1200];
      const long double half = (static_cast<long double>(value) + std::nextafter(value, HUGE_VAL)) / 2;
      std::snprintf(text, sizeof text, "%.1100Le", half);
      check_as_strtod(text);
      std::string more = text;
      more.insert(more.find('e'), 1, '1');
      check_as_strtod(more);
    }
  }
}

TEST_CASE("what is no number is said to be none") {
  double value = kUntouched;
  for (const std::string text : {"", "-", "x", "-x", "."}) {
    INFO(text);
    CHECK(read_real(text.data(), text.data() + text.size(), value).ec == std::errc::invalid_argument);
  }
  CHECK(value == kUntouched);
}
