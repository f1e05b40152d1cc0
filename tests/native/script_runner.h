// Replays the shared scripts of tests/vectors through the C ABI; the format is described in tests/README.md.
#pragma once

#include <sluice/sluice.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversation.h"
#include "sanitized.h"

namespace sluice_test {

struct EngineHandle {
  sluice_engine *p;
  explicit EngineHandle(std::string_view config) : p(sluice_engine_new(config.data(), config.size())) {}
  EngineHandle(const EngineHandle &) = delete;
  EngineHandle &operator=(const EngineHandle &) = delete;
  ~EngineHandle() { sluice_engine_free(p); }
};

struct TurnHandle {
  sluice_turn *p;
  explicit TurnHandle(sluice_turn *turn) : p(turn) {}
  TurnHandle(sluice_engine *engine, std::string_view config)
      : p(sluice_turn_new(engine, config.data(), config.size())) {}
  TurnHandle(const TurnHandle &) = delete;
  TurnHandle &operator=(const TurnHandle &) = delete;
  ~TurnHandle() { sluice_turn_free(p); }
};

// How bytes are cut: the sizes of the pieces of a feed. The same numbers in every language.
class Cutter {
 public:
  static Cutter whole() { return Cutter(0, 0); }
  static Cutter bytes() { return Cutter(0, 1); }
  static Cutter random(uint32_t seed) { return Cutter(seed, 1 + (seed * 7) % 64); }
  // Of a long script some hundred pieces: between them all of it is saved and read again.
  static Cutter restored(size_t bytes) { return Cutter(5, std::max<size_t>(36, bytes / 64)); }
  // The size of the next piece of `left` bytes; sometimes 0 at random cuts.
  size_t next(size_t left);

 private:
  Cutter(uint32_t seed, size_t most) : state_(seed), most_(most) {}
  uint32_t state_;
  size_t most_;  // 0: no cuts
};

inline constexpr uint32_t kRandomReplays = kSanitized ? 1 : 10;
inline constexpr size_t kBytewiseLimit = 65536;

std::string read_file(const std::filesystem::path &path);
// Empty where there is no value.
std::string environment(const char *name);
// tests/ of the checkout, and the conformance data beside it (empty: there is none).
std::filesystem::path tests_folder();
std::filesystem::path shared_folder();

// A document of a script: a string stands for itself.
std::string document_text(const Json &document);
// The bytes that a step of a script feeds; nothing: it is another step.
std::optional<std::string> fed(const Json &step);
// Does what another step says, but for `expect`, `get` and `restore`. Returns its code. Throws what nlohmann::json
// throws where the step has members of wrong kinds.
int64_t act(sluice_turn *turn, const Json &step);

std::vector<Json> poll_all(sluice_turn *turn);
// The same events, text by sluice_turn_next_delta. `seq`: of the event that was polled last.
std::vector<Json> poll_pieces(sluice_turn *turn, int64_t seq);
// Neighbouring deltas as one event and without `seq`; `cards`: neighbouring patches of a card, too.
std::vector<Json> merged_events(const std::vector<Json> &events, bool cards);
// Empty, or where and how `actual` (nullptr: absent) differs from the pattern.
std::string mismatch(const Json &pattern, const Json *actual, const std::string &where = "");

struct Replay {
  enum class How { cut, polled, restored };
  enum class Poll { events, pieces, in_turns };
  std::string name;
  How how = How::cut;
  Cutter cutter = Cutter::whole();
  Poll poll = Poll::events;
};

// Everything that went wrong with one script, one line or more each. `restorable`: also save and restore.
std::vector<std::string> run_script(const Json &script, bool restorable);

// Only as it is written. Throws what went wrong.
void play_as_written(const Json &script, Replay::Poll poll = Replay::Poll::events);

// Does this library restore what it saved?
bool can_restore();

}  // namespace sluice_test
