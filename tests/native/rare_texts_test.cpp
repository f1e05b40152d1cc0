// Texts that few models write: each takes a way through a reader, or through the scanner, that hardly anything else
// takes.
#include <catch2/catch.hpp>

#include "text_rows.h"

using namespace sluice_test;

namespace {

const Json kEngine = Json::parse(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public",
  "parameters":{"type":"object","properties":{"zone":{"type":"string"},"hours":{"type":"integer"}}}}]})");
const Json kNoTools = Json::parse(R"({"tools":[]})");
const Json kLists = Json::parse(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public",
  "parameters":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}}]})");
const Json kOwn = Json::parse(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public",
  "parameters":{"type":"object","properties":{"zone":{"type":"string"},"hours":{"type":"integer"}}}}],
  "protocols":[{"id":"mine","like":"vcp","openers":["@CALL_BEGIN"],"closers":["#CALL_END"]}]})");

const Json kAngles = Json::parse(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public",
  "parameters":{"type":"object","properties":{"zone":{"type":"string"},"hours":{"type":"integer"}}}}],
  "protocols":[{"id":"mine","like":"vcp","openers":["<<<[CALL_BEGIN]]"],"closers":["<<<[CALL_END]]"]}]})");
const Json kTurnEnds = Json::parse(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public",
  "parameters":{"type":"object","properties":{"zone":{"type":"string"},"hours":{"type":"integer"}}}}],
  "protocols":[{"id":"mine","like":"hermes","openers":["<do>"],"closers":["</do>"],"turnEnds":["<|x<|im_end|>!"]}]})");
const Json kSections = Json::parse(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public",
  "parameters":{"type":"object","properties":{"zone":{"type":"string"},"hours":{"type":"integer"}}}}],
  "protocols":[{"id":"mine","like":"kimi-k2","sections":["[[calls]]\n"],"openers":["[[call]]\n"]}]})");

std::string many(size_t times, const std::string &text) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("rare texts: qwen3-coder") {
  const TextRow rows[] = {
      {R"~(<tool_call><function=clock>{"zone":"x"})~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call><function=cl ock><parameter=zone>x</parameter></function></tool_call>)~",
       R"~(!missing_tool_name)~"},
      {R"~(<tool_call><function=clock>{"zone":"x"}{"hours":1}</function></tool_call>)~", R"~(clock!residue_in_block)~"},
      {R"~(<tool_call><function=clock>{"zone":"x"}<parameter=hours>1</parameter></function></tool_call>)~",
       R"~(clock!residue_in_block)~"},
      {R"~(<tool_call><function=clock><parameter=x y z></tool_call>)~", R"~(clock!unterminated_block)~"},
      {"<tool_call><function=clock><parameter=hours>1</parameter><parameter=zone>a\n<parameter=hours>2</parameter></"
       "parameter></function></tool_call>",
       R"~(clock{"hours":1,"zone":"a\n<parameter=hours>2</parameter>"})~"},
      {"<tool_call><function=clock><parameter=a "
       "b>q</parameter><parameter=zone>a\n<parameter=hours>1</parameter></function></tool_call>",
       R"~(clock!malformed_argument)~"},
      {R"~(<tool_call><function=</function></tool_call>)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_call><function=clock><parameter=<x</parameter></function></tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {R"~(<tool_call><function=clock><parameter=zone>x</parameter></function)~" + many(70, R"~( )~") +
           R"~(></tool_call>)~",
       R"~(clock!residue_in_block)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"qwen3-coder"})~"), rows);
}

TEST_CASE("rare texts: glm-4.5") {
  const TextRow rows[] = {
      {R"~(<tool_call>clock{"zone":"x"}<tool_call>clock{"zone":"y"}</tool_call>)~",
       R"~(clock{"zone":"x"} clock{"zone":"y"})~"},
      {R"~(<tool_call>clock{"zone":"x"} hours</arg_key><arg_value>1</arg_value></tool_call>)~",
       R"~(clock!residue_in_block)~"},
      {R"~(<tool_call>clock<arg_key>zone</arg_key><arg_value>x</tool_call><tool_call><arg_key>zone</arg_key><arg_value>y</arg_value></tool_call>)~",
       R"~(clock!unterminated_block !missing_tool_name)~"},
      {R"~(<tool_call>clock<arg_key>zone</arg_key><arg_value>x</arg_value>ho"urs</arg_key><arg_value>1</arg_value></tool_call>)~",
       R"~(clock!residue_in_block)~"},
      {R"~(<tool_call>clock<arg_key>zone</arg_key><arg_value>a<tool_call>b</tool_call>c</tool_call><tool_call>clock<arg_key>zone</arg_key><arg_value>a<tool_call>b</tool_call>c</tool_call><tool_call>clock</tool_call>)~",
       R"~(clock!unterminated_block clock!unterminated_block clock!quoted)~"},
      {"<tool_call>clock\n", R"~(clock!unterminated_block)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"glm-4.5"})~"), rows);
}

TEST_CASE("rare texts: solar-open2") {
  const TextRow rows[] = {
      {R"~(<|tool_call:start|>clock<|tool_arg:start|>zone<|tool_arg:value|>a<|tool_arg:start|>hours<|tool_arg:value|>1<|tool_arg:end|><|tool_call:end|>)~",
       R"~(clock{"zone":"a","hours":1})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"solar-open2"})~"), rows);
}

TEST_CASE("rare texts: k2-horizon") {
  const TextRow rows[] = {
      {R"~(<ifm|tool_calls><ifm|tool_call>clock<ifm|arg_key>zone</ifm|arg_key><ifm|arg_value>x</ifm|tool_call><ifm|tool_calls><ifm|tool_call>clock<ifm|arg_key>zone</ifm|arg_key><ifm|arg_value>y</ifm|arg_value></ifm|tool_call></ifm|tool_calls>)~",
       R"~(clock{"zone":"x"} clock{"zone":"y"})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"k2-horizon"})~"), rows);
}

TEST_CASE("rare texts: minimax-m2") {
  const TextRow rows[] = {
      {R"~(<minimax:tool_call><invoke name="clock" name="b"><parameter name="zone">y</parameter></invoke></minimax:tool_call>)~",
       R"~(clock!malformed_argument)~"},
      {"<minimax:tool_call><invoke name=\"clock\"><parameter name=\"zone\">a\n<parameter name=\"hours\" "
       "name=\"x\">1</parameter></invoke></minimax:tool_call>",
       R"~(clock!opener_in_value)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"minimax-m2"})~"), rows);
}

TEST_CASE("rare texts: deepseek-v3.2") {
  const TextRow rows[] = {
      {R"~(<｜DSML｜function_calls><｜DSML｜invoke name="clock">words</｜DSML｜function_calls>)~",
       R"~(clock!unterminated_block)~"},
      {R"~(<｜DSML｜function_calls><｜DSML｜invoke name="clock"><｜DSML｜parameter name="zone" string="false">{</｜DSML｜parameter><｜DSML｜parameter name="hours" string="false">]</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>)~",
       R"~(clock!invalid_json)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"deepseek-v3.2"})~"), rows);
}

TEST_CASE("rare texts: minicpm5") {
  const TextRow rows[] = {
      {R"~(<function name="clock"><param name="zone">a <![CDATA[x]]></param></function>)~",
       R"~(clock!malformed_argument)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"minicpm5"})~"), rows);
}

TEST_CASE("rare texts: qwen3-coder without tools") {
  const TextRow rows[] = {
      {"<tool_call>\n<function=clock", R"~("<tool_call>\n<function=clock")~"},
      {R"~(<tool_call><function=clock>)~", R"~(clock!unterminated_block)~"},
      {R"~(<tool_call><function=cl ock><parameter=zo ne>x</parameter></function></tool_call>)~",
       R"~(cl ock{"zo ne":"x"})~"},
  };
  check_rows(kNoTools, Json::parse(R"~({"protocol":"qwen3-coder"})~"), rows);
}

TEST_CASE("rare texts: glm-4.5 without tools") {
  const TextRow rows[] = {
      {R"~(<tool_call>a<arg_key>k</arg_key><arg_value>v</tool_call><tool_call>b<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>)~",
       R"~(a{"k":"v"} b{"k":"v"})~"},
      {R"~(<tool_call>a<arg_key>k</arg_key><arg_value>v</tool_call><tool_call><arg_key>k</arg_key><arg_value>v</arg_value></tool_call>)~",
       R"~(a!unterminated_block !missing_tool_name)~"},
  };
  check_rows(kNoTools, Json::parse(R"~({"protocol":"glm-4.5"})~"), rows);
}

TEST_CASE("rare texts: kimi-k2 without tools") {
  const TextRow rows[] = {
      {R"~(<|tool_call_begin|>clock<|tool_call_argument_begin|>{}<|tool_call_end|>)~", R"~(clock{})~"},
      {R"~(<|tool_call_begin|>call_1<|tool_call_argument_begin|>{}<|tool_call_end|>)~", R"~(call_1{})~"},
  };
  check_rows(kNoTools, Json::parse(R"~({"protocol":"kimi-k2"})~"), rows);
}

TEST_CASE("rare texts: pythonic without tools") {
  const TextRow rows[] = {
      {R"~([f({"a":1})])~", R"~("[f({\"a\":1})]")~"},
      {"```tool_code\nf(a=1)\ng()\n```", R"~(f{"a":1} g{})~"},
  };
  check_rows(kNoTools, Json::parse(R"~({"protocol":"pythonic"})~"), rows);
}

TEST_CASE("rare texts: qwen3-coder with lists") {
  const TextRow rows[] = {
      {R"~(<tool_call><function=clock><parameter=tags>(1, 2)</parameter></function></tool_call>)~",
       R"~(clock!schema)~"},
      {R"~(<tool_call><function=clock><parameter=tags><item>x</parameter></function></tool_call>)~",
       R"~(clock!schema)~"},
      {R"~(<tool_call><function=clock><parameter=tags><item>x</item> <item>y</item></parameter></function></tool_call>)~",
       R"~(clock{"tags":["x","y"]})~"},
  };
  check_rows(kLists, Json::parse(R"~({"protocol":"qwen3-coder"})~"), rows);
}

TEST_CASE("rare texts: muse-glimmer") {
  const TextRow rows[] = {
      {R"~(<|start|>assistant to=)~" + many(300, R"~(x)~") + R"~(<|message|>y)~",
       R"~("<|start|>assistant to=)~" + many(300, R"~(x)~") + R"~(<|message|>y")~"},
      {"<|start|>assistant\nto=x<|message|>y", R"~("<|start|>assistant\nto=x<|message|>y")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"muse-glimmer"})~"), rows);
}

TEST_CASE("rare texts: llama3") {
  const TextRow rows[] = {
      {R"~(<|python_tag|>{"name":"clock","parameters":{}},,x)~", R"~(clock{} ",,x")~"},
      {R"~(<|python_tag|>{"name":"clock","parameters":{}},:)~", R"~(clock{} ",:")~"},
      {R"~(<|python_tag|>{"name":"clock","parameters":{}}")~", R"~(clock!residue_in_block "\"")~"},
      {R"~(<|python_tag|>{"parameters":{}})~", R"~(!missing_tool_name)~"},
      {R"~({"name":12"x"})~", R"~("{\"name\":12\"x\"}")~"},
      {R"~(<function=clock>x</function>)~", R"~("<function=clock>x</function>")~"},
      {R"~(<function=clock>[{}]</function>)~", R"~("<function=clock>[{}]</function>")~"},
      {R"~(<function=clock>{}{"a":1}</function>)~", R"~(clock!residue_in_block)~"},
      {R"~(<function=clock>{"zone":"x"]</function>)~", R"~(clock!invalid_json)~"},
      {"```json\n\f{\"name\":\"clock\",\"parameters\":{}}\n```", R"~(clock{})~"},
      {"```json\n{\"name\":\"clock\",\"parameters\":{}}\n[\n```",
       R"~("```json\n{\"name\":\"clock\",\"parameters\":{}}\n[\n```")~"},
      {"```json\n{\"name\":\"clock\",\"parameters\":{}}\n<|eot", R"~(clock!unterminated_block)~"},
      {R"~({"name":"clock","parameters":{}} ` `` ``` ```` ````` `````` ``````` ```````` ````````` `````````` ``````````` ```````````` ````````````` `````````````` ``````````````` ```````````````` ````````````````` `````````````````` ``````````````````` ```````````````````` ````````````````````` `````````````````````` ``````````````````````` ```````````````````````` ````````````````````````` `````````````````````````` ``````````````````````````` ```````````````````````````` ````````````````````````````` `````````````````````````````` ``````````````````````````````` ```````````````````````````````` ````````````````````````````````` `````````````````````````````````` {"name":"clock","parameters":{}})~",
       R"~(clock{} " ` `` ``` ```` ````` `````` ``````` ```````` ````````` `````````` ``````````` ```````````` ````````````` `````````````` ``````````````` ```````````````` ````````````````` `````````````````` ``````````````````` ```````````````````` ````````````````````` `````````````````````` ``````````````````````` ```````````````````````` ````````````````````````` `````````````````````````` ``````````````````````````` ```````````````````````````` ````````````````````````````` `````````````````````````````` ``````````````````````````````` ```````````````````````````````` ````````````````````````````````` `````````````````````````````````` " clock!quoted)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":{"id":"llama3","code":"whole"}})~"), rows);
}

TEST_CASE("rare texts: functionary-v3") {
  const TextRow rows[] = {
      {">>>other\n", R"~(">>>other\n")~"},
      {">>>clock\n{}", R"~(clock{})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"functionary-v3"})~"), rows);
}

TEST_CASE("rare texts: functionary-v3.2") {
  const TextRow rows[] = {
      {R"~(>>>all {"a":1})~", R"~(">>>all {\"a\":1}")~"},
      {">>>all\nhi", R"~("hi")~"},
      {"all\nhi", R"~("hi")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"functionary-v3.2"})~"), rows);
}

TEST_CASE("rare texts: pythonic") {
  const TextRow rows[] = {
      {R"~([clock(zone="say " hi")])~", R"~(clock!unterminated_block)~"},
      {R"~([clock(hours=1, zone="say "hi" now")])~", R"~(clock{"hours":1,"zone":"say \"hi\" now"})~"},
      {R"~([clock(zone="x", =2)])~", R"~(clock!malformed_argument)~"},
      {R"~(<|python_start|>clock(zone=[1)x)~", R"~(clock!malformed_argument "x")~"},
      {R"~(<|python_start|>clock() junk)~", R"~(clock!unterminated_block)~"},
      {R"~(<|python_start|>[clock()] junk)~", R"~(clock{} " junk")~"},
      {"```tool_code\nclock(zone=\"x\")\nother()\n```", R"~("```tool_code\nclock(zone=\"x\")\nother()\n```")~"},
      {"```tool_code\nclock(zone=\"x\")\n```", R"~(clock{"zone":"x"})~"},
      {"```tool_code\nclock(zone=\"" + many(1100, R"~(x)~") + "\")\njunk text here\n```",
       R"~("```tool_code\nclock(zone=\")~" + many(1100, R"~(x)~") + R"~(\")\njunk text here\n```")~"},
      {R"~(<|python_start|>clock() !)~", R"~(clock!residue_in_block " !")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"pythonic"})~"), rows);
}

TEST_CASE("rare texts: gemma-4") {
  const TextRow rows[] = {
      {R"~(<|tool_call>call:clock{zone:)}<tool_call|>)~", R"~(clock{"zone":")"})~"},
      {R"~(<|tool_call>call:clock{zone=1}<tool_call|>)~", R"~(clock!malformed_argument)~"},
      {R"~(<|tool_call>call:clock{},ca)~", R"~(clock!unterminated_block)~"},
      {R"~(<|tool_call>call:clock{zone:<tool_c)~", R"~(clock!unterminated_block)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"gemma-4"})~"), rows);
}

TEST_CASE("rare texts: gpt-oss-harmony") {
  const TextRow rows[] = {
      {R"~(<|channel|>finally<|message|>x)~", R"~("x")~"},
      {R"~(to=functions.clock json<|message|>{})~", R"~("to=functions.clock json{}")~"},
      {R"~(<|channel|>commentary json code<|message|>x)~", R"~("json codex")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"gpt-oss-harmony"})~"), rows);
}

TEST_CASE("rare texts: hermes") {
  const TextRow rows[] = {
      {R"~(<tool_call></tool_call >)~", R"~(!missing_tool_name)~"},
      {R"~(<tool_call></tool_call )~", R"~("<tool_call></tool_call ")~"},
      {R"~(<tool_call>[{"name":"clock","arguments":{}}] [,{"name":"clock","arguments":{}}]</tool_call>)~",
       R"~(clock!invalid_json)~"},
      {R"~(<tool_call>{"name":12</tool_call>)~", R"~(!invalid_json)~"},
      {R"~(<tool_call>[{"name":"clock","arguments":{}} {"name":"clock","arguments":{}} {"name":"clock","arguments":{}}]</tool_call>)~",
       R"~(clock!invalid_json clock!invalid_json clock!invalid_json)~"},
      {R"~(<tool_call>{"name":"clock","arguments":{}}</tool_call)~" + many(70, R"~( )~") + R"~(>)~",
       R"~(clock!unterminated_block)~"},
      {"<tool_call>junk</tool_call>\r\nx", R"~(!missing_tool_name "\r\nx")~"},
      {"`a <tool_response> <tool_call>x <tool_response>\ny",
       R"~("`a <tool_response> <tool_call>x <tool_response>\ny")~"},
      {"`a <tool_call>x `` <think>y\n", "\"`a <tool_call>x `` \" (y\n)"},
      {"`a <tool_call>x `` <tool_response>y\n", R"~("`a <tool_call>x `` <tool_response>y\n")~"},
      {"`a <tool_call>x `` <tool_response>y ``\n", R"~("`a <tool_call>x `` <tool_response>y ``\n")~"},
      {R"~(`<tool_call>)~" + many(1000, R"~(x )~"), R"~("`<tool_call>)~" + many(1000, R"~(x )~") + R"~(")~"},
      {R"~(<think a=")~" + many(1100, R"~(x)~") + R"~(">x</think> y)~",
       R"~("<think a=\")~" + many(1100, R"~(x)~") + R"~(\">x</think> y")~"},
      {R"~(<think a=")~" + many(1100, R"~(x)~"), R"~("<think a=\")~" + many(1100, R"~(x)~") + R"~(")~"},
      {R"~(<think a  =b>x</think> y)~", R"~((x) " y")~"},
      {R"~(<think a=bc>x</think> y)~", R"~((x) " y")~"},
      {"<think>x\n```\n<think>y</think> z", "(x\n```\n<think>y) \" z\""},
      {R"~(<think><tool_response></think> z)~", R"~((<tool_response>) " z")~"},
      {"```\n<tool_response>x\n```", R"~("```\n<tool_response>x\n```")~"},
      {R"~(<think>a <tool_call>[{"name":"clock","arguments":1},{"name":"clock","arguments":2},{"arguments":{}}]</tool_call>)~",
       R"~((a <tool_call>[{"name":"clock","arguments":1},{"name":"clock","arguments":2},{"arguments":{}}]</tool_call>) clock!arguments_not_object clock!arguments_not_object !missing_tool_name)~"},
      {R"~(<think>a <tool_call>[{"name":"clock","arguments":{}},{"name":"clock","arguments":{"zone":"x"}}]</tool_call>)~",
       R"~((a <tool_call>[{"name":"clock","arguments":{}},{"name":"clock","arguments":{"zone":"x"}}]</tool_call>) clock{} clock{"zone":"x"})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes"})~"), rows);
}

TEST_CASE("rare texts: llama4-pythonic") {
  const TextRow rows[] = {
      {"<think>a\n<|python_start|>[clock(zone=\"x\")]",
       "(a\n<|python_start|>[clock(zone=\"x\")]) clock{\"zone\":\"x\"}"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"llama4-pythonic"})~"), rows);
}

TEST_CASE("rare texts: generic-json") {
  const TextRow rows[] = {
      {R"~({"tool_calls":[{"name":"clock","arguments":{}}]])~", R"~(clock!invalid_json)~"},
      {R"~({"tool_calls":[{"name":"clock","arguments":{}}]x})~", R"~(clock!invalid_json)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"generic-json"})~"), rows);
}

TEST_CASE("rare texts: xlam") {
  const TextRow rows[] = {
      {R"~({"tool":1})~", R"~("{\"tool\":1}")~"},
      {R"~({"tool_calls":[{"name":"clock","arguments":{}}]})~", R"~(clock{})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"xlam"})~"), rows);
}

TEST_CASE("rare texts: apertus") {
  const TextRow rows[] = {
      {R"~(<|tools_prefix|>[{"clock":{},"b":{}}]<|tools_suffix|>)~", R"~(clock!malformed_argument)~"},
      {R"~(<|tools_prefix|>[{"":{},"clock":{}}]<|tools_suffix|>)~", R"~(!malformed_argument)~"},
      {R"~(<|tools_prefix|>[{"cl\uZZock":{}}]<|tools_suffix|>)~", R"~(!invalid_json)~"},
      {R"~(<|tools_prefix|>[{"cl\u00":{}}]<|tools_suffix|>)~", R"~(!invalid_json)~"},
      {R"~(<|tools_prefix|>[{"cl\xZZ":{}}]<|tools_suffix|>)~", R"~(!invalid_json)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"apertus"})~"), rows);
}

TEST_CASE("rare texts: json_strict") {
  const TextRow rows[] = {
      {R"~({"tool_calls":[{'name':"clock"}]})~", R"~(!invalid_json)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"json_strict"})~"), rows);
}

TEST_CASE("rare texts: mistral") {
  const TextRow rows[] = {
      {"```\n[/THINK]\n```", R"~("```\n[/THINK]\n```")~"},
      {"[THINK]a\n```\n[/THINK] x", "(a\n```\n) \" x\""},
      {R"~([TOOL_CALLS]cl)~", R"~("[TOOL_CALLS]cl")~"},
      {R"~([TOOL_CALLS]clock</s>)~", R"~(clock!malformed_argument)~"},
      {R"~([TOOL_CALLS]cl</s>)~", R"~(!missing_tool_name)~"},
      {R"~([TOOL_CALLS]clock[ARGS]</s>)~", R"~(clock!malformed_argument)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"mistral"})~"), rows);
}

TEST_CASE("rare texts: inkling") {
  const TextRow rows[] = {
      {R"~(<|message_model|>{"name":"clock","args":{}}<|end_message|>)~", R"~("{\"name\":\"clock\",\"args\":{}}")~"},
      {R"~(<|message_model|>clock<|content_invoke_tool_json|>{"name":"clock","args":{}}<|end_message|>)~",
       R"~(clock{})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"inkling"})~"), rows);
}

TEST_CASE("rare texts: deepseek-v3") {
  const TextRow rows[] = {
      {"<｜tool▁calls▁begin｜>x{<｜tool▁call▁begin｜>function<｜tool▁sep｜>clock\n```json\n<｜tool▁call▁end｜>",
       R"~(clock!residue_in_block)~"},
      {"<｜tool▁calls▁begin｜>x{<｜tool▁call▁begin｜>function<｜tool▁sep｜>clock\n```json\n{}\n```x<｜tool▁call▁end｜>",
       R"~(clock!residue_in_block)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"deepseek-v3"})~"), rows);
}

TEST_CASE("rare texts: deepseek-v3.1") {
  const TextRow rows[] = {
      {"<｜tool▁output▁begin｜>a `x <｜tool▁call▁begin｜> <｜tool▁output▁end｜>\nb",
       R"~("<｜tool▁output▁begin｜>a `x <｜tool▁call▁begin｜> <｜tool▁output▁end｜>" "\nb")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"deepseek-v3.1"})~"), rows);
}

TEST_CASE("rare texts: minimax-m3") {
  const TextRow rows[] = {
      {R"~(]<]minimax[>[<tool_call>]<]minimax[>[</tool_call>)~",
       R"~("]<]minimax[>[<tool_call>]<]minimax[>[</tool_call>")~"},
      {R"~(]<]minimax[>[<tool_call>]<]minimax[>[<invokex name="clock">]<]minimax[>[</invoke>]<]minimax[>[</tool_call>)~",
       R"~(!missing_tool_name)~"},
      {R"~(]<]minimax[>[<tool_call>junk]<]minimax[>[<invoke name="clock">]<]minimax[>[</invoke>]<]minimax[>[</tool_call>)~",
       R"~(clock!residue_in_block)~"},
      {R"~(]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="clock">]<]minimax[>[<zone>]<]minimax[>[<x>1]<]minimax[>[</x>]<]minimax[>[<item>2]<]minimax[>[</item>]<]minimax[>[</zone>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>)~",
       R"~(clock!schema)~"},
      {R"~(]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="clock">)~" + many(130, R"~(]<]minimax[>[<a>)~") +
           many(130, R"~(]<]minimax[>[</a>)~") + R"~(]<]minimax[>[</invoke>]<]minimax[>[</tool_call>)~",
       R"~(clock!malformed_argument)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"minimax-m3"})~"), rows);
}

TEST_CASE("rare texts: minimax-m3 with options") {
  const TextRow rows[] = {
      {R"~(]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="clock">]<]minimax[>[<zone> x ]<]minimax[>[</zone>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>)~",
       R"~(clock{"zone":"x"})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":{"id":"minimax-m3","trim":true}})~"), rows);
}

TEST_CASE("rare texts: yaml-xml") {
  const TextRow rows[] = {
      {R"~(<clock x>)~", R"~("<clock x>")~"},
      {"<clock>\nzone:\n  - a: \"x\n</clock>", R"~(clock!malformed_argument)~"},
      {"<clock>\nzone:\n  - a: b: c\n</clock>", R"~(clock!schema)~"},
      {"<clock>\nzone: |\n    x\n  \t\n\n    y\n</clock>", R"~(clock{"zone":"x\n\ny\n"})~"},
      {"<clock>\nzone: |\n  x\n\t\n  y\n</clock>", R"~(clock{"zone":"x\ny\n"})~"},
      {"<clock>\nzone: |\n\t\n  y\n</clock>", R"~(clock{"zone":"y\n"})~"},
      {"<clock>\nzone: \"a\\q\"\n</clock>", R"~(clock{"zone":"a\\q"})~"},
      {"<clock>\nzone: \"a\\uZZ\"\n</clock>", R"~(clock!malformed_argument)~"},
      {"<clock>\n\"zo\\uZZne\": x\n</clock>", R"~(clock!malformed_argument)~"},
      {"<clock>\nzone:\n  " + many(125, R"~(- )~") + "a: 1\n</clock>", R"~(clock!schema)~"},
      {"<clock>\nzone:\n  " + many(126, R"~(- )~") + "a: 1\n</clock>", R"~(clock!schema)~"},
      {"<clock>\nzone:\n  " + many(127, R"~(- )~") + "a: 1\n</clock>", R"~(clock!malformed_argument)~"},
      {"<clock>\nzone:\n  " + many(128, R"~(- )~") + "a: 1\n</clock>", R"~(clock!malformed_argument)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"yaml-xml"})~"), rows);
}

TEST_CASE("rare texts: vcp with options") {
  const TextRow rows[] = {
      {R"~(<<<[TOOL_REQUEST]>>>)~", R"~("<<<[TOOL_REQUEST]>>>")~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n-<<<[END_TOOL_REQUEST]>>>", R"~(clock{})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: clock，zone:「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「", R"~(clock!unterminated_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\n「", R"~(clock!unterminated_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone<<<[END", R"~(clock!unterminated_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: clock<<<[END", R"~(clock<<<[END!unterminated_block)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name: clock", R"~(clock!unterminated_block)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":{"id":"vcp","lenient":true}})~"), rows);
}

TEST_CASE("rare texts: vcp") {
  const TextRow rows[] = {
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始」a「始」b「末」\nhours:「始」a「始」b「末」\n<<<["
       "END_TOOL_REQUEST]>>>",
       R"~(clock!opener_in_value)~"},
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始ESCAPE」a_ESCAPE] "
       "<<<[OOOO_REQUEST_ESCAPE]>>>「末ESCAPE」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"a_ESCAPE] <<<[OOOO_REQUEST_ESCAPE]>>>"})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"vcp"})~"), rows);
}

TEST_CASE("rare texts: vcp with options 2") {
  const TextRow rows[] = {
      {"<<<[TOOL_REQUEST]>>>\ntool_name:「始」clock「末」\nzone:「始」x「末」\n<<<[END_TOOL_REQUEST]>>>",
       R"~(clock{"zone":"x"})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":{"id":"vcp","serial":null}})~"), rows);
}

TEST_CASE("rare texts: hermes with options") {
  const TextRow rows[] = {
      {"```\n<tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call> </tool_call>\n```",
       R"~("```\n" clock{} "\n```")~"},
      {R"~(<tool_call>junk <tool_call> x</tool_call>)~", R"~("<tool_call>junk <tool_call> x</tool_call>")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":{"id":"hermes","code":"parse"}})~"), rows);
}

TEST_CASE("rare texts: laguna") {
  const TextRow rows[] = {
      {"<think>a\n<tool_call>junk words</tool_call>\nb</think> c", "(a\n<tool_call>junk words</tool_call>\nb) \" c\""},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"laguna"})~"), rows);
}

TEST_CASE("rare texts: hermes beside pythonic") {
  const TextRow rows[] = {
      {R"~(`" <tool_call>x [clock(zone="x")])~", R"~("`\" <tool_call>x " clock{"zone":"x"})~"},
      {R"~(`<tool_call> [)~", R"~("`<tool_call> [")~"},
      {R"~(`<tool_call> [clock(zone="x")])~", R"~("`<tool_call> " clock{"zone":"x"})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes","alsoParse":[{"id":"pythonic","code":"parse"}]})~"), rows);
}

TEST_CASE("rare texts: hermes beside lfm2") {
  const TextRow rows[] = {
      {R"~(<tool_call>{"name":"clock","arguments":{}}</tool_call><|tool_call_end|> x)~",
       R"~(clock{} "<|tool_call_end|> x")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes","alsoParse":["lfm2"]})~"), rows);
}

TEST_CASE("rare texts: llama3 beside hermes") {
  const TextRow rows[] = {
      {"```json\n{\"name\":\"clock\",\"parameters\":{}}\n</tool_call>\n```",
       R"~("```json\n{\"name\":\"clock\",\"parameters\":{}}\n</tool_call>\n```")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"llama3","alsoParse":["hermes"]})~"), rows);
}

TEST_CASE("rare texts: hermes beside ernie-4.5") {
  const TextRow rows[] = {
      {"`<tool_call>x y\nz", R"~("`<tool_call>x y\nz")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":{"id":"hermes","code":"parse"},"alsoParse":["ernie-4.5"]})~"), rows);
}

TEST_CASE("rare texts: hermes near a limit") {
  const TextRow rows[] = {
      {R"~(`<tool_call>)~" + many(300, R"~(x)~") + "\ny", R"~("`<tool_call>)~" + many(300, R"~(x)~") + R"~(\ny")~"},
      {R"~(`<tool_call>)~" + many(300, R"~(x)~") + " ``y\n",
       R"~("`<tool_call>)~" + many(300, R"~(x)~") + R"~( ``y\n")~"},
      {R"~(`<tool_call>)~" + many(300, R"~(x)~") + "<tool_call>y\n",
       R"~("`<tool_call>)~" + many(300, R"~(x)~") + R"~(<tool_call>y\n")~"},
      {many(300, R"~( )~") + R"~(</think> y)~", R"~(")~" + many(300, R"~( )~") + R"~(</think> y")~"},
      {R"~(<tool_call>{"name":"clock","arguments":{}}</tool_call>)~" + many(300, R"~( )~") + R"~(</tool_call>)~",
       R"~(clock{} ")~" + many(300, R"~( )~") + R"~(</tool_call>")~"},
      {R"~(<tool_call>{"name":"clock","arguments":{}}</tool_call>)~" + many(300, R"~( )~") + R"~(</tool)~",
       R"~(clock{} ")~" + many(300, R"~( )~") + R"~(</tool")~"},
      {R"~(<|im_end|>)~" + many(300, R"~( )~"), R"~("<|im_end|>)~" + many(300, R"~( )~") + R"~(")~"},
      {R"~(<tool_call>)~" + many(300, R"~( )~") + R"~({"name":"clock"}</tool_call>)~",
       R"~("<tool_call>)~" + many(300, R"~( )~") + R"~({\"name\":\"clock\"}</tool_call>")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes","limits":{"candidateBytes":200}})~"), rows);
}

TEST_CASE("rare texts: llama3 near a limit") {
  const TextRow rows[] = {
      {R"~(<function=clock>{"zone":")~" + many(500, R"~(x)~") + R"~("}</function> y)~", R"~(clock!oversize)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"llama3","limits":{"argumentBytes":300}})~"), rows);
}

TEST_CASE("rare texts: pythonic near a limit") {
  const TextRow rows[] = {
      {R"~([clock(zone=")~" + many(500, R"~(x)~") + R"~(")] y)~", R"~(clock!oversize)~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"pythonic","limits":{"argumentBytes":300}})~"), rows);
}

TEST_CASE("rare texts: morph-xml near a limit") {
  const TextRow rows[] = {
      {R"~(<clock><zone>a<zone>b</zone>)~" + many(500, R"~( )~") + R"~(</zone></clock> y)~",
       R"~(clock!oversize " y")~"},
      {R"~(<clock><zone>a</zone>)~" + many(500, R"~( )~") + R"~(</clock> y)~", R"~(clock!oversize " y")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"morph-xml","limits":{"argumentBytes":300}})~"), rows);
}

TEST_CASE("rare texts: hermes near a limit 2") {
  const TextRow rows[] = {
      {R"~(<think><tool_call>{"name":"clock","arguments":{"zone":")~" + many(500, R"~(x)~") + R"~("</think> y)~",
       R"~((<tool_call>{"name":"clock","arguments":{"zone":")~" + many(500, R"~(x)~") + R"~(") " y")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes","limits":{"argumentBytes":300}})~"), rows);
}

TEST_CASE("rare texts: hermes in reasoning that calls") {
  const TextRow rows[] = {
      {R"~(<think>`<tool_call>{"name":"clock","arguments":{}}</tool_call>` x</think> y)~",
       R"~((`<tool_call>{"name":"clock","arguments":{}}</tool_call>` x) " y")~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes","reasoningCalls":"execute"})~"), rows);
}

TEST_CASE("rare texts: gemma-3 in reasoning that calls") {
  const TextRow rows[] = {
      {"<think>\n```tool_code\nclock()\n```\n</think> y", "(\n```tool_code\nclock()\n```\n) \" y\""},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"gemma-3","reasoningCalls":"execute"})~"), rows);
}

TEST_CASE("rare texts: fields between markers of the host") {
  const TextRow rows[] = {
      {"@CALL_BEGIN\ntool_name:「始」clock「末」,\nzone:「始」x「末」\n#CALL_END y", R"~(clock{"zone":"x"} " y")~"},
      {"@CALL_BEGIN\ntool_name:「始」clock「末」\n@CALL_BEGIN\n#CALL_END",
       R"~(clock!nested_opener !missing_tool_name)~"},
      {"@CALL_BEGIN\ntool_name:「始」clock「末」\n#CAL", R"~(clock!unterminated_block)~"},
      {"@CALL_BEGIN\ntool_name:「始」clock「末」\n@CAL", R"~(clock!unterminated_block)~"},
      {"@CALL_BEGIN\ntool_name:「始」clock「末」\n@CALx: 「始」x「末」\n#CALL_END", R"~(clock{"@CALx":"x"})~"},
      {"@CALL_BEGIN\ntool_name:「始」clock「末」\nzone:「始」x\n#CALL_END", R"~(clock!unterminated_argument)~"},
      {"@CALL_BEGIN\nzone:「始」x", R"~("@CALL_BEGIN\nzone:「始」x")~"},
      {"@CALL_BEGIN\ntool_name:「始」clock「末」\nzone:「始」a # b @CALL_BEGIN c「末」\n#CALL_END",
       R"~(clock{"zone":"a # b @CALL_BEGIN c"})~"},
  };
  check_rows(kOwn, Json::parse(R"~({"protocol":"mine"})~"), rows);
}

TEST_CASE("rare texts: bytes that are no text") {
  const TextRow rows[] = {
      {"<tool_call>{\"name\":\"clo\xFF"
       R"~(ck","arguments":{"zone":"x"}}</tool_call>)~",
       "clo\uFFFDck!invalid_json"},
      {R"~(<tool_call>[{"name":"clock","arguments":{"zone":")~"
       "\xFF"
       R"~("}},{"name":"clock","arguments":{"zone":"x"}}]</tool_call>)~",
       R"~(clock!invalid_json clock{"zone":"x"})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes"})~"), rows);
}

TEST_CASE("rare texts: openers of a line that was read before") {
  const TextRow rows[] = {
      {"`a <tool_call>x `` <tool_call>y\n", R"~("`a <tool_call>x `` <tool_call>y\n")~"},
      {"`a <tool_call>x `` <tool_call>{\"name\":\"clock\",\"arguments\":{}}</tool_call>\n",
       R"~("`a <tool_call>x `` " clock{})~"},
  };
  check_rows(kEngine, Json::parse(R"~({"protocol":"hermes"})~"), rows);
}

TEST_CASE("rare texts: other markers of the host") {
  const TextRow angles[] = {
      {"<<<[CALL_BEGIN]]\ntool_name:「始」clock「末」\n<<<[CALL_END]]", R"~(clock{})~"},
  };
  check_rows(kAngles, Json::parse(R"~({"protocol":"mine"})~"), angles);
  const TextRow ends[] = {
      {R"~(<|im_end|><|x<|im_end|>)~", R"~("<|im_end|><|x")~"},
  };
  check_rows(kTurnEnds, Json::parse(R"~({"protocol":"hermes","alsoParse":["mine"]})~"), ends);
  const TextRow sections[] = {
      {"[[calls]]\n[[call]]\nfunctions.clock:0<|tool_call_argument_begin|>{\"zone\":\"x\"}<|tool_call_end|>"
       "<|tool_calls_section_end|>",
       R"~(clock{"zone":"x"})~"},
  };
  check_rows(kSections, Json::parse(R"~({"protocol":"mine"})~"), sections);
}

TEST_CASE("rare texts: more calls at the end of reasoning than are kept") {
  const std::string call =
      R"~(<tool_call>{"name":"clock","arguments":{"zone":")~" + many(1000, "x") + R"~("}}</tool_call>)~";
  const Json turn = {{"wire", "text"}, {"protocol", "hermes"}};
  const Parsed parsed = parse(kEngine, turn, {"<think>" + many(66, call)});
  CHECK(brief_of(parsed.blocks) == "(" + many(66, call) + ")");
}
