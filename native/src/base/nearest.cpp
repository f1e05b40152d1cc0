#include "base/nearest.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace sluice {

size_t edit_distance(std::string_view a, std::string_view b, size_t most) {
  constexpr size_t kLongest = 64;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  size_t row[kLongest + 1];
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return std::min(row[b.size()], most + 1);
}

std::string_view nearest(std::string_view name, const std::vector<std::string_view> &known) {
  size_t best = std::min<size_t>(3, name.size() / 2 + 1);
  std::string_view found;
  for (const std::string_view candidate : known) {
    const size_t distance = edit_distance(lower_case(name), lower_case(candidate), best);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace sluice
