// What a tool that the provider runs was asked and gave, as the items of OpenAI's Responses have it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/json_event.h"
#include "wire/media.h"

namespace sluice {

inline bool is_null(JsonView value) { return value.kind() == 0 || value.kind() == 'n'; }

// A value, not null, for people: a string as it is, anything else as JSON. The view is sliced.
std::string words_of(JsonView value);
// What the tool was asked, as JSON text; empty: the item does not say. The view is sliced.
std::string asked_of_tool(JsonView item);
// What it gave, without pictures. `type`: of the item, which is sliced.
std::string given_by_tool(std::string_view type, JsonView item);
// The pictures that it gave. Views live as long as the event.
std::vector<Media> media_of_tool(std::string_view type, JsonView item);

}  // namespace sluice
