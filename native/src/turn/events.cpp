#include "turn/events.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/release.h"
#include "base/saved.h"

namespace sluice {
namespace {

// Events nest documents of the host and of tools a few levels deeper than limits.depth allows.
constexpr size_t kDeepestEvent = 2048;

// A slot that was polled keeps at most this much memory, so that a burst of unpolled text is freed.
constexpr size_t kSpareBytes = 16384;

// How the document of a piece of text begins. Empty: the event is none.
std::string_view piece_head(EventQueue::Kind kind) {
  switch (kind) {
    case EventQueue::Kind::text:
    case EventQueue::Kind::refusal:
    case EventQueue::Kind::fabricated:
    case EventQueue::Kind::commentary:
    case EventQueue::Kind::of_final_answer: return R"({"type":"text","block":)";
    case EventQueue::Kind::reasoning: return R"({"type":"reasoning","block":)";
    case EventQueue::Kind::args: return R"({"type":"args","call":)";
    case EventQueue::Kind::progress: return R"({"type":"progress","call":)";
    default: return {};
  }
}

// A mark is told in the JSON of the event.
bool has_mark(EventQueue::Kind kind) {
  using Kind = EventQueue::Kind;
  return kind == Kind::refusal || kind == Kind::fabricated || kind == Kind::commentary || kind == Kind::of_final_answer;
}

bool may_be_withdrawn(EventQueue::Kind kind) {
  using Kind = EventQueue::Kind;
  return kind == Kind::request || kind == Kind::execute || kind == Kind::approval || kind == Kind::resolve ||
         kind == Kind::ipc || kind == Kind::final_answer;
}

// The `type` of events of this kind. Empty: any type but those of the kinds that may be withdrawn.
std::string_view type_of(EventQueue::Kind kind) {
  switch (kind) {
    case EventQueue::Kind::request: return "request";
    case EventQueue::Kind::final_answer: return "final";
    case EventQueue::Kind::execute: return "execute";
    case EventQueue::Kind::approval: return "approval";
    case EventQueue::Kind::resolve: return "resolve";
    case EventQueue::Kind::abort_tool: return "abortTool";
    case EventQueue::Kind::progress: return "progress";
    case EventQueue::Kind::head: return "card";
    case EventQueue::Kind::ipc: return "ipc";
    default: return {};
  }
}

// Checks a saved event that is not a delta: its document must be complete, of its kind's type, and about a call that
// exists. Older versions saved some `ipc` and `final` events as `other`; `kind` is corrected here.
Status check_event(EventQueue::Kind &kind, uint32_t &key, const std::string &document, const EventQueue::About &about,
                   bool last) {
  if (Status status = check_json(document, kDeepestEvent); !status.ok()) return status;
  const auto type = json_member(document, "type");
  if (!type || json_kind(*type) != '"') return error(Code::json, "expected an event with a type");
  const std::string said = json_text(*type);
  if (said == "ipc" && kind == EventQueue::Kind::other) kind = EventQueue::Kind::ipc;
  if (said == "final" && kind == EventQueue::Kind::other) kind = EventQueue::Kind::final_answer;
  const bool own = said == "request" || said == "execute" || said == "approval" || said == "resolve" || said == "ipc";
  if (type_of(kind).empty() ? own : said != type_of(kind)) return error(Code::json, "expected another type of event");
  if (said == "done" && !(about.done && last)) return error(Code::json, "expected no end of the turn here");
  const SavedReader event(document);
  if (kind == EventQueue::Kind::of_block) {
    uint32_t block = key;
    event.get("block", block);
    const bool fits = event.fits().ok() && block == key && key < about.blocks && (said == "sources" || said == "media");
    return fits ? Status() : error(Code::json, "expected the number of its block");
  }
  uint32_t call = key;
  event.get("call", call);
  const bool of_call =
      kind == EventQueue::Kind::progress ||
      (may_be_withdrawn(kind) && kind != EventQueue::Kind::request && kind != EventQueue::Kind::final_answer);
  if (!event.fits().ok() || call > about.calls || (key != 0 && call != key) || (of_call && call == 0))
    return error(Code::json, "expected the number of its call");
  // A person who sees the event decides about what it shows.
  const auto shown = said == "card" && call != 0 ? json_member(document, "arguments") : std::nullopt;
  if (shown && *shown != about.arguments(call)) return error(Code::json, "expected the arguments of its card");
  if (of_call) key = call;
  if (kind == EventQueue::Kind::final_answer) key = 0;
  return {};
}

// Replaces the document of a saved `progress` event by the text that it tells.
Status take_text(std::string &document) {
  document += '}';
  const auto text = json_member(document, "text");
  if (!text || json_kind(*text) != '"') return error(Code::json, "expected a text", "text");
  document = json_text(*text);
  return {};
}

uint64_t place_key(EventQueue::Kind kind, uint32_t key) { return static_cast<uint64_t>(kind) << 32 | key; }

}  // namespace

EventQueue::Event &EventQueue::slot() {
  if (tail_ == events_.size()) {
    if (head_ > 64 && head_ * 2 > tail_) {  // most were polled: move the rest to the front
      for (size_t i = head_; i < tail_; ++i) std::swap(events_[i - head_], events_[i]);
      moved_ += head_;
      tail_ -= head_;
      head_ = 0;
    } else {
      events_.emplace_back();
    }
  }
  Event &event = events_[tail_++];
  event.withdrawn = false;
  event.lent.clear();
  release_text(event.text, kSpareBytes);
  return event;
}

void EventQueue::write_piece(const Event &event, std::string &out) {
  if (event.text.size() > kSpareBytes) out.reserve(json_string_size(event.text) + 128);
  out += piece_head(event.kind);
  append_number(out, event.key);
  out += R"(,"text":)";
  append_json_string(out, event.text);
  if (event.kind == Kind::refusal) out += R"(,"refusal":true)";
  if (event.kind == Kind::commentary) out += R"(,"phase":"commentary")";
  if (event.kind == Kind::of_final_answer) out += R"(,"phase":"final_answer")";
  if (event.kind == Kind::fabricated) out += R"(,"fabricated":true)";
}

void EventQueue::write_whole(const Event &event, std::string &out) {
  size_t size = out.size() + event.text.size() + 128;
  for (const LentText &lent : event.lent) size += lent.quoted ? json_string_size(lent.text) : lent.text.size();
  if (size > kSpareBytes) out.reserve(size);
  size_t at = 0;
  for (const LentText &lent : event.lent) {
    out.append(event.text, at, lent.at - at);
    lent.quoted ? append_json_string(out, lent.text) : void(out += lent.text.view());
    at = lent.at;
  }
  out.append(event.text, at);
}

void EventQueue::delta(Kind kind, uint32_t key, std::string_view utf8) {
  if (is_last(kind, key)) {
    append_large(events_[tail_ - 1].text, utf8);
    return;
  }
  add(kind, key).text += utf8;
}

bool EventQueue::is_last(Kind kind, uint32_t key) const {
  if (head_ == tail_) return false;
  const Event &last = events_[tail_ - 1];
  return last.kind == kind && last.key == key && !last.withdrawn;
}

std::string &EventQueue::open(Kind kind, uint32_t key) {
  if ((kind == Kind::progress || kind == Kind::head) && is_last(kind, key)) {
    events_[tail_ - 1].lent.clear();
    events_[tail_ - 1].text.clear();
    return events_[tail_ - 1].text;
  }
  return add(kind, key).text;
}

EventQueue::Event &EventQueue::add(Kind kind, uint32_t key) {
  const bool placed = may_be_withdrawn(kind);
  if (placed) withdraw(kind, key);  // a newer event replaces the one that waits
  Event &event = slot();
  event.kind = kind;
  event.key = key;
  if (placed) places_[place_key(kind, key)] = moved_ + tail_ - 1;
  return event;
}

EventQueue::Event *EventQueue::find(Kind kind, uint32_t key) {
  const auto place = places_.find(place_key(kind, key));
  return place == places_.end() ? nullptr : &events_[place->second - moved_];
}

bool EventQueue::withdraw(Kind kind, uint32_t key) {
  Event *const event = find(kind, key);
  if (event == nullptr) return false;
  event->withdrawn = true;
  event->lent.clear();
  places_.erase(place_key(kind, key));
  while (tail_ > head_ && events_[tail_ - 1].withdrawn) --tail_;  // deltas before and after it become one event
  return true;
}

bool EventQueue::waits(Kind kind, uint32_t key) const { return places_.contains(place_key(kind, key)); }

void EventQueue::save(std::string &out) const {
  ObjectWriter queue(out);
  queue.number("seq", static_cast<int64_t>(seq_));
  std::string &list = queue.value("waiting");
  list += '[';
  for (size_t i = head_; i < tail_; ++i) {
    if (events_[i].withdrawn) continue;
    if (list.back() != '[') list += ',';
    ObjectWriter event(list);
    event.number("kind", static_cast<int64_t>(events_[i].kind)).number("key", events_[i].key);
    std::string whole;
    if (events_[i].kind == Kind::progress) write_piece(events_[i], whole);  // saved as a document
    if (!events_[i].lent.empty()) write_whole(events_[i], whole);
    event.text("text", whole.empty() ? events_[i].text : whole).close();
  }
  list += ']';
  queue.close();
}

// More events than any turn has; a state that somebody changed may say so.
constexpr uint64_t kMostSeq = uint64_t{1} << 53;

Status EventQueue::load(std::string_view saved, const About &about) {
  const SavedReader queue(saved);
  queue.get("seq", seq_);
  seq_ = std::min(seq_, kMostSeq);
  size_t left = 0, index = 0;
  for (JsonSlices waiting(queue.nested("waiting")); waiting.next();) ++left;
  for (JsonSlices waiting(queue.nested("waiting")); waiting.next(); ++index) {
    const SavedReader read(waiting.value());
    uint32_t kind = 0, key = 0;
    read.get("kind", kind);
    read.get("key", key);
    auto known = kind > static_cast<uint32_t>(Kind::resolve) ? Kind::other : static_cast<Kind>(kind);
    std::string text;
    read.text("text", text);
    const bool document = piece_head(known).empty() || known == Kind::progress;
    Status status = read.fits();
    if (status.ok() && document)
      status = check_event(known, key, text + "}", about, index + 1 == left).inside("text");
    else if (status.ok() && (known == Kind::args ? key == 0 || key > about.calls : key >= about.blocks))
      status = error(Code::json,
                     known == Kind::args ? "expected the number of a call" : "expected the number of a block", "key");
    if (status.ok() && known == Kind::progress) status = take_text(text).inside("text");
    if (!status.ok()) return std::move(status).inside("waiting[" + std::to_string(index) + "]");
    add(known, key).text = std::move(text);
  }
  return queue.fits();
}

EventQueue::Event *EventQueue::front() {
  while (head_ < tail_ && events_[head_].withdrawn) ++head_;
  if (head_ < tail_) return &events_[head_];
  moved_ += tail_;
  head_ = tail_ = 0;
  return nullptr;
}

void EventQueue::drop_front() {
  Event &event = events_[head_++];
  if (may_be_withdrawn(event.kind)) places_.erase(place_key(event.kind, event.key));
  release_text(event.text, kSpareBytes);
  event.lent.clear();
  ++seq_;
  front();
}

bool EventQueue::next(std::string &out, Polled &polled) {
  release_text(out, kSpareBytes);
  Event *const event = front();
  if (event == nullptr) return false;
  polled = {event->kind, event->key};
  if (!piece_head(event->kind).empty())
    write_piece(*event, out);
  else if (event->lent.empty() && event->text.size() > kSpareBytes)
    out = std::move(event->text);
  else
    write_whole(*event, out);
  drop_front();
  out += R"(,"seq":)";
  append_number(out, static_cast<int64_t>(seq_));
  out += '}';
  return true;
}

EventQueue::Next EventQueue::next_piece(std::string &out, Polled &polled) {
  release_text(out, kSpareBytes);
  Event *const event = front();
  if (event == nullptr) return Next::none;
  if (may_be_withdrawn(event->kind)) return Next::task;
  if (piece_head(event->kind).empty() || has_mark(event->kind)) return Next::other;
  polled = {event->kind, event->key};
  std::swap(out, event->text);
  drop_front();
  return Next::piece;
}

}  // namespace sluice
