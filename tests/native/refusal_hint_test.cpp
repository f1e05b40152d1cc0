// What people read about refusals, in words that providers have sent.
#include "wire/refusal_hint.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "wire/network_hint.h"

using namespace sluice;

TEST_CASE("a refusal comes with what can be done about it") {
  struct Case {
    std::string_view wire;
    int32_t status;
    std::string_view words, hint;
  };
  const Case cases[] = {
      {"openai-chat", 401, "Incorrect API key provided: x", "check the key"},
      {"anthropic", 401, "invalid x-api-key", "check the key"},
      {"gemini", 400, "API key not valid. Please pass a valid API key.", "check the key"},
      {"openai-chat", 401, "", "check the key"},
      {"openai-chat", 403, "Forbidden", "check its rights"},
      {"openai-chat", 402, "Insufficient Balance", "no credit left"},
      {"openai-chat", 429, "You exceeded your current quota", "billing page"},
      {"anthropic", 400, "Your credit balance is too low to access the API.", "billing page"},
      {"openai-chat", 429, "Rate limit reached", "too many requests"},
      {"openai-chat", 404, "The model `gpt-9` does not exist", "name of the model"},
      {"anthropic", 404, "model: claude-9", "name of the model"},
      {"gemini", 404, "models/x is not found for API version v1beta", "name of the model"},
      {"ollama", 404, "model 'x' not found", "name of the model"},
      {"openai-chat", 400, "Unknown model: x", "name of the model"},
      {"openai-chat", 400, "The model is not happy with this schema", ""},
      {"openai-chat", 404, "404 page not found", "usually found at /v1/chat/completions"},
      {"openai-chat", 404, "Unexpected endpoint or method. (POST /models)", "/v1/chat/completions"},
      {"openai-chat", 404, "No endpoints found for this model", "name of the model"},
      {"openai-responses", 404, "Not Found", "/v1/responses"},
      {"anthropic", 405, "Method Not Allowed", "/v1/messages"},
      {"gemini-interactions", 404, "", "/v1beta/interactions"},
      {"gemini", 404, "", "/v1beta/models/{model}:streamGenerateContent"},
      {"ollama", 404, "404 page not found", "/api/chat"},
      {"openai-chat", 0, "the answer is not a chat completion: Welcome to nginx!", "/v1/chat/completions"},
      {"openai-chat", 407, "Proxy Authentication Required", "address of the proxy"},
      {"openai-chat", 413, "Request Entity Too Large", "too large"},
      {"openai-chat", 502, "502 Bad Gateway", "try again later"},
      {"anthropic", 529, "Overloaded", "try again later"},
      {"openai-chat", 400, "This model's maximum context length is 8192 tokens", "too long"},
      {"anthropic", 400, "prompt is too long: 210000 tokens > 200000 maximum", "too long"},
      {"gemini", 400, "The input token count (9) exceeds the maximum number of tokens allowed (8)", "too long"},
      {"openai-responses", 400,
       "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item",
       "give back the history"},
      {"openai-responses", 404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
       "include"},
      {"openai-responses", 400, "Encrypted content is not supported with this model", "leave `include` out"},
      {"openai-responses", 400, "The encrypted content gAAA...6KFQ could not be verified.", "give back the history"},
      {"openai-responses", 404, "Item with id 'msg_1' not found.", "did not keep the earlier answers"},
      {"anthropic", 400, "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
       "give back the history"},
      {"anthropic", 400, "messages.1.content.0: Invalid `signature` in `thinking` block", "give back the history"},
      {"anthropic", 400, "Expected `thinking` or `redacted_thinking`, but found `tool_use`", "give back the history"},
      {"gemini", 400, "Function call is missing a thought_signature in functionCall parts", "give back the history"},
      {"openai-chat", 400, "An assistant message with 'tool_calls' must be followed by tool messages",
       "give back the history"},
      {"openai-chat", 400, "temperature must be at most 2", ""},
      {"openai-chat", 0, "Overloaded", ""},
  };
  for (const Case &one : cases) {
    INFO(one.wire << ' ' << one.status << ": " << one.words);
    const std::string hint = refusal_hint(one.wire, one.status, one.words);
    CHECK(hint.empty() == one.hint.empty());
    CHECK(hint.find(one.hint) != std::string::npos);
    CHECK(hint.find('\n') == std::string::npos);
  }
}

TEST_CASE("a connection that failed comes with what can be done about it") {
  struct Case {
    std::string_view words, hint;
  };
  const Case cases[] = {
      {"fetch failed: connect ECONNREFUSED 127.0.0.1:11434", "Nothing listens"},
      {"[Errno 111] Connection refused", "Nothing listens"},
      {"curl: (7) Couldn't connect to server", "Nothing listens"},
      {"getaddrinfo ENOTFOUND api.example", "No such host"},
      {"getaddrinfo EAI_AGAIN api.example", "No such host"},
      {"Could not resolve host: api.example", "No such host"},
      {"[Errno -2] Name or service not known", "No such host"},
      {"read ECONNRESET", "closed the connection"},
      {"socket hang up", "closed the connection"},
      {"self-signed certificate in certificate chain", "NODE_EXTRA_CA_CERTS"},
      {"DEPTH_ZERO_SELF_SIGNED_CERT", "NODE_EXTRA_CA_CERTS"},
      {"ssl3_get_record:wrong version number", "http://"},
      {"the app was asleep", ""},
  };
  for (const Case &one : cases)
    for (const bool heard : {false, true}) {
      CAPTURE(one.words);
      const std::string_view hint = network_hint(one.words, heard);
      CHECK((one.hint.empty() ? hint.empty() : hint.find(one.hint) != hint.npos));
    }
  CHECK(network_hint("other side closed", false).find("closed the connection") != std::string_view::npos);
  CHECK(network_hint("other side closed", true).empty());
}
