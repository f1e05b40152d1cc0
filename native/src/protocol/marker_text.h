// Makes text that somebody else wrote harmless for the readers of the protocols.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "protocol/protocol.h"

namespace sluice {

// Puts `insert` into every place of `text` where `token` stands, behind its first `split` bytes. Places may overlap.
// `fold`: ASCII letters in any case.
void split_tokens(std::string &text, std::string_view token, size_t split, std::string_view insert, bool fold);

// Every place where `marker` stands gets a space behind its first code point. White space around a marker is not a part
// of it.
void break_marker(std::string &text, std::string_view marker);

using Defuse = std::function<void(std::string &text)>;

// A mark of one plain word, such as <result>, may stand in any text; this one does not.
bool is_rare_mark(std::string_view mark);
// What results that are written between these begin with, if no other text does, and what ends them.
void add_result_marker(std::string_view open, std::string_view close, std::vector<Marker> &out);

// Everything that one of these protocols would take for its own. Both outlive the function.
Defuse defuse_all(const Protocols &active, const Protocol &own);

// The JSON text with what its strings say made harmless, keys included, so that it stays so where it is decoded.
// `described`: only what a schema says in words (title, description).
std::string defuse_texts(std::string_view json, const Defuse &defuse, bool described = false);

// The same JSON value, compact, with nothing in it that `defuse` would change: what is in the way is written as \uXXXX.
// Where that stands outside of strings, the result is a string that holds the value's text.
// `json`: text that check_json accepted.
std::string harmless_json(std::string_view json, const Defuse &defuse);

}  // namespace sluice
