// A call that lost bytes never runs: one event that carries its arguments is damaged, moved or given to nobody, on
// every wire, with every way to start calls and every finish reason. What runs then has all its arguments.
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>

#include "script_runner.h"
#include "wire_voices.h"

using namespace sluice_test;

namespace {

constexpr const char *kWires[] = {"openai-chat", "openai-responses",    "anthropic",
                                  "gemini",      "gemini-interactions", "ollama"};

// An answer as its events, each with the bytes that stand around its JSON.
struct Event {
  std::string before, json, behind;
  std::string bytes() const { return before + json + behind; }
};

std::vector<Event> events_of(const std::string &wire, const std::string &body) {
  const std::string end = wire == "ollama" ? "\n" : wire == "gemini" ? "\r\n\r\n" : "\n\n";
  std::vector<Event> out;
  for (size_t at = 0; at < body.size();) {
    const size_t to = body.find(end, at);
    REQUIRE(to != std::string::npos);
    const std::string event = body.substr(at, to - at);
    const size_t json = wire == "ollama" ? 0 : event.find("data: ") + 6;
    out.push_back({event.substr(0, json), event.substr(json), end});
    at = to + end.size();
  }
  return out;
}

// The member that holds arguments, or a piece of them; nullptr: there is none.
Json *arguments_in(Json &value) {
  if (value.is_object()) {
    for (const char *name : {"arguments", "partial_json", "args"})
      if (value.contains(name) && !(value[name].is_string() && value[name].get<std::string>().empty()))
        return &value[name];
    if (text_of(value, "type") == "response.function_call_arguments.delta") return &value["delta"];
  }
  if (value.is_structured())
    for (Json &inner : value)
      if (Json *const found = arguments_in(inner)) return found;
  return nullptr;
}

// Puts `mark` into the last text of a value, or of JSON within a text. Returns false where it holds none.
bool mark_text(Json &value, const std::string &mark) {
  if (value.is_structured()) {
    for (auto inner = value.rbegin(); inner != value.rend(); ++inner)
      if (mark_text(*inner, mark)) return true;
    return false;
  }
  if (!value.is_string()) return false;
  std::string text = value.get<std::string>();
  const size_t quote = text.find_last_of('"');
  text.insert(quote == std::string::npos ? text.size() : quote, mark);
  value = text;
  return true;
}

bool carries(const Event &event) {
  Json value = read_json(event.json);
  return arguments_in(value) != nullptr;
}

struct Damage {
  const char *name;
  std::function<void(std::vector<Event> &, size_t)> to;  // the event at this place
  bool late = false;  // it comes when a call that need not wait for the end of the answer has started
};

Damage wrong_type(const char *name, Json value) {
  return {name, [value](std::vector<Event> &events, size_t at) {
            Json event = read_json(events[at].json);
            *arguments_in(event) = value;
            events[at].json = event.dump();
          }};
}

Damage of_nobody(const char *name, std::initializer_list<const char *> members, const Json &value) {
  const std::vector<std::string> names(members.begin(), members.end());
  return {name, [names, value](std::vector<Event> &events, size_t at) {
            Json event = read_json(events[at].json);
            const std::function<void(Json &)> change = [&](Json &inner) {
              const bool is_choice = inner.is_object() && inner.contains("delta") && !inner.contains("type");
              if (inner.is_object() && !is_choice)  // those of another choice are no part of the answer
                for (const std::string &one : names)
                  if (inner.contains(one)) inner[one] = value;
              if (inner.is_structured())
                for (Json &below : inner) change(below);
            };
            change(event);
            events[at].json = event.dump();
          }};
}

std::vector<Damage> damages() {
  std::vector<Damage> out = {
      {"half of its JSON",
       [](std::vector<Event> &events, size_t at) { events[at].json.resize(events[at].json.size() / 2); }},
      {"no JSON", [](std::vector<Event> &events, size_t at) { events[at].json = "{\"id\":oops}"; }},
      {"a byte in the middle that is no UTF-8",
       [](std::vector<Event> &events, size_t at) { events[at].json.insert(events[at].json.size() / 2, "\xff"); }},
      {"a byte of its arguments that is no UTF-8",
       [](std::vector<Event> &events, size_t at) {
         Json event = read_json(events[at].json);
         if (!mark_text(*arguments_in(event), "QQQQ")) return;
         std::string json = event.dump();
         json.replace(json.find("QQQQ"), 4, "\xff");
         events[at].json = json;
       }},
      {"a byte in its second name that is no UTF-8",
       [](std::vector<Event> &events, size_t at) {
         events[at].json.insert(events[at].json.find('"', events[at].json.find(',')) + 2, "\xff");
       }},
      {"moved in front of the last event",
       [](std::vector<Event> &events, size_t at) {
         const auto from = events.begin() + static_cast<std::ptrdiff_t>(at);
         if (from + 1 < events.end()) std::rotate(from, from + 1, events.end() - 1);
       },
       true},
      {"moved behind the next event",
       [](std::vector<Event> &events, size_t at) {
         if (at + 1 < events.size()) std::swap(events[at], events[at + 1]);
       }},
      {"the answer ends in front of it", [](std::vector<Event> &events, size_t at) { events.resize(at); }},
      {"the answer ends behind it", [](std::vector<Event> &events, size_t at) { events.resize(at + 1); }},
      of_nobody("of another index", {"index", "output_index"}, 7),
      of_nobody("of no index", {"index", "output_index"}, nullptr),
      of_nobody("of another item", {"item_id"}, "fc_99"),
  };
  out.push_back(wrong_type("a number", 5));
  out.push_back(wrong_type("a boolean", true));
  out.push_back(wrong_type("an empty list", Json::array()));
  out.push_back(wrong_type("a list", Json::array({1})));
  return out;
}

struct Mode {
  const char *name, *tool, *turn;
};
constexpr Mode kModes[] = {
    {"at the end of the answer", "", ""},
    {"at the end of the block", "", R"(,"dispatch":"block")"},
    {"at once", R"(,"immediate":true)", ""},
    {"with stopAfterCall", "", R"(,"stopAfterCall":true)"},
};

// The arguments with which calls ran, in order.
std::vector<Json> runs(const std::string &wire, const Mode &mode, const std::string &body) {
  const EngineHandle engine(
      R"({"tools":[{"name":"clear","agentCallable":true,"permission":"public","parameters":{"type":"object"})" +
      std::string(mode.tool) + "}]}");
  TurnHandle turn(engine.p,
                  R"({"wire":")" + wire +
                      R"(","request":{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]})" +
                      mode.turn + "}");
  REQUIRE(turn.p != nullptr);
  sluice_turn_feed(turn.p, body.data(), body.size());
  sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
  std::vector<Json> out;
  for (const Json &event : poll_all(turn.p))
    if (text_of(event, "type") == "execute") out.push_back(event["arguments"]);
  return out;
}

struct Written {
  std::vector<std::string> pieces;
  Json whole;
};

std::string body_of(const std::string &wire, const Written &arguments, const std::string &finish) {
  SpokenAnswer answer;
  answer.finish = finish;
  answer.deltas.push_back(
      {{"tool_calls",
        {{{"index", 0}, {"id", "a"}, {"type", "function"}, {"function", {{"name", "clear"}, {"arguments", ""}}}}}}});
  for (const std::string &piece : arguments.pieces)
    answer.deltas.push_back({{"tool_calls", {{{"index", 0}, {"function", {{"arguments", piece}}}}}}});
  return spoken(wire, answer);
}

}  // namespace

TEST_CASE("a call whose arguments were damaged, moved or lost runs with all of them, or not at all") {
  const std::vector<Written> written = {
      {{"{}"}, Json::object()},
      {{R"({"path":"x"})"}, {{"path", "x"}}},
      {{R"({"path":"/home)", R"(/x"})"}, {{"path", "/home/x"}}},
      {{R"({"a":1)", R"(,"b":2)", "}"}, {{"a", 1}, {"b", 2}}},
  };
  size_t answers = 0, ran = 0, undamaged = 0;
  for (const std::string wire : kWires)
    for (const Written &arguments : written)
      for (const char *finish : {"tool_calls", "stop", "length", "content_filter", "error", "a_new_reason", ""})
        for (const Mode &mode : kModes) {
          const std::string body = body_of(wire, arguments, finish);
          const std::vector<Event> events = events_of(wire, body);
          for (const Json &got : runs(wire, mode, body)) {
            ++undamaged;
            CHECK(got == arguments.whole);
          }
          for (const Damage &damage : damages())
            for (size_t at = 0; at < events.size(); ++at) {
              if (!carries(events[at]) || (damage.late && &mode != &kModes[0])) continue;
              std::vector<Event> changed = events;
              damage.to(changed, at);
              std::string said;
              for (const Event &event : changed) said += event.bytes();
              ++answers;
              for (const Json &got : runs(wire, mode, said)) {
                ++ran;

                if (got != arguments.whole)
                  FAIL_CHECK(wire << ", " << damage.name << ", " << mode.name << ", finish " << finish << ": runs "
                                  << got.dump() << "\n"
                                  << said);
              }
            }
        }
  CHECK(undamaged > 100);
  CHECK(answers > 5000);
  std::printf("damaged arguments: %zu answers, %zu calls ran with all of theirs\n", answers, ran);
}
