// Shared scripts in which a value is another one, of another kind, or missing: in the host's documents, the provider's
// events, a tool's results. Whatever it is, it is refused with its place, or the turn goes on, is the same however the
// answer is cut, and ends once with a valid history. SLUICE_RANDOM_SEED changes other values.
#include <catch2/catch.hpp>

#include "../fuzz/session.h"
#include "changed_value.h"
#include "script_files.h"
#include "script_runner.h"

using namespace sluice_test;

namespace {

constexpr unsigned kChanges = kSanitized ? 1 : 3;  // how often each script is changed and played
constexpr size_t kMostBytes = 16384;               // of one feed

// A document that stands there as text is changed as a document.
void change_document(Json &document, Random &random) {
  Json value = document.is_string() ? read_json(document.get<std::string>()) : document;
  if (value.is_discarded()) return;
  change_one(value, random);
  const std::string text =
      value.dump(-1, ' ', false, Json::error_handler_t::replace);  // a text may be cut in a character
  document = document.is_string() ? Json(text) : Json::parse(text);
}

// Of the lines that hold an object one is changed.
std::string change_line(const std::string &text, Random &random) {
  std::vector<std::pair<size_t, size_t>> objects;
  for (size_t from = 0, to = 0; from < text.size(); from = to + 1) {
    to = std::min(text.find('\n', from), text.size());
    const size_t open = text.find('{', from);
    if (open < to && is_json(text.substr(open, to - open))) objects.emplace_back(open, to);
  }
  if (objects.empty()) return text;
  const auto [from, to] = objects[random() % objects.size()];
  Json object = text.substr(from, to - from);
  change_document(object, random);
  return text.substr(0, from) + object.get<std::string>() + text.substr(to);
}

void change_step(Json &step, Random &random) {
  for (const char *key : {"sse", "events", "answer"})
    if (step.contains(key) && !step[key].empty())
      return change_document(step[key][random() % step[key].size()], random);
  if (step.contains("feed") && step["feed"].is_string())
    step["feed"] = change_line(step["feed"].get<std::string>(), random);
  else
    for (const char *key : {"json", "parts", "rewritten", "rules", "edited", "arguments", "headers"})
      if (step.contains(key)) return change_document(step[key], random);
}

void change_script(Json &script, Random &random) {
  const size_t what = random() % 6;
  if (what == 0 && script.contains("engine")) return change_document(script["engine"], random);
  if (what == 1) return change_document(script["turn"], random);
  for (size_t tries = 0; tries < 4; ++tries) change_step(script["steps"][random() % script["steps"].size()], random);
}

void check_refusal(const std::string &error, bool objects) {
  const Json told = read_json(error);
  const bool has_place =
      !text_of(told, "path").empty() || text_of(told, "message").find(" at byte ") != std::string::npos;
  must(has_place || !objects, "a refusal says where", error);
}

void check_history(const std::string &text, const Json &messages) {
  const Json history = read_json(text);
  const std::string why = history.is_array() ? invalid_history(messages, history) : "";
  must(why.empty(), "the history is valid", why + "\n" + brief(history));
}

// What it comes to. `seed`: of the cuts; 0: none.
std::string played(const Json &script, uint32_t seed) {
  const std::string engine = document_text(script.value("engine", Json::object()));
  const std::string turn = document_text(script["turn"]);
  Session session(engine, turn);
  const Json config = read_json(turn);
  if (!session.error().empty()) {
    check_refusal(session.error(), config.is_object() && read_json(engine).is_object());
    return session.error();
  }
  const Json messages = host_messages(config, read_json(engine));
  std::string checked;
  const auto look = [&] {
    session.drain();
    const std::string message = session.get(SLUICE_GET_MESSAGE), history = session.get(SLUICE_GET_HISTORY);
    const bool waits = message.find(R"("outcome":"awaiting_user")") != std::string::npos;
    if (config.contains("request") && !waits && history != checked) check_history(checked = history, messages);
  };
  look();
  for (const Json &step : script["steps"]) {
    if (step.contains("expect") || step.contains("get")) continue;
    if (step.contains("restore")) {
      session.restore(session.get(SLUICE_GET_STATE));
      must(session.error().empty(), "what was saved is restored", session.error());
    } else {
      try {
        if (const auto bytes = fed(step)) {
          Cutter cutter = seed == 0 ? Cutter::whole() : Cutter::random(seed);
          for (std::string_view rest = std::string_view(*bytes).substr(0, kMostBytes); !rest.empty();) {
            const size_t piece = cutter.next(rest.size());
            session.feed(rest.substr(0, piece));
            rest.remove_prefix(piece);
          }
          if (step.contains("answer")) session.finish();
        } else {
          session.told([&] { return act(session.turn(), step); });
        }
      } catch (const Json::exception &) {  // the step cannot be done any more
      }
    }
    look();
  }
  session.look();
  const std::string out =
      session.get(SLUICE_GET_MESSAGE) + session.get(SLUICE_GET_HISTORY) + session.get(SLUICE_GET_REQUEST);
  session.cancel(0);
  look();
  must(!text_of(read_json(session.get(SLUICE_GET_MESSAGE)), "outcome").empty(), "a turn ends");
  return out;
}

}  // namespace

TEST_CASE("a value that is another one is refused with its place, or the turn goes on and ends with a valid history") {
  const std::string given = environment("SLUICE_RANDOM_SEED"), only = environment("SLUICE_SCRIPT");
  const unsigned first = given.empty() ? 1 : static_cast<unsigned>(std::stoul(given));
  size_t refused = 0, went_on = 0, faults = 0;
  const std::vector<ScriptFile> scripts = script_files();
  constexpr size_t kOneOf = kSanitized ? 3 : 1;  // another third of the scripts after each commit
  for (size_t i = only.empty() ? rotation() % kOneOf : 0; i < scripts.size(); i += only.empty() ? kOneOf : 1) {
    const auto &[name, path, place, script] = scripts[i];
    if (!script.contains("turn")) continue;
    unsigned name_seed = 0;  // a script that is added changes no other
    for (const char c : name) name_seed = name_seed * 31 + static_cast<unsigned char>(c);
    for (unsigned seed = first; seed < first + kChanges && faults < 5; ++seed) {
      Json changed = script;
      Random random(seed * 7919 + name_seed);
      change_script(changed, random);
      INFO(place << ", seed " << seed);  // told where an assertion of the engine fails
      try {
        const std::string whole = played(changed, 0), cut = played(changed, seed);
        must(whole == cut, "the cuts change nothing", whole + "\n--- cut\n" + cut);
        ++(whole.starts_with("{\"code\"") ? refused : went_on);
      } catch (const Broken &broken) {
        ++faults;
        changed.erase("about");
        for (Json &step : changed["steps"]) step.erase("expect"), step.erase("is");
        FAIL_CHECK(place << ", seed " << seed << ": " << broken.what() << "\n" << changed.dump());
      }
    }
  }
  CHECK((refused > 100 / kOneOf || !only.empty()));
  CHECK((went_on > 1000 / kOneOf || !only.empty()));
}

TEST_CASE("calls of the host that are none are left to the provider, which refuses them") {
  const std::string broken = R"({"id":"a","type":"function","function":[1]},["b"],5)";
  Session session(R"({"tools":[{"name":"clock","agentCallable":true,"permission":"public"}]})",
                  R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"q"},)"
                  R"({"role":"assistant","tool_calls":[)" +
                      broken + R"(,{"id":"c","type":"function","function":{"name":"clock","arguments":"{"}}]},)" +
                      R"({"role":"user","content":"and?"}]}})");
  REQUIRE(session.error() == "");
  CHECK(session.get(SLUICE_GET_REQUEST).find(broken) != std::string::npos);
  session.drain();
  session.feed(chunk({{"content", "so"}}) + ends());
  session.finish();
  session.drain();
  CHECK(session.done);
}
