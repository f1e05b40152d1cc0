#include "wire/openai_responses_items.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/json.h"

namespace sluice {
namespace {

constexpr size_t kMostItems = 4096;

bool fits(int64_t one, int64_t other) { return one == other || one == kAnyIndex || other == kAnyIndex; }

bool is_text(ResponsesItem kind) { return kind == ResponsesItem::message || kind == ResponsesItem::reasoning; }

// The texts of the parts in a member of an item.
std::string texts_of(std::string_view item, std::string_view member, std::string_view key) {
  std::string text;
  for (JsonSlices parts(json_member(item, member).value_or("[]")); parts.next();)
    text += json_member_text(parts.value(), key);
  return text;
}

// Does an item's JSON repeat what was shown of this one?
bool repeats(const OutputItem &item, std::string_view json) {
  if (item.kind == ResponsesItem::message)
    return item.said.begins(texts_of(json, "content", "text")) &&
           item.refused.begins(texts_of(json, "content", "refusal"));
  const std::string summary = texts_of(json, "summary", "text"), content = texts_of(json, "content", "text");
  return item.thought.begins(summary + content) || item.thought.begins(content + summary);
}

}  // namespace

bool OutputItems::all_closed() const {
  return std::all_of(items_.begin(), items_.end(), [](const OutputItem &item) { return item.closed; });
}

bool OutputItems::has_orphans() const {
  return std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(closed_), items_.end(),
                     [](const OutputItem &item) { return item.is_orphan(); });
}

// All in front of it are closed.
std::vector<OutputItem>::iterator OutputItems::first_open() {
  while (closed_ < items_.size() && items_[closed_].closed) ++closed_;
  return items_.begin() + static_cast<std::ptrdiff_t>(closed_);
}

OutputItem *OutputItems::open_at(int64_t index, ResponsesItem kind) {
  const auto end = std::make_reverse_iterator(first_open());
  for (auto item = items_.rbegin(); item != end; ++item)
    if (!item->closed && item->kind == kind && fits(item->index, index)) return &*item;
  return nullptr;
}

// An index that nobody announced is one that the server counts on with each delta, or in another way, unless the item
// before is over.
OutputItem *OutputItems::going_on(int64_t index, ResponsesItem kind, std::string_view id) {
  if (OutputItem *const item = open_at(index, kind)) return item;
  const auto end = std::make_reverse_iterator(first_open());
  for (auto item = items_.rbegin(); item != end && !id.empty(); ++item)
    if (!item->closed && item->kind == kind && (item->id == id || item->piece_id == id)) return &*item;
  if (items_.empty()) return nullptr;
  OutputItem &last = items_.back();
  const std::string &known = last.piece_id.empty() ? last.id : last.piece_id;
  const bool same = id.empty() || known.empty() || id == known;
  const bool over = !last.shows_nothing() && last.said.at_part() && last.refused.at_part() && last.thought.at_part();
  return !last.closed && last.kind == kind && same && !over ? &last : nullptr;
}

bool OutputItems::is_over(int64_t index, ResponsesItem kind, std::string_view id) const {
  return std::any_of(items_.rbegin(), items_.rend(), [&](const OutputItem &item) {
    if (item.kind != kind || !item.closed) return false;
    return item.index == index || (!id.empty() && (item.id == id || item.piece_id == id));
  });
}

OutputItem *OutputItems::add(int64_t index, ResponsesItem kind) {
  overflowed_ = overflowed_ || items_.size() == kMostItems;
  if (items_.size() == kMostItems) return nullptr;
  OutputItem &item = items_.emplace_back();
  item.index = index;
  item.kind = kind;
  return &item;
}

OutputItem *OutputItems::find_done(int64_t index, ResponsesItem kind, std::string_view id, bool tied) {
  OutputItem *repeated = nullptr;
  const auto end = !id.empty() && closed_ids_.contains(id) ? items_.rend() : std::make_reverse_iterator(first_open());
  for (auto item = items_.rbegin(); item != end; ++item) {
    if (item->kind != kind || !fits(item->index, index)) continue;
    const bool same = item->id == id || !is_client_call(kind) || item->id.empty() || !tied;
    if (!item->closed && same) return &*item;
    if (item->closed && !id.empty() && item->id == id && repeated == nullptr) repeated = &*item;
  }
  return repeated;
}

// The open item that only pieces with another index told of, and whose text this one repeats.
OutputItem *OutputItems::unannounced(ResponsesItem kind, std::string_view json) {
  for (auto item = first_open(); item != items_.end(); ++item)
    if (!item->closed && item->kind == kind && item->id.empty() && !item->shows_nothing() && repeats(*item, json))
      return &*item;
  return nullptr;
}

OutputItem *OutputItems::done(int64_t index, ResponsesItem kind, std::string_view id, bool tied,
                              std::string_view json) {
  OutputItem *item = find_done(index, kind, id, tied);
  if (is_text(kind) && (item == nullptr || (!item->closed && item->shows_nothing())))
    if (OutputItem *const other = unannounced(kind, json)) {
      if (item == nullptr) return other;
      item->said = std::move(other->said);
      item->refused = std::move(other->refused);
      item->thought = std::move(other->thought);
      item->new_part = other->new_part;
      const std::ptrdiff_t at = item - items_.data(), gone = other - items_.data();
      items_.erase(items_.begin() + gone);
      return items_.data() + (gone < at ? at - 1 : at);
    }
  return item;
}

OutputItem *OutputItems::left_open(int64_t index, ResponsesItem kind, std::string_view id, std::string_view json) {
  for (auto item = first_open(); item != items_.end(); ++item)
    if (!item->closed && item->index == index && item->kind == kind) return done(index, kind, id, true, json);
  if (!is_text(kind) || is_over(index, kind, id)) return nullptr;
  OutputItem *const elsewhere = open_at(kAnyIndex, kind);
  return elsewhere != nullptr && repeats(*elsewhere, json) ? elsewhere : nullptr;
}

void OutputItems::close(OutputItem &item) {
  item.closed = true;
  item.said = item.refused = item.thought = {};
  closed_ids_.insert(item.id);
}

// ---- Saved ----

void OutputItems::save(std::string_view key, ObjectWriter &saved) const {
  std::string &out = saved.value(key);
  out += '[';
  for (const OutputItem &item : items_) {
    if (&item != &items_.front()) out += ',';
    ObjectWriter one(out);
    one.number("index", item.index).number("kind", static_cast<int64_t>(item.kind)).number("slot", item.slot);
    one.text("id", item.id).text("pieceId", item.piece_id).text("type", item.type).text("name", item.name);
    one.number("phase", static_cast<int64_t>(item.phase)).boolean("newPart", item.new_part);
    item.said.save("said", one);
    item.refused.save("refused", one);
    item.thought.save("thought", one);
    one.boolean("streamed", item.streamed).boolean("settled", item.settled);
    one.boolean("cut", item.cut).boolean("closed", item.closed);
    append_saved_bytes(one.value("held"), item.joiner.held());
    append_saved_bytes(one.value("arguments"), item.arguments);
    one.text("json", item.json);
    one.close();
  }
  out += ']';
  saved.boolean("tooMany", overflowed_);
}

void OutputItems::load(std::string_view key, const SavedReader &saved, size_t max_depth) {
  saved.get("tooMany", overflowed_);
  for (JsonSlices list(saved.nested(key)); list.next();) {
    const SavedReader one(list.value());
    OutputItem item;
    uint32_t kind = 0, phase = 0;
    one.get("index", item.index);
    one.get("kind", kind);
    item.kind = static_cast<ResponsesItem>(std::min(kind, static_cast<uint32_t>(ResponsesItem::host_call)));
    one.get("slot", item.slot);
    one.text("id", item.id);
    one.text("pieceId", item.piece_id);
    one.text("type", item.type);
    one.text("name", item.name);
    one.get("phase", phase);
    item.phase = static_cast<Phase>(std::min(phase, static_cast<uint32_t>(Phase::final_answer)));
    // Older versions kept a bit for each part that was shown.
    int64_t content = 0, summary = 0;
    one.get("shown", content);
    one.get("summaries", summary);
    if (content != 0 || summary != 0) {
      item.said.forget();
      item.refused.forget();
      item.thought.forget();
      item.new_part = false;
    }
    one.get("newPart", item.new_part);
    item.said.load("said", one);
    item.refused.load("refused", one);
    item.thought.load("thought", one);
    one.get("streamed", item.streamed);
    one.get("settled", item.settled);
    one.get("cut", item.cut);
    one.get("closed", item.closed);
    std::string held;
    one.get("held", held);
    item.joiner.restore(std::move(held));
    one.get("arguments", item.arguments);
    one.text("json", item.json);
    if (!item.json.empty() && (json_kind(item.json) != '{' || !check_json(item.json, max_depth).ok()))
      item.json.clear();
    if (item.closed) closed_ids_.insert(item.id);
    items_.push_back(std::move(item));
  }
}

}  // namespace sluice
