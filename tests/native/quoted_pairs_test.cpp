// A quotation is never a call, whichever two formats are read: no value of a whole call, no string in a block that its
// reader rejected, no cut and no call without its closer makes the other format run what was quoted.
#include <catch2/catch.hpp>
#include <cstdio>

#include "../fuzz/scan_check.h"
#include "protocol/quiet_sink.h"
#include "quoted_call.h"

using namespace sluice_test;

namespace {

struct Format {
  std::string id;
  std::shared_ptr<const sluice::Protocol> protocol;
};

std::vector<Format> formats() {
  std::vector<Format> out;
  for (const auto &[id, config] : protocol_configs()) {
    if (id == "inline_tags") continue;  // a tag of one line cannot quote a call
    std::shared_ptr<const sluice::Protocol> protocol;
    REQUIRE(sluice::make_protocol(config, protocol).ok());
    out.push_back({id, std::move(protocol)});
  }
  return out;
}

struct Runs : sluice::QuietSink {
  bool inner = false;
  void on_call_close(std::string_view, std::vector<sluice::ParsedCall> &calls, std::string_view, size_t,
                     size_t) override {
    for (const sluice::ParsedCall &call : calls) inner = inner || (call.reason.empty() && call.name == "rm");
  }
};

struct Tools : NamedTools {
  Tools() { tools = {"note", "rm"}; }
  bool declares(std::string_view tool, std::string_view parameter) const override {
    return parameter == (tool == "note" ? "content" : "path");
  }
};

bool runs_inner(const sluice::Protocols &protocols, std::string_view text) {
  static const Tools tools;
  Runs sink;
  const auto scanner = sluice::make_scanner(protocols, tools, {}, {}, sink);
  scanner->feed(text);
  scanner->finish();
  return sink.inner;
}

}  // namespace

TEST_CASE("no call runs that a value of another format's call quotes, in any pair of formats") {
  const std::vector<Format> all = formats();
  size_t pairs = 0;
  for (const Format &outer : all)
    for (const Format &inner : all) {
      if (outer.id == inner.id) continue;
      const std::string quoted = written(*inner.protocol, "rm", "path", "/");
      const std::string said = "See " + quoted + " end";
      const std::string text = written(*outer.protocol, "note", "content", said);
      const bool tag = outer.id == "morph-xml" || outer.id == "yaml-xml";  // without the tool's name it is no call
      if (quoted.empty() || text.empty()) continue;
      if (runs_inner({outer.protocol}, text)) continue;
      ++pairs;
      const size_t value = text.rfind(" end");
      struct Shape {
        const char *name;
        std::string text;
      };
      const Shape shapes[] = {
          {"whole", text},
          {"cut in the value", text.substr(0, value + 2)},
          {"without its closer", text.substr(0, value + 4) + "\n\nAnd so on."},
          {"under a name that nobody knows", written(*outer.protocol, tag ? "note" : "nobody", "what", said)},
      };
      for (const Shape &shape : shapes)
        for (const sluice::Protocols &order :
             {sluice::Protocols{outer.protocol, inner.protocol}, sluice::Protocols{inner.protocol, outer.protocol}})
          if (runs_inner(order, shape.text))
            FAIL_CHECK(outer.id << " quotes " << inner.id << ", " << shape.name << ", "
                                << (order[0] == outer.protocol ? "first" : "second") << "\n"
                                << shape.text);
    }
  CHECK(pairs > 3000);
  std::printf("quotations in all pairs: %zu\n", pairs);
}
