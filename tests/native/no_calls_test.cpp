// Texts that talk about calls, hold data or code, or only contain brackets (tests/corpus/no_calls), under every
// protocol. Call syntax in code or reasoning calls nothing; elsewhere exactly the calls that the file counts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "../fuzz/scan_check.h"
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
  Json calls, invalid;
};

std::vector<Snippet> snippets(const fs::path &folder) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Snippet> out;
  for (const fs::path &path : files)
    for (const Json &one : Json::parse(read_file(path))) {
      std::string text;
      for (const Json &line : one["text"])
        text += (text.empty() && &line == &one["text"][0] ? "" : "\n") + std::string(line);
      out.push_back(
          {one["title"], one["kind"], text, one.value("calls", Json::object()), one.value("invalid", Json::object())});
    }
  return out;
}

// A call of these protocols ends reasoning, so it counts there; all others must find none.
bool may_call(const Snippet &snippet, const Way &way) {
  if (snippet.kind == "open" || snippet.kind == "whole") return true;
  return snippet.kind == "reasoning" && std::any_of(way.protocols.begin(), way.protocols.end(),
                                                    [](const auto &protocol) { return protocol->ends_reasoning(); });
}

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
      const size_t calls = may_call(snippet, way) ? snippet.calls.value(way.name, size_t{0}) : 0,
                   invalid = may_call(snippet, way) ? snippet.invalid.value(way.name, size_t{0}) : 0;
      if (trace.calls != calls || trace.invalid != invalid)
        wrong("calls " + std::to_string(trace.calls) + " (expected " + std::to_string(calls) + "), invalid " +
              std::to_string(trace.invalid) + " (expected " + std::to_string(invalid) + ")");
      if (++index % 16 != 0) continue;  // cut in pieces: a sample of all pairs
      if (const std::string why = check_scan(how, snippet.text, static_cast<uint32_t>(index)); !why.empty()) wrong(why);
    }
  }
  std::printf("no calls: %zu texts, %zu scans\n", all.size(), scans);
}
