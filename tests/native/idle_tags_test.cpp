// A tag whose tool is missing, hidden or switched off, or whose value does not fit, costs no request: the sentence
// around it is sent once, whatever the settings are.
#include <catch2/catch.hpp>

#include "script_runner.h"

using namespace sluice_test;

namespace {

struct Case {
  const char *name;
  Json tools;
  Json settings;
  const char *status;
  const char *reason;
};

Json expression() {
  return Json::parse(R"({"name":"live2d.expression","description":"d","agentCallable":true,"permission":"public",
    "immediate":true,"parameters":{"type":"object","properties":{"name":{"type":"string","enum":["smile"]}}},
    "ipc":{"channel":"c","payload":[{"arg":"name"}]}})");
}

Json motion(bool callable, bool ipc) {
  Json tool = Json::parse(R"({"name":"live2d.motion","description":"d","permission":"public",
    "parameters":{"type":"object","properties":{"group":{"type":"string","enum":["Wave"]}}}})");
  tool["agentCallable"] = callable;
  if (ipc) tool["ipc"] = Json::parse(R"({"channel":"c","payload":[{"arg":"group"}]})");
  return tool;
}

std::vector<Case> cases() {
  const Json off = Json::parse(R"({"toolToggles":{"live2d.motion":false}})");
  const Json denied = Json::parse(R"({"rules":[{"tool":"live2d.motion","effect":"deny"}]})");
  return {
      {"missing", {expression()}, Json::object(), "not_found", "not_found"},
      {"hidden", {expression(), motion(false, false)}, Json::object(), "not_found", "not_callable"},
      {"hidden, a message", {expression(), motion(false, true)}, Json::object(), "not_found", "not_callable"},
      {"switched off", {expression(), motion(true, false)}, off, "not_found", "disabled"},
      {"switched off, a message", {expression(), motion(true, true)}, off, "not_found", "disabled"},
      {"wrong value", {expression(), motion(true, true)}, Json::object(), "error", "schema"},
      {"denied", {expression(), motion(true, true)}, denied, nullptr, nullptr},
  };
}

}  // namespace

TEST_CASE("tags: a tag without a tool to run costs no request, whatever the settings are") {
  const std::vector<Json> settings = {
      Json::object(),
      Json::parse(R"({"stopAfterCall":true})"),
      Json::parse(R"({"checkFinal":true})"),
      Json::parse(R"({"malformed":"drop"})"),
      Json::parse(R"({"dispatch":"block"})"),
      Json::parse(R"({"loop":"user_mediated"})"),
      Json::parse(R"({"questionOrder":"one_by_one"})"),
      Json::parse(R"({"maxCalls":1,"repeatLimit":1})"),
      Json::parse(R"({"requireConfirmation":true,"malformed":"drop","stopAfterCall":true,"dispatch":"block"})"),
  };
  const std::string text = "[动作:Tap]你好[动作:Tap]。";
  for (const Case &one : cases()) {
    for (const char *mode : {R"({"alsoParse":["inline_tags"]})", R"({"mode":"text","protocol":"inline_tags"})",
                             R"({"mode":"text","protocol":"vcp","alsoParse":["inline_tags"]})"}) {
      for (const Json &more : settings) {
        // A tag that is there and fits asks, where everything asks.
        if (one.status == nullptr && more.contains("requireConfirmation")) continue;
        Json turn = Json::parse(mode);
        turn.update(one.settings);
        turn.update(more);
        turn["wire"] = "openai-chat";
        turn["request"] = Json::parse(R"({"model":"m","messages":[{"role":"user","content":"hi"}]})");
        Json done = {{"type", "done"}, {"outcome", "completed"}};
        Json steps = Json::array();
        steps.push_back({{"expect", {{{"type", "request"}, {"round", 1}}}}});
        steps.push_back({{"answer", {{{"content", text}}, {{"finish", "stop"}}}}});
        Json expected = Json::array();
        if (std::string_view(one.status == nullptr ? "" : one.status) == "not_found")
          expected.push_back({{"type", "diagnostic"}, {"code", "unknown_tag"}});
        const bool checked = more.contains("checkFinal");
        expected.push_back(checked ? Json{{"type", "final"}} : done);
        steps.push_back({{"expect", expected}, {"some", true}, {"no", {{{"type", "request"}}, {{"type", "ipc"}}}}});
        if (checked) {
          steps.push_back({{"conclude", "accept"}});
          steps.push_back({{"expect", {done}}, {"some", true}});
        }
        steps.push_back({{"get", "history"},
                         {"is", {{{"role", "assistant"}, {"content", text}, {"tool_calls", {{"$absent", true}}}}}}});
        if (one.status != nullptr)
          steps.push_back({{"get", "message"},
                           {"is",
                            {{"rounds", 1},
                             {"blocks",
                              {{{"type", "tool_use"}, {"status", one.status}, {"reason", one.reason}},
                               {{"type", "text"}, {"text", "你好"}},
                               {{"type", "tool_use"}, {"status", one.status}, {"reason", one.reason}},
                               {{"type", "text"}, {"text", "。"}}}}}}});
        const Json script = {{"about", one.name}, {"engine", {{"tools", one.tools}}}, {"turn", turn}, {"steps", steps}};
        INFO(script.dump());
        CHECK(run_script(script, true) == std::vector<std::string>());
      }
    }
  }
}
