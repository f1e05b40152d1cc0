// Every sentence that the engine tells a model: what came of a call that gave no result of its own, and what stands
// around a result. In a language, sentence by sentence replaced by the host's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sluice {

enum class Word : uint8_t {
  // why a call did not run
  malformed,
  nameless,
  arguments_too_long,
  arguments_broken,
  arguments_not_object,
  flat_arguments,
  not_found,
  nearest,
  not_found_any_more,
  not_available,
  no_more_calls,
  max_rounds,
  max_calls,
  repeat_limit,
  denied_by_rule,
  denied_by_user,
  denied_by_policy,
  not_decided,
  cancelled_call,
  cancelled_turn,
  turn_ended,
  because,
  unsealed,
  not_run,
  not_finished,
  // what came of one that ran
  edited,
  failed,
  failed_later,
  no_output,
  image_output,
  left_out,
  images,
  between,
  started,
  timed_out,
  stopped,
  interrupted,
  withheld_by_user,
  withheld_by_policy,
  withheld_expired,
  withheld,
  not_sent,
};

enum class Language : uint8_t { english, chinese };

class Wording {
 public:
  // The sentence, with `fill` for its one placeholder.
  std::string operator()(Word word, std::string_view fill = {}) const;

  // A language, or an object of sentences and, as `language`, one. What it does not name stays as it was.
  Status read(std::string_view value);
  // The language; with sentences of the host, an object of both.
  void write(std::string &out) const;

 private:
  Language language_ = Language::english;
  std::vector<std::string> own_;  // by Word; empty: the language's
};

}  // namespace sluice
