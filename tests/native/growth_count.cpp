// The counter of growth.h. What copies, compares and searches bytes takes the place of the C library's own, also inside
// of libstdc++: a buffer that is copied again for each piece takes no basic block of ours.
#include <string.h>
#include <strings.h>

#include "growth.h"

namespace {

size_t steps = 0;
constexpr size_t kBytes = 16;  // of a step

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc() { ++steps; }

void *memcpy(void *to, const void *from, size_t size) {
  steps += size / kBytes;
  return static_cast<char *>(mempcpy(to, from, size)) - size;
}

void *memmove(void *to, const void *from, size_t size) {
  steps += size / kBytes;
  bcopy(from, to, size);
  return to;
}

int memcmp(const void *a, const void *b, size_t size) {
  const auto *const left = static_cast<const unsigned char *>(a), *const right = static_cast<const unsigned char *>(b);
  size_t at = 0;
  while (at < size && left[at] == right[at]) ++at;
  steps += at / kBytes;
  return at == size ? 0 : left[at] - right[at];
}

// By another name: <string.h> has two of it in C++.
void *counting_memchr(const void *in, int byte, size_t size) __asm__("memchr");
void *counting_memchr(const void *in, int byte, size_t size) {
  const auto *const bytes = static_cast<const unsigned char *>(in);
  size_t at = 0;
  while (at < size && bytes[at] != static_cast<unsigned char>(byte)) ++at;
  steps += at / kBytes;
  return at == size ? nullptr : const_cast<unsigned char *>(bytes + at);
}

}  // extern "C"

double sluice_test::counted(const std::function<void()> &work) {
  const size_t before = steps;
  work();
  return static_cast<double>(steps - before);
}
