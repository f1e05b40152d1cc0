#include "wire/json_event.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "base/real.h"
#include "base/text.h"
#include "base/utf8.h"

#ifndef SLUICE_SMALL
#  include "base/simd.h"
#endif

namespace sluice {
namespace {

#ifndef SLUICE_SMALL
namespace dom = simdjson::dom;
#endif

constexpr size_t kMaxParsed = 1 << 17;  // simdjson needs twelve times the text: slice larger events instead

std::optional<int64_t> bounded(int64_t number) {
  return -kMostInteger < number && number < kMostInteger ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> whole_number(double number) {
  if (!(std::abs(number) < static_cast<double>(kMostInteger))) return std::nullopt;
  return static_cast<int64_t>(number);
}

}  // namespace

char JsonView::kind() const {
  if (way_ == Way::absent) return 0;
#ifndef SLUICE_SMALL
  if (way_ == Way::parsed) return parsed_kind();
#endif
  const char kind = json_kind(text_);
  return kind == 'f' ? 't' : kind;
}

#ifndef SLUICE_SMALL
char JsonView::parsed_kind() const {
  switch (element_.type()) {
    case dom::element_type::OBJECT: return '{';
    case dom::element_type::ARRAY: return '[';
    case dom::element_type::STRING: return '"';
    case dom::element_type::BOOL: return 't';
    case dom::element_type::NULL_VALUE: return 'n';
    default: return '0';
  }
}
#endif

std::string_view JsonView::string() const {
#ifndef SLUICE_SMALL
  if (way_ == Way::parsed) {
    std::string_view text;
    return element_.get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
  }
#endif
  if (kind() != '"') return {};
  const std::string_view token = trim_json(text_);
  if (token.find('\\') == std::string_view::npos) return token.substr(1, token.size() - 2);
  return strings_->emplace_back(json_text(token, true));
}

std::optional<int64_t> JsonView::integer() const {
  if (kind() != '0') return std::nullopt;
  int64_t value = 0;
  double number = 0;
#ifndef SLUICE_SMALL
  if (way_ == Way::parsed) {
    if (element_.get_int64().get(value) == simdjson::SUCCESS) return bounded(value);
    return element_.get_double().get(number) == simdjson::SUCCESS ? whole_number(number) : std::nullopt;
  }
#endif
  const std::string_view digits = trim_json(text_);
  if (read_integer(digits, value)) return bounded(value);
  const auto read = read_real(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() ? whole_number(number) : std::nullopt;
}

bool JsonView::is_true() const {
#ifndef SLUICE_SMALL
  if (way_ == Way::parsed) {
    bool value = false;
    return element_.get_bool().get(value) == simdjson::SUCCESS && value;
  }
#endif
  return way_ != Way::absent && json_kind(text_) == 't';
}

JsonView JsonView::operator[](std::string_view key) const {
  JsonView found;
  members([&](std::string_view name, JsonView value) {
    if (name == key) found = value;
  });
  return found;
}

#ifdef SLUICE_SMALL
struct JsonEvent::Parser : JsonTree {};

JsonEvent::JsonEvent(size_t max_depth) : max_depth_(max_depth), parser_(std::make_unique<Parser>()) {}
JsonView JsonEvent::root() const { return parsed_ ? JsonView(*parser_->root(), strings_) : sliced(); }
#else
struct JsonEvent::Parser {
  dom::parser parser;
  dom::element root;
  std::unique_ptr<char[]> padded;
  size_t room = 0;

  // Returns whether simdjson could read it.
  bool read(std::string_view text, size_t max_depth) {
    if (text.size() + simdjson::SIMDJSON_PADDING > room) {
      room = std::max<size_t>(2 * text.size(), 4096) + simdjson::SIMDJSON_PADDING;
      padded = std::make_unique<char[]>(room);
    }
    std::memcpy(padded.get(), text.data(), text.size());
    if (parser.max_depth() != max_depth || parser.capacity() < text.size()) {
      const size_t capacity = std::max<size_t>(2 * text.size(), 4096);
      if (parser.allocate(capacity, max_depth) != simdjson::SUCCESS) throw std::bad_alloc();
    }
    return parser.parse(padded.get(), text.size(), false).get(root) == simdjson::SUCCESS;
  }
};

JsonEvent::JsonEvent(size_t max_depth) : max_depth_(max_depth), parser_(std::make_unique<Parser>()) { simd(); }
JsonView JsonEvent::root() const { return parsed_ ? JsonView(parser_->root) : sliced(); }
#endif

JsonEvent::~JsonEvent() = default;

JsonEvent::Result JsonEvent::read(std::string_view text) {
  text_ = text;
  strings_.clear();
  parsed_ = text.size() <= kMaxParsed && parser_->read(text, max_depth_);
  if (parsed_ || check_json(text, max_depth_).ok()) return Result::ok;
  return is_utf8(text) ? Result::no_json : Result::no_utf8;
}

JsonView JsonEvent::sliced() const { return {text_, strings_}; }

}  // namespace sluice
