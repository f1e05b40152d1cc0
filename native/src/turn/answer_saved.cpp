// Saves and restores an open answer: its readers continue at the byte where they stopped.
#include <algorithm>
#include <map>

#include "base/sha256.h"
#include "base/text.h"
#include "turn/answer.h"
#include "turn/saved_fields.h"

namespace sluice {
namespace {

// What the host declared of these protocols; empty: nothing.
std::string digest_of_declarations(const Protocols &parsed, const Protocols &watched) {
  std::string all;
  for (const Protocols *const list : {&parsed, &watched})
    for (const auto &protocol : *list) all += protocol->declaration();
  return all.empty() ? all : sha256_hex(all);
}

// A state is saved as flags that say what happened before it.
void save_state(AnswerState state, const Saver &save) {
  save("responded", state != AnswerState::waiting);
  save("bytesSeen", state >= AnswerState::streaming);
  save("ended", state == AnswerState::ended || state == AnswerState::ended_cut);
  save("closedToBytes", state == AnswerState::cut_off || state == AnswerState::ended_cut);
}

AnswerState load_state(const SavedReader &saved) {
  const bool ended = saved_flag(saved, "ended");
  if (saved_flag(saved, "closedToBytes")) return ended ? AnswerState::ended_cut : AnswerState::cut_off;
  if (ended) return AnswerState::ended;
  if (saved_flag(saved, "bytesSeen")) return AnswerState::streaming;
  return saved_flag(saved, "responded") ? AnswerState::responded : AnswerState::waiting;
}

int64_t number_of(const Card *card) { return card == nullptr ? 0 : static_cast<int64_t>(card->call); }

Status load_calls(const SavedReader &saved, std::string_view key, const Log &log, std::vector<Card *> &out) {
  for (JsonSlices calls(saved.nested(key)); calls.next();) {
    uint32_t call = 0;
    if (!read_integer(trim_json(calls.value()), call) || call > log.message().cards.size())
      return error(Code::json, "expected the number of a call", place(key, out.size()));
    out.push_back(log.find(call));
  }
  return {};
}

// As one list for each tool: its own name, then the others that mean it.
void save_names(const ToolNames &names, std::string &out) {
  std::map<std::string_view, std::vector<std::string_view>> lists;
  for (const auto &[name, own] : names) {
    std::vector<std::string_view> &list = lists[own];
    if (name != own) list.push_back(name);
  }
  out += '[';
  for (const auto &[own, list] : lists) {
    append_json_string(out += out.back() == '[' ? "[" : ",[", own);
    for (const std::string_view name : list) append_json_string(out += ',', name);
    out += ']';
  }
  out += ']';
}

ToolNames load_names(std::string_view saved) {
  ToolNames names;
  for (JsonSlices lists(saved); lists.next();) {
    std::string own;
    for (JsonSlices list(lists.value()); list.next();) {
      if (json_kind(list.value()) != '"') continue;
      std::string name = json_text(list.value());
      if (own.empty()) own = name;
      names.emplace(std::move(name), own);
    }
  }
  return names;
}

}  // namespace

void Answer::save(std::string &out) const {
  const auto write_calls = [&](const std::vector<Card *> &cards) {
    write_list(out, cards, [&](const Card *card) { append_number(out, number_of(card)); });
  };
  const auto write_protocols = [&](const Protocols &protocols) {
    write_list(out, protocols, [&](const auto &one) { out += setup_.config.protocol_texts.at(one.get()); });
  };
  ObjectWriter object(out);
  save_state(state_, Saver{object});
  each_field(*this, Saver{object});
  if (phase_ != Phase::none) object.number("phase", static_cast<int64_t>(phase_));
  if (error_) save_error(*error_, object.value("error"));
  object.value("slots");
  write_calls(slots_);
  object.value("openCalls");
  write_calls(open_calls_);
  object.value("provided");
  write_calls(provided_);
  object.number("textCall", number_of(text_call_));
  object.value("protocols");
  write_protocols(parsed_);
  object.value("watched");
  write_protocols(watched_);
  if (const std::string declared = digest_of_declarations(parsed_, watched_); !declared.empty())
    object.text("declared", declared);
  object.value("unsealed");
  write_list(out, unsealed_, [&](const Unsealed &one) {
    ObjectWriter(out).number("at", static_cast<int64_t>(one.at)).text("name", one.name).close();
  });
  if (!setup_.parser && !setup_.observes())
    save_names(offered_ ? *offered_ : setup_.registry().tool_names(), object.value("names"));
  object.boolean("startsInReasoning", options_.starts_in_reasoning);
  object.boolean("callsInReasoning", options_.calls_in_reasoning);
  object.boolean("loneCloserIsText", options_.lone_closer_is_text);
  reader_->save(object.value("reader"));
  scanner_->save(object.value("scanner"));
  if (watcher_) watcher_->save(object.value("watcher"));
  if (thoughts_) thoughts_->save(object.value("thoughts"));
  object.close();
}

Status Answer::load(const SavedReader &saved, Config &config) {
  if (const std::string_view list = saved.nested("protocols"); !list.empty()) {
    ScanOptions options = options_;
    saved.get("startsInReasoning", options.starts_in_reasoning);
    saved.get("callsInReasoning", options.calls_in_reasoning);
    saved.get("loneCloserIsText", options.lone_closer_is_text);
    Protocols parsed, watched;
    if (Status status = read_saved_protocols(list, config, parsed); !status.ok())
      return std::move(status).inside("protocols");
    if (Status status = read_saved_protocols(saved.nested("watched"), config, watched); !status.ok())
      return std::move(status).inside("watched");
    if (text_of(saved, "declared") != digest_of_declarations(parsed, watched))
      return error(Code::json, "the open answer was read with another declaration of its protocol", "protocols");
    read_with(std::move(parsed), std::move(watched), options);
  }
  if (const std::string_view names = saved.nested("names"); !names.empty()) offered_ = load_names(names);
  state_ = load_state(saved);
  each_field(*this, Loader{saved});
  phase_ = saved_enum(saved, "phase", Phase::none, Phase::final_answer);
  if (const std::string_view error = saved.nested("error"); !error.empty())
    if (Status status = load_error(error, error_.emplace()); !status.ok()) return std::move(status).inside("error");
  if (Status status = load_calls(saved, "slots", log_, slots_); !status.ok()) return status;
  if (Status status = load_calls(saved, "openCalls", log_, open_calls_); !status.ok()) return status;
  if (Status status = load_calls(saved, "provided", log_, provided_); !status.ok()) return status;
  for (Card *&card : provided_)
    if (card != nullptr && !card->is_provided()) card = nullptr;
  const auto is_written = [](const Card *card, bool native) {
    return card != nullptr && card->state() == CardState::streaming && (card->source == "native") == native;
  };
  std::erase_if(open_calls_, [&](const Card *card) { return !is_written(card, true); });
  for (JsonSlices calls(saved.nested("unsealed")); calls.next();) {
    const SavedReader call(calls.value());
    Unsealed &one = unsealed_.emplace_back();
    call.get("at", one.at);
    call.text("name", one.name);
  }
  uint32_t text_call = 0;
  saved.get("textCall", text_call);
  Card *const call = log_.find(text_call);
  // A call that was cancelled while it was written keeps its block: what follows there is no other call.
  const bool ended = call != nullptr && call->final() && call->source != "native" && !call->is_provided();
  text_call_ = ended || is_written(call, false) ? call : nullptr;
  reader_->load(saved.nested("reader"));
  for (const std::string_view name : {"scanner", "watcher", "thoughts"})
    if (Status status = check_saved_scanner(saved.nested(name)); !status.ok())
      return std::move(status).inside(std::string(name));
  scanner_->load(saved.nested("scanner"));
  if (watcher_) watcher_->load(saved.nested("watcher"));
  if (thoughts_) thoughts_->load(saved.nested("thoughts"));
  return saved.fits();
}

std::set<uint32_t> Answer::written() const {
  std::set<uint32_t> calls;
  for (const Card *card : open_calls_) calls.insert(card->call);
  if (text_call_ != nullptr) calls.insert(text_call_->call);
  return calls;
}

}  // namespace sluice
