// How the work of a turn grows with what it holds already.
#include "growth.h"

using namespace sluice_test;

namespace {

// A hundred ticks and pieces of text, each polled.
double tokens(Host &host) {
  const std::string text = delta(R"("content":"x")");
  return counted([&] {
    for (int i = 0; i < 100; ++i) {
      host.tick();
      host.feed(text);
      host.poll();
    }
  });
}

}  // namespace

TEST_CASE("a token and a tick take the same steps whatever the turn holds already") {
  const auto same = [](const char *what, const std::function<double(size_t)> &of) {
    const double none = of(0), many = of(500);
    INFO(what << ": " << none << " behind none, " << many << " behind 500");
    CHECK(many <= 1.1 * none);
  };
  same("finished calls of its answer", [](size_t calls) {
    Host host(engine_of(R"(,"immediate":true)"));
    size_t ran = 0;
    for (size_t i = 0; i < calls; ++i) {
      host.feed(call_delta(i, "{\"a\":" + std::to_string(i) + "}") + delta(R"("content":"x")"));
      ran += host.run();
    }
    REQUIRE(ran == calls);
    return tokens(host);
  });
  same("blocks", [](size_t blocks) {
    Host host(engine_of());
    for (size_t i = 0; i < blocks; ++i) host.feed(delta(R"("reasoning_content":"y")") + delta(R"("content":"x")"));
    host.poll();
    return tokens(host);
  });
  same("answers with a call each", [](size_t rounds) {
    Host host(engine_of());
    for (size_t i = 0; i < rounds; ++i) {
      host.feed(delta(R"("content":"x")") + call_delta(0, "{\"a\":" + std::to_string(i) + "}"));
      host.end();
      REQUIRE(host.run() == 1);
    }
    return tokens(host);
  });
  same("messages of the conversation", [](size_t messages) {
    std::string list = R"([{"role":"user","content":"x"})";
    for (size_t i = 0; i < messages; ++i)
      list += R"(,{"role":"assistant","content":"y"},{"role":"user","content":"x"})";
    Host host(engine_of(), R"("wire":"openai-chat")", list + "]");
    return tokens(host);
  });
}

TEST_CASE("a piece of a text protocol takes the same steps behind no finished calls and behind a thousand") {
  const auto token = [](size_t calls) {
    Host host(engine_of(R"(,"immediate":true)"), R"("wire":"openai-chat","mode":"text","protocol":"hermes")");
    size_t ran = 0;
    for (size_t i = 0; i < calls; ++i) {
      host.feed(delta(R"("content":"<tool_call>\n{\"name\":\"t\",\"arguments\":{\"a\":)" + std::to_string(i) +
                      R"(}}\n</tool_call> and ")"));
      ran += host.run();
    }
    REQUIRE(ran == calls);
    return tokens(host);
  };
  const double none = token(0), many = token(1000);
  INFO(none << " behind none, " << many << " behind 1,000");
  CHECK(many <= 1.1 * none);
}

TEST_CASE("a result takes the same steps among a hundred calls and among a thousand") {
  const auto results = [](size_t calls, const char *members) {
    Host host(R"({"tools":[)" + std::string(kTool) + "}]," + members + kMuch);
    for (size_t i = 0; i < calls; ++i) host.feed(call_delta(i, "{\"a\":" + std::to_string(i) + "}"));
    host.end();
    size_t ran = 0;
    const double all = counted([&] { ran = host.run(); });
    REQUIRE(ran == calls);
    return all / static_cast<double>(calls);
  };
  for (const char *members : {R"("execution":"serial")", R"("execution":"parallel")"}) {
    const double few = results(100, members), many = results(1000, members);
    INFO(members << ": " << few << " among 100, " << many << " among 1,000");
    CHECK(many <= 1.5 * few);
  }
}

TEST_CASE("what comes behind closed arguments takes the same steps however long they are") {
  const auto fragments = [](size_t bytes) {
    Host host(engine_of());
    host.feed(call_delta(0, R"({"a":")" + std::string(bytes, 'x') + "\"}"));
    const std::string more = call_delta(0, R"({"b":1)", false);
    for (int i = 0; i < 3; ++i) host.feed(more);  // whether the arguments are closed is checked once
    host.poll();
    return counted([&] {
      for (int i = 0; i < 100; ++i) host.feed(more);
      host.poll();
    });
  };
  const double small = fragments(10000), great = fragments(1000000);
  INFO(small << " behind 10 KB, " << great << " behind 1 MB");
  CHECK(great <= 1.1 * small);
}

TEST_CASE("twice the pieces of a name, twice the tools, take at most 2.4 times the steps") {
  const auto names = [](size_t pieces) {
    Host host(engine_of());
    return counted([&] {
      for (size_t i = 0; i < pieces; ++i)
        host.feed(delta(R"("tool_calls":[{"index":0,"id":"c","function":{"name":"ab)" + std::to_string(i % 90 + 10) +
                        "\"}}]"));
      host.poll();
    });
  };
  const double few = names(1000), more = names(2000);
  INFO("pieces of a name: " << few << ", then " << more);
  CHECK(more <= 2.4 * few);

  const auto turns = [](size_t tools) {
    std::string list;
    for (size_t i = 0; i < tools; ++i)
      list += (i == 0 ? "" : ",") + std::string(R"({"name":"t)") + std::to_string(i) +
              R"(","permission":"public","agentCallable":true,"parameters":{"type":"object"}})";
    const std::string engine = R"({"tools":[)" + list + "]}";
    return counted([&] { Host host(engine); });
  };
  const double some = turns(1000), twice = turns(2000);
  INFO("tools: " << some << ", then " << twice);
  CHECK(twice <= 2.4 * some);
}
