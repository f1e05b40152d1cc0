// Counts the memory of a program: replaces its allocator, so it is included by one file of a program.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace sluice_test {

inline std::atomic<size_t> live = 0;  // bytes that were not given back
inline std::atomic<size_t> most = 0;  // at any time, of a program with one thread

inline void *take(size_t size) {
  void *const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  const size_t bytes = malloc_usable_size(memory);
  const size_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (now > most.load(std::memory_order_relaxed)) most.store(now, std::memory_order_relaxed);
  return memory;
}

inline void give(void *memory) {
  if (memory == nullptr) return;
  live.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace sluice_test

void *operator new(size_t size) { return sluice_test::take(size); }
void *operator new[](size_t size) { return sluice_test::take(size); }
void operator delete(void *memory) noexcept { sluice_test::give(memory); }
void operator delete(void *memory, size_t) noexcept { sluice_test::give(memory); }
void operator delete[](void *memory) noexcept { sluice_test::give(memory); }
void operator delete[](void *memory, size_t) noexcept { sluice_test::give(memory); }
