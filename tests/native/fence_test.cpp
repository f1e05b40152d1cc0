// Code and quoted lines call nothing. In formats whose models fence their calls, a fence of calls at the end of an
// answer that ended well is these calls.
#include <catch2/catch.hpp>

#include "../fuzz/scan_check.h"

using namespace sluice_test;

namespace {

struct Format {
  std::string id;
  std::shared_ptr<const sluice::Protocol> protocol;
};

std::vector<Format> formats(const std::string &options = "") {
  std::vector<Format> out;
  for (const auto &[id, config] : protocol_configs(options)) {
    INFO(config);
    REQUIRE(sluice::make_protocol(config, out.emplace_back(Format{id, {}}).protocol).ok());
  }
  return out;
}

struct Tools : NamedTools {
  Tools() { tools = {"rm", "live2d.expression"}; }
};

const Tools &tools() {
  static const Tools all;
  return all;
}

std::string call_of(const Format &format) {
  if (format.id == "inline_tags") return "[mood:glad]";
  std::string out;
  format.protocol->write_call("call_1", "rm", R"({"path":"/"})", out);
  while (out.back() == '\n') out.pop_back();
  return out;
}

std::string fence(const std::string &word, const std::string &body) { return "```" + word + "\n" + body + "\n```"; }

std::string quoted(const std::string &text) {
  std::string out = "> ";
  for (const char c : text) out += c == '\n' ? std::string("\n> ") : std::string(1, c);
  return out;
}

std::string indented(const std::string &text, const std::string &first) {
  std::string out = first;
  for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

ScanTrace scan_to(const Format &format, const std::string &text, sluice::TextEnd end = sluice::TextEnd::well) {
  ScanTrace trace;
  const auto scanner = sluice::make_scanner({format.protocol}, tools(), {}, {}, trace);
  scanner->feed(text);
  scanner->finish(end);
  return trace;
}

// gemma-3 has no other mark than its fence.
bool is_fenced(const std::string &call) { return call.starts_with("```"); }

const std::string kWords[] = {"", "json", "xml", "tool_code", "python", "text"};
const std::string kFencing[] = {"generic-json", "xlam", "gemma-3", "gemma-4", "functiongemma", "pythonic"};

}  // namespace

TEST_CASE("a fenced example of a call is text in every format") {
  for (const Format &format : formats()) {
    const std::string call = call_of(format);
    for (const std::string &word : kWords) {
      const std::string example = is_fenced(call) ? call : fence(word, call);
      for (const std::string &text :
           {"For example:\n" + example + "\nThat is how it looks.", example + "\n\nDone.", example + "\n" + call + " x",
            "- " + indented(example, "") + "\n\nIs that it?", "~~~" + word + "\n" + call + "\n~~~\nx"}) {
        if (is_fenced(call) && text.starts_with("~~~")) continue;
        const bool second = text.ends_with(" x");  // the call after the fence is one
        const ScanTrace trace = scan_to(format, text);
        INFO(format.id << "\n" << text << "\n" << trace.dump());
        if (second)
          CHECK(trace.calls <= 1);
        else
          CHECK(trace.calls == 0);
      }
    }
  }
}

TEST_CASE("a fence of a call runs only in an answer that ended well") {
  for (const Format &format : formats()) {
    const std::string call = call_of(format);
    for (const std::string &word : kWords) {
      const std::string text = "Here:\n" + (is_fenced(call) ? call : fence(word, call)) + "\n";
      for (const sluice::TextEnd end : {sluice::TextEnd::over, sluice::TextEnd::cut}) {
        const ScanTrace trace = scan_to(format, text, end);
        INFO(format.id << "\n" << text << "\n" << trace.dump());
        CHECK(trace.calls == 0);
        CHECK(trace.invalid == 0);
        CHECK(trace.shown('t').starts_with(text.substr(0, text.size() - 1)));
      }
      const bool fences = std::find(std::begin(kFencing), std::end(kFencing), format.id) != std::end(kFencing);
      const bool own = format.protocol->reads_fence(word) || is_fenced(call);
      const ScanTrace trace = scan_to(format, text);
      INFO(format.id << "\n" << text << "\n" << trace.dump());
      CHECK(trace.calls == (fences && own ? 1 : 0));
    }
  }
}

TEST_CASE("a quoted line calls nothing in any format") {
  for (const Format &format : formats()) {
    const std::string call = call_of(format);
    for (const std::string &text : {quoted(call), "As the page says:\n" + quoted(call) + "\nSo it is.",
                                    "- " + quoted(call), "1. > " + quoted(call), "  >" + quoted(call),
                                    quoted(fence("json", call)), quoted(fence("tool_code", call)) + "\n"}) {
      const ScanTrace trace = scan_to(format, text);
      INFO(format.id << "\n" << text << "\n" << trace.dump());
      CHECK(trace.calls == 0);
    }
  }
}

TEST_CASE("fences at the end of an answer are calls, in the words of their format") {
  struct Row {
    const char *id, *text;
    size_t calls;
  };
  const Row rows[] = {
      {"generic-json", "```json\n{\"name\":\"rm\",\"arguments\":{}}\n```", 1},
      {"generic-json", "So:\n\n```\n{\"name\":\"rm\",\"arguments\":{}}\n```\n<|im_end|>\n", 1},
      {"generic-json",
       "```json\n{\"name\":\"rm\",\"arguments\":{}}\n```\n\n```json\n{\"name\":\"rm\",\"arguments\":{}}\n```\n", 2},
      {"generic-json", "```json\n{\"name\":\"rm\",\"arguments\":{}}\n```\n```json\n{\"a\":1}\n```\n", 0},
      {"generic-json",
       "```json\n{\"name\":\"rm\",\"arguments\":{}}\n```\n```js\n{\"name\":\"rm\",\"arguments\":{}}\n```\n", 0},
      {"generic-json", "```json\n{\"name\":\"rm\",\"arguments\":{}}\n```\n{\"name\":\"rm\",\"arguments\":{}}", 1},
      {"generic-json", "```json\n{\"name\":\"mv\",\"arguments\":{}}\n```", 0},
      {"generic-json", "```json title\n{\"name\":\"rm\",\"arguments\":{}}\n```", 0},
      {"generic-json", "```json\n{\"name\":\"rm\",\"arguments\":{}}\n```\n<|im", 0},
      {"generic-json", "```json\n{\"name\":\"rm\",\"arguments\":{\"a\":\"\\n```\\n\"}}\n```", 1},
      {"generic-json", "- ```json\n  {\"name\":\"rm\",\"arguments\":{}}\n  ```\n", 1},
      {"xlam", "```json\n[{\"name\":\"rm\",\"arguments\":{}},{\"name\":\"rm\",\"arguments\":{}}]\n```", 2},
      {"gemma-4", "```tool_code\nrm(path='/')\n```", 1},
      {"gemma-4", "```tool_code\nrm(path='/')\n```<turn|>", 1},
      {"gemma-4", "```tool_code\ncall:rm{path:<|\"|>/<|\"|>}\n```", 1},
      {"gemma-4", "```json\nrm(path='/')\n```", 0},
      {"gemma-3", "```tool_code\nrm(path='/')\nrm(path='x')\n```\n", 2},
      {"functiongemma", "```tool_code\nrm(path='/')\n```", 1},
      {"pythonic", "```tool_code\n[rm(path='/')]\n```", 1},
      {"pythonic", "```tool_code\nrm(path='/')\n```\n```tool_code\nrm(path='x')\n```", 2},
      {"pythonic", "```python\n[rm(path='/')]\n```", 0},
  };
  const std::vector<Format> all = formats();
  for (const Row &row : rows) {
    const auto format = std::find_if(all.begin(), all.end(), [&](const Format &one) { return one.id == row.id; });
    const ScanTrace trace = scan_to(*format, row.text);
    INFO(row.id << "\n" << row.text << "\n" << trace.dump());
    CHECK(trace.calls == row.calls);
    const Scan how{{format->protocol}, tools()};
    CHECK(check_scan(how, row.text, 7) == "");
    CHECK(check_scan(how, std::string(row.text) + "\nand on", 8) == "");
    CHECK(scan_to(*format, std::string(row.text) + "\nand on").calls ==
          (row.calls == 1 && std::string_view(row.text).ends_with("}") ? 1 : 0));
  }
}

TEST_CASE("a fence of calls is held back up to limits.candidateBytes") {
  const std::vector<Format> all = formats();
  const auto format = std::find_if(all.begin(), all.end(), [](const Format &one) { return one.id == "generic-json"; });
  const auto calls = [&](size_t bytes) {
    const std::string text =
        "```json\n{\"name\":\"rm\",\"arguments\":{\"path\":\"" + std::string(bytes, 'x') + "\"}}\n```";
    CHECK(check_scan({{format->protocol}, tools(), kSmallLimits}, text, 3) == "");
    ScanTrace trace;
    const auto scanner = sluice::make_scanner({format->protocol}, tools(), kSmallLimits, {}, trace);
    scanner->feed(text);
    scanner->finish();
    return trace.calls;
  };
  CHECK(calls(100) == 1);
  CHECK(calls(300) == 0);
}

TEST_CASE("a host that reads whole fences reads the words json and none") {
  for (const Format &format : formats(R"(,"code":"whole")")) {
    if (format.id == "inline_tags") continue;
    const std::string call = call_of(format);
    if (is_fenced(call)) continue;
    for (const std::string &word : kWords) {
      const std::string example = fence(word, call);
      const ScanTrace trace = scan_to(format, example);
      INFO(format.id << "\n" << example << "\n" << trace.dump());
      if (!format.protocol->reads_fence(word)) CHECK(trace.calls == 0);
      CHECK(scan_to(format, example + "\nDone.").calls == 0);
      CHECK(check_scan({{format.protocol}, tools()}, example + "\n", 5) == "");
    }
  }
}
