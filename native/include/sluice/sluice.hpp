// Sluice for C++17: the functions of sluice.h with owners, std::string_view in and out, and exceptions. Header only; sluice.h is
// the manual, and documents.md describes the JSON.
//
//   sluice::Engine engine(R"({"tools":[...]})");
//   sluice::Turn turn(engine, R"({"wire":"openai-chat","request":{...}})");
//   while (auto event = turn.next_event()) ...
//
// Text that comes out is borrowed: valid until the next call of the same function on the same object (get: with the same `what`),
// and NUL-terminated. Where a text may be left out, leaving it out means NULL; an empty string is a text.
#ifndef SLUICE_SLUICE_HPP_
#define SLUICE_SLUICE_HPP_

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "sluice.h"

namespace sluice {
// The library's own classes have these names, and a program may link it statically: the inner namespace keeps them apart.
inline namespace host {

// A mistake of the host, or no memory. what() is the document of SLUICE_GET_ERROR, {"code":...,"name":...,"message":...}, or empty
// if there is none.
class Error : public std::exception {
 public:
  Error(int32_t code, std::string_view document) : code_(code), document_(document) {}
  explicit Error(std::string_view document) : Error(code_of(document), document) {}
  int32_t code() const noexcept { return code_; }  // SLUICE_E_*
  const char *what() const noexcept override { return document_.c_str(); }

 private:
  // The document begins with {"code":
  static int32_t code_of(std::string_view document) { return std::atoi(std::string(document.substr(8)).c_str()); }

  int32_t code_;
  std::string document_;
};

// Tools and defaults: made once, immutable, shared freely between threads. May be destroyed before its turns.
class Engine {
 public:
  // Throws Error if the configuration is not accepted, std::bad_alloc without memory.
  explicit Engine(std::string_view config) : handle_(sluice_engine_new(config.data(), config.size())) {
    if (!handle_) throw std::bad_alloc();
    size_t len = 0;
    const char *const error = sluice_engine_error(handle_.get(), &len);
    if (error != nullptr) throw Error({error, len});
  }

  sluice_engine *get() const noexcept { return handle_.get(); }

 private:
  struct Free {
    void operator()(sluice_engine *engine) const noexcept { sluice_engine_free(engine); }
  };
  std::unique_ptr<sluice_engine, Free> handle_;
};

// A piece of text, as sluice_turn_next_delta gives it.
struct Delta {
  int32_t kind;    // SLUICE_DELTA_TEXT, _REASONING, _ARGS or _PROGRESS
  uint32_t index;  // the block of text and reasoning, the call of arguments and progress
  std::string_view text;
};

// One user input, one assistant message. Used by one thread at a time. Every verb throws Error where its function returns a code
// below 0; a turn that was moved from throws SLUICE_E_ARGUMENT.
class Turn {
 public:
  // Throws Error if the configuration is not accepted, std::bad_alloc without memory.
  Turn(const Engine &engine, std::string_view config)
      : Turn(sluice_turn_new(engine.get(), config.data(), config.size())) {}
  // The same of a state of SLUICE_GET_STATE.
  static Turn restore(const Engine &engine, std::string_view state) {
    return Turn(sluice_turn_restore(engine.get(), state.data(), state.size()));
  }

  // -- what came from the network
  void response(int32_t http_status, std::string_view headers_json = {}) {
    check(sluice_turn_response(get(), http_status, headers_json.data(), headers_json.size()));
  }
  void feed(std::string_view bytes) { check(sluice_turn_feed(get(), bytes.data(), bytes.size())); }
  void finish(int32_t how = SLUICE_END_COMPLETE, std::string_view detail = {}) {
    check(sluice_turn_finish(get(), how, detail.data(), detail.size()));
  }
  // -- what came from the user
  void approve(uint32_t call, int32_t decision = SLUICE_ONCE, std::string_view edited_json = {}) {
    check(sluice_turn_approve(get(), call, decision, edited_json.data(), edited_json.size()));
  }
  void deny(uint32_t call, std::string_view reason = {}) {
    check(sluice_turn_deny(get(), call, reason.data(), reason.size()));
  }
  void refuse(uint32_t call, std::string_view reason = {}) {
    check(sluice_turn_refuse(get(), call, reason.data(), reason.size()));
  }
  int32_t judge(uint32_t call, std::string_view rules_json) {  // SLUICE_GATE_*
    return check(sluice_turn_judge(get(), call, rules_json.data(), rules_json.size()));
  }
  void conclude(int32_t how = SLUICE_FINAL_ACCEPT, std::string_view text = {}) {
    check(sluice_turn_conclude(get(), how, text.data(), text.size()));
  }
  void cancel(uint32_t call = 0, std::string_view reason = {}) {
    check(sluice_turn_cancel(get(), call, reason.data(), reason.size()));
  }
  // -- what came from a tool
  void submit(uint32_t call, std::string_view data, int32_t kind = SLUICE_RESULT) {
    check(sluice_turn_submit(get(), call, kind, data.data(), data.size()));
  }
  // nullopt: the call runs with its arguments as they are.
  void resolve(uint32_t call, std::optional<std::string_view> arguments_json) {
    check(sluice_turn_resolve(get(), call, arguments_json ? arguments_json->data() : nullptr,
                              arguments_json ? arguments_json->size() : 0));
  }
  // A tool that runs calls another one: {"name":...,"arguments":{...}}. Returns the number of the new call.
  uint32_t call(uint32_t caller, std::string_view call_json) {
    return static_cast<uint32_t>(check(sluice_turn_call(get(), caller, call_json.data(), call_json.size())));
  }
  // -- what came from the clock: returns when to call again, INT64_MAX for never
  int64_t tick(int64_t now_ms) { return check(sluice_turn_tick(get(), now_ms)); }

  // -- what comes out: no value where the function returns NULL
  std::optional<std::string_view> next_event() {
    return lent([&](size_t *len) { return sluice_turn_next_event(get(), len); });
  }
  // The next event if it is a piece of text; else no value: ask next_event(). Valid until the next call of either of them.
  std::optional<Delta> next_delta() {
    Delta delta{};
    const auto text = lent([&](size_t *len) { return sluice_turn_next_delta(get(), &delta.kind, &delta.index, len); });
    if (!text) return std::nullopt;
    delta.text = *text;
    return delta;
  }
  std::optional<std::string_view> find_tool(std::string_view name) {
    return lent([&](size_t *len) { return sluice_turn_find_tool(get(), name.data(), name.size(), len); });
  }
  std::optional<std::string_view> document(int32_t what) {  // SLUICE_GET_*
    return lent([&](size_t *len) { return sluice_turn_get(get(), what, len); });
  }

  sluice_turn *get() const noexcept { return handle_.get(); }

 private:
  struct Free {
    void operator()(sluice_turn *turn) const noexcept { sluice_turn_free(turn); }
  };

  explicit Turn(sluice_turn *handle) : handle_(handle) {
    if (!handle_) throw std::bad_alloc();
    if (const auto error = document(SLUICE_GET_ERROR)) throw Error(*error);
  }

  template <class Read>
  static std::optional<std::string_view> lent(Read read) {
    size_t len = 0;
    const char *const text = read(&len);
    if (text == nullptr) return std::nullopt;
    return std::string_view(text, len);
  }

  template <class Code>
  Code check(Code code) {
    if (code < 0) throw Error(static_cast<int32_t>(code), document(SLUICE_GET_ERROR).value_or(std::string_view()));
    return code;
  }

  std::unique_ptr<sluice_turn, Free> handle_;
};

}  // namespace host
}  // namespace sluice

#endif  // SLUICE_SLUICE_HPP_
