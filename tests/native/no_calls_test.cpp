// Texts that talk about calls, hold data or code, or only contain brackets (tests/corpus/no_calls), under every
// protocol. Call syntax in code or reasoning calls nothing; elsewhere exactly the calls that the file counts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>

#include "../fuzz/scan_check.h"
#include "protocol/family/family.h"
#include "protocol/thought_calls.h"
#include "script_files.h"
#include "script_runner.h"

namespace fs = std::filesystem;
using namespace sluice_test;

namespace {

struct Way {
  std::string name;
  sluice::Protocols protocols;
};

std::shared_ptr<const sluice::Protocol> made(const std::string &config) {
  std::shared_ptr<const sluice::Protocol> out;
  const sluice::Status status = sluice::make_protocol(config, out);
  REQUIRE(status.message == "");
  return out;
}

// Each protocol alone, our own protocols together, and these with the most common family.
std::vector<Way> ways() {
  std::vector<Way> out;
  Way designed{"designed", {}};
  for (const auto &[id, config] : protocol_configs()) {
    out.push_back({id, {made(config)}});
    if (designed.protocols.size() < 5) designed.protocols.push_back(out.back().protocols[0]);
  }
  out.push_back(designed);
  designed.name = "designed+hermes";
  designed.protocols.push_back(made("\"hermes\""));
  out.push_back(designed);
  return out;
}

struct Snippet {
  std::string title, kind, text;
  std::map<std::string, size_t> calls, invalid;  // by protocol
};

// A row is `kind plain`, `calls hermes 1` or `invalid vcp 2`.
Snippet snippet_of(const PageCase &one, const std::string &file) {
  Snippet out{file + "#" + one.title, "", one.text.value(), {}, {}};
  for (const PageLine &row : one.rows) {
    std::istringstream words(row.text);
    std::string word, id;
    size_t count = 0;
    words >> word >> id;
    if (word == "kind" && words.eof())
      out.kind = id;
    else if ((word == "calls" || word == "invalid") && words >> count)
      (word == "calls" ? out.calls : out.invalid)[id] = count;
    else
      FAIL(file << ":" << row.number << ": found \"" << row.text << "\", expected a row");
  }
  static const std::set<std::string> kKinds = {"plain", "code", "reasoning", "whole", "open"};
  if (!kKinds.contains(out.kind)) FAIL(file << ":" << one.line << ": expected a kind");
  return out;
}

std::vector<Snippet> snippets(const fs::path &folder) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Snippet> out;
  for (const fs::path &path : files) {
    const std::string file = path.filename().string();
    for (const PageCase &one : read_page(read_file(path), file).cases) out.push_back(snippet_of(one, file));
  }
  return out;
}

bool may_call(const Snippet &snippet) { return snippet.kind == "open" || snippet.kind == "whole"; }

}  // namespace

TEST_CASE("texts that are no calls call nothing, and are shown as they were written") {
  const std::vector<Snippet> all = snippets(tests_folder() / "corpus" / "no_calls");
  REQUIRE(all.size() >= 320);
  NamedTools tools;
  tools.tools = {"calculator", "f",         "file.write",  "get_weather", "live2d.expression",
                 "note",       "read_file", "run_command", "search",      "write_file"};
  size_t index = 0, scans = 0;
  for (const Way &way : ways()) {
    const Scan how{way.protocols, tools};
    const MayGo may_go(way.protocols);
    for (const Snippet &snippet : all) {
      const ScanTrace trace = scan_whole(how, snippet.text);
      ++scans;
      const auto wrong = [&](const std::string &what) {
        FAIL_CHECK(way.name << " in \"" << snippet.title << "\": " << what << "\n" << trace.dump());
      };
      if (!trace.broken.empty()) wrong(trace.broken);
      if (const std::string why = lost(snippet.text, trace, may_go); !why.empty()) wrong(why);
      const auto counted = [&](const std::map<std::string, size_t> &counts) {
        const auto at = may_call(snippet) ? counts.find(way.name) : counts.end();
        return at == counts.end() ? 0 : at->second;
      };
      const size_t calls = counted(snippet.calls), invalid = counted(snippet.invalid);
      if (trace.calls != calls || trace.invalid != invalid)
        wrong("calls " + std::to_string(trace.calls) + " (expected " + std::to_string(calls) + "), invalid " +
              std::to_string(trace.invalid) + " (expected " + std::to_string(invalid) + ")");
      if (++index % 16 != 0) continue;  // cut in pieces: a sample of all pairs
      if (const std::string why = check_scan(how, snippet.text, static_cast<uint32_t>(index)); !why.empty()) wrong(why);
    }
  }
  std::printf("no calls: %zu texts, %zu scans\n", all.size(), scans);
}

namespace {

struct Ran : sluice::ScanSink {
  size_t calls = 0;
  void on_scan_text(std::string_view) override {}
  void on_scan_reasoning(std::string_view, bool) override {}
  void on_call_open(std::string_view, std::string_view, size_t) override {}
  void on_call_arguments(std::string_view, size_t) override {}
  void on_call_close(std::string_view, std::vector<sluice::ParsedCall> &done, std::string_view, size_t,
                     size_t) override {
    for (const sluice::ParsedCall &call : done) calls += call.reason.empty() ? 1 : 0;
  }
  void on_scan_diagnostic(std::string_view, std::string_view, size_t, std::string_view) override {}
};

}  // namespace

TEST_CASE("a call in open reasoning runs only if it ends an answer that ended well") {
  NamedTools tools;
  tools.tools = {"search"};
  for (const sluice::Family &family : sluice::families()) {
    const sluice::Protocols active{sluice::make_family(family, {})};
    std::string call;
    active[0]->write_call("call_1", "search", R"({"q":"x"})", call);
    if (call.empty()) continue;  // a format without calls
    const auto in_text = [&](const std::string &behind, sluice::TextEnd end) {
      Ran ran;
      const auto scanner = sluice::make_scanner(active, tools, {}, {}, ran);
      scanner->feed("<think>\nI could\n" + call + behind);
      scanner->finish(end);
      return ran.calls;
    };
    const auto in_field = [&](const std::string &behind) {
      Ran ran;
      sluice::ThoughtCalls thoughts(active, tools, {});
      thoughts.feed("I could\n" + call + behind, 0);
      thoughts.finish(ran);
      return ran.calls;
    };
    INFO(family.id << "\n" << call);
    // The last token of a call of inkling closes reasoning.
    const size_t runs = family.id == "inkling" ? 0 : 1;
    CHECK(in_text("", sluice::TextEnd::well) == runs);
    CHECK(in_text("\n", sluice::TextEnd::well) == runs);
    CHECK(in_field("\n") == 1);
    for (const sluice::TextEnd end : {sluice::TextEnd::over, sluice::TextEnd::cut}) CHECK(in_text("", end) == 0);
    for (const sluice::TextEnd end : {sluice::TextEnd::well, sluice::TextEnd::over, sluice::TextEnd::cut})
      for (const std::string behind : {"\nbut no.", "\n</think>", "\n</think>\nHi"}) CHECK(in_text(behind, end) == 0);
    CHECK(in_field("\nbut no.") == 0);
  }
}
