// Saved scanners, one in each mode: whole, with a value that is another one, cut, and loaded under other protocols.
#include <catch2/catch.hpp>

#include "../fuzz/scan_check.h"
#include "changed_value.h"

using namespace sluice;
using namespace sluice_test;

namespace {

struct Shown final : ScanSink {
  std::string text, calls;
  void on_scan_text(std::string_view utf8) override { text += utf8; }
  void on_scan_reasoning(std::string_view utf8, bool) override { text += utf8; }
  void on_call_open(std::string_view, std::string_view, size_t) override {}
  void on_call_arguments(std::string_view, size_t) override {}
  void on_call_close(std::string_view, std::vector<ParsedCall> &parsed, std::string_view raw, size_t, size_t) override {
    calls += raw;
    for (const ParsedCall &call : parsed) calls += "|" + call.name + call.arguments + std::string(call.reason);
  }
  void on_scan_diagnostic(std::string_view, std::string_view, size_t, std::string_view) override {}
};

Protocols protocols(const std::vector<std::string> &configs) {
  Protocols out;
  for (const std::string &config : configs) REQUIRE(make_protocol(config, out.emplace_back()).message == "");
  return out;
}

struct Saved {
  const char *mode, *before, *behind;
  size_t argument_bytes = 512;
};

// In each mode something of the text is kept, or waits.
const std::vector<Saved> kSaved = {
    {"text", "so `<tool_call>", "` it is\n"},
    {"tag", "<think at", "=\"x\">so</think>yes"},
    {"block", "so\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"b", "\"}}\n</tool_call>"},
    {"tail", "```\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n", "```\n"},
    {"skip",
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
     "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
     "bb\"}}</tool_call>so", 8},
    {"ends", "```\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n```\n", "\n"},
};

class Tried {
 public:
  explicit Tried(const Saved &saved, const std::vector<std::string> &configs = {R"({"id":"hermes","code":"whole"})"})
      : scanner_(make_scanner(protocols(configs), tools_,
                              {.candidate_bytes = 256, .argument_bytes = saved.argument_bytes}, {}, shown)) {
    tools_.tools = {"f"};
  }
  std::string save() const {
    std::string out;
    scanner_->save(out);
    return out;
  }
  TextScanner *operator->() { return scanner_.get(); }

  Shown shown;

 private:
  NamedTools tools_;
  std::unique_ptr<TextScanner> scanner_;
};

}  // namespace

TEST_CASE("a scanner that is saved in any mode goes on as it would have") {
  for (const Saved &saved : kSaved) {
    INFO(saved.mode);
    Tried whole(saved), first(saved), second(saved);
    whole->feed(saved.before);
    whole->feed(saved.behind);
    whole->finish();
    first->feed(saved.before);
    const std::string state = first.save();
    CHECK(Json::parse(state)["mode"] == saved.mode);
    second->load(state);
    CHECK(second.save() == state);
    second->feed(saved.behind);
    second->finish();
    CHECK(first.shown.text + second.shown.text == whole.shown.text);
    CHECK(first.shown.calls + second.shown.calls == whole.shown.calls);
  }
}

TEST_CASE("a scanner whose saved form has another value shows no more than it was given, and ends") {
  Random random(7);
  for (const Saved &saved : kSaved) {
    Tried first(saved);
    first->feed(saved.before);
    const Json state = Json::parse(first.save());
    for (size_t value = 0; value < count_values(state); ++value)
      for (int change_of_it = 0; change_of_it < 8; ++change_of_it) {
        Json changed = state;
        size_t at = value;
        change(changed, at, random);
        INFO(saved.mode << " " << changed.dump(-1, ' ', false, Json::error_handler_t::replace));
        if (!check_saved_scanner(changed.dump(-1, ' ', false, Json::error_handler_t::replace)).ok()) continue;
        Tried second(saved);
        second->load(changed.dump(-1, ' ', false, Json::error_handler_t::replace));
        second->feed(saved.behind);
        second->interrupt();
        second->feed(saved.behind);
        second->finish();
        const size_t given = std::string(saved.before).size() + 2 * std::string(saved.behind).size();
        CHECK(second.shown.text.size() <= given);
      }
  }
}

TEST_CASE("a scanner that is saved in a call is text under other protocols") {
  for (const Saved &saved : kSaved) {
    if (std::string(saved.mode) == "skip" || std::string(saved.mode) == "tag") continue;  // what was dropped stays so
    INFO(saved.mode);
    Tried first(saved), second(saved, {R"({"id":"vcp"})"});
    first->feed(saved.before);
    second->load(first.save());
    second->finish();
    const std::string kept = Json::parse(first.save())["kept"]["text"];
    CHECK(second.shown.calls == "");
    CHECK(second.shown.text + std::string(kept.size() - second.shown.text.size(), '\n') == kept);  // white space waits
  }
}
