// What the readers of all wires share whose answers are JSON events: framing, errors, what is reported once.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/utf8.h"
#include "wire/array_frame.h"
#include "wire/event_shape.h"
#include "wire/http_error.h"
#include "wire/json_event.h"
#include "wire/sse.h"
#include "wire/unread.h"
#include "wire/wire.h"

namespace sluice {

// Reads server-sent events, JSON lines, the elements of a JSON array, or a body that is one JSON value. A wire says
// what an event means.
class EventReader : public WireReader, private SseSink, private ArraySink {
 public:
  void response(int32_t status, std::string_view headers) final { http_error_.response(status, headers); }
  void feed(std::string_view bytes) final;
  void end() final;
  void finish(bool complete) final;
  Refusal refusal() const final { return http_error_.refusal(); }
  std::string unread() const final { return unread_.words(); }
  std::string_view likeness() const final { return unread_.likeness(); }
  bool knows() const final { return known_; }
  std::string_view media() const final { return unread_.media(); }
  void save(std::string &out) const final;
  void load(std::string_view saved) final;

 protected:
  // `answer`: what an answer is called in errors, such as "a chat completion". `loose`: members of an event that say
  // nothing, and numbers that take_again asks for; they must outlive this.
  EventReader(WireSink &sink, const WireLimits &limits, std::string_view answer,
              std::span<const LooseMember> loose = {});

  // -- what a wire does
  // Takes the event that `take` called repeatable once more, with another text in its place, and loose_numbers().
  virtual void take_again(std::string_view) {}
  // Takes one event of an answer that goes on. `type`: the value of its `event:` line.
  virtual void take(std::string_view type, const JsonEvent &event) = 0;
  // Takes one event behind the end of the answer. Returns false if it says something, which is too late.
  virtual bool take_late(const JsonEvent &event) = 0;
  // The members that the wire knows of this event. Sets `foreign_type` to its type where it knows none such.
  virtual std::span<const ReadMembers> known_members(JsonView event, std::string_view &foreign_type) const = 0;
  // Whether a stream may be JSON without events: values on lines of their own, or in one array. A body of JSON that
  // breaks off is then a stream that broke.
  virtual bool streams_json() const { return false; }
  virtual void on_shown() {}     // text or reasoning is about to be shown
  virtual void close_calls() {}  // nothing more comes for any call
  virtual void lose_event() {}   // it may have held a piece of a call that the sink does not know yet
  // The body has ended. Reports what the next request repeats. `well`: the answer told its end, no error, and none of
  // its events was damaged.
  virtual void report_last(bool well) = 0;
  virtual void save_more(ObjectWriter &saved) const = 0;
  virtual void load_more(const SavedReader &saved) = 0;

  // -- what a wire uses
  WireSink &sink() { return sink_; }
  const WireLimits &limits() const { return limits_; }
  bool failed() const { return failed_; }
  bool repaired() const { return repaired_; }  // the current event was not UTF-8
  bool known() const { return known_; }
  // The event that is taken says nothing but this text, one of its strings, and loose members: see take_again. Empty:
  // it does say something.
  void repeatable(std::string_view text) { repeatable_ = text; }
  std::span<const EventShape::Number> loose_numbers() const { return shape_.numbers(); }
  void know();  // an event of this format came: the answer has begun
  // The event was a whole answer, not a part of a stream: the answer ends with the body.
  void know_whole() { whole_ = whole_ || sse_.bare(); }
  // `surrogates`: the text may hold lone ones, as three bytes each; their other half may follow in the next event.
  void show_text(std::string_view text, bool surrogates);
  void show_reasoning(std::string_view text, bool surrogates);
  void show_refusal(std::string_view text, bool surrogates);
  // Calls are numbered in their order. `is_full`: one more would exceed limits.callsPerRound, which is told once.
  uint32_t calls() const { return calls_; }
  uint32_t new_call() { return calls_++; }
  bool is_full();
  void take_model(std::string_view name);
  void take_usage(const Usage &usage);  // the tokens of the answer so far; reported at its end
  void report_usage();
  void take_finish(Finish finish, std::string_view words, std::string_view explanation = {});
  const std::string &finish_words() const { return finish_words_; }
  // The event reports an error. `words`: an error object, or any text.
  void fail(std::string_view words);
  void tell_broken(std::string_view what, std::string_view data);
  static void load_joiner(const SavedReader &saved, std::string_view key, Utf8Joiner &joiner);

 private:
  bool on_data(std::string_view event, std::string_view data) final;
  void on_joined_data(std::string_view event, std::string_view data) final;
  void on_error_field(std::string_view value) final;
  void on_oversize() final;
  void on_element(std::string_view element) final;
  void on_array_end() final {
    if (known_ && !ignores()) whole_ = true;
  }
  void on_no_array(std::string_view bytes) final { sse_.feed(bytes); }
  bool ignores() const { return failed_ || !sink_.reads_on(); }
  bool read(std::string_view type, std::string_view data);
  void note_unread();
  void tell_unreadable(std::string_view data);
  template <class Tell>
  void tell(std::string_view text, const Tell &piece);
  void report_held();
  bool is_cut_stream() const;
  bool report_no_answer();

  // -- set once
  WireSink &sink_;
  const WireLimits limits_;
  const std::string_view answer_;
  // -- reused, empty between two events
  JsonEvent event_;
  std::string_view repeatable_;
  bool repaired_ = false;
  bool taking_ = false;  // the event is taken, and what of it is unread was not noted yet
  // -- not saved: the next event is parsed
  EventShape shape_;
  // -- position in the stream (saved with the turn)
  HttpError http_error_;
  ArrayFrame array_;
  SseParser sse_;
  Utf8Joiner text_joiner_, refusal_joiner_, reasoning_joiner_;
  std::string beginning_;  // of the body, until something in it was understood
  Unread unread_;
  std::string model_, finish_words_;
  Usage usage_, reported_usage_;
  uint32_t calls_ = 0;       // that were reported by number
  bool calls_full_ = false;  // more than the limit came, and were dropped
  bool known_ = false;
  bool whole_ = false;
  bool done_ = false;  // the answer is over: only usage and what is repeated still count
  bool failed_ = false;
  bool odd_ = false;  // an event was lost, or bytes of one: no item of the answer goes back as it came
};

}  // namespace sluice
