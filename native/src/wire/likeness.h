// The wire of which an event seems to be, where the wire that reads it does not know it.
#pragma once

#include <string_view>

#include "wire/json_event.h"

namespace sluice {

// The id of a wire; empty: nobody knows. The view lives for ever.
std::string_view looks_like(JsonView event);
// The same id, as above; empty: it is none.
std::string_view likeness_of(std::string_view id);

}  // namespace sluice
