// The content of a message, in OpenAI's shape: read as text, replaced, joined.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace sluice {

// The message with this content, a JSON value, and without the members that `left_out` names.
std::string with_content(std::string_view message, std::string_view content,
                         std::initializer_list<std::string_view> left_out = {});

// All of its text.
std::string plain_content(std::string_view message);

// A content part of a result or an answer as OpenAI's part of a message; empty: it is no picture.
std::string picture_part(std::string_view part);

// The message with more text before (`top`) or after its own.
std::string with_text(std::string_view message, const std::string &more, bool top);

// The first message with the contents of both. Two texts become one with an empty line between; with `as_parts` they
// are two parts, and the second begins with the empty line, as a text after a part that is text does. Anything else is
// a list of all parts as they came.
std::string joined_messages(std::string_view first, std::string_view second, bool as_parts);

}  // namespace sluice
