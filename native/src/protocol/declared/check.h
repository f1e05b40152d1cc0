// What a declared protocol must hold before anything uses it.
#pragma once

#include "protocol/declared/declaration.h"

namespace sluice {

// Are the words fit to be markers, and does none stand in another?
Status check_words(const Declaration &declaration);

// Calls that it writes read back the same, and a result that quotes them is no call.
Status check_round_trip(const Declaration &declaration, const std::shared_ptr<const Protocol> &protocol);

}  // namespace sluice
