#include "script_runner.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "request_rules.h"

namespace sluice_test {
namespace {

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool same(const Json &a, const Json &b) {  // in any order of members
  if (a.is_object() && b.is_object()) {
    if (a.size() != b.size()) return false;
    for (const auto &[key, value] : a.items()) {
      const Json *other = member(b, key.c_str());
      if (!other || !same(value, *other)) return false;
    }
    return true;
  }
  if (a.is_array() && b.is_array()) return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
  return a == b;
}

std::string not_as(const std::string &where, const std::string &expected, const Json *actual) {
  return (where.empty() ? "value" : where) + ": expected " + expected + ", got " +
         (actual ? brief(*actual) : "nothing");
}

// Greedy: each pattern matches an element after the one that the previous pattern matched.
template <typename Elements>
std::string subsequence(const Json &patterns, const Elements &elements, const std::string &where) {
  auto at = elements.begin();
  for (size_t i = 0; i < patterns.size(); ++i) {
    while (at != elements.end() && !mismatch(patterns[i], &*at).empty()) ++at;
    if (at == elements.end()) return where + "[" + std::to_string(i) + "]: nothing matches " + brief(patterns[i]);
    ++at;
  }
  return "";
}

std::string test_mismatch(const std::string &test, const Json &operand, const Json *actual, const std::string &where) {
  if (test == "$absent") return actual ? not_as(where, "nothing", actual) : "";
  if (test == "$not") return mismatch(operand, actual).empty() ? not_as(where, "not " + brief(operand), actual) : "";
  if (!actual) return not_as(where, test + " " + brief(operand), actual);
  if (test == "$any") return "";
  if (test == "$equals") return same(operand, *actual) ? "" : not_as(where, "exactly " + brief(operand), actual);
  if (test == "$all") {
    for (const Json &pattern : operand)
      if (std::string why = mismatch(pattern, actual, where); !why.empty()) return why;
    return "";
  }
  if (test == "$some") {
    if (!actual->is_array()) return not_as(where, "an array", actual);
    std::string why = subsequence(operand, *actual, where);
    return why.empty() ? "" : why + " in " + brief(*actual);
  }
  if (!actual->is_string()) return not_as(where, "a string: " + test + " " + brief(operand), actual);
  const auto &text = actual->get_ref<const std::string &>();
  if (test == "$has")
    return text.find(operand.get<std::string>()) != std::string::npos
               ? ""
               : not_as(where, "a text with " + brief(operand), actual);
  if (test == "$match")
    return std::regex_search(text, std::regex(operand.get<std::string>()))
               ? ""
               : not_as(where, "a match of " + brief(operand), actual);
  if (test == "$bytes")
    return text.size() >= operand[0].get<size_t>() && text.size() <= operand[1].get<size_t>()
               ? ""
               : not_as(where, brief(operand) + " bytes, not " + std::to_string(text.size()), actual);
  if (test == "$json") {
    Json inner = Json::parse(text, nullptr, false);
    return inner.is_discarded() ? not_as(where, "JSON text", actual) : mismatch(operand, &inner, where + "(json)");
  }
  throw Failed("unknown test " + test);
}

}  // namespace

size_t Cutter::next(size_t left) {
  if (most_ == 0) return left;
  if (most_ == 1 || state_ == 0) return std::min<size_t>(left, 1);
  state_ = state_ * 1664525u + 1013904223u;
  if ((state_ >> 24) % 16 == 0) return 0;
  return std::min<size_t>(left, 1 + (state_ >> 16) % most_);
}

std::string read_file(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::filesystem::path tests_folder() { return SLUICE_TESTS_DIR; }

std::filesystem::path shared_folder() {
  std::filesystem::path folder = environment("SLUICE_SHARED");
  if (folder.empty()) folder = tests_folder().parent_path().parent_path() / "shared";
  return std::filesystem::exists(folder / "vectors") ? folder : std::filesystem::path();
}

std::vector<Json> poll_all(sluice_turn *turn) {
  std::vector<Json> events;
  size_t len = 0;
  while (const char *text = sluice_turn_next_event(turn, &len)) {
    if (std::string_view(text).size() != len)
      throw Failed("an event is not NUL-terminated at its length: " + std::string(text));
    events.push_back(Json::parse(text, text + len));
  }
  return events;
}

std::vector<Json> poll_pieces(sluice_turn *turn, int64_t seq) {
  static const char *const kTypes[] = {"", "text", "reasoning", "args", "progress"};
  static const std::set<std::string> kTasks = {"request", "approval", "resolve", "execute", "ipc", "final"};
  std::vector<Json> events;
  for (;;) {
    int32_t kind = -1;
    uint32_t index = 77;
    size_t len = 77;
    if (const char *text = sluice_turn_next_delta(turn, &kind, &index, &len)) {
      if (kind < SLUICE_DELTA_TEXT || kind > SLUICE_DELTA_PROGRESS || text[len] != '\0')
        throw Failed("a piece of kind " + std::to_string(kind) + ", not NUL-terminated at its length, or no piece");
      const char *const of = kind < SLUICE_DELTA_ARGS ? "block" : "call";
      events.push_back({{"type", kTypes[kind]}, {of, index}, {"text", std::string(text, len)}, {"seq", ++seq}});
      continue;
    }
    const char *text = sluice_turn_next_event(turn, nullptr);
    const Json event = text ? Json::parse(text) : Json();
    const int32_t expected = !text                                     ? SLUICE_DELTA_NONE
                             : kTasks.contains(text_of(event, "type")) ? SLUICE_DELTA_TASK
                                                                       : SLUICE_DELTA_EVENT;
    if (kind != expected || index != 0 || len != 0) throw Failed("kind " + std::to_string(kind) + ": " + brief(event));
    if (!text) return events;
    const std::string type = text_of(event, "type");
    const bool marked = event.contains("refusal") || event.contains("fabricated") || event.contains("phase");
    if (!marked && std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes))
      throw Failed("a piece of text that was no delta: " + brief(event));
    seq = event.value("seq", int64_t{-1});
    events.push_back(event);
  }
}

std::vector<Json> merged_events(const std::vector<Json> &events, bool cards) {
  std::vector<Json> out;
  for (Json event : events) {
    event.erase("seq");
    const std::string type = text_of(event, "type");
    const char *key = type == "text" || type == "reasoning" ? "block"
                      : type == "args" || type == "card"    ? "call"
                                                            : nullptr;
    if (key && (type != "card" || cards) && !out.empty() && text_of(out.back(), "type") == type &&
        out.back()[key] == event[key]) {
      if (type == "card")
        out.back().update(event);
      else
        out.back()["text"] = text_of(out.back(), "text") + text_of(event, "text");
    } else {
      out.push_back(std::move(event));
    }
  }
  return out;
}

std::string mismatch(const Json &pattern, const Json *actual, const std::string &where) {
  if (pattern.is_object()) {
    if (pattern.size() == 1 && pattern.begin().key().starts_with("$"))
      return test_mismatch(pattern.begin().key(), pattern.begin().value(), actual, where);
    if (!actual || !actual->is_object()) return not_as(where, "an object like " + brief(pattern), actual);
    for (const auto &[key, value] : pattern.items())
      if (std::string why = mismatch(value, member(*actual, key.c_str()), where + "." + key); !why.empty()) return why;
    return "";
  }
  if (pattern.is_array()) {
    if (!actual || !actual->is_array() || actual->size() != pattern.size())
      return not_as(where, std::to_string(pattern.size()) + " elements like " + brief(pattern), actual);
    for (size_t i = 0; i < pattern.size(); ++i)
      if (std::string why = mismatch(pattern[i], &(*actual)[i], where + "[" + std::to_string(i) + "]"); !why.empty())
        return why;
    return "";
  }
  return actual && pattern == *actual ? "" : not_as(where, brief(pattern), actual);
}

std::string document_text(const Json &document) {
  return document.is_string() ? document.get<std::string>() : document.dump();
}

namespace {

std::string repeated(const Json &step, const std::string &text) {
  std::string out;
  for (size_t n = step.value("times", size_t{1}); n > 0; --n) out += text;
  return out;
}

std::string from_base64(const std::string &text) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    size_t value = kDigits.find(c);
    if (value == std::string::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

std::string sse_text(const Json &items) {
  std::string out;
  for (const Json &item : items) {
    Json chunk;
    if (item.is_string()) {
      out += "data: " + item.get<std::string>() + "\n\n";
      continue;
    }
    if (item.contains("choices") || item.contains("error") || item.contains("object")) {
      chunk = item;
    } else if (item.contains("finish")) {
      chunk = {{"choices", {{{"index", 0}, {"delta", Json::object()}, {"finish_reason", item["finish"]}}}}};
    } else if (item.contains("usage")) {
      chunk = {{"choices", Json::array()}, {"usage", item["usage"]}};
    } else {
      chunk = {{"choices", {{{"index", 0}, {"delta", item}}}}};
    }
    out += "data: " + chunk.dump() + "\n\n";
  }
  return out;
}

// Events of a wire whose events have types, as they stand.
std::string typed_events(const Json &items) {
  std::string out;
  for (const Json &item : items) {
    if (item.contains("type")) out += "event: " + text_of(item, "type") + "\n";
    out += "data: " + item.dump() + "\n\n";
  }
  return out;
}

int32_t number(const Json &value, const std::map<std::string, int32_t> &names) {
  return value.is_number() ? value.get<int32_t>() : names.at(value.get<std::string>());
}

}  // namespace

std::optional<std::string> fed(const Json &step) {
  if (step.contains("feed")) return repeated(step, step["feed"].get<std::string>());
  if (step.contains("feedBase64")) return from_base64(step["feedBase64"].get<std::string>());
  if (step.contains("sse")) return sse_text(step["sse"]);
  if (step.contains("events")) return typed_events(step["events"]);
  if (step.contains("answer")) return sse_text(step["answer"]) + "data: [DONE]\n\n";
  return std::nullopt;
}

int64_t act(sluice_turn *turn, const Json &step) {
  const std::string verb = step.begin().key();
  const Json &value = step.begin().value();
  const uint32_t id = value.is_number_unsigned() ? value.get<uint32_t>() : 0;
  const auto optional_text = [&](const char *key) -> std::optional<std::string> {
    return step.contains(key) ? std::optional(document_text(step[key])) : std::nullopt;
  };
  const auto data = [](const std::optional<std::string> &text) { return text ? text->data() : nullptr; };
  const auto size = [](const std::optional<std::string> &text) { return text ? text->size() : 0; };
  if (verb == "response") {
    const auto headers = optional_text("headers");
    return sluice_turn_response(turn, value.get<int32_t>(), data(headers), size(headers));
  }
  if (verb == "finish") {
    const auto detail = optional_text("detail");
    return sluice_turn_finish(
        turn,
        number(value, {{"complete", 0}, {"network", 1}, {"aborted", 2}, {"retry", 3}, {"hook", 4}, {"fallback", 5}}),
        data(detail), size(detail));
  }
  if (verb == "approve") {
    const auto edited = optional_text("edited");
    int32_t decision = number(step.value("decision", Json("once")),
                              {{"once", 0}, {"turn", 1}, {"session", 2}, {"always", 3}, {"release", 4}});
    if (step.value("exact", false)) decision += SLUICE_EXACT;
    return sluice_turn_approve(turn, id, decision, data(edited), size(edited));
  }
  if (verb == "deny" || verb == "refuse" || verb == "cancel") {
    const auto reason = optional_text("reason");
    return (verb == "deny"     ? sluice_turn_deny
            : verb == "refuse" ? sluice_turn_refuse
                               : sluice_turn_cancel)(turn, id, data(reason), size(reason));
  }
  if (verb == "conclude") {
    const auto text = optional_text("text");
    return sluice_turn_conclude(turn, number(value, {{"accept", 0}, {"retry", 1}, {"replace", 2}}), data(text),
                                size(text));
  }
  if (verb == "resolve") {
    if (!step.contains("arguments")) return sluice_turn_resolve(turn, id, nullptr, 0);
    const std::string arguments = document_text(step["arguments"]);
    return sluice_turn_resolve(turn, id, arguments.data(), arguments.size());
  }
  if (verb == "call") {
    Json asked = Json::object();
    for (const char *key : {"name", "arguments"})
      if (step.contains(key)) asked[key] = step[key];
    const std::string text = step.contains("document") ? document_text(step["document"]) : asked.dump();
    return sluice_turn_call(turn, id, text.data(), text.size());
  }
  if (verb == "judge") {
    const std::string rules = document_text(step.at("rules"));
    return sluice_turn_judge(turn, id, rules.data(), rules.size());
  }
  if (verb == "submit") {
    static const std::pair<const char *, int32_t> kKinds[] = {
        {"result", SLUICE_RESULT},   {"json", SLUICE_RESULT_JSON},  {"parts", SLUICE_RESULT_PARTS},
        {"failure", SLUICE_FAILURE}, {"progress", SLUICE_PROGRESS}, {"rewritten", SLUICE_REWRITTEN}};
    int32_t kind = step.value("kind", -1);
    std::string text = step.value("data", "");
    for (const auto &[name, its] : kKinds) {
      if (!step.contains(name)) continue;
      kind = its;
      const bool document = its == SLUICE_RESULT_JSON || its == SLUICE_RESULT_PARTS || its == SLUICE_REWRITTEN;
      text = document ? step[name].dump() : repeated(step, step[name].get<std::string>());
    }
    return sluice_turn_submit(turn, id, kind, text.data(), text.size());
  }
  if (verb == "tick") return sluice_turn_tick(turn, value.get<int64_t>());
  throw Failed("unknown verb " + verb);
}

namespace {

struct Outcome {
  std::vector<Json> events;
  Json message, history;
};

class Player {
 public:
  Player(const Json &script, const Replay &replay) : script_(script), replay_(replay) {}

  Outcome play() {
    EngineHandle engine(document_text(script_.value("engine", Json::object())));
    engine_ = engine.p;
    const Json *config = member(script_, "turn");
    TurnHandle turn(config ? sluice_turn_new(engine.p, document_text(*config).data(), document_text(*config).size())
                           : nullptr);
    turn_ = &turn;
    Json parsed = config ? Json::parse(document_text(*config), nullptr, false) : Json();
    parser_ = !member(parsed, "request");
    if (parsed.is_object() && parsed.contains("wire")) wire_ = text_of(parsed, "wire");
    messages_ = host_messages(parsed, script_.value("engine", Json::object()));
    text_ = parsed.is_object() && text_of(parsed, "mode") == "text";
    const Json &steps = script_["steps"];
    for (size_t i = 0; i < steps.size(); ++i) {
      try {
        if (replay_.how == Replay::How::restored && i > 0) save_and_restore();
        run(steps[i]);
      } catch (const std::exception &failure) {
        throw Failed("step " + std::to_string(i) + " " + brief(steps[i]).substr(0, 200) + "\n    " + failure.what());
      }
    }
    if (turn.p) poll();
    Outcome outcome;
    outcome.message = read(SLUICE_GET_MESSAGE);
    outcome.history = read(SLUICE_GET_HISTORY);
    check_end(outcome);
    outcome.events = merged_events(all_, false);
    turn_ = nullptr;
    return outcome;
  }

 private:
  Json read(int32_t what) {
    size_t len = 0;
    const char *text = sluice_turn_get(turn_->p, what, &len);
    return text ? Json::parse(text, text + len) : Json();
  }

  std::string state() {
    size_t len = 0;
    const char *text = sluice_turn_get(turn_->p, SLUICE_GET_STATE, &len);
    return text ? std::string(text, len) : std::string();
  }

  void restore(sluice_engine *engine) {
    size_t len = 0;
    const char *state = sluice_turn_get(turn_->p, SLUICE_GET_STATE, &len);
    if (!state) throw Failed("no state to save: " + brief(read(SLUICE_GET_ERROR)));
    std::string copy(state, len);
    sluice_turn_free(turn_->p);
    turn_->p = sluice_turn_restore(engine, copy.data(), copy.size());
  }

  // Only while no call runs: a running call would be unknown after a restore.
  void save_and_restore() {
    if (!turn_->p || !running_.empty() || !sluice_turn_get(turn_->p, SLUICE_GET_MESSAGE, nullptr)) return;
    restore(engine_);
    if (!resolved_.empty()) poll();
  }

  // After a restore, a question or a final answer that still waits comes again as an event, and so does the question
  // which arguments a call has: it is answered as before.
  bool asked_again(const Json &event) {
    static const std::set<std::string> kQuestions = {"approval", "final", "resolve"};
    Json question = event;
    question.erase("seq");
    if (replay_.how != Replay::How::restored || !kQuestions.contains(text_of(event, "type"))) return false;
    const bool again = std::find(asked_.begin(), asked_.end(), question) != asked_.end();
    asked_.push_back(std::move(question));
    return again;
  }

  void poll() {
    const bool pieces =
        replay_.poll == Replay::Poll::pieces || (replay_.poll == Replay::Poll::in_turns && ++polls_ % 2);
    bool answered = false;
    for (Json &event : pieces ? poll_pieces(turn_->p, seq_.value_or(0)) : poll_all(turn_->p)) {
      if (done_) throw Failed("an event after done: " + brief(event));
      const Json *seq = member(event, "seq");
      if (!seq || !seq->is_number_integer() || (seq_ && seq->get<int64_t>() != *seq_ + 1))
        throw Failed("seq does not follow " + (seq_ ? std::to_string(*seq_) : "nothing") + ": " + brief(event));
      seq_ = seq->get<int64_t>();
      const std::string type = text_of(event, "type");
      if (type == "done") done_ = text_of(event, "outcome");
      if (type == "diagnostic") diagnosed_ = true;
      if (type == "request") check_request(event);
      if (type == "execute" && event.value("detached", false) == false)
        running_.insert(event.at("call").get<uint32_t>());
      if (type == "card" && event.contains("status") && event["status"] != "executing")
        running_.erase(event.at("call").get<uint32_t>());
      if (asked_again(event)) {
        const auto answer = resolved_.find(event.value("call", 0U));
        if (type != "resolve" || answer == resolved_.end()) continue;
        act(turn_->p, *answer->second);
        answered = true;
        continue;
      }
      all_.push_back(event);
      pending_.push_back(std::move(event));
    }
    if (answered) poll();
  }

  void check_request(const Json &event) {
    size_t len = 0;
    const char *text = sluice_turn_get(turn_->p, SLUICE_GET_REQUEST, &len);
    if (!text) return;  // the answer came before the event was polled
    if (const Json *bytes = member(event, "bytes"); !bytes || *bytes != len)
      throw Failed("the body has " + std::to_string(len) + " bytes: " + brief(event));
    const Json body = Json::parse(text, text + len);
    if (std::string why = broken_rule(wire_, body); !why.empty())
      throw Failed("request: " + why + "\n    in " + brief(body));
    check_append(event, body);
  }

  // Marks of a prompt cache wander with the end of the conversation.
  static Json without_marks(Json json) {
    if (json.is_object()) json.erase("cache_control");
    if (json.is_structured())
      for (Json &inner : json) inner = without_marks(std::move(inner));
    return json;
  }

  // With the same configuration each request begins with the one before it.
  void check_append(const Json &event, const Json &body) {
    static const std::set<std::string> kOtherwise = {"fallback_to_text", "signature_dropped", "reasoning_required",
                                                     "reasoning_refused"};
    const bool told_otherwise = std::any_of(all_.begin(), all_.end(),
                                            [](const Json &one) { return kOtherwise.contains(text_of(one, "code")); });
    const bool keeps = (wire_ == "anthropic" || !text_) &&       // the last request of text mode
                       member(body, "conversation") == nullptr;  // the server has what went before
    Json conversation = without_marks(flat_conversation(wire_, body));
    const Json before = std::exchange(conversation_, conversation);
    if (event["round"] == 1 || told_otherwise || changed_ || !keeps || before.size() > conversation.size()) return;
    conversation.erase(conversation.begin() + static_cast<std::ptrdiff_t>(before.size()), conversation.end());
    if (conversation != before)
      throw Failed("the request does not begin with the one before it: " + brief(before) + "\n    but " +
                   brief(conversation));
  }

  void check_history() {
    Json history = read(SLUICE_GET_HISTORY);
    if (parser_ || history.is_null() || done_ == "awaiting_user") return;
    if (std::string why = invalid_history(messages_, history); !why.empty())
      throw Failed("history: " + why + "\n    in " + brief(history));
  }

  void returned(const Json &step, int64_t code) {
    static const std::map<std::string, int32_t> kCodes = {{"ok", SLUICE_OK},
                                                          {"argument", SLUICE_E_ARGUMENT},
                                                          {"state", SLUICE_E_STATE},
                                                          {"not_found", SLUICE_E_NOT_FOUND},
                                                          {"json", SLUICE_E_JSON},
                                                          {"limit", SLUICE_E_LIMIT},
                                                          {"unsupported", SLUICE_E_UNSUPPORTED}};
    const int32_t expected = kCodes.at(step.value("code", "ok"));
    if ((code < 0 ? code : 0) != expected) {
      throw Failed("expected code " + std::to_string(expected) + ", got " + std::to_string(code) + " " +
                   brief(read(SLUICE_GET_ERROR)));
    }
  }

  void run(const Json &step) {
    if (const Json *patterns = member(step, "expect")) return expect(step, *patterns);
    if (step.contains("get")) return get(step);
    if (auto bytes = fed(step)) {
      Cutter cutter = replay_.cutter;
      std::string_view rest = *bytes;
      do {
        std::string piece(
            rest.substr(0, cutter.next(rest.size())));  // a copy, so that a sanitizer sees reads beyond it
        rest.remove_prefix(piece.size());
        returned(step, sluice_turn_feed(turn_->p, piece.data(), piece.size()));
        if (replay_.how == Replay::How::polled) poll();
        if (replay_.how == Replay::How::restored) save_and_restore();
      } while (!rest.empty());
      if (step.contains("answer")) returned(step, sluice_turn_finish(turn_->p, SLUICE_END_COMPLETE, nullptr, 0));
    } else {
      call(step);
    }
    if (replay_.how == Replay::How::polled) {
      poll();
      check_history();
    }
  }

  void call(const Json &step) {
    if (const Json *const engine = member(step, "restore")) {
      if (engine->is_object()) {
        changed_ = true;
        other_engine_ = std::make_unique<EngineHandle>(document_text(*engine));
        engine_ = other_engine_->p;
      }
      return restore(engine_);
    }
    const std::string before = step.contains("code") ? state() : std::string();
    const int64_t told = act(turn_->p, step);
    returned(step, told);
    if (step.contains("resolve") && !step.contains("code")) resolved_[step["resolve"].get<uint32_t>()] = &step;
    if (step.contains("code") && state() != before) throw Failed("a verb that returns an error has changed something");
    if (const Json *expected = member(step, "way");
        expected &&
        told != number(*expected, {{"run", SLUICE_GATE_RUN}, {"ask", SLUICE_GATE_ASK}, {"deny", SLUICE_GATE_DENY}}))
      throw Failed("the gate says " + std::to_string(told));
    if (const Json *expected = member(step, "number"); expected && told != expected->get<int64_t>())
      throw Failed("the number of the call is " + std::to_string(told));
    if (const Json *expected = member(step, "next");
        expected && told != (*expected == "never" ? INT64_MAX : expected->get<int64_t>()))
      throw Failed("the next deadline is " + std::to_string(told));
  }

  void get(const Json &step) {
    static const std::map<std::string, int32_t> kDocuments = {
        {"request", SLUICE_GET_REQUEST}, {"message", SLUICE_GET_MESSAGE}, {"history", SLUICE_GET_HISTORY},
        {"tools", SLUICE_GET_TOOLS},     {"prompt", SLUICE_GET_PROMPT},   {"state", SLUICE_GET_STATE},
        {"error", SLUICE_GET_ERROR}};
    const std::string what = step["get"];
    size_t len = 0;
    const std::string name = step.value("name", "");
    const char *text = what == "engineError" ? sluice_engine_error(engine_, &len)
                       : what == "tool"      ? sluice_turn_find_tool(turn_->p, name.data(), name.size(), &len)
                                             : sluice_turn_get(turn_->p, kDocuments.at(what), &len);
    const Json bytes = text ? Json(std::string(text, len)) : Json();
    const Json value = text ? Json::parse(text, text + len) : Json();
    if (const Json *pattern = member(step, "is"))
      if (std::string why = mismatch(*pattern, &value); !why.empty()) throw Failed(why + "\n    in " + brief(value));
    if (const Json *pattern = member(step, "text"))
      if (std::string why = mismatch(*pattern, &bytes); !why.empty()) throw Failed(why);
  }

  void expect(const Json &step, const Json &patterns) {
    poll();
    std::vector<Json> events = std::exchange(pending_, {});
    auto type = [](const Json &event) { return text_of(event, "type"); };
    Json ordered = Json::array();
    bool arguments = false;
    std::map<std::string, Json> aside;
    const auto stands_aside = [&](const Json &event) {
      return type(event) == "diagnostic" || type(event) == "usage" || type(event) == "round";
    };
    for (const Json &pattern : patterns) {
      arguments = arguments || type(pattern) == "args";
      if (stands_aside(pattern))
        aside.try_emplace(type(pattern), Json::array()).first->second.push_back(pattern);
      else
        ordered.push_back(pattern);
    }
    std::vector<Json> main, beside;
    for (const Json &event : events) {
      if (stands_aside(event))
        beside.push_back(event);
      else if (arguments || type(event) != "args")
        main.push_back(event);
    }
    main = merged_events(main, true);
    const Json shown = main, shown_beside = beside;
    for (const auto &[name, wanted] : aside)
      if (std::string why = subsequence(wanted, beside, name); !why.empty())
        throw Failed(why + "\n    in " + brief(shown_beside));
    if (const Json *never = member(step, "no")) {
      for (const Json &pattern : *never)
        for (const Json &event : events)
          if (mismatch(pattern, &event).empty()) throw Failed("this may not come: " + brief(event));
    }
    if (step.value("some", false)) {
      if (std::string why = subsequence(ordered, main, "expect"); !why.empty())
        throw Failed(why + "\n    in " + brief(shown));
      return;
    }
    for (size_t i = 0; i < std::max(main.size(), ordered.size()); ++i) {
      std::string why;
      if (i >= ordered.size())
        why = "unexpected event " + brief(main[i]);
      else
        why = mismatch(ordered[i], i < main.size() ? &main[i] : nullptr, "event " + std::to_string(i));
      if (!why.empty()) throw Failed(why + "\n    in " + brief(shown) + "\n    beside " + brief(shown_beside));
    }
  }

  void check_end(const Outcome &outcome) {
    const Json *blocks = member(outcome.message, "blocks");
    if (!blocks) return;
    if (done_ && text_of(outcome.message, "outcome") != *done_)
      throw Failed("the message's outcome is not that of done");
    std::set<uint32_t> told, retracted;  // rounds
    std::map<size_t, std::string> texts;
    size_t newest = 0;  // block
    std::map<uint32_t, std::string> arguments;
    std::map<uint32_t, Json> cards;
    for (const Json &event : all_) {
      const std::string type = text_of(event, "type");
      if (type == "retracted")
        retracted.insert(event.at("round").get<uint32_t>());  // another text may stand in its place
      const bool nested = type == "card" && event.contains("parent");
      if (nested && event.contains("block")) throw Failed("a nested card has no block: " + brief(event));
      if (nested) cards.try_emplace(event.at("call"), Json::object()).first->second.update(event);
      if (type == "text" || type == "reasoning" || type == "error" || (type == "card" && !nested)) {
        const size_t block = event.at("block");
        const std::string expected = type == "card" ? "tool_use" : type;
        if (block >= blocks->size() || text_of((*blocks)[block], "type") != expected)
          throw Failed("no " + expected + " block for " + brief(event) + "\n    in " + brief(outcome.message));
        if ((type != "card" || !cards.contains(event.at("call"))) && block < newest)
          throw Failed("block " + std::to_string(newest) + " came before " + brief(event));
        newest = std::max(newest, block);
        if (type == "text" || type == "reasoning") {
          texts[block] += text_of(event, "text");
          const uint32_t round = (*blocks)[block].at("round");
          if (told.contains(round) && !retracted.contains(round))
            throw Failed("text behind its round: " + brief(event));
        }
        if (type == "card") cards.try_emplace(event.at("call"), Json::object()).first->second.update(event);
      } else if (type == "args") {
        arguments[event.at("call")] += text_of(event, "text");
      } else if (type == "round") {
        told.insert(event.at("round").get<uint32_t>());
      } else if (type == "request") {
        told.erase(event.at("round").get<uint32_t>());  // asked for again
      }
    }
    if ((done_ == "completed" || done_ == "limit") && told.size() != outcome.message.at("rounds"))
      throw Failed("not every answer has its round: " + brief(Json(all_)));
    for (size_t i = 0; i < blocks->size(); ++i) {
      const Json &block = (*blocks)[i];
      const std::string type = text_of(block, "type");
      if ((type == "text" || type == "reasoning") && texts[i] != text_of(block, "text"))
        throw Failed("joined " + type + " events are not block " + std::to_string(i) + ": " + brief(texts[i]) +
                     "\n    but " + brief(block));
      if (type == "tool_use") check_card(block, cards, arguments);
    }
    check_history();
  }

  // Compares the events of a card, and of those within it, with the message.
  void check_card(const Json &block, std::map<uint32_t, Json> &cards, std::map<uint32_t, std::string> &arguments) {
    static const std::set<std::string> kFinal = {"success", "error",   "denied",  "result_rejected", "not_found",
                                                 "invalid", "timeout", "expired", "cancelled",       "unknown"};
    const uint32_t call = block.at("call");
    const std::string status = text_of(block, "status");
    if (done_ && !parser_ && done_ != "awaiting_user" && !kFinal.contains(status))
      throw Failed("not final after done: " + brief(block));
    Json laid = cards[call];
    for (const char *key : {"type", "seq", "block"}) laid.erase(key);
    Json rest = block;
    for (const char *key : {"type", "progress", "nested"}) rest.erase(key);
    laid.erase("progress");
    const bool streamed = arguments.contains(call) || !laid.contains("rawArguments");
    if (status != "streaming" && streamed && !diagnosed_ && arguments[call] != text_of(block, "rawArguments"))
      throw Failed("joined args are not rawArguments: " + brief(arguments[call]) + "\n    but " + brief(block));
    if (!laid.contains("rawArguments")) rest.erase("rawArguments");
    if (!same(laid, rest))
      throw Failed("patches laid over each other: " + brief(laid) + "\n    but the block is " + brief(rest));
    if (const Json *nested = member(block, "nested"))
      for (const Json &card : *nested) check_card(card, cards, arguments);
  }

  const Json &script_;
  const Replay &replay_;
  sluice_engine *engine_ = nullptr;
  TurnHandle *turn_ = nullptr;
  bool parser_ = false;
  bool diagnosed_ = false;
  bool text_ = false;     // calls are written as text
  bool changed_ = false;  // the turn goes on with another engine
  std::string wire_ = "openai-chat";
  Json messages_;                      // of the host
  Json conversation_ = Json::array();  // of the request before
  std::set<uint32_t> running_;         // calls whose execute event was polled and that have not ended
  std::vector<Json> asked_;
  std::map<uint32_t, const Json *> resolved_;  // call → the step that resolved its arguments
  std::unique_ptr<EngineHandle> other_engine_;
  std::optional<int64_t> seq_;
  uint32_t polls_ = 0;
  std::optional<std::string> done_;
  std::vector<Json> all_, pending_;
};

}  // namespace

void play_as_written(const Json &script, Replay::Poll poll) {
  const Replay replay = {"as written", Replay::How::cut, Cutter::whole(), poll};
  Player(script, replay).play();
}

std::vector<std::string> run_script(const Json &script, bool restorable) {
  size_t bytes = 0;
  bool restores = false, resolves = false;
  for (const Json &step : script["steps"]) {
    if (step.contains("restore") && !restorable) return {};
    restores = restores || step.contains("restore");
    resolves = resolves || step.contains("resolve") || step.contains("call");
    bytes += fed(step).value_or("").size();
  }
  using How = Replay::How;
  using Poll = Replay::Poll;
  std::vector<Replay> replays = {{"as written", How::cut, Cutter::whole()},
                                 {"as written, in pieces", How::cut, Cutter::whole(), Poll::pieces}};
  if (bytes > 0 && bytes <= kBytewiseLimit)
    replays.push_back({"byte by byte", How::cut, Cutter::bytes(), Poll::in_turns});
  for (uint32_t seed = 1; bytes > 0 && seed <= kRandomReplays; ++seed)
    replays.push_back({"random cuts, seed " + std::to_string(seed), How::cut, Cutter::random(seed),
                       seed % 2 ? Poll::events : Poll::pieces});
  if (script.value("polls", "") != "as written") {
    const Cutter cutter = bytes <= kBytewiseLimit ? Cutter::bytes() : Cutter::random(1);
    replays.push_back({"polled after every call", How::polled, cutter});
    replays.push_back({"polled in pieces after every call", How::polled, cutter, Poll::pieces});
  }
  if (restorable && !(restores && resolves))  // it says itself what comes again, and what is answered then
    replays.push_back({"saved and restored", How::restored, Cutter::restored(bytes), Poll::in_turns});

  std::vector<std::string> failures;
  std::optional<Outcome> first;
  for (const Replay &replay : replays) {
    try {
      Outcome outcome = Player(script, replay).play();
      if (!first) {
        first = std::move(outcome);
        continue;
      }
      if (!same(outcome.message, first->message))
        throw Failed("another message than as written: " + brief(outcome.message) + "\n    not " +
                     brief(first->message));
      if (!same(outcome.history, first->history))
        throw Failed("another history than as written: " + brief(outcome.history) + "\n    not " +
                     brief(first->history));
      if (replay.how == Replay::How::cut && outcome.events != first->events)
        throw Failed("other events than as written: " + brief(outcome.events) + "\n    not " + brief(first->events));
    } catch (const std::exception &failure) {
      failures.push_back(replay.name + ": " + failure.what());
      break;  // the other replays would report the same
    }
  }
  return failures;
}

bool can_restore() {
  EngineHandle engine("{}");
  TurnHandle turn(sluice_turn_restore(engine.p, "{}", 2));
  return sluice_turn_feed(turn.p, "", 0) != SLUICE_E_UNSUPPORTED;
}

}  // namespace sluice_test
