// The tokens of an answer as its provider counted them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_writer.h"

namespace sluice {

// Counts are smaller: hosts add input and output in a double, which has each whole number up to 2^53.
inline constexpr int64_t kMostTokens = int64_t{1} << 52;

// -1: the provider did not say.
struct Usage {
  int64_t input_tokens = -1;  // all of the request, cached ones included
  int64_t output_tokens = -1;
  int64_t cached_tokens = -1;       // of the input: read from the provider's cache
  int64_t cache_write_tokens = -1;  // of the input: written to it
  int64_t reasoning_tokens = -1;    // of the output: reasoning

  bool operator==(const Usage &) const = default;
};

struct TokenKind {
  std::string_view name;  // in events, messages and saved turns
  int64_t Usage::*count;
};
inline constexpr TokenKind kTokenKinds[] = {{"inputTokens", &Usage::input_tokens},
                                            {"outputTokens", &Usage::output_tokens},
                                            {"cachedTokens", &Usage::cached_tokens},
                                            {"cacheWriteTokens", &Usage::cache_write_tokens},
                                            {"reasoningTokens", &Usage::reasoning_tokens}};

// The name with a prefix, for a saved turn: "told" and "inputTokens" make "toldInputTokens".
std::string saved_name(std::string_view prefix, const TokenKind &kind);

// Writes the counts that are known as members of `object`.
void write_usage(const Usage &usage, ObjectWriter &object);

}  // namespace sluice
