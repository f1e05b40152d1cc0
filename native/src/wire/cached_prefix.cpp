#include "wire/cached_prefix.h"

#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "base/text.h"
#include "wire/native_items.h"
#include "wire/phrases.h"

namespace sluice {
namespace {

constexpr std::string_view kCacheMark = "cache_control", kCacheKey = "prompt_cache_key";
constexpr size_t kMostKeyBytes = 64;

std::string marked(std::string_view object, const std::string &mark) {
  ItemText item(object);
  item.set(kCacheMark, mark);
  return item.write();
}

// The list with a mark on its last element that `fits`.
template <class Fits>
std::string with_last_marked(std::string_view list, const std::string &mark, const Fits &fits) {
  std::vector<std::string_view> all;
  for (JsonSlices items(list); items.next();) all.push_back(items.value());
  size_t last = all.size();
  while (last > 0 && !fits(all[last - 1])) --last;
  std::string out = "[";
  for (size_t at = 0; at < all.size(); ++at) {
    if (at > 0) out += ',';
    out += at + 1 == last ? marked(all[at], mark) : std::string(all[at]);
  }
  return out + "]";
}

bool is_object(std::string_view json) { return json_kind(json) == '{'; }

// A block that takes a mark. `texts`: only those do.
bool takes_mark(std::string_view block, bool texts) {
  if (!is_object(block)) return false;
  const std::string type = json_member_text(block, "type");
  if (type == "text") return !json_member_text(block, "text").empty();
  return !texts && is_one_of(type, {"image", "document", "tool_result"});
}

// A content with a mark on its last block. A text becomes a block.
std::string marked_content(std::string_view content, const std::string &mark, bool texts) {
  const auto fits = [&](std::string_view block) { return takes_mark(block, texts); };
  if (json_kind(content) == '[') return with_last_marked(content, mark, fits);
  if (json_kind(content) != '"' || json_text(content).empty()) return std::string(content);
  std::string out = "[";
  ObjectWriter(out).text("type", "text").raw("text", trim_json(content)).raw(kCacheMark, mark).close();
  return out + "]";
}

// The messages with marks on the last two of the user, and, where instructions are messages, on the last of those.
std::string marked_messages(std::string_view messages, const std::string &mark, bool texts) {
  std::vector<std::string_view> all;
  for (JsonSlices items(messages); items.next();) all.push_back(items.value());
  std::vector<bool> marks(all.size());
  size_t users = 2, systems = texts ? 1 : 0;
  for (size_t at = all.size(); at-- > 0;) {
    const std::string role = json_member_text(all[at], "role");
    size_t *const left = role == "user" ? &users : is_one_of(role, {"system", "developer"}) ? &systems : nullptr;
    if (left == nullptr || *left == 0) continue;
    --*left;
    marks[at] = true;
  }
  std::string out = "[";
  for (size_t at = 0; at < all.size(); ++at) {
    if (at > 0) out += ',';
    const auto content = json_member(all[at], "content");
    if (!marks[at] || !content) {
      out += all[at];
      continue;
    }
    ItemText message(all[at]);
    message.set("content", marked_content(*content, mark, texts));
    out += message.write();
  }
  return out + "]";
}

std::string with_marks(const std::string &request, bool texts, const std::string &mark) {
  ItemText body(request);
  if (const auto tools = json_member(request, "tools"); tools && json_kind(*tools) == '[' && !texts)
    body.set("tools", with_last_marked(*tools, mark, is_object));
  if (const auto system = json_member(request, "system"); system && !texts)
    body.set("system", marked_content(*system, mark, texts));
  if (const auto messages = json_member(request, "messages"); messages && json_kind(*messages) == '[')
    body.set("messages", marked_messages(*messages, mark, texts));
  return body.write();
}

}  // namespace

std::string with_cached_prefix(std::string request, const Dialect &dialect, const CacheWish &wish) {
  if (!wish.on) return request;
  switch (dialect.caching) {
    case Caching::unasked: break;
    case Caching::key: {
      if (wish.key.empty() || json_member(request, kCacheKey)) break;
      ItemText body(request);
      body.set(kCacheKey, json_string(wish.key.size() > kMostKeyBytes ? sha256_hex(wish.key) : wish.key));
      return body.write();
    }
    case Caching::marks:
    case Caching::marks_of_texts: {
      if (request.find("\"cache_control\":") != std::string::npos) break;
      std::string mark;
      ObjectWriter object(mark);
      object.text("type", "ephemeral");
      if (!wish.ttl.empty()) object.text("ttl", wish.ttl);
      object.close();
      return with_marks(request, dialect.caching == Caching::marks_of_texts, mark);
    }
  }
  return request;
}

bool refuses_cached_prefix(std::string_view words) {
  return holds(lower_case(words.substr(0, kMostRefusalBytes)), "cache_control|prompt_cache_key");
}

}  // namespace sluice
