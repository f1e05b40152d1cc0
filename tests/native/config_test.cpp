// Every member of the configuration: its range, its default, and what an error says.
#include "turn/config.h"

#include <catch2/catch.hpp>

#include "base/json.h"

using namespace sluice;

namespace {

Status read(std::string_view document, Config &config) {
  REQUIRE(check_json(document, 128).ok());
  return read_config(document, {"tools", "protocols", "wire", "request"}, config);
}

Config good(std::string_view document) {
  Config config;
  const Status status = read(document, config);
  INFO(document << ": " << status.path << ": " << status.message);
  REQUIRE(status.ok());
  return config;
}

std::string bad(std::string_view document, Code code = Code::json) {
  Config config;
  const Status status = read(document, config);
  INFO(document);
  CHECK(status.code == code);
  return status.path + ": " + status.message;
}

}  // namespace

TEST_CASE("an empty configuration holds the defaults, with vcp as the protocol") {
  const Config config = good("{}");
  CHECK(config.exposure.enabled);
  CHECK(config.mode == Mode::automatic);
  REQUIRE(config.protocols.size() == 1);
  CHECK(config.protocols[0]->id() == "vcp");
  CHECK(config.max_rounds == 5);
  CHECK(config.timeout_ms == 30000);
  CHECK(config.limits.depth == 128);
}

TEST_CASE("the defaults written out are accepted") {
  good(R"({"enabled":true,"mode":"auto","protocol":"vcp","alsoParse":[],"autoFallback":null,"injectTools":null,
    "loop":"automatic","dispatch":"round","stopAfterCall":false,"observeOnly":false,"execution":"serial",
    "maxConcurrentTools":4,"ask":"together","requireConfirmation":false,"resultApproval":null,"rules":[],
    "toolToggles":{},"defaultToolEnabled":true,"maxRounds":5,"forceFinalAnswer":true,"maxCalls":32,"repeatLimit":3,
    "timeoutMs":30000,"approvalTimeoutMs":0,"firstByteTimeoutMs":300000,"idleTimeoutMs":90000,"malformed":"report",
    "resultMaxBytes":65536,"resultRole":"user","reasoningCalls":"ignore","startsInReasoning":false,
    "limits":{"argumentBytes":16777216,"textBytes":8388608,"resultBytes":16777216,"candidateBytes":65536,"depth":128,
      "callsPerRound":128,"lineBytes":33554432},
    "tools":[],"protocols":[],"wire":"openai-chat","request":{},"x-mine":[1]})");
}

TEST_CASE("every member is read") {
  const Config config = good(R"({"enabled":false,"mode":"text","protocol":[{"id":"vcp"}],"alsoParse":["vcp"],
    "injectTools":"off","dispatch":"block","stopAfterCall":true,"execution":"parallel","maxConcurrentTools":2,
    "ask":"one_by_one","requireConfirmation":true,"resultApproval":"on_error",
    "rules":[{"tool":"a*","effect":"allow","scope":"session","arguments":{ "b":1, "a":2}}],
    "toolToggles":{"a":false},"defaultToolEnabled":false,"maxRounds":1,"forceFinalAnswer":false,"maxCalls":3.0,
    "repeatLimit":4,"timeoutMs":0,"approvalTimeoutMs":7,"firstByteTimeoutMs":8,"idleTimeoutMs":9,"malformed":"drop",
    "resultMaxBytes":10,"resultRole":"tool","startsInReasoning":true,
    "limits":{"argumentBytes":1,"textBytes":2,"resultBytes":3,"candidateBytes":4,"depth":5,"callsPerRound":6,
      "lineBytes":7}})");
  CHECK(!config.exposure.enabled);
  CHECK(config.mode == Mode::text);
  CHECK(config.also_parse.size() == 1);
  CHECK(config.inject == Inject::off);
  CHECK(config.dispatch_block);
  CHECK(config.stop_after_call);
  CHECK(config.parallel);
  CHECK(config.max_concurrent == 2);
  CHECK(config.one_by_one);
  CHECK(config.confirm_all);
  CHECK(config.result_approval == ResultApproval::on_error);
  REQUIRE(config.rules.size() == 1);
  CHECK(config.rules[0].arguments == R"({"a":2,"b":1})");
  CHECK(!config.exposure.toggles.at("a"));
  CHECK(!config.exposure.default_enabled);
  CHECK(config.max_rounds == 1);
  CHECK(!config.force_final_answer);
  CHECK(config.max_calls == 3);
  CHECK(config.repeat_limit == 4);
  CHECK(config.timeout_ms == 0);
  CHECK(config.approval_timeout_ms == 7);
  CHECK(config.first_byte_timeout_ms == 8);
  CHECK(config.idle_timeout_ms == 9);
  CHECK(!config.report_malformed);
  CHECK(config.result_max_bytes == 10);
  CHECK(config.results_as_tool_role);
  CHECK(config.starts_in_reasoning);
  CHECK(config.limits.argument_bytes == 1);
  CHECK(config.limits.text_bytes == 2);
  CHECK(config.limits.result_bytes == 3);
  CHECK(config.limits.candidate_bytes == 4);
  CHECK(config.limits.depth == 5);
  CHECK(config.limits.calls_per_round == 6);
  CHECK(config.limits.line_bytes == 7);
}

TEST_CASE("a turn's members replace the engine's, and limits and toggles merge") {
  Config config =
      good(R"({"maxRounds":2,"injectTools":"top","resultApproval":"always","toolToggles":{"a":true,"b":true},
    "limits":{"depth":10},"rules":[{"tool":"a","effect":"deny"}]})");
  REQUIRE(read(R"({"injectTools":null,"resultApproval":null,"toolToggles":{"b":false},"limits":{"textBytes":5},
    "rules":[]})",
               config)
              .ok());
  CHECK(config.max_rounds == 2);
  CHECK(config.inject == Inject::by_protocol);
  CHECK(!config.result_approval);
  CHECK(config.exposure.toggles.at("a"));
  CHECK(!config.exposure.toggles.at("b"));
  CHECK(config.limits.depth == 10);
  CHECK(config.limits.text_bytes == 5);
  CHECK(config.rules.empty());
}

TEST_CASE("a wrong value is told with path, value and what is allowed") {
  CHECK(bad(R"({"mode":"fast"})") == "mode: found \"fast\", expected native | text | auto");
  CHECK(bad(R"({"mode":"manual"})").find("\"loop\"") != std::string::npos);
  CHECK(bad(R"({"enabled":1})") == "enabled: found 1, expected true | false");
  CHECK(bad(R"({"maxRounds":0})") == "maxRounds: found 0, expected a whole number from 1 to 4294967295");
  CHECK(bad(R"({"maxRounds":"5"})").starts_with("maxRounds: found \"5\", expected a whole number"));
  CHECK(bad(R"({"maxCalls":1.5})").starts_with("maxCalls: found 1.5"));
  CHECK(bad(R"({"timeoutMs":-1})") == "timeoutMs: found -1, expected a whole number of at least 0");
  CHECK(bad(R"({"timeoutMs":1e300})").starts_with("timeoutMs: found 1e300"));
  CHECK(bad(R"({"timeoutMs":null})").starts_with("timeoutMs: found null"));
  CHECK(bad(R"({"idleTimeoutMs":9223372036854775807})").starts_with("idleTimeoutMs"));
  CHECK(bad(R"({"injectTools":"left"})") == "injectTools: found \"left\", expected top | bottom | off");
  CHECK(bad(R"({"resultApproval":true})").starts_with("resultApproval: found true, expected never"));
  CHECK(bad(R"({"limits":{"depth":0}})") == "limits.depth: found 0, expected a whole number from 1 to 1024");
  CHECK(bad(R"({"limits":{"depth":1025}})").starts_with("limits.depth"));
  CHECK(bad(R"({"limits":{"textBytes":0}})").starts_with("limits.textBytes"));
  CHECK(bad(R"({"limits":{"texBytes":9}})") == "limits.texBytes: unknown member; did you mean textBytes?");
  CHECK(bad(R"({"limits":[]})") == "limits: found [], expected an object");
  CHECK(bad(R"({"toolToggles":{"a":"on"}})") == "toolToggles.a: found \"on\", expected true | false");
  CHECK(bad(R"({"rules":[{"tool":"a","effect":"allow"},{"tool":"a","effect":"maybe"}]})") ==
        "rules[1].effect: found \"maybe\", expected deny | ask | allow");
  CHECK(bad(R"({"rules":{}})") == "rules: found {}, expected an array of rules");
  CHECK(bad(R"({"protocol":[]})") == "protocol: found [], expected at least one protocol");
  CHECK(bad(R"({"protocol":3})").starts_with("protocol: found 3"));
  CHECK(bad(R"({"protocol":["vcp","vcp"]})").starts_with("protocol[1]: found \"vcp\""));
  CHECK(bad(R"({"protocol":["vcp","no such protocol"]})").starts_with("protocol[1]"));
  CHECK(bad(R"({"alsoParse":"vcp"})").starts_with("alsoParse: found \"vcp\", expected an array"));
  CHECK(bad(R"({"protocols":{}})") == "protocols: found {}, expected an array");
  CHECK(bad("[]") == ": found [], expected an object");
}

TEST_CASE("an unknown member is named, with the name that was probably meant") {
  CHECK(bad(R"({"maxRound":1})") == "maxRound: unknown member; did you mean maxRounds?");
  CHECK(bad(R"({"Mode":"text"})") == "Mode: unknown member; did you mean mode?");
  CHECK(bad(R"({"tool":[]})") == "tool: unknown member; did you mean tools?");
  CHECK(bad(R"({"maxIterations":1})") == "maxIterations: unknown member; Sluice calls it maxRounds");
  CHECK(bad(R"({"timeout":1})") == "timeout: unknown member; Sluice calls it timeoutMs");
  CHECK(bad(R"({"parallelExecution":true})") ==
        "parallelExecution: unknown member; Sluice calls it execution: \"parallel\"");
  CHECK(bad(R"({"somethingElse":1})") == "somethingElse: unknown member");
  Config config;
  CHECK(read_config(R"({"tools":[]})", {"wire", "request"}, config).path == "tools");
}

TEST_CASE("what this version does not have is refused as unsupported, by path") {
  for (const char *document : {R"({"observeOnly":true})", R"({"protocols":[{"id":"mine"}]})"}) {
    const std::string told = bad(document, Code::unsupported);
    CHECK(told.starts_with(std::string(document).substr(2, std::string(document).find('"', 2) - 2) + ": found "));
  }
  CHECK(bad(R"({"autoFallback":"native"})") == "autoFallback: found \"native\", expected null | text");
  CHECK(bad(R"({"loop":"manual"})") == "loop: found \"manual\", expected automatic | user_mediated");
  CHECK(bad(R"({"observeOnly":0})") == "observeOnly: found 0, expected true | false");
}

TEST_CASE("every profile names a protocol that there is, and none hides behind another") {
  for (const Profile &profile : profiles()) {
    INFO(profile.match);
    std::shared_ptr<const Protocol> protocol;
    CHECK(make_protocol('"' + profile.protocol + '"', protocol).ok());
    std::string name = profile.match;
    std::replace(name.begin(), name.end(), '*', '-');
    CHECK(find_profile(name, {}) == &profile);
  }
}

TEST_CASE("a model's profile is found by its name as servers spell it") {
  const auto protocol_of = [](std::string_view model) {
    const Profile *const profile = find_profile(model, {});
    return profile == nullptr ? std::string() : profile->protocol;
  };
  CHECK(protocol_of("Qwen/Qwen2.5-7B-Instruct") == "hermes");
  CHECK(protocol_of("qwen3-coder:30b") == "qwen3-coder");
  CHECK(protocol_of("meta-llama/Llama-3.1-8B-Instruct") == "llama3");
  CHECK(protocol_of("Meta_Llama_3_70B") == "llama3");
  CHECK(protocol_of("deepseek-ai/DeepSeek-V3-0324") == "deepseek-v3");
  CHECK(protocol_of("DeepSeek-R1-Distill-Qwen-7B") == "hermes");
  CHECK(protocol_of("openai/gpt-oss-20b") == "gpt-oss-harmony");
  CHECK(protocol_of("ollama/unheard-of").empty());
  CHECK(find_profile("unheard-of", {{"heard*of", "hermes"}})->protocol == "hermes");
}

TEST_CASE("limits.depth of a document is known before the document is read") {
  CHECK(document_depth("{}", 128) == 128);
  CHECK(document_depth(R"({"limits":{"depth":7}})", 128) == 7);
  CHECK(document_depth(R"({"limits":{"depth":5000}})", 128) == 128);
  CHECK(document_depth(R"({"limits":{"textBytes":7}})", 64) == 64);
  CHECK(document_depth(R"({"request":{"limits":{"depth":7}}})", 128) == 128);
  CHECK(document_depth(R"({"limits":{"depth":7})", 128) == 128);
  CHECK(document_depth(R"({"limits":{"depth":300},"a":)" + std::string(200, '[') + std::string(200, ']') + "}", 128) ==
        300);
}
