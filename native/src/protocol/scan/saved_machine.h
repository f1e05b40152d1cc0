// The parts of a scanner list their plain fields once, each with its initial value, which is not saved: SaveFields
// writes them, LoadFields reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "protocol/scan/markers.h"

namespace sluice {

struct SaveFields {
  ObjectWriter &object;

  template <class Field>
  void operator()(std::string_view key, Field field, Field initial) const {
    if (field != initial) object.number(key, static_cast<int64_t>(field));
  }
};

struct LoadFields {
  const SavedReader &saved;

  template <class Field>
  void operator()(std::string_view key, Field &field, Field initial) const {
    auto number = static_cast<int64_t>(initial);
    saved.get(key, number);
    field = static_cast<Field>(number);
  }
};

// A Context or a StringTracker, which save themselves as numbers.
template <class Tracker>
void save_numbers(const Tracker &tracker, std::string &out) {
  std::vector<int64_t> numbers;
  tracker.save(numbers);
  append_saved_numbers(out, numbers);
}

// A state of the markers is saved as the beginnings that it stands for.
inline void save_match(const Markers &markers, Markers::State state, std::string &out) {
  out += '[';
  for (const Markers::Prefix &prefix : markers.prefixes(state)) {
    if (out.back() != '[') out += ',';
    ObjectWriter object(out);
    append_saved_bytes(object.value("bytes"), prefix.bytes);
    if (prefix.fold) object.boolean("fold", true);
    object.close();
  }
  out += ']';
}

inline Markers::State load_match(Markers &markers, std::string_view saved) {
  std::vector<Markers::Prefix> prefixes;
  for (JsonSlices list(saved); list.next();) {
    const SavedReader reader(list.value());
    Markers::Prefix &prefix = prefixes.emplace_back();
    reader.get("bytes", prefix.bytes);
    reader.get("fold", prefix.fold);
  }
  return markers.state_with(prefixes);
}

}  // namespace sluice
