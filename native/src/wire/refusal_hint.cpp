// The first row that fits gives the hint: words say more than a status, so they come first.
#include "wire/refusal_hint.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

struct Row {
  int32_t from, to;  // the status is one of these; 0, 599: any
  // The words hold all of these.
  std::string_view words[2];
  std::string_view hint;
};

constexpr std::string_view kHistory =
    "the provider misses a part of an earlier answer: give back the history as the turn gave it, nothing changed and "
    "nothing left out";
constexpr std::string_view kUnkept =
    "the server did not keep the earlier answers: send `include: [\"reasoning.encrypted_content\"]` from the first "
    "request on, or leave out `store: false`";
constexpr std::string_view kLong =
    "the conversation is too long for this model: leave out old messages, or take a model with more context";
constexpr std::string_view kKey =
    "check the key: the server does not know it; keys of one region or product are often unknown to another";
constexpr std::string_view kQuota =
    "the account has no quota left, for now or at all: wait, or look at its billing page";
constexpr std::string_view kModel = "check the name of the model: the server does not have it under this one";
constexpr std::string_view kPlace = "check the base URL and the path: this wire is usually found at ";

constexpr Row kRows[] = {
    // -- histories
    {0, 599, {"items are not persisted"}, kUnkept},
    {0, 599, {"encrypted content is not supported"}, "leave `include` out of the request: this model encrypts nothing"},
    {0, 599, {"encrypted content", "could not be"}, kHistory},
    {0, 599, {"item with id", "not found"}, kUnkept},
    {0, 599, {"without its required"}, kHistory},
    {0, 599, {"expected thinking|invalid signature|thought signature|thought_signature"}, kHistory},
    {0, 599, {"without tool_result blocks|must be followed by tool messages|no tool output found"}, kHistory},
    {0, 599, {"number of function response parts|no tool call found"}, kHistory},
    // -- sizes
    {400, 499, {"maximum context length|context_length_exceeded|prompt is too long|input token count"}, kLong},
    {400, 499, {"context window|context size|exceeds the context"}, kLong},
    {413, 413, {}, "the request is too large: leave out pictures, or old messages"},
    // -- who asks
    {0, 599, {"api key not valid|invalid api key|incorrect api key|invalid x-api-key|invalid_api_key"}, kKey},
    {401, 401, {}, "check the key: it is missing, wrong or sent in a header that this server does not read"},
    {402, 402, {}, "the account has no credit left"},
    {0, 599, {"insufficient_quota|insufficient quota|exceeded your current quota"}, kQuota},
    {0, 599, {"insufficient balance|credit balance|billing"}, kQuota},
    {407, 407, {}, "a proxy in between wants a name and a password: check the address of the proxy"},
    // -- what is asked
    {404, 404, {"no such endpoint|unexpected endpoint|invalid url|cannot post"}, kPlace},
    {404, 404, {"model"}, kModel},
    {400, 499, {"model", "not found|does not exist|doesn't exist|not exist|model_not_found"}, kModel},
    {400, 499, {"unknown model|no such model|invalid model|not a valid model"}, kModel},
    {403, 403, {}, "the key may not do this: check its rights, the model and the region, or a proxy that forbids it"},
    {404, 405, {}, kPlace},
    {0, 0, {"the answer is not "}, kPlace},
    {300, 399, {}, "check the base URL: the server points elsewhere"},
    // -- later
    {429, 429, {}, "too many requests: wait, send fewer at once, or take a model with a higher limit"},
    {500, 599, {}, "the fault is the server's, or that of a proxy in front of it: try again later"},
};

std::string_view usual_path(std::string_view wire) {
  if (wire == "openai-responses") return "/v1/responses";
  if (wire == "anthropic") return "/v1/messages";
  if (wire == "gemini") return "/v1beta/models/{model}:streamGenerateContent";
  if (wire == "gemini-interactions") return "/v1beta/interactions";
  if (wire == "ollama") return "/api/chat";
  return "/v1/chat/completions";
}

}  // namespace

std::string refusal_hint(std::string_view wire, int32_t status, std::string_view words) {
  std::string small = lower_case(words.substr(0, kMostRefusalBytes));
  std::erase(small, '`');
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row &one) {
    return one.from <= status && status <= one.to &&
           std::all_of(std::begin(one.words), std::end(one.words),
                       [&](std::string_view any) { return any.empty() || holds(small, any); });
  });
  if (row == std::end(kRows)) return {};
  std::string hint(row->hint);
  if (row->hint == kPlace) hint += usual_path(wire);
  return hint;
}

}  // namespace sluice
