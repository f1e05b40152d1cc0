// Is this a build with a sanitizer? It runs some ten times slower, so what is drawn at random is drawn less often.
#pragma once

#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#    define SLUICE_SANITIZED 1
#  endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define SLUICE_SANITIZED 1
#endif

namespace sluice_test {

#if defined(SLUICE_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Where a build with a sanitizer tries a sample of all cases, this number draws it: `npm test` counts the commits.
inline size_t rotation() {
  const char *number = std::getenv("SLUICE_ROTATION");
  return number == nullptr ? 0 : std::strtoul(number, nullptr, 10);
}

}  // namespace sluice_test
