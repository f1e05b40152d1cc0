#include "wire/event_reader.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "wire/provider_error.h"

namespace sluice {
namespace {

constexpr size_t kMaxQuoted = 200;         // bytes of a broken event that its diagnostic quotes
constexpr size_t kMaxBeginning = 8192;     // bytes of a body, kept to describe a body that is no answer
constexpr uint32_t kMostCalls = 1U << 20;  // a saved count above this is damaged

// In an event that was not UTF-8: does U+FFFD stand in a member's name, a type or an id? Then nobody knows what of the
// event was not read.
bool lacks_bytes_outside_of_texts(std::string_view json) {
  std::string_view name;
  for (size_t at = json.find('"'); at != json.npos; at = json.find('"', at)) {
    const std::string_view token = json.substr(at, json_token_length(json.substr(at)));
    at += token.size();
    const std::string_view rest = json.substr(std::min(json.find_first_not_of(" \t\r\n", at), json.size()));
    const bool is_name = rest.starts_with(':');
    if (is_name) name = token;
    const bool shows = !is_name && !name.ends_with("type\"") && !name.ends_with("id\"");
    if (!shows && token.find(kReplacement) != token.npos) return true;
  }
  return false;
}

}  // namespace

EventReader::EventReader(WireSink &sink, const WireLimits &limits, std::string_view answer,
                         std::span<const LooseMember> loose)
    : sink_(sink),
      limits_(limits),
      answer_(answer),
      event_(limits.depth),
      shape_(loose),
      array_(*this, limits.line_bytes),
      sse_(*this, limits.line_bytes) {}

void EventReader::feed(std::string_view bytes) {
  if (failed_) return;
  if (http_error_.active()) {
    http_error_.feed(bytes);
    return;
  }
  if (!known_) beginning_ += bytes.substr(0, kMaxBeginning - std::min(kMaxBeginning, beginning_.size()));
  if (!streams_json())
    sse_.feed(bytes);
  else if (!array_.feed(bytes))
    on_oversize();
  if (sink_.reads_on()) return;
  sse_.drop();
  array_.drop();
}

void EventReader::end() {
  if (failed_ || done_) return;
  if (http_error_.active()) {
    failed_ = true;
    http_error_.report(sink_);
    return;
  }
  note_unread();
  done_ = known_ = true;
  report_held();
  sink_.on_end();
}

void EventReader::finish(bool complete) {
  if (http_error_.active()) return end();
  if (!failed_ && streams_json()) array_.finish();
  if (!failed_) sse_.finish();
  if (!failed_ && whole_) end();
  if (!failed_ && !done_) report_held();
  if (!failed_ && complete && !known_) report_no_answer();
  report_last(!failed_ && !odd_ && (done_ || (complete && !finish_words_.empty())));
}

void EventReader::save(std::string &out) const {
  ObjectWriter saved(out);
  http_error_.save(saved);
  if (streams_json()) array_.save(saved);
  sse_.save(saved);
  append_saved_bytes(saved.value("textHeld"), text_joiner_.held());
  append_saved_bytes(saved.value("refusalHeld"), refusal_joiner_.held());
  append_saved_bytes(saved.value("reasoningHeld"), reasoning_joiner_.held());
  append_saved_bytes(saved.value("beginning"), beginning_);
  unread_.save(saved);
  append_saved_bytes(saved.value("model"), model_);
  append_saved_bytes(saved.value("finish"), finish_words_);
  for (const TokenKind &kind : kTokenKinds) {
    saved.number(kind.name, usage_.*kind.count);
    saved.number(saved_name("told", kind), reported_usage_.*kind.count);
  }
  saved.boolean("whole", whole_).boolean("known", known_).boolean("done", done_).boolean("failed", failed_);
  if (odd_) saved.boolean("odd", odd_);
  if (calls_ > 0) saved.number("calls", calls_).boolean("callsFull", calls_full_);  // openai-chat has its own
  save_more(saved);
  saved.close();
}

void EventReader::load(std::string_view saved) {
  const SavedReader from(saved);
  http_error_.load(from);
  if (streams_json()) array_.load(from);
  sse_.load(from);
  load_joiner(from, "textHeld", text_joiner_);
  load_joiner(from, "refusalHeld", refusal_joiner_);
  load_joiner(from, "reasoningHeld", reasoning_joiner_);
  from.get("beginning", beginning_);
  unread_.load(from);
  from.text("model", model_);
  from.text("finish", finish_words_);
  for (const TokenKind &kind : kTokenKinds) {
    from.get(kind.name, usage_.*kind.count);
    from.get(saved_name("told", kind), reported_usage_.*kind.count);
  }
  from.get("whole", whole_);
  from.get("known", known_);
  from.get("done", done_);
  from.get("failed", failed_);
  from.get("odd", odd_);
  from.get("calls", calls_);
  calls_ = std::min(calls_, kMostCalls);
  from.get("callsFull", calls_full_);
  load_more(from);
}

void EventReader::load_joiner(const SavedReader &saved, std::string_view key, Utf8Joiner &joiner) {
  std::string held;
  saved.get(key, held);
  joiner.restore(std::move(held));
}

// ---- Events ----

bool EventReader::on_data(std::string_view event, std::string_view data) {
  if (ignores() || trim_json(data).empty()) return true;
  if (read(event, data)) return true;
  // Plain text in an `error` event: treat it as the error message.
  if (event == "error" && data.front() != '{' && data.front() != '[') {
    fail(data);
    return true;
  }
  return false;
}

void EventReader::on_joined_data(std::string_view event, std::string_view data) {
  if (ignores() || read(event, data)) return;
  // The server leaves out blank lines: these lines are several events, and one of them is broken.
  bool reported = false;
  while (!data.empty() && !ignores()) {
    const std::string_view line = data.substr(0, data.find('\n'));
    data.remove_prefix(std::min(data.size(), line.size() + 1));
    if (trim_json(line).empty() || (data.empty() && reported) || read(event, line)) continue;
    if (!reported) tell_unreadable(line);
    reported = true;
  }
}

void EventReader::on_element(std::string_view element) {
  if (!ignores() && !read({}, element)) tell_unreadable(element);
}

void EventReader::on_error_field(std::string_view value) {
  if (!ignores() && !done_) fail(value);
}

void EventReader::on_oversize() {
  if (ignores()) return;
  failed_ = true;
  sink_.on_error({"oversize", "a line of the answer is longer than limits.lineBytes", false});
}

// Returns false if `data` is not JSON.
bool EventReader::read(std::string_view type, std::string_view data) {
  if (const auto text = done_ ? std::nullopt : shape_.text_of(type, data)) {
    repaired_ = false;
    take_again(*text);
    return true;
  }
  if (trim_json(data) == "[DONE]") {
    end();
    return true;
  }
  shape_.forget();
  JsonEvent::Result result = event_.read(data);
  std::string repaired;
  if (result == JsonEvent::Result::no_utf8) {
    repaired = repair_utf8(data);
    data = repaired;
    result = event_.read(data);
    if (result == JsonEvent::Result::ok) tell_broken("not UTF-8: ", data);
  }
  if (result != JsonEvent::Result::ok) return false;
  repaired_ = !repaired.empty();
  odd_ = odd_ || repaired_;
  if (!done_) {
    repeatable_ = {};
    taking_ = true;
    take(type, event_);
    note_unread();
    if (!repeatable_.empty() && !repaired_) shape_.learn(type, data, repeatable_);
    if (repaired_ && !failed_ && lacks_bytes_outside_of_texts(data)) {
      lose_event();
      sink_.on_event_lost();
    }
  } else if (!take_late(event_)) {
    tell_broken("after the end of the answer: ", data);
  }
  return true;
}

// An answer may end within its last event, and is judged then.
void EventReader::note_unread() {
  if (!std::exchange(taking_, false) || sink_.gave_something()) return;
  std::string_view foreign_type;
  const std::span<const ReadMembers> known = known_members(event_.root(), foreign_type);
  unread_.look(event_.root(), known, foreign_type, !known_);
}

void EventReader::know() {
  known_ = true;
  if (!beginning_.empty()) beginning_ = {};
}

// ---- Text ----

// In an event that was not UTF-8, U+FFFD stands for bytes that were lost.
template <class Tell>
void EventReader::tell(std::string_view text, const Tell &piece) {
  size_t sent = 0;
  for (size_t lost = 0; repaired_ && (lost = text.find(kReplacement, lost)) != text.npos; lost += kReplacement.size()) {
    if (lost > sent) piece(text.substr(sent, lost - sent));
    sent = lost;
    sink_.on_bytes_lost();
  }
  piece(text.substr(sent));
}

void EventReader::show_text(std::string_view text, bool surrogates) {
  if (surrogates || !text_joiner_.empty()) text = text_joiner_.feed(text);
  if (text.empty()) return;
  on_shown();
  tell(text, [this](std::string_view piece) { sink_.on_text(piece); });
}

void EventReader::show_reasoning(std::string_view text, bool surrogates) {
  if (surrogates || !reasoning_joiner_.empty()) text = reasoning_joiner_.feed(text);
  if (text.empty()) return;
  on_shown();
  tell(text, [this](std::string_view piece) { sink_.on_reasoning(piece); });
}

void EventReader::show_refusal(std::string_view text, bool surrogates) {
  if (surrogates || !refusal_joiner_.empty()) text = refusal_joiner_.feed(text);
  if (text.empty()) return;
  on_shown();
  sink_.on_refusal(text);
}

// ---- What is reported once ----

// Reports what waited for more: nothing more comes.
void EventReader::report_held() {
  if (const std::string_view rest = reasoning_joiner_.finish(); !rest.empty()) sink_.on_reasoning(rest);
  if (const std::string_view rest = text_joiner_.finish(); !rest.empty()) sink_.on_text(rest);
  if (const std::string_view rest = refusal_joiner_.finish(); !rest.empty()) sink_.on_refusal(rest);
  close_calls();
  report_usage();
}

bool EventReader::is_full() {
  if (calls_ < limits_.calls_per_round) return false;
  if (!std::exchange(calls_full_, true)) sink_.on_calls_full();
  return true;
}

void EventReader::take_model(std::string_view name) {
  if (name.empty() || name == model_) return;
  model_ = repair_utf8(name);
  sink_.on_model(model_);
}

void EventReader::take_usage(const Usage &usage) {
  for (const TokenKind &kind : kTokenKinds) {
    const int64_t count = usage.*kind.count;
    const bool says = count > 0 || (count == 0 && usage_.*kind.count < 0);  // gateways put 0 where they do not count
    if (says && count < kMostTokens) usage_.*kind.count = count;
  }
}

// Some servers send usage with every event: report it at the end, and again only if it changed since.
void EventReader::report_usage() {
  if (usage_ == reported_usage_) return;
  reported_usage_ = usage_;
  sink_.on_usage(usage_);
}

void EventReader::take_finish(Finish finish, std::string_view words, std::string_view explanation) {
  if (words.empty() || words == finish_words_) return;
  finish_words_ = repair_utf8(words);
  sink_.on_finish(finish, finish_words_, repair_utf8(explanation));
}

// ---- Errors ----

// What begins as an event does is one that lost bytes; anything else, such as a word of a proxy, is none.
void EventReader::tell_unreadable(std::string_view data) {
  tell_broken("not JSON: ", data);
  const char kind = json_kind(data);
  if (done_ || (kind != '{' && kind != '[')) return;
  odd_ = true;
  lose_event();
  sink_.on_event_lost();
}

void EventReader::tell_broken(std::string_view what, std::string_view data) {
  sink_.on_diagnostic("broken_event", std::string(what) + bounded_text(data, kMaxQuoted));
}

void EventReader::fail(std::string_view words) {
  const ProviderError error = read_provider_error(words, 0);
  report_usage();
  failed_ = true;
  sink_.on_error(http_error_.tell(error.code("provider"),
                                  error.words.empty() ? "the provider reported an error without words" : error.words,
                                  error));
}

// The connection broke within the first event: of a stream only the last, unfinished line says anything, and a stream
// of JSON could still be completed.
bool EventReader::is_cut_stream() const {
  const std::string_view body = beginning_;
  bool cut = false;
  const char kind = streams_json() && body.size() < kMaxBeginning ? json_kind(body) : 0;
  if ((kind == '{' || kind == '[') && !check_json(body, limits_.depth, &cut).ok() && cut) return true;
  const std::string_view last = body.substr(body.find_last_of("\r\n") + 1);
  if (last.empty() || body.substr(0, body.size() - last.size()).find("data:") != body.npos) return false;
  const size_t colon = std::min(last.size(), last.find(':'));
  const std::string_view name = last.substr(0, colon);
  for (const std::string_view field : {"data", "event", "id", "retry"})
    if (colon == last.size() ? field.starts_with(name) : field == name)
      return colon == last.size() || !check_json(last.substr(colon + 1), limits_.depth).ok();
  return false;
}

// The body was no answer: a web page, or an object of another API. Returns false if it was empty.
bool EventReader::report_no_answer() {
  if (is_cut_stream()) return false;
  std::string body;
  for (std::string_view rest = beginning_; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.empty() && line.front() != ':') body.append(line) += '\n';
  }
  const ProviderError error = read_provider_error(body, 0);
  if (error.words.empty()) return false;
  failed_ = true;
  const std::string detail = "the answer is not " + std::string(answer_) + ": " + error.words;
  sink_.on_error(http_error_.tell(error.code("provider"), detail, error));
  return true;
}

}  // namespace sluice
