// Every sentence that the engine tells a model: about a call without a result of its own, and around results. In a
// built-in language, of which the host may replace any sentence.
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
  separator,  // between those names
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
  not_started,
  cancelled_call,
  cancelled_turn,
  turn_ended,
  because,
  unsealed,
  not_run,
  not_finished,
  // what became of a call that ran
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
  // what else the model reads
  malformed_answer,
  provider_tool,
  made_media,
  made_pictures,
};

enum class Language : uint8_t { english, chinese };

class Wording {
 public:
  // The sentence with `fill` in place of its placeholder.
  std::string operator()(Word word, std::string_view fill = {}) const;

  // Reads a language, or an object of sentences, which may name the `language`. Other sentences stay as they were.
  Status read(std::string_view value);
  // Writes the language, or an object if the host replaced sentences.
  void write(std::string &out) const;

 private:
  Language language_ = Language::english;
  std::vector<std::string> own_;  // by Word; empty: the built-in one
};

}  // namespace sluice
