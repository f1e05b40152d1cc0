// The output items of an answer of OpenAI's Responses: which there are, and which one an event is about. Servers count
// indices in ways of their own and change ids, so each of these only helps to find an item.
#pragma once

#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/utf8.h"
#include "wire/openai_responses_event.h"
#include "wire/openai_responses_item.h"
#include "wire/shown_text.h"
#include "wire/wire.h"

namespace sluice {

inline constexpr uint32_t kUnnamed = UINT32_MAX;

// Items stay in the order in which they began.
struct OutputItem {
  int64_t index = kAnyIndex;  // output_index; items of one index may follow each other
  ResponsesItem kind = ResponsesItem::provider;
  std::string id;            // call_id, or else the item's own; changes of that are ignored
  std::string piece_id;      // the item_id of its pieces, which may be another one
  std::string type;          // of what the provider runs; empty: another item
  std::string name;          // of a call while nobody knows who runs it: see ResponsesReader::wait
  uint32_t slot = kUnnamed;  // of a call, or of a provider's
  ShownText said, refused, thought;
  Phase phase = Phase::none;  // of a message
  bool new_part = true;       // the reasoning that comes next begins a paragraph
  bool streamed = false;      // some of the arguments came
  bool settled = false;       // the arguments, or the result of a provider's tool, are whole
  bool cut = false;           // the provider stopped in the middle of it
  bool closed = false;
  Utf8Joiner joiner;      // of arguments
  std::string arguments;  // so far, until they are settled; of a custom tool: its input
  std::string json;       // as it goes back; empty until it is closed

  bool is_for_client() const { return is_client_call(kind) && type.empty(); }
  bool has_card() const { return is_for_client() && slot != kUnnamed; }
  // It has arguments of a call that nobody announced, so far.
  bool is_orphan() const { return is_for_client() && slot == kUnnamed && name.empty() && streamed; }
  bool shows_nothing() const { return said.empty() && refused.empty() && thought.empty(); }
};

class OutputItems {
 public:
  std::vector<OutputItem>::iterator begin() { return items_.begin(); }
  std::vector<OutputItem>::iterator end() { return items_.end(); }
  std::vector<OutputItem>::const_iterator begin() const { return items_.begin(); }
  std::vector<OutputItem>::const_iterator end() const { return items_.end(); }
  auto rbegin() { return items_.rbegin(); }
  auto rend() { return items_.rend(); }
  bool empty() const { return items_.empty(); }
  bool all_closed() const;
  bool has_orphans() const;
  bool overflowed() const { return overflowed_; }  // more began than are kept

  // All functions that find an item return nullptr where there is none.

  // The last item of this kind at this index that is open.
  OutputItem *open_at(int64_t index, ResponsesItem kind);
  // The open item of this kind to which a piece of text belongs. `id`: the item_id of the piece, or empty.
  OutputItem *going_on(int64_t index, ResponsesItem kind, std::string_view id);
  // Did such an item end already?
  bool is_over(int64_t index, ResponsesItem kind, std::string_view id) const;
  // A new item. nullptr: the answer has too many.
  OutputItem *add(int64_t index, ResponsesItem kind);
  // The item that is done, if it is known. Some servers say so twice, or end several items under one index. `json`: the
  // item. `tied`: `id` is that of a call; other ids may change.
  OutputItem *done(int64_t index, ResponsesItem kind, std::string_view id, bool tied, std::string_view json);
  // The item at this index of the final `output` that the stream left open.
  OutputItem *left_open(int64_t index, ResponsesItem kind, std::string_view id, std::string_view json);
  void close(OutputItem &item);

  void save(std::string_view key, ObjectWriter &saved) const;
  void load(std::string_view key, const SavedReader &saved, size_t max_depth);

 private:
  std::vector<OutputItem>::iterator first_open();
  OutputItem *find_done(int64_t index, ResponsesItem kind, std::string_view id, bool tied);
  OutputItem *unannounced(ResponsesItem kind, std::string_view json);

  std::vector<OutputItem> items_;
  size_t closed_ = 0;  // of them in front; not saved, like the ids: made again from the items
  std::set<std::string, std::less<>> closed_ids_;  // of the closed ones
  bool overflowed_ = false;
};

}  // namespace sluice
