// std::from_chars for double, also where the C++ library has none for floating point: libc++ before 20, which is
// Apple's and zig's. What stands in for it there reads the same numbers under any locale.
#pragma once

#include <charconv>
#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
#  define SLUICE_READS_REALS_BY_SIMDJSON
#  include <simdjson.h>

#  include <cmath>
#endif

namespace sluice {

// `first` to `last` is a number of JSON. As from_chars: one out of range leaves `value` alone.
inline std::from_chars_result read_real(const char *first, const char *last, double &value) {
#ifdef SLUICE_READS_REALS_BY_SIMDJSON
  const double read = simdjson::internal::from_chars(first, last);
  if (!std::isfinite(read)) return {last, std::errc::result_out_of_range};
  value = read;
  return {last, {}};
#else
  return std::from_chars(first, last, value);
#endif
}

}  // namespace sluice
