// The extern "C" shell: checks arguments, calls the engine, lets no exception out. No logic.
#include "sluice/sluice.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "turn/engine.h"
#include "turn/turn.h"

static_assert(static_cast<int32_t>(sluice::Code::argument) == SLUICE_E_ARGUMENT);
static_assert(static_cast<int32_t>(sluice::Code::state) == SLUICE_E_STATE);
static_assert(static_cast<int32_t>(sluice::Code::not_found) == SLUICE_E_NOT_FOUND);
static_assert(static_cast<int32_t>(sluice::Code::json) == SLUICE_E_JSON);
static_assert(static_cast<int32_t>(sluice::Code::limit) == SLUICE_E_LIMIT);
static_assert(static_cast<int32_t>(sluice::Code::unsupported) == SLUICE_E_UNSUPPORTED);
static_assert(static_cast<int32_t>(sluice::Code::memory) == SLUICE_E_MEMORY);
static_assert(static_cast<int32_t>(sluice::Code::internal) == SLUICE_E_INTERNAL);
static_assert(static_cast<int32_t>(sluice::End::retry) == SLUICE_END_RETRY);
static_assert(static_cast<int32_t>(sluice::End::hook) == SLUICE_END_HOOK);
static_assert(static_cast<int32_t>(sluice::End::fallback) == SLUICE_END_FALLBACK);
static_assert(static_cast<int32_t>(sluice::Remember::always) == SLUICE_ALWAYS);
static_assert(static_cast<int32_t>(sluice::Submit::progress) == SLUICE_PROGRESS);

namespace {

using sluice::Code;
using sluice::Status;

std::string_view code_name(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::argument: return "argument";
    case Code::state: return "state";
    case Code::not_found: return "not_found";
    case Code::json: return "json";
    case Code::limit: return "limit";
    case Code::unsupported: return "unsupported";
    case Code::memory: return "memory";
    case Code::internal: return "internal";
  }
  return "internal";
}

std::string describe(const Status &status) {
  std::string out;
  sluice::ObjectWriter object(out);
  object.number("code", static_cast<int64_t>(status.code)).text("name", code_name(status.code));
  object.text("message", status.message);
  if (!status.path.empty()) object.text("path", status.path);
  object.close();
  return out;
}

std::string_view view(const char *text, size_t len) {
  return text == nullptr ? std::string_view() : std::string_view(text, len);
}

const char *lend(const std::string &text, size_t *len) {
  if (len != nullptr) *len = text.size();
  return text.c_str();
}

const char *lend(std::string_view literal, size_t *len) {
  if (len != nullptr) *len = literal.size();
  return literal.data();
}

// What SLUICE_GET_ERROR says where there is no memory for what it was to say.
constexpr std::string_view kNoMemory = R"({"code":-100,"name":"memory","message":"out of memory"})";

const char *none(size_t *len) {
  if (len != nullptr) *len = 0;
  return nullptr;
}

}  // namespace

struct sluice_engine {
  std::shared_ptr<const sluice::Engine> engine;  // null: see `status`
  Status status;
  std::string error;  // the status as JSON; sluice_engine_error lends it out
};

struct sluice_turn {
  std::unique_ptr<sluice::Turn> turn;  // null: see `status`
  Status status;                       // why the turn could not be made, or is poisoned
  Status last;                         // error of the last call that failed
  uint64_t seq = 0;                    // of the last event that was polled before the call that runs
  bool done_polled = false;            // and it was `done`
  char words[2][160] = {};             // the two last events of a poisoned turn
  int words_said = 2;                  // how many of them were polled; 2: none is left
  std::string event, delta, found;
  std::shared_ptr<const std::string>
      request;  // for SLUICE_GET_REQUEST; shared with the turn, not copied into `documents`
  std::string documents[SLUICE_GET_ERROR + 1];
};

namespace {

// Writes the parts, a number and the bracket that closes the event.
void write_words(char *to, std::initializer_list<std::string_view> parts, uint64_t number) noexcept {
  constexpr std::ptrdiff_t kLongestNumber = 20;
  for (const std::string_view part : parts) to = std::copy(part.begin(), part.end(), to);
  to = std::to_chars(to, to + kLongestNumber, number).ptr;
  *to++ = '}';
  *to = 0;
}

// Writes the last events of a poisoned turn into memory that the handle already has.
void prepare_last_words(sluice_turn &turn, Code code) noexcept {
  const char *const detail = code == Code::memory ? "out of memory" : "a fault in Sluice itself; please report it";
  write_words(turn.words[0],
              {R"({"type":"error","code":"internal","detail":")", detail, R"(","retryable":false,"fatal":true,"seq":)"},
              turn.seq + 1);
  write_words(turn.words[1], {R"({"type":"done","outcome":"failed","seq":)"}, turn.seq + 2);
  turn.words_said = 0;
}

void poison(sluice_turn &turn, Code code) noexcept {
  if (!turn.done_polled) prepare_last_words(turn, code);
  turn.turn.reset();
  turn.status.code = code;
  turn.last.code = code;
  try {
    turn.status.message = code == Code::memory ? "out of memory" : "a fault in Sluice itself; please report it";
    turn.last = turn.status;
  } catch (...) {  // no memory for the message: the code is there
  }
}

// Runs `body` on a working turn. Lets no exception out: one poisons the turn.
template <class Body>
int32_t guard(sluice_turn *turn, Body &&body) noexcept {
  if (turn == nullptr) return SLUICE_E_ARGUMENT;
  if (turn->turn == nullptr) return static_cast<int32_t>(turn->status.code);
  turn->seq = turn->turn->last_seq();
  turn->done_polled = turn->turn->done_polled();
  try {
    Status status = body(*turn->turn);
    const auto code = static_cast<int32_t>(status.code);
    if (!status.ok()) turn->last = std::move(status);
    return code;
  } catch (const std::bad_alloc &) {
    poison(*turn, Code::memory);
  } catch (...) {
    poison(*turn, Code::internal);
  }
  return static_cast<int32_t>(turn->status.code);
}

Status bad_argument(std::string message) { return sluice::error(Code::argument, std::move(message)); }

Status missing(const char *text, size_t len) {
  return text == nullptr && len > 0 ? bad_argument("a NULL pointer with a length above 0") : Status{};
}

template <class Number>
void put(Number *out, Number value) {
  if (out != nullptr) *out = value;
}

int32_t kind_of(sluice::EventQueue::Kind kind) {
  switch (kind) {
    case sluice::EventQueue::Kind::reasoning: return SLUICE_DELTA_REASONING;
    case sluice::EventQueue::Kind::args: return SLUICE_DELTA_ARGS;
    case sluice::EventQueue::Kind::progress: return SLUICE_DELTA_PROGRESS;
    default: return SLUICE_DELTA_TEXT;
  }
}

template <class Make>
sluice_turn *make_turn(const sluice_engine *engine, const char *document, size_t len, Make &&make) noexcept {
  auto *turn = new (std::nothrow) sluice_turn;
  if (turn == nullptr) return nullptr;
  try {
    if (engine == nullptr)
      turn->status = bad_argument("expected an engine, found NULL");
    else if (engine->engine == nullptr)
      turn->status = engine->status;
    else if (document == nullptr)
      turn->status = bad_argument("expected a document, found NULL");
    else
      turn->status = make(engine->engine, view(document, len), turn->turn);
    turn->last = turn->status;
  } catch (const std::bad_alloc &) {
    delete turn;
    return nullptr;
  } catch (...) {
    poison(*turn, Code::internal);
  }
  return turn;
}

}  // namespace

extern "C" {

uint32_t sluice_version(void) { return SLUICE_VERSION; }

// ---- engine ----

sluice_engine *sluice_engine_new(const char *config, size_t len) {
  try {
    auto handle = std::make_unique<sluice_engine>();
    auto engine = std::make_shared<sluice::Engine>();
    if (config == nullptr)
      handle->status = bad_argument("expected a configuration, found NULL");
    else
      handle->status = sluice::Engine::compile(view(config, len), *engine);
    if (handle->status.ok())
      handle->engine = std::move(engine);
    else
      handle->error = describe(handle->status);
    return handle.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  } catch (...) {
  }
  try {
    auto handle = std::make_unique<sluice_engine>();
    handle->status = sluice::error(Code::internal, "a fault in Sluice itself; please report it");
    handle->error = describe(handle->status);
    return handle.release();
  } catch (...) {
    return nullptr;
  }
}

const char *sluice_engine_error(const sluice_engine *engine, size_t *len) {
  return engine == nullptr || engine->error.empty() ? none(len) : lend(engine->error, len);
}

void sluice_engine_free(sluice_engine *engine) { delete engine; }

// ---- turn ----

sluice_turn *sluice_turn_new(sluice_engine *engine, const char *config, size_t len) {
  return make_turn(engine, config, len, sluice::Turn::create);
}

sluice_turn *sluice_turn_restore(sluice_engine *engine, const char *state, size_t len) {
  return make_turn(engine, state, len, sluice::Turn::restore);
}

void sluice_turn_free(sluice_turn *turn) { delete turn; }

// ---- what came from the network ----

int32_t sluice_turn_response(sluice_turn *turn, int32_t http_status, const char *headers_json, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(headers_json, len); !status.ok()) return status;
    return t.response(http_status, view(headers_json, len));
  });
}

int32_t sluice_turn_feed(sluice_turn *turn, const void *bytes, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    const auto *text = static_cast<const char *>(bytes);
    if (Status status = missing(text, len); !status.ok()) return status;
    return t.feed(view(text, len));
  });
}

int32_t sluice_turn_finish(sluice_turn *turn, int32_t how, const char *detail, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(detail, len); !status.ok()) return status;
    if (how < SLUICE_END_COMPLETE || how > SLUICE_END_FALLBACK)
      return bad_argument("expected how an answer ends, 0 to 5, found " + std::to_string(how));
    return t.finish(static_cast<sluice::End>(how), view(detail, len));
  });
}

// ---- what came from the user ----

int32_t sluice_turn_approve(sluice_turn *turn, uint32_t call, int32_t decision, const char *edited_json, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(edited_json, len); !status.ok()) return status;
    const bool exact = (decision & SLUICE_EXACT) != 0;
    const int32_t plain = decision & ~SLUICE_EXACT;
    const bool known = decision >= 0 && plain <= (exact ? SLUICE_ALWAYS : SLUICE_RELEASE);
    if (!known || (exact && plain == SLUICE_ONCE))
      return bad_argument("expected a decision, 0 to 4, or 256 + 1 to 3, found " + std::to_string(decision));
    if (plain == SLUICE_RELEASE && (call == 0 || edited_json != nullptr))
      return bad_argument("a result is released for one call, as it is");
    if (call == 0 && edited_json != nullptr) return bad_argument("arguments are edited for one call");
    if (plain == SLUICE_RELEASE) return t.release(call);
    const auto remember = static_cast<sluice::Remember>(plain);
    if (call == 0) return t.approve_all(remember, exact);
    std::optional<std::string_view> edited;
    if (edited_json != nullptr) edited = view(edited_json, len);
    return t.approve(call, remember, exact, edited);
  });
}

int32_t sluice_turn_deny(sluice_turn *turn, uint32_t call, const char *reason, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(reason, len); !status.ok()) return status;
    return t.deny(call, view(reason, len), true);
  });
}

int32_t sluice_turn_refuse(sluice_turn *turn, uint32_t call, const char *reason, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(reason, len); !status.ok()) return status;
    return t.deny(call, view(reason, len), false);
  });
}

int32_t sluice_turn_judge(sluice_turn *turn, uint32_t call, const char *rules_json, size_t len) {
  auto way = sluice::Verdict::Way::deny;
  const int32_t code = guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(rules_json, len); !status.ok()) return status;
    return t.judge_by(call, view(rules_json, len), way);
  });
  return code == SLUICE_OK ? static_cast<int32_t>(way) : code;
}

int32_t sluice_turn_conclude(sluice_turn *turn, int32_t how, const char *text, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(text, len); !status.ok()) return status;
    const bool by_system = how == SLUICE_FINAL_RETRY + SLUICE_FINAL_SYSTEM;
    if (!by_system && (how < SLUICE_FINAL_ACCEPT || how > SLUICE_FINAL_REPLACE))
      return bad_argument("expected what becomes of an answer, 0 to 2 or 257, found " + std::to_string(how));
    if (how != SLUICE_FINAL_ACCEPT && len == 0) return bad_argument("expected a text, found none");
    return t.conclude(static_cast<sluice::Final>(how), view(text, len));
  });
}

int32_t sluice_turn_cancel(sluice_turn *turn, uint32_t call, const char *reason, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(reason, len); !status.ok()) return status;
    return t.cancel(call, view(reason, len));
  });
}

// ---- what came from a tool ----

int32_t sluice_turn_submit(sluice_turn *turn, uint32_t call, int32_t kind, const char *data, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(data, len); !status.ok()) return status;
    if (kind < SLUICE_RESULT || kind > SLUICE_REWRITTEN)
      return bad_argument("expected a kind of result, 0 to 5, found " + std::to_string(kind));
    return t.submit(call, static_cast<sluice::Submit>(kind), view(data, len));
  });
}

int32_t sluice_turn_resolve(sluice_turn *turn, uint32_t call, const char *arguments_json, size_t len) {
  return guard(turn, [&](sluice::Turn &t) {
    if (Status status = missing(arguments_json, len); !status.ok()) return status;
    std::optional<std::string_view> arguments;
    if (arguments_json != nullptr) arguments = view(arguments_json, len);
    return t.resolve(call, arguments);
  });
}

int32_t sluice_turn_call(sluice_turn *turn, uint32_t caller, const char *call_json, size_t len) {
  uint32_t nested = 0;
  const int32_t code = guard(turn, [&](sluice::Turn &t) {
    if (call_json == nullptr) return bad_argument("expected a call, found NULL");
    return t.call(caller, view(call_json, len), nested);
  });
  return code == SLUICE_OK ? static_cast<int32_t>(nested) : code;
}

// ---- what came from the clock ----

int64_t sluice_turn_tick(sluice_turn *turn, int64_t now_ms) {
  int64_t next = std::numeric_limits<int64_t>::max();
  const int32_t code = guard(turn, [&](sluice::Turn &t) { return t.tick(now_ms, next); });
  return code == SLUICE_OK ? next : code;
}

// ---- what comes out ----

const char *sluice_turn_next_event(sluice_turn *turn, size_t *len) {
  if (turn == nullptr) return none(len);
  bool any = false;
  const int32_t code = guard(turn, [&](sluice::Turn &t) {
    any = t.next_event(turn->event);
    return Status{};
  });
  if (code == SLUICE_OK) return any ? lend(turn->event, len) : none(len);
  if (turn->words_said == 2) return none(len);
  const char *const text = turn->words[turn->words_said++];
  if (len != nullptr) *len = std::char_traits<char>::length(text);
  return text;
}

const char *sluice_turn_next_delta(sluice_turn *turn, int32_t *kind, uint32_t *index, size_t *len) {
  using Next = sluice::EventQueue::Next;
  put(kind, int32_t{SLUICE_DELTA_NONE});
  put(index, uint32_t{0});
  if (turn == nullptr) return none(len);
  auto next = Next::none;
  sluice::EventQueue::Polled polled{};
  const int32_t code = guard(turn, [&](sluice::Turn &t) {
    next = t.next_piece(turn->delta, polled);
    return Status{};
  });
  if (code != SLUICE_OK) next = turn->words_said < 2 ? Next::other : Next::none;
  if (next == Next::piece) {
    put(kind, kind_of(polled.kind));
    put(index, polled.key);
    return lend(turn->delta, len);
  }
  if (next == Next::other) put(kind, int32_t{SLUICE_DELTA_EVENT});
  if (next == Next::task) put(kind, int32_t{SLUICE_DELTA_TASK});
  return none(len);
}

const char *sluice_turn_find_tool(sluice_turn *turn, const char *name, size_t name_len, size_t *len) {
  if (turn == nullptr) return none(len);
  const int32_t code = guard(turn, [&](sluice::Turn &t) {
    if (name == nullptr) return bad_argument("expected a name, found NULL");
    turn->found.clear();
    t.find_tool(view(name, name_len), turn->found);
    return Status{};
  });
  return code == SLUICE_OK ? lend(turn->found, len) : none(len);
}

const char *sluice_turn_get(sluice_turn *turn, int32_t what, size_t *len) {
  if (turn == nullptr || what < SLUICE_GET_REQUEST || what > SLUICE_GET_ERROR) {
    if (turn != nullptr)
      guard(turn, [&](sluice::Turn &) {
        return bad_argument("expected what to get, 1 to 7, found " + std::to_string(what));
      });
    return none(len);
  }
  if (what == SLUICE_GET_REQUEST) {
    const int32_t code = guard(turn, [&](sluice::Turn &t) {
      turn->request = t.request_body();
      return Status{};
    });
    return code == SLUICE_OK && turn->request != nullptr ? lend(*turn->request, len) : none(len);
  }
  std::string &out = turn->documents[what];
  if (what == SLUICE_GET_ERROR) {
    try {
      if (turn->last.ok()) return none(len);
      out = describe(turn->last);
      return lend(out, len);
    } catch (...) {
      return lend(kNoMemory, len);
    }
  }
  const int32_t code = guard(turn, [&](sluice::Turn &t) {
    out.clear();
    switch (what) {
      case SLUICE_GET_MESSAGE: t.message(out); break;
      case SLUICE_GET_HISTORY: t.history(out); break;
      case SLUICE_GET_TOOLS: t.tools(out); break;
      case SLUICE_GET_PROMPT: t.prompt(out); break;
      default: t.state(out); break;  // SLUICE_GET_STATE
    }
    return Status{};
  });
  return code == SLUICE_OK ? lend(out, len) : none(len);
}

}  // extern "C"
