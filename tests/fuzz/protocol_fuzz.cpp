// Any text under any protocol: scan_check.h says what must hold; each input is asked one of it.
// SLUICE_FUZZ_PROTOCOL=<id or grammar> keeps to one protocol or to those of one grammar (json named element python
// gemma yaml harmony designed). The last two bytes choose the protocol, its options and the cuts, and are a part of the
// text: so a seed is an ordinary text file.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/utf8.h"
#include "scan_check.h"

using namespace sluice;
using namespace sluice_test;

namespace {

std::shared_ptr<const Protocol> made(const std::string &config) {
  std::shared_ptr<const Protocol> out;
  if (!make_protocol(config, out).ok()) std::abort();
  return out;
}

struct Setup {
  NamedTools tools;
  std::vector<Protocols> choices;
  std::vector<MayGo> may_go;  // of each choice
  std::vector<std::string> words;

  Setup() {
    tools.tools = fuzz_tools();
    const char *const named = std::getenv("SLUICE_FUZZ_PROTOCOL");
    const std::string only = named ? named : "";
    Protocols all;
    for (const char *options : {"", R"(,"code":"parse")", R"(,"code":"ignore","duplicates":"first","trim":false)"})
      for (const auto &[id, config] : protocol_configs(options))
        if (only.empty() || only == id || only == grammar_of(id)) choices.push_back({made(config)});
    if (only.empty() || only == "vcp" || only == "designed")
      choices.push_back({made(R"({"id":"vcp","lenient":true,"serial":"split"})")});
    if (choices.empty()) {
      std::fprintf(stderr, "SLUICE_FUZZ_PROTOCOL=%s: neither a protocol nor a grammar\n", only.c_str());
      std::abort();
    }
    if (only.empty() || only == "designed") {
      Protocols designed;
      for (size_t i = 0; i < 5; ++i) designed.push_back(choices[i][0]);
      choices.push_back(designed);
    }
    std::set<std::string> unique = {
        "\"name\":",
        "\"arguments\":",
        "\"parameters\":",
        "{\"name\":\"f\",\"arguments\":{\"a\":1}}",
        "{}",
        "[]",
        "f(a='x')",
        "[f(a=1)]",
        "get_weather",
        "```json\n",
        "\n```\n",
        "`",
        "<think>",
        "</think>",
        "\\u00e9",
        "\\ud83d",
        "\"",
        "'''",
        "</",
        "/>",
        "True",
        "null",
        "-1e9",
        "\r\n",
        "「末」",
        "tool_name:「始」f「末」",
        "「始ESCAPE」",
        "名",
        "<parameter=a>",
        "</parameter>",
        "</function>",
        "name=\"f\"",
        "key: |\n  x\n",
        "&amp;",
        "{\"tool_calls\":[",
        ":0",
    };
    for (const Protocols &choice : choices)
      for (const auto &protocol : choice) {
        for (const auto &markers : {protocol->openers(tools), protocol->closers(tools), protocol->trailers()})
          for (const Marker &marker : markers) unique.insert(marker.bytes);
        std::string call;
        protocol->write_call("call_1", "f", R"({"a":"x","b":[1,{"c":null}]})", call);
        unique.insert(call);
      }
    words.assign(unique.begin(), unique.end());
    for (const Protocols &choice : choices) may_go.emplace_back(choice);
  }
};

const Setup &setup() {
  static const Setup once;
  return once;
}

uint32_t choose(std::string_view text) {
  const auto byte = [&](size_t back) {
    return text.size() < back ? 0U : uint32_t{static_cast<uint8_t>(text[text.size() - back])};
  };
  return byte(2) << 8U | byte(1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const uint32_t chosen = choose(text) * 2654435761U;
  const size_t choice = (chosen >> 16U) % setup().choices.size();
  Scan how{setup().choices[choice], setup().tools};
  if ((chosen & 1U) != 0) how.limits = kSmallLimits;
  how.options.starts_in_reasoning = (chosen & 14U) == 2;
  how.options.calls_in_reasoning = (chosen & 14U) == 4;
  const std::string why = check_scan_once(how, setup().may_go[choice], repair_utf8(text), chosen);  // as a wire does
  if (why.empty()) return 0;
  std::fprintf(stderr, "%s, limits %zu/%zu: ", std::string(how.protocols[0]->id()).c_str(), how.limits.candidate_bytes,
               how.limits.argument_bytes);
  std::fwrite(why.data(), 1, why.size(), stderr);  // a text may hold zeros
  std::fputc('\n', stderr);
  std::abort();
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

// Half of the time a word of the formats is put in, over or in front of what is there.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  if ((seed & 1U) != 0) return LLVMFuzzerMutate(data, size, most);
  const std::string &word = setup().words[(seed >> 8U) % setup().words.size()];
  const size_t at = size == 0 ? 0 : (seed >> 3U) % (size + 1);
  const bool over = (seed & 2U) != 0;
  const size_t behind = over ? std::min(size, at + word.size()) : at;
  std::string out(reinterpret_cast<const char *>(data), at);
  out += word;
  out.append(reinterpret_cast<const char *>(data) + behind, size - behind);
  out.resize(std::min(out.size(), most));
  std::copy(out.begin(), out.end(), data);
  return out.size();
}
