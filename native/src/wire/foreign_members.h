// Members of a request that belong to another provider's format.
#pragma once

#include <string_view>

#include "base/status.h"

namespace sluice {

// An error that names the first member of `body` that another wire has and this one has not, and what it is called
// here.
Status check_foreign_members(std::string_view body, std::string_view wire);

}  // namespace sluice
