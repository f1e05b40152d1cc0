#include "wire/unread.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json.h"
#include "base/text.h"
#include "wire/likeness.h"

namespace sluice {
namespace {

constexpr size_t kMostPaths = 3;
constexpr size_t kMostMembers = 1000;  // of one event that are looked at, items of lists among them
constexpr size_t kMostName = 40;       // bytes of a member's name that are told
constexpr size_t kMostPath = 400;      // bytes
constexpr size_t kMostLists = 4;       // within each other

bool names(std::string_view list, std::string_view name) {
  if (name.empty()) return false;  // found everywhere, for ever
  for (size_t at = 0; (at = list.find(name, at)) != list.npos; at += name.size()) {
    const size_t end = at + name.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

// A provider's word without anything that a terminal, a page or a model could take for more.
std::string plain(std::string_view word) {
  if (word.empty()) return "\"\"";
  std::string out(word.substr(0, kMostName));
  for (char &byte : out)
    if (!is_alnum(byte) && byte != '_' && byte != '-' && byte != '.') byte = '?';
  return word.size() > kMostName ? out + "..." : out;
}

// Does it hold anything that somebody could have meant to be read?
bool holds(JsonView value) {
  const std::string_view sliced = value.text();
  bool any = false;
  switch (value.kind()) {
    case '"': return sliced.empty() ? !value.string().empty() : sliced.size() > 2;
    case '{': value.members([&](std::string_view, JsonView) { any = true; }); return any;
    case '[': value.items([&](JsonView) { any = true; }); return any;
    default: return false;
  }
}

class Walk {
 public:
  Walk(std::span<const ReadMembers> read, std::string_view type, std::vector<std::string> &paths, std::string &media)
      : read_(read), type_(type), paths_(paths), media_(media) {}

  // `value`: an object, or a list of such. `name`: of the object, as in ReadMembers.
  void look(JsonView value, const std::string &path, const std::string &name, size_t lists = 0) {
    if (value.kind() == '[' && lists < kMostLists) {
      size_t place = 0;
      value.items([&](JsonView item) {
        if (!full() && ++looked_ <= kMostMembers)
          look(item, path + '[' + std::to_string(place++) + ']', name, lists + 1);
      });
    }
    const ReadMembers *const known = find(name);
    if (value.kind() != '{' || known == nullptr) return;
    value.members([&](std::string_view key, JsonView member) {
      if (full() || ++looked_ > kMostMembers || !holds(member)) return;
      const bool text = member.kind() == '"';
      const std::string inner = name.empty() ? std::string(key) : name + '.' + std::string(key);
      const std::string at = path.empty() ? plain(key) : path + '.' + plain(key);
      if (!text && !key.empty() && find(inner) != nullptr) return look(member, at, inner);
      if (names(known->media, key)) {
        if (media_.empty()) media_ = at.substr(0, kMostPath);
        return;
      }
      const bool read = (text && names(known->texts, key)) || known->others == "*" || names(known->others, key);
      if (!read) add(at);
    });
  }

 private:
  bool full() const { return paths_.size() >= kMostPaths || looked_ > kMostMembers; }

  const ReadMembers *find(std::string_view name) const {
    const auto found = std::find_if(read_.begin(), read_.end(), [&](const ReadMembers &one) { return one.of == name; });
    return found == read_.end() ? nullptr : &*found;
  }

  void add(std::string path) {
    if (!type_.empty()) path += " of " + plain(type_);
    path = path.substr(0, kMostPath);
    if (std::find(paths_.begin(), paths_.end(), path) == paths_.end()) paths_.push_back(std::move(path));
  }

  const std::span<const ReadMembers> read_;
  const std::string_view type_;
  std::vector<std::string> &paths_;
  std::string &media_;
  size_t looked_ = 0;
};

}  // namespace

void Unread::look(JsonView event, std::span<const ReadMembers> read, std::string_view type, bool foreign) {
  if (foreign && likeness_.empty()) likeness_ = looks_like(event);
  if (paths_.size() < kMostPaths) Walk(read, type, paths_, media_).look(event, {}, {});
}

std::string Unread::words() const {
  std::string out;
  for (const std::string &path : paths_) out.append(out.empty() ? "" : ", ").append(path);
  return out;
}

void Unread::save(ObjectWriter &saved) const {
  if (!paths_.empty()) {
    std::string &out = saved.value("unread");
    for (const std::string &path : paths_) append_json_string(out += &path == &paths_.front() ? '[' : ',', path);
    out += ']';
  }
  if (!media_.empty()) saved.text("media", media_);
  if (!likeness_.empty()) saved.text("likeness", likeness_);
}

void Unread::load(const SavedReader &saved) {
  for (JsonSlices paths(saved.nested("unread")); paths.next() && paths_.size() < kMostPaths;)
    if (json_kind(paths.value()) == '"') paths_.push_back(bounded_text(json_text(paths.value()), kMostPath));
  saved.text("media", media_);
  media_ = bounded_text(media_, kMostPath);
  std::string likeness;
  saved.text("likeness", likeness);
  likeness_ = likeness_of(likeness);
}

}  // namespace sluice
