// Lists of words as constant data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sluice {

// A view. The words are static, or belong to a WordList that outlives it.
using Words = std::span<const std::string_view>;
using WordList = std::vector<std::string_view>;

// A string literal as a template argument.
template <size_t size>
struct Literal {
  char bytes[size];
  consteval Literal(const char (&text)[size]) {
    for (size_t i = 0; i < size; ++i) bytes[i] = text[i];
  }
  constexpr std::string_view view() const { return {bytes, size - 1}; }
};

template <Literal... literals>
inline constexpr std::string_view kStaticWords[] = {literals.view()...};

// words<"<tool_call>", "<function=">: a static list.
template <Literal... literals>
inline constexpr Words words{kStaticWords<literals...>};

inline bool holds(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace sluice
