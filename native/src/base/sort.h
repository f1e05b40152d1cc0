// Sorts a vector; with SLUICE_SMALL by one function for all types, since each std::sort is some 2 KB of code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace sluice {

using LessAt = bool (*)(const void *context, size_t one, size_t other);
// 0 to `count` in the order that `less` gives them; those that are equal stay as they stand.
std::vector<size_t> sorted_places(size_t count, LessAt less, const void *context);

// Elements that are equal may end up in any order.
template <class T, class Less = std::less<T>>
void sort_all(std::vector<T> &items, Less less = {}) {
#ifdef SLUICE_SMALL
  struct Context {
    const T *items;
    const Less *less;
  } const context{items.data(), &less};
  const auto less_at = [](const void *given, size_t one, size_t other) {
    const auto &[all, before] = *static_cast<const Context *>(given);
    return static_cast<bool>((*before)(all[one], all[other]));
  };
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const size_t place : sorted_places(items.size(), less_at, &context)) sorted.push_back(std::move(items[place]));
  items = std::move(sorted);
#else
  std::sort(items.begin(), items.end(), less);
#endif
}

}  // namespace sluice
