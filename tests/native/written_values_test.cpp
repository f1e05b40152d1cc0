// Values as models write them, where no table of its own has them: JSON without quotes, Python, YAML, XML.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "protocol/family/word_json.h"
#include "protocol/family/yaml_text.h"
#include "protocol/loose_json.h"
#include "protocol/xml_text.h"

using namespace sluice;

namespace {

struct Row {
  const char *written, *meant;
};

struct OneText : ToolView {
  bool known(std::string_view) const override { return true; }
  bool declares(std::string_view, std::string_view parameter) const override { return parameter == "text"; }
  std::string text_parameter(std::string_view) const override { return "text"; }
  List takes_list(std::string_view, std::string_view) const override { return List::no; }
  std::vector<std::string_view> names() const override { return {"t"}; }
};

std::string words(std::string_view text, std::string_view quote) {
  std::string out;
  return json_from_words(text, quote, 8, out) ? out : "none";
}

std::string yaml(std::string_view text, size_t depth) {
  std::string out;
  return json_from_yaml(text, depth, OneText(), "t", out) == YamlFault::none ? out : "malformed";
}

}  // namespace

TEST_CASE("words without quotes are texts, and a quote that is missing ends where its text must end") {
  const Row rows[] = {
      {"{a:-}", R"~({"a":"-"})~"},
      {"{a:True,b:False,c:None}", R"~({"a":true,"b":false,"c":null})~"},
      {"}", "none"},
      {"{a:}", "none"},
      {R"~({a:<q>x<q> "b":1})~", R"~({"a":"x","b":1})~"},
      {"{a:<q>x<q> 'b':1}", R"~({"a":"x","b":1})~"},
      {"{a:(1)}", R"~({"a":"(1)"})~"},
      {"(a=1,b=(2))", "none"},
      {"(a={b:c},d=[e])", R"~({"a":{"b":"c"},"d":["e"]})~"},
      {"(a={b:c)})", R"~({"a":{"b":"c)"}})~"},
      {R"~({"a)~", "none"},
      {R"~({"a":"\x"})~", "none"},
      {"{abc", "none"},
      {"{:1}", "none"},
      {"{a:<q>x}", "none"},
      {R"~({a:"x})~", "none"},
      {R"~({"\q":1})~", R"~({"\\q":1})~"},
      {"{a:hello <q>,b:1}", R"~({"a":"hello","b":1})~"},
      {"{a:x[1]y<q>}", R"~({"a":"x[1]y"})~"},
      {"{a:x{1}y<q>}", R"~({"a":"x{1}y"})~"},
      {"(a=x)y<q>)", "none"},
      {"(a=x)", R"~({"a":"x"})~"},
      {"{a:,x<q>}", R"~({"a":",x"})~"},
      {"{a:x]y<q>}", "none"},
      {"[x,y<q>]", "none"},
      {"{a:1,b:x<q>}", R"~({"a":1,"b":"x"})~"},
      {"{a:x", "none"},
      {"{a:,b:1}", "none"},
      {R"~({a:x"y})~", "none"},
      {"{a:x b:1}", "none"},
      {"{a:x:1}", R"~({"a":"x:1"})~"},
      {"{a:x,y}z<q>}", "none"},
      {"{a:)x<q>}", R"~({"a":")x"})~"},
      {"{a:[b)]}", R"~({"a":["b)"]})~"},
      {"(a=b,c=x,d<q>)", "none"},
      {R"~({"a":1)~", "none"},
      {R"~({a:x"y<q>})~", R"~({"a":"x\"y"})~"},
      {"{1:2}", R"~({"1":2})~"},
      {"{a:.5,b:1.,c:-}", R"~({"a":0.5,"b":1.0,"c":"-"})~"},
      {"{a b:1}", R"~({"a b":1})~"},
  };
  for (const auto &[written, meant] : rows) {
    INFO(written);
    CHECK(words(written, "<q>") == meant);
  }
}

TEST_CASE("a format without a quote of its own has words as well") {
  const Row rows[] = {
      {"(a=1)", R"~("(a=1)")~"},
      {"{a:1)}", R"~({"a":"1)"})~"},
      {"{a:b,c:[d]}", R"~({"a":"b","c":["d"]})~"},
      {"[1", "none"},
      {"{'a':1}", R"~({"a":1})~"},
      {"{a:x", "none"},
  };
  for (const auto &[written, meant] : rows) {
    INFO(written);
    CHECK(words(written, {}) == meant);
  }
}

TEST_CASE("YAML that breaks off, or is indented otherwise, is malformed") {
  const Row rows[] = {
      {"'a b': 1\n", R"~({"a b":1})~"},
      {"a:\n  - 'x'\n  - \"y\n", "malformed"},
      {"a:\n  - \"k\": 1\n", R"~({"a":[{"k":1}]})~"},
      {"? a\n", "malformed"},
      {"a:\n  \"k\" x\n", "malformed"},
      {"a:\n   b\n  c: 1\n", "malformed"},
      {"a:\n  - 1\n c: 2\n", "malformed"},
      {"a:\n  - b:\n   - 1\n", "malformed"},
      {"\"\\q\": 1\n", R"~({"\\q":1})~"},
      {"\"a\"", "malformed"},
      {"\"a", "malformed"},
      {"a: |22\n   x\n", "malformed"},
      {"a: |\n  x\n \n", R"~({"a":"x\n"})~"},
      {"a: |\n  x\n y\n", "malformed"},
      {"a: >\n\n  x\n", R"~({"a":"\nx\n"})~"},
      {"a: \"\\q\"\n", R"~({"a":"\\q"})~"},
      {"a: \"x\n", "malformed"},
      {"a:\n  - |\n    x\n", R"~({"a":["x\n"]})~"},
      {"a: {b: {c: 1}}\n", R"~({"a":{"b":{"c":1}}})~"},
  };
  for (const auto &[written, meant] : rows) {
    INFO(written);
    CHECK(yaml(written, 16) == meant);
  }
}

TEST_CASE("YAML is read as deep as arguments may nest") {
  const Row rows[] = {
      {"a:\n  - \"k\": 1\n", "malformed"},
      {"a:\n  - |\n    x\n", "malformed"},
      {"a: {b: {c: 1}}\n", "malformed"},
  };
  for (const auto &[written, meant] : rows) {
    INFO(written);
    CHECK(yaml(written, 1) == meant);
  }
  CHECK(yaml("a: 1\n", 0) == "malformed");
}

TEST_CASE("literals that are nearly Python are none") {
  struct Literal {
    const char *written, *json, *python;
  };
  const Literal literals[] = {
      {"[[]x]", "none", "none"},
      {"{1}", "none", "[1]"},
      {"{'a}", "none", "none"},
      {"{'a':1,2}", "none", "none"},
      {"{1,'a':2}", "none", "none"},
      {"{'a' 'b'}", "none", "none"},
      {R"~('\18')~", R"~("\u00018")~", R"~("\u00018")~"},
      {R"~('\1/')~", R"~("\u0001/")~", R"~("\u0001/")~"},
      {"[_1]", "none", "none"},
      {"[-_1]", "none", "none"},
      {"[-e5]", "none", "none"},
      {"[1__2]", "none", "none"},
      {"[.e1]", "none", "none"},
      {"[.]", "none", "none"},
      {"[0x__1]", "none", "none"},
      {"[0xg]", "none", "none"},
      {"[0x1_]", "none", "none"},
      {"[-0x0]", "[0]", "[0]"},
      {"[-0x1]", "[-1]", "[-1]"},
      {"[0o8]", "none", "none"},
      {"[0b12]", "none", "none"},
      {"{[1]:2}", "none", "none"},
      {"'a\\\rb'", "\"ab\"", "\"ab\""},
  };
  for (const auto &[written, json, python] : literals) {
    INFO(written);
    std::string out;
    CHECK((json_from_literal(written, 8, out) ? out : "none") == json);
    CHECK((json_from_python(written, 8, out) ? out : "none") == python);
  }
}

TEST_CASE("entities of XML are characters where they name one") {
  const Row rows[] = {
      {"&amp;&lt;&gt;&quot;&apos;", R"~(&<>"')~"},
      {"&nbsp;", "&nbsp;"},
      {"&", "&"},
      {"&#65;&#x41;&#X41;", "AAA"},
      {"&#0;", "&#0;"},
      {"&#x110000;", "&#x110000;"},
      {"&#;", "&#;"},
      {"&#x;", "&#x;"},
      {"&#xZZ;", "&#xZZ;"},
      {"&amp", "&amp"},
      {"&#1234567890123;", "&#1234567890123;"},
      {"a&b;c", "a&b;c"},
      {"&#xD800;&#xE000;", "&#xD800;\xEE\x80\x80"},
  };
  for (const auto &[written, meant] : rows) {
    INFO(written);
    CHECK(from_xml(written) == meant);
  }
  for (const char *name : {"", "-a", ".a", "1a", "a<b", "a\x7F"}) CHECK_FALSE(is_xml_name(name));
  CHECK_FALSE(is_xml_name(std::string(257, 'a')));
  CHECK(is_xml_name("a"));
  CHECK(repaired("a\xFF") == "a\xEF\xBF\xBD");
  std::string json;
  append_text(json, "a\xFF");
  CHECK(json == "\"a\xEF\xBF\xBD\"");
  size_t length = 0;
  CHECK(fit_end_tag("</a" + std::string(40, ' ') + ">", "a", length) == Fit::no);
}
