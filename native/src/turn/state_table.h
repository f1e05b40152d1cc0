// State machines as tables of rows `{from, trigger, to}`: looks a step up, and prints the table for the README.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// The next state; nullopt: the table has no such row.
template <class Table, class State, class Trigger>
auto find_transition(const Table &table, State from, Trigger trigger) -> std::optional<State> {
  for (const auto &row : table)
    if (row.from == from && row.trigger == trigger) return row.to;
  return std::nullopt;
}

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
