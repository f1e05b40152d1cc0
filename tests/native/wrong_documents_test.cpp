// What is wrong in a host's document is told with its place, wherever it stands; what is merely rare is taken.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "base/json.h"
#include "protocol/declared/declaration.h"
#include "protocol/profiles.h"
#include "tools/registry.h"
#include "tools/schema.h"
#include "turn/config.h"
#include "turn/engine.h"
#include "turn/setup.h"

using namespace sluice;

namespace {

struct Row {
  const char *document, *says;  // "": it is taken
};

std::string told(const Status &status) { return status.ok() ? std::string() : status.path + ": " + status.message; }

template <size_t Size, class Read>
void check(const Row (&rows)[Size], const Read &read) {
  for (const auto &[document, says] : rows) {
    INFO(document);
    REQUIRE(check_json(document, 64).ok());
    CHECK(told(read(document)) == says);
  }
}

}  // namespace

TEST_CASE("members of a configuration that are wrong within") {
  const Row rows[] = {
      {R"~({"profiles":[1]})~", "profiles[0]: found 1, expected an object with match and protocol"},
      {R"~({"profiles":[{"match":1}]})~", "profiles[0].match: found 1, expected a string"},
      {R"~({"profiles":[{"match":"a","protocol":"vcp","startsInReasoning":1}]})~",
       "profiles[0].startsInReasoning: found 1, expected true | false"},
      {R"~({"profiles":[{"protocol":"vcp"}]})~",
       R"~(profiles[0]: found {"protocol":"vcp"}, expected a match that is not empty)~"},
      {R"~({"profiles":{}})~", "profiles: found {}, expected an array of profiles"},
      {R"~({"toolToggles":[]})~", "toolToggles: found [], expected an object of true | false"},
      {R"~({"observeOnly":{"results":[]}})~",
       "observeOnly.results: found [], expected an object with open, close, name and body, or a list of them"},
      {R"~({"observeOnly":{"results":1}})~",
       "observeOnly.results: found 1, expected an object with open, close, name and body"},
      {R"~({"observeOnly":{"results":[{"open":"a","close":"b","name":"n"}]}})~",
       "observeOnly.results[0].body: expected a text that is not empty"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"n","entries":1}}})~",
       "observeOnly.results.entries: found 1, expected an object with separator and end"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{name}","entries":{"x-a":1,"sep":";"}}}})~",
       "observeOnly.results.entries.sep: unknown member"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{name}","entries":{"end":1}}}})~",
       "observeOnly.results.entries.end: found 1, expected a string"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{name}","entries":{"end":"."}}}})~",
       "observeOnly.results.entries.separator: expected a text that is not empty"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{nam}","entries":{"separator":";"}}}})~",
       "observeOnly.results.name: expected a pattern like {name} {status} ({body})"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{name}{body}","entries":{"separator":";"}}}})~",
       "observeOnly.results.name: expected a pattern like {name} {status} ({body})"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{name} {name}","entries":{"separator":";"}}}})~",
       "observeOnly.results.name: expected a pattern like {name} {status} ({body})"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{body}","entries":{"separator":";"}}}})~",
       "observeOnly.results.name: expected a pattern like {name} {status} ({body})"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{name}","body":"c","entries":{"separator":";"}}}})~",
       "observeOnly.results.body: expected it in the pattern of name, since there are entries"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"{name} {status}","entries":{"separator":";"}}}})~",
       "observeOnly.results.success: expected status and success together"},
      {R"~({"observeOnly":{"results":{"x-a":1,"opn":"a"}}})~",
       "observeOnly.results.opn: unknown member; did you mean open?"},
      {R"~({"observeOnly":{"results":{"open":1}}})~", "observeOnly.results.open: found 1, expected a string"},
      {R"~({"observeOnly":{"results":{"open":"a"}}})~", "observeOnly.results.close: expected a text that is not empty"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b"}}})~",
       "observeOnly.results.name: expected a text that is not empty"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"n"}}})~",
       "observeOnly.results.body: expected a text that is not empty"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"n","body":"c","status":"s"}}})~",
       "observeOnly.results.success: expected status and success together"},
      {R"~({"observeOnly":{"results":{"open":"a","close":"b","name":"n","body":"c","success":"s"}}})~",
       "observeOnly.results.status: expected status and success together"},
      {R"~({"observeOnly":{"x-a":1}})~",
       R"~(observeOnly: found {"x-a":1}, expected true | false | an object with results)~"},
      {R"~({"protocol":["auto"]})~", ""},
      {R"~({"definitions":null})~", ""},
      {R"~({"words":1})~", "words: found 1, expected en | zh, or an object of sentences"},
      {R"~({"words":{"x-a":1,"denied":5}})~", "words.denied: unknown member"},
      {R"~({"markerWord":null})~", ""},
      {R"~({"markerWord":"abcdefghijklmnopq"})~",
       R"~(markerWord: found "abcdefghijklmnopq", expected 4 to 16 characters of a-z and 0-9)~"},
      {R"~({"markerWord":"ABCD"})~", R"~(markerWord: found "ABCD", expected 4 to 16 characters of a-z and 0-9)~"},
      {R"~({"protocol":{"id":"inline_tags","rules":1}})~",
       "protocol.rules: found 1, expected an array of { open, close, tool, argument }, none of them empty"},
      {R"~({"protocol":{"id":"inline_tags","rules":[]}})~",
       "protocol.rules: found [], expected an array of { open, close, tool, argument }, none of them empty"},
      {R"~({"protocol":{"id":"inline_tags","rules":[1]}})~",
       "protocol.rules[0]: found 1, expected { open, close, tool, argument }, none of them empty"},
      {R"~({"protocol":{"id":"inline_tags","rules":[{"open":1}]}})~",
       "protocol.rules[0].open: found 1, expected a text that is not empty"},
      {R"~({"protocol":{"id":"inline_tags","rules":[{"open":"","close":"b","tool":"t","argument":"a"}]}})~",
       R"~(protocol.rules[0].open: found "", expected a text that is not empty)~"},
      {R"~({"protocol":{"id":"inline_tags","rules":[{"open":"a","close":"","tool":"t","argument":"a"}]}})~",
       R"~(protocol.rules[0].close: found "", expected a text that is not empty)~"},
      {R"~({"protocol":{"id":"inline_tags","rules":[{"open":"a","close":"b","tool":"t","argument":""}]}})~",
       R"~(protocol.rules[0].argument: found "", expected a text that is not empty)~"},
  };
  check(rows, [](std::string_view document) {
    Config config;
    return read_config(document, {"tools"}, config);
  });
}

TEST_CASE("declarations of protocols that are wrong within") {
  const Row rows[] = {
      {R"~([{"id":1}])~", "[0].id: found 1, expected a string"},
      {R"~([{"id":"a","like":1}])~", "[0].like: found 1, expected a string"},
      {R"~([{"id":"a","like":"hermse"}])~",
       R"~([0].like: found "hermse", expected the id of a built-in protocol; did you mean hermes?)~"},
      {R"~([{"id":"a9_.-Z","like":"hermes"}])~",
       R"~([0].id: found "a9_.-Z", expected 1 to 64 characters of a-z, 0-9, _, - and .)~"},
      {R"~([{"id":"a~","like":"hermes"}])~",
       R"~([0].id: found "a~", expected 1 to 64 characters of a-z, 0-9, _, - and .)~"},
      {R"~([{"x-a":1,"id":"a9_.-","like":"hermes"},{"id":"b","like":"hermes"}])~", ""},
      {R"~([{"id":"a","like":"hermes","openers":1}])~",
       "[0].openers: found 1, expected a string, or an array of strings"},
      {R"~([{"id":"a","like":"hermes","openers":[1]}])~", "[0].openers[0]: found 1, expected a string"},
      {R"~([{"id":"a","like":"hermes","openers":[]}])~", "[0].openers: found [], expected at least one"},
      {R"~([{"id":"a","like":"hermes","turnEnds":[]}])~", ""},
      {R"~([{"id":"a","like":"vcp","values":1}])~", "[0].values: found 1, expected an object"},
      {R"~([{"id":"a","like":"vcp","values":{"x-a":1,"open":["a"]}}])~",
       R"~([0].values.open: found ["a"], expected a string)~"},
      {R"~([{"id":"a","like":"hermes","call":1}])~", "[0].call: found 1, expected a string"},
      {R"~([{"id":"a","like":"hermes","call":"{name"}])~", R"~([0].call: the example call "{name\n" is read as text)~"},
      {R"~([{"id":"a","like":"hermes","call":"{name {arguments}"}])~",
       R"~([0].call: the example call "{name {\"city\":\"Paris\",\"days\":3,\"exact\":true,\"tags\":[\"a\",\"b\"],\"place\":{\"lat\":1.5,…" is read as text)~"},
      {R"~([{"id":"a","like":"hermes","members":{"name":[""]}}])~",
       R"~([0].members.name: found "", expected a name of at most 64 bytes without blanks, quotes and brackets)~"},
      {R"~([{"id":"a","like":"hermes","members":{"name":["a\u0001"]}}])~",
       R"~([0].members.name: found "a\u0001", expected a name of at most 64 bytes without blanks, quotes and brackets)~"},
      {R"~([{"id":"a","like":"hermes","members":{"name":["a b"]}}])~",
       R"~([0].members.name: found "a b", expected a name of at most 64 bytes without blanks, quotes and brackets)~"},
      {R"~([{"id":"a","like":"hermes","members":{"name":["a<"]}}])~",
       R"~([0].members.name: found "a<", expected a name of at most 64 bytes without blanks, quotes and brackets)~"},
      {R"~([{"id":"a","like":"hermes","members":{"name":["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]}}])~",
       R"~([0].members.name: found "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", expected a name of at most 64 bytes without blanks, quotes and brackets)~"},
      {R"~([{"id":"a","like":"hermes","members":{"id":["key"]}}])~", ""},
      {R"~([{"id":"a","like":"qwen3-coder","tags":{"callName":"x"}}])~",
       "[0].tags.callName: qwen3-coder has no such words to replace"},
      {R"~([{"id":"a","like":"glm-4.5","tags":{"key":"k","value":"v"}}])~", ""},
      {R"~([{"id":"a","like":"minimax-m2","tags":{"callName":"tool","parameterName":"p"}}])~", ""},
      {R"~([{"id":"a","like":"hermes","parameters":"schema"}])~", ""},
  };
  check(rows, [](std::string_view document) {
    Declarations declarations;
    return read_declarations(document, declarations);
  });
}

TEST_CASE("tools that are wrong within") {
  const Row rows[] = {
      {R"~([{"name":"a\u007f"}])~",
       R"~([0].name: found "a\u007f", expected a name: a string that is not empty, without control characters)~"},
      {R"~([{"name":"a","aliases":1}])~", "[0].aliases: found 1, expected an array of names"},
      {R"~([{"name":"a","aliases":[1]}])~",
       "[0].aliases[0]: found 1, expected a name: a string that is not empty, without control characters"},
      {R"~([{"name":"a","ipc":{"channel":"c","payload":[{"arg":1},{"arg":"x","y":1},{}]}}])~", ""},
      {R"~([{"name":"a","parameters":{"type":["string","null"]}}])~",
       R"~([0].parameters.type: found a schema of type ["string","null"], expected {"type":"object","properties":{…}})~"},
      {R"~([{"name":"a","resultApproval":null,"ipc":null}])~", ""},
      {R"~([{"name":"a","wireName":1}])~",
       "[0].wireName: found 1, expected a name: a string that is not empty, without control characters"},
      {R"~([{"name":"a","method":"b"}])~", "[0]: found name beside method, expected name, or toolId and method"},
      {R"~([{"name":"a","toolId":"b"}])~", "[0]: found name beside toolId, expected name, or toolId and method"},
      {R"~([{"method":"b"}])~", "[0]: found method alone, expected name, or toolId and method"},
      {R"~([{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":true}}])~", ""},
      {R"~([{"name":"a","aliases":["b"],"vcpCommand":"b","wireName":"b"}])~", ""},
      {R"~([{"name":"a","vcpCommand":"a","wireName":"a"}])~", ""},
  };
  check(rows, [](std::string_view document) {
    Registry registry;
    return Registry::compile(document, 128, registry);
  });
}

TEST_CASE("schemas that are wrong within") {
  const Row rows[] = {
      {R"~({"enum":[]})~", "enum: found [], expected at least one value"},
      {R"~({"exclusiveMinimum":false,"minimum":1})~", ""},
      {R"~({"exclusiveMinimum":true,"minimum":1,"exclusiveMaximum":false,"maximum":5})~", ""},
      {R"~({"multipleOf":"x"})~", R"~(multipleOf: found "x", expected a number)~"},
      {R"~({"multipleOf":-1})~", "multipleOf: found -1, expected a number above 0"},
      {R"~({"maxItems":1})~", ""},
      {R"~({"items":[1],"additionalItems":{}})~", "items[0]: found 1, expected a schema: an object, true or false"},
      {R"~({"items":[{}],"additionalItems":{}})~", ""},
      {R"~({"if":1,"then":{}})~", "if: found 1, expected a schema: an object, true or false"},
      {R"~({"definitions":{}})~", ""},
      {R"~({"$ref":1})~", "$ref: found 1, expected a string"},
      {R"~({"$ref":""})~", ""},
      {R"~({"$ref":"#a"})~", ""},
      {R"~({"allOf":1})~", "allOf: found 1, expected an array of schemas"},
      {R"~({"allOf":[]})~", "allOf: found [], expected at least one schema"},
      {R"~({"dependencies":1})~", "dependencies: found 1, expected an object of schemas or arrays of names"},
      {R"~({"dependencies":{"a":1}})~", "dependencies.a: found 1, expected a schema: an object, true or false"},
      {R"~({"dependencies":{"a":[1]}})~", "dependencies.a[0]: found 1, expected a string"},
      {R"~({"$ref":"#/%zz"})~", R"~($ref: found "#/%zz", which stands nowhere in this schema)~"},
      {R"~({"$ref":"#/%"})~", R"~($ref: found "#/%", which stands nowhere in this schema)~"},
      {R"~({"properties":{"a%b":{"type":"string"},"~x":{"$ref":"#/properties/a%25b"},"x/y":{},"c":{"$ref":"#/properties/x~1y"},"d":{"$ref":"#/properties/~0x"},"e":{"$ref":"#/properties/~2"}}})~",
       R"~(properties.e.$ref: found "#/properties/~2", which stands nowhere in this schema)~"},
      {R"~({"properties":{"~":{},"d":{"$ref":"#/properties/~"}}})~", ""},
      {R"~({"allOf":[{"type":"object"}],"properties":{"a":{"$ref":"#/allOf/x"}}})~",
       R"~(properties.a.$ref: found "#/allOf/x", which stands nowhere in this schema)~"},
      {R"~({"properties":{"a":{"$ref":"#"}},"":{}})~", ""},
      {R"~({"properties":{"a":{"properties":{"":{"$ref":"#/x"}}}}})~",
       R"~(properties.a.properties.$ref: found "#/x", which stands nowhere in this schema)~"},
  };
  check(rows, [](std::string_view document) {
    Schema schema;
    return Schema::compile(document, schema);
  });
}

TEST_CASE("text that a schema asks for as something else, and cannot have") {
  struct Check {
    const char *schema, *arguments, *says;
  };
  const Check checks[] = {
      {R"~({"properties":{"v":{"type":"object"}}})~", R"~({"v":"{\\\"a\\\":1}"})~", R"~({"v":{"a":1}})~"},
      {R"~({"properties":{"v":{"type":"object"}}})~", R"~({"v":"{\"a\\\":1}"})~",
       R"~(facade /v: expected object, found string "{\"a\\\":1}")~"},
      {R"~({"properties":{"v":{"type":"object"}}})~", R"~({"v":"{\"a"})~",
       R"~(facade /v: expected object, found string "{\"a")~"},
      {R"~({"properties":{"v":{"type":["string","object"]}}})~", R"~({"v":"{"})~", R"~({"v":"{"})~"},
      {R"~({"properties":{"v":{"type":["string","array"]}}})~", R"~({"v":"{"})~", R"~({"v":"{"})~"},
      {R"~({"properties":{"v":{"type":["string","object"]}}})~", R"~({"v":"["})~", R"~({"v":"["})~"},
      {R"~({"properties":{"v":{"type":"integer"}}})~", R"~({"v":"true"})~",
       R"~(/v: expected integer, found string "true")~"},
      {R"~({"properties":{"v":{"type":"null"}}})~", R"~({"v":"None"})~", R"~({"v":null})~"},
      {R"~({"properties":{"v":{"type":"integer"}}})~", R"~({"v":"None"})~",
       R"~(/v: expected integer, found string "None")~"},
      {R"~({"properties":{"v":{"type":"integer"}}})~", R"~({"v":""})~", R"~(/v: expected integer, found string "")~"},
      {R"~({"properties":{"v":{"type":"array"}}})~", R"~({"v":"(1,2)"})~", R"~({"v":[1,2]})~"},
      {R"~({"properties":{"v":{"type":"integer"}}})~", R"~({"v":"{"})~", R"~(/v: expected integer, found string "{")~"},
      {R"~({"properties":{"v":{"type":"integer"}}})~", R"~({"v":"[1]"})~",
       R"~(/v: expected integer, found string "[1]")~"},
      {R"~({"properties":{"v":{"type":"boolean"}}})~", R"~({"v":"1"})~", R"~(/v: expected boolean, found string "1")~"},
      {R"~({"properties":{"v":{"type":"integer"}}})~", R"~({"v":"+1"})~",
       R"~(/v: expected integer, found string "+1")~"},
      {R"~({"properties":{"v":{"type":["string","integer"],"maxLength":1}}})~", R"~({"v":"123"})~", R"~({"v":123})~"},
      {R"~({"properties":{"v":{"type":["string","integer"],"maxLength":1,"maximum":5}}})~", R"~({"v":"123"})~",
       R"~(/v: expected at most 1 character, found string "123")~"},
      {R"~({"properties":{"v":{"not":{}}}})~", R"~({"v":"x"})~", R"~(/v: found "x", which is ruled out)~"},
      {R"~({"properties":{"a~/b":{"type":"object"}}})~", R"~({"a~/b":"x"})~",
       R"~(facade /a~0~1b: expected object, found string "x")~"},
      {R"~({"properties":{"a":{"type":"integer"}}})~", "[1]", "[1]"},
      {R"~({"additionalProperties":false})~", R"~({"a":"1"})~", R"~(: member "a" is not allowed)~"},
  };
  for (const auto &[document, arguments, says] : checks) {
    INFO(document << " " << arguments);
    Schema schema;
    REQUIRE(Schema::compile(document, schema).ok());
    std::string out;
    ArgumentFault fault;
    const bool fits = schema.check(arguments, Strings::written, out, fault);
    CHECK((fits ? out : (fault.facade ? "facade " : "") + fault.pointer + ": " + fault.message) == says);
  }
}

TEST_CASE("the parameter that takes the text of a call is the only one, and a string") {
  const auto parameter = [](std::string_view document) {
    Schema schema;
    REQUIRE(Schema::compile(document, schema).ok());
    return schema.text_parameter();
  };
  CHECK(parameter(R"({"properties":{"a":{"type":"string"}}})") == "a");
  for (const char *document :
       {R"({"required":["a","b"]})", R"({"properties":{"a":{},"b":{}}})", R"({"required":["a"]})",
        R"({"required":["a"],"properties":{"a":{"type":"integer"}}})", "{}"})
    CHECK(parameter(document).empty());
}

TEST_CASE("numbers are compared as decimals, however they are written") {
  struct Number {
    const char *schema, *value;
    bool fits;
  };
  for (const auto &[word, value, fits] :
       {Number{R"("minimum":1)", "1E0", true}, Number{R"("minimum":1)", "1e+1", true},
        Number{R"("minimum":1)", "1e99999999999999999999", true}, Number{R"("minimum":-2)", "0", true},
        Number{R"("minimum":-2)", "-3", false}, Number{R"("maximum":-2)", "0", false},
        Number{R"("multipleOf":3)", "0", true}, Number{R"("multipleOf":0.5)", "1E+1", true}}) {
    INFO(word << " " << value);
    Schema schema;
    REQUIRE(Schema::compile(R"({"properties":{"v":{)" + std::string(word) + "}}}", schema).ok());
    std::string out;
    ArgumentFault fault;
    CHECK(schema.check(R"({"v":)" + std::string(value) + "}", Strings::strings, out, fault) == fits);
  }
}

TEST_CASE("a model's name that is cut or spelled otherwise has a profile or none") {
  const Row rows[] = {
      {"", ""},
      {"Qwen 3", "hermes"},
      {"Qwen", ""},
      {"QWEN_3", "hermes"},
      {"-3", ""},
      {"3", ""},
      {"a-1.", ""},
      {"a-1.b", ""},
      {"llama-3.", "llama3"},
      {"llama-3.x", "llama3"},
      {"llama-31", ""},
      {"gemma-3-12m", "gemma-3"},
      {"gemma-3-2024", "gemma-3"},
  };
  for (const auto &[name, protocol] : rows) {
    INFO(name);
    const Profile *const profile = find_profile(name, {});
    CHECK((profile != nullptr ? std::string(profile->protocol) : std::string()) == protocol);
  }
}

TEST_CASE("sentences of the host that are wrong within") {
  const Row rows[] = {
      {R"({"words":{"":"x"}})", "words: unknown member"},
      {R"({"words":"fr"})", "words: found \"fr\", expected en | zh"},
      {R"({"words":{"notRun":5}})", "words.notRun: found 5, expected a string"},
      {R"({"words":{"notRun":"{x}"}})", "words.notRun: found \"{x}\", expected a sentence without placeholders"},
      {R"({"words":{"notRun":"a { b"}})", ""},
      {R"({"words":{"notRun":"{reason"}})", ""},
      {R"({"words":{"notRun":"{reason that"}})", ""},
  };
  check(rows, [](std::string_view document) {
    Config config;
    return read_config(document, {"tools"}, config);
  });
}

TEST_CASE("only the metadata of messages may be deeper than limits.depth") {
  const auto deep = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  const auto told_of = [](const std::string &document) {
    std::unique_ptr<Setup> setup;
    auto engine = std::make_shared<Engine>();
    REQUIRE(Engine::compile("{}", *engine).ok());
    return told(Setup::read(engine, document, setup));
  };
  const auto turn = [](int depth, const std::string &members, const std::string &request, const std::string &messages) {
    return R"({"limits":{"depth":)" + std::to_string(depth) + "}" + members + R"(,"request":{"model":"m")" + request +
           R"(,"messages":)" + messages + "}}";
  };
  const auto refused = [&](const std::string &document, int depth) {
    return told_of(document).starts_with(": nested deeper than " + std::to_string(depth) + " at byte");
  };
  const std::string rest = R"([{"role":"user","content":"a","metadata":{"a":)" + deep(6) + "}}]";
  CHECK(told_of(turn(6, "", "", rest)).empty());
  CHECK(told_of(turn(6, R"(,"x-a":)" + deep(5), R"(,"x":)" + deep(4), rest)).empty());
  CHECK(refused(turn(6, R"(,"x-a":)" + deep(6), "", rest), 6));
  CHECK(refused(turn(6, "", R"(,"x":)" + deep(5), rest), 6));
  const auto says = [](const std::string &content) { return R"([{"role":"user","content":)" + content + "}]"; };
  CHECK(told_of(turn(6, "", "", says(R"([{"type":"text","text":"a"}])"))).empty());
  CHECK(refused(turn(6, "", "", says(deep(3))), 6));
  CHECK(refused(turn(6, "", "", "[" + deep(4) + "]"), 6));
  CHECK(refused(turn(6, "", "", R"({"metadata":)" + deep(6) + "}"), 6));
  CHECK(refused(R"({"limits":{"depth":6},"request":)" + deep(6) + "}", 6));
  CHECK(refused(turn(3, "", "", R"([{"role":"user","content":"a","metadata":{}}])"), 3));
  CHECK(refused(deep(130), 128));
}
