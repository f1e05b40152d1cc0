// Declared tools: schema, names, discovery, approval. js/schema-oracle.test.mjs compares the schema checker with ajv.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "tools/approval.h"
#include "tools/discovery.h"
#include "tools/registry.h"
#include "tools/schema.h"
#include "turn/definitions.h"

using namespace sluice;

namespace {

std::string listed(const Registry &registry, const Exposure &exposure) {
  std::string out;
  ObjectWriter object(out);
  list_tools(
      registry, exposure, [](std::string_view) { return std::set<std::string>(); }, [](const Tool &, ObjectWriter &) {},
      object);
  object.close();
  return out;
}

Schema schema_of(std::string_view text) {
  Schema schema;
  REQUIRE(check_json(text, 128).ok());
  const Status status = Schema::compile(text, schema);
  INFO(status.path << ": " << status.message);
  REQUIRE(status.ok());
  return schema;
}

Status schema_error(std::string_view text) {
  Schema schema;
  REQUIRE(check_json(text, 128).ok());
  return Schema::compile(text, schema);
}

// "" if the arguments fit, else "<pointer>: <message>".
std::string fault_of(std::string_view schema, std::string_view arguments) {
  std::string out;
  ArgumentFault fault;
  if (schema_of(schema).check(arguments, Strings::strings, out, fault)) return "";
  return fault.pointer + ": " + fault.message;
}

std::string coerced(std::string_view schema, std::string_view arguments, Strings strings = Strings::written) {
  std::string out;
  ArgumentFault fault;
  if (schema_of(schema).check(arguments, strings, out, fault)) return out;
  return (fault.facade ? "facade " : "") + fault.pointer + ": " + fault.message;
}

std::string property(std::string_view schema) { return R"({"properties":{"v":)" + std::string(schema) + "}}"; }
std::string member(std::string_view value) { return R"({"v":)" + std::string(value) + "}"; }

Status registry_of(std::string_view tools, Registry &out) {
  REQUIRE(check_json(tools, 128).ok());
  return Registry::compile(tools, 128, out);
}

Registry good_registry(std::string_view tools) {
  Registry out;
  const Status status = registry_of(tools, out);
  INFO(status.path << ": " << status.message);
  REQUIRE(status.ok());
  return out;
}

std::string registry_error(std::string_view tools) {
  Registry out;
  const Status status = registry_of(tools, out);
  REQUIRE(status.code == Code::json);
  return status.path + ": " + status.message;
}

}  // namespace

TEST_CASE("each keyword accepts and refuses, and says what was expected and what came") {
  struct Row {
    const char *schema, *good, *bad, *message;
  };
  const Row rows[] = {
      {R"({"type":"integer"})", "3", R"("abc")", R"(expected integer, found string "abc")"},
      {R"({"type":"integer"})", "3.0", "3.5", "expected integer, found number 3.5"},
      {R"({"type":"integer"})", "1e2", "1e-2", "expected integer, found number 1e-2"},
      {R"({"type":"integer"})", "123456789012345678901234567890", "[1]", "expected integer, found array [1]"},
      {R"({"type":"number"})", "-1.5e3", "true", "expected number, found boolean true"},
      {R"({"type":["null","boolean"]})", "null", "[1]", "expected null or boolean, found array [1]"},
      {R"({"type":"string","nullable":true})", "null", "{}", "expected string, found object {}"},
      {R"({"enum":["a",1,null]})", "1.0", "2", R"(expected one of "a", 1, null, found number 2)"},
      {R"({"const":{"a":[1,2]}})", R"({"a":[1.0,2]})", "{}", R"(expected {"a":[1,2]}, found object {})"},
      {R"({"minimum":1})", "1", "0.999999999999999999999", "expected at least 1, found number 0.999999999999999999999"},
      {R"({"maximum":18446744073709551615})", "18446744073709551615", "18446744073709551616",
       "expected at most 18446744073709551615, found number 18446744073709551616"},
      {R"({"minimum":-9223372036854775809})", "-9223372036854775809", "-9223372036854775810",
       "expected at least -9223372036854775809, found number -9223372036854775810"},
      {R"({"exclusiveMinimum":9007199254740992})", "9007199254740993", "9007199254740992",
       "expected more than 9007199254740992, found number 9007199254740992"},
      {R"({"maximum":5,"exclusiveMaximum":true})", "4.9", "5", "expected less than 5, found number 5"},
      {R"({"multipleOf":0.01})", "4.35", "4.355", "expected a multiple of 0.01, found number 4.355"},
      {R"({"multipleOf":6})", "1e400", "7", ""},  // 10^400 is not
      {R"({"minLength":2})", R"("\u4f60好")", R"("é")", R"(expected at least 2 characters, found string "é")"},
      {R"({"maxLength":1})", R"("\ud83d\ude00")", R"("ab")", R"(expected at most 1 character, found string "ab")"},
      {R"({"minItems":1})", "[1]", "[]", "expected at least 1 item, found array []"},
      {R"({"uniqueItems":true})", "[1,2,\"1\"]", "[1,1.0]", ""},
      {R"({"items":{"type":"string"}})", R"(["a"])", "[1]", ""},
      {R"({"items":[{"type":"string"}],"additionalItems":false})", R"(["a"])", R"(["a",1])", ""},
      {R"({"contains":{"const":1}})", "[0,1]", "[0]", ""},
      {R"({"maxProperties":1})", R"({"a":1})", R"({"a":1,"b":1})", ""},
      {R"({"propertyNames":{"maxLength":1}})", R"({"a":1})", R"({"ab":1})", ""},
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1,"b":2})", R"({"a":1})", R"(missing member "b", which "a" needs)"},
      {R"({"dependencies":{"a":{"required":["b"]}}})", R"({"a":1,"b":2})", R"({"a":1})",
       R"(missing required member "b")"},
      {R"({"const":1,"enum":[1,2]})", "1", "2", "expected 1, found number 2"},
      {R"({"anyOf":[{"type":"string"},{"$ref":"#/anyOf/0"}]})", R"("a")", "1", ""},
      {R"({"$ref":"#/definitions/x%20~1~0y","definitions":{"x /~y":{"type":"string"}}})", R"("a")", "1", ""},
      {R"({"not":{"type":"string"}})", "1", R"("x")", R"(found "x", which is ruled out)"},
      {R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"maximum":5}})", "20", "7",
       "expected at most 5, found number 7"},
      {R"({"oneOf":[{"minimum":0},{"maximum":10}]})", "11", "5", "found 5, which fits more than one of oneOf"},
      {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null", "1", "expected null or string, found number 1"},
      {R"({"anyOf":[{"const":"a"},{"const":"b"}]})", R"("b")", R"("c")",
       R"(expected one of "a", "b", found string "c")"},
      {R"({"allOf":[{"type":"integer"},{"minimum":3}]})", "3", "2", "expected at least 3, found number 2"},
      {R"({"$ref":"#/$defs/x","$defs":{"x":{"type":"null"}}})", "", "", ""},  // a root of its own: below
      {"true", "1", "", ""},
      {"{}", "1", "", ""},
      {"false", "", "1", "found 1 where nothing is allowed"},
  };
  for (const Row &row : rows) {
    if (std::string_view(row.schema).find("$ref") != std::string_view::npos) continue;
    INFO(row.schema);
    if (*row.good && std::string_view(row.good) != "1e400")
      CHECK(fault_of(property(row.schema), member(row.good)) == "");
    if (!*row.bad) continue;
    const std::string fault = fault_of(property(row.schema), member(row.bad));
    CHECK(fault != "");
    if (*row.message) CHECK(fault == std::string("/v: ") + row.message);
  }
  CHECK(fault_of(property(R"({"multipleOf":6})"), member("1e400")) != "");
  CHECK(fault_of(property(R"({"multipleOf":8})"), member("1e400")) == "");
}

TEST_CASE("members that are missing or not allowed are named, at the object they belong to") {
  const char *schema = R"({"type":"object","required":["city","day"],"additionalProperties":false,
                           "properties":{"city":{"type":"string"},"day":{},"o":{"required":["k"]}}})";
  CHECK(fault_of(schema, R"({"day":1})") == R"(: missing required member "city")");
  CHECK(fault_of(schema, "{}") == R"(: missing required members "city", "day")");
  CHECK(fault_of(schema, R"({"city":"x","day":1,"sity":1})") ==
        R"(: member "sity" is not allowed, only "city", "day", "o")");
  CHECK(fault_of(schema, R"({"city":"x","day":1,"o":{}})") == R"(/o: missing required member "k")");
  CHECK(fault_of(R"({"properties":{"a/b":{"items":{"type":"null"}}}})", R"({"a/b":[null,[1,2],3]})") ==
        "/a~1b/1: expected null, found array [1,2]");
  CHECK(fault_of(R"({"additionalProperties":{"type":"null"}})", R"({"~":{"x":"y"},"z":1})") ==
        R"(/~0: expected null, found object {"x":"y"})");
}

TEST_CASE("arguments that are no object are held against the schema as well") {
  CHECK_FALSE(fault_of(R"({"type":"object"})", "[1]").empty());
  CHECK(fault_of(R"({"type":"array"})", "[null]").empty());
}

TEST_CASE("of several choices the fault is that of the one that was meant") {
  const char *schema = R"({"properties":{"shape":{"oneOf":[
      {"properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
      {"properties":{"kind":{"const":"box"},"size":{"type":"object","required":["w"]}},"required":["kind","size"]}]}}})";
  CHECK(fault_of(schema, R"({"shape":{"kind":"box","size":{}}})") == R"(/shape/size: missing required member "w")");
  CHECK(fault_of(schema, R"({"shape":{"kind":"circle","r":"1"}})") == R"(/shape/r: expected number, found string "1")");
  CHECK(fault_of(schema, R"({"shape":{"kind":"line","r":1,"size":{"w":1}}})") ==
        R"(/shape/kind: expected one of "circle", "box", found string "line")");
  CHECK(fault_of(schema, R"({"shape":"box"})") != "");
}

TEST_CASE("what was found is shown in at most eighty bytes and never cut inside a code point") {
  std::string value = "\"";
  for (int i = 0; i < 1000; ++i) value += "好";
  value += '"';
  const std::string fault = fault_of(property(R"({"type":"null"})"), member(value));
  CHECK(fault.size() < 140);
  CHECK(fault.ends_with("好…"));
}

TEST_CASE("strings are read as deep as the arguments may nest, and in linear time") {
  const char *schema = R"({"$ref":"#/$defs/t","$defs":{"t":{"type":["object","array","integer"],
      "items":{"$ref":"#/$defs/t"},"additionalProperties":{"$ref":"#/$defs/t"}}}})";
  Schema deep;
  REQUIRE(Schema::compile(schema, deep, 4).ok());
  std::string out;
  ArgumentFault fault;
  CHECK(deep.check(R"({"v":{"v":["1"]}})", Strings::written, out, fault));
  CHECK(out == R"({"v":{"v":[1]}})");
  CHECK(deep.check(R"({"v":["[[2]]"]})", Strings::written, out, fault));
  CHECK(out == R"({"v":[[[2]]]})");
  CHECK(!deep.check(R"({"v":["[[[2]]]"]})", Strings::written, out, fault));
  CHECK(!deep.check(R"({"v":[["[\"[2]\"]"]]})", Strings::written, out, fault));
  std::string many = R"({"v":[)";
  for (int i = 0; i < 100000; ++i) many += R"({"a":["1"]},)";
  many += "1]}";
  CHECK(deep.check(many, Strings::written, out, fault));
  CHECK(out.size() == many.size() - 200000);
}

TEST_CASE("strings of text protocols become what the schema asks for, and only there") {
  struct Row {
    const char *schema, *text, *expected;
  };
  const Row rows[] = {
      {R"({"type":"integer"})", R"("3")", "3"},
      {R"({"type":"integer"})", R"(" 3.0\n")", "3.0"},
      {R"({"type":"integer"})", R"("123456789012345678901234567890")", "123456789012345678901234567890"},
      {R"({"type":"number"})", R"("-1.5e3")", "-1.5e3"},
      {R"({"type":"boolean"})", R"("TRUE")", "true"},
      {R"({"type":"boolean"})", R"("false")", "false"},
      {R"({"type":"null"})", R"("Null")", "null"},
      {R"({"type":"string"})", R"("3")", R"("3")"},
      {R"({"type":["string","integer"]})", R"("3")", R"("3")"},
      {R"({"type":["integer","null"]})", R"("null")", "null"},
      {R"({})", R"("3")", R"("3")"},
      {R"({"type":"object"})", R"("{ \"a\" : [1, 2.50] }")", R"({"a":[1,2.50]})"},
      {R"({"type":"array","items":{"type":"integer"}})", R"("[1,2]")", "[1,2]"},
      {R"({"properties":{"a":{}}})", R"("{\"a\":1}")", R"({"a":1})"},
      {R"({"anyOf":[{"type":"integer"},{"type":"boolean"}]})", R"("true")", "true"},
      {R"({"anyOf":[{"type":"integer"},{"enum":["auto"]}]})", R"("3")", "3"},
      {R"({"anyOf":[{"type":"integer"},{"enum":["auto"]}]})", R"("auto")", R"("auto")"},
      {R"({"enum":[1,2,3]})", R"("2")", "2"},
      {R"({"const":false})", R"("false")", "false"},
      {R"({"$ref":"#/$defs/n"})", R"("7")", "7"},
      {R"({"allOf":[{"$ref":"#/$defs/n"}],"description":"d"})", R"("7")", "7"},
      {R"({"type":"integer"})", "4", "4"},
      // inside of arrays and objects
      {R"({"type":"array","items":{"type":"integer"}})", R"(["1",2,"x","null"])",
       R"(facade /v/2: expected integer, found string "x")"},
      {R"({"items":{"type":["integer","null"]}})", R"(["1",2,"null",[]])",
       R"(facade /v/3: expected null or integer, found array [])"},
      {R"({"items":[{"type":"integer"},{"type":"boolean"}]})", R"(["1","true","2"])", R"([1,true,"2"])"},
      {R"({"items":[{"type":"integer"}],"additionalItems":{"type":"null"}})", R"(["1","null"])", "[1,null]"},
      {R"({"properties":{"a":{"properties":{"b":{"type":"integer"},"c":{}}},"d":{"type":"string"}}})",
       R"({"a":{"b":"1","c":"2"},"d":"3","e":"4"})", R"({"a":{"b":1,"c":"2"},"d":"3","e":"4"})"},
      {R"({"additionalProperties":{"items":{"properties":{"n":{"$ref":"#/$defs/n"}}}}})",
       R"({"x":[{"n":"1"},{"m":"2"}],"y":[]})", R"({"x":[{"n":1},{"m":"2"}],"y":[]})"},
      {R"({"anyOf":[{"type":"null"},{"type":"array","items":{"type":"number"}}]})", R"(["1.50"])", "[1.50]"},
      {R"({"$ref":"#/$defs/t"})", R"({"n":"1","next":{"n":"2","next":{"n":"3"}}})",
       R"({"n":1,"next":{"n":2,"next":{"n":3}}})"},
      {R"({"type":"array","items":{"type":"object"}})", R"(["{\"a\":\"1\"}"])", R"([{"a":"1"}])"},
      {R"({"type":"array","items":{"type":"integer"}})", R"("[\"1\", 2]")", "[1,2]"},
      {R"({"type":"array","items":{"type":["string","null"]}})", R"("[\"null\"]")", R"(["null"])"},
      {R"({"type":"array","items":{"type":["string","null"]}})", R"(["null"])", "[null]"},
      {R"({"properties":{"a\"b":{"type":"integer"}}})", R"({"a\u0022b":"1"})", R"({"a\u0022b":1})"},
  };
  for (const Row &row : rows) {
    INFO(row.schema << " " << row.text);
    const std::string schema =
        R"({"$defs":{"n":{"type":"integer"},"t":{"properties":{"n":{"$ref":"#/$defs/n"},"next":{"$ref":"#/$defs/t"}}}},
            "properties":{"v":)" +
        std::string(row.schema) + "}}";
    const std::string_view result = row.expected;
    CHECK(coerced(schema, member(row.text)) == (result.starts_with("facade") ? result : member(row.expected)));
  }
  const std::string nullable = property(R"({"anyOf":[{"type":"string"},{"type":"null"}]})");
  CHECK(coerced(nullable, member(R"("null")")) == member("null"));
  CHECK(coerced(nullable, member(R"("null")"), Strings::quoted) == member(R"("null")"));
  CHECK(coerced(property(R"({"type":["string","array"]})"), member(R"("[1]")")) == member("[1]"));
  CHECK(coerced(property(R"({"type":["string","array"]})"), member(R"("[1")")) == member(R"("[1")"));
  CHECK(coerced(R"({"additionalProperties":{"type":"integer"}})", R"({"x":"1","y":"2"})") == R"({"x":1,"y":2})");
  CHECK(coerced(R"({"$ref":"#/$defs/o","$defs":{"o":{"properties":{"x":{"type":"integer"}}}}})", R"({"x":"1"})") ==
        R"({"x":1})");
  CHECK(coerced(property(R"({"type":"integer"})"), member(R"("abc")")) ==
        R"(/v: expected integer, found string "abc")");
  CHECK(coerced(property(R"({"type":"integer","minimum":5})"), member(R"("3")")) ==
        "/v: expected at least 5, found number 3");
  CHECK(coerced(property(R"({"type":"object"})"), member(R"("a: b")")) ==
        R"(facade /v: expected object, found string "a: b")");
  CHECK(coerced(property(R"({"type":"array","items":{"required":["id"]}})"), member(R"("[{}]")")) ==
        R"(facade /v/0: missing required member "id")");
}

TEST_CASE("checked arguments keep order and spelling, and members that stand twice once") {
  CHECK(coerced("{}", R"( { "z" : 1.0 , "a" : [ 1e2 ] , "z" : 12345678901234567890123 } )") ==
        R"({"z":12345678901234567890123,"a":[1e2]})");
}

TEST_CASE("a schema that cannot be read is an error with the path to it") {
  struct Row {
    const char *schema, *path;
  };
  const Row rows[] = {
      {"3", ""},
      {R"({"type":"date"})", "type"},
      {R"({"type":["string",3]})", "type[1]"},
      {R"({"type":[]})", "type"},
      {R"({"properties":[]})", "properties"},
      {R"({"properties":{"a":{"type":"object","properties":{"b":{"minLength":-1}}}}})",
       "properties.a.properties.b.minLength"},
      {R"({"anyOf":[{},{"enum":{}}]})", "anyOf[1].enum"},
      {R"({"required":true})", "required"},
      {R"({"required":["a",1]})", "required[1]"},
      {R"({"multipleOf":0})", "multipleOf"},
      {R"({"minimum":"1"})", "minimum"},
      {R"({"items":1})", "items"},
      {R"({"$defs":{"x":[]}})", "$defs.x"},
      {R"({"properties":{"a":{"$ref":"#/$defs/none"}}})", "properties.a.$ref"},
      {R"({"properties":{"a":{"$ref":"#/x"}},"x":{"type":0}})", "x.type"},
      {R"({"$ref":"#"})", "$ref"},
      {R"({"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}})",
       "$ref"},
  };
  for (const Row &row : rows) {
    const Status status = schema_error(row.schema);
    INFO(row.schema << " → " << status.message);
    CHECK(status.code == Code::json);
    CHECK(status.path == row.path);
    CHECK(!status.message.empty());
  }
  CHECK(schema_error(R"({"type":"date"})").message.starts_with(R"(found "date", expected null | boolean)"));
}

TEST_CASE("what is not checked is listed, and words that check nothing are not") {
  const Schema schema = schema_of(R"({"title":"t","x-own":1,"type":"object","properties":{
      "a":{"type":"string","pattern":"(a+)+$","format":"email","default":"x"},
      "b":{"prefixItems":[{"type":"string"}],"items":false},
      "c":{"$ref":"https://example.com/schema.json"},
      "d":{"patternProperties":{"^x":{}},"additionalProperties":false},
      "e":{"dependentRequired":{"a":["b"]},"description":"d","examples":[1],"pattern":3}}})");
  CHECK(schema.unchecked() ==
        std::vector<std::string>{"$ref", "dependentRequired", "format", "pattern", "patternProperties", "prefixItems"});
  std::string out;
  ArgumentFault fault;
  CHECK(schema.check(R"({"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!","b":[1,2],"c":{},"d":{"xy":1}})",
                     Strings::strings, out, fault));
}

TEST_CASE("a schema with unchecked keywords does not refuse what only these keywords decide") {
  const auto fault = [](std::string_view schema, std::string_view value) {
    return fault_of(property(schema), member(value));
  };
  CHECK(fault(R"({"oneOf":[{"pattern":"^a"},{"pattern":"^b"}]})", R"("a")") == "");
  CHECK(fault(R"({"oneOf":[{"pattern":"^a"},{"minLength":1},{"maxLength":3}]})", R"("a")") ==
        R"(/v: found "a", which fits more than one of oneOf)");
  CHECK(fault(R"({"oneOf":[{"type":"string","pattern":"^a"},{"type":"null"}]})", "1") ==
        "/v: expected null or string, found number 1");
  CHECK(fault(R"({"not":{"pattern":"^a"}})", R"("b")") == "");
  CHECK(fault(R"({"not":{"type":"string"},"pattern":"^a"})", R"("b")") == R"(/v: found "b", which is ruled out)");
  CHECK(fault(R"({"if":{"pattern":"^a"},"then":false})", R"("b")") == "");
  CHECK(fault(R"({"if":{"type":"string","pattern":"^a"},"else":false})", "1") ==
        "/v: found 1 where nothing is allowed");
  CHECK(fault(R"({"contains":{"type":"string"},"minContains":0})", "[1]") == "");
  CHECK(fault(R"({"contains":{"type":"string"},"minContains":1})", "[1]") != "");
  CHECK(fault_of(R"({"not":{"items":{"$ref":"#/$defs/x"}},"$defs":{"x":{"properties":{"a":{"format":"email"}}}}})",
                 "{}") == "");
}

TEST_CASE("hostile schemas and arguments cost linear time and bounded stack") {
  CHECK(schema_of(R"({"properties":{"p":{"pattern":")" + std::string(50000, '(') + "\"}}}").unchecked().size() == 1);

  std::string chain = R"({"$defs":{)";  // longer than any stack: refused
  for (int i = 0; i < 50000; ++i)
    chain += "\"" + std::to_string(i) + R"(":{"$ref":"#/$defs/)" + std::to_string(i + 1) + R"("},)";
  chain += R"("50000":{}}})";
  CHECK(schema_error(chain).code == Code::json);

  // Each level doubles the number of ways, and none of them fits.
  const char *widgets = R"({"$ref":"#/$defs/w","$defs":{"w":{"anyOf":[
      {"properties":{"c":{"items":{"$ref":"#/$defs/w"}},"kind":{"const":"row"}},"required":["kind"]},
      {"properties":{"c":{"items":{"$ref":"#/$defs/w"}},"kind":{"const":"col"}},"required":["kind"]}]}}})";
  std::string tree = R"({"kind":"none"})";
  for (int i = 0; i < 50; ++i) tree = R"({"c":[)" + tree + R"(],"kind":"col"})";
  const std::string fault = fault_of(widgets, tree);
  CHECK(fault.ends_with(R"(/kind: expected one of "row", "col", found string "none")"));

  std::string doubling = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 100; ++i) {
    const std::string next = R"({"$ref":"#/$defs/)" + std::to_string(i + 1) + "\"}";
    doubling += "\"" + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]},";
  }
  doubling += R"("100":{"properties":{"v":{"type":"null"}}}}})";
  CHECK(fault_of(doubling, member("1")) != "");
  CHECK(coerced(doubling, member(R"("null")")) == member("null"));

  std::string big = "{", items = "[";
  for (int i = 0; i < 100000; ++i) {
    big += (i ? ",\"m" : "\"m") + std::to_string(i) + "\":" + std::to_string(i);
    items += (i ? "," : "") + std::to_string(i);
  }
  big += "}";
  items += "]";
  CHECK(fault_of(R"({"additionalProperties":{"type":"integer"},"propertyNames":{"minLength":2}})", big) == "");
  CHECK(fault_of(property(R"({"uniqueItems":true,"contains":{"const":99999},"items":{"type":"integer"}})"),
                 member(items)) == "");
}

TEST_CASE("a recursive schema follows the arguments until a quarter of a small stack is used") {
  const char *list = R"({"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}},"additionalProperties":false})";
  const auto check = [&](int levels) {
    std::string arguments = R"({"n":"deep"})";
    for (int i = 0; i < levels; ++i) arguments = R"({"next":)" + arguments + "}";
    std::string out;
    ArgumentFault fault;
    CHECK(!schema_of(list).check(arguments, Strings::strings, out, fault));
    return fault;
  };
  std::string pointer;
  for (int i = 0; i < 100; ++i) pointer += "/next";
  CHECK(check(100).pointer == pointer + "/n");
  CHECK(check(5000).message == "found a value that is nested too deeply to be checked");
}

TEST_CASE("null for a parameter that need not be there and may not be null is left out") {
  const std::string nested =
      R"({"o":{"type":"object","properties":{"n":{"type":"integer"},"r":{"type":"integer"}},"required":["r"]}})";
  struct {
    std::string schema, arguments, out;
  } const cases[] = {
      {property(R"({"type":"string"})"), R"({"v":null})", "{}"},
      {property(R"({"type":"string"})"), R"({"v":null,"w":null})", R"({"w":null})"},
      {property(R"({"type":"string"})"), R"({"a":1,"v":null,"w":2})", R"({"a":1,"w":2})"},
      {property(R"({"type":"string"})"), R"({"a":1,"v":null})", R"({"a":1})"},
      {property(R"({"type":"string"})"), R"({"a":"null"})", R"({"a":"null"})"},
      {property(R"({"type":["string","null"]})"), R"({"v":null})", R"({"v":null})"},
      {property(R"({"anyOf":[{"type":"string"},{"type":"null"}]})"), R"({"v":null})", R"({"v":null})"},
      {property(R"({"type":"string","nullable":true})"), R"({"v":null})", R"({"v":null})"},
      {property("{}"), R"({"v":null})", R"({"v":null})"},
      {R"({"properties":{"v":{"type":"string"}},"required":["v"]})", R"({"v":null})",
       "/v: expected string, found null"},
      {"{\"properties\":" + nested + "}", R"({"o":{"n":null,"r":1}})", R"({"o":{"r":1}})"},
      {"{\"properties\":" + nested + "}", R"({"o":{"n":null,"r":null}})", "/o/r: expected integer, found null"},
      {R"({"properties":{"l":{"type":"array","items":{"type":"integer"}}}})", R"({"l":[1,null]})",
       "/l/1: expected integer, found null"},
  };
  for (const auto &one : cases) {
    INFO(one.schema << " " << one.arguments);
    CHECK(coerced(one.schema, one.arguments, Strings::strings) == one.out);
  }
}

TEST_CASE("a tool has the defaults of the most careful reading") {
  const Registry registry = good_registry(R"([{"name":"a"}])");
  const Tool &tool = registry.tools()[0];
  CHECK(tool.parameters == R"({"type":"object","properties":{}})");
  CHECK(tool.permission == Permission::sensitive);
  CHECK(tool.execution == ExecutionApproval::ask_always);
  CHECK(tool.result == ResultApproval::never);
  CHECK(!tool.callable);
  CHECK(!tool.enabled);
  CHECK(!tool.timeout_ms);
}

TEST_CASE("execution approval comes from the level, then the tool, and hints may only tighten it") {
  const auto of = [](std::string_view members) {
    return std::string(to_text(good_registry(R"([{"name":"a",)" + std::string(members) + "}]").tools()[0].execution));
  };
  CHECK(of(R"("permission":"public")") == "auto");
  CHECK(of(R"("permission":"moderate")") == "ask_once");
  CHECK(of(R"("permission":"public","executionApproval":null)") == "auto");
  CHECK(of(R"("permission":"sensitive","executionApproval":"auto")") == "auto");
  CHECK(of(R"("permission":"public","annotations":{"destructiveHint":true})") == "ask_once");
  CHECK(of(R"("permission":"sensitive","annotations":{"destructiveHint":false,"readOnlyHint":true})") == "ask_always");
}

TEST_CASE("every member of a tool is checked and the error says where, what and what else") {
  CHECK(registry_error(R"([{"name":"a","permission":"root"}])") ==
        R"([0].permission: found "root", expected public | moderate | sensitive)");
  CHECK(registry_error(R"([{"name":"a"},{"name":"b","tag":[]}])") == "[1].tag: unknown member; did you mean tags?");
  CHECK(registry_error(R"([3])") == "[0]: found 3, expected an object");
  CHECK(registry_error("{}") == ": found {}, expected an array of tools");
  CHECK(registry_error(R"([{"name":""}])").starts_with("[0].name: found \"\", expected a name"));
  CHECK(registry_error(R"([{"name":"a\nb"}])").starts_with("[0].name"));
  CHECK(registry_error(R"([{"description":"d"}])") == "[0]: found neither, expected name, or toolId and method");
  CHECK(registry_error(R"([{"name":"a","toolId":"x","method":"y"}])").starts_with("[0]: found name beside toolId"));
  CHECK(registry_error(R"([{"toolId":"x"}])").starts_with("[0]: found toolId alone"));
  CHECK(registry_error(R"([{"name":"a","tags":["x",1]}])") == "[0].tags[1]: found 1, expected a string");
  CHECK(registry_error(R"([{"name":"a","timeoutMs":-1}])").starts_with("[0].timeoutMs: found -1, expected a whole"));
  CHECK(registry_error(R"([{"name":"a","agentCallable":"yes"}])") ==
        "[0].agentCallable: found \"yes\", expected true | false");
  CHECK(registry_error(R"([{"name":"a","parameters":{"properties":{"p":{"type":"date"}}}}])")
            .starts_with("[0].parameters.properties.p.type: found \"date\""));
  CHECK(registry_error(R"([{"name":"a","annotations":{"readonlyHint":true}}])") ==
        "[0].annotations.readonlyHint: unknown member; did you mean readOnlyHint?");
  CHECK(registry_error(R"([{"name":"a","ipc":{"payload":[]}}])").starts_with("[0].ipc.channel"));
  CHECK(registry_error(R"([{"name":"a","ipc":{"channel":"c","payload":[1,{"arg":"x"}]}}])")
            .starts_with("[0].ipc.payload[1].arg: found \"x\""));
  CHECK(registry_error(R"([{"name":"a"},{"name":"a"}])") == R"([1].name: the name "a" is taken by tools[0].name)");
  CHECK(registry_error(R"([{"name":"a","aliases":["b"]},{"name":"c","aliases":["b"]}])") ==
        R"([1].aliases: the name "b" is taken by tools[0].aliases)");
  CHECK(good_registry(R"([{"name":"a","x-note":[1]}])").tools().size() == 1);
}

TEST_CASE("an ipc payload holds arguments by name and literals as they are") {
  const Registry registry = good_registry(R"([{"name":"e","parameters":{"properties":{"name":{}}},
      "ipc":{"channel":"live2d:expression","payload":[{"arg":"name"}, { "arg":"name", "b":1 }, "x", null]}}])");
  const Ipc &ipc = *registry.tools()[0].ipc;
  CHECK(ipc.channel == "live2d:expression");
  REQUIRE(ipc.payload.size() == 4);
  CHECK(ipc.payload[0].argument);
  CHECK(ipc.payload[0].text == "name");
  CHECK(!ipc.payload[1].argument);
  CHECK(ipc.payload[1].text == R"({"arg":"name","b":1})");
  CHECK(ipc.payload[2].text == "\"x\"");
}

TEST_CASE("tools are found by every name a model may write, and by nothing else") {
  const Registry registry = good_registry(R"([{"name":"file.write","aliases":["fs.write"],"vcpCommand":"FileWrite"},
      {"toolId":"file","method":"read","parameters":{"properties":{"path":{}}}},{"name":"获取"}])");
  const auto name = [&](std::string_view asked) {
    const Tool *tool = registry.find(asked);
    return tool ? tool->name : "";
  };
  for (const char *asked : {"file.write", "fs.write", "FileWrite", "file_write", "functions.file.write",
                            "default_api:file.write", " `file.write`\n", "\"functions.file_write\"", "`fs.write`"})
    CHECK(name(asked) == "file.write");
  CHECK(name("file_read") == "file_read");
  CHECK(name("__") == "获取");
  for (const char *asked : {"", " ", "file", "__proto__", "constructor", "toString", "file.writ", "functions."})
    CHECK(name(asked) == "");
  CHECK(registry.declares("functions.file_read", "path"));
  CHECK(!registry.declares("file_read", "paths"));
  CHECK(!registry.known("nothing"));
  CHECK(!registry.declares("nothing", "path"));
  CHECK(registry.text_parameter("nothing").empty());
}

TEST_CASE("wire names are legal, unique and stay where a name is legal already") {
  const std::string longer(70, 'x');
  const Registry registry =
      good_registry(R"([{"name":"a.b"},{"name":"a_b"},{"name":"a b"},{"name":"c","aliases":["d_e"]},
      {"name":"d.e"},{"name":")" +
                    longer + R"("},{"name":")" + longer + R"(y"}])");
  std::map<std::string, std::string> wire;
  for (const ToolOffer &offer : registry.offers()) wire[std::string(offer.name)] = offer.wire_name;
  CHECK(wire["a_b"] == "a_b");
  CHECK(wire["a b"] == "a_b_2");
  CHECK(wire["a.b"] == "a_b_3");
  CHECK(wire["d.e"] == "d_e_2");
  CHECK(wire[longer] == std::string(64, 'x'));
  CHECK(wire[longer + "y"] == std::string(62, 'x') + "_2");
  for (const auto &[name, wired] : wire) CHECK(registry.find(wired)->name == name);
}

TEST_CASE("the hash of a definition follows what a person was shown, not how it was spelled") {
  const auto hash = [](std::string_view members) {
    return good_registry(R"([{"name":"a",)" + std::string(members) + "}]").tools()[0].definition_hash;
  };
  const std::string base = hash(R"("description":"d","parameters":{"type":"object","title":"t"})");
  CHECK(base.size() == 64);
  CHECK(base ==
        hash(R"("parameters":{"title":"t" ,"type":"object"},"description":"d","tags":["x"],"agentCallable":true)"));
  CHECK(base != hash(R"("description":"e","parameters":{"type":"object","title":"t"})"));
  CHECK(base != hash(R"("description":"d","parameters":{"type":"object","title":"u"})"));
  CHECK(base != hash(R"("description":"d","parameters":{"type":"object","title":"t"},"permission":"public")"));
}

TEST_CASE("only callable tools that are switched on are exposed, and the list says why others are not") {
  const Registry registry = good_registry(R"([{"name":"b","agentCallable":true,"tags":["t"],
        "parameters":{"properties":{"p":{"pattern":"x"}}}},
      {"name":"a","agentCallable":true,"enabled":false},{"name":"c","ipc":{"channel":"x"}},
      {"toolId":"f","method":"w","agentCallable":true},{"toolId":"f","method":"r","agentCallable":true}])");
  Exposure exposure;
  const auto names = [&](std::string_view tag = {}) {
    std::string out;
    for (const Tool *tool : exposed_tools(registry, exposure, tag)) out += tool->name + " ";
    return out;
  };
  CHECK(names() == "b f_r f_w ");
  CHECK(names("t") == "b ");
  const std::string before = listed(registry, exposure);
  const auto list = nlohmann::ordered_json::parse(before);
  CHECK(before == listed(registry, exposure));
  CHECK(list["hash"].get<std::string>().size() == 64);
  CHECK(list["tools"][0].dump() ==
        R"({"name":"a","wireName":"a","exposed":false,"reason":"disabled","estimatedTokens":10})");
  CHECK(list["tools"][1]["unchecked"].dump() == R"(["pattern"])");
  CHECK(list["tools"][2]["reason"] == "not_callable");
  CHECK(list["tools"][2]["ipc"] == true);
  exposure.toggles = {{"f", false}, {"f_w", true}, {"a", true}, {"c", true}};
  CHECK(names() == "a b f_w ");
  CHECK(nlohmann::json::parse(listed(registry, exposure))["hash"].dump() != list["hash"].dump());
  exposure.default_enabled = false;
  CHECK(names() == "a f_w ");
  exposure.enabled = false;
  CHECK(names() == "");
}

TEST_CASE("macros expand in place and everything else in braces stays") {
  const Registry registry = good_registry(R"([{"name":"b","agentCallable":true,"tags":["x y"]},
      {"name":"c","description":"{{tools}}","agentCallable":true}])");
  std::shared_ptr<const Protocol> protocol;
  REQUIRE(make_protocol("\"vcp\"", protocol).ok());
  const Protocols active = {protocol};
  const auto expanded = [&](std::string_view text) {
    bool found = false;
    const std::string out = expand_macros(
        text, [&](std::string_view tag) { return render_tools(registry, {}, active, tag); }, found);
    return (found ? "+" : "-") + out;
  };
  const std::string all = render_tools(registry, {}, active);
  const std::string tagged = render_tools(registry, {}, active, "x y");
  CHECK(all != tagged);
  CHECK(!tagged.empty());
  CHECK(expanded("a {{tools}} z") == "+a " + all + " z");
  CHECK(expanded("{{tools::x y}}{{tools::none}}|") == "+" + tagged + "|");
  for (const char *text : {"", "{{ tools }}", "{{tool}}", "{{tools", "{{tools}", "{{tools::}}", "{{tools:x}}",
                           "{{Tools}}", "{{tools::a{b}}", "{{tools::a\nb}}"})
    CHECK(expanded(text) == std::string("-") + text);
  CHECK(expanded("{{{tools}}}") == "+{" + all + "}");
  CHECK(expanded("{{tools{{tools}}") == "+{{tools" + all);
  CHECK(render_tools(registry, {}, active, "none") == "");
}

TEST_CASE("the three nearest exposed names are told, the nearest first") {
  const Registry registry = good_registry(R"([{"name":"weather.now","agentCallable":true},
      {"name":"weather.week","agentCallable":true},{"name":"file.write","agentCallable":true,"aliases":["save"]},
      {"name":"weather.secret"},{"name":"live2d.expression","agentCallable":true}])");
  using Names = std::vector<std::string>;
  CHECK(nearest_names(registry, {}, "weather_now") == Names{"weather.now", "weather.week"});
  CHECK(nearest_names(registry, {}, "Weather:now").front() == "weather.now");
  CHECK(nearest_names(registry, {}, "get_weather") == Names{"weather.now", "weather.week"});
  CHECK(nearest_names(registry, {}, "Expression").front() == "live2d.expression");
  CHECK(nearest_names(registry, {}, "sav").front() == "file.write");
  CHECK(nearest_names(registry, {}, "zzz").size() == 3);
  CHECK(nearest_names(registry, {}, std::string(100000, 'w')).size() == 3);
  CHECK(nearest_names(good_registry("[]"), {}, "zzz") == Names{});
}

TEST_CASE("tokens are estimated by bytes of ASCII and by other code points") {
  CHECK(estimate_tokens("") == 0);
  CHECK(estimate_tokens("abcd") == 1);
  CHECK(estimate_tokens("abcde") == 2);
  CHECK(estimate_tokens("你好a") == 3);
}

TEST_CASE("deny comes before ask and ask before allow, and no rule lets an ask_always tool run") {
  const Registry registry = good_registry(R"([{"name":"always"},{"name":"once","permission":"moderate"},
      {"name":"open","permission":"public"}])");
  const auto rule = [](std::string_view text) {
    Rule out;
    REQUIRE(check_json(text, 16).ok());
    const Status status = read_rule(text, out);
    INFO(status.path << status.message);
    REQUIRE(status.ok());
    return out;
  };
  const auto gate = [&](std::string_view tool, const std::vector<Rule> &rules, bool confirm = false) {
    const Verdict out = execution_gate(*registry.find(tool), R"({"a":1})", rules, confirm);
    static constexpr std::string_view kWays[] = {"run", "ask", "deny"};
    return std::string(kWays[static_cast<int>(out.way)]) + " " + std::string(out.by) + " " +
           std::string(to_text(out.policy));
  };
  const Rule allow = rule(R"({"tool":"*","effect":"allow"})");
  const Rule ask = rule(R"({"tool":"o*","effect":"ask","scope":"session"})");
  const Rule deny = rule(R"({"tool":"once","effect":"deny"})");
  CHECK(gate("open", {}) == "run policy auto");
  CHECK(gate("once", {}) == "ask policy ask_once");
  CHECK(gate("always", {}) == "ask policy ask_always");
  CHECK(gate("once", {allow}) == "run rule ask_once");
  CHECK(gate("always", {allow}) == "ask policy ask_always");
  CHECK(gate("open", {allow, ask}) == "ask rule ask_always");
  CHECK(gate("once", {allow, ask, deny}) == "deny rule ask_once");
  CHECK(gate("open", {}, true) == "ask policy ask_once");
  CHECK(gate("open", {allow}, true) == "run rule ask_once");
  CHECK(gate("once", {rule(R"({"tool":"once","effect":"allow","arguments":{ "a" : 1 }})")}) == "run rule ask_once");
  CHECK(gate("once", {rule(R"({"tool":"once","effect":"allow","arguments":{"a":2}})")}) == "ask policy ask_once");
  CHECK(gate("once", {rule(R"({"tool":"onc","effect":"allow"})")}) == "ask policy ask_once");
  CHECK(gate("once", {rule(R"({"tool":"once","effect":"allow","definition":"0123"})")}) == "ask policy ask_once");
  CHECK(gate("once", {rule(R"({"tool":"once","effect":"allow","definition":")" +
                           registry.find("once")->definition_hash + "\"}")}) == "run rule ask_once");
}

TEST_CASE("numbers that no double holds are in a rule what most readers of JSON make of them") {
  const Registry registry = good_registry(R"([{"name":"open","permission":"public"}])");
  const auto refuses = [&](std::string_view ruled, std::string_view called) {
    Rule rule;
    REQUIRE(read_rule(R"({"tool":"open","effect":"deny","arguments":{"n":)" + std::string(ruled) + "}}", rule).ok());
    const std::string arguments = canonical_json(R"({"n":)" + std::string(called) + "}");
    return execution_gate(*registry.find("open"), arguments, {rule}, false).way == Verdict::Way::deny;
  };
  CHECK(refuses("1e999", "2e999"));
  CHECK(refuses("-1e999", "-2e999"));
  CHECK(refuses("1e-999", "0"));
  CHECK(refuses("0", "-0"));
  CHECK_FALSE(refuses("1e999", "-1e999"));
  CHECK_FALSE(refuses("1e999", "1e99"));
}

TEST_CASE("rules that refuse read the numbers of a call once, however many they are") {
  const Registry registry = good_registry(R"([{"name":"open","permission":"public"}])");
  Rule rule;
  REQUIRE(read_rule(R"({"tool":"open","effect":"deny","arguments":{"n":[]}})", rule).ok());
  std::vector<Rule> rules(50000, rule);
  std::string many = R"({"n":[1.5)";
  for (int i = 0; i < 100000; ++i) many += ",1.5";
  CHECK(execution_gate(*registry.find("open"), canonical_json(many + "]}"), rules, false).way == Verdict::Way::run);
  REQUIRE(read_rule(R"({"tool":"open","effect":"deny","arguments":)" + many + "0]}}", rule).ok());
  rules.push_back(rule);
  CHECK(execution_gate(*registry.find("open"), canonical_json(many + "]}"), rules, false).way == Verdict::Way::deny);
}

TEST_CASE("a rule is written as it is read, and a rule that does not say what it does is an error") {
  const char *text = R"({"tool":"f\"*","effect":"deny","scope":"turn","arguments":{"a":1e2,"b":[]},"definition":"ff"})";
  Rule rule;
  REQUIRE(read_rule(text, rule).ok());
  std::string out;
  write_rule(rule, out);
  CHECK(out == text);
  REQUIRE(read_rule(R"({"x-a":1,"tool":"a","effect":"allow"})", rule).ok());
  out.clear();
  write_rule(rule, out);
  CHECK(out == R"({"tool":"a","effect":"allow","scope":"always"})");
  const auto path = [](std::string_view json) {
    Rule ignored;
    const Status status = read_rule(json, ignored);
    CHECK(status.code == Code::json);
    return status.path;
  };
  CHECK(path(R"({"tool":"a"})") == "effect");
  CHECK(path(R"({"effect":"allow"})") == "tool");
  CHECK(path(R"({"tool":"a","effect":"permit"})") == "effect");
  CHECK(path(R"({"tool":"a","effect":"allow","scope":"once"})") == "scope");
  CHECK(path(R"({"tool":"a","effect":"allow","arguments":"{}"})") == "arguments");
  CHECK(path(R"({"tool":"a","effect":"allow","args":{}})") == "args");
}

TEST_CASE("a digest binds tool, arguments and definition") {
  const Registry registry = good_registry(R"([{"name":"a"},{"name":"b"}])");
  const std::string digest = approval_digest(*registry.find("a"), "{}");
  CHECK(digest.size() == 64);
  CHECK(digest != approval_digest(*registry.find("b"), "{}"));
  CHECK(digest != approval_digest(*registry.find("a"), R"({"x":1})"));
}
