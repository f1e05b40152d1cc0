#include "protocol/loose_json.h"

#include <catch2/catch.hpp>

#include "base/json.h"

using namespace sluice;

namespace {

std::string literal(std::string_view text, size_t depth = 8) {
  std::string json;
  return json_from_literal(text, depth, json) ? json : "none";
}

// Feeds the text byte by byte; returns where the value that begins with the first byte ends, or 0.
size_t value_end(const std::string &text, bool triple) {
  ValueEnd value;
  value.start(0, triple);
  for (size_t length = 1; length <= text.size(); ++length)
    if (const size_t end = value.find(std::string_view(text).substr(0, length)); end != std::string_view::npos)
      return end;
  return 0;
}

}  // namespace

TEST_CASE("JSON is its own literal, as it was written") {
  for (const char *text :
       {"{\"a\": [1, 2.50, 1e999]}", "\"\\u00e9\\/\"", "null", "123456789012345678901234567890", "[]"})
    CHECK(literal(text) == text);
  CHECK(literal(" \n{ } \t") == "{ }");
}

TEST_CASE("Python's literals become JSON") {
  const std::pair<const char *, const char *> table[] = {
      {"True", "true"},
      {"[True, False, None, true, null]", "[true,false,null,true,null]"},
      {"{'a': 'b'}", "{\"a\":\"b\"}"},
      {"{'a': \"it's\", \"b\": 'say \"x\"'}", "{\"a\":\"it's\",\"b\":\"say \\\"x\\\"\"}"},
      {"{1: 2, -1.5: 3, 0x10: 4}", "{\"1\":2,\"-1.5\":3,\"16\":4}"},
      {"{'a': {}, 'b': [], 'c': (),}", "{\"a\":{},\"b\":[],\"c\":[]}"},
      {"(1, 2)", "[1,2]"},
      {"(1,)", "[1]"},
      {"(1)", "1"},
      {"[('a'), (), ((2,),)]", "[ \"a\",[],[[2]]]"},
      {"[1,\f\v\n]", "[1]"},
      // -- strings
      {"''", "\"\""},
      {"'a\\nb\\t\\\\ \\' \\\" \\/'", R"("a\nb\t\\ ' \" /")"},
      {"'\\a\\b\\f\\v\\r'", "\"\\u0007\\u0008\\u000c\\u000b\\r\""},
      {"'\\0\\101\\1018'", "\"\\u0000AA8\""},
      {"'\\x41\\xe9\\u4f60\\U0001F600'", "\"Aé你😀\""},
      {"'\\ud83d\\ude00'", "\"\\ud83d\\ude00\""},
      {"'\\d \\. \\%'", R"("\\d \\. \\%")"},
      {"\"C:\\dir\"", R"("C:\\dir")"},
      {"'a\\\nb\\\r\nc'", "\"abc\""},
      {"\"line\nline\ttab\x01\"", "\"line\\nline\\ttab\\u0001\""},
      {"'你好'", "\"你好\""},
      {"r'\\d\\'x'", R"("\\d\\'x")"},
      {"[u'a', R\"b\"]", "[\"a\",\"b\"]"},
      {"'''it's \"so\"\n'''", "\"it's \\\"so\\\"\\n\""},
      {"\"\"\"a\"b\"\" c\"\"\"", "\"a\\\"b\\\"\\\" c\""},
      {"['', \"\", '''''']", "[\"\",\"\",\"\"]"},
      // -- comments of JSON5
      {"// c\n1", "1"},
      {"{/*/ a */ \"a\" // b\n: /**/ 1 /* } */, // c\n}", "{\"a\":1}"},
      // -- numbers
      {"+1", "1"},
      {"1_000_000", "1000000"},
      {"0xFF", "255"},
      {"-0x1f", "-31"},
      {"0o17", "15"},
      {"0b101", "5"},
      {"0xffff_ffff_ffff_ffff", "18446744073709551615"},
      {"1.", "1.0"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"1.e5", "1.0e5"},
      {"1_0.2_5E-0_3", "10.25E-03"},
      {"00", "0"},
      {"007.5", "7.5"},
      {"[123456789012345678901234567890,]", "[123456789012345678901234567890]"},
  };
  for (const auto &[text, json] : table) {
    INFO(text);
    CHECK(literal(text) == json);
    CHECK(check_json(literal(text), 8).ok());
  }
}

TEST_CASE("what is broken is no literal") {
  for (const char *text : {"",
                           " ",
                           "'",
                           "'a",
                           "'a\\",
                           "'''a''",
                           "r'\\",
                           "[1",
                           "[1 2]",
                           "[1,,2]",
                           "[,]",
                           "(,)",
                           "{,}",
                           "{'a'}",
                           "{'a':}",
                           "{'a': 1",
                           "{'a' 1}",
                           "{a: 1}",
                           "{None: 1}",
                           "{1, 2}",
                           "{(1): 2}",
                           "[1)",
                           "(1]",
                           "{'a': 1]",
                           "1 2",
                           "'a' 'b'",
                           "'a'b",
                           "b'a'",
                           "f'a'",
                           "ur'a'",
                           "nan",
                           "NaN",
                           "inf",
                           "Infinity",
                           "-inf",
                           "True1",
                           "truely",
                           "007",
                           "1__0",
                           "1_",
                           "_1",
                           "0x",
                           "0x_",
                           "0xg",
                           "0x1_",
                           "0b2",
                           "1e",
                           "1e+",
                           ".",
                           "-",
                           "+-1",
                           "--1",
                           "- 1",
                           "1j",
                           "1.2.3",
                           "1 + 1",
                           "f()",
                           "'\\x4'",
                           "'\\u12'",
                           "'\\xg0'",
                           "'\\U00110000'",
                           "'\\N{DASH}'",
                           "\"\\u12g4\"",
                           "undefined",
                           "0x10000000000000000",
                           "/ c\n1",
                           "// c",
                           "/* c",
                           "/*/ 1",
                           "'\xff'",
                           "[1] x"}) {
    INFO(text);
    CHECK(literal(text) == "none");
  }
}

TEST_CASE("literals deeper than the limit are broken") {
  CHECK(literal("[('a',)]", 2) == "[[\"a\"]]");
  CHECK(literal("[({},)]", 2) == "none");
  CHECK(literal("((((1))))", 3) == "none");
  CHECK(literal(std::string(5000000, '('), 128) == "none");
}

TEST_CASE("a value ends with its last bracket or quote") {
  for (const bool triple : {false, true}) {
    CHECK(value_end("{\"a\": '}', \"b\": [\")\"]} ", triple) == 22);
    CHECK(value_end("\"a\\\"b\" ", triple) == 6);
    CHECK(value_end("\"\" ", triple) == 2);
    CHECK(value_end("(\"\",'') ", triple) == 7);
    CHECK(value_end("[1, 2", triple) == 0);
    CHECK(value_end("'a", triple) == 0);
  }
  CHECK(value_end("('''it's ) \\''' ''', 1) ", true) == 23);
  CHECK(value_end("\"\"\"a\"\"b\"\"\" ", true) == 10);
}

TEST_CASE("arguments are an object, a string that holds one, or nothing") {
  std::vector<BlockReader::Note> notes;
  const auto settled = [&notes](std::string_view text, bool first = false, bool strict = false) {
    ParsedCall call;
    notes.clear();
    settle_arguments(call, text, {8, first, strict}, 5, notes);
    return call.reason.empty() ? call.arguments : std::string(call.reason);
  };
  for (const char *text : {"", " \n", "{}", "null", "None", "\"\"", "\" \"", "'{}'"}) CHECK(settled(text) == "{}");
  CHECK(settled(" {'a': True, 'a': 2, 'a': 3} ") == "{\"a\":3}");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].detail == "a");
  CHECK(notes[0].at == 5);
  CHECK(settled("\"{'a': True, 'b': 1, 'a': 2}\"", true) == "{\"a\":true,\"b\":1}");
  CHECK(settled("{'a': 1}", false, true) == "invalid_json");
  CHECK(settled("\"{'a': 1}\"", false, true) == "invalid_json");
  CHECK(settled(" {\"a\": 1} ", false, true) == "{\"a\":1}");
  CHECK(settled("\"{\\\"a\\\": 1}\"") == "{\"a\":1}");
  CHECK(settled("{\"a\": 1") == "invalid_json");
  CHECK(settled("\"{\"") == "invalid_json");
  CHECK(settled("[1]") == "arguments_not_object");
  CHECK(settled("\"[]\"") == "arguments_not_object");
}
