// The YAML that models write as arguments: what it comes to as JSON, and what is refused.
#include "protocol/family/yaml_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

using namespace sluice;

namespace {

// One tool with one parameter that is text, whatever it looks like.
struct OneText : ToolView {
  bool known(std::string_view) const override { return true; }
  bool declares(std::string_view, std::string_view parameter) const override { return parameter == "text"; }
  std::string text_parameter(std::string_view) const override { return "text"; }
  List takes_list(std::string_view, std::string_view) const override { return List::no; }
  std::vector<std::string_view> names() const override { return {"t"}; }
};

struct Read {
  const char *yaml, *json;
};

std::string read(std::string_view yaml, size_t depth = 16) {
  std::string out;
  switch (json_from_yaml(yaml, depth, OneText(), "t", out)) {
    case YamlFault::none: return out;
    case YamlFault::duplicate: return "duplicate";
    default: return "malformed";
  }
}

}  // namespace

TEST_CASE("a mapping of YAML with lists and scalars comes to the same in JSON") {
  const Read kRead[] = {
      {"", "{}"},
      {"# nothing\n\n", "{}"},
      {"---\na: 1\n", R"({"a":1})"},
      {"a: 1\r\nb: x\r\n", R"({"a":1,"b":"x"})"},
      {"a:\nb: ~\nc: null\nd: Null\ne: NULL\n", R"({"a":null,"b":null,"c":null,"d":null,"e":null})"},
      {"a: true\nb: True\nc: TRUE\nd: false\ne: False\nf: FALSE\n",
       R"({"a":true,"b":true,"c":true,"d":false,"e":false,"f":false})"},
      {"a: -1.5e3\nb: 007\nc: 1.2.3\n", R"({"a":-1.5e3,"b":"007","c":"1.2.3"})"},
      {"text: true\n", R"({"text":"true"})"},
      {"text: 12\n", R"({"text":"12"})"},
      {"a:\n  text: 12\n", R"({"a":{"text":12}})"},
      {"a:\n  b:\n    c: x\nd: y\n", R"({"a":{"b":{"c":"x"}},"d":"y"})"},
      {"a:\n  - 1\n  - x: 2\n    y: 3\n  -\n  - - 4\n    - 5\nb: 6\n", R"({"a":[1,{"x":2,"y":3},null,[4,5]],"b":6})"},
      {"a:\n- 1\n- 2\nb: 3\n", R"({"a":[1,2],"b":3})"},
      {"a:\n  -  # on the next line\n    x: 1\n  - y: 2\n", R"({"a":[{"x":1},{"y":2}]})"},
      {"a:\n  on the next line\nb: 1\n", R"({"a":"on the next line","b":1})"},
      {"a:  # nothing\nb: 1 # one\n", R"({"a":null,"b":1})"},
      {"a:\n  - b:\n      - 1\n  - 2\n", R"({"a":[{"b":[1]},2]})"},
      {"a: one\n  two\n\n  three\nb: x\n", R"({"a":"one two\nthree","b":"x"})"},
      {"\"a b\": 1\n'c': 2\n\"d\" : 3\n", R"({"a b":1,"c":2,"d":3})"},
      {"a:b: 1\n", R"({"a:b":1})"},
      {"a: \"x\\n\\u00e9\" # end\n", R"({"a":"x\n\u00e9"})"},
      {"a: 'it''s' \nb: ''\n", R"({"a":"it's","b":""})"},
      {"a: @home\nb: `x`\nc: %d\nd: *x\n", R"({"a":"@home","b":"`x`","c":"%d","d":"*x"})"},
      {"a: [1, \"x\",\n  {\"b\": 2}] # list\n", R"({"a":[1,"x",{"b":2}]})"},
      {"a: {b: c}\n", R"({"a":{"b":"c"}})"},
      {"a:\n  \"k\": 1\n", R"({"a":{"k":1}})"},
  };
  for (const auto &[yaml, json] : kRead) {
    INFO(yaml);
    CHECK(read(yaml) == json);
  }
}

TEST_CASE("block scalars keep their lines, or fold them, and end as their header says") {
  const Read kRead[] = {
      {"a: |\n  one\n   two\n\n  three\nb: 1\n", R"({"a":"one\n two\n\nthree\n","b":1})"},
      {"a: |-\n  one\n  two\n\nb: 1\n", R"({"a":"one\ntwo","b":1})"},
      {"a: |+\n  one\n\nb: 1\n", R"({"a":"one\n\n","b":1})"},
      {"a: >\n  one\n  two\n\n  three\n    more\n  four\nb: 1\n", R"({"a":"one two\nthree\n  more\nfour\n","b":1})"},
      {"a: >-\n  one\n  \ttab\n", R"({"a":"one\n\ttab"})"},
      {"a: |2 # indented\n    one\n  two\n", R"({"a":"  one\ntwo\n"})"},
      {"a: |\nb: 1\n", R"({"a":"","b":1})"},
      {"a: |\n  one\n \nb: 1\n", R"({"a":"one\n","b":1})"},
  };
  for (const auto &[yaml, json] : kRead) {
    INFO(yaml);
    CHECK(read(yaml) == json);
  }
}

TEST_CASE("what is no YAML, or could mean two things, is refused") {
  for (const char *yaml : {"- 1\n",
                           "a\n",
                           "a: b: c\n d: e\n",
                           "a: 1\n  b: 2\n",
                           "\ta: 1\n",
                           "a:\n  b: 1\n c: 2\n",
                           "a: \"open\n",
                           "a: 'open\n",
                           "a: 'x' y\n",
                           "a: \"x\" y\n",
                           "a: [1\n",
                           "a: [1] x\n",
                           "a: [1, {]\n",
                           "a: &anchor x\n",
                           "a: !tag x\n",
                           "a: - x\n",
                           "a: issue #3\n",
                           "a: |x\n  one\n",
                           "a: |++\n  one\n",
                           "a: |\n  one\n  cut",
                           "a: |4\n   one\n",
                           "a: one\n  - two\n",
                           "a: one\n  # two\n",
                           "a: one\n  b: two\n",
                           "a: one\n  two # three\n",
                           "\"a: 1\n",
                           "\"a\" 1\n",
                           "\"a\":1\n",
                           "[a]: 1\n",
                           ": 1\n",
                           "a #b: 1\n",
                           "a:\n  - 1\n  b: 2\n"}) {
    INFO(yaml);
    CHECK(read(yaml) == "malformed");
  }
  CHECK(read("a: 1\na: 2\n") == "duplicate");
  CHECK(read("a:\n  b: 1\n  \"b\": 2\n") == "duplicate");
  CHECK(read("a:\n  b:\n    c: 1\n", 2) == "malformed");
  CHECK(read("a:\n  - - - 1\n", 3) == "malformed");
  CHECK(read("a: [[1]]\n", 2) == "malformed");
}
