// The roles of a request's messages, as its server takes them.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "wire/dialect.h"
#include "wire/wire.h"

namespace sluice {

inline bool is_instruction(std::string_view role) { return role == "system" || role == "developer"; }

// Joins the instructions at the beginning. An instruction that the server does not take where it is becomes text of the
// user, in front of the user's next message if that follows. Then joins messages of the user, and adds answers of the
// assistant that say `between`, as `dialect.roles` says. `owned` gets the messages that were written anew. `origins`:
// one for each message; joined messages have that of the first.
void give_roles(const Dialect &dialect, const std::string &between, std::vector<std::string_view> &messages,
                std::vector<Origin> &origins, std::deque<std::string> &owned);

}  // namespace sluice
