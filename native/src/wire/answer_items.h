// What an answer can hold, wire by wire, and which members of it a later request repeats. A closed table: a server must
// not speak for the user, the app, an approver or a tool. It is asked when an answer is read, and again when a request
// is written, since a stored history may hold anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// The items that may go back, as a JSON array. `items`: a JSON array, of WireSink::on_native or of a stored message.
// `left_out`: gets in words what may not, if it is not nullptr.
std::string items_that_return(std::string_view wire, std::string_view items, std::vector<std::string> *left_out);

// Members of a message of openai-chat that providers require in the next request: signatures, encrypted reasoning.
bool is_opaque_member(std::string_view key);

// Members of a call that say what is called: they are never further members of it, whatever their type.
bool is_own_member_of_call(std::string_view key);

}  // namespace sluice
