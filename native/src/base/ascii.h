// Classes of bytes: ASCII's, and those that the formats of models need.
#pragma once

namespace sluice {

// 0 to 9.
inline constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 0 to 9, a to f, A to F.
inline constexpr bool is_hex_digit(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

// a to z.
inline constexpr bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

// A to Z, a to z.
inline constexpr bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// Letters and digits.
inline constexpr bool is_alnum(char c) { return is_digit(c) || is_letter(c); }

// Bytes of code points beyond ASCII.
inline constexpr bool is_beyond_ascii(char c) { return (c & 0x80) != 0; }

// Letters, _ and bytes beyond ASCII: a word, or a name in most programming languages, begins with one of these.
inline constexpr bool begins_word(char c) { return is_letter(c) || c == '_' || is_beyond_ascii(c); }

// The same and digits. A quote after one is an apostrophe, or closes a string whose beginning was not seen.
inline constexpr bool is_word(char c) { return is_alnum(c) || c == '_' || is_beyond_ascii(c); }

// Letters, digits, _ and -: every provider accepts these in names.
inline constexpr bool in_identifier(char c) { return is_alnum(c) || c == '_' || c == '-'; }

// Space, \t, \n, \v, \f, \r.
inline constexpr bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// White space that ends no line: space, \t, \v, \f.
inline constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

// White space of JSON: space, \t, \n, \r.
inline constexpr bool is_json_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// A to Z as a to z, any other byte as it is.
inline constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// a to z as A to Z, any other byte as it is.
inline constexpr char upper(char c) { return is_small_letter(c) ? static_cast<char>(c - 32) : c; }

}  // namespace sluice
