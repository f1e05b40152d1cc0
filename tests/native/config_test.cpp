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

std::string bad(std::string_view document) {
  Config config;
  const Status status = read(document, config);
  INFO(document);
  CHECK(status.code == Code::json);
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
    "maxConcurrentTools":4,"questionOrder":"together","requireConfirmation":false,"resultApproval":null,"rules":[],
    "toolToggles":{},"defaultToolEnabled":true,"maxRounds":5,"forceFinalAnswer":true,"maxCalls":32,"repeatLimit":3,
    "timeoutMs":30000,"approvalTimeoutMs":0,"firstByteTimeoutMs":300000,"idleTimeoutMs":90000,"finishReasons":{},"malformed":"report",
    "resultMaxBytes":65536,"resultRole":"user","reasoningCalls":"ignore","startsInReasoning":false,
    "limits":{"argumentBytes":16777216,"textBytes":8388608,"resultBytes":16777216,"candidateBytes":65536,"depth":128,
      "callsPerRound":128,"lineBytes":33554432,"nested":4},
    "tools":[],"protocols":[],"wire":"openai-chat","request":{},"x-mine":[1]})");
}

TEST_CASE("every member is read") {
  const Config config = good(R"({"enabled":false,"mode":"text","protocol":[{"id":"vcp"}],"alsoParse":["vcp"],
    "injectTools":"off","dispatch":"block","stopAfterCall":true,"execution":"parallel","maxConcurrentTools":2,
    "questionOrder":"one_by_one","requireConfirmation":true,"resultApproval":"on_error",
    "rules":[{"tool":"a*","effect":"allow","scope":"session","arguments":{ "b":1, "a":2}}],
    "toolToggles":{"a":false},"defaultToolEnabled":false,"maxRounds":1,"forceFinalAnswer":false,"maxCalls":3.0,
    "repeatLimit":4,"timeoutMs":0,"approvalTimeoutMs":7,"firstByteTimeoutMs":8,"idleTimeoutMs":9,"malformed":"drop",
    "resultMaxBytes":10,"resultRole":"tool","startsInReasoning":true,
    "limits":{"argumentBytes":1,"textBytes":2,"resultBytes":3,"candidateBytes":4,"depth":5,"callsPerRound":6,
      "lineBytes":7,"nested":8}})");
  CHECK(!config.exposure.enabled);
  CHECK(config.mode == Mode::text);
  CHECK(config.also_parse.size() == 1);
  CHECK(config.inject == Inject::off);
  CHECK(config.dispatch == Dispatch::block);
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
  CHECK(config.limits.nested == 8);
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

TEST_CASE("what has several forms says which") {
  CHECK(bad(R"({"autoFallback":"native"})") ==
        "autoFallback: found \"native\", expected null | text | an object with on");
  CHECK(bad(R"({"autoFallback":{}})").ends_with("expected null | text | an object with on"));
  CHECK(bad(R"({"autoFallback":{"in":[]}})") == "autoFallback.in: unknown member; did you mean on?");
  CHECK(bad(R"({"autoFallback":{"on":"text"}})") == "autoFallback.on: found \"text\", expected an array of reasons");
  CHECK(bad(R"({"autoFallback":{"on":["tools_unsupported","thought_signature"]}})") ==
        "autoFallback.on[1]: found \"thought_signature\", expected tools_unsupported | signature | template | schema");
  CHECK(bad(R"({"loop":"manual"})") == "loop: found \"manual\", expected automatic | user_mediated");
  CHECK(bad(R"({"observeOnly":0})") == "observeOnly: found 0, expected true | false");
  CHECK(bad(R"({"observeOnly":{"result":{}}})").starts_with("observeOnly.result: unknown member"));
}

TEST_CASE("every profile names a protocol that there is, and none hides behind another") {
  for (const Profile &profile : profiles()) {
    INFO(profile.match);
    std::shared_ptr<const Protocol> protocol;
    CHECK(make_protocol('"' + profile.protocol + '"', protocol).ok());
    std::string name = profile.match;
    std::replace(name.begin(), name.end(), '*', '-');
    if (name.ends_with('.')) name += '1';
    CHECK(find_profile(name, {}) == &profile);
  }
}

TEST_CASE("a model's profile is found by its name as servers spell it") {
  const auto protocol_of = [](std::string_view model) {
    const Profile *const profile = find_profile(model, {});
    return profile == nullptr ? std::string() : profile->protocol;
  };
  for (const auto &[model, protocol] : std::initializer_list<std::pair<const char *, const char *>>{
           {"Qwen/Qwen2.5-7B-Instruct", "hermes"},
           {"Qwen/Qwen2.5-Coder-7B-Instruct", "generic-json"},
           {"Qwen/Qwen3-8B", "hermes"},
           {"Qwen/Qwen3-VL-30B-A3B-Instruct", "hermes"},
           {"qwen3-coder:30b", "qwen3-coder"},
           {"Qwen/Qwen3-Coder-Next", "qwen3-coder"},
           {"Qwen/Qwen3.6-35B-A3B", "qwen3-coder"},
           {"Qwen/Qwen3.7-35B", "qwen3-coder"},
           {"Qwen/QwQ-32B", "hermes"},
           {"meta-llama/Llama-3.1-8B-Instruct", "llama3"},
           {"Meta_Llama_3_70B", "llama3"},
           {"llama3.2:3b", "llama3"},
           {"hf.co/unsloth/Llama-4-Scout-17B-16E-Instruct-GGUF:Q4_K_M", "llama4-pythonic"},
           {"deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"},
           {"deepseek/deepseek-chat-v3.1", "deepseek-v3.1"},
           {"deepseek-chat", "deepseek-v3.2"},
           {"deepseek-ai/DeepSeek-V4.1-Pro", "deepseek-v4"},
           {"DeepSeek-R1-Distill-Qwen-7B", "hermes"},
           {"deepseek-r1:14b", "deepseek-v3"},
           {"openai/gpt-oss-20b", "gpt-oss-harmony"},
           {"NousResearch/Hermes-3-Llama-3.1-8B", "hermes"},
           {"nvidia/Llama-3_3-Nemotron-Super-49B-v1_5", "nemotron-nano-v2"},
           {"nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron-nano-v2"},
           {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B", "nemotron3-nano"},
           {"moonshotai/Kimi-K2.5", "kimi-k2"},
           {"moonshotai/Kimi-K3", "kimi-k3"},
           {"zai-org/GLM-4.6V", "glm-4.5"},
           {"zai-org/GLM-5.3-Flash", "glm-4.7"},
           {"THUDM/GLM-4-32B-0414", "glm-4-0414"},
           {"THUDM/GLM-Z1-9B-0414", "glm-4-0414"},
           {"inclusionAI/Ling-3.0-flash", "glm-4.7"},
           {"inclusionAI/Ring-3.0-1T", "glm-4.7"},
           {"inclusionAI/Ling-flash-2.0", "hermes"},
           {"inclusionAI/Ring-mini-2.0", "hermes"},
           {"inclusionAI/Ring-2.5-1T", "hermes"},
           {"inclusionAI/Ling-1T", "hermes"},
           {"MiniMaxAI/MiniMax-M2.5", "minimax-m2"},
           {"mistral", "mistral"},
           {"mistral:7b", "mistral"},
           {"mistralai/Mistral-7B-Instruct-v0.3", "mistral"},
           {"mistralai/Mistral-Small-24B-Instruct-2501", "mistral"},
           {"mistralai/Mistral-Large-3-675B-Instruct-2512", "mistral"},
           {"mistralai/Mixtral-8x22B-Instruct-v0.1", "mistral"},
           {"mistralai/Devstral-2-123B-Instruct-2512", "mistral"},
           {"ibm-granite/granite-3.3-8b-instruct", "granite-3"},
           {"ibm-granite/granite-4.0-h-small", "granite-4"},
           {"granite4:tiny-h", "granite-4"},
           {"microsoft/Phi-4-mini-instruct", "phi4-mini"},
           {"CohereLabs/c4ai-command-r-08-2024", "command-r-plus"},
           {"CohereLabs/c4ai-command-r7b-12-2024", "command-r7b"},
           {"CohereLabs/c4ai-command-a-03-2025", "command-r7b"},
           {"ai21labs/AI21-Jamba-Mini-1.7", "jamba"},
           {"internlm/Intern-S1", "internlm2"},
           {"tencent/Hunyuan-7B-Instruct", "hunyuan-a13b"},
           {"tencent/Hy4-preview", "hunyuan-v3"},
           {"tencent/HunYuan-V4", "hunyuan-v3"},
           {"baidu/ERNIE-4.5-21B-A3B-PT", "ernie-4.5"},
           {"ai-sage/GigaChat3-10B-A1.8B", "gigachat3"},
           {"ai-sage/GigaChat3.5-432B-A28B", "gigachat3.5"},
           {"meituan-longcat/LongCat-2.0-Preview", "longcat"},
           {"LGAI-EXAONE/EXAONE-4.0.1-32B", "hermes"},
           {"XiaomiMiMo/MiMo-V2-Flash", "mimo"},
           {"XiaomiMiMo/MiMo-V2.6", "mimo"},
           {"arcee-ai/Trinity-Mini", "hermes"},
           {"iflytek/Spark-2.5-13B", "glm-4.5"},
           {"naver-hyperclovax/HyperCLOVAX-SEED-Think-32B", "glm-4.5"},
           {"naver-hyperclovax/HyperCLOVAX-SEED-Think-14B", "hyperclovax"},
           {"openbmb/MiniCPM-V-4.6", "qwen3-coder"},
           {"llm-jp/llm-jp-4.1-8b", "gpt-oss-harmony"},
           {"upstage/Solar-Open-100B", "solar-open"},
           {"upstage/Solar-Open2-250B", "solar-open2"},
           {"LLM360/K2-Horizon-7B", "k2-horizon"},
           {"dots-studio/dots-3-note-preview", "dots"},
           {"meta-models/Muse-Glimmer-30B", "muse-glimmer"},
           {"pfnet/plamo-3-nict-31b", "plamo-3"},
           {"IQuestLab/IQuest-Coder-V2", "iquest"},
           {"IQuestLab/IQuest-Coder-V1-40B-Instruct", "hermes"},
           {"IQuestLab/IQuest-Coder-V1-7B-Thinking", "qwen3-coder"},
           {"FreedomIntelligence/openPangu-Embedded-7B", "pangu"},
           {"openPangu-2.0-Flash", "pangu"},
           {"swiss-ai/Apertus-8B-Instruct-2509", "apertus"},
           {"swiss-ai/Apertus-1.5-8B", "apertus"},
           {"kolibri-1-7b", "hermes"},
           {"NousResearch/NousCoder-14B", "hermes"},
           {"Alibaba-NLP/Tongyi-DeepResearch-30B-A3B", "hermes"},
           {"miromind-ai/MiroThinker-v1.5-30B", "mcp-xml"},
           {"ornith:9b", "qwen3-coder"},
           {"BerryLM-30B", "qwen3-coder"},
           {"stepfun-ai/Step-DeepResearch", "step3"},
           {"stepfun-ai/Step-3.5-Flash", "step3.5"},
           {"stepfun-ai/step3", "step3"},
           {"stepfun-ai/Step-Audio-2-mini", "step-audio-2"},
           {"tiiuae/Falcon-H1-7B-Instruct", "hermes"},
           {"Nanbeige/Nanbeige4.1-3B", "hermes"},
           {"janhq/Jan-v1-4B", "hermes"},
           {"anthropic.claude-3-5-sonnet", "anthropic-xml"},
       }) {
    INFO(model);
    CHECK(protocol_of(model) == protocol);
  }
  CHECK(find_profile("unheard-of", {{"heard*of", "hermes"}})->protocol == "hermes");
}

TEST_CASE("a model of a generation that nobody knows is not taken for an older one") {
  for (const char *const model : {
           "ollama/unheard-of",
           "Qwen/Qwen4-8B",
           "Qwen/Qwen3.9-35B",
           "inclusionAI/Ling-flash-4.0",
           "openPangu-3.0",
           "swiss-ai/Apertus-2-8B",
           "IQuestLab/IQuest-Coder-V3",
           "qwen32",
           "meta-llama/Llama-5-8B",
           "ibm-granite/granite-5.0-8b",
           "nvidia/Nemotron-4-340B-Instruct",
           "stepfun-ai/Step-4",
           "baidu/ERNIE-5.0",
           "microsoft/Phi-5",
           "allenai/Olmo-4-7B",
           "HuggingFaceTB/SmolLM4",
           "deepseek-ai/DeepSeek-V5",
           "deepseek-ai/NewThing",
           "moonshotai/Kimi-K4",
           "zai-org/GLM-6",
           "MiniMaxAI/MiniMax-M4",
           "mistralai/Mistral-Small-5",
           "mistralai/NewThing-24B",
           "google/gemma-5-12b",
           "tencent/Hunyuan-V5",
           "ai-sage/GigaChat4",
           "NousResearch/Hermes-5",
           "upstage/Solar-Open-3",
           "Kwaipilot/KAT-Coder",
           "internlm/Intern-S2",
       }) {
    INFO(model);
    const Profile *const profile = find_profile(model, {});
    CHECK((profile == nullptr ? std::string() : profile->protocol).empty());
  }
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
