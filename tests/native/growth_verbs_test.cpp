// Twice the bytes take twice the work: on every wire, of every verb, in every document.
#include <nlohmann/json.hpp>

#include "growth.h"
#include "wire_voices.h"

using namespace sluice_test;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kWires[] = {"openai-chat", "openai-responses",    "anthropic",
                                  "gemini",      "gemini-interactions", "ollama"};
constexpr int32_t kDocuments[] = {SLUICE_GET_REQUEST, SLUICE_GET_MESSAGE, SLUICE_GET_HISTORY, SLUICE_GET_TOOLS,
                                  SLUICE_GET_PROMPT,  SLUICE_GET_STATE,   SLUICE_GET_ERROR};

std::string on(const std::string &wire) { return "\"wire\":\"" + wire + "\",\"execution\":\"parallel\""; }

std::string quoted(const std::string &text) { return json_string(text); }

// So many bytes of words, with what JSON escapes.
std::string words(size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += "a \"word\" and\n";
  return out;
}

// ---- answers, as deltas of openai-chat ----

Json call_head(size_t index) {
  const std::string id = "c" + std::to_string(index);
  return {{"index", index}, {"id", id}, {"type", "function"}, {"function", {{"name", "t"}, {"arguments", ""}}}};
}
Json call_piece(size_t index, const std::string &text) {
  return {{"index", index}, {"function", {{"arguments", text}}}};
}
Json of_calls(Json call) { return {{"tool_calls", Json::array({std::move(call)})}}; }

struct Answer {
  const char *what, *finish;
  std::function<std::vector<Json>(size_t)> deltas;  // of so many pieces
};

const Answer kAnswers[] = {
    {"pieces of text", "stop",
     [](size_t count) {
       return std::vector<Json>(count, Json{{"content", " token"}});
     }},
    {"one piece of text", "stop",
     [](size_t count) {
       return std::vector<Json>{Json{{"content", words(40 * count)}}};
     }},
    {"pieces of reasoning", "stop",
     [](size_t count) {
       return std::vector<Json>(count, Json{{"reasoning_content", " token"}});
     }},
    {"blocks", "stop",
     [](size_t count) {
       std::vector<Json> out;
       for (size_t i = 0; i < count / 2; ++i) {
         out.push_back({{"reasoning_content", "y"}});
         out.push_back({{"content", "x"}});
       }
       return out;
     }},
    {"pieces of arguments", "tool_calls",
     [](size_t count) {
       std::vector<Json> out = {of_calls(call_head(0)), of_calls(call_piece(0, R"({"a":")"))};
       for (size_t i = 0; i < count; ++i) out.push_back(of_calls(call_piece(0, " token")));
       out.push_back(of_calls(call_piece(0, "\"}")));
       return out;
     }},
    {"one piece of arguments", "tool_calls",
     [](size_t count) {
       return std::vector<Json>{of_calls(call_head(0)),
                                of_calls(call_piece(0, "{\"a\":" + quoted(words(40 * count)) + "}"))};
     }},
    {"calls", "tool_calls",
     [](size_t count) {
       std::vector<Json> out;
       for (size_t i = 0; i < count / 4; ++i) {
         out.push_back(of_calls(call_head(i)));
         out.push_back(of_calls(call_piece(i, "{\"a\":" + std::to_string(i) + "}")));
       }
       return out;
     }},
};

void read(Host &host, const std::string &body, size_t piece) {
  for (size_t at = 0; at < body.size(); at += piece) {
    host.feed(std::string_view(body).substr(at, piece));
    host.poll();
  }
  sluice_turn_finish(host.turn(), SLUICE_END_COMPLETE, nullptr, 0);
  host.run(false);
}

std::string body_of(const std::string &wire, const Answer &answer, size_t count) {
  return spoken(wire, {answer.deltas(count), answer.finish, true, true});
}

// ---- calls that wait, each for the same verb ----

// So many calls: told to run, or asked about where the tool asks.
void call_often(Host &host, size_t count) {
  for (size_t i = 0; i < count; ++i) host.feed(call_delta(i, "{\"a\":" + std::to_string(i) + "}"));
  host.end();
  host.poll();
}

struct Verb {
  const char *what;
  bool asks;  // about the call, before it runs
  std::function<int32_t(sluice_turn *, uint32_t, const std::string &)> use;
};

std::string object(const std::string &text) { return "{\"b\":" + quoted(text) + "}"; }

const Verb kVerbs[] = {
    {"approve", true,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_approve(turn, call, SLUICE_ONCE, object(text).c_str(), object(text).size());
     }},
    {"approve for the turn", true,
     [](sluice_turn *turn, uint32_t call, const std::string &) {
       return sluice_turn_approve(turn, call, SLUICE_TURN + SLUICE_EXACT, nullptr, 0);
     }},
    {"deny", true,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_deny(turn, call, text.data(), text.size());
     }},
    {"refuse", true,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_refuse(turn, call, text.data(), text.size());
     }},
    {"cancel", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_cancel(turn, call, text.data(), text.size());
     }},
    {"judge", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       std::string rules = "[";
       for (size_t i = 0; i <= text.size() / 50; ++i)
         rules += std::string(i == 0 ? "" : ",") + R"({"tool":"t)" + std::to_string(i) + R"(","effect":"deny"})";
       rules += "]";
       return sluice_turn_judge(turn, call, rules.data(), rules.size());
     }},
    {"resolve", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_resolve(turn, call, object(text).c_str(), object(text).size());
     }},
    {"a result", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_submit(turn, call, SLUICE_RESULT, text.data(), text.size());
     }},
    {"a result of JSON", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_submit(turn, call, SLUICE_RESULT_JSON, object(text).c_str(), object(text).size());
     }},
    {"a result of parts", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       std::string parts = "[";
       for (size_t i = 0; i <= text.size() / 50; ++i)
         parts += (i == 0 ? "" : ",") + std::string(R"({"type":"text","text":"a part of the result, and more"})");
       parts += "]";
       return sluice_turn_submit(turn, call, SLUICE_RESULT_PARTS, parts.data(), parts.size());
     }},
    {"a failure", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_submit(turn, call, SLUICE_FAILURE, text.data(), text.size());
     }},
    {"progress", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       return sluice_turn_submit(turn, call, SLUICE_PROGRESS, text.data(), text.size());
     }},
    {"a rewritten result", false,
     [](sluice_turn *turn, uint32_t call, const std::string &text) {
       const std::string both =
           "{\"output\":{\"text\":" + quoted(text) + "},\"hostOutput\":{\"text\":" + quoted(text) + "}}";
       return sluice_turn_submit(turn, call, SLUICE_REWRITTEN, both.data(), both.size());
     }},
};

std::string engine_for(const Verb &verb) {
  const std::string permission = verb.asks ? "sensitive" : "public";
  return R"({"tools":[{"name":"t","permission":")" + permission +
         R"(","agentCallable":true,"parameters":{"type":"object"}}],"resultMaxBytes":100000000,"execution":"parallel","maxConcurrentTools":100000)" +
         kMuch;
}

}  // namespace

TEST_CASE("twice the bytes of an answer take at most 2.1 times the steps on every wire, and so do all documents") {
  for (const char *wire : kWires)
    for (const Answer &answer : kAnswers) {
      const std::string what = std::string(wire) + ", " + answer.what;
      // Calls of the Responses API that all stay open, up to 4,096 of them, are looked for among those that are open.
      // One large piece of arguments is copied once more.
      const bool open = what == "openai-responses, calls", large = what == "openai-chat, one piece of arguments";
      const double most = open ? 2.4 : large ? 2.2 : 2.1;
      for (const size_t piece : {size_t{100}, size_t{1} << 20U})
        takes_at_most_twice(
            what + ", pieces of " + std::to_string(piece), 500,
            [&](size_t count) {
              const std::string body = body_of(wire, answer, count);
              Host host(engine_of(), on(wire));
              return counted([&] { read(host, body, piece); });
            },
            most);
      for (const int32_t document : kDocuments)
        takes_at_most_twice(what + ", document " + std::to_string(document), 1000, [&](size_t count) {
          Host host(engine_of(), on(wire));
          read(host, body_of(wire, answer, count), size_t{1} << 20U);
          return counted([&] { host.get(document); }) + 1;
        });
      takes_at_most_twice(what + ", restored", 500, [&](size_t count) {
        Host host(engine_of(), on(wire));
        const std::string body = body_of(wire, answer, count);
        host.feed(std::string_view(body).substr(0, body.size() * 9 / 10));
        const std::string state = host.get(SLUICE_GET_STATE);
        REQUIRE(!state.empty());
        return counted([&] { sluice_turn_free(sluice_turn_restore(host.engine(), state.data(), state.size())); });
      });
    }
}

TEST_CASE("twice the bytes that a verb is given take at most 2.1 times the steps, polled and in every document") {
  for (const Verb &verb : kVerbs)
    takes_at_most_twice(verb.what, 10000, [&](size_t bytes) {
      Host host(engine_for(verb));
      call_often(host, 1);
      const std::string text = words(bytes);
      return counted([&] {
        if (verb.use(host.turn(), 1, text) < 0) FAIL(verb.what << ": " << host.get(SLUICE_GET_ERROR));
        host.run(false);
        for (const int32_t document : kDocuments) host.get(document);
      });
    });
}

TEST_CASE("twice the calls about which a host decides take at most 2.1 times the steps") {
  for (const Verb &verb : kVerbs)
    takes_at_most_twice(verb.what, 250, [&](size_t calls) {
      Host host(engine_for(verb));
      call_often(host, calls);
      return counted([&] {
        for (uint32_t call = 1; call <= calls; ++call) {
          if (verb.use(host.turn(), call, "x") < 0) FAIL(verb.what << ": " << host.get(SLUICE_GET_ERROR));
          host.poll();
        }
        host.run(false);
      });
    });
}

TEST_CASE("twice the bytes that come with an answer, or are asked for, take at most 2.1 times the steps") {
  takes_at_most_twice("headers", 10000, [](size_t bytes) {
    Host host(engine_of());
    std::string headers = "{\"x-request-id\":" + quoted(words(bytes / 2));
    for (size_t i = 0; i < bytes / 50; ++i) headers += ",\"x-" + std::to_string(i) + "\":\"a value\"";
    headers += "}";
    return counted([&] { CHECK(sluice_turn_response(host.turn(), 200, headers.data(), headers.size()) == SLUICE_OK); });
  });
  takes_at_most_twice("an error's body", 10000, [](size_t bytes) {
    Host host(engine_of());
    CHECK(sluice_turn_response(host.turn(), 500, nullptr, 0) == SLUICE_OK);
    const std::string body = "{\"error\":{\"message\":" + quoted(words(bytes)) + "}}";
    return counted([&] {
      for (size_t at = 0; at < body.size(); at += 16) host.feed(std::string_view(body).substr(at, 16));
      sluice_turn_finish(host.turn(), SLUICE_END_COMPLETE, nullptr, 0);
      host.poll();
    });
  });
  takes_at_most_twice("the detail of an end", 10000, [](size_t bytes) {
    Host host(engine_of());
    const std::string detail = words(bytes);
    return counted([&] {
      CHECK(sluice_turn_finish(host.turn(), SLUICE_END_NETWORK, detail.data(), detail.size()) == SLUICE_OK);
      host.poll();
    });
  });
  for (const int32_t how : {SLUICE_FINAL_RETRY, SLUICE_FINAL_REPLACE})
    takes_at_most_twice("the text that concludes", 10000, [&](size_t bytes) {
      Host host(engine_of(), R"("wire":"openai-chat","checkFinal":true)");
      host.feed(delta(R"("content":"x")"));
      host.end();
      host.poll();
      const std::string text = words(bytes);
      return counted([&] {
        if (sluice_turn_conclude(host.turn(), how, text.data(), text.size()) != SLUICE_OK)
          FAIL(host.get(SLUICE_GET_ERROR));
        host.poll();
        for (const int32_t document : kDocuments) host.get(document);
      });
    });
  takes_at_most_twice("the reason of a cancelled turn", 10000, [](size_t bytes) {
    Host host(engine_of());
    call_often(host, 1);
    const std::string reason = words(bytes);
    return counted([&] {
      CHECK(sluice_turn_cancel(host.turn(), 0, reason.data(), reason.size()) == SLUICE_OK);
      host.poll();
    });
  });
  takes_at_most_twice("a name that is looked for", 10000, [](size_t bytes) {
    Host host(engine_of());
    const std::string name(bytes, 'n');
    return counted([&] { sluice_turn_find_tool(host.turn(), name.data(), name.size(), nullptr); }) + 1;
  });
  takes_at_most_twice("the message of an error", 10000, [](size_t bytes) {
    Host host(engine_of());
    call_often(host, 1);
    const std::string wrong = "{\"b\":" + quoted(words(bytes)) + ",}";
    return counted([&] {
      CHECK(sluice_turn_resolve(host.turn(), 1, wrong.data(), wrong.size()) == SLUICE_E_JSON);
      host.get(SLUICE_GET_ERROR);
    });
  });
}

TEST_CASE("twice the text that is polled without JSON takes at most 2.1 times the steps") {
  const auto pieces = [](const char *what, const std::function<void(Host &, size_t)> &feed) {
    takes_at_most_twice(what, 500, [&](size_t count) {
      Host host(engine_of());
      return counted([&] {
        feed(host, count);
        size_t told = 0, size = 0;
        int32_t kind = 0;
        do {
          while (sluice_turn_next_delta(host.turn(), &kind, nullptr, &size) != nullptr) told += size;
        } while (kind != SLUICE_DELTA_NONE && sluice_turn_next_event(host.turn(), nullptr) != nullptr);
        CHECK(told >= count);
      });
    });
  };
  pieces("one piece", [](Host &host, size_t count) {
    for (size_t i = 0; i < count; ++i) host.feed(delta(R"("content":" token")"));
  });
  pieces("blocks", [](Host &host, size_t count) {
    for (size_t i = 0; i < count; ++i) host.feed(delta(R"("content":"x")") + delta(R"("reasoning_content":"y")"));
  });
  pieces("arguments", [](Host &host, size_t count) {
    for (size_t i = 0; i < count / 4 + 1; ++i) host.feed(call_delta(i, "{\"a\":" + std::to_string(i) + "}"));
  });
}

TEST_CASE("twice the documents of an engine and a turn take at most 2.1 times the steps") {
  const auto engine = [](const char *what, const std::function<std::string(size_t)> &list, const char *before,
                         const char *after) {
    takes_at_most_twice(what, 500, [&](size_t count) {
      std::string document = before;
      for (size_t i = 0; i < count; ++i) document += (i == 0 ? "" : ",") + list(i);
      document += after;
      return counted([&] {
        sluice_engine *const made = sluice_engine_new(document.data(), document.size());
        if (const char *const error = sluice_engine_error(made, nullptr)) FAIL(what << ": " << error);
        sluice_engine_free(made);
      });
    });
  };
  const auto number = [](size_t i) { return std::to_string(i); };
  engine(
      "properties of a schema", [&](size_t i) { return "\"p" + number(i) + R"(":{"type":"string","minLength":1})"; },
      R"({"tools":[{"name":"t","permission":"public","agentCallable":true,"parameters":{"type":"object","properties":{)",
      "}}}]}");
  engine(
      "values of an enum", number,
      R"({"tools":[{"name":"t","permission":"public","agentCallable":true,"parameters":{"type":"object","properties":{"a":{"enum":[)",
      "]}}}}]}");
  engine(
      "rules", [&](size_t i) { return R"({"tool":"t)" + number(i) + R"(","effect":"deny"})"; }, R"({"rules":[)", "]}");
  engine(
      "aliases", [&](size_t i) { return "\"alias" + number(i) + "\""; },
      R"({"tools":[{"name":"t","permission":"public","agentCallable":true,"parameters":{"type":"object"},"aliases":[)",
      "]}]}");
  for (const char *wire : kWires) {
    takes_at_most_twice(std::string("messages on ") + wire, 500, [&](size_t count) {
      std::string messages = R"([{"role":"user","content":"x"})";
      for (size_t i = 0; i < count; ++i) {
        const std::string id = "\"c" + number(i) + "\"";
        messages += R"(,{"role":"assistant","content":"y","tool_calls":[{"id":)" + id +
                    R"(,"type":"function","function":{"name":"t","arguments":"{}"}}]},{"role":"tool","tool_call_id":)" +
                    id + R"(,"content":"ok"},{"role":"user","content":"x"})";
      }
      messages += "]";
      return counted([&] {
        Host host(engine_of(), on(wire), messages);
        CHECK(!host.get(SLUICE_GET_REQUEST).empty());
      });
    });
    takes_at_most_twice(std::string("a message on ") + wire, 10000, [&](size_t bytes) {
      const std::string messages = R"([{"role":"user","content":)" + quoted(words(bytes)) + "}]";
      return counted([&] {
        Host host(engine_of(), on(wire), messages);
        CHECK(!host.get(SLUICE_GET_REQUEST).empty());
      });
    });
  }
}
