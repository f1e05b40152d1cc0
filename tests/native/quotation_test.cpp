// A quotation is never a call: a call quoted in a value of another call does not run, even when the outer call is cut
// anywhere or has lost a part, under the same protocol or with a second one.
#include <catch2/catch.hpp>
#include <cstdio>

#include "../fuzz/scan_check.h"
#include "protocol/quiet_sink.h"
#include "quoted_call.h"
#include "sanitized.h"

using namespace sluice_test;

namespace {

std::shared_ptr<const sluice::Protocol> made(const std::string &config) {
  std::shared_ptr<const sluice::Protocol> out;
  REQUIRE(sluice::make_protocol(config, out).ok());
  return out;
}

struct Runs : sluice::QuietSink {
  std::vector<std::string> names;
  void on_call_close(std::string_view, std::vector<sluice::ParsedCall> &calls, std::string_view, size_t,
                     size_t) override {
    for (const sluice::ParsedCall &call : calls)
      if (call.reason.empty()) names.push_back(call.name);
  }
};

struct Tools : NamedTools {
  Tools() { tools = {"note", "rm", "live2d.expression"}; }
  bool declares(std::string_view tool, std::string_view parameter) const override {
    return parameter == (tool == "note" ? "content" : tool == "rm" ? "path" : "name");
  }
};

std::vector<std::string> runs(const sluice::Protocols &protocols, std::string_view text) {
  static const Tools tools;
  Runs sink;
  const auto scanner = sluice::make_scanner(protocols, tools, {}, {}, sink);
  scanner->feed(text);
  scanner->finish();
  return sink.names;
}

bool runs_inner(const sluice::Protocols &protocols, std::string_view text) {
  const std::vector<std::string> names = runs(protocols, text);
  return std::find(names.begin(), names.end(), "rm") != names.end();
}

std::string without(std::string text, std::string_view word) {
  if (const size_t at = text.find(word); at != std::string::npos) text.erase(at, word.size());
  return text;
}

}  // namespace

TEST_CASE("what a call quotes never runs when that call is cut or has lost a part") {
  std::vector<std::pair<std::string, std::shared_ptr<const sluice::Protocol>>> all;
  for (const auto &[id, config] : protocol_configs()) all.emplace_back(id, made(config));
  const std::set<std::string> beside = {"vcp",    "tool_action", "xml_tag", "json_strict", "hermes",
                                        "llama3", "pythonic",    "mistral", "qwen3-coder", "morph-xml"};
  size_t count = 0, pairs = 0;
  for (const auto &[outer_id, outer] : all) {
    for (const auto &[inner_id, inner] : all) {
      if (inner_id == "inline_tags" || outer_id == "inline_tags") continue;  // a tag of one line cannot quote a call
      const bool same = inner_id == outer_id;
      if (!same && beside.count(inner_id) == 0) continue;
      sluice::Protocols protocols = {outer};
      if (!same) protocols.push_back(inner);
      const std::string quoted = written(*inner, "rm", "path", "/");
      const std::string text = written(*outer, "note", "content", "Example: " + quoted + " and so on");
      if (runs_inner(protocols, text)) continue;  // the format cannot quote it
      if (!runs_inner({inner}, "Example: " + quoted + " and so on"))
        continue;  // or reads no call in the middle of a line
      ++pairs;
      const auto holds = [&, &outer_id = outer_id, &inner_id = inner_id](const std::string &said,
                                                                         const std::string &how) {
        ++count;
        if (runs_inner(protocols, said)) FAIL_CHECK(outer_id << " quotes " << inner_id << ", " << how << "\n" << said);
      };
      const size_t step = same ? 1 : 13;
      const bool tag = outer_id == "morph-xml" || outer_id == "yaml-xml";  // without the tool's name it is no call
      const std::string nameless = tag ? text : without(text, "note");
      for (const std::string &one : {text, nameless})
        for (size_t cut = 1; cut <= one.size(); cut += step) holds(one.substr(0, cut), "cut");
      // The markers that end the value, the call and the section.
      for (size_t from = text.rfind("and so on") + 9; from < text.size(); from += kSanitized ? 5 : 1) {
        for (size_t to = from + 1; to <= text.size(); to += step) {
          const std::string broken = text.substr(0, from) + text.substr(to);
          holds(broken, "without [" + text.substr(from, to - from) + "]");
          if (!tag) holds(without(broken, "note"), "without its name and [" + text.substr(from, to - from) + "]");
        }
      }
    }
  }
  CHECK(pairs > 300);
  std::printf("quotations: %zu pairs, %zu texts\n", pairs, count);
}

TEST_CASE("no call runs that stands in a string of what its format does not know") {
  size_t count = 0;
  for (const auto &[id, config] : protocol_configs()) {
    const std::string grammar = grammar_of(id);
    if (grammar != "json" && grammar != "element") continue;
    const sluice::Protocols protocols = {made(config)};
    const bool json = grammar == "json";
    const std::string text = written(*protocols[0], "note", "content", "v");
    std::string quoted = written(*protocols[0], "rm", "path", "/");
    if (quoted.empty()) continue;                                      // a format without calls
    if (!json) std::replace(quoted.begin(), quoted.end(), '\n', ' ');  // in residue a string ends with its line
    const size_t at = json ? text.find('{') + 1 : text.rfind('<', text.find("content"));
    const std::string before = text.substr(0, at), rest = text.substr(at);
    for (const std::string &one :
         json ? std::vector<std::string>{before + "\"k\": b'" + quoted + "', " + rest,
                                         before + "\"k\": 1\"" + quoted + "\", " + rest,
                                         before + "\"doc\": \"a\n" + quoted + "\"}"}
              : std::vector<std::string>{before + "<x a=\"" + quoted + "\">",
                                         before + "<x a=\"" + quoted + "\">" + rest, before + "<\"" + quoted + "\">"}) {
      ++count;
      if (runs_inner(protocols, one)) FAIL_CHECK(id << "\n" << one);
    }
  }
  CHECK(count > 150);
}
