// Texts that are nearly a call of their format: what they come to, however they are cut and wherever they are saved.
#include <catch2/catch.hpp>

#include "text_rows.h"

using namespace sluice_test;

namespace {

const Json kEngine = Json::parse(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public",
  "parameters":{"type":"object","properties":{"zone":{"type":"string"},"hours":{"type":"integer"}}}}]})");

template <size_t Size>
void check(const char *protocol, const TextRow (&rows)[Size]) {
  Json turn = Json::object();
  turn["protocol"] = *protocol == '{' ? Json::parse(protocol) : Json(protocol);
  check_rows(kEngine, turn, rows);
}

}  // namespace

TEST_CASE("nearly calls: vcp") {
  const TextRow rows[] = {
      {R"~(<think=>x</think> y)~", R"~("<think=>x y")~"},
      {R"~(<think">x</think> y)~", R"~("<think\">x y")~"},
      {R"~(<think'>x</think> y)~", R"~("<think'>x y")~"},
      {R"~(<think<>x</think> y)~", R"~("<think<>x y")~"},
      {R"~(<think/>x</think> y)~", R"~("<think/>x y")~"},
      {R"~(<think =>x</think> y)~", R"~("<think =>x y")~"},
      {R"~(<think "x">x</think> y)~", R"~("<think \"x\">x y")~"},
      {R"~(<think 'x'>x</think> y)~", R"~("<think 'x'>x y")~"},
      {R"~(<think <>x</think> y)~", R"~("<think <>x y")~"},
      {R"~(<think />x</think> y)~", R"~("<think />x y")~"},
      {R"~(<think a>x</think> y)~", R"~("<think a>x y")~"},
      {R"~(<think a<>x</think> y)~", R"~("<think a<>x y")~"},
      {R"~(<think a">x</think> y)~", R"~("<think a\">x y")~"},
      {R"~(<think a'>x</think> y)~", R"~("<think a'>x y")~"},
      {R"~(<think a x>x</think> y)~", R"~("<think a x>x y")~"},
      {R"~(<think a=>x</think> y)~", R"~("<think a=>x y")~"},
      {R"~(<think a=<>x</think> y)~", R"~("<think a=<>x y")~"},
      {R"~(<think a=b>x</think> y)~", R"~((x) " y")~"},
      {R"~(<think a=b c>x</think> y)~", R"~("<think a=b c>x y")~"},
      {R"~(<think a="b">x</think> y)~", R"~((x) " y")~"},
      {R"~(<think a="b"c>x</think> y)~", R"~("<think a=\"b\"c>x y")~"},
      {R"~(<think a="b" c="d">x</think> y)~", R"~((x) " y")~"},
      {R"~(<think a = "b">x</think> y)~", R"~((x) " y")~"},
      {"<think\ta=\"b\">x</think> y", R"~((x) " y")~"},
      {R"~(<thinking >x</thinking > y)~", R"~((x) " y")~"},
      {R"~(</think a> y)~", R"~("</think a> y")~"},
  };
  check("vcp", rows);
}

TEST_CASE("nearly calls: morph-xml") {
  const TextRow rows[] = {
      {R"~(<clock/ >)~", R"~("<clock/ >")~"},
      {R"~(<clock >)~", R"~("<clock >")~"},
      {R"~(<clock x>)~", R"~("<clock x>")~"},
      {R"~(<clo)~", R"~("<clo")~"},
      {R"~(<clock)~", R"~("<clock")~"},
      {R"~(<clock><a/ ></clock>)~", R"~(clock!malformed_argument)~"},
      {R"~(<clock><a / x></clock>)~", R"~(clock!malformed_argument)~"},
      {R"~(<clock><1a>x</1a></clock>)~", R"~("<clock><1a>x</1a></clock>")~"},
      {R"~(<clock><zone>a<zone >b</zone>c</zone></clock>)~", R"~(clock{"zone":"a<zone >b</zone>c"})~"},
      {R"~(<clock><zone>a<zonex>b</zone></clock>)~", R"~(clock{"zone":"a<zonex>b"})~"},
      {R"~(<clock><zone>&lt;&#x41;</zone><zone>b</zone></clock>)~", R"~(clock{"zone":"b"})~"},
      {R"~(<clock><zone>a</zone)~", R"~(clock!unterminated_block)~"},
      {R"~(<clock>)~", R"~("<clock>")~"},
      {R"~(<clock></cl)~", R"~("<clock></cl")~"},
      {R"~(<clock><zone>a<zone>b</zone> </clo)~", R"~(clock!unterminated_block)~"},
  };
  check("morph-xml", rows);
}

TEST_CASE("nearly calls: yaml-xml") {
  const TextRow rows[] = {
      {R"~(<clock/ >)~", R"~("<clock/ >")~"},
      {R"~(<clo)~", R"~("<clo")~"},
      {R"~(<clock)~", R"~("<clock")~"},
      {R"~(<clock>a zone: x</clock>)~", R"~("<clock>a zone: x</clock>")~"},
      {"<clock>\n---\nzone: x\n</clock>", R"~(clock{"zone":"x"})~"},
      {"<clock>\n# only\n</clock>", R"~(clock{})~"},
      {"<clock>\n# a: b\nzone: x\n</clock>", R"~(clock{"zone":"x"})~"},
      {"<clock>\n# a: b</clock>", R"~(clock{})~"},
      {"<clock>\n\"zone\": x\n</clock>", R"~(clock{"zone":"x"})~"},
      {"<clock>\n'zone': x\n</clock>", R"~(clock{"zone":"x"})~"},
      {"<clock>\n: x\n</clock>", R"~("<clock>\n: x\n</clock>")~"},
      {"<clock>\nzone: x\nzone: y\n</clock>", R"~(clock!duplicate_argument)~"},
      {R"~(<clock>zone:)~", R"~(clock!unterminated_block)~"},
      {R"~(<clock></clock x>)~", R"~("<clock></clock x>")~"},
      {"<clock>\n  \nzone:x\n</clock>", R"~("<clock>\n  \nzone:x\n</clock>")~"},
      {R"~(<clock/x>)~", R"~("<clock/x>")~"},
  };
  check("yaml-xml", rows);
}

TEST_CASE("nearly calls: gpt-oss-harmony") {
  const TextRow rows[] = {
      {R"~(<|channel|>analysisHi<|message|>x)~", R"~((Hi) "x")~"},
      {R"~(<|channel|>analysis?x<|message|>y)~", R"~((?x) "y")~"},
      {R"~(<|channel|>analysis??<|message|>y<|end|>z)~", R"~((y) "z")~"},
      {R"~(<|channel|>Analysis<|message|>x)~", R"~("x")~"},
      {R"~(<|channel|>commentary code<|message|>x)~", R"~("x")~"},
      {R"~(<|channel|>commentary json to=functions.clock<|message|>{}<|call|>)~", R"~(clock{})~"},
      {R"~(<|channel|>commentary a b<|message|>x)~", R"~("a bx")~"},
      {R"~(to=functions.clock{})~", R"~("to=functions.clock{}")~"},
      {R"~(to=functions.clock)~", R"~("to=functions.clock")~"},
      {R"~(<|start|>user<|message|>x)~", R"~("x")~"},
      {R"~(<|start|>assistant user<|message|>x)~", R"~("<|start|>assistant userx")~"},
      {R"~(<|start|>tool<|message|>x)~", R"~("x")~"},
      {R"~(<|start|>assistant{)~", R"~("{")~"},
      {R"~(<|channel|><|message|>x)~", R"~("x")~"},
      {R"~(<|channel|>odd<|call|>x)~", R"~("<|channel|>oddx")~"},
      {R"~(<|channel|>odd to=functions.clock<|call|>)~", R"~(clock!malformed_argument)~"},
      {R"~(<|channel|>odd<|constrain|>json<|message|>x)~", R"~("x")~"},
      {R"~(<|channel|>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx<|message|>y)~",
       R"~("<|channel|>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy")~"},
      {R"~(<|channel|>commentary to=functions.clock <|constrain|>json json<|message|>{}<|call|>)~",
       R"~(clock!malformed_argument "{}")~"},
      {R"~(<|start|>functions.clock to=assistant<|channel|>commentary<|message|>x)~",
       R"~("<|start|>functions.clock to=assistantx")~"},
      {R"~(<|channel|>final to=user<|message|>x<|end|>)~", R"~("x")~"},
  };
  check("gpt-oss-harmony", rows);
}

TEST_CASE("nearly calls: qwen3-coder") {
  const TextRow rows[] = {
      {"<tool_call>\n<function=clock>\n<parameter=zone>\n<![CDATA[x]]></parameter>\n</function>\n</tool_call>",
       R"~(clock{"zone":"<![CDATA[x]]>"})~"},
      {R"~(<tool_call><function="clock"><parameter="zone">x</parameter></function></tool_call>)~",
       R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call><function="clock"/></tool_call>)~", R"~(clock{})~"},
      {R"~(<tool_call><function=clock/></tool_call>)~", R"~(clock{})~"},
      {R"~(<tool_call><function=clock ><parameter=zone >x</parameter></function></tool_call>)~",
       R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call><function=clock {"zone":"x"}</function></tool_call>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call><function=clock{"zone":"x"}</function></tool_call>)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_call><function="a<b"><parameter=zone>x</parameter></function></tool_call>)~",
       R"~(!missing_tool_name)~"},
      {R"~(<tool_call><function="clock" /x></function></tool_call>)~", R"~(!missing_tool_name)~"},
      {"<tool_call><function=clock><parameter=zone\r\nx</parameter></function></tool_call>", R"~(clock{"zone":"x"})~"},
      {"<tool_call><function=clock><parameter=\"zone\"\nx</parameter></function></tool_call>",
       R"~(clock!malformed_argument)~"},
      {R"~(<tool_call><function=clock><parameter=>x</parameter></function></tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<tool_call><function=clock><parameter=zone x</parameter></function></tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {"<tool_call><function=clock>\r\n<parameter=zone>\r\nx\r\n</parameter>\r\n</function></tool_call>",
       R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call><function=clock>{"zone":"x"}</tool_call>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call><function=clock><parameter=zone>x</parameter>{"hours":1}</function></tool_call>)~",
       R"~(clock!residue_in_block)~"},
      {R"~(<tool_call><function=cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc></function></tool_call>)~",
       R"~(!missing_tool_name)~"},
      {R"~(<tool_call><function=clock></tool_call>)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_call><function=clock><parameter=zone>a<parameter=zone>b</parameter></parameter></function></tool_call>)~",
       R"~(clock{"zone":"a<parameter=zone>b</parameter>"})~"},
      {R"~(<tool_call><function=clock><parameter=zone>a<parameter=hours/>b</parameter></function></tool_call>)~",
       R"~(clock!opener_in_value)~"},
      {R"~(<tool_call><function=clock><parameter=zone>x</function></tool_call>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call><function=clock>{"zone":"x")~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call><function=>x</function></tool_call>)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_call><function=clock></function)~", R"~(clock!unterminated_block)~"},
  };
  check("qwen3-coder", rows);
}

TEST_CASE("nearly calls: minimax-m2") {
  const TextRow rows[] = {
      {R"~(<minimax:tool_call><invoke name="clock"><parameter name="zone" name="x">y</parameter></invoke></minimax:tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<minimax:tool_call><invoke name="clock" id="1"><parameter name="zone" type="string">y</parameter></invoke></minimax:tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<minimax:tool_call><invoke name="cl ock"></invoke></minimax:tool_call>)~", R"~(!missing_tool_name)~"},
      {R"~(<minimax:tool_call><invoke name=clock><parameter name=zone>y</parameter></invoke></minimax:tool_call>)~",
       R"~(clock{"zone":"y"})~"},
      {R"~(<minimax:tool_call><invoke name="clock"/></minimax:tool_call>)~", R"~(clock{})~"},
      {R"~(<minimax:tool_call><invoke name=""></invoke></minimax:tool_call>)~", R"~(!missing_tool_name)~"},
  };
  check("minimax-m2", rows);
}

TEST_CASE("nearly calls: deepseek-v3.2") {
  const TextRow rows[] = {
      {R"~(<｜DSML｜function_calls><｜DSML｜invoke name="clock"><｜DSML｜parameter name="zone" string="maybe">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<｜DSML｜function_calls><｜DSML｜invoke name="clock"><｜DSML｜parameter name="zone" string="true" string="false">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<｜DSML｜function_calls><｜DSML｜invoke name="clock"><｜DSML｜parameter name="zone" other="1">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>)~",
       R"~(clock!malformed_argument)~"},
  };
  check("deepseek-v3.2", rows);
}

TEST_CASE("nearly calls: glm-4.5") {
  const TextRow rows[] = {
      {"<tool_call>clock\n<arg_key> zone </arg_key>\n<arg_value>x</arg_value>\n</tool_call>", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call>clock<arg_key></arg_key><arg_value>x</arg_value></tool_call>)~", R"~(clock!malformed_argument)~"},
      {R"~(<tool_call>clock<arg_key>a<b</arg_key><arg_value>x</arg_value></tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<tool_call>clock>{"zone":"x"})~", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call>clock>{"zone":"x"} )~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call>{"zone":"x"}</tool_call>)~", R"~(!malformed_argument)~"},
      {R"~(<tool_call>cl ock<arg_key>zone</arg_key><arg_value>x</arg_value></tool_call>)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_call>clock<arg_key>zone</arg_key><arg_value></tool_call>)~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call>clock<arg_key>zone</arg_key><arg_value>x</tool_call>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call>clock{"zone":"x")~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call>clock{"zone":x</tool_call>)~", R"~(clock!invalid_json)~"},
      {"<tool_call>clock<arg_key>zone</arg_key><arg_value>x\r\n</tool_call>", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call>clock<arg_key>zone</arg_key><arg_value>x<arg_key>hours</arg_key><arg_value>1</arg_value></tool_call>)~",
       R"~(clock{"zone":"x","hours":1})~"},
      {R"~(<tool_call>clock<arg_key>zone</arg_key><arg_value>x<tool_call>clock<arg_key>hours</arg_key><arg_value>1</arg_value></tool_call>)~",
       R"~(clock!unterminated_block)~"},
  };
  check("glm-4.5", rows);
}

TEST_CASE("nearly calls: gemma-4") {
  const TextRow rows[] = {
      {R"~(<|tool_call>call:clock{zone:<|"|>x<|"|>}<tool_call|>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<|tool_call>call:clock(zone=<|"|>x<|"|>)<tool_call|>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<|tool_call>call:clock(zone=(1))<tool_call|>)~", R"~(clock!residue_in_block)~"},
      {R"~(<|tool_call>call:clock(zone={a=1,b:(2)})<tool_call|>)~", R"~(clock!malformed_argument)~"},
      {R"~(<|tool_call>call:clock{};call:clock{}<tool_call|>)~", R"~(clock{} clock{})~"},
      {R"~(<|tool_call>call:clock{},call:cl)~", R"~(clock!unterminated_block)~"},
      {R"~(<|tool_call>call:clock<tool_ca)~", R"~("<|tool_call>call:clock<tool_ca")~"},
      {R"~(<|tool_call>call:<tool_call|>)~", R"~(!missing_tool_name)~"},
      {R"~(<|tool_call><|tool_call>call:clock{}<tool_call|>)~", R"~(clock{})~"},
      {R"~(call:clock(zone=1))~", R"~("call:clock(zone=1)")~"},
      {R"~(call:other{})~", R"~("call:other{}")~"},
      {R"~(call:)~", R"~("call:")~"},
      {R"~(<|tool_call>call:clock{zone:<|"|>x<tool_call|>)~", R"~(clock!unterminated_block)~"},
  };
  check("gemma-4", rows);
}

TEST_CASE("nearly calls: pythonic") {
  const TextRow rows[] = {
      {R"~([clock(zone="a" "b")])~", R"~(clock!malformed_argument)~"},
      {R"~([clock(zone=r"a\"b")])~", R"~(clock{"zone":"a\\\"b"})~"},
      {R"~([clock({"zone":"x"})])~", R"~(clock{"zone":"x"})~"},
      {R"~([other({"zone":"x"})])~", R"~("[other({\"zone\":\"x\"})]")~"},
      {R"~([clock(zone="say "hi" now")])~", R"~(clock{"zone":"say \"hi\" now"})~"},
      {R"~([clock(zone="a "+b)])~", R"~(clock!malformed_argument)~"},
      {R"~([clock(zone="x")~", R"~(clock!unterminated_block)~"},
      {R"~([clock(**{"zone":"x"})])~", R"~(clock{"zone":"x"})~"},
      {R"~([clock(zone=x))~", R"~(clock!unterminated_block)~"},
      {R"~([clock(zone=[1,(2,{3})])])~", R"~(clock!schema)~"},
      {R"~([clock(=1)])~", R"~("[clock(=1)]")~"},
      {R"~([clock(zone=)])~", R"~("[clock(zone=)]")~"},
  };
  check("pythonic", rows);
}

TEST_CASE("nearly calls: lfm2") {
  const TextRow rows[] = {
      {R"~(<|tool_call_start|>[clock(zone="x")]<|tool_call_end|>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<|tool_call_start|>[clock(zone="a "b" c")]<|tool_call_end|>)~", R"~(clock{"zone":"a \"b\" c"})~"},
      {R"~(<|tool_call_start|>[clock(zone="x"<|tool_call_end|>)~", R"~(clock!malformed_argument)~"},
      {R"~(<|tool_call_start|>[clock(zone=r"x\")]<|tool_call_end|>)~", R"~(clock!unterminated_block)~"},
      {R"~(<|tool_call_start|>clock(zone="x"))<|tool_call_end|>)~", R"~(clock!residue_in_block)~"},
  };
  check("lfm2", rows);
}

TEST_CASE("nearly calls: kimi-k2") {
  const TextRow rows[] = {
      {R"~(<|tool_calls_section_begin|><|tool_call_begin|>functions.clock:0<|tool_call_argument_begin|>{"zone":"x"}<|tool_call_end|><|tool_calls_section_end|>)~",
       R"~(clock{"zone":"x"})~"},
      {R"~(<|tool_call_begin|>7<|tool_call_argument_begin|>{"name":"clock","parameters":{"zone":"x"},"type":"function"}<|tool_call_end|>)~",
       R"~(clock{"zone":"x"})~"},
      {R"~(<|tool_call_begin|>7<|tool_call_argument_begin|>{"name":5,"arguments":{}}<|tool_call_end|>)~",
       R"~(!missing_tool_name)~"},
      {R"~(<|tool_call_begin|>7<|tool_call_argument_begin|>[1]<|tool_call_end|>)~", R"~(!missing_tool_name)~"},
      {R"~(<|tool_call_begin|>7<|tool_call_argument_begin|>{broken<|tool_call_end|>)~", R"~(!missing_tool_name)~"},
      {R"~(<|tool_call_begin|>functions_clock_1<|tool_call_argument_begin|>{}<|tool_call_end|>)~", R"~(clock{})~"},
      {R"~(<|tool_call_begin|>clock<|tool_call_argument_begin|>{}<|tool_call_end|>)~", R"~(clock{})~"},
      {R"~(<|tool_call_begin|>call_1<|tool_call_argument_begin|>{}<|tool_call_end|>)~", R"~(call_1{})~"},
      {"<|tool_calls_section_begin|>\n<|tool_calls_section_end|>", R"~()~"},
      {"<|tool_calls_section_begin|> "
       "\n<|tool_call_begin|>functions.clock:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|"
       ">",
       R"~(clock{})~"},
      {R"~(<|tool_call_begin|><|tool_call_argument_begin|>{}<|tool_call_end|>)~", R"~(!missing_tool_name)~"},
      {R"~(<|tool_call_begin|>functions.:0<|tool_call_argument_begin|>{}<|tool_call_end|>)~", R"~(:0{})~"},
      {R"~(<|tool_call_begin|>7<|tool_call_argument_begin|>{"name":"clock","other":1,"more":2}<|tool_call_end|>)~",
       R"~(clock!malformed_argument)~"},
  };
  check("kimi-k2", rows);
}

TEST_CASE("nearly calls: hermes") {
  const TextRow rows[] = {
      {R"~(<tool_call>{"name":"clock","arguments":{"zone":"x"},}</tool_call>)~", R"~(clock{"zone":"x"})~"},
      {R"~(<tool_call>{"id":5,"name":"clock","arguments":{}}</tool_call>)~", R"~(clock{})~"},
      {R"~(<tool_call>{"id":null,"name":"clock","arguments":{}}</tool_call>)~", R"~(clock{})~"},
      {R"~(<tool_call>{"id":true,"name":"clock","arguments":{}}</tool_call>)~", R"~(clock!malformed_argument)~"},
      {R"~(<tool_call>{"name":,"arguments":{}}</tool_call>)~", R"~(!invalid_json)~"},
      {R"~(<tool_call>{"name":}</tool_call>)~", R"~(!invalid_json)~"},
      {R"~(<tool_call>{"name":]}</tool_call>)~", R"~(!invalid_json)~"},
      {R"~(<tool_call>{"name"::"clock"}</tool_call>)~", R"~(!invalid_json)~"},
      {R"~(<tool_call>{"name":(1),"arguments":{}}</tool_call>)~", R"~(!malformed_argument)~"},
      {R"~(<tool_call>{'name':'clock','arguments':{}}</tool_call>)~", R"~(clock{})~"},
      {R"~(<tool_call>[{"name":"clock","arguments":{}},{"name":"clock","arguments":{}},]</tool_call>)~",
       R"~(clock{} clock{})~"},
      {R"~(<tool_call>[,{"name":"clock","arguments":{}}]</tool_call>)~",
       R"~("<tool_call>[,{\"name\":\"clock\",\"arguments\":{}}]</tool_call>")~"},
      {R"~(<tool_call>[{"name":"clock","arguments":{}},,{"name":"clock","arguments":{}}]</tool_call>)~",
       R"~(clock!invalid_json)~"},
      {"<tool_call>```json\n{\"name\":\"clock\",\"arguments\":{}}\n```</tool_call>", R"~(clock{})~"},
      {R"~(<tool_call>```[{"name":"clock","arguments":{}}]```</tool_call>)~", R"~(clock{})~"},
      {R"~(<tool_call>```js`{"name":"clock"}</tool_call>)~",
       R"~("<tool_call>```js`{\"name\":\"clock\"}</tool_call>")~"},
      {R"~(<tool_call>```xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{"name":"clock"}</tool_call>)~",
       R"~("<tool_call>```xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{\"name\":\"clock\"}</tool_call>")~"},
      {R"~(<tool_call>{"name":"clock","arguments":{"zone":"x"})~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call>{"name":"clock","arguments":"x)~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call>{"name":"clock","arguments":{"zone":'it's'}}</tool_call>)~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call>{"function":{"function":1,"name":"clock"},"arguments":{}}</tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<tool_call>{"tool_calls":{"name":"clock","arguments":{}},"x":1}</tool_call>)~", R"~(!malformed_argument)~"},
      {R"~(<tool_call>{"tool_calls":[{"name":"clock","arguments":{}}]]</tool_call>)~", R"~(!malformed_argument)~"},
      {R"~(<tool_call>{"tool_calls":[{"name":"clock","arguments":{}}</tool_call>)~", R"~(!malformed_argument)~"},
      {R"~(<tool_call>{"name":"clock","name":"clock","arguments":{},"arguments":{}}</tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<tool_call></tool_call>)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_call>{"name":"clock","arguments":{}} {"name":"clock","arguments":{}}</tool_ca)~",
       R"~(clock!unterminated_block clock!unterminated_block)~"},
  };
  check("hermes", rows);
}

TEST_CASE("nearly calls: llama3") {
  const TextRow rows[] = {
      {R"~({"name":"clock","parameters":{"zone":"x"}}; {"name":"clock","parameters":{}})~",
       R"~(clock{"zone":"x"} clock{})~"},
      {R"~({"name":"clock","parameters":{"zone":"x"}} ; x)~", R"~(clock{"zone":"x"} " ; x")~"},
      {R"~({"name":"clock","parameters":{}}:)~", R"~(clock{} ":")~"},
      {R"~({"name":"clock","parameters":{}}})~", R"~(clock{} "}")~"},
      {R"~({"name":"clock","parameters":{}}")~", R"~(clock{} "\"")~"},
      {R"~(<|python_tag|>{"name":"clock","parameters":{}})~", R"~(clock{})~"},
      {R"~(<|python_tag|>{"name":"clock","parameters":{}},"x")~", R"~(clock!residue_in_block ",\"x\"")~"},
      {R"~({"name":"clock","parameters":{}},)~", R"~(clock{} ",")~"},
      {R"~({"name":"clock","parameters":{}}                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            x)~",
       R"~(clock{} "                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            x")~"},
      {R"~({"id":1,"name":"clock","parameters":{}})~", R"~(clock{})~"},
      {R"~({"name":"clock","parameters":(1)})~", R"~(clock!arguments_not_object)~"},
  };
  check("llama3", rows);
}

TEST_CASE("nearly calls: tool_action") {
  const TextRow rows[] = {
      {R"~(<tool_action name="clock"><zone value="a" value="b"/></tool_action>)~", R"~(clock!malformed_argument)~"},
      {R"~(<tool_action name="clock"><zone/></tool_action>)~", R"~(clock{"zone":""})~"},
      {R"~(<tool_action name="clock"><zone value='a'/></tool_action>)~", R"~(clock{"zone":"a"})~"},
      {R"~(<tool_action name="clock"><zone value="a">b</zone></tool_action>)~", R"~(clock!malformed_argument)~"},
      {R"~(<tool_action name="clock"><zone value="a" x='<'>b</zone></tool_action>)~", R"~(clock!malformed_argument)~"},
      {R"~(<tool_action name="clock" name="clock"><zone value="a"/></tool_action>)~", R"~(clock{"zone":"a"})~"},
      {R"~(<tool_action name="clock"/>)~", R"~(clock{})~"},
      {R"~(<tool_action type="x"/>)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_action name="clock"><zone/ x></tool_action>)~", R"~(clock!malformed_argument)~"},
      {R"~(<tool_action name="clock"><1a/></tool_action>)~", R"~(clock!residue_in_block)~"},
      {R"~(<tool_action name="clock"><zone"/></tool_action>)~", R"~(clock!residue_in_block)~"},
      {R"~(<tool_action name="clock"><zone value=<></tool_action>)~", R"~(clock!malformed_argument)~"},
      {R"~(<tool_action name="clock"><zone value=a)~", R"~(clock!unterminated_argument)~"},
      {R"~(<tool_action name="clock"><zone value=a"b/></tool_action>)~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_action name="clock"><tool_actions>x</tool_actions></tool_action>)~", R"~(clock{"tool_actions":"x"})~"},
      {R"~(<tool_action>)~", R"~("<tool_action>")~"},
      {R"~(<tool_action name="clock"></tool_act)~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_action seal="x" name="clock"></tool_action>)~", R"~(clock!residue_in_block)~"},
  };
  check("tool_action", rows);
}

TEST_CASE("nearly calls: json_strict") {
  const TextRow rows[] = {
      {R"~({"tool_calls":[{"name":"clock","arguments":{}}]})~", R"~(clock{})~"},
      {R"~({ "tool_calls" : [] })~", R"~("{ \"tool_calls\" : [] }")~"},
      {R"~({"tool_calls":{"name":"clock"}})~", R"~("{\"tool_calls\":{\"name\":\"clock\"}}")~"},
      {R"~({"tool_calls":[{"name":"clock","arguments":{}},]})~", R"~(clock!invalid_json)~"},
      {R"~({"a":1})~", R"~("{\"a\":1}")~"},
      {R"~({'tool_calls':[]})~", R"~("{'tool_calls':[]}")~"},
      {R"~({"tool_calls":[{"name":"clock","arguments":{}}],"x":1})~", R"~(clock!malformed_argument)~"},
      {R"~({"tool_calls":[{"name":"clock","arguments":{},}]})~", R"~(clock!invalid_json)~"},
  };
  check("json_strict", rows);
}

TEST_CASE("nearly calls: mistral") {
  const TextRow rows[] = {
      {R"~([TOOL_CALLS]clock{"zone":"x"})~", R"~(clock{"zone":"x"})~"},
      {R"~([TOOL_CALLS]clock[ARGS]{"zone":"x"})~", R"~(clock{"zone":"x"})~"},
      {R"~([TOOL_CALLS]clock[CALL_ID]abc[ARGS]{"zone":"x"})~", R"~(clock{"zone":"x"})~"},
      {R"~([TOOL_CALLS] [{"name":"clock","arguments":{}}])~", R"~(clock{})~"},
      {R"~([TOOL_CALLS]{"name":"clock","arguments":{}})~", R"~(clock{})~"},
      {R"~([TOOL_CALLS]clock)~", R"~(clock!unterminated_block)~"},
      {R"~([TOOL_CALLS]other{"zone":"x"})~", R"~(other{"zone":"x"})~"},
  };
  check("mistral", rows);
}

TEST_CASE("nearly calls: vcp, whole blocks") {
  const TextRow rows[] = {
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」,\nzone:「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」,\nzone:「始」x\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!unterminated_argument)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n<<<[END_TOOL_REQUEST]>>", R"~(clock!unterminated_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n<<<[END_TOOL_REQUEST]", R"~(clock!unterminated_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone=「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!residue_in_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:\r\n「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始」a <<<[TOOL_REQUEST]>>> "
       "b「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"a <<<[TOOL_REQUEST]>>> b"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始」a\n<<<[END_TOOL_REQUEST]>>>\nx「末」\n<<<[END_"
       "TOOL_REQUEST]>>>",
       R"~(clock!unterminated_argument "\nx「末」\n<<<[END_TOOL_REQUEST]>>>")~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n<<<[TOOL_REQUEST]>>>\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!nested_opener !missing_tool_name)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nvalet:「始」「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nvalet:「始」me「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始ESCAPE」<<<[TOOL_REQUEST_ESCAPE]>>> "
       "<<<[END_TOOL_REQUEST_ESCAPE]>>> <<<[OTHER_REQUEST_ESCAPE]>>> x_ESCAPE] <<<[TOOL_REQUEST_ESCAPE]x a_b "
       "「始ESCAPE」「末ESCAPE」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"<<<[TOOL_REQUEST]>>> <<<[END_TOOL_REQUEST]>>> <<<[OTHER_REQUEST_ESCAPE]>>> x_ESCAPE] <<<[TOOL_REQUEST_ESCAPE]x a_b 「始」"})~"},
      {"<<<[TOOL_REQUEST]>>>\nmaid:「始」 "
       "「末」\nvalet:「始」me「末」\ntool_name:「始」clock「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{})~"},
  };
  check("vcp", rows);
}

TEST_CASE("nearly calls: vcp, lenient") {
  const TextRow rows[] = {
      {"<<<[TOOL_REQUEST]>>>\n+ tool_name:「始」clock「末」\n1. zone:「始」x「末」\n2) "
       "hours:「始」1「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x","hours":1})~"},
      {"<<[TOOL_REQUEST]>>\ntool_name:「始」clock「末」\n- \n<<[END_TOOL_REQUEST]>>", R"~(clock{})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n1x zone:「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!residue_in_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n12 zone:「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!residue_in_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone :「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone=「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!residue_in_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:,「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:\r「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_namex: clock\ntool_name:「始」clock「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!residue_in_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: \n<<<[END_TOOL_REQUEST]>>>", R"~(!missing_tool_name)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: clock\n<<<[END_TOOL_REQUEST]>>>", R"~(clock{})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: clock, zone:「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: clo\n<<", R"~(clo!unterminated_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: \"clock\"\n<<<[END_TOOL_REQUEST]>>>", R"~(clock{})~"},
      {"<<<[TOOL_REQUEST]>>>\nfoo: 「x」\ntool_name:「始」clock「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!residue_in_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json: [1]\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!arguments_not_object)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json: abc\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!invalid_json)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json: "
       "{\"zone\":[\"a\",{\"b\":\"c\\\"d\"}]}\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!schema)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json: "
       "{\"zone\":<<<[TOOL_REQUEST]>>>}\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!invalid_json)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json: {\"zone\":\"x\"\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!unterminated_argument)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_nama:「始」clock「末」\n<<<[END_TOOL_REQUEST]>>>", R"~(!missing_tool_name)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始ESCAPE」<<[TOOL_REQUEST_ESCAPE]>> "
       "<<[tool_request_ESCAPE]>>「末ESCAPE」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"<<[TOOL_REQUEST]>> <<[tool_request]>>"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json:「始」```json\n{\"zone\":\"x\"}\n```「末」\n<<<["
       "END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json:「始」```json "
       "{\"zone\":\"x\"}```「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!invalid_json)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json:「始」```\n```「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json:「始」{\"zone\":\"a\"}「末」\ninput_json:「始」{"
       "\"zone\":\"b\"}「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"b"})~"},
      {"<<<[TOOL_REQUEST]>>>\n“tool_name”：「始」clock「末」，\n*zone*：「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
  };
  check(R"~({"id":"vcp","lenient":true})~", rows);
}

TEST_CASE("nearly calls: vcp with options") {
  const TextRow rows[] = {
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ncommand1:「始」a「末」\npath1:「始」b「末」\ncommand2:"
       "「始」c「末」\npath:「始」d「末」\ncommand01:「始」e「末」\n7:「始」f「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"command01":"e","7":"f","command":"a","path":"b"} clock{"path":"d","command01":"e","7":"f","command":"c"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始」a「末」\nzone:「始」b「末」\nmaid:"
       "「始」m「末」\nmaid:「始」n「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"a"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ninput_json:「始」{\"zone\":\"a\"}「末」\ninput_json:「始」{"
       "\"zone\":\"b\"}「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"a"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\ncommand1:「始」a「末」\ncommand2:「始」b「始」c「末」\n<<<["
       "END_TOOL_REQUEST]>>>",
       R"~(clock!opener_in_value clock!opener_in_value)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nfoo bar\ncommand1:「始」a「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock!residue_in_block)~"},
  };
  check(R"~({"id":"vcp","duplicates":"first","trim":false,"lenient":true,"serial":"split"})~", rows);
}

TEST_CASE("nearly calls: inline_tags with options") {
  const TextRow rows[] = {
      {R"~(a [face:x]] b)~", R"~("a " clock{"zone":"x"} " b")~"},
      {R"~([face:x])~", R"~("[face:x]")~"},
      {R"~([face:x)~", R"~("[face:x")~"},
      {"[face:x\r\ny]]", R"~("[face:x\r\ny]]")~"},
      {R"~([x]])~", R"~(clock{"zone":"x"})~"},
      {"[x\ny]]", R"~("[x\ny]]")~"},
      {R"~([]])~", R"~("[]]")~"},
      {R"~([face:]])~", R"~("[face:]]")~"},
  };
  check(
      R"~({"id":"inline_tags","rules":[{"open":"[","close":"]]","tool":"clock","argument":"zone"},{"open":"[face:","close":"]]","tool":"clock","argument":"zone"},{"open":"[fa","close":"]]","tool":"clock","argument":"zone"}]})~",
      rows);
}

TEST_CASE("nearly calls: morph-xml with options") {
  const TextRow rows[] = {
      {R"~(<clock><zone> a </zone><zone>b</zone></clock>)~", R"~(clock{"zone":"a"})~"},
      {R"~(<clock><zone>a</zone><hours>1</hours><hours>2</hours></clock>)~", R"~(clock{"zone":"a","hours":1})~"},
  };
  check(R"~({"id":"morph-xml","trim":true,"duplicates":"first"})~", rows);
}

TEST_CASE("nearly calls: qwen3-coder with options") {
  const TextRow rows[] = {
      {R"~(<tool_call><function=clock><parameter=zone> a </parameter><parameter=zone>b</parameter></function></tool_call>)~",
       R"~(clock{"zone":"b"})~"},
  };
  check(R"~({"id":"qwen3-coder","trim":true,"duplicates":"last"})~", rows);
}

TEST_CASE("nearly calls: tool_action with options") {
  const TextRow rows[] = {
      {R"~(<tool_action name="clock"><zone> a </zone><zone>b</zone></tool_action>)~", R"~(clock{"zone":" a "})~"},
      {R"~(<tool_action name="clock"><zone x y='<z'>a</zone></tool_action>)~", R"~(clock!malformed_argument)~"},
  };
  check(R"~({"id":"tool_action","trim":false,"duplicates":"first"})~", rows);
}

TEST_CASE("nearly calls: hermes among code and reasoning") {
  const TextRow rows[] = {
      {R"~(`<tool_call>` {"name":"clock"} `</tool_call>)~", R"~("`<tool_call>` {\"name\":\"clock\"} `</tool_call>")~"},
      {R"~(`a <tool_call>{"name":"clock","arguments":{}}</tool_call> b)~", R"~("`a " clock!quoted " b")~"},
      {"```\n<tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>\n``` "
       "<tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>",
       R"~("```\n<tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>\n``` <tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>")~"},
      {"1) ```\n<tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>\n```",
       R"~("1) ```\n<tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>\n```")~"},
      {R"~(<tool_response>made up</tool_response> and on)~", R"~("<tool_response>made up</tool_response> and on")~"},
      {R"~(`<tool_response>`made up)~", R"~("`<tool_response>`made up")~"},
      {"`x <tool_response>made up\n<tool_response>again", R"~("`x <tool_response>made up\n<tool_response>again")~"},
      {R"~(<think>hm <tool_call>{"name":"clock","arguments":{}}</tool_call></think>)~",
       R"~((hm <tool_call>{"name":"clock","arguments":{}}</tool_call>))~"},
      {R"~(a </think> b)~", R"~("a </think> b")~"},
      {R"~(<|im_end|> <|im_end|>)~", R"~()~"},
      {R"~(<|im_end|> more)~", R"~("<|im_end|> more")~"},
      {R"~(<tool_call>{"name":"clock","arguments":{}}</tool_call></tool_call> x)~", R"~(clock{} " x")~"},
      {R"~(<tool_call>{"name":"clock","arguments":{}}</tool_call>x </tool_call>)~", R"~(clock{} "x </tool_call>")~"},
  };
  check("hermes", rows);
}

TEST_CASE("nearly calls: hermes in a whole fence") {
  const TextRow rows[] = {
      {"1) ```\n<tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>\n```", R"~("1) " clock{})~"},
  };
  check(R"~({"id":"hermes","code":"whole"})~", rows);
}

TEST_CASE("nearly calls: llama3 among code") {
  const TextRow rows[] = {
      {R"~(say "{" and {"name":"clock","parameters":{}})~", R"~("say \"{\" and " clock{})~"},
      {R"~(it's {"name":"clock","parameters":{}})~", R"~("it's " clock{})~"},
      {"```json\n{\"name\":\"clock\",\"parameters\":{}}\n```", R"~(clock{})~"},
      {"```json\n{\"name\":\"clock\",\"parameters\":{}}\nmore\n```",
       R"~("```json\n{\"name\":\"clock\",\"parameters\":{}}\nmore\n```")~"},
      {"```json\n{\"name\":\"clock\",\"parameters\":{}}<|eot_id|>\n```", R"~(clock{})~"},
      {"```json\n{\"name\":\"clock\",\"parameters\":{}}<|eom_id|>", R"~(clock!unterminated_block)~"},
      {"~~~\n{\"name\":\"clock\",\"parameters\":{}}\n~~~", R"~(clock{})~"},
      {R"~(`{"name":"clock","parameters":{}}`)~", R"~("`{\"name\":\"clock\",\"parameters\":{}}`")~"},
  };
  check(R"~({"id":"llama3","code":"whole"})~", rows);
}
