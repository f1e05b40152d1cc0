// Tables of texts, each with what it comes to: however it is cut, and wherever it is saved.
#pragma once

#include <catch2/catch.hpp>

#include "parsing.h"

namespace sluice_test {

struct TextRow {
  std::string text, comes_to;
};

// clock{"zone":"x"} for a call, clock!reason for one that is invalid, (…) for reasoning, "…" for text.
inline std::string brief_of(const Json &blocks) {
  std::string out;
  for (const Json &block : blocks) {
    const std::string type = block["type"];
    if (!out.empty()) out += ' ';
    if (type == "text")
      out += block["text"].dump();
    else if (type == "reasoning")
      out += '(' + block["text"].get<std::string>() + ')';
    else if (block.value("status", "") == "invalid")
      out += block.value("name", "") + '!' + block.value("reason", "");
    else
      out += block.value("name", "") + block.value("arguments", Json()).dump();
  }
  return out;
}

// `turn`: the document, less its wire.
template <size_t Size>
void check_rows(const Json &engine, Json turn, const TextRow (&rows)[Size]) {
  turn["wire"] = "text";
  for (const auto &[text, comes_to] : rows) {
    INFO(turn.dump() << ": " << text);
    const Parsed whole = parse(engine, turn, {text});
    CHECK(whole.error.empty());
    CHECK(brief_of(whole.blocks) == comes_to);
    CHECK(differs_when_cut(engine, turn, text, whole, {}, 2).empty());
  }
}

}  // namespace sluice_test
