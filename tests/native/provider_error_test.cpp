// The words, the status and the wait in errors of every shape, as gateways nest them.
#include "wire/provider_error.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/json.h"
#include "wire/tool_refusal.h"

using namespace sluice;

namespace {

std::string words(const std::string &body) { return read_provider_error(body, 0).words; }

std::string repeated(const std::string &text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("a page that is cut, or has no title, is told by its text") {
  CHECK(words("<title").empty());
  CHECK(words("<title>a") == "a");
  CHECK(words("</title><title>x") == "x");
  CHECK(words("<title> </title><p>b") == "b");
  CHECK(words("<html><script>x</script><style>y</style>no") == "no");
  CHECK(words("<script>x").empty());
  CHECK(words("<p").empty());
  CHECK(words("<p>" + repeated("words here ", 400)).size() <= 2000);
  CHECK(words("<p>x\ndata: y") == "x data: y");
}

TEST_CASE("words are looked for to a certain depth, and up to a certain length") {
  std::string nested = "\"end\"", texts = "\"end\"";
  for (int i = 0; i < 9; ++i) nested = "{\"error\":" + nested + "}";
  for (int i = 0; i < 8; ++i) texts = json_string("{\"error\":{\"message\":" + texts + "}}");
  CHECK(words(nested) == R"({"error":{"error":"end"}})");
  CHECK(words(texts).starts_with(R"({"error":{"message":)"));
  CHECK(words(R"({"message":"{broken"})") == "{broken");
  CHECK(words("[" + repeated(R"({"loc":["a",1],"msg":"bad"},)", 400) + "{}]").size() <= 2003);
  CHECK(words(R"([{"loc":5,"msg":"bad"},{"msg":"worse"}])") == "bad; worse");
}

TEST_CASE("of several members the first that says something has the words") {
  CHECK(words(R"({"error":5,"message":"m"})") == "m");
  CHECK(words(R"({"message":[],"detail":"d"})") == "d");
  CHECK(words(R"({"error":"not_found","message":5})") == "not_found");
  CHECK(words(R"({"message":"m","metadata":{}})") == "m");
  CHECK(words(R"({"message":"m","metadata":{"raw":"m"}})") == "m");
  CHECK(words(R"({"message":"m","metadata":{"raw":[]}})") == "m");
  CHECK(words(R"({"message":[],"metadata":{"raw":"inner"}})") == "inner");
  CHECK(words(R"({"message":"m","metadata":{"raw":{"a":1}}})") == "m: {\"a\":1}");
  CHECK(words("event: x\ndata: {\"message\":\"m\"}\n") == "m");
  CHECK(words("{\"a\":1}\ndata: {\"message\":\"m\"}") == "{\"a\":1} data: {\"message\":\"m\"}");
}

TEST_CASE("a status says whether asking again may help") {
  const auto transient = [](int32_t status) { return read_provider_error(R"({"message":"m"})", status).transient; };
  for (const int32_t status : {408, 409, 425, 429, 500, 503, 529}) CHECK(transient(status));
  for (const int32_t status : {400, 401, 404, 422, 600}) CHECK_FALSE(transient(status));
  CHECK_FALSE(read_provider_error(R"({"message":"m","status":600})", 0).transient);
  CHECK(read_provider_error(R"([{"status":"UNAVAILABLE","error":{"message":"m"}}])", 0).transient);
  CHECK_FALSE(read_provider_error(R"([[[[[[[[[[[[{"status":503,"message":"m"}]]]]]]]]]]]])", 0).transient);
}

TEST_CASE("how long to wait is read where it is a duration") {
  const auto wait = [](const std::string &details) {
    return read_provider_error(R"({"error":{"message":"m","param":5,"details":)" + details + "}}", 0).retry_after_ms;
  };
  CHECK(wait(R"([{},{"retryDelay":"0.5s"}])") == 500);
  CHECK(wait("5") == -1);
  for (const char *delay : {"5", "\"36\"", "\"xs\"", "\"-1s\"", "\"1e12s\""})
    CHECK(wait(R"([{"retryDelay":)" + std::string(delay) + "}]") == -1);
}

TEST_CASE("what was refused is told where the words say that it was refused") {
  CHECK(read_provider_error(R"({"message":"unknown field parametersJsonSchema"})", 405).schema_refused);
  CHECK(read_provider_error(R"({"message":"unknown field parametersJsonSchema"})", 501).schema_refused);
  CHECK_FALSE(read_provider_error(R"({"message":"parametersJsonSchema is fine"})", 501).schema_refused);
  CHECK_FALSE(read_provider_error(R"({"message":"m","param":"tools","code":"x"})", 400).tools_refused);
  CHECK_FALSE(read_provider_error(R"({"message":"container is here"})", 400).signature_refused);
}

TEST_CASE("a refusal of tools ends with its sentence, and one of a kind of tool is none") {
  CHECK(refuses_tools("tools are not supported!\nuse another"));
  CHECK(refuses_tools("The model does not support tools. Really"));
  CHECK(refuses_tools("tools of kind are not supported"));
  CHECK(refuses_tools("This model does not support tools of that kind"));
  for (const char *words : {"tools?\nnot supported", "tool of type x is not supported",
                            "tools of type function are not supported by this model", "functions. are\nnot supported",
                            "This model does not support tools of type x", "tools a b c d e f g h i j k not supported",
                            "a b c d e f g h i j k l m n o p q r s t u v w x y z not supported tools"})
    CHECK_FALSE(refuses_tools(words));
}
