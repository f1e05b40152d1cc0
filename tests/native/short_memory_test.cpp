// Over all shared scripts: an allocation fails, then the next one in another run, and so on. Nothing is thrown, nothing
// crashes or leaks; the call in which it failed says so, or did without that memory and everything goes on as it was
// written.
//
// The linker leads each call of the runner through the recorder below (--wrap); what was recorded is repeated without
// the runner. Of a script with many allocations some fail, others with every build of the scripts. SLUICE_LONG=1 has
// each fail twice, alone and with all that follow in its call, but in a script of more than 20,000: a failure costs as
// much as all before it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sanitized.h"
#include "script_files.h"
#include "script_runner.h"

// -- the allocator ----------------------------------------------------------------------------------------------------

namespace {

struct Allocator {
  bool armed = false;    // in a call of the library
  bool lasting = false;  // all that follow in the same call fail as well
  bool failed = false;
  long count = 0, fails = -1;
  long live = 0;  // allocations that were made in or out of calls and are not freed
} allocator;

void *take(size_t size) {
  if (allocator.armed) {
    const long number = allocator.count++;
    if (number == allocator.fails || (allocator.lasting && allocator.failed)) {
      allocator.failed = true;
      throw std::bad_alloc();
    }
  }
  void *const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  ++allocator.live;
  return memory;
}

void *take_or_null(size_t size) noexcept {
  try {
    return take(size);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void give(void *memory) noexcept {
  if (memory != nullptr) --allocator.live;
  std::free(memory);
}

}  // namespace

void *operator new(size_t size) { return take(size); }
void *operator new[](size_t size) { return take(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return take_or_null(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return take_or_null(size); }
void operator delete(void *memory) noexcept { give(memory); }
void operator delete(void *memory, size_t) noexcept { give(memory); }
void operator delete[](void *memory) noexcept { give(memory); }
void operator delete[](void *memory, size_t) noexcept { give(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { give(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { give(memory); }

// -- what is recorded -------------------------------------------------------------------------------------------------

namespace {

using namespace sluice_test;

// A text that is handed in: a copy, which may be NULL.
struct Text {
  std::optional<std::string> bytes;
  size_t len;

  Text(const void *p, size_t size) : len(size) {
    if (p != nullptr) bytes.emplace(static_cast<const char *>(p), size);
  }
  const char *data() const { return bytes ? bytes->data() : nullptr; }
};

struct Lent {  // a text that comes out
  const char *text;
  size_t len;
};

struct Piece {
  Lent lent;
  int32_t kind;
  uint32_t index;
};

// What a call gave back, small enough to be compared ten thousand times.
struct Told {
  int64_t code = 0;
  size_t text = 0;

  explicit Told(int64_t returned) : code(returned) {}
  explicit Told(Lent lent) : code(lent.text != nullptr) {
    if (lent.text != nullptr) text = std::hash<std::string_view>()({lent.text, lent.len});
  }
  explicit Told(const Piece &piece) : Told(piece.lent) {
    if (piece.lent.text != nullptr) code += int64_t{piece.kind} << 40 | int64_t{piece.index} << 8;
  }
  bool operator==(const Told &) const = default;
};

// What SLUICE_GET_ERROR gives where there is no memory for more; the turn is not poisoned by that.
const Told kNoMemory(Lent{R"({"code":-100,"name":"memory","message":"out of memory"})", 55});

// The number of an event, which stands at its end.
int64_t seq_of(const char *event) {
  const char *const at = event == nullptr ? nullptr : std::strrchr(event, ':');
  return at == nullptr ? 0 : std::atoll(at + 1);
}

struct Step {
  enum class Kind { engine_new, engine_free, turn_new, turn_restore, turn_free, verb, event, piece, document };
  Kind kind;
  size_t engine = 0, turn = 0;
  Text text = {nullptr, 0};
  std::function<Told(sluice_turn *)> act = {};
  Told told = Told(0);
  int64_t seq = 0;    // of the event that it gave
  bool last = false;  // which was `done`; of a restored turn: the one that was saved had told it
};

struct Recorder {
  bool on = false;
  std::vector<Step> steps;
  std::map<const void *, size_t> engines, turns;  // numbers of the live ones
  size_t made = 0;
  bool done = false;
} recorder;

template <class Act>
auto record(Step::Kind kind, sluice_turn *turn, Act act) {
  const auto given = act(turn);
  if (recorder.on && turn != nullptr) {
    recorder.steps.push_back({kind, 0, recorder.turns.at(turn)});
    recorder.steps.back().act = [act](sluice_turn *again) { return Told(act(again)); };
    recorder.steps.back().told = Told(given);
  }
  return given;
}

template <class Act>
auto record_verb(sluice_turn *turn, Act act) {
  return record(Step::Kind::verb, turn, act);
}

template <class Act>
const char *record_text(Step::Kind kind, sluice_turn *turn, size_t *len, Act act) {
  const Lent lent = record(kind, turn, [act](sluice_turn *again) {
    size_t size = 0;
    const char *const text = act(again, &size);
    return Lent{text, size};
  });
  if (recorder.on && turn != nullptr && kind == Step::Kind::event) {
    recorder.steps.back().seq = seq_of(lent.text);
    recorder.steps.back().last = lent.text != nullptr && std::string_view(lent.text).starts_with(R"({"type":"done")");
    recorder.done = recorder.done || recorder.steps.back().last;
  }
  if (len != nullptr) *len = lent.len;
  return lent.text;
}

sluice_turn *record_turn(Step::Kind kind, sluice_turn *turn, const sluice_engine *engine, Text text) {
  if (recorder.on) {
    recorder.turns[turn] = ++recorder.made;
    recorder.done = recorder.done && kind == Step::Kind::turn_restore;
    recorder.steps.push_back({kind, recorder.engines.at(engine), recorder.made, std::move(text)});
    recorder.steps.back().last = recorder.done;
  }
  return turn;
}

}  // namespace

extern "C" {

#define SLUICE_REAL(name) decltype(name) __real_##name
SLUICE_REAL(sluice_engine_new);
SLUICE_REAL(sluice_engine_error);
SLUICE_REAL(sluice_engine_free);
SLUICE_REAL(sluice_turn_new);
SLUICE_REAL(sluice_turn_restore);
SLUICE_REAL(sluice_turn_free);
SLUICE_REAL(sluice_turn_response);
SLUICE_REAL(sluice_turn_feed);
SLUICE_REAL(sluice_turn_finish);
SLUICE_REAL(sluice_turn_approve);
SLUICE_REAL(sluice_turn_deny);
SLUICE_REAL(sluice_turn_refuse);
SLUICE_REAL(sluice_turn_judge);
SLUICE_REAL(sluice_turn_conclude);
SLUICE_REAL(sluice_turn_cancel);
SLUICE_REAL(sluice_turn_submit);
SLUICE_REAL(sluice_turn_resolve);
SLUICE_REAL(sluice_turn_call);
SLUICE_REAL(sluice_turn_tick);
SLUICE_REAL(sluice_turn_next_event);
SLUICE_REAL(sluice_turn_next_delta);
SLUICE_REAL(sluice_turn_find_tool);
SLUICE_REAL(sluice_turn_get);

}  // extern "C"

namespace {

Told error_of(const sluice_engine *engine) {
  size_t len = 0;
  const char *const text = __real_sluice_engine_error(engine, &len);
  return Told(Lent{text, len});
}

}  // namespace

extern "C" {

sluice_engine *__wrap_sluice_engine_new(const char *config, size_t len) {
  sluice_engine *const engine = __real_sluice_engine_new(config, len);
  if (recorder.on) {
    recorder.engines[engine] = ++recorder.made;
    recorder.steps.push_back({Step::Kind::engine_new, recorder.made, 0, Text(config, len)});
    recorder.steps.back().told = error_of(engine);
  }
  return engine;
}
const char *__wrap_sluice_engine_error(const sluice_engine *engine, size_t *len) {
  return __real_sluice_engine_error(engine, len);
}
void __wrap_sluice_engine_free(sluice_engine *engine) {
  if (recorder.on && engine != nullptr)
    recorder.steps.push_back({Step::Kind::engine_free, recorder.engines.at(engine)});
  __real_sluice_engine_free(engine);
}
sluice_turn *__wrap_sluice_turn_new(sluice_engine *engine, const char *config, size_t len) {
  return record_turn(Step::Kind::turn_new, __real_sluice_turn_new(engine, config, len), engine, Text(config, len));
}
sluice_turn *__wrap_sluice_turn_restore(sluice_engine *engine, const char *state, size_t len) {
  return record_turn(Step::Kind::turn_restore, __real_sluice_turn_restore(engine, state, len), engine,
                     Text(state, len));
}
void __wrap_sluice_turn_free(sluice_turn *turn) {
  if (recorder.on && turn != nullptr) recorder.steps.push_back({Step::Kind::turn_free, 0, recorder.turns.at(turn)});
  __real_sluice_turn_free(turn);
}
int32_t __wrap_sluice_turn_response(sluice_turn *turn, int32_t status, const char *headers, size_t len) {
  return record_verb(turn, [status, text = Text(headers, len)](sluice_turn *t) {
    return __real_sluice_turn_response(t, status, text.data(), text.len);
  });
}
int32_t __wrap_sluice_turn_feed(sluice_turn *turn, const void *bytes, size_t len) {
  return record_verb(
      turn, [text = Text(bytes, len)](sluice_turn *t) { return __real_sluice_turn_feed(t, text.data(), text.len); });
}
int32_t __wrap_sluice_turn_finish(sluice_turn *turn, int32_t how, const char *detail, size_t len) {
  return record_verb(turn, [how, text = Text(detail, len)](sluice_turn *t) {
    return __real_sluice_turn_finish(t, how, text.data(), text.len);
  });
}
int32_t __wrap_sluice_turn_approve(sluice_turn *turn, uint32_t call, int32_t decision, const char *edited, size_t len) {
  return record_verb(turn, [call, decision, text = Text(edited, len)](sluice_turn *t) {
    return __real_sluice_turn_approve(t, call, decision, text.data(), text.len);
  });
}
int32_t __wrap_sluice_turn_submit(sluice_turn *turn, uint32_t call, int32_t kind, const char *data, size_t len) {
  return record_verb(turn, [call, kind, text = Text(data, len)](sluice_turn *t) {
    return __real_sluice_turn_submit(t, call, kind, text.data(), text.len);
  });
}
int32_t __wrap_sluice_turn_conclude(sluice_turn *turn, int32_t how, const char *words, size_t len) {
  return record_verb(turn, [how, text = Text(words, len)](sluice_turn *t) {
    return __real_sluice_turn_conclude(t, how, text.data(), text.len);
  });
}
#define SLUICE_WRAP_CALL(name)                                                             \
  int32_t __wrap_##name(sluice_turn *turn, uint32_t call, const char *words, size_t len) { \
    return record_verb(turn, [call, text = Text(words, len)](sluice_turn *t) {             \
      return __real_##name(t, call, text.data(), text.len);                                \
    });                                                                                    \
  }
SLUICE_WRAP_CALL(sluice_turn_deny)
SLUICE_WRAP_CALL(sluice_turn_refuse)
SLUICE_WRAP_CALL(sluice_turn_judge)
SLUICE_WRAP_CALL(sluice_turn_cancel)
SLUICE_WRAP_CALL(sluice_turn_resolve)
SLUICE_WRAP_CALL(sluice_turn_call)
int64_t __wrap_sluice_turn_tick(sluice_turn *turn, int64_t now) {
  return record_verb(turn, [now](sluice_turn *t) { return __real_sluice_turn_tick(t, now); });
}
const char *__wrap_sluice_turn_next_event(sluice_turn *turn, size_t *len) {
  return record_text(Step::Kind::event, turn, len,
                     [](sluice_turn *t, size_t *size) { return __real_sluice_turn_next_event(t, size); });
}
const char *__wrap_sluice_turn_next_delta(sluice_turn *turn, int32_t *kind, uint32_t *index, size_t *len) {
  const Piece piece = record(Step::Kind::piece, turn, [](sluice_turn *t) {
    Piece told{};
    told.lent.text = __real_sluice_turn_next_delta(t, &told.kind, &told.index, &told.lent.len);
    return told;
  });
  if (kind != nullptr) *kind = piece.kind;
  if (index != nullptr) *index = piece.index;
  if (len != nullptr) *len = piece.lent.len;
  return piece.lent.text;
}
const char *__wrap_sluice_turn_find_tool(sluice_turn *turn, const char *name, size_t name_len, size_t *len) {
  return record_text(Step::Kind::document, turn, len, [text = Text(name, name_len)](sluice_turn *t, size_t *size) {
    return __real_sluice_turn_find_tool(t, text.data(), text.len, size);
  });
}
const char *__wrap_sluice_turn_get(sluice_turn *turn, int32_t what, size_t *len) {
  return record_text(Step::Kind::document, turn, len,
                     [what](sluice_turn *t, size_t *size) { return __real_sluice_turn_get(t, what, size); });
}

}  // extern "C"

// -- how it is repeated -----------------------------------------------------------------------------------------------

namespace {

// Where a crash happened: printed by whatever ends the program.
char place[256] = "nowhere";

// One run of the recorded calls. `why`: the first thing that was not as promised.
class Repeat {
 public:
  explicit Repeat(const std::vector<Step> &steps) : steps_(steps) {}

  std::string run(long fails, bool lasting) {
    allocator.count = 0;
    allocator.fails = fails;
    allocator.lasting = lasting;
    allocator.failed = false;
    why_.clear();
    for (at_ = 0; at_ < steps_.size(); ++at_) step(steps_[at_]);
    turns_.clear();
    engines_.clear();
    return why_;
  }

 private:
  struct Turn {
    sluice_turn *handle = nullptr;
    bool poisoned = false, lost = false;  // lost: its engine or the turn itself could not be made
    int words = 0;                        // how many of its two last events were seen
    int64_t seq = 0;                      // of the last event before it was poisoned, as far as there was one
    bool done = false;                    // that was `done`
  };

  // Allocations count, and may fail, in here alone.
  template <class Call>
  static auto in_library(Call &&call) {
    struct Armed {
      Armed() { allocator.armed = true; }
      ~Armed() {
        allocator.armed = false;
        allocator.lasting = allocator.lasting && !allocator.failed;  // those after this call succeed again
      }
    };
    const Armed armed;
    return call();
  }

  void step(const Step &step) {
    const bool failed_before = allocator.failed;
    const auto fails_here = [&] { return allocator.failed && !failed_before; };
    switch (step.kind) {
      case Step::Kind::engine_new: {
        sluice_engine *const engine =
            in_library([&] { return __real_sluice_engine_new(step.text.data(), step.text.len); });
        if (engine == nullptr && !fails_here()) wrong("no engine, and no allocation failed");
        if (engine != nullptr && error_of(engine) != step.told) wrong("the engine has another error", error_of(engine));
        engines_[step.engine] = engine;
        return;
      }
      case Step::Kind::engine_free: return __real_sluice_engine_free(engines_[step.engine]);
      case Step::Kind::turn_new:
      case Step::Kind::turn_restore: {
        sluice_engine *const engine = engines_[step.engine];
        Turn &turn = turns_[step.turn] = {};
        turn.done = step.last;
        turn.handle = in_library([&] {
          return (step.kind == Step::Kind::turn_new ? __real_sluice_turn_new : __real_sluice_turn_restore)(
              engine, step.text.data(), step.text.len);
        });
        turn.lost = engine == nullptr || turn.handle == nullptr;
        if (turn.handle == nullptr && !fails_here()) wrong("no turn, and no allocation failed");
        return;
      }
      case Step::Kind::turn_free: {
        Turn &turn = turns_[step.turn];
        if (turn.poisoned) end(turn);
        return __real_sluice_turn_free(turn.handle);
      }
      default: break;
    }
    Turn &turn = turns_[step.turn];
    const Told told = in_library([&] { return step.act(turn.handle); });
    if (turn.lost) return;
    if (fails_here() && told != step.told) {
      if (step.kind == Step::Kind::document && told == kNoMemory) return;
      turn.poisoned = true;
      if (step.kind == Step::Kind::event) turn.words = told.code != 0;
      if (step.kind == Step::Kind::verb ? told.code != SLUICE_E_MEMORY
                                        : step.kind == Step::Kind::document && told.code != 0)
        wrong("instead of SLUICE_E_MEMORY or NULL it gave", told);
      return;
    }
    if (!turn.poisoned) {
      if (told != step.told) wrong("not as it was written", told);
      if (step.seq != 0) turn.seq = step.seq;
      if (step.kind == Step::Kind::piece && told.code != 0 && turn.seq != 0) ++turn.seq;
      turn.done = turn.done || step.last;
      return;
    }
    if (step.kind == Step::Kind::verb && told.code != SLUICE_E_MEMORY) wrong("a poisoned turn gave", told);
    if (step.kind == Step::Kind::event) turn.words += told.code != 0;
    if (step.kind == Step::Kind::piece && told.code != 0) wrong("a poisoned turn gave a piece of text", told);
  }

  // What a poisoned turn says last: a fatal error and the end, and nothing behind them, or behind the end that it had
  // told.
  void end(Turn &turn) {
    if (__real_sluice_turn_tick(turn.handle, 1) != SLUICE_E_MEMORY) wrong("the turn was to be poisoned, and is not");
    const char *const error = __real_sluice_turn_get(turn.handle, SLUICE_GET_ERROR, nullptr);
    if (error == nullptr || std::string_view(error).find(R"("name":"memory")") == std::string_view::npos)
      wrong("a poisoned turn does not say why");
    const int expected = turn.done ? 0 : 2;
    for (; turn.words < expected; ++turn.words) {
      const char *const event = __real_sluice_turn_next_event(turn.handle, nullptr);
      const std::string_view words = turn.words == 0 ? R"({"type":"error")" : R"({"type":"done","outcome":"failed")";
      if (event == nullptr || !std::string_view(event).starts_with(words))
        return wrong("a poisoned turn did not say " + std::string(words));
      if (turn.seq != 0 && seq_of(event) != turn.seq + turn.words + 1)
        wrong("its last events do not follow those before");
    }
    if (turn.words > expected || __real_sluice_turn_next_event(turn.handle, nullptr) != nullptr)
      wrong("a poisoned turn had more to say");
  }

  void wrong(const std::string &what, std::optional<Told> told = {}) {
    if (!why_.empty()) return;
    why_ = "call " + std::to_string(at_) + ": " + what;
    if (told) why_ += " " + std::to_string(told->code) + ", written is " + std::to_string(steps_[at_].told.code);
  }

  const std::vector<Step> &steps_;
  std::map<size_t, sluice_engine *> engines_;
  std::map<size_t, Turn> turns_;
  size_t at_ = 0;
  std::string why_;
};

std::vector<Step> recorded(const Json &script) {
  recorder = {};
  recorder.on = true;
  play_as_written(script, Replay::Poll::in_turns);
  recorder.on = false;
  return std::move(recorder.steps);
}

}  // namespace

TEST_CASE("whichever allocation fails in a script, the turn says so or goes on as if nothing had happened") {
  std::set_terminate([] {
    std::fprintf(stderr, "terminate: %s\n", place);
    std::abort();
  });
  const bool all = environment("SLUICE_LONG") == "1";
  const long budget = all ? 200'000'000 : kSanitized ? 3000 : 30000;  // allocations that are made again for one script
  const std::vector<ScriptFile> scripts = script_files();
  REQUIRE_FALSE(scripts.empty());
  long allocations = 0, failures = 0, offset = 0;
  for (const auto &[name, path, file_and_line, script] : scripts) {
    const std::vector<Step> steps = recorded(script);
    Repeat repeat(steps);
    std::string why = repeat.run(-1, false);
    if (!why.empty()) FAIL_CHECK(name << ": without a failure: " << why);
    const long count = allocator.count;
    allocations += count;
    const long stride = std::max(1L, count * count / 2 / budget);
    for (long fails = offset++ % stride; fails < count && why.empty(); fails += stride) {
      for (int lasting = 0; lasting < (all ? 2 : 1) && why.empty(); ++lasting) {
        std::snprintf(place, sizeof place, "%s, allocation %ld", name.c_str(), fails);
        const long before = allocator.live;
        why = repeat.run(fails, all ? lasting != 0 : (fails / stride) % 2 != 0);
        const long left = allocator.live - before;
        ++failures;
        if (why.empty() && left != 0) why = "it leaks " + std::to_string(left) + " allocations";
        if (!why.empty()) FAIL_CHECK(name << ", allocation " << fails << " of " << count << ": " << why);
      }
    }
  }
  std::printf("%ld failures among the %ld allocations of %zu scripts\n", failures, allocations, scripts.size());
}
