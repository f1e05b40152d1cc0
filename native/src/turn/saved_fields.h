// Saves and restores objects by lists of fields: a class lists its fields once, Saver writes them and Loader reads
// them. A field that a state lacks keeps its initial value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/shared_text.h"
#include "base/status.h"
#include "turn/message.h"

namespace sluice {

// A state nests the host's documents a few levels deeper than limits.depth allows.
inline constexpr size_t kStateDepth = 2048;

struct Saver {
  ObjectWriter &object;

  void operator()(std::string_view key, const std::string &text) const {
    if (!text.empty()) object.text(key, text);
  }
  void operator()(std::string_view key, const SharedText &text) const {
    if (!text.empty()) object.text(key, text);
  }
  void operator()(std::string_view key, const std::optional<std::string> &text) const {
    if (text) object.text(key, *text);
  }
  void operator()(std::string_view key, const std::optional<int64_t> &time) const {
    if (time) object.number(key, *time);
  }
  void operator()(std::string_view key, bool flag) const { object.boolean(key, flag); }
  template <class Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void operator()(std::string_view key, Number number) const { object.number(key, static_cast<int64_t>(number)); }
};

inline std::string text_of(const SavedReader &saved, std::string_view key) {
  std::string text;
  saved.text(key, text);
  return text;
}

struct Loader {
  const SavedReader &saved;

  void operator()(std::string_view key, std::string &text) const { saved.text(key, text); }
  void operator()(std::string_view key, SharedText &text) const {
    std::string read = text_of(saved, key);
    if (!read.empty()) text = SharedText(std::move(read));
  }
  void operator()(std::string_view key, std::optional<std::string> &text) const {
    if (std::string read = text_of(saved, key); !read.empty()) text = std::move(read);
  }
  void operator()(std::string_view key, std::optional<int64_t> &time) const {
    saved.get(key, time);
    if (time) time = std::clamp<int64_t>(*time, 0, kMostTime);
  }
  void operator()(std::string_view key, bool &flag) const { saved.get(key, flag); }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(std::string_view key, Number &number) const { saved.get(key, number); }
};

// Reads an enum. A value of a later version becomes `last`.
template <class Enum>
Enum saved_enum(const SavedReader &saved, std::string_view key, Enum fallback, Enum last) {
  auto number = static_cast<uint32_t>(fallback);
  saved.get(key, number);
  return static_cast<Enum>(std::min(number, static_cast<uint32_t>(last)));
}

inline bool saved_flag(const SavedReader &saved, std::string_view key) {
  bool flag = false;
  saved.get(key, flag);
  return flag;
}

// A path in the state, for errors: "cards[3]".
inline std::string place(std::string_view list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

template <class List, class Write>
void write_list(std::string &out, const List &list, Write &&write) {
  out += '[';
  for (const auto &item : list) {
    if (out.back() != '[') out += ',';
    write(item);
  }
  out += ']';
}

inline void save_error(const TurnError &error, std::string &out) {
  ObjectWriter object(out);
  TurnError::each_field(error, Saver{object});
  object.close();
}

inline Status load_error(std::string_view json, TurnError &error) {
  const SavedReader saved(json);
  TurnError::each_field(error, Loader{saved});
  return saved.fits();
}

}  // namespace sluice
