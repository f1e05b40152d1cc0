// Changes text that is not the model's own, before anything encodes it: a model says what it reads, and how that was
// encoded does not bind it.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/marker_text.h"

namespace sluice {

// The text with something inserted into everything that `defuse` would change, also where it is spelled with escapes or
// entities, and where such a spelling is spelled once more.
std::string harmless_text(std::string_view text, const Defuse &defuse);

// The JSON value, compact, with the texts of its strings and keys changed. Where the value as a whole would still be a
// call, or a value in it, that value becomes a string that contains the changed text. `json`: text that check_json
// accepted.
std::string harmless_json(std::string_view json, const Defuse &defuse);

// The JSON text with its strings and keys changed. `described`: only the words of a schema (title, description).
std::string harmless_strings(std::string_view json, const Defuse &defuse, bool described = false);

// A name or an id in a result's header, right before a brace: the model may have invented it, so only bytes that names
// contain are written.
std::string harmless_name(std::string_view name, const Defuse &defuse);

// A result's content as text, and as JSON: the value that it is, or a string.
std::string harmless_result(const ResultText &result, const Defuse &defuse);
std::string harmless_content(const ResultText &result, const Defuse &defuse);

// The tools with changed texts. `owned` contains what the tools point to.
std::vector<ToolText> harmless_tools(const std::vector<ToolText> &tools, const Defuse &defuse,
                                     std::deque<std::string> &owned);

}  // namespace sluice
