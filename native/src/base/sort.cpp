#include "base/sort.h"

namespace sluice {

std::vector<size_t> sorted_places(size_t count, LessAt less, const void *context) {
  std::vector<size_t> places(count), merged(count);
  for (size_t i = 0; i < count; ++i) places[i] = i;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t from = 0; from < count; from += 2 * run) {
      const size_t middle = std::min(from + run, count), to = std::min(middle + run, count);
      size_t left = from, right = middle;
      for (size_t i = from; i < to; ++i) {
        const bool take_right = left == middle || (right < to && less(context, places[right], places[left]));
        merged[i] = take_right ? places[right++] : places[left++];
      }
    }
    places.swap(merged);
  }
  return places;
}

}  // namespace sluice
