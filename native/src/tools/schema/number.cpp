#include "tools/schema/number.h"

#include <algorithm>
#include <charconv>

namespace sluice::json_schema {

Number read_number(std::string_view token) {
  constexpr int64_t kFar = 1000000000000;  // larger exponents count as this one, so that sums cannot overflow
  Number out;
  size_t i = 0;
  if (token[i] == '-') {
    out.negative = true;
    ++i;
  }
  bool fraction = false;
  for (; i < token.size() && token[i] != 'e' && token[i] != 'E'; ++i) {
    if (token[i] == '.') {
      fraction = true;
    } else {
      out.digits += token[i];
      if (!fraction) ++out.point;
    }
  }
  if (i < token.size()) {
    ++i;
    const bool down = token[i] == '-';
    if (token[i] == '-' || token[i] == '+') ++i;
    int64_t exponent = 0;
    const auto end = token.data() + token.size();
    if (std::from_chars(token.data() + i, end, exponent).ec != std::errc()) exponent = kFar;
    exponent = std::min(exponent, kFar);
    out.point += down ? -exponent : exponent;
  }
  const size_t first = out.digits.find_first_not_of('0');
  if (first == std::string::npos) return {};
  out.digits.erase(0, first);
  out.point -= static_cast<int64_t>(first);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  return out;
}

int compare(const Number &a, const Number &b) {
  if (a.digits.empty() || b.digits.empty() || a.negative != b.negative) {
    const int left = a.digits.empty() ? 0 : a.negative ? -1 : 1;
    const int right = b.digits.empty() ? 0 : b.negative ? -1 : 1;
    return left < right ? -1 : left > right;
  }
  int order = a.point < b.point ? -1 : a.point > b.point;
  if (order == 0) order = a.digits.compare(b.digits);
  return a.negative ? -order : order;
}

bool multiple_of(const Number &value, const Number &divisor) {
  if (value.digits.empty()) return true;
  // Take both as whole numbers times a power of ten. The value's whole number does not end in 0, so a divisor with a
  // larger power cannot divide it.
  int64_t power = (value.point - static_cast<int64_t>(value.digits.size())) -
                  (divisor.point - static_cast<int64_t>(divisor.digits.size()));
  if (power < 0) return false;
  uint64_t by = 0, rest = 0;
  for (const char c : divisor.digits) by = by * 10 + static_cast<uint64_t>(c - '0');
  for (const char c : value.digits) rest = (rest * 10 + static_cast<uint64_t>(c - '0')) % by;
  // A divisor below 2^60 has fewer than 64 factors 2 and 5: after 64 tens, more tens change nothing.
  for (power = std::min<int64_t>(power, 64); power > 0; --power) rest = rest * 10 % by;
  return rest == 0;
}

}  // namespace sluice::json_schema
