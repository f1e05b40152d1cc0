#include "wire/provider_error.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "base/json.h"
#include "base/real.h"
#include "base/text.h"
#include "wire/tool_refusal.h"

namespace sluice {
namespace {

constexpr size_t kMaxWords = 2000;
constexpr size_t kMaxDepth = 64;  // of an error object
constexpr size_t kMaxWithin = 6;  // errors within errors: gateways wrap the provider's error in their own

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// ---- Words ----

std::string one_paragraph(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_white(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The title of a page, else its text without tags.
std::string html_words(std::string_view page) {
  const std::string small = lower_case(page);
  if (const size_t title = small.find("<title"); title != std::string::npos) {
    const size_t from = small.find('>', title);
    const size_t to = small.find("</title", title);
    if (from != std::string::npos && to != std::string::npos && from < to)
      if (std::string words = one_paragraph(page.substr(from + 1, to - from - 1)); !words.empty()) return words;
  }
  std::string text;
  for (size_t at = 0; at < page.size() && text.size() < kMaxWords;) {
    if (page[at] != '<') {
      text += page[at++];
      continue;
    }
    const std::string_view tag = std::string_view(small).substr(at);
    const size_t end = tag.starts_with("<style")    ? small.find("</style", at)
                       : tag.starts_with("<script") ? small.find("</script", at)
                                                    : at;
    at = end == std::string::npos ? end : small.find('>', end);
    if (at == std::string::npos) break;
    ++at;
    text += ' ';
  }
  return one_paragraph(text);
}

std::optional<std::string_view> member(std::string_view object, std::string_view key) {
  auto value = json_member(object, key);
  if (value && (json_kind(*value) == 'n' || trim_json(*value) == "\"\"")) value.reset();
  return value;
}

std::string words_of(std::string_view value, size_t within);

// The text may itself be a JSON document with an error in it.
std::string words_of_text(const std::string &text, size_t within) {
  if (json_kind(text) == '{' && within < kMaxWithin && check_json(text, kMaxDepth).ok())
    return words_of(text, within + 1);
  return text;
}

// [{"loc": ["body", "tools"], "msg": "extra fields not permitted"}, …]
std::string validation_words(std::string_view array, size_t within) {
  std::string out;
  for (JsonSlices items(array); items.next() && out.size() < kMaxWords;) {
    if (!out.empty()) out += "; ";
    if (const auto place = json_member(items.value(), "loc"); place && json_kind(*place) == '[') {
      std::string path;
      for (JsonSlices steps(*place); steps.next();) {
        if (!path.empty()) path += '.';
        path += json_kind(steps.value()) == '"' ? json_text(steps.value()) : std::string(trim_json(steps.value()));
      }
      out += path + ": ";
    }
    out += words_of(items.value(), within + 1);
  }
  return out;
}

std::string words_of(std::string_view value, size_t within) {
  switch (within > kMaxWithin ? 0 : json_kind(value)) {
    case '"': return words_of_text(json_text(value), within);
    case '[': return validation_words(value, within);
    case '{': break;
    default: return std::string(trim_json(value));
  }
  std::string out;
  for (const std::string_view key : {"error", "message", "msg", "detail", "error_message", "error_description",
                                     "errors", "description", "title", "reason", "type", "code"}) {
    const auto found = member(value, key);
    if (!found || (key == "error" && json_kind(*found) != '{' && json_kind(*found) != '"')) continue;
    out = words_of(*found, within + 1);
    if (out.empty()) continue;
    // {"error": "not_found", "message": "the words"}: a bare code is not the words.
    if (key == "error" && json_kind(*found) == '"' && out.find(' ') == std::string::npos)
      if (const auto message = member(value, "message"); message && json_kind(*message) == '"')
        out = words_of(*message, within + 1);
    break;
  }
  // "Provider returned error" of a gateway: the provider's own words stand in metadata.raw.
  if (const auto metadata = member(value, "metadata"))
    if (const auto raw = member(*metadata, "raw"))
      if (const std::string inner = words_of(*raw, within + 1); !inner.empty() && inner != out)
        out += out.empty() ? inner : ": " + inner;
  return out.empty() ? compact_json(value) : out;
}

// ---- Kind ----

bool is_transient_status(int64_t status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || (status >= 500 && status < 600);
}

std::optional<int64_t> number_of(std::string_view value) {
  const std::string text = json_kind(value) == '"' ? json_text(value) : std::string(trim_json(value));
  int64_t number = 0;
  return read_integer(text, number) ? std::optional(number) : std::nullopt;
}

// What providers say where a signature, or an encrypted part, of an earlier answer is missing, forged or from
// elsewhere. The words of one row stand in this order, with anything between them.
constexpr std::string_view kSignatureRefusals[][2] = {
    // -- Anthropic
    {"invalid signature", ""},
    {"invalid data in redacted_thinking", ""},
    {"thinking.signature", ""},
    {"blocks cannot be modified", ""},
    {"assistant message cannot be modified", ""},
    {"expected thinking or redacted_thinking", ""},
    {"container", "expired"},
    {"container", "not found"},
    {"container", "does not exist"},
    // -- Gemini
    {"corrupted thought signature", ""},
    {"invalid thought signature", ""},
    {"thought signature is not valid", ""},
    {"missing a thought_signature", ""},
    {"missing thought_signature", ""},
    {"thought_signature", "base64 decoding failed"},
    // -- OpenAI
    {"without its required", ""},
    {"encrypted content is not supported", ""},
    {"encrypted content", "could not be"},
    {"item with id", "not found"},
};

bool refuses_signature(std::string_view words) {
  std::string small = lower_case(words);
  std::erase(small, '`');
  return std::any_of(std::begin(kSignatureRefusals), std::end(kSignatureRefusals), [&](const auto &row) {
    const size_t first = small.find(row[0]);
    return first != std::string::npos && small.find(row[1], first + row[0].size()) != std::string::npos;
  });
}

// "36s" or "0.5s", as Google writes durations.
std::optional<int64_t> duration_ms(std::string_view text) {
  double seconds = 0;
  if (!text.ends_with('s')) return std::nullopt;
  const auto read = read_real(text.data(), text.data() + text.size() - 1, seconds);
  if (read.ec != std::errc() || !(seconds >= 0 && seconds < 1e9)) return std::nullopt;
  return static_cast<int64_t>(std::ceil(seconds * 1000));
}

// The members of an error object that classify it.
struct Labels {
  std::optional<int64_t> status;
  std::string words;  // type and code, in small letters
  std::string param;
  std::optional<int64_t> retry_after_ms;
};

void collect_labels(std::string_view value, size_t within, Labels &labels) {
  if (json_kind(value) == '[')
    for (JsonSlices items(value); items.next() && within < kMaxWithin;)
      return collect_labels(items.value(), within + 1, labels);
  if (json_kind(value) != '{') return;
  for (const std::string_view key : {"status", "status_code", "statusCode", "http_status", "code"})
    if (const auto found = member(value, key))
      if (const auto number = number_of(*found); number && *number >= 100 && *number < 600) labels.status = number;
  for (const std::string_view key : {"type", "code", "status", "error_type"})
    if (const auto found = member(value, key); found && json_kind(*found) == '"')
      labels.words += lower_case(json_text(*found)) + ' ';
  if (const auto param = member(value, "param"); param && json_kind(*param) == '"') labels.param = json_text(*param);
  // Google: {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"}]}
  if (const auto details = member(value, "details"); details && json_kind(*details) == '[')
    for (JsonSlices items(*details); items.next();)
      if (const auto delay = member(items.value(), "retryDelay"); delay && json_kind(*delay) == '"')
        labels.retry_after_ms = duration_ms(json_text(*delay));
  if (const auto inner = member(value, "error"); inner && within < kMaxWithin)
    collect_labels(*inner, within + 1, labels);
}

}  // namespace

ProviderError read_provider_error(std::string_view body, int32_t http_status) {
  ProviderError error;
  Labels labels;
  const std::string text = repair_utf8(body);
  std::string_view shown = trim(text);
  // The server sent the error as an event stream.
  if (const size_t data = shown.starts_with("data:") ? 0 : shown.find("\ndata:");
      data != std::string_view::npos && shown.front() != '{' && shown.front() != '<') {
    shown.remove_prefix(shown.find(':', data) + 1);
    shown = shown.substr(0, shown.find('\n'));
  }
  std::string words;
  if (check_json(shown, kMaxDepth).ok()) {
    words = words_of(shown, 0);
    collect_labels(shown, 0, labels);
  } else if (shown.starts_with('<')) {
    words = html_words(shown);
  } else {
    words = std::string(shown);
  }
  error.words = bounded_text(one_paragraph(words), kMaxWords);

  const bool may_refuse = http_status == 0 || http_status == 400 || http_status == 404 || http_status == 405 ||
                          http_status == 422 || http_status == 500 || http_status == 501;
  const std::string small = lower_case(error.words);
  error.schema_refused = may_refuse && contains_any(small, {"parametersjsonschema", "parameters_json_schema"}) &&
                         contains_any(small, {"unknown", "cannot find field", "unrecognized", "unsupported"});
  const bool names_tools = is_one_of(labels.param, {"tools", "tool_choice", "functions"});
  error.tools_refused =
      may_refuse &&
      (refuses_tools(error.words) ||
       (names_tools && contains_any(labels.words, {"unsupported", "unknown_parameter", "not_supported"})));
  error.signature_refused = !error.tools_refused && (http_status == 0 || http_status == 400 || http_status == 404) &&
                            refuses_signature(error.words);
  error.retry_after_ms = labels.retry_after_ms.value_or(-1);
  if (http_status >= 400)
    error.transient = is_transient_status(http_status);
  else if (labels.status)
    error.transient = is_transient_status(*labels.status);
  else
    error.transient = contains_any(labels.words, {"overloaded", "rate_limit", "server_error", "timeout", "unavailable",
                                                  "internal_error", "resource_exhausted", "too_many_requests"});
  error.transient = error.transient && error.code({}).empty();
  return error;
}

}  // namespace sluice
