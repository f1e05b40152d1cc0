// sluice.h spelled in Node-API. Each function of the header is a function of the module and takes opaque handles (null,
// or a freed handle, means NULL). Strings go in as UTF-8 and come out as a string or null; return codes are numbers.
// sluice_turn_next_delta alone is part of another function, `step`: crossing into JavaScript costs more than a piece.
#include <napi.h>
#include <sluice/sluice.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "../step.h"

namespace {

struct Environment;

struct Handle {  // one of the two is set; neither after it was freed
  sluice_engine *engine = nullptr;
  sluice_turn *turn = nullptr;
  std::weak_ptr<Environment> home;  // finalizers may run after the environment's cleanup hook

  void release() {
    sluice_turn_free(std::exchange(turn, nullptr));
    sluice_engine_free(std::exchange(engine, nullptr));
  }
};

// The live handles of one environment (main thread or worker). An External may carry the pointer of another addon, so
// only a handle in this list is ours.
struct Environment : std::enable_shared_from_this<Environment> {
  std::unordered_set<Handle *> live;
  sluice_step::Buffers buffers;  // of the step that runs
};

Environment &environment(const Napi::CallbackInfo &info) { return *static_cast<Environment *>(info.Data()); }

// Reads the arguments of one call. The first argument of a wrong type throws a TypeError; later reads give empty
// values.
class Arguments {
 public:
  explicit Arguments(const Napi::CallbackInfo &info) : info_(info) {}

  bool failed() const { return failed_; }

  Handle *handle(size_t index, const char *expected = "a handle") {
    const Napi::Value value = info_[index];
    void *found = nullptr;
    if (napi_get_value_external(info_.Env(), value, &found) != napi_ok && value.IsNull()) return nullptr;
    auto *const handle = static_cast<Handle *>(found);
    if (handle == nullptr || environment(info_).live.count(handle) == 0) return fail(index, expected), nullptr;
    return handle;
  }

  sluice_engine *engine(size_t index) {
    Handle *const found = handle(index, "an engine");
    if (found != nullptr && found->turn != nullptr) fail(index, "an engine");
    return found == nullptr ? nullptr : found->engine;
  }

  sluice_turn *turn(size_t index) {
    Handle *const found = handle(index, "a turn");
    if (found != nullptr && found->engine != nullptr) fail(index, "a turn");
    return found == nullptr ? nullptr : found->turn;
  }

  std::string text(size_t index) {
    const Napi::Value value = info_[index];
    if (!value.IsString()) return fail(index, "a string"), std::string();
    return value.As<Napi::String>().Utf8Value();
  }

  std::optional<std::string> optional_text(size_t index) {
    const Napi::Value value = info_[index];
    if (value.IsUndefined() || value.IsNull()) return std::nullopt;
    if (!value.IsString()) return fail(index, "a string or null"), std::nullopt;
    return value.As<Napi::String>().Utf8Value();
  }

  template <typename Integer>
  Integer integer(size_t index) {
    double number = std::nan("");
    napi_get_value_double(info_.Env(), info_[index], &number);  // leaves alone what is no number
    using Range = std::numeric_limits<Integer>;
    // One more than the largest value: a power of two, so every type's bound is exact as a double.
    const double end = std::ldexp(1.0, Range::digits);
    if (!(number >= static_cast<double>(Range::min()) && number < end && number == std::trunc(number)))
      return fail(index, Range::is_signed ? "an integer in range" : "an integer in range, not negative"), Integer{};
    return static_cast<Integer>(number);
  }

  template <typename Integer>
  std::optional<Integer> optional_integer(size_t index) {
    double number = 0;
    if (napi_get_value_double(info_.Env(), info_[index], &number) != napi_ok && info_[index].IsNull())
      return std::nullopt;
    return integer<Integer>(index);
  }

  std::pair<const void *, size_t> bytes(size_t index) {
    return elements<const void>(index, napi_uint8_array, "a Uint8Array").value_or(kNone);
  }
  std::optional<std::pair<const void *, size_t>> optional_bytes(size_t index) {
    return elements<const void>(index, napi_uint8_array, "a Uint8Array", true);
  }
  std::optional<std::pair<uint32_t *, size_t>> optional_numbers(size_t index) {
    return elements<uint32_t>(index, napi_uint32_array, "a Uint32Array", true);
  }

 private:
  static constexpr std::pair<const void *, size_t> kNone{};

  // `or_null`: null is no fault. The kind is asked first, because these are read for every piece of an answer.
  template <class Element>
  std::optional<std::pair<Element *, size_t>> elements(size_t index, napi_typedarray_type expected, const char *words,
                                                       bool or_null = false) {
    napi_typedarray_type type{};
    void *data = nullptr;
    size_t length = 0;
    const napi_status status =
        napi_get_typedarray_info(info_.Env(), info_[index], &type, &length, &data, nullptr, nullptr);
    if (status == napi_ok && type == expected) return std::pair(static_cast<Element *>(data), length);
    if (!or_null || !info_[index].IsNull()) fail(index, words);
    return std::nullopt;
  }

  void fail(size_t index, const char *expected) {
    if (std::exchange(failed_, true)) return;
    const std::string message = "argument " + std::to_string(index + 1) + ": expected " + expected;
    Napi::TypeError::New(info_.Env(), message).ThrowAsJavaScriptException();
  }

  const Napi::CallbackInfo &info_;
  bool failed_ = false;
};

const char *data(const std::optional<std::string> &text) { return text ? text->c_str() : nullptr; }
size_t size(const std::optional<std::string> &text) { return text ? text->size() : 0; }

Napi::Value number(const Napi::CallbackInfo &info, double value) { return Napi::Number::New(info.Env(), value); }

bool is_ascii(const char *text, size_t len) {
  char all = 0;
  for (size_t i = 0; i < len; ++i) all = static_cast<char>(all | text[i]);
  return (all & 0x80) == 0;
}

// ASCII is copied into a string as it is; UTF-8 must be decoded.
Napi::Value string(const Napi::CallbackInfo &info, const char *text, size_t len) {
  napi_value value = nullptr;
  if (is_ascii(text, len) && napi_create_string_latin1(info.Env(), text, len, &value) == napi_ok)
    return Napi::Value(info.Env(), value);
  return Napi::String::New(info.Env(), text, len);
}

Napi::Value text_or_null(const Napi::CallbackInfo &info, const char *text, size_t len) {
  if (text == nullptr) return info.Env().Null();
  return string(info, text, len);
}

// Hands the handle to JavaScript: it is freed by hand, with the environment, or by the garbage collector.
Napi::Value hand_out(const Napi::CallbackInfo &info, sluice_engine *engine, sluice_turn *turn) {
  if (engine == nullptr && turn == nullptr) {
    Napi::Error::New(info.Env(), "out of memory").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  auto *const handle = new Handle{engine, turn, environment(info).weak_from_this()};
  environment(info).live.insert(handle);
  return Napi::External<Handle>::New(info.Env(), handle, [](Napi::Env, Handle *dead) {
    if (const auto home = dead->home.lock()) home->live.erase(dead);
    dead->release();
    delete dead;
  });
}

// -- the functions, in the order of the header
// ------------------------------------------------------------------------------

Napi::Value version(const Napi::CallbackInfo &info) { return number(info, sluice_version()); }

Napi::Value engine_new(const Napi::CallbackInfo &info) {
  Arguments in(info);
  const std::string config = in.text(0);
  if (in.failed()) return info.Env().Undefined();
  return hand_out(info, sluice_engine_new(config.data(), config.size()), nullptr);
}

Napi::Value engine_error(const Napi::CallbackInfo &info) {
  Arguments in(info);
  const sluice_engine *const engine = in.engine(0);
  if (in.failed()) return info.Env().Undefined();
  size_t len = 0;
  const char *const text = sluice_engine_error(engine, &len);
  return text_or_null(info, text, len);
}

Napi::Value turn_new(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_engine *const engine = in.engine(0);
  const std::string config = in.text(1);
  if (in.failed()) return info.Env().Undefined();
  return hand_out(info, nullptr, sluice_turn_new(engine, config.data(), config.size()));
}

Napi::Value turn_restore(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_engine *const engine = in.engine(0);
  const std::string state = in.text(1);
  if (in.failed()) return info.Env().Undefined();
  return hand_out(info, nullptr, sluice_turn_restore(engine, state.data(), state.size()));
}

Napi::Value free_handle(const Napi::CallbackInfo &info) {
  Arguments in(info);
  Handle *const handle = in.handle(0);
  if (handle != nullptr) handle->release();
  return info.Env().Undefined();
}

Napi::Value response(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto status = in.integer<int32_t>(1);
  const auto headers = in.optional_text(2);
  if (in.failed()) return info.Env().Undefined();
  return number(info, sluice_turn_response(turn, status, data(headers), size(headers)));
}

Napi::Value feed(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto [bytes, len] = in.bytes(1);
  if (in.failed()) return info.Env().Undefined();
  return number(info, sluice_turn_feed(turn, bytes, len));
}

Napi::Value finish(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto how = in.integer<int32_t>(1);
  const auto detail = in.optional_text(2);
  if (in.failed()) return info.Env().Undefined();
  return number(info, sluice_turn_finish(turn, how, data(detail), size(detail)));
}

Napi::Value approve(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto call = in.integer<uint32_t>(1);
  const auto decision = in.integer<int32_t>(2);
  const auto edited = in.optional_text(3);
  if (in.failed()) return info.Env().Undefined();
  return number(info, sluice_turn_approve(turn, call, decision, data(edited), size(edited)));
}

// deny, refuse, judge, cancel, resolve and call take the same arguments.
template <int32_t(SLUICE_CALL *Function)(sluice_turn *, uint32_t, const char *, size_t)>
Napi::Value with_reason(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto call = in.integer<uint32_t>(1);
  const auto reason = in.optional_text(2);
  if (in.failed()) return info.Env().Undefined();
  return number(info, Function(turn, call, data(reason), size(reason)));
}

Napi::Value submit(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto call = in.integer<uint32_t>(1);
  const auto kind = in.integer<int32_t>(2);
  const std::string text = in.text(3);
  if (in.failed()) return info.Env().Undefined();
  return number(info, sluice_turn_submit(turn, call, kind, text.data(), text.size()));
}

// INT64_MAX, "never", becomes Infinity: no double holds it exactly.
Napi::Value tick(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto now = in.integer<int64_t>(1);
  if (in.failed()) return info.Env().Undefined();
  const int64_t next = sluice_turn_tick(turn, now);
  return number(info, next == INT64_MAX ? std::numeric_limits<double>::infinity() : static_cast<double>(next));
}

Napi::Value next_event(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  if (in.failed()) return info.Env().Undefined();
  size_t len = 0;
  const char *const text = sluice_turn_next_event(turn, &len);
  return text_or_null(info, text, len);
}

// -- many events in one crossing --

// step(turn, now, bytes, out): sluice_step::step. `now`, `bytes` and `out` may be null. Returns the return code of a
// tick or feed that failed; else undefined, the text of all pieces, or [text, events], with the other events as a JSON
// array.
Napi::Value step(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto now = in.optional_integer<int64_t>(1);
  std::optional<sluice_step::Bytes> bytes;
  if (const auto piece = in.optional_bytes(2)) bytes = sluice_step::Bytes{piece->first, piece->second};
  const auto [out, size] = in.optional_numbers(3).value_or(std::pair<uint32_t *, size_t>());
  if (in.failed()) return info.Env().Undefined();
  sluice_step::Buffers &buffers = environment(info).buffers;
  const int64_t code = sluice_step::step(turn, now, bytes, out, size, buffers);
  if (code < 0) return number(info, static_cast<double>(code));

  if (size < sluice_step::kHead || out[0] == 0) return info.Env().Undefined();
  Napi::Value given = string(info, buffers.text.data(), buffers.text.size());
  if (!buffers.events.empty()) {
    const Napi::Array both = Napi::Array::New(info.Env(), 2);
    both.Set(0U, given);
    both.Set(1U, string(info, buffers.events.data(), buffers.events.size()));
    given = both;
  }
  buffers.reset();
  return given;
}

Napi::Value conclude(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto how = in.integer<int32_t>(1);
  const auto text = in.optional_text(2);
  if (in.failed()) return info.Env().Undefined();
  return number(info, sluice_turn_conclude(turn, how, data(text), size(text)));
}

Napi::Value find_tool(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const std::string name = in.text(1);
  if (in.failed()) return info.Env().Undefined();
  size_t len = 0;
  const char *const text = sluice_turn_find_tool(turn, name.data(), name.size(), &len);
  return text_or_null(info, text, len);
}

Napi::Value get(const Napi::CallbackInfo &info) {
  Arguments in(info);
  sluice_turn *const turn = in.turn(0);
  const auto what = in.integer<int32_t>(1);
  if (in.failed()) return info.Env().Undefined();
  size_t len = 0;
  const char *const text = sluice_turn_get(turn, what, &len);
  return text_or_null(info, text, len);
}

// Not in sluice.h: tells the garbage collector about memory that it cannot see.
Napi::Value adjust_external_memory(const Napi::CallbackInfo &info) {
  Arguments in(info);
  const auto delta = in.integer<int64_t>(0);
  if (in.failed()) return info.Env().Undefined();
  return number(info, static_cast<double>(Napi::MemoryManagement::AdjustExternalMemory(info.Env(), delta)));
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  auto *const owner = new std::shared_ptr<Environment>(std::make_shared<Environment>());
  Environment *const data = owner->get();
  env.AddCleanupHook(
      [](std::shared_ptr<Environment> *last) {
        for (Handle *handle : (*last)->live) handle->release();
        delete last;
      },
      owner);

  const auto add = [&]<Napi::Value (*Function)(const Napi::CallbackInfo &)>(const char *name) {
    exports.Set(name, Napi::Function::New<Function>(env, name, data));
  };
  add.template operator()<version>("version");
  add.template operator()<engine_new>("engineNew");
  add.template operator()<engine_error>("engineError");
  add.template operator()<free_handle>("engineFree");
  add.template operator()<turn_new>("turnNew");
  add.template operator()<turn_restore>("turnRestore");
  add.template operator()<free_handle>("turnFree");
  add.template operator()<response>("response");
  add.template operator()<feed>("feed");
  add.template operator()<finish>("finish");
  add.template operator()<approve>("approve");
  add.template operator()<with_reason<sluice_turn_deny>>("deny");
  add.template operator()<with_reason<sluice_turn_refuse>>("refuse");
  add.template operator()<with_reason<sluice_turn_judge>>("judge");
  add.template operator()<with_reason<sluice_turn_cancel>>("cancel");
  add.template operator()<with_reason<sluice_turn_resolve>>("resolve");
  add.template operator()<with_reason<sluice_turn_call>>("call");
  add.template operator()<conclude>("conclude");
  add.template operator()<submit>("submit");
  add.template operator()<tick>("tick");
  add.template operator()<next_event>("nextEvent");
  add.template operator()<step>("step");
  add.template operator()<find_tool>("findTool");
  add.template operator()<get>("get");
  add.template operator()<adjust_external_memory>("adjustExternalMemory");
  return exports;
}

}  // namespace

NODE_API_MODULE(sluice, init)
