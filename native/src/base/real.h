// std::from_chars for double, also for C++ libraries that lack it: libc++ before version 20, which Apple and zig ship.
// There simdjson reads the number, independent of the locale too; with SLUICE_SMALL, real.cpp does.
#pragma once

#include <charconv>
#include <version>

#if !defined(SLUICE_SMALL) && defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
#  define SLUICE_READS_REALS_BY_SIMDJSON
#  include <simdjson.h>

#  include <cmath>
#endif

namespace sluice {

// `first` to `last` is a JSON number. Like from_chars, leaves `value` alone if the number is out of range.
#ifdef SLUICE_SMALL
std::from_chars_result read_real(const char *first, const char *last, double &value);
#else
inline std::from_chars_result read_real(const char *first, const char *last, double &value) {
#  ifdef SLUICE_READS_REALS_BY_SIMDJSON
  const double read = simdjson::internal::from_chars(first, last);
  if (!std::isfinite(read)) return {last, std::errc::result_out_of_range};
  value = read;
  return {last, {}};
#  else
  return std::from_chars(first, last, value);
#  endif
}
#endif

}  // namespace sluice
