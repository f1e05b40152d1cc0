// One engine and one turn through the C ABI, for whoever plays turns at random: every verb is watched for a poisoned
// turn, and every event for what a host could not read.
#pragma once

#include <sluice/sluice.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../native/conversation.h"
#include "base/json.h"

namespace sluice_test {

// A promise that was not kept. A fuzz target that throws is a crash; a test catches it and tells it.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void must(bool holds, const char *promise, const std::string &shown = {}) {
  if (!holds) throw Broken(promise + (shown.empty() ? std::string() : "\n" + shown));
}

// Choices out of bytes: of a fuzzer, or drawn by a test. Where they have ended everything is 0.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  size_t below(size_t n) {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return n <= 256 ? byte % n : (byte * size_t{256} + below(256)) % n;
  }
  template <class T, size_t N>
  const T &of(const T (&list)[N]) {
    return list[below(N)];
  }
  // So many bytes as the next one says.
  std::string_view text() {
    const size_t wanted = below(256);
    const size_t size = std::min(wanted, bytes_.size());
    const std::string_view out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }
  std::string_view rest() {
    const std::string_view out = bytes_;
    bytes_ = {};
    return out;
  }

 private:
  std::string_view bytes_;
};

class Session {
 public:
  explicit Session(const std::string &engine) : engine_(sluice_engine_new(engine.data(), engine.size())) {}
  Session(const std::string &engine, const std::string &turn) : Session(engine) {
    turn_ = sluice_turn_new(engine_, turn.data(), turn.size());
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    sluice_turn_free(turn_);
    sluice_engine_free(engine_);
  }

  // -- what came out so far
  std::vector<std::string> ran;          // tools that were told to run, in order
  std::vector<uint32_t> running, asked;  // calls that were told to run, and those that a person was asked about
  bool done = false;

  sluice_turn *turn() const { return turn_; }
  bool usable() const { return sluice_engine_error(engine_, nullptr) == nullptr; }
  std::string error() { return get(SLUICE_GET_ERROR); }
  std::string get(int32_t what) {
    size_t len = 0;
    const char *const text = sluice_turn_get(turn_, what, &len);
    return text == nullptr ? std::string() : std::string(text, len);
  }

  // `own`: a state of this turn, not of another.
  void restore(std::string_view state, bool own = false) {
    sluice_turn_free(turn_);
    turn_ = sluice_turn_restore(engine_, state.data(), state.size());
    done = false;
    seq_.reset();
    if (!own) shown_.clear(), fired_.clear();
  }
  // Calls a verb, and returns its code. A verb that returns an error has changed nothing: the state holds the events
  // that wait, too.
  template <class Verb>
  auto told(const Verb &verb) {
    const std::string before = get(SLUICE_GET_STATE);
    const auto code = verb();
    must(code != SLUICE_E_INTERNAL && code != SLUICE_E_MEMORY, "no turn is poisoned", get(SLUICE_GET_ERROR));
    if (code < 0) {
      const std::string why = get(SLUICE_GET_ERROR), after = get(SLUICE_GET_STATE);
      must(after == before, "a verb that returns an error has changed nothing",
           why + "\n" + before + "\nnow\n" + after);
    }
    return code;
  }
  int32_t feed(std::string_view bytes) {
    return told([&] { return sluice_turn_feed(turn_, bytes.data(), bytes.size()); });
  }
  int32_t finish(int32_t how = SLUICE_END_COMPLETE) {
    return told([&] { return sluice_turn_finish(turn_, how, nullptr, 0); });
  }
  int32_t response(int32_t status, std::string_view headers) {
    return told([&] {
      return sluice_turn_response(turn_, status, headers.empty() ? nullptr : headers.data(), headers.size());
    });
  }
  int32_t approve(uint32_t call, int32_t decision, std::string_view edited = {}) {
    return told([&] {
      return sluice_turn_approve(turn_, call, decision, edited.empty() ? nullptr : edited.data(), edited.size());
    });
  }
  int32_t deny(uint32_t call, std::string_view reason) {
    return told([&] { return sluice_turn_deny(turn_, call, reason.data(), reason.size()); });
  }
  int32_t refuse(uint32_t call, std::string_view reason) {
    return told([&] { return sluice_turn_refuse(turn_, call, reason.data(), reason.size()); });
  }
  int32_t resolve(uint32_t call, std::string_view arguments) {
    return told([&] { return sluice_turn_resolve(turn_, call, arguments.data(), arguments.size()); });
  }
  int32_t call(uint32_t caller, std::string_view document) {
    return told([&] { return sluice_turn_call(turn_, caller, document.data(), document.size()); });
  }
  int32_t conclude(int32_t how, std::string_view text) {
    return told([&] { return sluice_turn_conclude(turn_, how, text.data(), text.size()); });
  }
  void find_tool(std::string_view name) {
    const char *const text = sluice_turn_find_tool(turn_, name.data(), name.size(), nullptr);
    must(text != nullptr && is_json(text), "a document is JSON", text == nullptr ? "" : text);
  }
  int32_t cancel(uint32_t call) {
    return told([&] { return sluice_turn_cancel(turn_, call, nullptr, 0); });
  }
  int32_t submit(uint32_t call, int32_t kind, std::string_view data) {
    return told([&] { return sluice_turn_submit(turn_, call, kind, data.data(), data.size()); });
  }
  void tick(int64_t now) {
    told([&] { return sluice_turn_tick(turn_, now); });
  }
  // Polls until there is nothing more. Every other time text comes as plain bytes, without JSON.
  void drain() {
    plain_ = !plain_;
    while ((plain_ && poll_piece()) || poll_event()) {
    }
  }
  // Forgets what the events showed so far.
  void forget() { shown_.clear(); }
  // All that can be asked is JSON, and the message holds what the events showed.
  void look() {
    drain();
    const Json message = read_json(get(SLUICE_GET_MESSAGE));
    if (const Json *const blocks = member(message, "blocks"); blocks != nullptr && blocks->is_array())
      for (const Json &block : *blocks)
        if (const auto known = shown_.find(block.value("call", 0U)); known != shown_.end())
          for (const char *name : {"status", "arguments", "editedArguments", "name"})
            if (const Json *const shown = member(known->second, name))
              must(block.contains(name) && block[name] == *shown, "the events laid over each other are the message",
                   block.dump() + "\n" + known->second.dump());
    for (int32_t what = SLUICE_GET_REQUEST; what <= SLUICE_GET_ERROR; ++what) {
      const std::string text = get(what);
      must(text.empty() || is_json(text), "a document is JSON", text);
    }
  }

 private:
  bool poll_piece() {
    int32_t kind = -1;
    uint32_t index = 0;
    size_t len = 0;
    const char *const text = sluice_turn_next_delta(turn_, &kind, &index, &len);
    if (text == nullptr) {
      const bool waits = kind == SLUICE_DELTA_EVENT || kind == SLUICE_DELTA_TASK;
      must(index == 0 && len == 0 && (waits || kind == SLUICE_DELTA_NONE), "what waits is told by its kind");
      must(poll_event() == waits, "an event waits exactly where its kind says so");
      return waits;
    }
    const std::string piece(text, len);
    must(!done, "nothing comes after done", piece);
    must(kind >= SLUICE_DELTA_TEXT && kind <= SLUICE_DELTA_PROGRESS, "a piece of text has its kind", piece);
    must(text[len] == 0 && is_json(sluice::json_string(piece)), "a piece is UTF-8, with a NUL behind it", piece);
    if (seq_) ++*seq_;
    return true;
  }
  bool poll_event() {
    size_t len = 0;
    const char *const text = sluice_turn_next_event(turn_, &len);
    if (text == nullptr) return false;
    must(!done, "nothing comes after done", text);
    const Json event = read_json(std::string_view(text, len));
    must(event.is_object(), "an event is a JSON object", text);
    must(!event.contains("call") || event["call"].is_number_unsigned(), "a call is a number", text);
    for (const char *key : {"type", "name"})
      must(!event.contains(key) || event[key].is_string(), "type and name are strings", text);
    const Json *const seq = member(event, "seq");
    must(seq != nullptr && seq->is_number_unsigned() && (!seq_ || *seq == *seq_ + 1), "seq counts what was polled",
         text);
    seq_ = seq->get<uint64_t>();
    const std::string type = event.value("type", "");
    if (type == "execute" || type == "ipc") ran.push_back(event.value("name", type));
    if (type == "execute") running.push_back(event.value("call", 0U));
    if (type == "approval") asked.push_back(event.value("call", 0U));
    if (type == "card") show(event);
    if (type == "execute") runs_what_was_shown(event, text);
    if (type == "ipc") fired_.insert(event.value("call", 0U));
    if (type == "error") must(!event.contains("fatal") || event["fatal"] != true, "no turn is poisoned", text);
    done = type == "done";
    return true;
  }

  // The cards as the events show them, laid over each other.
  void show(const Json &event) {
    const uint32_t call = event.value("call", 0U);
    Json &card = shown_[call];
    if (card.is_null()) card = Json::object();
    for (const auto &[name, value] : event.items()) card[name] = value;
    const bool late = fired_.contains(call) && (event.contains("arguments") || event.contains("editedArguments"));
    must(!late, "a card shows what runs before its message is sent", event.dump());
  }
  void runs_what_was_shown(const Json &event, std::string_view text) {
    const auto known = shown_.find(event.value("call", 0U));
    if (known == shown_.end()) return;  // of the state that this turn came from
    const auto shown_as = [&](const char *name) { return member(known->second, name); };
    const Json *const edited = shown_as("editedArguments"), *const own = shown_as("arguments");
    const Json *const resolved = edited != nullptr ? nullptr : shown_as("hostArguments");
    const Json *const shown = edited != nullptr ? edited : own;
    const Json &runs = event["arguments"];
    must(shown == nullptr || *shown == runs || (resolved != nullptr && *resolved == runs),
         "what runs is what was shown", event.dump() + "\n" + known->second.dump());
    const auto arguments = sluice::json_member(text, "arguments");
    must(arguments && !sluice::repeated_name(*arguments), "no argument is there twice", std::string(text));
  }

  sluice_engine *engine_ = nullptr;
  sluice_turn *turn_ = nullptr;
  bool plain_ = false;
  std::map<uint32_t, Json> shown_;  // by call
  std::set<uint32_t> fired_;        // calls whose message was sent
  std::optional<uint64_t> seq_;     // of what was polled last; nothing behind a restore
};

// The answer of a server whose model writes this text, or these native calls.
inline std::string chunk(const nlohmann::json &delta) {
  const nlohmann::json choice = {{"index", 0}, {"delta", delta}};
  return "data: " +
         nlohmann::json{{"choices", nlohmann::json::array({choice})}}.dump(-1, ' ', false,
                                                                           nlohmann::json::error_handler_t::replace) +
         "\n\n";
}
inline std::string ends(const char *reason = "stop") {
  return std::string(R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":")") + reason +
         "\"}]}\n\ndata: [DONE]\n\n";
}
inline nlohmann::json native_calls(const std::vector<std::string> &names, const std::string &arguments = "{}") {
  nlohmann::json calls = nlohmann::json::array();
  for (size_t i = 0; i < names.size(); ++i)
    calls.push_back({{"index", i},
                     {"id", "call_" + std::to_string(i)},
                     {"type", "function"},
                     {"function", {{"name", names[i]}, {"arguments", arguments}}}});
  return {{"tool_calls", calls}};
}

}  // namespace sluice_test
