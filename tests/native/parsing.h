// One answer through the C ABI, read by a turn without `request`, in pieces of any kind; it must come to the same
// however it is cut, and saved and restored between the pieces.
#pragma once

#include "script_runner.h"

namespace sluice_test {

struct Parsed {
  Json blocks = Json::array();
  std::vector<Json> events;
  std::string error;    // of the call that failed
  std::string message;  // as it came, and the codes of all diagnostics behind it: what two readings must agree on
};

inline std::vector<std::string> pieces_of(std::string_view bytes, Cutter cutter) {
  std::vector<std::string> out;
  while (!bytes.empty()) {
    out.emplace_back(bytes.substr(0, cutter.next(bytes.size())));
    bytes.remove_prefix(out.back().size());
  }
  return out;
}

// Saved, freed and restored; false: it could not be.
inline bool save_and_restore(sluice_engine *engine, sluice_turn *&turn) {
  size_t len = 0;
  const char *state = sluice_turn_get(turn, SLUICE_GET_STATE, &len);
  if (!state) return false;
  const std::string copy(state, len);
  sluice_turn_free(turn);
  turn = sluice_turn_restore(engine, copy.data(), copy.size());
  return turn != nullptr;
}

inline Parsed parse(const Json &engine_config, const Json &turn_config, const std::vector<std::string> &pieces,
                    bool restored = false) {
  EngineHandle engine(engine_config.dump());
  TurnHandle turn(engine.p, turn_config.dump());
  Parsed out;
  if (!turn.p) {
    out.error = "no such turn: " + turn_config.dump();
    return out;
  }
  int32_t code = SLUICE_OK;
  for (const std::string &piece : pieces) {
    if (code == SLUICE_OK) code = sluice_turn_feed(turn.p, piece.data(), piece.size());
    if (code != SLUICE_OK || !restored) continue;
    if (save_and_restore(engine.p, turn.p)) continue;
    out.error = "what was saved was not restored";
    return out;
  }
  if (code == SLUICE_OK) code = sluice_turn_finish(turn.p, SLUICE_END_COMPLETE, nullptr, 0);
  if (code != SLUICE_OK) {
    out.error = sluice_turn_get(turn.p, SLUICE_GET_ERROR, nullptr);
    return out;
  }
  out.events = poll_all(turn.p);
  out.message = sluice_turn_get(turn.p, SLUICE_GET_MESSAGE, nullptr);
  out.blocks = Json::parse(out.message)["blocks"];
  for (const Json &event : out.events)
    if (event["type"] == "diagnostic") out.message += " " + event.value("code", "");
  return out;
}

// Empty, or how a reading in pieces differs from `whole`. `chunks`: a cut that was seen in practice; may be empty.
inline std::string differs_when_cut(const Json &engine, const Json &turn, const std::string &bytes, const Parsed &whole,
                                    const std::vector<std::string> &chunks, uint32_t seeds) {
  const auto differs = [&](const std::string &name, const std::vector<std::string> &pieces, bool restored) {
    const Parsed cut = parse(engine, turn, pieces, restored);
    if (!cut.error.empty()) return name + ": " + cut.error;
    if (cut.message != whole.message) return name + ": " + cut.message + "\n  but whole: " + whole.message;
    return std::string();
  };
  if (std::string why = differs("byte by byte", pieces_of(bytes, Cutter::bytes()), false); !why.empty()) return why;
  if (!chunks.empty())
    if (std::string why = differs("in its chunks", chunks, false); !why.empty()) return why;
  for (uint32_t seed = 1; seed <= seeds; ++seed) {
    std::string why = differs("seed " + std::to_string(seed), pieces_of(bytes, Cutter::random(seed)), false);
    if (!why.empty()) return why;
  }
  return can_restore() ? differs("saved and restored", pieces_of(bytes, Cutter::restored(bytes.size())), true) : "";
}

inline std::string blank_trimmed(const std::string &text) {
  const char *kBlank = " \t\r\n\v\f";
  const size_t from = text.find_first_not_of(kBlank);
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

}  // namespace sluice_test
