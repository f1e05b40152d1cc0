// Breaks the markers of protocols. harmless.h does so in everything that somebody else wrote.
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

// Only inserts bytes, and none within a code point.
using Defuse = std::function<void(std::string &text)>;

// A mark of one plain word, such as <result>, may stand in any text; this one does not.
bool is_rare_mark(std::string_view mark);
// What results that are written between these begin with, if no other text does, and what ends them.
void add_result_marker(std::string_view open, std::string_view close, std::vector<Marker> &out);

// Results of our own formats begin with these, whatever an answer is read for.
inline constexpr std::string_view kForgedResults[] = {"<<<[TOOL_RESULT]>>>", "<tool_output", "<tool_result>",
                                                      "{\"tool_call_result\"", "[[VCP调用结果"};

// Everything that one of these protocols would take for its own. Both outlive the function.
Defuse defuse_all(const Protocols &active, const Protocol &own);

}  // namespace sluice
