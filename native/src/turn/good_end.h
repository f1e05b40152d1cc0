// When an answer ended well. Only then does it run calls that nothing but its end makes certain: calls without
// arguments, a fence of calls, calls in its reasoning.
#pragma once

#include <cstdint>

#include "wire/wire.h"

namespace sluice {

// What the host says about the end of a body.
enum class End : int32_t { complete = 0, network = 1, aborted = 2, retry = 3, hook = 4, fallback = 5 };

// `has_end`: the wire says itself how an answer ends (Wire::has_end); otherwise the host does.
constexpr bool ended_well(Finish finish, bool has_end, End how) {
  return has_end ? finish == Finish::stop || finish == Finish::tool_calls : how == End::complete;
}

}  // namespace sluice
