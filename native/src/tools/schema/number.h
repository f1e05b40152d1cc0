// JSON numbers of any size, exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::json_schema {

// A JSON number, exactly: 0.<digits> * 10^point, without zeros at either end of the digits. Zero has none.
struct Number {
  bool negative = false;
  std::string digits;
  int64_t point = 0;

  bool whole() const { return point >= static_cast<int64_t>(digits.size()); }
};

// `token`: a number of JSON, without white space around it.
Number read_number(std::string_view token);

// Below 0, 0 or above 0, as `a` is less than, equal to or more than `b`.
int compare(const Number &a, const Number &b);

inline constexpr size_t kDivisorDigits = 18;  // of a divisor: ten times it still fits 64 bits

// `divisor`: above 0, with at most kDivisorDigits digits.
bool multiple_of(const Number &value, const Number &divisor);

}  // namespace sluice::json_schema
