// What each protocol costs the scanner, as ratios of processor time: prose against the scanner without any protocol, a
// call of twice the bytes against one, the same call in pieces of 16 bytes and in one of 1 MB, and twice as many
// openers in a row. Only the worst would matter in a list so long, but the list shows whose fault it is.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "../fuzz/scan_check.h"
#include "bench.h"
#include "protocol/quiet_sink.h"

namespace {

using namespace sluice;
using sluice_test::NamedTools;
using sluice_test::out_of_reasoning;

struct Nothing : QuietSink {
  size_t calls = 0;
  void on_call_close(std::string_view, std::vector<ParsedCall> &all, std::string_view, size_t, size_t) override {
    for (const ParsedCall &call : all) calls += call.reason.empty() ? 1 : 0;
  }
};

// Milliseconds, the best of three; `calls`: how many were read.
double scan(const Protocols &protocols, const NamedTools &tools, std::string_view text, size_t piece, size_t &calls) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    Nothing sink;
    const auto scanner = make_scanner(protocols, tools, {65536, size_t{1} << 30, 128}, {}, sink);
    const std::clock_t start = std::clock();  // of this process: others may be busy
    for (size_t at = 0; at < text.size(); at += piece) scanner->feed(text.substr(at, piece));
    scanner->finish();
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    calls = sink.calls;
  }
  return best;
}

std::string prose(size_t bytes) {
  std::string text;
  while (text.size() < bytes)
    text +=
        "The quick brown fox (vulpes vulpes) jumps over the lazy dog, and nobody minds; it has done so for years "
        "\"since "
        "1885\", they say: [1] a < b, {x}.\n";
  return text;
}

std::string long_value(size_t bytes) { return R"({"text":")" + std::string(bytes, 'x') + "\"}"; }

std::string many_values(size_t bytes) {
  std::string out = "{";
  for (size_t i = 0; out.size() < bytes; ++i)
    out.append(i == 0 ? "" : ",").append("\"key" + std::to_string(i) + R"(":"a value, and one more")");
  return out + "}";
}

// How many times dearer a byte is in the dearer one of pieces of 16 bytes and of 1 MB: a call of 1 MB, cut off and
// whole.
double of_pieces(const std::shared_ptr<const Protocol> &protocol, const NamedTools &tools) {
  std::string text = out_of_reasoning(*protocol);
  protocol->write_call("call_1", "note", many_values(size_t{1} << 20U), text);
  double worst = 1;
  for (const std::string_view part : {std::string_view(text), std::string_view(text).substr(0, text.size() - 40)}) {
    size_t calls = 0;
    const double small = scan({protocol}, tools, part, 16, calls),
                 great = scan({protocol}, tools, part, size_t{1} << 20U, calls);
    worst = std::max(worst, std::max(small, great) / std::max(0.1, std::min(small, great)));
  }
  return worst;
}

// Time for twice as many openers in a row, the worst of the protocol's.
double of_openers(const std::shared_ptr<const Protocol> &protocol, const NamedTools &tools) {
  double worst = 0;
  std::vector<Marker> openers = protocol->openers(tools);
  if (openers.size() > 8) openers.resize(8);
  for (const Marker &opener : openers)
    for (const char *behind : {"", "{\"name\":\"", "\"a\": [{"}) {
      double time[2];
      for (size_t i = 0; i < 2; ++i) {
        std::string text = out_of_reasoning(*protocol);
        while (text.size() < (i + 1) << 17U) text += opener.bytes + behind;
        size_t calls = 0;
        time[i] = scan({protocol}, tools, text, 4096, calls);
      }
      worst = std::max(worst, time[1] / std::max(0.1, time[0]));
    }
  return worst;
}

// Time for twice the bytes of one call in pieces of 8 bytes; less than 0: it was not read as a call.
double doubling(const std::shared_ptr<const Protocol> &protocol, const NamedTools &tools,
                std::string (*arguments)(size_t)) {
  double time[2];
  for (size_t i = 0; i < 2; ++i) {
    std::string text = out_of_reasoning(*protocol);
    protocol->write_call("call_1", "note", arguments((i + 1) << 20U), text);
    size_t calls = 0;
    time[i] = scan({protocol}, tools, text, 8, calls);
    if (calls == 0) return -1;
  }
  return time[1] / time[0];
}

}  // namespace

void print_protocols() {
  NamedTools tools;
  tools.tools = {"get_weather", "note", "search"};
  const std::string said = prose(size_t{1} << 20);
  size_t calls = 0;
  const double plain_tokens = scan({}, tools, said, 16, calls), plain_chunks = scan({}, tools, said, 4096, calls);
  std::printf("\nprose: the scanner without a protocol takes %.2f ms/MB in pieces of 16 bytes, %.2f ms/MB in 4096\n",
              plain_tokens, plain_chunks);
  std::printf("%-22s %12s %12s   %12s %12s %12s %12s\n", "(aim: all below 3.0)", "prose, 16", "prose, 4096",
              "2 MB / 1 MB", "many values", "16 B : 1 MB", "2n openers");
  Protocols all;
  const auto line = [&](const std::string &id, const Protocols &protocols) {
    const std::string text = out_of_reasoning(*protocols[0]) + said;
    const double tokens = scan(protocols, tools, text, 16, calls) / plain_tokens,
                 chunks = scan(protocols, tools, text, 4096, calls) / plain_chunks;
    std::printf("%-22s %12.2f %12.2f", id.c_str(), tokens, chunks);
    for (const auto arguments : {long_value, many_values}) {
      if (protocols.size() != 1 || id == "inline_tags") break;  // a tag is one short line
      const double ratio = doubling(protocols[0], tools, arguments);
      ratio < 0 ? std::printf(" %s%12s", arguments == long_value ? "  " : "", "not read")
                : std::printf(" %s%12.2f", arguments == long_value ? "  " : "", ratio);
    }
    if (protocols.size() == 1)
      std::printf(" %12.2f %12.2f", id == "inline_tags" ? 1.0 : of_pieces(protocols[0], tools),
                  of_openers(protocols[0], tools));
    std::printf("\n");
  };
  for (const auto &[id, config] : sluice_test::protocol_configs()) {
    std::shared_ptr<const Protocol> protocol;
    if (!make_protocol(config, protocol).ok()) continue;
    if (!protocol->starts_in_reasoning()) all.push_back(protocol);  // one of these would make all of it reasoning
    line(id, {protocol});
  }
  line("all of them", all);
}
