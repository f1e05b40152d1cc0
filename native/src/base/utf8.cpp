#include "base/utf8.h"

#ifdef SLUICE_SMALL
#  include <cstring>
#else
#  include "base/simd.h"
#endif

namespace sluice {
namespace {

enum class Part { whole, incomplete, wrong };

unsigned char byte_at(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }
bool in_range(unsigned char c, unsigned char low, unsigned char high) { return c >= low && c <= high; }

// What `text` begins with: a whole code point, the beginning of one, or `length` bytes that can be neither (the longest
// prefix of a code point, as the Unicode standard recommends). By table 3-7 of the standard, except that a surrogate in
// three bytes counts as whole: the joiner pairs them.
Part first_part(std::string_view text, size_t &length) {
  const unsigned char lead = byte_at(text, 0);
  length = 1;
  if (lead < 0x80) return Part::whole;
  size_t wanted = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (in_range(lead, 0xC2, 0xDF)) {
    wanted = 2;
  } else if (in_range(lead, 0xE0, 0xEF)) {
    wanted = 3;
    if (lead == 0xE0) low = 0xA0;
  } else if (in_range(lead, 0xF0, 0xF4)) {
    wanted = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return Part::wrong;
  }
  while (length < wanted) {
    if (length == text.size()) return Part::incomplete;
    if (!in_range(byte_at(text, length), low, high)) return Part::wrong;
    low = 0x80;
    high = 0xBF;
    ++length;
  }
  return Part::whole;
}

bool is_surrogate(std::string_view part) { return part.size() == 3 && part[0] == '\xED' && byte_at(part, 1) >= 0xA0; }
bool is_high(std::string_view part) { return is_surrogate(part) && byte_at(part, 1) < 0xB0; }
bool is_low(std::string_view part) { return is_surrogate(part) && byte_at(part, 1) >= 0xB0; }

void append_pair(std::string &out, std::string_view high, std::string_view low) {
  const auto bits = [](std::string_view part) {
    return (static_cast<uint32_t>(byte_at(part, 1)) & 0x0F) << 6 | (static_cast<uint32_t>(byte_at(part, 2)) & 0x3F);
  };
  const uint32_t c = 0x10000 + (bits(high) << 10) + bits(low);
  out += static_cast<char>(0xF0 | (c >> 18));
  out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
  out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
  out += static_cast<char>(0x80 | (c & 0x3F));
}

// Appends the whole code points of `text` to `out`; returns the bytes at its end that may still become one. `replaced`:
// gets the places of U+FFFD.
std::string_view repair(std::string_view text, std::string &out, std::vector<size_t> *replaced = nullptr) {
  const auto replace = [&] {
    if (replaced != nullptr) replaced->push_back(out.size());
    out += kReplacement;
  };
  while (!text.empty()) {
    size_t length = 0;
    switch (first_part(text, length)) {
      case Part::incomplete: return text;
      case Part::wrong: replace(); break;
      case Part::whole: {
        const std::string_view part = text.substr(0, length);
        if (!is_surrogate(part)) {
          out += part;
          break;
        }
        const std::string_view rest = text.substr(length);
        size_t next = 0;
        const Part kind = rest.empty() ? Part::incomplete : first_part(rest, next);
        if (is_high(part) && kind == Part::incomplete && (rest.empty() || rest[0] == '\xED')) return text;
        if (is_high(part) && kind == Part::whole && is_low(rest.substr(0, next))) {
          append_pair(out, part, rest);
          length += next;
        } else {
          replace();
        }
      }
    }
    text = text.substr(length);
  }
  return {};
}

}  // namespace

#ifdef SLUICE_SMALL
bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    uint64_t eight = 0;
    size_t length = sizeof eight;
    if (bytes.size() >= length) std::memcpy(&eight, bytes.data(), length);
    if (bytes.size() < length || (eight & 0x8080808080808080) != 0) {
      if (first_part(bytes, length) != Part::whole || is_surrogate(bytes.substr(0, length))) return false;
    }
    bytes.remove_prefix(length);
  }
  return true;
}
#else
bool is_utf8(std::string_view bytes) { return simd().validate_utf8(bytes.data(), bytes.size()); }

// simdjson's own choice reads an environment variable first, so the choice is made for it before its first use.
const simdjson::implementation &simd() {
  static const simdjson::implementation *const best = [] {
    const simdjson::implementation *const found = simdjson::get_available_implementations().detect_best_supported();
    simdjson::get_active_implementation() = found;
    return found;
  }();
  return *best;
}
#endif

std::string repair_utf8(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string out;
  if (!repair(bytes, out).empty()) out += kReplacement;
  return out;
}

std::string_view Utf8Joiner::feed(std::string_view bytes) {
  replaced_.clear();
  if (held_.empty() && is_utf8(bytes)) return bytes;
  out_.clear();
  if (held_.empty()) {
    held_ = repair(bytes, out_, &replaced_);
  } else {
    const std::string joined = held_ + std::string(bytes);
    held_ = repair(joined, out_, &replaced_);
  }
  return out_;
}

std::string_view Utf8Joiner::finish() {
  replaced_.clear();
  out_.clear();
  if (!held_.empty()) {
    out_ = kReplacement;
    replaced_.push_back(0);
  }
  held_.clear();
  return out_;
}

size_t utf8_length(std::string_view utf8) {
  size_t count = 0;
  for (const char c : utf8) count += !continues_code_point(c);
  return count;
}

size_t utf16_length(std::string_view utf8) {
  size_t units = 0;  // a code point of four bytes is two units
  for (const char c : utf8) units += !continues_code_point(c) + (static_cast<unsigned char>(c) >= 0xF0);
  return units;
}

std::string join_surrogates(std::string_view text) {
  Utf8Joiner joiner;
  std::string out(joiner.feed(text));
  return out.append(joiner.finish());
}

void append_code_point(std::string &out, uint32_t point) {
  const auto byte = [&out](uint32_t value) { out += static_cast<char>(value); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    byte(0xE0 | point >> 12);
    byte(0x80 | (point >> 6 & 0x3F));
  } else {
    byte(0xF0 | point >> 18);
    byte(0x80 | (point >> 12 & 0x3F));
    byte(0x80 | (point >> 6 & 0x3F));
  }
  byte(0x80 | (point & 0x3F));
}

}  // namespace sluice
