// Opaque members of a chat message that stream in pieces, as the whole values that the next request repeats.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// A member while it streams: its pieces in a form to which more are added. All values are checked JSON.
std::string first_piece(std::string_view member, std::string_view piece);
void add_piece(std::string_view member, std::string_view piece, std::string &so_far);

// The whole member. Of `reasoning_details` and `thinking_blocks` the entries that are one thought become one.
std::string joined_member(std::string_view member, std::string_view pieces);

}  // namespace sluice
