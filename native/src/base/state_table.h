// State machines as tables of rows `{from, trigger, to}`: looks a step up, and prints the table for the README.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// The rows by state and trigger: each step is one look.
template <class State, class Trigger, size_t states, size_t triggers>
class Transitions {
 public:
  template <class Table>
  consteval explicit Transitions(const Table &table) {
    for (const auto &row : table) next_[at(row.from)][at(row.trigger)] = static_cast<uint8_t>(at(row.to) + 1);
  }

  // The next state; nullopt: the table has no such row.
  std::optional<State> operator()(State from, Trigger trigger) const {
    const uint8_t next = next_[at(from)][at(trigger)];
    return next == 0 ? std::nullopt : std::optional(static_cast<State>(next - 1));
  }

 private:
  template <class Named>
  static constexpr size_t at(Named value) {
    return static_cast<size_t>(value);
  }
  uint8_t next_[states][triggers] = {};  // one more than the state; 0: none
};

// Prints one line per row. A state with several rows is named once.
template <class Table, class NameState, class NameTrigger>
std::string draw_table(const Table &table, NameState &&state_name, NameTrigger &&trigger_name) {
  constexpr size_t kTrigger = 25, kTo = kTrigger + 14;  // columns
  std::string out;
  std::string_view previous;
  for (const auto &row : table) {
    const std::string_view from = state_name(row.from);
    std::string line(from == previous ? std::string_view() : from);
    line.resize(kTrigger, ' ');
    line.append("-- ").append(trigger_name(row.trigger));
    line.resize(kTo, ' ');
    out.append(line).append("-> ").append(state_name(row.to)).append("\n");
    previous = from;
  }
  return out;
}

}  // namespace sluice
